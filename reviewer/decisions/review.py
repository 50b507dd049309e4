"""Review: one of the two readings that a set may ask for, blind to the other; and what settles them.

Whether a review agrees with the one that is in shows only when it is saved. So nothing may be refused
for it: what is refused before a save depends on what everybody may know, the number of reviews.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from reviewer.decisions.common import listed, refuse_mismatched
from reviewer.decisions.fields import FieldEdit, typed_text
from reviewer.store.edit import edit_members
from scoring.cases import parse_case
from scoring.clinical.normalize import normalize
from scoring.errors import ConflictError, DataError, UsageError
from scoring.jsonl import parse_object
from scoring.people import person_key, similar_names
from scoring.record import Meaning, Status, adopt, content_digest, signed_properly
from scoring.record.opinion import EXPECTED, Opinion, as_read, changes_of, expected_of, target_digest
from scoring.record.reviews import BOTH, Review, Round, Stage, current_round, disputants, is_review
from scoring.strict_json import loads

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from reviewer.store.edit import Path, Value
    from reviewer.store.plan import LineChange
    from scoring.cases import CaseRow
    from scoring.record import CaseItem, CaseState, Snapshot, Transaction


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody who reviews asks for.

    Attributes:
        reviewer: the name, checked.
        meaning: ``adjudicado`` to settle a disagreement.
        opinions: id -> what was decided; without one the case is accepted as it stands.
        resign: replaces the person's own review, or a signature that holds.
        apart: the person is not the colleague whose name theirs looks like.
    """

    reviewer: str
    meaning: str
    opinions: Mapping[str, Opinion] = field(default_factory=dict, repr=False)
    resign: bool = False
    apart: bool = False

    @property
    def person(self) -> str:
        """Who reviews, one key per person."""
        return person_key(self.reviewer)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a review does: the changes with their opinions, its meaning, and whether it signs the line."""

    changes: tuple[LineChange, ...]
    meaning: str
    signs: bool


@dataclass(frozen=True, slots=True)
class Told:
    """A review as it may be shown once nothing has to be hidden any more.

    Attributes:
        reviewer: who, as typed.
        moment: when, in the reviewer's own zone; None for an adopted signature.
        accepted, rejected, added: differentials of the case as it was read, and new ones.
        referral, out_of_scope: what the reviewer decided.
        comment: what was added to it, or None.
        adjudicates: it settled a disagreement.
        plain: a signature that took the case as it stood.
        meaning: ``revisado``, ``aprobado`` or ``adjudicado``; empty where the record does not say.
    """

    reviewer: str
    moment: datetime | None
    accepted: tuple[str, ...]
    rejected: tuple[str, ...]
    added: tuple[str, ...]
    referral: bool
    out_of_scope: bool
    comment: str | None
    adjudicates: bool
    plain: bool
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class ReviewDesk:
    """How the reviews of a case stand, with nothing that is still to be hidden.

    Attributes:
        case_id: the case.
        asked: reviews that the set asks for.
        reviews: persons whose review is in.
        stage: how far they have come.
        told: the reviews that may be seen: none before two persons' are in.
    """

    case_id: str
    asked: int
    reviews: int
    stage: Stage
    told: tuple[Told, ...]


def takes_review(state: CaseState) -> bool:
    """Signing the case is a review: two are asked for, or reviews disagree."""
    return state.asked >= BOTH or state.stage is Stage.SPLIT


def require_reviewable(states: Sequence[CaseState]) -> None:
    """Refuse what cannot be reviewed in one go, by what everybody may know.

    Raises:
        IntegrityError: record and data contradict one another about a case.
        ConflictError: several cases, and not all of them are still without a review.
    """
    refuse_mismatched(states, "review.settle_first")
    if len(states) > 1:
        begun = [state.case_id for state in states if state.reviews or not takes_review(state)]
        if begun:
            raise ConflictError("review.one_at_a_time", n=len(begun), ids=listed(begun))


def review(
    asked: Asked, rows: Sequence[CaseRow], changes: Sequence[LineChange], snapshot: Snapshot
) -> Outcome:
    """What the review of ``rows`` does; ``changes`` are their lines as they would be signed.

    Raises:
        UsageError: an opinion that does not fit its case, a name too much like the other reviewer's, or
            nothing to adjudicate.
        DataError: the case as the reviewer would have it would not pass its checks.
        ConflictError: the person has reviewed it already, may not settle it, or it waits for something else.
    """
    meaning, signs = str(Meaning(asked.meaning)), False
    done: list[LineChange] = []
    for row, change in zip(rows, changes, strict=True):
        opinion = asked.opinions.get(row.case.id) or as_read(row.case.raw)
        target = _target(row, opinion)
        meaning, signs = _judge(asked, row, target, snapshot)
        after = change.after if signs else change.before
        done.append(replace(change, after=after, opinion=opinion))
    return Outcome(tuple(done), meaning, signs)


def _target(row: CaseRow, opinion: Opinion) -> str:
    """Content of the case as the reviewer would have it, checked as a case."""
    raw = row.row.line.raw
    target = target_digest(raw.decode("utf-8"), opinion)
    if target is None:
        raise UsageError("review.other_case", id=row.case.id)
    edited: dict[Path, Value] = {(EXPECTED, name): value for name, value in _changes(raw, opinion).items()}
    if edited:
        _, problems = parse_case(parse_object(edit_members(raw, edited)), line=row.row.line.number)
        if problems:
            raise DataError(
                "review.invalid", problems=problems, n=len(problems), first=problems[0].sentence()
            )
    return target


def _changes(raw: bytes, opinion: Opinion) -> dict[str, tuple[str, ...] | bool]:
    content = loads(raw, exact_numbers=True)
    return changes_of(content if isinstance(content, dict) else {}, opinion)


def _judge(asked: Asked, row: CaseRow, target: str, snapshot: Snapshot) -> tuple[str, bool]:
    """The meaning of the review, and whether the line is signed with it."""
    case_id, state = row.case.id, snapshot.states[row.case.id]
    found = round_of(row, snapshot)
    stage = found.stage(state.asked)
    names = _names(found)
    content = found.content
    _require_other_name(asked, found, hidden=len(found.persons) < BOTH)
    meaning = str(Meaning(asked.meaning))
    signed = state.status is Status.FIRMADO
    if stage is Stage.CORRECT and not asked.resign:
        raise ConflictError("review.correct_first", id=case_id, names=names)
    if stage is Stage.CLOSE and not signed and not asked.resign:
        if asked.person not in {one.person for one in found.supporters}:
            raise ConflictError("review.close_other", id=case_id, names=names)
        if target != content:
            raise ConflictError("review.close_as_decided", id=case_id)
        return str(Meaning.ADJUDICADO) if found.adjudications else meaning, True
    if stage is Stage.SPLIT or found.adjudications:
        if meaning != Meaning.ADJUDICADO:
            raise ConflictError("review.needs_adjudication", id=case_id, names=names)
        known = disputants(snapshot.record, case_id, found)
        if asked.person in known and not snapshot.rule.one_of_both:
            raise ConflictError("review.third_person", id=case_id, names=names)
        return meaning, target == content
    if meaning == Meaning.ADJUDICADO:
        raise UsageError("review.nothing_to_adjudicate", id=case_id)
    if asked.person in found.persons and not asked.resign:
        raise ConflictError("review.already_yours", id=case_id)
    others = [one for one in found.reviews if one.person != asked.person]
    persons = {one.person for one in others} | {asked.person}
    targets = {one.target for one in others} | {target}
    return meaning, len(persons) >= state.asked and targets == {content}


def _require_other_name(asked: Asked, found: Round, *, hidden: bool) -> None:
    """Two reviews are by two persons: a name that only looks like the other reviewer's is asked about."""
    if asked.apart:
        return
    others = [one.name for one in found.reviews if one.person != asked.person]
    alike = similar_names(asked.reviewer, others) if others else ()
    if alike and alike[0].known:
        if hidden:
            raise UsageError("review.name_alike_hidden")
        raise UsageError("review.name_alike", known=alike[0].known)


