"""The list of cases; what a row says is the business of ``rows.py``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from reviewer.app.rows import row_lines
from reviewer.app.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reviewer.app.text import Content
    from reviewer.review_queue import QueueItem

ONE_LINE_WIDTH = 64


class QueueList(VirtualList):
    """The cases, one of them selected."""

    @dataclass
    class Moved(Message):
        """Another row is selected (by key or mouse)."""

        position: int

    @dataclass
    class Opened(Message):
        """The selected row was clicked again or activated: the person wants to read it."""

        position: int

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._items: Sequence[QueueItem] = ()

    @property
    def row_height(self) -> int:
        """One line per row where there is room for its columns, two where there is not."""
        return 1 if self.size.width >= ONE_LINE_WIDTH else 2

    @property
    def count(self) -> int:
        """How many cases are shown."""
        return len(self._items)

    @property
    def selected(self) -> QueueItem | None:
        """The selected row, or None when the list is empty."""
        return self._items[self.cursor] if self._items else None

    def show(self, items: Sequence[QueueItem], selected: int | None, empty: Content) -> None:
        """Show other rows; ``selected`` is the place in the file of the row to select."""
        self._items = items
        place = next((index for index, item in enumerate(items) if item.position == selected), None)
        self.place_at(self.cursor if place is None else place, empty)

    def row(self, place: int, width: int, *, chosen: bool) -> Sequence[Content]:
        """The lines of one case."""
        return row_lines(self._items[place], width, chosen=chosen, two_lines=self.row_height == 2)

    def moved(self, place: int) -> None:
        """Tell which case is selected now."""
        self.post_message(self.Moved(self._items[place].position))

    def opened(self, place: int) -> None:
        """Tell which case was clicked again."""
        self.post_message(self.Opened(self._items[place].position))
