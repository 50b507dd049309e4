"""What pressing a key would record, worked out before it is confirmed; and carrying it out. No Textual here.

Every decision is bound to the digest of the line that was on the screen, so a stale screen never writes.
A signature of a case with corrections is two steps, each whole by itself: the corrections, then the
signature of the case as corrected.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reviewer.app.desk import correction_changes
from reviewer.decisions.fields import DIFFERENTIALS, REFERRAL, SCOPE
from reviewer.decisions.review import build_opinion
from reviewer.signing import Edit, Sign, preview
from scoring.errors import DataError, ProductError
from scoring.record import Status, content_digest

if TYPE_CHECKING:
    from datetime import datetime

    from reviewer.changes import Change
    from reviewer.signing import EditSession
    from reviewer.store import Applied, Dataset, Decision, Entry
    from reviewer.store.plan import Signer
    from scoring.record.opinion import Opinion

DIGEST_SHOWN = 12
_OPINION_PATHS = frozenset({DIFFERENTIALS, REFERRAL, SCOPE})


@dataclass(frozen=True, slots=True)
class SignPlan:
    """What pressing «firmar» would record, worked out from what is on the screen.

    Attributes:
        case_id: the case.
        reviewer: who signs.
        line_digest: digest of the line the person has read; the store refuses any other.
        split: ``dev`` or ``test``.
        resign: the case does not simply wait for a signature; the store has to be told so.
        signed_by: who signed before, with the date, when that signature would be replaced.
        state_note: what to know about the case's state before signing, or empty.
        date: ISO date that the line will carry.
        digest: beginning of the content digest.
        adopts: signatures already in the data that enter the record with this one.
        refusals: why it cannot be signed; empty when it can.
        correction: what is corrected first, or None.
        corrected: the correction field by field.
        one_of_two: the set asks for two reviews, so what this one does to the gate depends on another
            person's, of which nothing may be told.
        opinion: what this review decides beside the case, where two are asked for and it does not take
            the case as it is; the line stays, so that the next reviewer sees the draft and not this.
    """

    case_id: str
    reviewer: str
    line_digest: str
    split: str
    resign: bool = False
    signed_by: tuple[str, str] | None = None
    state_note: str = ""
    date: str = ""
    digest: str = ""
    adopts: int = 0
    refusals: tuple[str, ...] = ()
    correction: Edit | None = None
    corrected: tuple[Change, ...] = ()
    one_of_two: bool = False
    opinion: Opinion | None = None

    def decision(self) -> Sign:
        """The signature as the store takes it."""
        return Sign(
            ids=(self.case_id,),
            reviewer=self.reviewer,
            resign=self.resign,
            way="app",
            expected={} if self.correction is not None else {self.case_id: self.line_digest},
            opinions={} if self.opinion is None else {self.case_id: self.opinion},
        )


@dataclass(frozen=True, slots=True)
class Done:
    """What was written: all of it, or the first part and why the rest was refused.

    Attributes:
        applied: the last step that is on the disk; None if there is none.
        corrected: the corrections are on the disk.
        refusal: why a step was refused; None when all was done.
    """

    applied: Applied | None = None
    corrected: bool = False
    refusal: ProductError | None = None


def problem_sentences(error: ProductError) -> tuple[str, ...]:
    """The problems an error carries, a sentence each; empty when it carries none."""
    return tuple(problem.sentence() for problem in error.problems) if isinstance(error, DataError) else ()


def sign_plan(
    dataset: Dataset,
    entry: Entry,
    reviewer: str,
    moment: datetime,
    session: EditSession | None = None,
    reason: str | None = None,
) -> SignPlan:
    """What a signature of ``entry`` would record, with the corrections of ``session`` if it has any.

    Args:
        dataset: what is on the screen.
        entry: the case.
        reviewer: who signs; empty while that is not known.
        moment: aware local time.
        session: the correction in progress, or None.
        reason: why a signed case is corrected.
    """
    state = entry.state
    changed = session.changes() if session is not None else ()
    apart = state.asked > 1 and bool(changed) and all(edit.path in _OPINION_PATHS for edit in changed)
    correction = session.decision(reviewer, reason) if session is not None and changed and not apart else None
    plan = SignPlan(
        case_id=entry.id,
        reviewer=reviewer,
        line_digest=entry.line_digest,
        split=entry.case.split,
        resign=not state.status.waits and correction is None,
        signed_by=(state.reviewer or "", state.date or "") if state.status is Status.FIRMADO else None,
        state_note="" if state.status in {Status.FIRMADO, Status.PENDIENTE} else state.sentence(),
        correction=correction,
        corrected=correction_changes(session) if session is not None and changed else (),
        one_of_two=state.asked > 1,
    )
    if not entry.id:
        return replace(plan, refusals=tuple(problem.sentence() for problem in entry.problems))
    try:
        if correction is not None:
            after = correction.plan(dataset.snapshot, {}, moment).changes[0].after
            return replace(plan, date=moment.date().isoformat(), digest=content_digest(after)[:DIGEST_SHOWN])
        if session is not None and apart:
            plan = replace(plan, opinion=_opinion(entry, session))
        shown = preview(dataset, plan.decision(), moment=moment)
    except ProductError as error:
        return replace(plan, refusals=problem_sentences(error) or (str(error),))
    return replace(
        plan, date=shown.date, digest=shown.cases[0].content_digest[:DIGEST_SHOWN], adopts=shown.adopts
    )


def _opinion(entry: Entry, session: EditSession) -> Opinion:
    """The corrections of a review as an opinion beside the case.

    Raises:
        UsageError: a differential is added that the case has already in another spelling.
    """
    before, after = entry.case.esperado.diferenciales_aceptables, session.current.texts
    return build_opinion(
        entry.row,
        reject=[text for text in before if text not in after],
        add=[text for text in after if text not in before],
        referral=bool(session.value(REFERRAL)),
        out_of_scope=bool(session.value(SCOPE)),
    )


def carry_out(dataset: Dataset, plan: SignPlan, moment: datetime, signer: Signer | None = None) -> Done:
    """Write the corrections of a plan, if any, and then its signature (slow; for a thread)."""
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
    return replace(signed, corrected=done.corrected)


def decide(dataset: Dataset, decision: Decision, moment: datetime, signer: Signer | None = None) -> Done:
    """Write one decision (slow; for a thread); what the store refuses is an answer, not an exception."""
    if signer is not None:
        # Every decision of ours is a frozen dataclass with a field for the key.
        decision = replace(decision, signer=signer)  # type: ignore[type-var]  # the protocol cannot say so
    try:
        return Done(dataset.apply(decision, moment=moment))
    except ProductError as error:
        return Done(refusal=error)