def _names(found: Round) -> str:
    return ", ".join(sorted({one.name for one in found.supporters}))


def round_of(row: CaseRow, snapshot: Snapshot) -> Round:
    """The reviews that hold for a case as it stands; without a record, its own signature is one."""
    content = content_digest(row.row.line.raw)
    if snapshot.record.exists:
        return current_round(snapshot.record, row.case.id, content, one_of_both=snapshot.rule.one_of_both)
    if not signed_properly(row):
        return Round(content, (), ())
    entry = adopt(snapshot.file).entries[row.case.id]
    item = entry.items[0]
    return Round(content, (Review(entry, item, item.after, plain=True, adjudicates=False),), ())


def desk_of(row: CaseRow, snapshot: Snapshot) -> ReviewDesk:
    """How the reviews of a case stand, for a person who may still have to review it blind."""
    state = snapshot.states[row.case.id]
    found = round_of(row, snapshot)
    opened = len(found.persons) >= BOTH or bool(found.adjudications)
    shown = [*found.reviews, *found.adjudications] if opened else []
    shown.sort(key=lambda one: (one.entry.utc or "", one.name))
    return ReviewDesk(
        row.case.id, state.asked, state.reviews, state.stage, tuple(told_of(one) for one in shown)
    )


def told_of(found: Review) -> Told:
    """A review to be shown. Whether it may be is for the caller to know."""
    return told_of_item(found.entry, found.item)


