"""The reviews of a case as the app needs them: when they may be seen, what is to be done. No Textual here."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reviewer.changes import changes_between
from reviewer.decisions.adjudication import points_of
from reviewer.decisions.review import correction_of, desk_of
from reviewer.store.edit import edit_members
from scoring import messages
from scoring.errors import UsageError
from scoring.record import Status
from scoring.record.opinion import parse_opinion
from scoring.record.reviews import BOTH, Stage

if TYPE_CHECKING:
    from reviewer.changes import Change
    from reviewer.decisions.adjudication import Adjudication, Point
    from reviewer.decisions.review import Told
    from reviewer.drafts import Draft
    from reviewer.signing import EditSession
    from reviewer.store import Dataset, Entry
    from scoring.record import CaseState
    from scoring.record.opinion import Opinion

_TO_SETTLE = frozenset({Stage.SPLIT, Stage.CORRECT, Stage.CLOSE})
_OWN_WORDS = frozenset(
    {"second.one_of_two_signed", "second.split", "second.correct", "second.close"}
)  # fmt: skip
"""States whose usual sentence names an option of the command line; here a key does it."""


def under_blind_review(state: CaseState) -> bool:
    """Another review is still to come, so nobody may see what somebody else thinks of the case."""
    return state.asked >= BOTH and state.stage in {Stage.NONE, Stage.PARTIAL}


def to_settle(state: CaseState) -> bool:
    """The reviews are in, and something is still to be done before the case is signed."""
    return state.stage in _TO_SETTLE and state.status in {Status.PENDIENTE, Status.DESACUERDO}


@dataclass(frozen=True, slots=True)
class OpenReviews:
    """The reviews of a case that waits for somebody to settle or close it.

    Attributes:
        stage: ``SPLIT`` (to be settled), ``CORRECT`` or ``CLOSE`` (decided, to be written and signed).
        told: the reviews, earlier ones first.
        points: what they decide, point by point.
        names: of those whose decision holds, joined.
        changes: what they have decided to change in the case, field by field.
        under_way: somebody is settling it right now, so nobody has to be told to.
    """

    stage: Stage
    told: tuple[Told, ...]
    points: tuple[Point, ...]
    names: str
    changes: tuple[Change, ...] = ()
    under_way: bool = False


def open_reviews(dataset: Dataset, entry: Entry) -> OpenReviews | None:
    """The reviews of a case that waits for somebody to settle or close it; None while they are sealed."""
    state = entry.state
    if not entry.id or not to_settle(state):
        return None
    told = desk_of(entry.row, dataset.snapshot).told
    if not told:
        return None
    decided = correction_of(entry.row, dataset.snapshot) if state.stage is Stage.CORRECT else ()
    raw = entry.raw
    after = edit_members(raw, {edit.path: edit.value for edit in decided}) if decided else raw
    names = str(state.fields.get("names", ""))
    points = points_of(entry.row, told)
    return OpenReviews(state.stage, told, points, names, changes_between(raw, after))


def state_sentence(state: CaseState) -> str:
    """Why the case is in its state, in the words of the app."""
    if state.reason in _OWN_WORDS:
        return messages.text(f"app_review.{state.reason.rpartition('.')[2]}", **state.fields)
    return state.sentence()


def resume(begun: Adjudication, draft: Draft) -> None:
    """Take up what a draft holds of an adjudication; what cannot be read any more is left out."""
    if draft.settling is not None:
        with contextlib.suppress(ValueError):
            begun.resume(draft.settling)
        begun.comment = draft.comment
    elif draft.opinion is not None and draft.adjudicates:
        with contextlib.suppress(ValueError):
            begun.take(parse_opinion(draft.opinion))


def follow_opinion(session: EditSession, opinion: Opinion) -> None:
    """Make the corrections of a review that could not be saved; what no longer fits is left out."""
    for index, item in enumerate(session.current.differentials):
        if item.text not in opinion.accepted and not item.removed:
            session.remove_differential(index)
    with contextlib.suppress(UsageError):
        for text in opinion.added:
            session.add_differential(text)
    session.set_scope(outside=opinion.out_of_scope)
    with contextlib.suppress(UsageError):
        session.set_referral(needed=opinion.referral)
