"""The correction screen as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.editing import EditRow, Mark
from reviewer.app.row_layout import Laid, highlighted, ruled, under_headings
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
    Mark.NAMED: ("≠", theme.CARE),
    Mark.UNNAMED: ("≠", theme.CARE),
}
_LABEL_CELLS = 30


def _say(key: str, **fields: object) -> str:
    return messages.text(f"app_edit.{key}", **fields)


def lay_out(rows: Sequence[EditRow], cursor: int, width: int) -> Laid:
    """Every row of a correction in ``width`` cells, under the heading of its group."""
    return under_headings(
        rows,
        lambda section: _heading(section, width),
        lambda number, row: _row_lines(row, width, chosen=number == cursor),
    )


def _heading(section: str, width: int) -> Content:
    words = join(
        Content(" "),
        literal(_say(f"section_{section}"), theme.HEADING),
        literal(f"  {_say(f'legend_{section}')} ", theme.QUIET),
    )
    return ruled(words, width)


def _row_lines(row: EditRow, width: int, *, chosen: bool) -> list[Content]:
    edge = Content.styled("▌", theme.KEY) if chosen else Content(" ")
    symbol, tone = ("+", theme.LINK) if row.adds else _MARKS[row.mark]
    first = join(edge, literal(symbol, tone), Content(" "))
    rest = join(edge, Content("  "))
    body = [literal(_say(f"add_{row.section}"), theme.LINK)] if row.adds else _body(row, tone, width)
    made = [join(first if number == 0 else rest, line) for number, line in enumerate(body)]
    return highlighted(made, width, chosen=chosen)


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
