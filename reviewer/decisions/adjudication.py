"""An adjudication in progress: what the reviews of a case say point by point, and what a third person says.

Pure values: nothing here reads or writes a file. A point on which the reviews differ has no answer until the
person gives one; where they agree, their answer stands until the person says otherwise. Each step makes a new
state, so that it can be taken back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reviewer.decisions.fields import typed_text
from reviewer.decisions.review import build_opinion
from reviewer.store.edit import edit_members
from scoring.clinical.normalize import normalize
from scoring.errors import UsageError
from scoring.record.agreed import Decided
from scoring.record.opinion import EXPECTED, changes_of, expected_of
from scoring.strict_json import loads

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reviewer.decisions.review import Told
    from reviewer.store.edit import Path, Value
    from scoring.cases import CaseRow
    from scoring.record.opinion import Opinion


@dataclass(frozen=True, slots=True)
class Point:
    """One thing to decide.

    Attributes:
        about: a differential, the referral or the scope.
        text: the differential; empty for the others.
        answers: what each review says, in their order: it holds, it is referred, it is out of scope.
        own: the person who adjudicates has added it.
    """

    about: Decided
    text: str
    answers: tuple[bool, ...]
    own: bool = False

    @property
    def differs(self) -> bool:
        """The reviews do not say the same of it."""
        return len(set(self.answers)) > 1


@dataclass(frozen=True, slots=True)
class Answers:
    """What was said so far.

    Attributes:
        answers: per point that is no longer open, in no particular order of points.
        added: differentials of the person's own, in the order in which they were typed.
    """

    answers: tuple[tuple[Decided, str, bool], ...]
    added: tuple[str, ...] = ()


class Adjudication:
    """The points of one case with their answers, and the way back.

    Attributes:
        case_id: the case.
        raw: its line as read.
        told: the reviews, in the order in which they are shown.
        comment: what the person adds.
    """

    def __init__(self, row: CaseRow, told: Sequence[Told]) -> None:
        """Begin with the reviews of a case, as :func:`~reviewer.decisions.review.desk_of` tells them."""
        self.case_id = row.case.id
        self.raw = row.row.line.raw
        self.told = tuple(told)
        self.comment = ""
        self._row = row
        content = loads(self.raw, exact_numbers=True)
        self._content: Mapping[str, Any] = content if isinstance(content, dict) else {}
        self._points = points_of(row, told)
        agreed = [(one.about, one.text, one.answers[0]) for one in self._points if not one.differs]
        self._now = self._first = Answers(tuple(agreed))
        self._before: list[Answers] = []
        self._after: list[Answers] = []

    # -- looking -------------------------------------------------------------------------------

    @property
    def points(self) -> tuple[Point, ...]:
        """What is to be decided: differentials, those of the person's own, referral, scope."""
        own = tuple(Point(Decided.DIFFERENTIAL, text, (), own=True) for text in self._now.added)
        cut = sum(one.about is Decided.DIFFERENTIAL for one in self._points)
        return (*self._points[:cut], *own, *self._points[cut:])

    def answer(self, point: Point) -> bool | None:
        """What was said of a point; None while that is open."""
        return True if point.own else self._said.get((point.about, point.text))

    @property
    def open(self) -> tuple[Point, ...]:
        """The points that still have no answer."""
        return tuple(point for point in self._points if self.answer(point) is None)

    @property
    def begun(self) -> bool:
        """Something was said that somebody would miss."""
        return self._now != self._first or bool(self.comment.strip())

    @property
    def can_undo(self) -> bool:
        """There is a step to take back."""
        return bool(self._before)

    @property
    def _said(self) -> dict[tuple[Decided, str], bool]:
        return {(about, text): answer for about, text, answer in self._now.answers}

    # -- deciding ------------------------------------------------------------------------------

    def follow(self, point: Point, review: int) -> None:
        """Answer a point as review number ``review`` (from 0) does.

        Raises:
            UsageError: see :meth:`say`; or that review says nothing of it.
        """
        if not 0 <= review < len(point.answers):
            raise UsageError("adjudication.own_point")
        self.say(point, answer=point.answers[review])

    def follow_all(self, review: int) -> None:
        """Answer every point as review number ``review`` does; differentials of one's own stay.

        Raises:
            UsageError: two of the differentials would be the same.
        """
        said = {(one.about, one.text): one.answers[review] for one in self._points}
        self._require_once(said, self._now.added)
        self._step(_answers(said, self._now.added))

    def say(self, point: Point, *, answer: bool) -> None:
        """Answer a point. A case out of scope is referred too, in one step; an own differential goes away.

        Raises:
            UsageError: the same differential stands there in another spelling, or a case out of scope is
                not to be referred.
        """
        said, added = self._said, self._now.added
        if point.own:
            if not answer:
                self._step(_answers(said, tuple(text for text in added if text != point.text)))
            return
        if point.about is Decided.REFERRAL and not answer and said.get((Decided.SCOPE, "")):
            raise UsageError("deciding.scope_needs_referral")
        said[point.about, point.text] = answer
        if point.about is Decided.SCOPE and answer:
            said[Decided.REFERRAL, ""] = True
        if point.about is Decided.DIFFERENTIAL:
            self._require_once(said, added)
        self._step(_answers(said, added))

    def add(self, typed: str, instead_of: Point | None = None) -> None:
        """Add a differential of one's own, perhaps in place of another one.

        Raises:
            UsageError: blank, unprintable, too long, or there already (case and accents aside).
        """
        text = typed_text(typed)
        said, added = self._said, self._now.added
        if instead_of is not None and instead_of.own:
            added = tuple(other for other in added if other != instead_of.text)
        elif instead_of is not None:
            said[instead_of.about, instead_of.text] = False
        known = next(
            (one for one in self._points if one.text and normalize(one.text) == normalize(text)), None
        )
        if known is not None and not said.get((known.about, known.text)):
            # Somebody has thought of it: it is that point, in that spelling.
            said[known.about, known.text] = True
        else:
            added = (*added, text)
        self._require_once(said, added)
        self._step(_answers(said, added))

    def _require_once(self, said: Mapping[tuple[Decided, str], bool], added: Sequence[str]) -> None:
        seen: set[str] = set()
        held = [text for (about, text), answer in said.items() if about is Decided.DIFFERENTIAL and answer]
        for text in (*held, *added):
            if normalize(text) in seen:
                raise UsageError("deciding.text_twice", found=text)
            seen.add(normalize(text))

    def undo(self) -> bool:
        """Take the last step back; False when there is none."""
        if not self._before:
            return False
        self._after.append(self._now)
        self._now = self._before.pop()
        return True

    def redo(self) -> bool:
        """Take again the step that was taken back last; False when there is none."""
        if not self._after:
            return False
        self._before.append(self._now)
        self._now = self._after.pop()
        return True

    def _step(self, answers: Answers) -> None:
        if answers != self._now:
            self._before.append(self._now)
            self._after.clear()
            self._now = answers

    # -- what comes of it ----------------------------------------------------------------------

    def opinion(self) -> Opinion:
        """The decision as the store takes it.

        Raises:
            UsageError: a point is open, or the comment cannot be kept.
        """
        if self.open:
            raise UsageError("adjudication.open_points", n=len(self.open))
        said = self._said
        texts = expected_of(self._content)[0]
        held = [
            one.text
            for one in self.points
            if one.about is Decided.DIFFERENTIAL and self.answer(one) and one.text not in texts
        ]
        return build_opinion(
            self._row,
            reject=[text for text in texts if not said[Decided.DIFFERENTIAL, text]],
            add=held,
            referral=said[Decided.REFERRAL, ""],
            out_of_scope=said[Decided.SCOPE, ""],
            comment=self.comment,
        )

    # -- keeping -------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The answers as JSON values, for a draft; the steps are not kept."""
        return {
            "respuestas": [
                {"sobre": str(about), "texto": text, "respuesta": answer}
                for about, text, answer in self._now.answers
            ],
            "nuevos": list(self._now.added),
        }

    def resume(self, kept: Mapping[str, Any]) -> None:
        """Take up what :meth:`to_dict` gave, in one step; answers to points that are gone are left out.

        Raises:
            ValueError: it is not of that form.
        """
        there = {(one.about, one.text) for one in self._points}
        try:
            said = {
                (Decided(one["sobre"]), _text(one["texto"])): one["respuesta"] is True
                for one in kept["respuestas"]
            }
            added = tuple(_text(text) for text in kept["nuevos"])
        except (KeyError, TypeError) as error:
            raise ValueError("not a kept adjudication") from error
        self._step(_answers({key: value for key, value in said.items() if key in there}, added))

    def take(self, opinion: Opinion) -> None:
        """Take up a whole decision that could not be saved, in one step."""
        held = {*opinion.accepted, *opinion.added}
        said: dict[tuple[Decided, str], bool] = {
            (one.about, one.text): one.text in held
            for one in self._points
            if one.about is Decided.DIFFERENTIAL
        }
        known = {one.text for one in self._points}
        said[Decided.REFERRAL, ""] = opinion.referral
        said[Decided.SCOPE, ""] = opinion.out_of_scope
        self.comment = opinion.comment or ""
        self._step(_answers(said, tuple(text for text in opinion.added if text not in known)))


