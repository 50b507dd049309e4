"""Which cases a report lists, gathered in one pass over what the gate keeps of them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scoring.clinical.language import Language
from scoring.clinical.report import RESERVED_SPLIT, set_aside
from scoring.clinical.stored_entries import StoredEntries, StoredList, counted_row_of, row_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scoring.clinical.entries import Entry
    from scoring.clinical.rows import Row
    from scoring.record import CaseState


@dataclass(frozen=True, slots=True)
class Listing:
    """The lists of a report and their lengths; each attribute is that of the report."""

    total: int
    counted: int
    counted_digest: str
    rows: Sequence[Row]
    pending: tuple[str, ...]
    reserved_pending: int
    aside: Sequence[CaseState]
    reserved_aside: int
    missing: tuple[str, ...]
    reserved_missing: int
    undecided: tuple[str, ...]


def rows_of(entries: Mapping[str, Entry], split: str) -> Iterator[tuple[str, Row]]:
    """Id and row of each case of ``split``; the id is the very text that ``entries`` hold."""
    for case_id in entries:
        row = entries[case_id].row
        if split in (row.split, "todos"):
            yield case_id, row


def open_parts(
    entries: Mapping[str, Entry], split: str, *, include_pending: bool
) -> Iterator[tuple[Row, tuple[tuple[str, str], ...]]]:
    """The rows of the open split that count, each with its parts of the data set."""
    for case_id in entries:
        entry = entries[case_id]
        row = entry.row
        if row.split == RESERVED_SPLIT or split not in (row.split, "todos"):
            continue
        if row.counted or include_pending:
            yield row, entry.slices()


def listed(
    entries: Mapping[str, Entry], split: str, *, include_pending: bool, show_reserved: bool
) -> Listing:
    """What a report of ``split`` lists, by id."""
    ids: list[str] = []
    rows: list[Row] = []  # those of stored entries are made when somebody asks for them
    states: list[CaseState] = []
    counted, pending, aside, missing, undecided = _Named(), _Named(), _Named(), _Named(), _Named()
    total = 0
    stored = isinstance(entries, StoredEntries)
    for case_id, row in rows_of(entries, split):
        total += 1
        is_open, counts = row.split != RESERVED_SPLIT, row.counted or include_pending
        if is_open or show_reserved:
            ids.append(case_id)
            if not stored:
                rows.append(row if row.counted == counts else replace(row, counted=True))
        if counts:
            counted.add(case_id, is_open=True)
            if not row.predicted:
                missing.add(case_id, is_open=is_open)
            elif row.score.idioma is Language.UNDECIDED:
                undecided.add(case_id, is_open=is_open)
            continue
        pending.add(case_id, is_open=is_open)
        if set_aside(row.state):
            aside.add(case_id, is_open=is_open)
            if is_open and not stored:
                states.append(row.state)
    return Listing(
        total=total,
        counted=len(counted.ids),
        counted_digest=_digest_of(counted.ids),
        rows=(
            StoredList(entries, ids, counted_row_of if include_pending else row_of)
            if isinstance(entries, StoredEntries)
            else tuple(rows)
        ),
        pending=tuple(pending.ids),
        reserved_pending=pending.reserved,
        aside=(
            StoredList(entries, aside.ids, _state_of) if isinstance(entries, StoredEntries) else tuple(states)
        ),
        reserved_aside=aside.reserved,
        missing=tuple(missing.ids),
        reserved_missing=missing.reserved,
        undecided=tuple(undecided.ids),
    )


class _Named:
    """The ids of the open split that something holds of, and how many there are of the reserved one."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.reserved = 0

    def add(self, case_id: str, *, is_open: bool) -> None:
        if is_open:
            self.ids.append(case_id)
        else:
            self.reserved += 1


def _state_of(entry: Entry) -> CaseState:
    return entry.row.state


def _digest_of(ids: Iterable[str]) -> str:
    """SHA-256 (hex) over ``cuentan-v1`` and the sorted ids: two runs counted the same cases or not."""
    total = hashlib.sha256(b"cuentan-v1\n")
    for case_id in sorted(ids):
        total.update(f"{json.dumps(case_id)}\n".encode())
    return total.hexdigest()
