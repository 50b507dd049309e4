"""What pressing a key would record, worked out before it is confirmed; and carrying it out. No Textual here.

Every decision is bound to the line that was on the screen, so a stale screen never writes.
A signature of a case with corrections is two steps, each whole by itself: the corrections, then the
signature of the case as corrected. A review that decides a case is followed by what it decides
(:mod:`reviewer.decisions.following`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from reviewer.app.refusals import problem_sentences, refusal_text
from reviewer.app.reviews import state_sentence, to_settle
from reviewer.changes import changes_between
from reviewer.decisions.adjudication import followed
from reviewer.decisions.fields import DIFFERENTIALS, REFERRAL, SCOPE
from reviewer.decisions.following import STEPS, decided_correction, next_step
from reviewer.decisions.review import build_opinion
from reviewer.signing import Edit, Sign, preview
from reviewer.store.edit import edit_members
from scoring.cases import parse_case
from scoring.errors import ProductError
from scoring.jsonl import parse_object
from scoring.record import Meaning, Status, content_digest
from scoring.record.reviews import BOTH

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from reviewer.changes import Change
    from reviewer.decisions.adjudication import Adjudication
    from reviewer.decisions.fields import FieldEdit
    from reviewer.signing import EditSession
    from reviewer.store import Applied, Dataset, Decision, Entry
    from reviewer.store.plan import Signer
    from scoring.cases import Case
    from scoring.record.opinion import Opinion

DIGEST_SHOWN = 12
_OPINION_PATHS = frozenset({DIFFERENTIALS, REFERRAL, SCOPE})


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person wants to sign, and how.

    Attributes:
        reviewer: who signs; empty while that is not known.
        correction: the correction in progress, or None.
        adjudication: what settles a disagreement, or None.
        reason: why a signed case is corrected.
        comment: what a review adds; empty if nothing.
        resign: the person replaces their own review.
        apart: the person is not the colleague whose name theirs looks like.
    """

    reviewer: str
    correction: EditSession | None = None
    adjudication: Adjudication | None = None
    reason: str | None = None
    comment: str = ""
    resign: bool = False
    apart: bool = False


@dataclass(frozen=True, slots=True)
class SignPlan:
    """What pressing «firmar» would record, worked out from what is on the screen.

    Attributes:
        case_id: the case.
        reviewer: who signs.
        line: what the person has read; the store refuses a case that says something else by now.
        split: ``dev`` or ``test``.
        resign: the case does not simply wait for a signature; the store has to be told so.
        signed_by: who signed before, with the date, when that signature would be replaced.
        state_note: what to know about the case's state before signing, or empty.
        date: ISO date that the line will carry.
        digest: beginning of the content digest.
        adopts: signatures already in the data that enter the record with this one.
        refusals: why it cannot be signed; empty when it can.
        refused_by: catalogue key of the first of them; a person may have an answer to it.
        line_at_fault: they are problems of the line itself, not of who signs or when.
        correction: what is corrected first, or None.
        corrected: the correction field by field.
        one_of_two: the set asks for two reviews, so what this one does to the gate depends on another
            person's, of which nothing may be told.
        opinion: what this review decides beside the case, where two are asked for and it does not take
            the case as it is; the line stays, so that the next reviewer sees the draft and not this.
        differs: what the opinion would have otherwise than the case, field by field.
        adjudicates: it settles a disagreement; the case is corrected and signed with it.
        closes: the reviews have decided the case already; it only has to be written and signed.
        voids: reviews of the case that no longer hold once the corrections are in it.
        apart: see :class:`Wish`.
        result: the case as it will be, where a correction or what the reviews decide changes it; else None.
    """

    case_id: str
    reviewer: str
    line: bytes = field(repr=False)
    split: str
    resign: bool = False
    signed_by: tuple[str, str] | None = None
    state_note: str = ""
    date: str = ""
    digest: str = ""
    adopts: int = 0
    refusals: tuple[str, ...] = ()
    refused_by: str = ""
    line_at_fault: bool = False
    correction: Edit | None = None
    corrected: tuple[Change, ...] = ()
    one_of_two: bool = False
    opinion: Opinion | None = None
    differs: tuple[Change, ...] = ()
    adjudicates: bool = False
    closes: bool = False
    voids: int = 0
    apart: bool = False
    result: Case | None = field(default=None, repr=False)

    def decision(self) -> Sign:
        """The signature as the store takes it."""
        return Sign(
            ids=(self.case_id,),
            reviewer=self.reviewer,
            resign=self.resign,
            meaning=Meaning.ADJUDICADO if self.adjudicates else Meaning.REVISADO,
            way="app",
            apart=self.apart,
            expected={} if self.correction is not None else {self.case_id: self.line},
            opinions={} if self.opinion is None else {self.case_id: self.opinion},
        )


