"""The list of cases: it builds only the rows it paints, so 100,000 cases open like 10.

It knows positions and asks for a row when it paints one; what a row says is the business of
``rows.py``. Every change of position is told by a message; the screen decides what follows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from reviewer.app.rows import row_lines
from reviewer.app.text import Content, indent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from reviewer.review_queue import QueueItem

ONE_LINE_WIDTH = 64


class QueueList(ScrollView, can_focus=True, inherit_bindings=False):
    """A virtual list with one selected row."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"queue--cursor", "queue--row"}

    cursor: reactive[int] = reactive(0, repaint=False)

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
        self._empty = Content("")

    @property
    def row_height(self) -> int:
        """One line per row where there is room for its columns, two where there is not."""
        return 1 if self.size.width >= ONE_LINE_WIDTH else 2

    @property
    def selected(self) -> QueueItem | None:
        """The selected row, or None when the list is empty."""
        return self._items[self.cursor] if self._items else None

    def show(self, items: Sequence[QueueItem], selected: int | None, empty: Content) -> None:
        """Show other rows; ``selected`` is the place in the file of the row to select."""
        self._items = items
        self._empty = empty
        place = next((index for index, item in enumerate(items) if item.position == selected), None)
        if place is None:
            place = min(self.cursor, max(0, len(items) - 1))
        self._fit()
        self.set_reactive(QueueList.cursor, place)
        self._scroll_to_cursor()
        self.refresh()

    def move(self, rows: int) -> None:
        """Select the row so many further on; stops at both ends."""
        self._select(self.cursor + rows)

    def edge(self, direction: int) -> None:
        """Select the first (-1) or last (1) row."""
        self._select(0 if direction < 0 else len(self._items) - 1)

    def _select(self, place: int) -> None:
        if not self._items:
            return
        place = max(0, min(place, len(self._items) - 1))
        if place != self.cursor:
            self.cursor = place
            self._scroll_to_cursor()
            self.refresh()
            self.post_message(self.Moved(self._items[place].position))

    def _fit(self) -> None:
        height = max(1, len(self._items) * self.row_height)
        self.virtual_size = Size(self.size.width, height)

    def _scroll_to_cursor(self) -> None:
        if self._items and self.size.height:
            top = self.cursor * self.row_height
            self.scroll_to_region(
                Region(0, top, max(1, self.size.width), self.row_height), animate=False, force=True
            )

    def on_resize(self) -> None:
        """Rows may change from two lines to one."""
        self._fit()
        self._scroll_to_cursor()
        self.refresh()

    def on_focus(self) -> None:
        """The cursor row is stronger while the list has the keys."""
        self.refresh()

    def on_blur(self) -> None:
        """The cursor row is quieter while something else has the keys."""
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """A click selects; a click on the selected row opens it."""
        place = (event.y + self.scroll_offset.y) // self.row_height
        if not 0 <= place < len(self._items):
            return
        if place == self.cursor:
            self.post_message(self.Opened(self._items[place].position))
        else:
            self._select(place)

    def render_line(self, y: int) -> Strip:
        """One painted line; only these build a row."""
        width = self.size.width
        line = y + self.scroll_offset.y
        place, part = divmod(line, self.row_height)
        style = self.visual_style
        if not self._items:
            lines = indent(self._empty, width - 2, Content("  "))
            content = lines[y] if y < len(lines) else Content("")
        elif place >= len(self._items):
            content = Content("")
        else:
            chosen = place == self.cursor
            content = row_lines(self._items[place], width, chosen=chosen, two_lines=self.row_height == 2)[
                part
            ]
            name = "queue--cursor" if chosen else "queue--row"
            style = self.get_visual_style(name)
        strips = Visual.to_strips(self, content, width, 1, style, pad=True)
        return strips[0].adjust_cell_length(width, style.rich_style) if strips else Strip.blank(width)
