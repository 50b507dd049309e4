"""Lines laid out for the width there is, scrolled as one text: a sheet, a disagreement, a help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.widgets import Static

from reviewer.app.text import Content, lines_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult


class TextPane(VerticalScroll, can_focus=True, inherit_bindings=False):
    """Subclasses say which lines."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._laid_out_for = 0

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static(Content(""), id="sheet-text")

    def text_lines(self, width: int) -> Sequence[Content]:
        """The text for a width in cells."""
        raise NotImplementedError

    def lay_out(self, *, from_top: bool = False) -> None:
        """Write the text again; the place read stays, unless it is another text."""
        self._laid_out_for = self._room()
        self.query_one("#sheet-text", Static).update(lines_of(self.text_lines(self._laid_out_for)))
        if from_top:
            self.scroll_home(animate=False, immediate=True)

    def on_resize(self) -> None:
        """Another width breaks the lines elsewhere."""
        if self._room() != self._laid_out_for:
            self.lay_out()

    def _room(self) -> int:
        return max(20, self.scrollable_content_region.width)
