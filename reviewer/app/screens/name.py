"""Asks who signs; the name is remembered until the app is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.widgets import Static

from reviewer.app import theme
from reviewer.app.actions import Place
from reviewer.app.bindings import bindings
from reviewer.app.screens.dialog import Dialog
from reviewer.app.text import Content, literal, tell
from reviewer.app.widgets.safe_input import SafeInput
from reviewer.signing import check_reviewer
from scoring import messages
from scoring.errors import ProductError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.binding import BindingType
    from textual.widget import Widget


class NameDialog(Dialog["str | None"]):
    """Answers with a checked name, or None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.NAME)
    PLACES: ClassVar[tuple[Place, ...]] = (Place.NAME, Place.CANCEL)
    GENERAL: ClassVar[tuple[str, ...]] = ("help_typing", "quit_now")

    def __init__(self, known: str | None) -> None:
        super().__init__(tell("name_title"), [tell("name_explained", style=theme.QUIET)])
        self._known = known or ""

    def extra(self) -> Iterable[Widget]:
        """The line to type in and the place for what is wrong with it."""
        yield SafeInput(
            self._known, placeholder=messages.text("app.name_placeholder"), select_on_focus=False, id="name"
        )
        yield Static(Content(""), id="name-error")

    def on_mount(self) -> None:
        """Typing can begin at once."""
        self.query_one(SafeInput).focus()

    @property
    def unsaved(self) -> bool:
        """Something was typed that leaving would lose."""
        return self.query_one(SafeInput).value.strip() != self._known

    def on_input_submitted(self) -> None:
        """Enter in the input."""
        self.action_accept()

    def action_accept(self) -> None:
        """Check the name; a bad one stays to be corrected, with the reason under it."""
        try:
            name = check_reviewer(self.query_one(SafeInput).value)
        except ProductError as error:
            self.query_one("#name-error", Static).update(literal(str(error), theme.BAD, multiline=True))
            return
        self.dismiss(name)
