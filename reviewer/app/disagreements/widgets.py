"""The parts of these screens: a virtual list with headings, a pane of lines, the bars above."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.containers import VerticalScroll
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual
from textual.widget import Widget
from textual.widgets import Static

from reviewer.app.text import Content, indent, lines_of
from reviewer.app.widgets.zones import Zone, ZoneLine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult

Line = Callable[[int, int, bool], Content]
"""What a row says: its number, the width, whether it is the selected one."""


class PickedList(ScrollView, can_focus=True, inherit_bindings=False):
    """A list that builds only the lines it paints; numbers below zero are headings and never selected."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"picked--cursor", "picked--row"}

    cursor: reactive[int] = reactive(0, repaint=False)

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
        self._empty = Content("")

    @property
    def selected(self) -> int | None:
        """The number of the selected row, or None."""
        found = self._rows[self.cursor] if self.cursor < len(self._rows) else -1
        return found if found >= 0 else None

    def show(self, rows: Sequence[int], selected: int | None, empty: Content) -> None:
        """Show other rows; where ``selected`` is not among them the place stays."""
        self._rows = rows
        self._empty = empty
        try:
            place = rows.index(selected) if selected is not None else self.cursor
        except ValueError:
            place = self.cursor
        self._fit()
        self.set_reactive(PickedList.cursor, self._near(place, 1))
        self._scroll_to_cursor()
        self.refresh()

    def move(self, rows: int) -> None:
        """Select the row so many further on; headings are stepped over, both ends stop."""
        self._select(self._near(self.cursor + rows, rows))

    def edge(self, direction: int) -> None:
        """Select the first (-1) or last (1) row."""
        self._select(self._near(0 if direction < 0 else len(self._rows) - 1, -direction))

    def _near(self, place: int, step: int) -> int:
        """The row at ``place`` or, if a heading stands there, the next one in that direction or the other."""
        place = max(0, min(place, len(self._rows) - 1))
        for direction in (1, -1) if step >= 0 else (-1, 1):
            found = place
            while 0 <= found < len(self._rows) and self._rows[found] < 0:
                found += direction
            if 0 <= found < len(self._rows):
                return found
        return 0

    def _select(self, place: int) -> None:
        if self._rows and place != self.cursor:
            self.cursor = place
            self._scroll_to_cursor()
            self.refresh()
            self.post_message(self.Moved(self._rows[place]))

    def _fit(self) -> None:
        self.virtual_size = Size(self.size.width, max(1, len(self._rows)))

    def _scroll_to_cursor(self) -> None:
        if self._rows and self.size.height:
            top = self.cursor
            if top and self._rows[top - 1] < 0 and self.size.height > 1:
                top -= 1  # the heading above the first row of a group is worth seeing too
            height = self.cursor - top + 1
            self.scroll_to_region(Region(0, top, max(1, self.size.width), height), animate=False, force=True)

    def on_resize(self) -> None:
        """Keep the selected row in sight."""
        self._fit()
        self._scroll_to_cursor()
        self.refresh()

    def on_focus(self) -> None:
        """The selected row is stronger while the list has the keys."""
        self.refresh()

    def on_blur(self) -> None:
        """The selected row is quieter while something else has the keys."""
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """A click selects; a click on the selected row opens it."""
        place = event.y + self.scroll_offset.y
        if not 0 <= place < len(self._rows) or self._rows[place] < 0:
            return
        if place == self.cursor:
            self.post_message(self.Opened(self._rows[place]))
        else:
            self._select(place)

    def render_line(self, y: int) -> Strip:
        """One painted line."""
        width = self.size.width
        place = y + self.scroll_offset.y
        style = self.visual_style
        if not self._rows:
            lines = indent(self._empty, width - 2, Content("  "))
            content = lines[y] if y < len(lines) else Content("")
        elif place >= len(self._rows):
            content = Content("")
        else:
            chosen = place == self.cursor
            content = self._line(self._rows[place], width, chosen)
            style = self.get_visual_style("picked--cursor" if chosen else "picked--row")
        strips = Visual.to_strips(self, content.truncate(width, ellipsis=True), width, 1, style, pad=True)
        return strips[0].adjust_cell_length(width, style.rich_style) if strips else Strip.blank(width)


class LinesPane(VerticalScroll, can_focus=True, inherit_bindings=False):
    """Lines laid out for the width there is; another subject starts at its top, the same one stays."""

    def __init__(self, lines: Callable[[int], Sequence[Content]], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._lines = lines
        self._subject: object = None
        self._laid_out_for = 0

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static(Content(""), id="sheet-text")

    def show(self, subject: object) -> None:
        """Ask for the lines again."""
        same = subject == self._subject
        self._subject = subject
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
        self.query_one("#sheet-text", Static).update(lines_of(self._lines(self._laid_out_for)))


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
