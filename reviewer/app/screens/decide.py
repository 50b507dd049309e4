"""Withdraw, return, save a correction, follow the record: what will happen, the reason, and one key.

The reason is checked while it is typed and kept as a draft; what was typed survives a refusal.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.widgets import Static, TextArea

from reviewer.app import theme
from reviewer.app.refusals import refusal_text
from reviewer.app.screens.reasoned import ReasonedDialog
from reviewer.app.screens.saving import SaveAnswer, SavingDialog
from reviewer.app.text import Content, literal, tell
from reviewer.app.widgets.safe_area import SafeTextArea
from reviewer.signing import check_reason
from scoring.errors import ProductError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from textual.widget import Widget

    from reviewer.app.session import Session
    from reviewer.store import Decision


class DecideDialog(ReasonedDialog["SaveAnswer | None"], SavingDialog):
    """Asks for a reason, if one is wanted, and carries a decision out.

    Args:
        make: the decision for a reason (None if none is asked for); left out, the dialog only answers
            with the reason.
        reason: what was typed earlier; None if no reason is asked for.
        on_typed: is told the reason at every key.
    """

    def __init__(
        self,
        session: Session,
        title: Content,
        lines: Sequence[Content],
        *,
        make: Callable[[str | None], Decision] | None = None,
        reason: str | None = None,
        on_typed: Callable[[str], None] | None = None,
        on_refused: Callable[[ProductError], bool] | None = None,
    ) -> None:
        super().__init__(session, title, lines, on_refused=on_refused)
        self._make = make
        self._reason = reason
        self._on_typed = on_typed

    def extra(self) -> Iterable[Widget]:
        """The place for the reason and for what is wrong with it."""
        if self._reason is not None:
            yield SafeTextArea(self._reason, id="typed")
            yield Static(Content(""), id="typed-error")

    @property
    def unsaved(self) -> bool:
        """A reason was typed and not saved."""
        return any(bool(box.text.strip()) for box in self.query(SafeTextArea))

    @on(TextArea.Changed)
    def _changed(self, event: TextArea.Changed) -> None:
        self.judge(event.text_area.text)
        if self._on_typed is not None and event.text_area.text != self._reason:
            self._on_typed(event.text_area.text)

    def refused(self) -> None:
        """Enter saves nothing any more, and must not say that it does."""
        for box in self.query(SafeTextArea):
            box.read_only = True
            self.say_under(Content(""))

    def judge(self, text: str) -> bool:
        """Whether the text is a reason."""
        try:
            check_reason(text)
        except ProductError as error:
            blank = not text.strip()
            said = tell("app_decide.reason_blank", style=theme.QUIET) if blank else None
            self.say_under(said or literal(refusal_text(error), theme.BAD))
            return False
        self.say_under(tell("app_decide.reason_good", style=theme.GOOD))
        return True

    def action_confirm(self) -> None:
        """Carry it out, or say what is missing."""
        if self.busy or self.failed:
            return
        reason = None
        if self._reason is not None:
            box = self.query_one(SafeTextArea)
            if not self.judge(box.text):
                if not box.text.strip():
                    self.say_under(tell("app_decide.no_reason", style=theme.BAD))
                return
            reason = check_reason(box.text)
        if self._make is None:
            self.dismiss(SaveAnswer(reason=reason))
            return
        self.save(partial(self._session.decide, self._make(reason)))
