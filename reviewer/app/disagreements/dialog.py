"""Asks for the comment of a decision and records it; what was typed survives a refusal, a kill and Escape."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.widgets import Static, TextArea

from reviewer.adjudication.recording import check_comment
from reviewer.app import theme
from reviewer.app.actions import Place
from reviewer.app.background import saved
from reviewer.app.bindings import bindings
from reviewer.app.screens.dialog import Dialog
from reviewer.app.text import Content, indent, literal, tell
from reviewer.app.widgets.safe_area import SafeTextArea
from scoring import messages
from scoring.adjudication.entries import NEEDS_COMMENT
from scoring.errors import ConflictError, ProductError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from textual.binding import BindingType
    from textual.widget import Widget

    from reviewer.adjudication.recording import Recorded
    from reviewer.app.actions import Action
    from scoring.adjudication.entries import Verdict

WIDTH = 68


class VerdictDialog(Dialog["Recorded | ConflictError | None"]):
    """Answers with what was recorded, with the conflict that makes reading again necessary, or None.

    Args:
        verdict: what is to be recorded.
        title, lines: what it says and what it does.
        comment: what was typed earlier.
        on_typed: is told the comment at every key.
        record: writes the decision with its comment.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.DECIDE)
    PLACES: ClassVar[tuple[Place, ...]] = (Place.DECIDE, Place.CANCEL)
    GENERAL: ClassVar[tuple[str, ...]] = ("help_typing", "quit_now")

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

    def on_mount(self) -> None:
        """Typing can begin at once."""
        box = self.query_one(SafeTextArea)
        box.focus()
        box.move_cursor(box.document.end)
        self._judge(box.text)

    @on(TextArea.Changed)
    def _changed(self, event: TextArea.Changed) -> None:
        text = event.text_area.text
        if not self.failed:
            self._judge(text)
        if text != self._comment:
            self._comment = text
            self._on_typed(text)

    def _judge(self, text: str, *, asked: bool = False) -> bool:
        blank = not text.strip()
        needed = self._verdict in NEEDS_COMMENT
        try:
            check_comment(self._verdict, text)
        except ProductError as error:
            key = "comment_missing" if asked else "comment_needed"
            said = tell(f"disagreements.{key}", style=theme.BAD if asked else theme.QUIET)
            self._say(said if blank else literal(_refusal(error), theme.BAD))
            return False
        key = "comment_optional" if blank and not needed else "comment_good"
        self._say(tell(f"disagreements.{key}", style=theme.QUIET if blank else theme.GOOD))
        return True

    def _say(self, text: Content) -> None:
        self.query_one("#typed-error", Static).update(text)

    def usable(self, entry: Action) -> bool:
        """Nothing can be chosen while saving; a refused decision can only be closed."""
        if self.busy:
            return False
        if entry.place is Place.DECIDE:
            return (entry.id == "close_decision") == self.failed
        return entry.id != "cancel" or not self.failed

    def action_confirm(self) -> None:
        """Record it, or say what is missing."""
        if self.busy or self.failed:
            return
        text = self.query_one(SafeTextArea).text
        if self._judge(text, asked=True):
            self.busy = True
            self._save(text)

    @work(exclusive=True, group="save")
    async def _save(self, text: str) -> None:
        self._say(tell("disagreements.saving", style=theme.CARE))
        try:
            done = await saved(lambda: self._record(text))
        except ProductError as error:
            self.busy = False
            self.failed = True
            self._conflict = error if isinstance(error, ConflictError) else None
            why = indent(literal(_refusal(error), theme.BAD), WIDTH, literal("⚠ ", theme.BAD))
            self.set_lines([*why, Content(""), *indent(tell("disagreements.kept"), WIDTH, Content(""))])
            self._say(Content(""))
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
