"""A list that builds only the rows it paints, so 100,000 rows open like 10.

It knows places and asks a subclass for a row when it paints one. Every change of place by key or mouse
is told by the subclass's own messages; the screen decides what follows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from reviewer.app.text import Content, indent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events


class VirtualList(ScrollView, can_focus=True, inherit_bindings=False):
    """Rows of equal height with one selected."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"queue--cursor", "queue--row"}

    cursor: reactive[int] = reactive(0, repaint=False)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._empty = Content("")

    # -- what a subclass says ------------------------------------------------------------------

    @property
    def row_height(self) -> int:
        """Lines of a row at the width there is."""
        return 1

    @property
    def count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError

    def row(self, place: int, width: int, *, chosen: bool) -> Sequence[Content]:
        """The lines of one row, ``row_height`` of them."""
        raise NotImplementedError

    def moved(self, place: int) -> None:
        """Another row was selected by key or mouse."""

    def opened(self, place: int) -> None:
        """The selected row was clicked again."""

    # -- places --------------------------------------------------------------------------------

    def place_at(self, place: int, empty: Content) -> None:
        """The rows are others: select ``place``, or the nearest there is, and paint."""
        self._empty = empty
        self._fit()
        self.set_reactive(VirtualList.cursor, max(0, min(place, self.count - 1)))
        self._scroll_to_cursor()
        self.refresh()

    def move(self, rows: int) -> None:
        """Select the row so many further on; stops at both ends."""
        self._select(self.cursor + rows)

    def edge(self, direction: int) -> None:
        """Select the first (-1) or last (1) row."""
        self._select(0 if direction < 0 else self.count - 1)

    def _select(self, place: int) -> None:
        if not self.count:
            return
        place = max(0, min(place, self.count - 1))
        if place != self.cursor:
            self.cursor = place
            self._scroll_to_cursor()
            self.refresh()
            self.moved(place)

    def _fit(self) -> None:
        height = max(1, self.count * self.row_height)
        self.virtual_size = Size(self.size.width, height)

    def _scroll_to_cursor(self) -> None:
        if self.count and self.size.height:
            top = self.cursor * self.row_height
            self.scroll_to_region(
                Region(0, top, max(1, self.size.width), self.row_height), animate=False, force=True
            )

    # -- events and painting -------------------------------------------------------------------

    def on_resize(self) -> None:
        """Rows may become higher or lower."""
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
        if not 0 <= place < self.count:
            return
        if place == self.cursor:
            self.opened(place)
        else:
            self._select(place)

    def render_line(self, y: int) -> Strip:
        """One painted line; only these build a row."""
        width = self.size.width
        line = y + self.scroll_offset.y
        place, part = divmod(line, self.row_height)
        style = self.visual_style
        if not self.count:
            lines = indent(self._empty, width - 2, Content("  "))
            content = lines[y] if y < len(lines) else Content("")
        elif place >= self.count:
            content = Content("")
        else:
            chosen = place == self.cursor
            content = self.row(place, width, chosen=chosen)[part]
            name = "queue--cursor" if chosen else "queue--row"
            style = self.get_visual_style(name)
        strips = Visual.to_strips(self, content, width, 1, style, pad=True)
        return strips[0].adjust_cell_length(width, style.rich_style) if strips else Strip.blank(width)
