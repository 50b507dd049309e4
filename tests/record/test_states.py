"""The state of a case: data held against the record, on one branch and on two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scoring.record import (
    Kind,
    Record,
    Status,
    case_states,
)
from tests.record.support import REST, UNSIGNED, Journal, data_line, file_of, state_of

if TYPE_CHECKING:
    from pathlib import Path


def test_without_a_record_a_named_signature_stands_alone(tmp_path: Path) -> None:
    file = file_of(tmp_path, data_line("a", "Eva"), data_line("b"), data_line("c", " "))
    states = case_states(file, Record(tmp_path / "casos.firmas.jsonl"))
    assert [(s.status, s.counts, s.registered) for s in states.values()] == [
        (Status.FIRMADO, True, False),
        (Status.PENDIENTE, False, False),
        (Status.PENDIENTE, False, False),
    ]
    assert (states["a"].reviewer, states["a"].date) == ("Eva", "2026-01-02")
    assert states["c"].reason == "record.signed_by_nobody"


def test_a_case_with_problems_or_a_repeated_id_never_counts(tmp_path: Path) -> None:
    bad = data_line("a", "Eva").replace('"requiere_derivacion": false', '"requiere_derivacion": 1')
    twice = data_line("b", "Eva")
    states = case_states(file_of(tmp_path, bad, twice, twice), Record(tmp_path / "r"))
    assert [(s.counts, s.reason) for s in states.values()] == [
        (False, "record.invalid_case"),
        (False, "record.repeated_id"),
    ]


def test_signed_withdrawn_signed_again(tmp_path: Path) -> None:
    journal = Journal()
    signed, unsigned = data_line("a", "Ana"), data_line("a")
    first = journal.sign("a", signed, "Ana")
    assert state_of(file_of(tmp_path, signed), journal.record()).status is Status.FIRMADO
    second = journal.add(
        Kind.RETIRA, "a", unsigned, writes=UNSIGNED, previous=[first], who="Luis", reason="dudas"
    )
    withdrawn = state_of(file_of(tmp_path, unsigned), journal.record())
    assert (withdrawn.status, withdrawn.counts, withdrawn.reviewer) == (Status.RETIRADO, False, "Luis")
    assert withdrawn.status.waits
    assert "dudas" in withdrawn.sentence()
    assert state_of(file_of(tmp_path, signed), journal.record()).reason == "record.signed_after_withdrawal"
    journal.sign("a", signed, "Ana", [second])
    assert state_of(file_of(tmp_path, signed), journal.record()).status is Status.FIRMADO


def test_a_returned_case_comes_back_when_its_author_changes_it(tmp_path: Path) -> None:
    journal = Journal()
    line = data_line("a")
    journal.add(Kind.DEVUELVE, "a", line, writes=None, reason="faltan unidades")
    returned = state_of(file_of(tmp_path, line), journal.record())
    assert (returned.status, returned.status.waits) == (Status.DEVUELTO, False)
    changed = line.replace("24", "25")
    assert state_of(file_of(tmp_path, changed), journal.record()).status is Status.PENDIENTE
    respelled = line.replace("24", "24.0")
    assert state_of(file_of(tmp_path, respelled), journal.record()).status is Status.DEVUELTO


def test_a_note_changes_no_state(tmp_path: Path) -> None:
    journal = Journal()
    line = data_line("a", "Ana")
    first = journal.sign("a", line, "Ana")
    journal.add(Kind.NOTA, "a", line, writes=None, previous=[first], who="Luis", reason="visto en sesión")
    state = state_of(file_of(tmp_path, line), journal.record())
    assert (state.status, state.reviewer, state.entry) == (Status.FIRMADO, "Ana", first)


def test_a_first_of_two_signatures_lives_in_the_record_only(tmp_path: Path) -> None:
    journal = Journal()
    journal.add(Kind.FIRMA, "a", data_line("a"), writes=None)
    state = state_of(file_of(tmp_path, data_line("a")), journal.record())
    assert (state.status, state.registered) == (Status.PENDIENTE, True)


@pytest.mark.parametrize(
    ("line", "status", "reason"),
    [
        (data_line("a", "Ana"), Status.FIRMADO, "record.signed"),
        (data_line("a", "Ana", rest=REST.replace("24", "24.00")), Status.FIRMADO, "record.signed"),
        (data_line("a", "Ana", rest=REST.replace("24", "25")), Status.CADUCADO, "record.expired"),
        (data_line("a", "Luis"), Status.DESCUADRADO, "record.other_signature"),
        (data_line("a"), Status.DESCUADRADO, "record.data_older"),
        (data_line("a", "Ana").replace("01-02", "01-03"), Status.DESCUADRADO, "record.other_signature"),
        (data_line("b", "Ana"), Status.DESCUADRADO, "record.not_in_record"),
    ],
)
def test_data_held_against_the_record(tmp_path: Path, line: str, status: Status, reason: str) -> None:
    journal = Journal()
    journal.sign("a", data_line("a", "Ana"), "Ana")
    file = file_of(tmp_path, line)
    state = state_of(file, journal.record(), file.rows[0].case.id)
    assert (state.status, state.counts, state.reason) == (status, status is Status.FIRMADO, reason)


def branches() -> tuple[Journal, Journal, list[bytes]]:
    """Two branches from one first entry: each signs on its own."""
    base = Journal()
    base.sign("a", data_line("a", "Ana"), "Ana")
    left, right = Journal(), Journal()
    left.lines, right.lines = list(base.lines), list(base.lines)
    return left, right, base.lines


def test_two_branches_that_sign_different_cases_merge_into_one_sound_record(tmp_path: Path) -> None:
    left, right, base = branches()
    left.sign("b", data_line("b", "Eva"), "Eva")
    right.sign("c", data_line("c", "Luis"), "Luis")
    merged = Journal()
    merged.lines = [right.lines[1], *base, left.lines[1]]
    record = merged.record()
    assert record.breaks == ()
    assert len(record.tips) == 2
    file = file_of(tmp_path, data_line("a", "Ana"), data_line("b", "Eva"), data_line("c", "Luis"))
    assert all(state.counts for state in case_states(file, record).values())
    merged.sign("d", data_line("d", "Ana"), "Ana")
    assert len(merged.record().tips) == 1, "the next entry ties the branches together"


def test_two_decisions_on_one_case_do_not_count_until_somebody_settles_them(tmp_path: Path) -> None:
    left, right, base = branches()
    first = left.sign("b", data_line("b", "Eva"), "Eva")
    second = right.sign("b", data_line("b", "Luis"), "Luis")
    merged = Journal()
    merged.lines = [*base, left.lines[1], right.lines[1]]
    file = file_of(tmp_path, data_line("b", "Luis"))
    state = state_of(file, merged.record(), "b")
    assert (state.status, state.counts, state.reason) == (Status.DESCUADRADO, False, "record.two_decisions")
    assert "Eva" in state.sentence()
    assert "Luis" in state.sentence()
    merged.sign("b", data_line("b", "Luis"), "Luis", sorted([first, second]))
    assert state_of(file, merged.record(), "b").counts


def test_the_same_decision_in_two_branches_is_one_decision(tmp_path: Path) -> None:
    left, right, base = branches()
    left.sign("b", data_line("b", "Eva"), "Eva")
    right.minute += 7
    right.sign("b", data_line("b", "Eva"), "Eva")
    merged = Journal()
    merged.lines = [*base, left.lines[1], right.lines[1]]
    assert state_of(file_of(tmp_path, data_line("b", "Eva")), merged.record(), "b").counts
