"""The parts of the open split: species, batch, group of analytes, kind of case; the worst first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.panels.cases import COLUMNS
from reviewer.app.panels.common import mark_of, metric_name, number, paragraph, rule
from reviewer.app.text import Content, indent, join, literal, tell, wrap_lines
from scoring import messages
from scoring.clinical.score import MISSED, VIOLATIONS
from scoring.clinical.slices import DIMENSIONS

if TYPE_CHECKING:
    from scoring.clinical import GateReport
    from scoring.clinical.slices import Slice

_COLUMNS = (*COLUMNS, VIOLATIONS, MISSED)
_CELLS = 7
_NAME_CELLS = 34
_NAME_LINES = 4
_TABLE_FROM_WIDTH = 70
_SHOWN = 40
"""Parts of one kind that are listed; a set with hundreds of batches has its worst first."""


def lines(report: GateReport, width: int) -> list[Content]:
    """The view for a width."""
    if not report.slices:
        return [rule(messages.text("board.parts"), width), *paragraph("board.parts_none", width)]
    said = [rule(messages.text("board.parts"), width), *_worst(report, width)]
    as_table = width >= _TABLE_FROM_WIDTH
    for dimension in DIMENSIONS:
        mine = [part for part in report.slices if part.dimension == dimension]
        if not mine:
            continue
        said += [Content(""), _head(dimension, width, as_table=as_table)]
        for part in mine[:_SHOWN]:
            said += _row(part, width) if as_table else _listed(part, width)
        if len(mine) > _SHOWN:
            said += paragraph("board.parts_more", width, theme.QUIET, n=len(mine) - _SHOWN)
    said += [Content(""), *paragraph("board.parts_legend", width, theme.QUIET, n=report.min_cases)]
    return said


def _worst(report: GateReport, width: int) -> list[Content]:
    """The part that misses most; a small one, or one that is the whole, only where there is no other."""
    unmet = [part for part in report.slices if part.unmet]
    if not unmet:
        return paragraph("board.parts_all_met", width)
    worst = min(unmet, key=lambda p: (p.small, p.cases == report.counted, -p.unmet, -p.shortfall))
    names = ", ".join(
        f"{metric_name(r.metric)} {number(r.figure)}" for r in worst.results.values() if r.passes is False
    )
    where = messages.text(f"render.by_{worst.dimension}", value=worst.value)
    key = "board.parts_worst_small" if worst.small else "board.parts_worst"
    return paragraph(key, width, where=where, n=worst.cases, names=names)


def _name_cells(width: int) -> int:
    return max(12, min(_NAME_CELLS, width - 3 - 6 - _CELLS * len(_COLUMNS)))


def _head(dimension: str, width: int, *, as_table: bool) -> Content:
    words = literal(messages.text(f"board.by_{dimension}"), theme.STRONG)
    if not as_table:
        return join(Content(" "), words).truncate(width)
    names = [
        literal(messages.text(f"{_area(name)}.column_{name}").rjust(_CELLS), theme.QUIET) for name in _COLUMNS
    ]
    cases = literal(messages.text("board.column_cases").rjust(6), theme.QUIET)
    return join(Content(" "), words.truncate(_name_cells(width) + 2, pad=True), cases, *names).truncate(width)


def _area(metric: str) -> str:
    return "board" if metric in {VIOLATIONS, MISSED} else "app"


def _row(part: Slice, width: int) -> list[Content]:
    """A part with its figures; what is left of a long name stands below its beginning."""
    mark, style = ("·", theme.QUIET) if part.small else mark_of(not part.unmet)
    cells = _name_cells(width)
    value = literal(part.value, theme.QUIET if part.small else "")
    name, *rest = wrap_lines(value.truncate(_NAME_LINES * cells, ellipsis=True), cells)
    first = join(
        Content(" "),
        literal(mark, style),
        Content(" "),
        name.truncate(cells, pad=True),
        literal(f"{part.cases}".rjust(6), theme.QUIET),
        *(_figure(part, metric) for metric in _COLUMNS),
    )
    return [first.truncate(width), *(join(Content("   "), line) for line in rest)]


def _figure(part: Slice, metric: str) -> Content:
    result = part.results.get(metric)
    if result is None or result.value is None:
        return literal("–".rjust(_CELLS - 1) + " ", theme.QUIET)
    tail = "✗" if result.passes is False else " "
    style = theme.BAD if result.passes is False and not part.small else theme.QUIET if part.small else ""
    return literal(f"{number(result.figure)}{tail}".rjust(_CELLS), style)


def _listed(part: Slice, width: int) -> list[Content]:
    """A part as text, where a table has no room: what it misses."""
    mark, style = ("·", theme.QUIET) if part.small else mark_of(not part.unmet)
    missed = [
        f"{metric_name(r.metric)} {number(r.figure)}" for r in part.results.values() if r.passes is False
    ]
    head = tell("board.part", value=part.value, n=part.cases, names=", ".join(missed) or "✓")
    return indent(head, width, join(Content(" "), literal(mark, style), Content(" ")))
