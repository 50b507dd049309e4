"""The part of a dialog that asks why: a text that is judged while it is typed, and one key that decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.widgets import Static

from reviewer.app.actions import Place
from reviewer.app.bindings import bindings
from reviewer.app.screens.dialog import Answer, Dialog
from reviewer.app.widgets.safe_area import SafeTextArea

if TYPE_CHECKING:
    from textual.binding import BindingType

    from reviewer.app.actions import Action
    from reviewer.app.text import Content


class ReasonedDialog(Dialog[Answer]):
    """Subclasses show the text area (if they ask for a text), judge what is typed, and carry it out.

    Attributes:
        busy: it is being carried out.
        failed: it was refused; the dialog only tells why.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.DECIDE)
    PLACES: ClassVar[tuple[Place, ...]] = (Place.DECIDE, Place.CANCEL)
    GENERAL: ClassVar[tuple[str, ...]] = ("help_typing", "quit_now")
    busy: bool
    failed: bool

    def judge(self, text: str) -> bool:
        """Whether ``text`` is enough; says under it what is missing."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Typing can begin at once, at the end of what is there."""
        for box in self.query(SafeTextArea):
            box.focus()
            box.move_cursor(box.document.end)
            self.judge(box.text)

    def say_under(self, text: Content) -> None:
        """Show a line under the text area."""
        self.query_one("#typed-error", Static).update(text)

    def usable(self, entry: Action) -> bool:
        """Nothing can be chosen while saving; a refused decision can only be closed."""
        if self.busy:
            return False
        if entry.place is Place.DECIDE:
            return (entry.id == "close_decision") == self.failed
        return entry.id != "cancel" or not self.failed
