"""Several lines to type in; what is pasted into them still obeys nobody."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual.widgets import TextArea

from scoring.plain import plain

if TYPE_CHECKING:
    from textual.document._document import EditResult
    from textual.document._edit import Edit


class SafeTextArea(TextArea):
    """A text area that shows control, bidi and invisible characters instead of holding them."""

    def __init__(self, text: str = "", *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(plain(text, multiline=True), id=id, compact=True, highlight_cursor_line=False)

    def edit(self, edit: Edit) -> EditResult:
        """Every way into the text passes here: keys, paste, redo."""
        safe = plain(edit.text.replace("\r\n", "\n"), multiline=True)
        return super().edit(edit if safe == edit.text else replace(edit, text=safe))
