"""Which cases a report lists, gathered in one pass over what the gate keeps of them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from scoring.clinical.report import RESERVED_SPLIT
from scoring.clinical.stored_entries import (
    TRAITS,
    StoredEntries,
    StoredList,
    counted_row_of,
    row_of,
    state_of,
    traits_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from scoring.clinical.entries import Entry
    from scoring.clinical.rows import Row
    from scoring.clinical.stored_entries import Traits
    from scoring.record import CaseState


Value = TypeVar("Value")


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


def traits_by_id(entries: Mapping[str, Entry], split: str) -> Iterator[tuple[str, Traits]]:
    """Id and traits of each case of ``split``; the id is the very text that ``entries`` hold."""
    wanted = {"dev": False, RESERVED_SPLIT: True}.get(split)
    for case_id in entries:
        if isinstance(entries, StoredEntries):
            traits = entries.traits(case_id)
        else:
            traits = TRAITS[traits_of(entries[case_id].row)]
        if wanted is None or traits.reserved == wanted:
            yield case_id, traits


def open_parts(
    entries: Mapping[str, Entry], split: str, *, include_pending: bool
) -> Iterator[tuple[Row, tuple[tuple[str, str], ...]]]:
    """The rows of the open split that count, each with its parts of the data set."""
    for case_id, traits in traits_by_id(entries, split):
        if not traits.reserved and (traits.counted or include_pending):
            entry = entries[case_id]
            yield entry.row, entry.slices()


def listed(
    entries: Mapping[str, Entry], split: str, *, include_pending: bool, show_reserved: bool
) -> Listing:
    """What a report of ``split`` lists, by id."""
    shown: list[str] = []
    counted, pending, aside, missing, undecided = _Named(), _Named(), _Named(), _Named(), _Named()
    total = 0
    for case_id, traits in traits_by_id(entries, split):
        total += 1
        is_open = not traits.reserved
        if is_open or show_reserved:
            shown.append(case_id)
        if traits.counted or include_pending:
            counted.add(case_id, is_open=True)
            if not traits.predicted:
                missing.add(case_id, is_open=is_open)
            elif traits.undecided:
                undecided.add(case_id, is_open=is_open)
            continue
        pending.add(case_id, is_open=is_open)
        if traits.aside:
            aside.add(case_id, is_open=is_open)
    return Listing(
        total=total,
        counted=len(counted.ids),
        counted_digest=_digest_of(counted.ids),
        rows=_each(entries, shown, counted_row_of if include_pending else row_of),
        pending=tuple(pending.ids),
        reserved_pending=pending.reserved,
        aside=_each(entries, aside.ids, state_of),
        reserved_aside=aside.reserved,
        missing=tuple(missing.ids),
        reserved_missing=missing.reserved,
        undecided=tuple(undecided.ids),
    )


def _each(
    entries: Mapping[str, Entry], ids: Iterable[str], make: Callable[[Entry], Value]
) -> Sequence[Value]:
    """Something of each of these entries; of stored ones when somebody asks for it."""
    if isinstance(entries, StoredEntries):
        return StoredList(entries, ids, make)
    return tuple(make(entries[case_id]) for case_id in ids)


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


def _digest_of(ids: Iterable[str]) -> str:
    """SHA-256 (hex) over ``cuentan-v1`` and the sorted ids: two runs counted the same cases or not."""
    total = hashlib.sha256(b"cuentan-v1\n")
    for case_id in sorted(ids):
        total.update(f"{json.dumps(case_id)}\n".encode())
    return total.hexdigest()
