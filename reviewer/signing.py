"""What a decision needs and does. A signature needs a person, a case that was read, and a case that holds."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from reviewer.store.dataset import unknown_id
from reviewer.store.edit import edit_line
from reviewer.store.plan import LineChange, Plan, Signer
from scoring.cases import parse_case
from scoring.errors import ConflictError, DataError, IntegrityError, UsageError
from scoring.jsonl import Problem, parse_object
from scoring.plain import plain
from scoring.record import (
    Kind,
    Meaning,
    SignatureKeys,
    Status,
    adopt,
    content_digest,
    line_digest,
)
from scoring.record.entries import MAX_BATCH, WAYS
from scoring.strict_json import StrictJSONError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reviewer.store.dataset import Dataset
    from scoring.cases import CaseRow
    from scoring.record import CaseState, Snapshot

MAX_NAME = 120
# Decomposed accents shrink when composed; beyond this no composition can bring a name under the limit.
_MAX_TYPED = 8 * MAX_NAME
_SHOWN = 5


def check_reviewer(name: str) -> str:
    """The name as the record keeps it: composed (NFC) and without blanks at its ends.

    Raises:
        UsageError: blank, longer than 120 characters, without any letter or digit, or holding a
            character that cannot be seen (control, bidi, zero width, half a character, odd blanks).
    """
    if len(name) > _MAX_TYPED:
        raise UsageError("signing.reviewer_too_long", length=len(name), limit=MAX_NAME)
    kept = unicodedata.normalize("NFC", name).strip()
    if not kept:
        raise UsageError("signing.no_reviewer")
    if not kept.isprintable() or plain(kept) != kept:
        raise UsageError("signing.reviewer_unprintable", found=kept)
    if len(kept) > MAX_NAME:
        raise UsageError("signing.reviewer_too_long", length=len(kept), limit=MAX_NAME)
    if not any(char.isalnum() for char in kept):
        raise UsageError("signing.reviewer_no_name", found=kept)
    return kept


@dataclass(frozen=True, slots=True)
class Sign:
    """Sign one or several cases, all or none.

    Attributes:
        ids: the cases.
        reviewer: who signs, as typed.
        resign: replace a signature that is valid, or settle a mismatch by reading and signing anew.
        meaning: ``revisado``, ``aprobado`` or ``adjudicado``.
        way: ``app`` or ``cli``.
        expected: id -> digest of the line that the person read. Ids that are missing here are held
            against the data set that the decision is applied to.
        role: what the person is (free text), or None.
        signer: the person's key; None for a signature by name.
    """

    ids: tuple[str, ...]
    reviewer: str
    resign: bool = False
    meaning: str = Meaning.REVISADO
    way: str = "app"
    expected: Mapping[str, str] = field(default_factory=dict)
    role: str | None = None
    signer: Signer | None = field(default=None, repr=False, compare=False)

    def plan(self, snapshot: Snapshot, expected: Mapping[str, str], moment: datetime) -> Plan:
        """The signature on ``snapshot``; refusals in the order of the exit codes.

        Raises:
            UsageError: no or unprintable reviewer, no id, an id twice, an unknown id or meaning.
            DataError: a case has problems or its id is on several lines.
            IntegrityError: record and data contradict one another about a case.
            ConflictError: already signed, returned, or not the line that was read.
        """
        reviewer = check_reviewer(self.reviewer)
        self._check_call()
        rows = _rows(self.ids, snapshot)
        keys = SignatureKeys(validado=True, revisor=reviewer, fecha_validacion=moment.date().isoformat())
        changes = _changes(rows, keys)
        states = [snapshot.states[row.case.id] for row in rows]
        if not self.resign:
            _require_unsigned(states)
        wanted = {**expected, **self.expected}
        stale = [
            row.case.id
            for row in rows
            if row.case.id in wanted and line_digest(row.row.line.raw) != wanted[row.case.id]
        ]
        if stale:
            raise ConflictError("signing.changed_since_read", n=len(stale), ids=_list(stale))
        return Plan(
            kind=Kind.FIRMA,
            changes=changes,
            writes=keys,
            reviewer=reviewer,
            moment=moment,
            way=self.way,
            role=None if self.role is None else check_reviewer(self.role),
            meaning=str(Meaning(self.meaning)),
            signer=self.signer,
        )

    def _check_call(self) -> None:
        if not self.ids:
            raise UsageError("signing.no_ids")
        if len(self.ids) > MAX_BATCH:
            raise UsageError("signing.too_many", n=len(self.ids), limit=MAX_BATCH)
        twice = [case_id for case_id, times in Counter(self.ids).items() if times > 1]
        if twice:
            raise UsageError("signing.id_twice", ids=_list(twice))
        if self.meaning not in tuple(Meaning):
            raise UsageError("signing.unknown_meaning", found=self.meaning, known=", ".join(Meaning))
        if self.way not in WAYS:
            raise ValueError(f"way must be one of {WAYS}")


def _list(ids: Sequence[str]) -> str:
    more = f" … (+{len(ids) - _SHOWN})" if len(ids) > _SHOWN else ""
    return ", ".join(ids[:_SHOWN]) + more


def _rows(ids: Sequence[str], snapshot: Snapshot) -> list[CaseRow]:
    """The rows of the ids, in file order, each unique."""
    found: dict[str, list[CaseRow]] = {}
    for row in snapshot.file.rows:
        if row.case.id:
            found.setdefault(row.case.id, []).append(row)
    for case_id in ids:
        if case_id not in found:
            if snapshot.file.document.problems:
                n = len(snapshot.file.document.problems)
                raise UsageError("signing.unknown_id_broken_lines", id=case_id, n=n)
            raise unknown_id(case_id, found)
    repeated = [problem for case_id in ids for problem in _repetition(found[case_id])]
    if repeated:
        raise DataError(
            "signing.repeated_id", problems=repeated, n=len(repeated), first=repeated[0].sentence()
        )
    wanted = set(ids)
    return [row for row in snapshot.file.rows if row.case.id in wanted]


def _repetition(rows: Sequence[CaseRow]) -> list[Problem]:
    return [problem for row in rows[1:] for problem in row.problems if problem.key == "cases.duplicate_id"]


def _changes(rows: Sequence[CaseRow], keys: SignatureKeys) -> tuple[LineChange, ...]:
    """The signed lines. What is checked is the line as it will be: signing mends the signature keys."""
    changes: list[LineChange] = []
    problems: list[Problem] = []
    values: dict[str, str | bool | None] = {
        "validado": keys.validado,
        "revisor": keys.revisor,
        "fecha_validacion": keys.fecha_validacion,
    }
    for row in rows:
        raw = row.row.line.raw
        try:
            after = edit_line(raw, values)
            _, found = parse_case(parse_object(after), line=row.row.line.number)
        except StrictJSONError as error:
            key = f"json.{error.code}"
            found = (Problem(key, line=row.row.line.number, case_id=row.case.id, fields=dict(error.fields)),)
            after = raw
        problems.extend(found)
        changes.append(LineChange(row.case.id, raw, after))
    if problems:
        raise DataError(
            "signing.invalid_case", problems=problems, n=len(problems), first=problems[0].sentence()
        )
    return tuple(changes)


def _require_unsigned(states: Sequence[CaseState]) -> None:
    mismatched = [state for state in states if state.status is Status.DESCUADRADO]
    if mismatched:
        raise IntegrityError("signing.mismatch", id=mismatched[0].case_id, why=mismatched[0].sentence())
    signed = [state for state in states if state.status is Status.FIRMADO]
    if signed:
        first = signed[0]
        raise ConflictError(
            "signing.already_signed",
            n=len(signed),
            ids=_list([state.case_id for state in signed]),
            reviewer=first.reviewer or "?",
            date=first.date or "?",
        )
    returned = [state for state in states if not state.status.waits]
    if returned:
        raise ConflictError("signing.returned", id=returned[0].case_id, why=returned[0].sentence())


@dataclass(frozen=True, slots=True)
class PreviewCase:
    """One case of a preview: what will be bound to the signature, and whose signature it replaces."""

    case_id: str
    content_digest: str
    state: CaseState


@dataclass(frozen=True, slots=True)
class Preview:
    """What a signature will record.

    Attributes:
        reviewer: the name as the record will keep it.
        date: what ``fecha_validacion`` will say.
        meaning: what the person says by signing.
        cases: in file order.
        adopts: how many signatures of the data enter the record with it (a first write).
    """

    reviewer: str
    date: str
    meaning: str
    cases: tuple[PreviewCase, ...]
    adopts: int


def preview(dataset: Dataset, decision: Sign, *, moment: datetime | None = None) -> Preview:
    """What ``decision`` will record, without writing anything; raises what applying it would raise."""
    moment = moment or datetime.now().astimezone()
    plan = decision.plan(dataset.snapshot, {}, moment)
    return Preview(
        reviewer=plan.reviewer,
        date=moment.date().isoformat(),
        meaning=plan.meaning or "",
        cases=tuple(
            PreviewCase(change.case_id, content_digest(change.after), dataset.states[change.case_id])
            for change in plan.changes
        ),
        adopts=0 if dataset.record.exists else len(adopt(dataset.file).entries),
    )
