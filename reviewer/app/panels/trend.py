"""The figures of the stored runs in a row: a sparkline per metric, first and last figure, and the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.panels.bars import spark
from reviewer.app.panels.common import (
    limit_words,
    mark_of,
    metric_name,
    number,
    outputs_name,
    paragraph,
    rule,
)
from reviewer.app.text import Content, indent, join, literal, tell
from scoring import messages
from scoring.clinical.gate import Verdict
from scoring.clinical.score import COUNTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reviewer.app.board_desk import Extras
    from scoring.clinical import GateReport
    from scoring.reports.stored import Shelf, StoredReport
    from scoring.reports.trend import Series, Trend

_NAME_CELLS = 24
_LONGEST_SPARK, _SHORTEST_SPARK = 40, 6
_OTHER_CELLS = 39
"""Of a row besides name and sparkline."""
_RUNS_SHOWN = 12
_REFUSED_SHOWN = 12
_VERDICTS = frozenset(verdict.value for verdict in Verdict)
_COUNTED = frozenset({*COUNTS, "violaciones_seguridad_juez", "casos_no_juzgados"})


def lines(report: GateReport, extras: Extras, width: int) -> list[Content]:
    """The view for a width."""
    said = [rule(messages.text("board.trend"), width)]
    shelf, found = extras.shelf, extras.trend
    if not extras.looked or found is None:
        return said + paragraph("board.looking", width, theme.QUIET)
    if not found.runs:
        key = "board.trend_none" if shelf.reports else "board.no_reports"
        said += paragraph(key, width, folder=str(shelf.folder))
    else:
        said += paragraph("board.trend_runs", width, n=len(found.runs), **_ends(found))
        said += [_row(series, report, width) for series in found.series]
        if found.judge:
            now = report.judge.present and report.judge.name == found.judge_name
            key = "board.trend_judge" if now else "board.trend_judge_then"
            words = messages.text(key, name=found.judge_name, n=len(found.judge[0].values))
            said += [literal(f" {words}", theme.STRONG).truncate(width)]
            said += [_row(series, report, width) for series in found.judge]
        said += paragraph("board.trend_legend", width, theme.QUIET)
        said += [Content(""), *_runs(found.runs, width)]
    return [*said, *_left_out(found, shelf, width)]


def _ends(found: Trend) -> dict[str, str]:
    first, last = found.runs[0].at, found.runs[-1].at
    return {
        "first": f"{first.astimezone():%Y-%m-%d}" if first is not None else "?",
        "last": f"{last.astimezone():%Y-%m-%d}" if last is not None else "?",
    }


def _row(series: Series, report: GateReport, width: int) -> Content:
    result = report.aggregate.get(series.metric)
    judged = next((m for m in report.judge.metrics if m.metric == series.metric), None)
    here = result or judged
    # Without a figure of now there is nothing to hold against a threshold.
    mark, style = mark_of(here.passes) if here is not None else (" ", "")
    limit = limit_words(here.threshold, here.limit) if here is not None else ""
    known = [value for value in series.values if value is not None]
    name = max(8, min(_NAME_CELLS, width - 26))
    cells = min(_LONGEST_SPARK, max(_SHORTEST_SPARK, width - name - (_OTHER_CELLS if width >= 60 else 20)))
    is_count = series.metric in _COUNTED
    ends = [_said(value, is_count=is_count) for value in (*known[:1], *known[-1:])] or ["–", "–"]
    step = known[-1] - known[0] if known else 0.0
    moved = "=" if not step else "↑" if step > 0 else "↓"
    span = "–".join(_said(end(known), is_count=is_count) for end in (min, max)) if known else ""
    return join(
        Content(" "),
        literal(mark, style),
        Content(" "),
        literal(metric_name(series.metric)).truncate(name, pad=True, ellipsis=True),
        Content("  "),
        literal(spark(series.values, cells).rjust(cells), theme.LINK),
        literal(f"  {ends[0].rjust(4)} → ", theme.QUIET),
        literal(ends[1].ljust(4), theme.STRONG),
        literal(f" {moved}  {limit.ljust(6)}  {span.center(9)}", theme.QUIET),
    ).truncate(width)


def _said(value: float, *, is_count: bool) -> str:
    return f"{value:.0f}" if is_count else number(f"{value:.2f}")


def _runs(runs: Sequence[StoredReport], width: int) -> list[Content]:
    """The newest runs, one per line."""
    said = [literal(f" {messages.text('board.trend_reports')}", theme.STRONG).truncate(width)]
    for run in list(reversed(runs))[:_RUNS_SHOWN]:
        at = f"{run.at.astimezone():%Y-%m-%d %H:%M}" if run.at is not None else "?"
        words = messages.text(f"app.verdict_{run.verdict}") if run.verdict in _VERDICTS else run.verdict[:20]
        said.append(
            join(
                literal(f"   {at}  "),
                literal(words).truncate(17, pad=True, ellipsis=True),
                tell("board.trend_counted", style=theme.QUIET, n=run.counted),
                literal(f"  {outputs_name(run.generator)} · {run.path.name}", theme.QUIET),
            ).truncate(width, ellipsis=True)
        )
    if len(runs) > _RUNS_SHOWN:
        said += paragraph("board.trend_more", width, theme.QUIET, n=len(runs) - _RUNS_SHOWN)
    return said


def _left_out(found: Trend, shelf: Shelf, width: int) -> list[Content]:
    """What lies in the folder and is not in the line, and why; what cannot be read is named."""
    said: list[Content] = []
    for reason, n in sorted(found.left_out.items()):
        text = tell(f"board.apart_{reason}", n=n)
        said += indent(text, width, Content.styled(" ○ ", theme.QUIET))
    for one in shelf.unreadable[:_REFUSED_SHOWN]:
        said += indent(literal(one.sentence), width, Content.styled(" ! ", theme.CARE))
    rest = len(shelf.unreadable) - _REFUSED_SHOWN
    if rest > 0:
        said += paragraph("board.unreadable_more", width, theme.CARE, n=rest)
    if shelf.unread:
        said += paragraph("board.unread", width, theme.CARE, n=shelf.unread)
    return [Content(""), *said] if said else []
