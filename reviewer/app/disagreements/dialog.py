"""Asks for the comment of a decision and records it; what was typed survives a refusal, a kill and Escape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on, work
from textual.widgets import Static, TextArea

from reviewer.adjudication.recording import check_comment
from reviewer.app import theme
from reviewer.app.background import saved
from reviewer.app.screens.reasoned import ReasonedDialog
from reviewer.app.text import Content, indent, literal, tell
from reviewer.app.widgets.safe_area import SafeTextArea
from scoring import messages
from scoring.adjudication.entries import NEEDS_COMMENT
from scoring.errors import ConflictError, ProductError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from textual.widget import Widget

    from reviewer.adjudication.recording import Recorded
    from scoring.adjudication.entries import Verdict

WIDTH = 68


class VerdictDialog(ReasonedDialog["Recorded | ConflictError | None"]):
    """Answers with what was recorded, with the conflict that makes reading again necessary, or None.

    Args:
        verdict: what is to be recorded.
        title, lines: what it says and what it does.
        comment: what was typed earlier.
        on_typed: is told the comment at every key.
        record: writes the decision with its comment.
    """

    def __init__(
        self,
        verdict: Verdict,
        title: Content,
        lines: Sequence[Content],
        *,
        comment: str,
        on_typed: Callable[[str], None],
        record: Callable[[str], Recorded],
    ) -> None:
        super().__init__(title, lines)
        self._verdict = verdict
        self._comment = comment
        self._on_typed = on_typed
        self._record = record
        self._conflict: ConflictError | None = None
        self.busy = False
        self.failed = False

    def extra(self) -> Iterable[Widget]:
        """The place for the comment and for what is wrong with it."""
        yield SafeTextArea(self._comment, id="typed")
        yield Static(Content(""), id="typed-error")

    @on(TextArea.Changed)
    def _changed(self, event: TextArea.Changed) -> None:
        text = event.text_area.text
        if not self.failed:
            self.judge(text)
        if text != self._comment:
            self._comment = text
            self._on_typed(text)

    def judge(self, text: str, *, asked: bool = False) -> bool:
        """Whether the text is comment enough; ``asked`` when the person wanted to go on."""
        blank = not text.strip()
        needed = self._verdict in NEEDS_COMMENT
        try:
            check_comment(self._verdict, text)
        except ProductError as error:
            key = "comment_missing" if asked else "comment_needed"
            said = tell(f"disagreements.{key}", style=theme.BAD if asked else theme.QUIET)
            self.say_under(said if blank else literal(_refusal(error), theme.BAD))
            return False
        key = "comment_optional" if blank and not needed else "comment_good"
        self.say_under(tell(f"disagreements.{key}", style=theme.QUIET if blank else theme.GOOD))
        return True

    def action_confirm(self) -> None:
        """Record it, or say what is missing."""
        if self.busy or self.failed:
            return
        text = self.query_one(SafeTextArea).text
        if self.judge(text, asked=True):
            self.busy = True
            self._save(text)

    @work(exclusive=True, group="save")
    async def _save(self, text: str) -> None:
        self.say_under(tell("disagreements.saving", style=theme.CARE))
        try:
            done = await saved(lambda: self._record(text))
        except ProductError as error:
            self.busy = False
            self.failed = True
            self._conflict = error if isinstance(error, ConflictError) else None
            why = indent(literal(_refusal(error), theme.BAD), WIDTH, literal("⚠ ", theme.BAD))
            self.set_lines([*why, Content(""), *indent(tell("disagreements.kept"), WIDTH, Content(""))])
            self.say_under(Content(""))
            return
        self.busy = False
        self.dismiss(done)

    def action_cancel(self) -> None:
        """Leave; not while saving, because the answer must be seen."""
        if not self.busy:
            self.dismiss(self._conflict)


def _refusal(error: ProductError) -> str:
    """Why, in the words of the app: the command line's name an option."""
    key = "disagreements.comment_missing" if error.key == "deciding.no_reason" else error.key
    return messages.text(key, **error.fields)