def points_of(row: CaseRow, told: Sequence[Told]) -> tuple[Point, ...]:
    """What the reviews of a case decide: its differentials, new ones, referral, scope."""
    return tuple(_points(expected_of(row.case.raw)[0], told))


def _points(texts: Sequence[str], told: Sequence[Told]) -> Iterator[Point]:
    held = [frozenset((*one.accepted, *one.added)) for one in told]
    new = sorted({text for one in held for text in one if text not in texts})
    for text in (*dict.fromkeys(texts), *new):
        yield Point(Decided.DIFFERENTIAL, text, tuple(text in one for one in held))
    yield Point(Decided.REFERRAL, "", tuple(one.referral for one in told))
    yield Point(Decided.SCOPE, "", tuple(one.out_of_scope for one in told))


def _answers(said: Mapping[tuple[Decided, str], bool], added: Sequence[str]) -> Answers:
    ordered = sorted((str(about), text, answer) for (about, text), answer in said.items())
    return Answers(tuple((Decided(about), text, answer) for about, text, answer in ordered), tuple(added))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def followed(raw: bytes, opinion: Opinion) -> bytes:
    """The line of a case as it reads when an opinion is followed; no other byte changes."""
    content = loads(raw, exact_numbers=True)
    changes = changes_of(content if isinstance(content, dict) else {}, opinion)
    edited: dict[Path, Value] = {(EXPECTED, name): value for name, value in changes.items()}
    return edit_members(raw, edited) if edited else raw
