"""The correction screen as lines of text; which line belongs to which row is told with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.editing import EditRow, Mark, Section
from reviewer.app.text import Content, indent, join, literal
from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Sequence

_MARKS = {
    Mark.NONE: (" ", ""),
    Mark.ACCEPTED: ("✓", theme.GOOD),
    Mark.REMOVED: ("✗", theme.BAD),
    Mark.ADDED: ("+", theme.GOOD),
    Mark.CHANGED: ("≠", theme.CARE),
}
_LABEL_CELLS = 30


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


def _say(key: str, **fields: object) -> str:
    return messages.text(f"app_edit.{key}", **fields)


def lay_out(rows: Sequence[EditRow], cursor: int, width: int) -> Laid:
    """Every row of a correction in ``width`` cells, under the heading of its group."""
    lines: list[Content] = []
    places: list[tuple[int, int]] = []
    section: Section | None = None
    for number, row in enumerate(rows):
        if row.section is not section:
            section = row.section
            if lines:
                lines.append(Content(""))
            lines.append(_heading(section, width))
        made = _row_lines(row, width, chosen=number == cursor)
        places.append((len(lines), len(made)))
        lines += made
    return Laid(tuple(lines), tuple(places))


def _heading(section: Section, width: int) -> Content:
    words = join(
        Content(" "),
        literal(_say(f"section_{section}"), theme.HEADING),
        literal(f"  {_say(f'legend_{section}')} ", theme.QUIET),
    )
    return join(words, Content.styled("─" * max(0, width - words.cell_length), theme.RULE)).truncate(width)


def _row_lines(row: EditRow, width: int, *, chosen: bool) -> list[Content]:
    edge = Content.styled("▌", theme.KEY) if chosen else Content(" ")
    symbol, tone = ("+", theme.LINK) if row.adds else _MARKS[row.mark]
    first = join(edge, literal(symbol, tone), Content(" "))
    rest = join(edge, Content("  "))
    body = [literal(_say(f"add_{row.section}"), theme.LINK)] if row.adds else _body(row, tone, width)
    made = [join(first if number == 0 else rest, line) for number, line in enumerate(body)]
    return highlighted(made, width, chosen=chosen)


def highlighted(lines: Sequence[Content], width: int, *, chosen: bool) -> list[Content]:
    """The lines of a row, cut to ``width`` cells; those of the selected row stand out."""
    if chosen:
        lines = [
            join(line, Content(" " * max(0, width - line.cell_length))).stylize("on $row-cursor")
            for line in lines
        ]
    return [line.truncate(width) for line in lines]


def _body(row: EditRow, tone: str, width: int) -> list[Content]:
    room = width - 3
    word = _say(f"mark_{row.mark}") if row.mark is not Mark.NONE else ""
    note = literal(f"  {word}", tone) if word else Content("")
    if row.before is not None:
        was = literal(_say("before", old=row.before), theme.QUIET)
        note = join(note, Content(" "), was) if word else was
    style = "strike" if row.mark is Mark.REMOVED else "bold" if row.mark is not Mark.NONE else ""
    value = literal(row.value, style)
    if not row.label:
        return indent(join(value, note), room, Content(""))
    cells = min(_LABEL_CELLS, max(12, room // 2 - 2))
    label = literal(row.label, theme.QUIET).truncate(cells, pad=True, ellipsis=True)
    return indent(join(value, note), room, join(label, Content(" ")))
