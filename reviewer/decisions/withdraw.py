"""Withdraw: a signature no longer stands, and the record keeps it readable beside the reason."""

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
class Withdraw:
    """Withdraw the signatures of one or several cases, all or none.

    A signature that no longer counts (expired, or of nobody) can be withdrawn too, and so can that of a
    case with problems: only what the line claims has to go. Reviews that were not signed yet go with it.

    Attributes:
        ids: the cases.
        reviewer: who withdraws, as typed; need not be who signed.
        reason: why; a real one.
        settles: also cases about which record and data contradict one another, whatever they claim.
        way: ``app`` or ``cli``.
        expected: id -> digest of the line that the person read; see :class:`~reviewer.decisions.sign.Sign`.
        role: what the person is (free text), or None.
        signer: the person's key; None for a decision by name.
    """

    ids: tuple[str, ...]
    reviewer: str
    reason: str
    settles: bool = False
    way: str = "app"
    expected: Mapping[str, str] = field(default_factory=dict)
    role: str | None = None
    signer: Signer | None = field(default=None, repr=False, compare=False)

    def plan(self, snapshot: Snapshot, expected: Mapping[str, str], moment: datetime) -> Plan:
        """The withdrawal on ``snapshot``.

        Raises:
            UsageError: no reviewer, no real reason, no id, an id twice, an unknown id.
            DataError: an id is on several lines.
            IntegrityError: record and data contradict one another, and ``settles`` is not given.
            ConflictError: there is no signature to withdraw, or it is not the line that was read.
        """
        reviewer = check_reviewer(self.reviewer)
        reason = check_reason(self.reason)
        check_ids(self.ids, self.way)
        rows = find_rows(self.ids, snapshot)
        states = [snapshot.states[row.case.id] for row in rows]
        if not self.settles:
            refuse_mismatched(states)
        _require_signature(rows, states)
        require_as_read(rows, expected, self.expected)
        return Plan(
            kind=Kind.RETIRA,
            changes=tuple(
                LineChange(row.case.id, row.row.line.raw, unsign(row.row.line.raw)) for row in rows
            ),
            writes=UNSIGNED,
            reviewer=reviewer,
            moment=moment,
            way=self.way,
            role=check_role(self.role),
            reason=reason,
            signer=self.signer,
        )


def _require_signature(rows: Sequence[CaseRow], states: Sequence[CaseState]) -> None:
    without = [
        state
        for row, state in zip(rows, states, strict=True)
        if not row.case.validado and not state.reviews and state.status is not Status.DESCUADRADO
    ]
    if without:
        first = without[0]
        raise ConflictError(
            "deciding.nothing_to_withdraw",
            n=len(without),
            ids=listed([state.case_id for state in without]),
            why=first.sentence(),
        )
