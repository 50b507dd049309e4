"""Who decides is bound to what they have read: its content and its signature, not to the bytes of a line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from reviewer.signing import Edit, EditSession, FieldEdit, Return, Sign, Withdraw
from reviewer.store import Dataset
from scoring.record import Status, content_digest
from tests.refusals import refused

if TYPE_CHECKING:
    from pathlib import Path

    from reviewer.store import Decision

WHY = "El hematocrito no es de este paciente"


def rewrite(casos: Path, case_id: str, *pairs: tuple[str, str], turned: bool = False) -> bytes:
    """Change the line of a case as an editor would; ``turned``: its keys stand in the opposite order."""
    lines = casos.read_text("utf-8").splitlines()
    (place,) = [place for place, line in enumerate(lines) if json.loads(line)["id"] == case_id]
    for old, new in pairs:
        assert old in lines[place]
        lines[place] = lines[place].replace(old, new)
    if turned:
        lines[place] = json.dumps(dict(reversed(json.loads(lines[place]).items())), ensure_ascii=False)
    casos.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return lines[place].encode()


RESPELLED = [
    pytest.param((("24.50", "24.5"),), False, id="a number in another spelling"),
    pytest.param((('"validado": false, ', ""),), False, id="a signature key that said nothing"),
    pytest.param((), True, id="keys in another order"),
]


@pytest.mark.parametrize(("pairs", "turned"), RESPELLED)
def test_a_case_that_was_only_spelled_otherwise_since_it_was_read_is_signed_as_it_stands_now(
    casos: Path, pairs: tuple[tuple[str, str], ...], turned: bool
) -> None:
    read = Dataset.open(casos)
    shown = read.entry("uno").raw
    now = rewrite(casos, "uno", *pairs, turned=turned)
    applied = read.apply(Sign(("uno",), "Ana", expected={"uno": shown}))
    entry = applied.dataset.entry("uno")
    assert entry.state.status is Status.FIRMADO
    kept = {name: value for name, value in json.loads(entry.raw).items() if name in json.loads(now)}
    assert list(kept) == list(json.loads(now)), (
        "the line keeps the order that the file had when it was signed"
    )
    assert (b"24.50" in entry.raw) == (b"24.50" in now), "and its spelling; no old copy is written"
    item = applied.dataset.record.by_digest[applied.transaction].item("uno")
    assert item is not None
    assert item.after == content_digest(shown) == content_digest(now)


@pytest.mark.parametrize(
    "decision",
    [
        Return(("uno",), "Ana", WHY),
        Edit("uno", (FieldEdit(("signos_clinicos",), "Letargia y anorexia"),), "Ana"),
    ],
    ids=["return", "edit"],
)
def test_the_other_decisions_are_bound_to_the_content_too(casos: Path, decision: Decision) -> None:
    read = Dataset.open(casos)
    rewrite(casos, "uno", ("24.50", "24.5"))
    assert b'"hct": 24.5,' in read.apply(decision).dataset.entry("uno").raw


def test_a_signature_is_withdrawn_from_a_line_that_was_respelled_since(casos: Path) -> None:
    read = Dataset.open(casos)
    rewrite(casos, "firmado", turned=True)
    now = read.apply(Withdraw(("firmado",), "Ana", WHY)).dataset
    assert next(iter(json.loads(now.entry("firmado").raw))) == "esperado"
    assert now.states["firmado"].status is Status.RETIRADO


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("24.50", "24.51"),
        ("9007199254740993", "9007199254740992"),  # one and the same for a reader of floats
        ("24.50", '"24.50"'),
        ("anemia", "Anemia"),
    ],
)
def test_a_case_that_says_something_else_since_it_was_read_is_refused(
    casos: Path, before: str, after: str
) -> None:
    if before not in casos.read_text("utf-8"):
        rewrite(casos, "uno", ("24.50", before))
    read = Dataset.open(casos)
    rewrite(casos, "uno", (before, after))
    kept = casos.read_bytes()
    assert refused(read, Sign(("uno",), "Ana")).code == "changed_since_read"
    assert casos.read_bytes() == kept


def test_a_signature_put_in_by_hand_since_the_case_was_read_is_not_replaced_unread(casos: Path) -> None:
    """The content is the same; who claims to have signed it is part of what the person was told."""
    read = Dataset.open(casos)
    rewrite(casos, "firmado", ('"Eva"', '"Eva María"'))
    assert refused(read, Sign(("firmado",), "Ana", resign=True)).code == "changed_since_read"
    assert refused(read, Withdraw(("firmado",), "Ana", WHY)).code == "changed_since_read"


def test_a_correction_goes_on_over_a_line_that_was_only_respelled(casos: Path) -> None:
    """Its steps can still be undone, and it is saved in the line as it is spelled now."""
    read = Dataset.open(casos)
    session = EditSession("uno", read.entry("uno").raw)
    session.set_value("alt", "46")
    session.set_signs("Letargia y anorexia")
    now = rewrite(casos, "uno", ("24.50", "24.5"), turned=True)
    fresh = Dataset.open(casos)
    assert session.respelled(fresh.entry("uno").raw)
    assert session.raw == now
    assert [change.field for change in session.changes()] == ["valores.alt", "signos_clinicos"]
    assert session.undo()
    assert session.undo()
    assert session.redo()
    saved = fresh.apply(session.decision("Ana")).dataset.entry("uno").raw
    assert saved == now.replace(b'"alt": 45', b'"alt": 46')


def test_a_correction_is_not_simply_put_on_a_line_that_says_something_else(casos: Path) -> None:
    session = EditSession("uno", Dataset.open(casos).entry("uno").raw)
    raw = session.raw
    assert not session.respelled(raw.replace(b"24.50", b"24.51"))
    assert session.raw == raw
