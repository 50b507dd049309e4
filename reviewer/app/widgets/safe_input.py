"""A line to type in whose text can be pasted from anywhere and still obeys nobody."""

from __future__ import annotations

from textual.widgets import Input

from scoring.plain import plain


class SafeInput(Input):
    """An input that shows control, bidi and invisible characters instead of holding them."""

    def validate_value(self, value: str) -> str:
        """The value with its unsafe characters made visible."""
        return plain(value)
