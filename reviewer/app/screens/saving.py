"""The frame of every dialog that writes: it stays until the store has answered, and once is enough.

What went wrong is said where the decision was made, and the decision is still there. While somebody else
is saving, the person sees who.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import work

from reviewer.app import theme
from reviewer.app.background import in_background
from reviewer.app.key_signing import decide_with_key
from reviewer.app.refusals import problem_sentences, refusal_text
from reviewer.app.screens.dialog import Dialog
from reviewer.app.text import Content, indent, literal, tell
from reviewer.app.waiting import PATIENCE_SECONDS, who_saves
from reviewer.store.lock import stop_waiting
from scoring.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import App

    from reviewer.app.plans import Done
    from reviewer.app.session import Session
    from reviewer.store.plan import Signer
    from scoring.errors import ProductError

WIDTH = 68
_BUSY = frozenset({"store.locked", "store.locked_by"})
"""Refusals after which the file is still the one on the screen."""


@dataclass(frozen=True, slots=True)
class SaveAnswer:
    """How a dialog that writes ended.

    Attributes:
        done: what the store did; None if nothing was tried.
        other_reviewer: ask for the name and come back.
        comment: ask for the comment and come back.
        conflict: the file is no longer what was read; it has to be read again.
        reason: the reason that was typed, where the dialog only asks for it.
    """

    done: Done | None = None
    other_reviewer: bool = False
    comment: bool = False
    conflict: bool = False
    reason: str | None = None


def saving(app: App[Any]) -> bool:
    """Whether something is being written right now."""
    return any(isinstance(screen, SavingDialog) and screen.busy for screen in app.screen_stack)


class SavingDialog(Dialog["SaveAnswer | None"]):
    """Writes once, however often the key is pressed."""

    def __init__(
        self,
        session: Session,
        title: Content,
        lines: Sequence[Content],
        *,
        on_refused: Callable[[ProductError], bool] | None = None,
    ) -> None:
        """``on_refused`` keeps a refused decision as a draft and says whether it did."""
        super().__init__(title, lines)
        self._session = session
        self._on_refused = on_refused
        self.busy = False
        self.failed = False
        self.conflict = False
        self._waits = False
        self._shown: Sequence[Content] = ()

    def save(self, step: Callable[[Signer | None], Done]) -> None:
        """Begin to write, unless that is under way or was refused."""
        if self.busy or self.failed:
            return
        self.busy = True
        self._shown = self._lines
        self._show_waiting("")
        self._save(step)

    def _show_waiting(self, who: str) -> None:
        lines = [*self._shown, Content(""), tell("sign_saving", style=theme.CARE)]
        if self._session.settings.key_path is not None:
            lines += indent(tell("app_decide.key_working", style=theme.QUIET), WIDTH, Content(""))
        if who:
            lines += indent(literal(who, theme.CARE), WIDTH, Content(""))
            lines += indent(tell("app_decide.stop_waiting", style=theme.QUIET), WIDTH, Content(""))
        self._waits = bool(who)
        self.set_lines(lines)

    @work(exclusive=True, group="save")
    async def _save(self, step: Callable[[Signer | None], Done]) -> None:
        patience = self.set_interval(PATIENCE_SECONDS, self._look_who_saves)
        try:
            done = await decide_with_key(self.app, self._session.settings.key_path, step)  # type: ignore[arg-type]  # our app
        finally:
            patience.stop()
            self.busy = False
        if done.refusal is None or done.applied is not None:
            self.dismiss(SaveAnswer(done))
            return
        self.failed = True
        self.conflict = isinstance(done.refusal, ConflictError) and done.refusal.key not in _BUSY
        kept = self._on_refused(done.refusal) if self._on_refused is not None else False
        self.set_lines(refused_lines(done.refusal, kept=kept))
        self.refused()

    def refused(self) -> None:
        """The decision was not saved; the dialog can only be closed."""

    async def _look_who_saves(self) -> None:
        who = await in_background(partial(who_saves, self._session.dataset.path))
        if self.busy and who:
            self._show_waiting(who)

    def action_cancel(self) -> None:
        """Leave; while saving the answer must be seen, but who waits for somebody may stop waiting."""
        if self.busy:
            if self._waits:
                stop_waiting()
        else:
            self.dismiss(SaveAnswer(conflict=True) if self.conflict else None)


def refused_lines(error: ProductError, *, kept: bool = False) -> Sequence[Content]:
    """Why nothing was written, and that nothing was lost."""
    why = literal(refusal_text(error), theme.BAD, multiline=True)
    lines = [*indent(why, WIDTH, Content.styled("⚠ ", theme.BAD))]
    for sentence in problem_sentences(error):
        lines += indent(literal(sentence), WIDTH, Content("  • "))
    lines.append(Content(""))
    if error.key in _BUSY:
        lines += indent(tell("sign_locked_next"), WIDTH, Content(""))
    elif isinstance(error, ConflictError):
        lines += indent(tell("sign_conflict_next"), WIDTH, Content(""))
    else:
        lines += indent(tell("sign_nothing_written"), WIDTH, Content(""))
    if kept:
        lines += indent(tell("app_drafts.kept"), WIDTH, Content(""))
    return lines
