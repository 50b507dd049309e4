"""Return: a case goes back to its author, with the reason, and out of the queue of those who sign."""

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
    listed,
    refuse_mismatched,
    require_as_read,
)
from reviewer.store.edit import unsign
from reviewer.store.plan import LineChange, Plan, Signer
from scoring.errors import ConflictError
from scoring.record import Kind, Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from scoring.cases import CaseRow
    from scoring.record import CaseState, Snapshot


@dataclass(frozen=True, slots=True)
class Return:
    """Send one or several pending cases back to their author, all or none.

    The line stays as it is; a signature that has expired is taken off it. The author's next change of
    content brings the case back to the queue.

    Attributes:
        ids: the cases; signed ones have to be withdrawn first.
        reviewer: who returns them, as typed.
        reason: what their author should do; a real one.
        way: ``app`` or ``cli``.
        expected: id -> digest of the line that the person read; see :class:`~reviewer.decisions.sign.Sign`.
        role: what the person is (free text), or None.
        signer: the person's key; None for a decision by name.
    """

    ids: tuple[str, ...]
    reviewer: str
    reason: str
    way: str = "app"
    expected: Mapping[str, str] = field(default_factory=dict)
    role: str | None = None
    signer: Signer | None = field(default=None, repr=False, compare=False)

    def plan(self, snapshot: Snapshot, expected: Mapping[str, str], moment: datetime) -> Plan:
        """The return on ``snapshot``.

        Raises:
            UsageError: no reviewer, no real reason, no id, an id twice, an unknown id.
            DataError: an id is on several lines.
            IntegrityError: record and data contradict one another about a case.
            ConflictError: signed, returned already, or not the line that was read.
        """
        reviewer = check_reviewer(self.reviewer)
        reason = check_reason(self.reason)
        check_ids(self.ids, self.way)
        rows = find_rows(self.ids, snapshot)
        states = [snapshot.states[row.case.id] for row in rows]
        refuse_mismatched(states)
        _require_pending(states)
        require_as_read(rows, expected, self.expected)
        # One entry says one thing of all its lines, so one expired signature clears the keys of each.
        claims = any(row.case.validado for row in rows)
        return Plan(
            kind=Kind.DEVUELVE,
            changes=tuple(_change(row, clear=claims) for row in rows),
            writes=UNSIGNED if claims else None,
            reviewer=reviewer,
            moment=moment,
            way=self.way,
            role=check_role(self.role),
            reason=reason,
            signer=self.signer,
        )


def _change(row: CaseRow, *, clear: bool) -> LineChange:
    raw = row.row.line.raw
    return LineChange(row.case.id, raw, unsign(raw) if clear else raw)


def _require_pending(states: Sequence[CaseState]) -> None:
    signed = [state for state in states if state.status is Status.FIRMADO]
    if signed:
        raise ConflictError(
            "deciding.return_signed",
            n=len(signed),
            ids=listed([state.case_id for state in signed]),
            reviewer=signed[0].reviewer or "?",
        )
    returned = [state for state in states if state.status is Status.DEVUELTO]
    if returned:
        raise ConflictError(
            "deciding.already_returned",
            n=len(returned),
            ids=listed([state.case_id for state in returned]),
            why=returned[0].sentence(),
        )
