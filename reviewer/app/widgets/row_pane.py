"""Rows of several lines with one selected: those of a correction, or the points of an adjudication."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from textual.containers import VerticalScroll
from textual.geometry import Region
from textual.widgets import Static

from reviewer.app.row_layout import Laid
from reviewer.app.text import Content, lines_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events
    from textual.app import ComposeResult

Row = TypeVar("Row")


class RowPane(VerticalScroll, Generic[Row], can_focus=True, inherit_bindings=False):
    """Lays its rows out for the width there is and keeps the selected one in sight.

    Args:
        lay_out: the lines of rows, given the place of the selected one and the width in cells.
    """

    def __init__(
        self,
        lay_out: Callable[[Sequence[Row], int, int], Laid],
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(id=id)
        self._lay_out = lay_out
        self._rows: Sequence[Row] = ()
        self._laid = Laid((), ())
        self.cursor = 0

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static(Content(""), id="rows-text")

    @property
    def selected(self) -> Row | None:
        """The selected row, or None when there is none."""
        return self._rows[self.cursor] if self._rows else None

    def show(self, rows: Sequence[Row]) -> None:
        """Show other rows; the place stays."""
        self._rows = rows
        self.cursor = max(0, min(self.cursor, len(rows) - 1))
        self._paint()

    def move(self, rows: int) -> None:
        """Select the row so many further on; stops at both ends."""
        self.cursor = max(0, min(self.cursor + rows, len(self._rows) - 1))
        self._paint()

    def on_resize(self) -> None:
        """Another width breaks the lines elsewhere."""
        self._paint()

    def _paint(self) -> None:
        width = max(20, self.scrollable_content_region.width)
        self._laid = self._lay_out(self._rows, self.cursor, width)
        self.query_one("#rows-text", Static).update(lines_of(self._laid.lines))
        if self._laid.places:
            start, height = self._laid.places[self.cursor]
            # The heading above the first row of a group is worth seeing too.
            self.call_after_refresh(self._keep_in_sight, max(0, start - 1), height + 1)

    def _keep_in_sight(self, start: int, height: int) -> None:
        self.scroll_to_region(Region(0, start, 1, height), animate=False, force=True)

    def on_click(self, event: events.Click) -> None:
        """A click selects; a click on the selected row changes it."""
        place = self._laid.row_at(event.y + self.scroll_offset.y)
        if place is None:
            return
        if place == self.cursor:
            self.screen.call_later(self.app.run_action, "screen.change", self.screen)
        else:
            self.cursor = place
            self._paint()
