"""Sign: a person has read a case as it stands, and the case holds.

Where the set asks for two reviews, the same decision is a review (:mod:`reviewer.decisions.review`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from reviewer.decisions.common import (
    check_ids,
    check_reviewer,
    check_role,
    find_rows,
    listed,
    refuse_mismatched,
    require_as_read,
)
from reviewer.decisions.review import Asked, require_reviewable, review, takes_review
from reviewer.store.edit import edit_line
from reviewer.store.plan import LineChange, Plan, Signer
from scoring.cases import parse_case
from scoring.errors import ConflictError, DataError, UsageError
from scoring.jsonl import parse_object
from scoring.people import person_key
from scoring.problems import Problem
from scoring.record import Kind, Meaning, SignatureKeys, Status, adopt, content_digest
from scoring.strict_json import StrictJSONError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reviewer.store.dataset import Dataset
    from scoring.cases import CaseRow
    from scoring.record import CaseState, Snapshot
    from scoring.record.opinion import Opinion


@dataclass(frozen=True, slots=True)
class Sign:
    """Sign one or several cases, all or none.

    Attributes:
        ids: the cases.
        reviewer: who signs, as typed.
        resign: replace a signature that is valid, or settle a mismatch by reading and signing anew.
        meaning: ``revisado``, ``aprobado`` or ``adjudicado``.
        way: ``app`` or ``cli``.
        expected: id -> the line that the person read. Ids that are missing here are held
            against the data set that the decision is applied to.
        role: what the person is (free text), or None.
        signer: the person's key; None for a signature by name.
        opinions: id -> what the review decides, where two reviews are asked for; without one the case is
            accepted as it stands.
        apart: the person was asked, and is not the colleague whose name theirs looks like.
    """

    ids: tuple[str, ...]
    reviewer: str
    resign: bool = False
    meaning: str = Meaning.REVISADO
    way: str = "app"
    expected: Mapping[str, bytes] = field(default_factory=dict)
    role: str | None = None
    signer: Signer | None = field(default=None, repr=False, compare=False)
    opinions: Mapping[str, Opinion] = field(default_factory=dict, repr=False)
    apart: bool = False

    def plan(self, snapshot: Snapshot, expected: Mapping[str, bytes], moment: datetime) -> Plan:
        """The signature on ``snapshot``; refusals in the order of the exit codes.

        Raises:
            UsageError: no or unprintable reviewer, no id, an id twice, an unknown id or meaning.
            DataError: a case has problems or its id is on several lines.
            IntegrityError: record and data contradict one another about a case.
            ConflictError: already signed, returned, or not the line that was read.
        """
        reviewer = check_reviewer(self.reviewer)
        check_ids(self.ids, self.way)
        if self.meaning not in tuple(Meaning):
            raise UsageError("signing.unknown_meaning", found=self.meaning, known=", ".join(Meaning))
        rows = find_rows(self.ids, snapshot)
        keys = SignatureKeys(validado=True, revisor=reviewer, fecha_validacion=moment.date().isoformat())
        changes = _changes(rows, keys)
        states = [snapshot.states[row.case.id] for row in rows]
        reviewing = any(takes_review(state) for state in states)
        if reviewing:
            require_reviewable(states)
        elif self.opinions:
            raise UsageError("review.not_asked", id=self.ids[0])
        if not self.resign:
            _require_unsigned(states, reviewer)
        require_as_read(rows, expected, self.expected)
        if reviewing:
            asked = Asked(reviewer, self.meaning, self.opinions, resign=self.resign, apart=self.apart)
            outcome = review(asked, rows, changes, snapshot)
            changes, meaning = outcome.changes, outcome.meaning
            written = keys if outcome.signs else None
        else:
            meaning, written = str(Meaning(self.meaning)), keys
        return Plan(
            kind=Kind.FIRMA,
            changes=changes,
            writes=written,
            reviewer=reviewer,
            moment=moment,
            way=self.way,
            role=check_role(self.role),
            meaning=meaning,
            signer=self.signer,
        )


def _changes(rows: Sequence[CaseRow], keys: SignatureKeys) -> tuple[LineChange, ...]:
    """The signed lines. What is checked is the line as it will be: signing mends the signature keys."""
    changes: list[LineChange] = []
    problems: list[Problem] = []
    for row in rows:
        raw = row.row.line.raw
        try:
            after = edit_line(raw, keys.to_dict())
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


def _require_unsigned(states: Sequence[CaseState], reviewer: str) -> None:
    refuse_mismatched(states, "signing.mismatch")
    signed = [state for state in states if state.status is Status.FIRMADO]
    if signed:
        first = signed[0]
        mine = {person_key(state.reviewer or "") for state in signed} == {person_key(reviewer)}
        raise ConflictError(
            "signing.already_yours" if mine else "signing.already_signed",
            n=len(signed),
            ids=listed([state.case_id for state in signed]),
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
