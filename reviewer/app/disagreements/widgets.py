"""The parts of these screens: a virtual list with headings, a pane of lines, the bars above."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.geometry import Region
from textual.message import Message
from textual.widget import Widget

from reviewer.app.text import Content, lines_of
from reviewer.app.widgets.text_pane import TextPane
from reviewer.app.widgets.virtual_list import VirtualList
from reviewer.app.widgets.zones import Zone, ZoneLine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

Line = Callable[[int, int, bool], Content]
"""What a row says: its number, the width, whether it is the selected one."""


class PickedList(VirtualList):
    """A list of numbers; those below zero are headings and never selected."""

    @dataclass
    class Moved(Message):
        """Another row is selected."""

        number: int

    @dataclass
    class Opened(Message):
        """The selected row was clicked again: the person wants to read it."""

        number: int

    def __init__(self, line: Line, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._line = line
        self._rows: Sequence[int] = ()

    @property
    def count(self) -> int:
        """Rows, headings included."""
        return len(self._rows)

    @property
    def selected(self) -> int | None:
        """The number of the selected row, or None."""
        found = self._rows[self.cursor] if self.cursor < len(self._rows) else -1
        return found if found >= 0 else None

    def row(self, place: int, width: int, *, chosen: bool) -> Sequence[Content]:
        """One line."""
        return (self._line(self._rows[place], width, chosen).truncate(width, ellipsis=True),)

    def moved(self, place: int) -> None:
        """Tell the screen that another row is selected."""
        self.post_message(self.Moved(self._rows[place]))

    def opened(self, place: int) -> None:
        """Tell the screen that the person wants to read it."""
        self.post_message(self.Opened(self._rows[place]))

    def show(self, rows: Sequence[int], selected: int | None, empty: Content) -> None:
        """Show other rows; where ``selected`` is not among them the place stays."""
        self._rows = rows
        try:
            place = rows.index(selected) if selected is not None else self.cursor
        except ValueError:
            place = self.cursor
        self.place_at(self._near(place, 1), empty)

    def move(self, rows: int) -> None:
        """Select the row so many further on; headings are stepped over, both ends stop."""
        self._select(self._near(self.cursor + rows, rows))

    def edge(self, direction: int) -> None:
        """Select the first (-1) or last (1) row."""
        self._select(self._near(0 if direction < 0 else self.count - 1, -direction))

    def on_click(self, event: events.Click) -> None:
        """A heading does not answer to a click."""
        place = event.y + self.scroll_offset.y
        if not 0 <= place < self.count or self._rows[place] < 0:
            event.prevent_default()

    def _near(self, place: int, step: int) -> int:
        """The row at ``place`` or, if a heading stands there, the next one in that direction or the other."""
        place = max(0, min(place, self.count - 1))
        for direction in (1, -1) if step >= 0 else (-1, 1):
            found = place
            while 0 <= found < self.count and self._rows[found] < 0:
                found += direction
            if 0 <= found < self.count:
                return found
        return 0

    def _scroll_to_cursor(self) -> None:
        if self.count and self.size.height:
            top = self.cursor
            if top and self._rows[top - 1] < 0 and self.size.height > 1:
                top -= 1  # the heading above the first row of a group is worth seeing too
            height = self.cursor - top + 1
            self.scroll_to_region(Region(0, top, max(1, self.size.width), height), animate=False, force=True)


class LinesPane(TextPane):
    """Lines laid out for the width there is; another subject starts at its top, the same one stays."""

    def __init__(self, lines: Callable[[int], Sequence[Content]], *, id: str | None = None) -> None:  # noqa: A002 - as above
        super().__init__(id=id)
        self._lines = lines
        self._subject: object = None

    def text_lines(self, width: int) -> Sequence[Content]:
        """The lines that were asked for."""
        return self._lines(width)

    def show(self, subject: object) -> None:
        """Ask for the lines again."""
        same = subject == self._subject
        self._subject = subject
        self.lay_out(from_top=not same)


class HeadBar(Widget):
    """The lines at the top; asked for whenever it is painted."""

    def __init__(self, lines: Callable[[int], Sequence[Content]]) -> None:
        super().__init__()
        self._lines = lines

    def render(self) -> Content:
        """The lines that fit the height given."""
        return lines_of(list(self._lines(self.size.width))[: max(1, self.size.height)])


class ShowBar(ZoneLine):
    """The line above the list; asked for whenever it is painted."""

    def __init__(self, made: Callable[[int], list[Zone]]) -> None:
        super().__init__()
        self._made = made

    def zones(self, width: int) -> list[Zone]:
        """The pieces."""
        return self._made(width)
