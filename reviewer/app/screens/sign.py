"""The last look before a signature: who, what and what it does to the gate; one key signs.

The dialog stays until the store has answered: what went wrong is said where the decision was made,
and the decision is still there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import work

from reviewer.app import theme
from reviewer.app.actions import Place
from reviewer.app.background import saved
from reviewer.app.bindings import bindings
from reviewer.app.screens.dialog import Dialog
from reviewer.app.session import problem_sentences
from reviewer.app.text import Content, indent, join, literal, tell
from scoring import messages
from scoring.errors import ConflictError, ProductError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import App
    from textual.binding import BindingType

    from reviewer.app.actions import Action
    from reviewer.app.session import Session, SignPlan
    from reviewer.store import Applied

WIDTH = 68
_LABEL_CELLS = 11


@dataclass(frozen=True, slots=True)
class SignAnswer:
    """How the dialog ended: with a signature, with the wish to sign as somebody else, or with a conflict.

    Attributes:
        applied: what the store wrote, or None.
        other_reviewer: ask for the name and come back.
        conflict: the file is no longer what was read; it has to be read again.
    """

    applied: Applied | None = None
    other_reviewer: bool = False
    conflict: bool = False


def saving(app: App[Any]) -> bool:
    """Whether a signature is being written right now."""
    return any(isinstance(screen, SignDialog) and screen.busy for screen in app.screen_stack)


class SignDialog(Dialog["SignAnswer | None"]):
    """Shows a plan; Enter or s signs once, however often it is pressed."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.SIGN)
    PLACES: ClassVar[tuple[Place, ...]] = (Place.SIGN, Place.CANCEL)

    def __init__(self, session: Session, plan: SignPlan, effect: Sequence[Content]) -> None:
        self._session = session
        self._plan = plan
        self._effect = tuple(effect)
        self.busy = False
        self._failed = False
        self._conflict = False
        key = "sign_again_title" if plan.signed_by else "sign_title"
        super().__init__(tell(key), plan_lines(plan, self._effect))

    def usable(self, entry: Action) -> bool:
        """Nothing can be chosen while saving; a refused case cannot be signed."""
        if self.busy:
            return False
        closing = self._failed or bool(self._plan.refusals)
        if entry.id in {"close_refused", "cancel"}:
            return closing == (entry.id == "close_refused")
        if entry.place is Place.SIGN:
            return not closing
        return True

    def action_confirm(self) -> None:
        """Sign, unless that is already under way."""
        if self.busy or self._failed or self._plan.refusals:
            return
        self.busy = True
        self.set_lines(
            [*plan_lines(self._plan, self._effect), Content(""), tell("sign_saving", style=theme.CARE)]
        )
        self._save()

    @work(exclusive=True, group="sign")
    async def _save(self) -> None:
        try:
            applied = await saved(partial(self._session.commit, self._plan))
        except ProductError as error:
            self.busy = False
            self._failed = True
            self._conflict = isinstance(error, ConflictError)
            self.set_lines(refused_lines(error))
            return
        self.busy = False
        self.dismiss(SignAnswer(applied=applied))

    def action_other_reviewer(self) -> None:
        """Ask for another name; the case stays the same."""
        if not self.busy and not self._failed:
            self.dismiss(SignAnswer(other_reviewer=True))

    def action_cancel(self) -> None:
        """Leave without signing; not while saving, because the answer must be seen."""
        if not self.busy:
            self.dismiss(SignAnswer(conflict=True) if self._conflict else None)


def plan_lines(plan: SignPlan, effect: Sequence[Content]) -> Sequence[Content]:
    """What will be recorded, and what it does to the gate."""
    rows = [
        ("case", literal(plan.case_id, theme.STRONG)),
        ("reviewer", literal(plan.reviewer, theme.STRONG)),
        ("date", literal(plan.date)),
        ("digest", literal(plan.digest, theme.QUIET)),
    ]
    lines: list[Content] = []
    for key, value in rows:
        label = literal(messages.text(f"app.sign_{key}"), theme.QUIET).truncate(_LABEL_CELLS, pad=True)
        lines += indent(value, WIDTH, label)
    lines.append(Content(""))
    if plan.refusals:
        lines += indent(tell("sign_refused", style=theme.BAD), WIDTH, Content(""))
        for text in plan.refusals:
            lines += indent(literal(text), WIDTH, Content.styled("⚠ ", theme.BAD))
        return lines
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


def refused_lines(error: ProductError) -> Sequence[Content]:
    """Why nothing was written, and that nothing was lost."""
    lines = [*indent(literal(str(error), theme.BAD, multiline=True), WIDTH, Content.styled("⚠ ", theme.BAD))]
    for sentence in problem_sentences(error):
        lines += indent(literal(sentence), WIDTH, Content("  • "))
    lines.append(Content(""))
    key = "sign_conflict_next" if isinstance(error, ConflictError) else "sign_nothing_written"
    return [*lines, *indent(join(tell(key)), WIDTH, Content(""))]
