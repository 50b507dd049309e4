"""Settle a mismatch by the record: the data get back the signature keys that the record holds.

Nothing is decided anew. The entry is a note: the decision in force stays the one that was in force.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reviewer.decisions.common import UNSIGNED
from reviewer.decisions.reasoned import Reasoned
from scoring import messages
from scoring.errors import ConflictError, IntegrityError
from scoring.record import Kind, Status, content_digest
from scoring.record.reviews import standing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scoring.cases import CaseRow
    from scoring.record import Record, SignatureKeys, Snapshot

NOTE = "reparado según el registro"
"""The reason of the entry when nobody gave one."""


@dataclass(frozen=True, slots=True)
class FollowRecord(Reasoned):
    """Write into the data what the record says of the signature of mismatched cases, all or none.

    The signature stays that of whoever signed.
    """

    reason: str = NOTE

    kind = Kind.NOTA

    def outcome(self, rows: Sequence[CaseRow], snapshot: Snapshot) -> Sequence[SignatureKeys]:
        """What the record holds of each; refuses cases without a mismatch, and what it cannot settle.

        It cannot when it is broken, when it holds two decisions, or when the signed content is another one.
        """
        for row in rows:
            state = snapshot.states[row.case.id]
            if state.status is not Status.DESCUADRADO:
                raise ConflictError("deciding.no_mismatch", id=row.case.id, why=state.sentence())
            obstacle = obstacle_of(row, snapshot.record)
            if obstacle is not None:
                raise IntegrityError(
                    "deciding.record_cannot_settle", id=row.case.id, why=messages.text(obstacle)
                )
        return [recorded_keys(row.case.id, snapshot.record) for row in rows]


def recorded_keys(case_id: str, record: Record) -> SignatureKeys:
    """What the line of the case should say by the record; nothing signed if the record knows no signature."""
    for entry in standing(record, case_id):
        if entry.writes is not None:
            return entry.writes
    return UNSIGNED


def obstacle_of(row: CaseRow, record: Record) -> str | None:
    """Catalogue key of why the record cannot settle the case; None when it can."""
    if record.breaks:
        return "repair.not_broken"
    effective = standing(record, row.case.id)
    items = [item for entry in effective if (item := entry.item(row.case.id)) is not None]
    if len({(entry.writes, item.after) for entry, item in zip(effective, items, strict=True)}) > 1:
        return "repair.not_two"
    keys = recorded_keys(row.case.id, record)
    if keys.validado and content_digest(row.row.line.raw) != items[0].after:
        return "repair.not_content"
    return None
