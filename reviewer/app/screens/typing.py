"""Asks for a text: one line or several, checked while it is typed, never lost by a mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.widgets import Input, Static, TextArea

from reviewer.app import theme
from reviewer.app.actions import Place
from reviewer.app.bindings import bindings
from reviewer.app.screens.dialog import Dialog
from reviewer.app.text import Content, literal
from reviewer.app.widgets.safe_area import SafeTextArea
from reviewer.app.widgets.safe_input import SafeInput
from scoring.errors import ProductError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from textual.binding import BindingType
    from textual.widget import Widget


class TypeDialog(Dialog[bool]):
    """Hands what was typed to ``accept``; answers True once it was taken.

    Args:
        title, lines: what is asked.
        initial: what stands there if nothing was typed.
        typed: what was half typed the last time and stands there at first; None begins with ``initial``.
        check: refuses what cannot be, while it is typed.
        accept: takes the text, or refuses it with a sentence that is shown.
        multiline: several lines of room instead of one.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.TYPE)
    PLACES: ClassVar[tuple[Place, ...]] = (Place.TYPE, Place.CANCEL)
    GENERAL: ClassVar[tuple[str, ...]] = ("help_typing", "quit_now")

    def __init__(
        self,
        title: Content,
        lines: Sequence[Content],
        initial: str,
        *,
        typed: str | None = None,
        check: Callable[[str], object],
        accept: Callable[[str], object],
        multiline: bool = False,
    ) -> None:
        super().__init__(title, lines)
        self._initial = initial
        self._typed = initial if typed is None else typed
        self._check = check
        self._accept = accept
        self._multiline = multiline

    def extra(self) -> Iterable[Widget]:
        """The place to type in and the one for what is wrong with it."""
        if self._multiline:
            yield SafeTextArea(self._typed, id="typed")
        else:
            yield SafeInput(self._typed, select_on_focus=False, id="typed")
        yield Static(Content(""), id="typed-error")

    def on_mount(self) -> None:
        """Typing can begin at once, at the end of what is there."""
        box = self.query_one("#typed")
        box.focus()
        if isinstance(box, TextArea):
            box.move_cursor(box.document.end)

    @property
    def typed(self) -> str:
        """What stands there now."""
        box = self.query_one("#typed")
        return box.text if isinstance(box, TextArea) else box.value if isinstance(box, Input) else ""

    @property
    def unsaved(self) -> bool:
        """Something was typed that is not taken yet."""
        return self.typed != self._initial

    @on(Input.Changed)
    @on(TextArea.Changed)
    def _changed(self) -> None:
        self._say("" if self.typed == self._initial else self._fault())

    def _fault(self) -> str:
        try:
            self._check(self.typed)
        except ProductError as error:
            return str(error)
        return ""

    def _say(self, text: str) -> None:
        self.query_one("#typed-error", Static).update(literal(text, theme.BAD, multiline=True))

    def action_accept(self) -> None:
        """Take it; what is refused stays to be corrected, with the reason under it."""
        try:
            self._accept(self.typed)
        except ProductError as error:
            self._say(str(error))
            return
        self.dismiss(True)
