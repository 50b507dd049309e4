"""Rows of several lines as text, under the heading of their group; which line is whose is told with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from reviewer.app import theme
from reviewer.app.text import Content, join

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Grouped(Protocol):
    """A row that stands under a heading."""

    @property
    def section(self) -> str:
        """The group; rows of one group follow one another."""
        ...


Row = TypeVar("Row", bound=Grouped)


@dataclass(frozen=True, slots=True)
class Laid:
    """Lines of text, and for each row its first line and how many it has."""

    lines: tuple[Content, ...]
    places: tuple[tuple[int, int], ...]

    def row_at(self, line: int) -> int | None:
        """The row that a line belongs to, or None for a heading."""
        for number, (start, height) in enumerate(self.places):
            if start <= line < start + height:
                return number
        return None


def under_headings(
    rows: Sequence[Row], heading: Callable[[str], Content], lines_of_row: Callable[[int, Row], list[Content]]
) -> Laid:
    """The lines of every row, a heading above the first of each group and a blank line above that.

    Args:
        rows: in the order of the screen.
        heading: the line above a group.
        lines_of_row: the lines of a row, given its place too.
    """
    lines: list[Content] = []
    places: list[tuple[int, int]] = []
    section: str | None = None
    for number, row in enumerate(rows):
        if row.section != section:
            section = row.section
            if lines:
                lines.append(Content(""))
            lines.append(heading(section))
        made = lines_of_row(number, row)
        places.append((len(lines), len(made)))
        lines += made
    return Laid(tuple(lines), tuple(places))


def ruled(words: Content, width: int) -> Content:
    """A heading of ``width`` cells: the words, then a rule."""
    return join(words, Content.styled("─" * max(0, width - words.cell_length), theme.RULE)).truncate(width)


def highlighted(lines: Sequence[Content], width: int, *, chosen: bool) -> list[Content]:
    """The lines of a row, cut to ``width`` cells; those of the selected row stand out."""
    if chosen:
        lines = [
            join(line, Content(" " * max(0, width - line.cell_length))).stylize("on $row-cursor")
            for line in lines
        ]
    return [line.truncate(width) for line in lines]
