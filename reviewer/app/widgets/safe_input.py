"""A line to type in whose text can be pasted from anywhere and still obeys nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Input

from reviewer.app.typed_ahead import passed_on
from scoring.plain import plain

if TYPE_CHECKING:
    from textual.events import Key


class SafeInput(Input):
    """An input that shows control, bidi and invisible characters instead of holding them."""

    def validate_value(self, value: str) -> str:
        """The value with its unsafe characters made visible."""
        return plain(value)

    def on_key(self, event: Key) -> None:
        """A key pressed after the dialog was answered is for the screen below."""
        passed_on(self, event)
