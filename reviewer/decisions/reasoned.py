"""What withdrawing, returning and repairing have in common: a person, a reason, all of the cases or none.

Each of them says only which kind it is, what it refuses, and what a line says of its signature afterwards.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from reviewer.decisions.common import (
    check_ids,
    check_reason,
    check_reviewer,
    check_role,
    find_rows,
    require_as_read,
)
from reviewer.store.edit import edit_line
from reviewer.store.plan import LineChange, Plan, Signer
from scoring.record import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from scoring.cases import CaseRow
    from scoring.record import SignatureKeys, Snapshot


@dataclass(frozen=True, slots=True)
class Reasoned(ABC):
    """A decision about one or several cases, all or none, that gives its reason.

    Attributes:
        ids: the cases.
        reviewer: who decides, as typed.
        reason: why; a real one.
        way: ``app`` or ``cli``.
        expected: id -> the line that the person read; see :class:`~reviewer.decisions.sign.Sign`.
        role: what the person is (free text), or None.
        signer: the person's key; None for a decision by name.
    """

    ids: tuple[str, ...]
    reviewer: str
    reason: str
    way: str = field(default="app", kw_only=True)
    expected: Mapping[str, bytes] = field(default_factory=dict, kw_only=True)
    role: str | None = field(default=None, kw_only=True)
    signer: Signer | None = field(default=None, repr=False, compare=False, kw_only=True)

    kind: ClassVar[Kind]

    def plan(self, snapshot: Snapshot, expected: Mapping[str, bytes], moment: datetime) -> Plan:
        """The decision on ``snapshot``.

        Raises:
            UsageError: no reviewer, no real reason, no id, an id twice, an unknown id.
            DataError: an id is on several lines.
            IntegrityError: record and data contradict one another in a way this decision does not settle.
            ConflictError: the case is not in a state for it, or it is not the line that was read.
        """
        reviewer = check_reviewer(self.reviewer)
        reason = check_reason(self.reason)
        check_ids(self.ids, self.way)
        rows = find_rows(self.ids, snapshot)
        outcome = self.outcome(rows, snapshot)
        require_as_read(rows, expected, self.expected)
        return Plan(
            kind=self.kind,
            changes=tuple(map(_change, rows, outcome)),
            # A note gives each line its own keys back, and decides nothing.
            writes=None if self.kind is Kind.NOTA else outcome[0],
            reviewer=reviewer,
            moment=moment,
            way=self.way,
            role=check_role(self.role),
            reason=reason,
            signer=self.signer,
        )

    @abstractmethod
    def outcome(self, rows: Sequence[CaseRow], snapshot: Snapshot) -> Sequence[SignatureKeys | None]:
        """The signature keys that each line gets, or None for all when the lines stay as they are.

        Raises:
            ProductError: the first thing that stands against it.
        """


def _change(row: CaseRow, keys: SignatureKeys | None) -> LineChange:
    raw = row.row.line.raw
    return LineChange(row.case.id, raw, raw if keys is None else edit_line(raw, keys.to_dict()))
