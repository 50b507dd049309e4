"""A mismatch explained: what the data say, what the record says, how it may have come, and each way out.

Nothing is chosen here. Each way out is told with its effect before anybody takes it, and one that is
not open is told with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from reviewer.changes import Change, changes_between
from reviewer.decisions.review import takes_review
from reviewer.decisions.settle import NOTE, FollowRecord, obstacle_of, recorded_keys
from reviewer.decisions.sign import Sign
from reviewer.decisions.withdraw import Withdraw
from scoring import messages
from scoring.record import Kind, Status
from scoring.record.reviews import is_review

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reviewer.store import Dataset, Decision, Entry
    from reviewer.store.plan import Signer
    from scoring.record import Transaction


class Way(StrEnum):
    """How a mismatch can be settled: by the record, by a person who reads and signs, by withdrawing."""

    RECORD = "registro"
    SIGN = "refirmar"
    WITHDRAW = "retirar"


@dataclass(frozen=True, slots=True)
class WayOut:
    """One way out of a mismatch.

    Attributes:
        way: which.
        open: it can be taken.
        text: what taking it does; or why it cannot be taken.
    """

    way: Way
    open: bool
    text: str


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A case about which data and record contradict one another.

    Attributes:
        case_id: the case.
        line: that which this was said of, to be given back when deciding.
        why: the sentence of its state.
        data: what the data say.
        record: what the record says, a sentence per decision in force.
        how: how that may have come about.
        changes: what differs in content from the text that the record signed; empty if nothing does, or
            if the record holds no signed text.
        ways: the ways out, in the order in which they are offered.
    """

    case_id: str
    line: bytes
    why: str
    data: str
    record: tuple[str, ...]
    how: str
    changes: tuple[Change, ...]
    ways: tuple[WayOut, ...]

    def way(self, which: Way) -> WayOut:
        """The way out of that kind."""
        return next(found for found in self.ways if found.way is which)


def mismatches(dataset: Dataset) -> tuple[Mismatch, ...]:
    """Every mismatched case of the data set, in file order."""
    found: dict[str, Mismatch] = {}
    for entry in dataset.entries:
        if entry.state.status is Status.DESCUADRADO and entry.id not in found:
            found[entry.id] = explain(dataset, entry)
    return tuple(found.values())


def missing_cases(dataset: Dataset) -> tuple[tuple[str, str], ...]:
    """Cases that the record knows as signed and the data no longer have: id and who signed, by id."""
    present = {entry.id for entry in dataset.entries}
    return tuple(
        (case_id, entry.writes.revisor or "?")
        for case_id in sorted(set(dataset.record.heads) - present)
        for entry in dataset.record.effective(case_id)[:1]
        if entry.writes is not None and entry.writes.validado
    )


def explain(dataset: Dataset, entry: Entry) -> Mismatch:
    """What is to be known about one mismatched case before it is settled."""
    case = entry.case
    effective = dataset.record.effective(entry.id)
    if case.validado:
        said = messages.text(
            "repair.data_signed", reviewer=case.revisor or "?", date=case.fecha_validacion or "?"
        )
    else:
        said = messages.text("repair.data_unsigned")
    return Mismatch(
        case_id=entry.id,
        line=entry.raw,
        why=entry.state.sentence(),
        data=said,
        record=tuple(_told(one, entry.id) for one in effective) or (messages.text("repair.record_none"),),
        how=messages.text(f"repair.how_{entry.state.reason.rpartition('.')[2]}"),
        changes=_changes(entry, effective),
        ways=(_by_record(dataset, entry), _by_signing(entry), _by_withdrawing(entry)),
    )


def decision_for(
    mismatch: Mismatch, way: Way, reviewer: str, reason: str | None, *, via: str, signer: Signer | None = None
) -> Decision:
    """The decision that takes a way out; bound to the line that was explained."""
    ids, expected = (mismatch.case_id,), {mismatch.case_id: mismatch.line}
    if way is Way.RECORD:
        note = NOTE if reason is None else reason
        return FollowRecord(ids, reviewer, note, way=via, expected=expected, signer=signer)
    if way is Way.SIGN:
        return Sign(ids, reviewer, resign=True, way=via, expected=expected, signer=signer)
    return Withdraw(ids, reviewer, reason or "", settles=True, way=via, expected=expected, signer=signer)


def _told(entry: Transaction, case_id: str) -> str:
    if is_review(entry, entry.item(case_id)) and not entry.writes:
        return messages.text("review.recorded")
    moment = entry.local_time()
    fields: Mapping[str, object] = {
        "reviewer": entry.reviewer or "?",
        "date": moment.date().isoformat() if moment else "?",
        "why": entry.reason or "",
    }
    if entry.writes is not None and entry.writes.validado:
        signed = {"reviewer": entry.writes.revisor or "?", "date": entry.writes.fecha_validacion or "?"}
        return messages.text(
            "repair.record_adopted" if entry.kind is Kind.ADOPTA else "repair.record_signed", **signed
        )
    return messages.text(f"repair.record_{entry.kind}", **fields)


def _changes(entry: Entry, effective: tuple[Transaction, ...]) -> tuple[Change, ...]:
    for one in effective:
        item = one.item(entry.id)
        if one.writes is not None and one.writes.validado and item is not None and item.text is not None:
            return changes_between(item.text.encode("utf-8"), entry.row.row.line.raw)
    return ()


def _by_record(dataset: Dataset, entry: Entry) -> WayOut:
    obstacle = obstacle_of(entry.row, dataset.record)
    if obstacle is not None:
        return WayOut(Way.RECORD, open=False, text=messages.text(obstacle))
    keys = recorded_keys(entry.id, dataset.record)
    if keys.validado:
        text = messages.text(
            "repair.record_restores", reviewer=keys.revisor or "?", date=keys.fecha_validacion or "?"
        )
    else:
        text = messages.text("repair.record_clears")
    return WayOut(Way.RECORD, open=True, text=text)


def _by_signing(entry: Entry) -> WayOut:
    if takes_review(entry.state):
        return WayOut(Way.SIGN, open=False, text=messages.text("review.not_by_signing"))
    if entry.state.reason == "record.broken":
        return WayOut(Way.SIGN, open=False, text=messages.text("repair.not_broken"))
    problems = [found for found in entry.problems if found.where not in {"revisor", "fecha_validacion"}]
    if problems:
        return WayOut(
            Way.SIGN, open=False, text=messages.text("repair.not_valid", first=problems[0].sentence())
        )
    return WayOut(Way.SIGN, open=True, text=messages.text("repair.signing"))


def _by_withdrawing(entry: Entry) -> WayOut:
    if entry.state.reason == "record.broken":
        return WayOut(Way.WITHDRAW, open=False, text=messages.text("repair.not_broken"))
    return WayOut(Way.WITHDRAW, open=True, text=messages.text("repair.withdrawing"))