def told_of_item(entry: Transaction, item: CaseItem) -> Told:
    """What an entry decided about a case, to be shown. Whether it may be is for the caller to know."""
    text = item.text
    content = loads(text.encode("utf-8"), exact_numbers=True) if text is not None else {}
    read = content if isinstance(content, dict) else {}
    opinion = item.opinion or as_read(read)
    differentials = expected_of(read)[0]
    return Told(
        reviewer=entry.reviewer or "?",
        moment=entry.local_time(),
        accepted=opinion.accepted,
        rejected=tuple(one for one in differentials if one not in opinion.accepted),
        added=opinion.added,
        referral=opinion.referral,
        out_of_scope=opinion.out_of_scope,
        comment=opinion.comment,
        adjudicates=is_review(entry, item) and entry.meaning == Meaning.ADJUDICADO,
        plain=not is_review(entry, item),
        meaning=entry.meaning or "",
    )


def correction_of(row: CaseRow, snapshot: Snapshot) -> tuple[FieldEdit, ...]:
    """What has to change for the case to say what was decided; empty when it does."""
    found = round_of(row, snapshot)
    raw = row.row.line.raw
    for one in found.supporters:
        if one.item.opinion is not None and one.item.after == found.content and found.target is not None:
            changes = _changes(raw, one.item.opinion)
            return tuple(FieldEdit((EXPECTED, name), value) for name, value in changes.items())
    return ()


def build_opinion(
    row: CaseRow,
    *,
    reject: Sequence[str] = (),
    add: Sequence[str] = (),
    referral: bool | None = None,
    out_of_scope: bool | None = None,
    comment: str | None = None,
) -> Opinion:
    """The opinion of somebody who accepts the case except for what is said here.

    Args:
        row: the case as read.
        reject: differentials that do not hold; accents and capitals do not matter.
        add: differentials that are missing.
        referral: the case requires referral; None leaves what it says.
        out_of_scope: it is out of scope; None leaves what it says.
        comment: free text, or None.

    Raises:
        UsageError: a differential that the case does not have, or has already, or an unreadable text.
    """
    read = as_read(row.case.raw)
    folded = {normalize(one): one for one in read.accepted}
    rejected: set[str] = set()
    for typed in reject:
        known = typed if typed in read.accepted else folded.get(normalize(typed))
        if known is None:
            raise UsageError(
                "review.unknown_differential", found=typed, id=row.case.id, known=listed(read.accepted) or "—"
            )
        rejected.add(known)
    added: set[str] = set()
    for typed in add:
        text = typed_text(typed)
        if text in read.accepted or normalize(text) in folded:
            raise UsageError("review.already_there", found=text, id=row.case.id)
        added.add(text)
    return Opinion(
        accepted=tuple(one for one in read.accepted if one not in rejected),
        added=tuple(sorted(added)),
        referral=read.referral if referral is None else referral,
        out_of_scope=read.out_of_scope if out_of_scope is None else out_of_scope,
        comment=typed_text(comment, multiline=True) if comment is not None and comment.strip() else None,
    )