@dataclass(frozen=True, slots=True)
class Done:
    """What was written: all of it, or the first part and why the rest was refused.

    Attributes:
        applied: the last step that is on the disk; None if there is none.
        corrected: the corrections are on the disk.
        signed: the signature, or the review, is on the disk.
        refusal: why a step was refused; None when all was done.
    """

    applied: Applied | None = None
    corrected: bool = False
    signed: bool = False
    refusal: ProductError | None = None


def sign_plan(dataset: Dataset, entry: Entry, moment: datetime, wish: Wish) -> SignPlan:
    """What a signature of ``entry`` would record, with what ``wish`` says besides.

    Args:
        dataset: what is on the screen.
        entry: the case.
        moment: aware local time.
        wish: who signs, and with which corrections.
    """
    state = entry.state
    plan = SignPlan(
        case_id=entry.id,
        reviewer=wish.reviewer,
        line=entry.raw,
        split=entry.case.split,
        resign=wish.resign or not state.status.waits,
        signed_by=(state.reviewer or "", state.date or "") if state.status is Status.FIRMADO else None,
        state_note="" if state.status in {Status.FIRMADO, Status.PENDIENTE} else state_sentence(state),
        one_of_two=state.asked >= BOTH,
        apart=wish.apart,
    )
    if not entry.id:
        problems = tuple(problem.sentence() for problem in entry.problems)
        return replace(plan, refusals=problems, line_at_fault=True)
    try:
        if wish.adjudication is not None:
            plan = _adjudicating(plan, entry, wish.adjudication)
        elif to_settle(state):
            plan = _closing(plan, dataset, entry, moment)
        else:
            plan = _with_corrections(plan, entry, wish)
        if plan.correction is not None:
            after = plan.correction.plan(dataset.snapshot, {}, moment).changes[0].after
            return replace(
                plan,
                date=moment.date().isoformat(),
                digest=content_digest(after)[:DIGEST_SHOWN],
                result=_case_of(entry, after),
            )
        shown = preview(dataset, plan.decision(), moment=moment)
    except ProductError as error:
        problems = problem_sentences(error)
        said = problems or (refusal_text(error),)
        return replace(plan, refusals=said, refused_by=error.key, line_at_fault=bool(problems))
    # What settles a disagreement leads to the signature of the case as settled.
    settled = plan.opinion if plan.adjudicates else None
    digest = (
        shown.cases[0].content_digest if settled is None else content_digest(followed(entry.raw, settled))
    )
    return replace(plan, date=shown.date, digest=digest[:DIGEST_SHOWN], adopts=shown.adopts)


def _adjudicating(plan: SignPlan, entry: Entry, adjudication: Adjudication) -> SignPlan:
    """The case as the person settles it.

    Raises:
        UsageError: a point is still open, or the comment cannot be kept.
    """
    opinion = adjudication.opinion()
    plan = replace(plan, adjudicates=True, opinion=opinion, state_note="")
    after = followed(entry.raw, opinion)
    return replace(plan, differs=changes_between(entry.raw, after), result=_case_of(entry, after))


def _case_of(entry: Entry, line: bytes) -> Case:
    return parse_case(parse_object(line), line=entry.row.row.line.number)[0]


def _closing(plan: SignPlan, dataset: Dataset, entry: Entry, moment: datetime) -> SignPlan:
    """The case as the reviews have decided it; whoever is none of those who decided is refused later."""
    plan = replace(plan, closes=True)
    correction = decided_correction(dataset, entry.id, plan.reviewer) if plan.reviewer else None
    if correction is None:
        return plan
    after = correction.plan(dataset.snapshot, {}, moment).changes[0].after
    corrected = changes_between(entry.raw, after)
    return replace(plan, correction=correction, corrected=corrected, result=_case_of(entry, after))


