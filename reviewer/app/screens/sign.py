"""The last look before a signature: who, what and what it does to the gate; one key signs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.message import Message

from reviewer.app import theme
from reviewer.app.actions import Place
from reviewer.app.bindings import bindings
from reviewer.app.changes_view import change_lines
from reviewer.app.in_turn import KeysInTurn
from reviewer.app.screens.saving import WIDTH, SaveAnswer, SavingDialog
from reviewer.app.text import Content, indent, literal, say, tell
from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from textual.binding import BindingType

    from reviewer.app.actions import Action
    from reviewer.app.plans import SignPlan
    from reviewer.app.session import Session
    from reviewer.changes import Change
    from scoring.errors import ProductError

_LABEL_CELLS = 11
CHANGES_SHOWN = 12


class SignDialog(SavingDialog):
    """Shows a plan; Enter or s signs once, however often it is pressed."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.SIGN)
    PLACES: ClassVar[tuple[Place, ...]] = (Place.SIGN, Place.CANCEL)

    def __init__(
        self,
        session: Session,
        plan: SignPlan,
        effect: Sequence[Content],
        *,
        on_refused: Callable[[ProductError], bool] | None = None,
    ) -> None:
        self._plan = plan
        if plan.adjudicates or plan.closes:
            key = "app_settle.sign_title" if plan.adjudicates else "app_settle.close_title"
        else:
            key = "sign_again_title" if plan.signed_by else "sign_title"
        lines = plan_lines(plan, effect, session.settings.key_path)
        super().__init__(session, tell(key), lines, on_refused=on_refused)
        self._stands_since: float | None = None

    def on_mount(self) -> None:
        """From now on it is being painted; no key before this can be an answer."""
        self._stands_since = Message().time

    @property
    def _unread(self) -> bool:
        """The key was typed before this was there: nobody can have meant what it says."""
        typed_at = self.app.typed_at if isinstance(self.app, KeysInTurn) else Message().time
        return self._stands_since is None or typed_at < self._stands_since

    def usable(self, entry: Action) -> bool:
        """Nothing can be chosen while saving; a refused case cannot be signed."""
        if self.busy:
            return False
        closing = self.failed or bool(self._plan.refusals)
        if entry.id in {"close_refused", "cancel"}:
            return closing == (entry.id == "close_refused")
        if entry.id == "sign_comment":
            return not closing and self._takes_comment
        if entry.place is Place.SIGN:
            return not closing
        return True

    @property
    def _takes_comment(self) -> bool:
        return self._plan.one_of_two and not self._plan.adjudicates and not self._plan.closes

    def action_confirm(self) -> None:
        """Sign, unless that is already under way, or the key was typed before the question was there."""
        if self._unread:
            say(self.app, messages.text("app_decide.typed_ahead"))
        elif not self._plan.refusals:
            self.save(partial(self._session.commit, self._plan))

    def action_other_reviewer(self) -> None:
        """Ask for another name; the case stays the same."""
        if not self.busy and not self.failed:
            self.dismiss(SaveAnswer(other_reviewer=True))

    def action_comment(self) -> None:
        """Ask for what the review adds in words; the case stays the same."""
        if not self.busy and not self.failed and not self._plan.refusals and self._takes_comment:
            self.dismiss(SaveAnswer(comment=True))


def plan_lines(plan: SignPlan, effect: Sequence[Content], key_path: Path | None = None) -> Sequence[Content]:
    """What will be recorded, and what it does to the gate."""
    how = (
        tell("app_decide.by_name", style=theme.QUIET)
        if key_path is None
        else tell("app_decide.by_key", path=key_path)
    )
    rows = [
        ("case", literal(plan.case_id, theme.STRONG)),
        ("reviewer", literal(plan.reviewer, theme.STRONG)),
        ("how", how),
        ("date", literal(plan.date)),
        ("digest", tell("sign_digest_value", style=theme.QUIET, digest=plan.digest)),
    ]
    if plan.refusals:  # then neither is known
        rows = rows[:3]
    lines: list[Content] = []
    for key, value in rows:
        label = literal(messages.text(f"app.sign_{key}"), theme.QUIET).truncate(_LABEL_CELLS, pad=True)
        lines += indent(value, WIDTH, label)
    lines.append(Content(""))
    if plan.refusals:
        why = "sign_refused" if plan.line_at_fault else "sign_refused_now"
        lines += indent(tell(why, style=theme.BAD), WIDTH, Content(""))
        for text in plan.refusals:
            lines += indent(literal(text), WIDTH, Content.styled("⚠ ", theme.BAD))
        return lines
    lines += _changes(plan)
    if plan.signed_by:
        who, when = plan.signed_by
        lines += indent(tell("sign_again", style=theme.CARE, reviewer=who, date=when), WIDTH, Content(""))
        lines.append(Content(""))
    if plan.state_note:
        lines += indent(literal(plan.state_note, theme.CARE), WIDTH, Content(""))
        lines.append(Content(""))
    if plan.adopts:
        lines += indent(tell("sign_adopts", style=theme.QUIET, n=plan.adopts), WIDTH, Content(""))
        lines.append(Content(""))
    for line in effect:
        lines += indent(line, WIDTH, Content(""))
    return lines


def _changes(plan: SignPlan) -> list[Content]:
    """What becomes of the case, or of the review beside it."""
    said: list[tuple[str, Sequence[Change]]] = []
    if plan.adjudicates:
        said.append(("app_settle.changes_case" if plan.differs else "app_settle.same_case", plan.differs))
    elif plan.closes:
        said.append(("app_settle.closes_changed" if plan.corrected else "app_settle.closes", plan.corrected))
    else:
        said += [("app_decide.corrects_first", plan.corrected)] if plan.corrected else []
        said += [("app_decide.reviews_apart", plan.differs)] if plan.differs else []
    lines: list[Content] = []
    for key, changes in said:
        lines += indent(tell(key, style=theme.CARE, n=len(changes)), WIDTH, Content(""))
        lines += [*change_lines(changes, WIDTH, CHANGES_SHOWN), Content("")]
    if plan.voids:
        lines += [
            *indent(tell("app_review.voids", style=theme.CARE, n=plan.voids), WIDTH, Content("")),
            Content(""),
        ]
    comment = plan.opinion.comment if plan.opinion is not None else None
    if comment:
        told = tell("app_settle.comment", text=comment)
        lines += [*indent(told, WIDTH, Content("")), Content("")]
    return lines
