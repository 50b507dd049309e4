"""Edit: a reviewer corrects a case; a signature that stood on the old content is withdrawn with it."""

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
    refuse_mismatched,
    require_as_read,
)
from reviewer.decisions.fields import DIFFERENTIALS, FINDINGS, FieldEdit, check_field
from reviewer.store.edit import edit_members, unsign
from reviewer.store.plan import LineChange, Plan, Signer
from scoring.cases import parse_case
from scoring.errors import DataError, UsageError
from scoring.jsonl import parse_object
from scoring.problems import Problem
from scoring.record import Kind, Status, content_digest
from scoring.strict_json import StrictJSONError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from scoring.cases import CaseRow
    from scoring.record import Snapshot


@dataclass(frozen=True, slots=True)
class Edit:
    """Change fields of one case. No other byte of its line changes.

    If the line claims a signature, the same transaction takes it off, and the signed line stays readable
    in the record. Anybody may sign the corrected case then.

    Attributes:
        case_id: the case.
        changes: the fields and their new values; no field twice.
        reviewer: who corrects, as typed.
        reason: why; needed if a valid signature is withdrawn by it.
        way: ``app`` or ``cli``.
        expected: id -> the line that the person read; see :class:`~reviewer.decisions.sign.Sign`.
        role: what the person is (free text), or None.
        signer: the person's key; None for a decision by name.
    """

    case_id: str
    changes: tuple[FieldEdit, ...]
    reviewer: str
    reason: str | None = None
    way: str = "app"
    expected: Mapping[str, bytes] = field(default_factory=dict)
    role: str | None = None
    signer: Signer | None = field(default=None, repr=False, compare=False)

    def plan(self, snapshot: Snapshot, expected: Mapping[str, bytes], moment: datetime) -> Plan:
        """The correction on ``snapshot``.

        Raises:
            UsageError: no reviewer, an unknown id, a field that is not to be changed or a value it cannot
                hold, a change that changes nothing, or no real reason where one is needed.
            DataError: the id is on several lines, or the corrected case would not pass its checks.
            IntegrityError: record and data contradict one another about the case.
            ConflictError: it is not the line that was read.
        """
        reviewer = check_reviewer(self.reviewer)
        reason = check_reason(self.reason) if self.reason is not None and self.reason.strip() else None
        check_ids((self.case_id,), self.way)
        rows = find_rows((self.case_id,), snapshot)
        row, state = rows[0], snapshot.states[self.case_id]
        refuse_mismatched([state])
        require_as_read(rows, expected, self.expected)
        self._check_changes(row)
        if state.status is Status.FIRMADO and reason is None:
            raise UsageError("deciding.edit_needs_reason", id=self.case_id, reviewer=state.reviewer or "?")
        return Plan(
            kind=Kind.EDITA,
            changes=(LineChange(self.case_id, row.row.line.raw, self._line(row)),),
            writes=UNSIGNED if row.case.validado else None,
            reviewer=reviewer,
            moment=moment,
            way=self.way,
            role=check_role(self.role),
            reason=reason,
            signer=self.signer,
        )

    def _check_changes(self, row: CaseRow) -> None:
        if len({change.path for change in self.changes}) != len(self.changes):
            raise ValueError("a field is changed twice")
        kept = {
            DIFFERENTIALS: row.case.esperado.diferenciales_aceptables,
            FINDINGS: row.case.esperado.hallazgos_clave,
        }
        for change in self.changes:
            check_field(change, row.case.valores, kept.get(change.path, ()))

    def _line(self, row: CaseRow) -> bytes:
        """The corrected line, checked as a case."""
        raw, number = row.row.line.raw, row.row.line.number
        try:
            after = edit_members(raw, {change.path: change.value for change in self.changes})
            changed = content_digest(after) != content_digest(raw)
            if row.case.validado:
                after = unsign(after)
            _, problems = parse_case(parse_object(after), line=number)
        except StrictJSONError as error:
            changed = True
            problems = (
                Problem(f"json.{error.code}", line=number, case_id=self.case_id, fields=dict(error.fields)),
            )
        if not changed:
            raise UsageError("deciding.nothing_changed", id=self.case_id)
        if problems:
            raise DataError(
                "deciding.edit_invalid", problems=problems, n=len(problems), first=problems[0].sentence()
            )
        return after