def _with_corrections(plan: SignPlan, entry: Entry, wish: Wish) -> SignPlan:
    """Corrections go into the case; where two reviews are asked for, what is an opinion stays beside it.

    Raises:
        UsageError: a differential is added that the case has already in another spelling, or the comment
            cannot be kept.
    """
    session = wish.correction
    changed = session.changes() if session is not None else ()
    beside = [edit for edit in changed if plan.one_of_two and edit.path in _OPINION_PATHS]
    inside = tuple(edit for edit in changed if edit not in beside)
    if session is not None and inside:
        correction = replace(session.decision(wish.reviewer, wish.reason), changes=inside)
        corrected = _told(session, inside)
        resign = wish.resign and plan.one_of_two
        voids = entry.state.reviews
        plan = replace(plan, correction=correction, corrected=corrected, resign=resign, voids=voids)
    if plan.one_of_two and (beside or wish.comment.strip()):
        told = _told(session, beside) if session is not None else ()
        plan = replace(plan, opinion=_opinion(entry, session, wish.comment), differs=told)
    return plan


def _told(session: EditSession, edits: Sequence[FieldEdit]) -> tuple[Change, ...]:
    """Some of the changes of a correction, field by field."""
    if not edits:
        return ()
    after = edit_members(session.raw, {edit.path: edit.value for edit in edits})
    return changes_between(session.raw, after)


def _opinion(entry: Entry, session: EditSession | None, comment: str) -> Opinion:
    """The corrections of a review as an opinion beside the case."""
    if session is None:
        return build_opinion(entry.row, comment=comment)
    before, after = entry.case.esperado.diferenciales_aceptables, session.current.texts
    return build_opinion(
        entry.row,
        reject=[text for text in before if text not in after],
        add=[text for text in after if text not in before],
        referral=bool(session.value(REFERRAL)),
        out_of_scope=bool(session.value(SCOPE)),
        comment=comment,
    )


def opinion_in(session: EditSession) -> bool:
    """Whether a correction changes what a review decides: differentials, referral or scope."""
    return any(edit.path in _OPINION_PATHS for edit in session.changes())


def adjudication_refusal(
    dataset: Dataset,
    entry: Entry,
    reviewer: str,
    apart: bool,  # noqa: FBT001 - see Wish
) -> ProductError | None:
    """Why this person may not settle a disagreement, before anything is asked; None if they may."""
    decision = Sign(
        (entry.id,),
        reviewer,
        meaning=Meaning.ADJUDICADO,
        expected={entry.id: entry.raw},
        apart=apart,
    )
    try:
        preview(dataset, decision)
    except ProductError as error:
        return error
    return None


def carry_out(dataset: Dataset, plan: SignPlan, moment: datetime, signer: Signer | None = None) -> Done:
    """Write the corrections of a plan, its signature, and what follows from it (slow; for a thread)."""
    done = Done()
    if plan.correction is not None:
        done = decide(dataset, plan.correction, moment, signer)
        if done.applied is None:
            return done
        dataset = done.applied.dataset
        done = replace(done, corrected=True)
    signed = decide(dataset, plan.decision(), moment, signer)
    if signed.applied is None:
        return replace(done, refusal=signed.refusal)
    return _concluded(replace(signed, corrected=done.corrected, signed=True), plan, moment, signer)


def _concluded(done: Done, plan: SignPlan, moment: datetime, signer: Signer | None) -> Done:
    """What follows from a review by itself, as far as it goes."""
    for _ in range(STEPS):
        if done.applied is None:
            break
        step = next_step(done.applied.dataset, plan.case_id, plan.reviewer, apart=plan.apart)
        if step is None:
            break
        then = decide(done.applied.dataset, step, moment, signer)
        if then.applied is None:
            return replace(done, refusal=then.refusal)
        done = replace(then, signed=True, corrected=done.corrected or isinstance(step, Edit))
    return done


def decide(dataset: Dataset, decision: Decision, moment: datetime, signer: Signer | None = None) -> Done:
    """Write one decision (slow; for a thread); what the store refuses is an answer, not an exception."""
    if signer is not None:
        # Every decision of ours is a frozen dataclass with a field for the key.
        decision = replace(decision, signer=signer)  # type: ignore[type-var]  # the protocol cannot say so
    try:
        return Done(dataset.apply(decision, moment=moment))
    except ProductError as error:
        return Done(refusal=error)
