"""A signature can be withdrawn and a case returned, each with a reason; nothing is forgotten by it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from reviewer.review_queue import Filter, Queue
from reviewer.signing import Return, Sign, Withdraw, check_reason
from reviewer.store import Dataset
from scoring.clinical import evaluate
from scoring.errors import ExitCode, UsageError
from scoring.record import Kind, Status, record_path
from tests.refusals import refused

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reviewer.store import Decision

WHY = "el hematocrito es de otro animal"


def test_a_withdrawal_writes_three_keys_and_keeps_the_old_signature_readable(
    dataset: Dataset, lines: Callable[[], list[bytes]]
) -> None:
    before = lines()
    applied = dataset.apply(Withdraw(("firmado",), "Ana Ruiz", WHY, way="cli"))
    after = lines()
    assert after[1:] == before[1:]
    assert after[0] == before[0].replace(
        b'"validado": true, "revisor": "Eva", "fecha_validacion": "2026-01-02"',
        b'"validado": false, "revisor": null, "fecha_validacion": null',
    )
    state = applied.dataset.states["firmado"]
    assert (state.status, state.counts, state.reviewer) == (Status.RETIRADO, False, "Ana Ruiz")
    assert WHY in state.sentence()
    # The adoption that the withdrawal follows still holds the signed line, name and date.
    adopted, withdrawn = applied.dataset.record.of_case("firmado")
    assert (adopted.kind, adopted.reviewer, withdrawn.kind) == (Kind.ADOPTA, "Eva", Kind.RETIRA)
    item = adopted.item("firmado")
    assert item is not None
    assert item.text is not None
    assert item.text.encode() == before[0]
    assert withdrawn.reason == WHY
    stored = json.loads(record_path(dataset.path).read_bytes().splitlines()[-1])
    assert stored["escribe"] == {"validado": False, "revisor": None, "fecha_validacion": None}
    # Pending again: nobody has to insist to sign it.
    assert applied.dataset.apply(Sign(("firmado",), "Ana Ruiz")).dataset.states["firmado"].counts


def test_the_gate_drops_a_withdrawn_case_at_once(dataset: Dataset) -> None:
    before = evaluate(dataset.file, {}, states=dataset.states)
    after_it = dataset.apply(Withdraw(("firmado",), "Ana", WHY)).dataset
    after = evaluate(after_it.file, {}, states=after_it.states)
    assert (before.counted, after.counted) == (1, 0)


def test_a_returned_case_leaves_the_queue_and_its_line_stays(
    dataset: Dataset, lines: Callable[[], list[bytes]]
) -> None:
    before = lines()
    applied = dataset.apply(Return(("uno", "dos"), "Ana", WHY))
    assert lines() == before
    assert applied.signed == ("uno", "dos")
    queue = Queue(applied.dataset.entries)
    assert queue.view(Filter.PENDING) == ()
    assert [item.case_id for item in queue.view(Filter.RETURNED)] == ["uno", "dos"]
    state = applied.dataset.states["uno"]
    assert (state.status, state.counts) == (Status.DEVUELTO, False)
    assert WHY in state.sentence()


def test_the_authors_change_of_content_brings_a_returned_case_back(casos: Path, dataset: Dataset) -> None:
    dataset.apply(Return(("uno",), "Ana", WHY))
    # Another spelling of a number is no answer.
    casos.write_bytes(casos.read_bytes().replace(b'"uno", "validado": false', b'"uno",  "validado": false'))
    assert Dataset.open(casos).states["uno"].status is Status.DEVUELTO
    casos.write_bytes(casos.read_bytes().replace(b"Letargia", b"Letargia y fiebre"))
    answered = Dataset.open(casos)
    state = answered.states["uno"]
    assert (state.status, state.reason) == (Status.PENDIENTE, "record.answered")
    assert WHY in state.sentence()
    assert [item.case_id for item in Queue(answered.entries).view(Filter.PENDING)] == ["uno", "dos"]
    assert answered.apply(Sign(("uno",), "Ana")).dataset.states["uno"].counts


def test_an_expired_signature_is_taken_off_by_a_return(casos: Path, dataset: Dataset) -> None:
    dataset.apply(Sign(("uno",), "Ana"))
    casos.write_bytes(casos.read_bytes().replace(b"Letargia", b"Fiebre"))
    expired = Dataset.open(casos)
    assert expired.states["uno"].status is Status.CADUCADO
    returned = expired.apply(Return(("uno",), "Ana", WHY)).dataset
    assert returned.states["uno"].status is Status.DEVUELTO
    assert not returned.entry("uno").case.validado
    assert returned.record.breaks == ()


def test_an_expired_signature_and_one_of_nobody_can_be_withdrawn(casos: Path, dataset: Dataset) -> None:
    casos.write_bytes(casos.read_bytes().replace(b'"dos","validado":false', b'"dos","validado":true'))
    assert Dataset.open(casos).states["dos"].reason == "record.signed_by_nobody"
    cleared = Dataset.open(casos).apply(Withdraw(("dos",), "Ana", WHY)).dataset
    assert cleared.states["dos"].status is Status.RETIRADO
    casos.write_bytes(casos.read_bytes().replace(b"45", b"46"))
    expired = Dataset.open(casos)
    assert expired.states["firmado"].status is Status.CADUCADO
    assert (
        expired.apply(Withdraw(("firmado",), "Ana", WHY)).dataset.states["firmado"].status is Status.RETIRADO
    )


@pytest.mark.parametrize(
    "reason", ["", "   ", ".", "...", "--", "ok", "xxx", "a\u200bb c", "1 1 1", "x" * 20_001]
)
@pytest.mark.parametrize("kind", [Withdraw, Return])
def test_a_reason_that_is_none_is_refused(
    dataset: Dataset, kind: type[Withdraw | Return], reason: str
) -> None:
    error = refused(dataset, kind(("firmado" if kind is Withdraw else "uno",), "Ana", reason))
    assert isinstance(error, UsageError)
    assert "reason" in error.code


def test_a_reason_is_kept_as_it_was_written() -> None:
    assert check_reason("  Falta la edad.\r\nVéase el informe ") == "Falta la edad.\nVéase el informe"


REFUSALS: list[tuple[Decision, str, ExitCode]] = [
    (Withdraw(("uno",), "Ana", WHY), "nothing_to_withdraw", ExitCode.CONFLICT),
    (Withdraw(("firmado", "uno"), "Ana", WHY), "nothing_to_withdraw", ExitCode.CONFLICT),
    (Withdraw(("firmado", "firmado"), "Ana", WHY), "id_twice", ExitCode.USAGE),
    (Withdraw(("frimado",), "Ana", WHY), "unknown_id_near", ExitCode.USAGE),
    (Withdraw((), "Ana", WHY), "no_ids", ExitCode.USAGE),
    (Withdraw(("firmado",), " ", WHY), "no_reviewer", ExitCode.USAGE),
    (
        Withdraw(("firmado",), "Ana", WHY, expected={"firmado": b"{}"}),
        "changed_since_read",
        ExitCode.CONFLICT,
    ),
    (Return(("firmado",), "Ana", WHY), "return_signed", ExitCode.CONFLICT),
    (Return(("uno", "firmado"), "Ana", WHY), "return_signed", ExitCode.CONFLICT),
    (Return(("uno", "uno"), "Ana", WHY), "id_twice", ExitCode.USAGE),
    (Return(("nadie",), "Ana", WHY), "unknown_id", ExitCode.USAGE),
    (Return(("uno",), "\u202eAna", WHY), "reviewer_unprintable", ExitCode.USAGE),
    (Return(("uno",), "Ana", WHY, expected={"uno": b"{}"}), "changed_since_read", ExitCode.CONFLICT),
]


@pytest.mark.parametrize(("decision", "code", "exit_code"), REFUSALS, ids=lambda value: str(value)[:40])
def test_all_or_nothing_and_each_refusal_says_why(
    dataset: Dataset, decision: Decision, code: str, exit_code: ExitCode
) -> None:
    error = refused(dataset, decision)
    assert (error.code, error.exit_code) == (code, exit_code)


def test_the_same_decision_sent_twice_is_recorded_once(dataset: Dataset) -> None:
    """Two windows that both show the case as it was before: the second learns what the first did."""
    withdraw = Withdraw(("firmado",), "Ana", WHY)
    after = dataset.apply(withdraw).dataset
    assert refused(dataset, withdraw).exit_code is ExitCode.CONFLICT
    send_back = Return(("uno",), "Ana", WHY)
    after = after.apply(send_back).dataset
    again = refused(after, send_back)
    assert (again.code, again.exit_code) == ("already_returned", ExitCode.CONFLICT)
    assert WHY in str(again)
    # The line of a returned case is the line that was read, so only the record tells them apart.
    assert refused(dataset, send_back).exit_code is ExitCode.CONFLICT
    assert refused(dataset, Sign(("uno",), "Luis")).code == "returned"
    assert len(Dataset.open(dataset.path).record.entries) == 3


def test_a_screen_from_before_a_signature_and_its_withdrawal_is_stale(casos: Path) -> None:
    """The line is byte for byte what it was; the decisions between are not to be overwritten unread."""
    text = casos.read_text("utf-8").replace(
        '"id": "uno", "validado": false',
        '"id": "uno", "validado": false, "revisor": null, "fecha_validacion": null',
    )
    casos.write_text(text, "utf-8")
    stale = Dataset.open(casos)
    now = stale.apply(Sign(("uno",), "Ana")).dataset.apply(Withdraw(("uno",), "Ana", WHY)).dataset
    assert now.entry("uno").raw == stale.entry("uno").raw
    error = refused(stale, Sign(("uno",), "Luis"))
    assert (error.code, error.exit_code) == ("decided_meanwhile", ExitCode.CONFLICT)
    assert "Ana" in str(error)
    assert now.apply(Sign(("uno",), "Luis")).dataset.states["uno"].counts


def test_signing_twice_over_an_own_signature_is_recorded_once(dataset: Dataset) -> None:
    """Same person, same day, same content: the second write would not change one byte of the line."""
    now = dataset.apply(Sign(("uno",), "Ana")).dataset
    again = Sign(("uno",), "Ana", resign=True)
    now.apply(again)
    assert refused(now, again).code == "decided_meanwhile"


def test_the_others_decisions_do_not_make_a_screen_stale(dataset: Dataset) -> None:
    dataset.apply(Sign(("dos",), "Luis"))
    assert dataset.apply(Sign(("uno",), "Ana")).dataset.states["dos"].counts
    # Nor does the adoption of the very case by somebody else's first write.
    assert dataset.apply(Withdraw(("firmado",), "Ana", WHY)).signed == ("firmado",)


def test_a_mismatch_is_settled_on_purpose_only(casos: Path, dataset: Dataset) -> None:
    dataset.apply(Sign(("dos",), "Eva"))
    casos.write_bytes(casos.read_bytes().replace(b'"uno", "validado": false', b'"uno", "validado": true'))
    flagged = Dataset.open(casos)
    assert flagged.states["uno"].status is Status.DESCUADRADO
    for decision in (Withdraw(("uno",), "Ana", WHY), Return(("uno",), "Ana", WHY)):
        error = refused(flagged, decision)
        assert (error.code, error.exit_code) == ("mismatch", ExitCode.INTEGRITY)
        assert "--reparar" in str(error)
    settled = flagged.apply(Withdraw(("uno",), "Ana", WHY, settles=True)).dataset
    assert settled.states["uno"].status is Status.RETIRADO


def test_a_faulty_case_cannot_be_signed_but_can_be_withdrawn_or_returned(casos: Path) -> None:
    casos.write_bytes(casos.read_bytes().replace(b'"paciente"', b'"split": "otro", "paciente"', 2))
    faulty = Dataset.open(casos)
    assert faulty.entry("firmado").problems
    assert faulty.entry("uno").problems
    assert refused(faulty, Sign(("uno",), "Ana")).exit_code is ExitCode.DATA_INVALID
    now = faulty.apply(Withdraw(("firmado",), "Ana", WHY)).dataset.apply(Return(("uno",), "Ana", WHY)).dataset
    assert [state.status for state in now.states.values()][:2] == [Status.RETIRADO, Status.DEVUELTO]
