"""What the record says of the rows as they are now: decided, expired, in conflict, or nothing yet.

A decision counts only on the content it was made on. What each verdict may be said of, and what it does
to a gold row, is decided here and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from scoring.abstraction.normalize import is_normalizable, is_too_long
from scoring.adjudication.disagreements import Sort
from scoring.adjudication.entries import Kind, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scoring.abstraction.normalize import Scalar
    from scoring.adjudication.disagreements import Disagreement, Disagreements, Pair
    from scoring.adjudication.entries import Entry, Subject
    from scoring.adjudication.record import AdjudicationRecord


class State(StrEnum):
    """How a row or a chain stands."""

    UNDECIDED = "sin_decidir"
    DECIDED = "decidida"
    EXPIRED = "caducada"
    """Decided once, on content that is no longer there."""
    CONFLICT = "en_conflicto"
    """Two branches decided differently."""
    IMPOSSIBLE = "imposible"
    """The record holds a verdict that cannot be said of these rows."""

    @property
    def waits(self) -> bool:
        """Somebody has to decide."""
        return self is not State.DECIDED


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of one row or chain, with the decision in force or the last one that expired."""

    state: State
    entry: Entry | None = field(default=None, repr=False)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict that counts, or None."""
        return self.entry.verdict if self.entry is not None and self.state is State.DECIDED else None


UNDECIDED = Standing(State.UNDECIDED)


def possible(pair: Pair, sort: Sort) -> tuple[Verdict, ...]:
    """The verdicts that can be said of two rows.

    - ``gold``: always; the gold row stays.
    - ``salida``: the output's value can be a gold value under the field's type, or there is none.
    - ``ambos``: both gave an answer. Where one says nothing, both cannot be right.
    - ``sin_respuesta``: always; the chart does not answer.
    """
    found = [Verdict.GOLD]
    if is_gold_value(pair):
        found.append(Verdict.OUTPUT)
    if sort is Sort.DIFFERENT:
        found.append(Verdict.BOTH)
    found.append(Verdict.UNANSWERABLE)
    return tuple(found)


def is_gold_value(pair: Pair) -> bool:
    """Whether the output's value may stand in the gold row."""
    value = pair.output.value
    return value is None or (not is_too_long(value) and is_normalizable(value, pair.gold.field_type))


def new_value(verdict: Verdict, pair: Pair) -> Scalar:
    """The gold value after a verdict; one row holds one value, so ``ambos`` leaves the gold's."""
    if verdict is Verdict.OUTPUT:
        return pair.output.value
    return None if verdict is Verdict.UNANSWERABLE else pair.gold.value


def row_entries(record: AdjudicationRecord) -> Mapping[tuple[str, str], tuple[Entry, ...]]:
    """The decisions about rows, by case id and field, earlier ones first."""
    found: dict[tuple[str, str], list[Entry]] = {}
    for entry in record.entries:
        if entry.kind is Kind.ROW:
            found.setdefault(entry.place, []).append(entry)
    return {place: tuple(entries) for place, entries in found.items()}


def row_standing(
    record: AdjudicationRecord, entries: Iterable[Entry], item: Disagreement, pair: Pair
) -> Standing:
    """How one disagreement stands.

    Args:
        record: the record.
        entries: its decisions about this row, earlier ones first.
        item: the disagreement.
        pair: its rows as they are now.
    """
    found = subject_standing(record, pair.subject, entries)
    if found.verdict is not None and found.verdict not in possible(pair, item.sort):
        return Standing(State.IMPOSSIBLE, found.entry)
    return found


def subject_standing(record: AdjudicationRecord, subject: Subject, entries: Iterable[Entry]) -> Standing:
    """How content stands, given the decisions about the row or chain whatever it said."""
    if record.in_conflict(subject):
        return Standing(State.CONFLICT, record.heads[subject][-1])
    entry = record.in_force(subject)
    if entry is not None:
        return Standing(State.DECIDED, entry)
    if subject in record.heads:
        return UNDECIDED  # taken back
    others = {other.subject: other for other in entries}
    expired = [record.in_force(other) for other in others]
    last = max((e for e in expired if e is not None), key=lambda e: (e.utc, e.digest), default=None)
    return UNDECIDED if last is None else Standing(State.EXPIRED, last)


def standings(record: AdjudicationRecord, found: Disagreements) -> dict[tuple[str, str], Standing]:
    """The disagreements that the record knows, by case id and field; the others are undecided.

    Raises:
        ConflictError: a file changed since it was listed.
    """
    known = row_entries(record)
    if not known:
        return {}
    result: dict[tuple[str, str], Standing] = {}
    for item in found.items:
        entries = known.get(item.place)
        if entries:
            result[item.place] = row_standing(record, entries, item, found.pair(item))
    return result


def gone(record: AdjudicationRecord, found: Disagreements) -> int:
    """Rows with a decision in force that are no disagreement any more: mended since, or not in the files."""
    listed = {item.place for item in found.items}
    return sum(
        1
        for place, entries in row_entries(record).items()
        if place not in listed and any(record.in_force(entry.subject) for entry in entries)
    )
