"""Settle a mismatch by the record: the data get back the signature keys that the record holds.

Nothing is decided anew. The entry is a note: the decision in force stays the one that was in force.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reviewer.decisions.common import (
    UNSIGNED,
    check_ids,
    check_reason,
    check_reviewer,
    check_role,
    find_rows,
    require_as_read,
)
from reviewer.store.edit import edit_line
from reviewer.store.plan import LineChange, Plan, Signer
from scoring import messages
from scoring.errors import ConflictError, IntegrityError
from scoring.record import Kind, Status, content_digest
from scoring.record.reviews import standing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from scoring.cases import CaseRow
    from scoring.record import Record, SignatureKeys, Snapshot

NOTE = "reparado según el registro"
"""The reason of the entry when nobody gave one."""


@dataclass(frozen=True, slots=True)
class FollowRecord:
    """Write into the data what the record says of the signature of mismatched cases, all or none.

    Attributes:
        ids: the cases.
        reviewer: who does it, as typed; the signature stays that of whoever signed.
        reason: why; a sentence of ours if None.
        way: ``app`` or ``cli``.
        expected: id -> digest of the line that the person read; see :class:`~reviewer.decisions.sign.Sign`.
        role: what the person is (free text), or None.
        signer: the person's key; None for a decision by name.
    """

    ids: tuple[str, ...]
    reviewer: str
    reason: str | None = None
    way: str = "app"
    expected: Mapping[str, str] = field(default_factory=dict)
    role: str | None = None
    signer: Signer | None = field(default=None, repr=False, compare=False)

    def plan(self, snapshot: Snapshot, expected: Mapping[str, str], moment: datetime) -> Plan:
        """The repair on ``snapshot``.

        Raises:
            UsageError: no reviewer, a reason that is none, no id, an id twice, an unknown id.
            DataError: an id is on several lines.
            IntegrityError: the record cannot settle it: it holds two decisions, or the signed content is
                another one.
            ConflictError: there is no mismatch, or it is not the line that was read.
        """
        reviewer = check_reviewer(self.reviewer)
        reason = NOTE if self.reason is None else check_reason(self.reason)
        check_ids(self.ids, self.way)
        rows = find_rows(self.ids, snapshot)
        for row in rows:
            state = snapshot.states[row.case.id]
            if state.status is not Status.DESCUADRADO:
                raise ConflictError("deciding.no_mismatch", id=row.case.id, why=state.sentence())
            obstacle = obstacle_of(row, snapshot.record)
            if obstacle is not None:
                raise IntegrityError(
                    "deciding.record_cannot_settle", id=row.case.id, why=messages.text(obstacle)
                )
        require_as_read(rows, expected, self.expected)
        return Plan(
            kind=Kind.NOTA,
            changes=tuple(_change(row, recorded_keys(row.case.id, snapshot.record)) for row in rows),
            writes=None,
            reviewer=reviewer,
            moment=moment,
            way=self.way,
            role=check_role(self.role),
            reason=reason,
            signer=self.signer,
        )


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


def _change(row: CaseRow, keys: SignatureKeys) -> LineChange:
    raw = row.row.line.raw
    after = edit_line(
        raw,
        {"validado": keys.validado, "revisor": keys.revisor, "fecha_validacion": keys.fecha_validacion},
    )
    return LineChange(row.case.id, raw, after)
