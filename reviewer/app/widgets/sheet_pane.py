"""The sheet on the screen: lines laid out for the width there is, scrolled as one text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.widgets import Static

from reviewer.app.sheet_view import sheet_lines
from reviewer.app.text import Content, lines_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from reviewer.app.reviews import OpenReviews
    from reviewer.changes import Change
    from reviewer.sheet import ReviewSheet

BESIDE_FROM = 100
"""Columns of the terminal from which reviews stand side by side."""


class SheetPane(VerticalScroll, can_focus=True, inherit_bindings=False):
    """Shows one sheet; another case starts at its top, the same case stays where it was."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._sheet: ReviewSheet | None = None
        self._instead: Sequence[Content] = ()
        self._corrected: Sequence[Change] = ()
        self._reviews: OpenReviews | None = None
        self._laid_out_for = 0

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static(Content(""), id="sheet-text")

    def show(
        self,
        sheet: ReviewSheet | None,
        instead: Sequence[Content] = (),
        corrected: Sequence[Change] = (),
        reviews: OpenReviews | None = None,
    ) -> None:
        """Show ``sheet`` with what a correction in progress changes and its reviews, or lines ``instead``."""
        same = sheet is not None and self._sheet is not None and sheet.case_id == self._sheet.case_id
        self._sheet = sheet
        self._instead = instead
        self._corrected = corrected
        self._reviews = reviews
        self._lay_out()
        if not same:
            self.scroll_home(animate=False, immediate=True)

    def on_resize(self) -> None:
        """Another width breaks the lines elsewhere."""
        if self._room() != self._laid_out_for:
            self._lay_out()

    def _room(self) -> int:
        return max(20, self.scrollable_content_region.width)

    def _lay_out(self) -> None:
        self._laid_out_for = self._room()
        if self._sheet is None:
            lines = self._instead
        else:
            beside = self.app.size.width >= BESIDE_FROM
            lines = sheet_lines(
                self._sheet, self._laid_out_for, self._corrected, self._reviews, beside=beside
            )
        self.query_one("#sheet-text", Static).update(lines_of(lines))
