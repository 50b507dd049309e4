"""The dashboard of a chart-abstraction report as lines of text: header, summary, one row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from reviewer.abstraction_board import BETTER, FAILS, HOLDS, UNJUDGED, WORSE, Show, bar, label
from reviewer.abstraction_report import OVERALL
from reviewer.app import theme
from reviewer.app.text import Content, join, literal, spread, tell
from scoring import messages
from scoring.abstraction.ranking import is_error
from scoring.abstraction.report import METRICS
from scoring.cli.abstraction_view import counts_text, metric_name, whole

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from reviewer.abstraction_board import AbstractionBoard, Cells
    from reviewer.abstraction_report import Slice
    from scoring.abstraction.report import AbstractionScores

MARK_STYLES: Final = {
    FAILS: theme.BAD,
    HOLDS: theme.GOOD,
    UNJUDGED: theme.CARE,
    WORSE: theme.BAD,
    BETTER: theme.GOOD,
    "": "",
}
BAR_CELLS: Final = 10
_BAR_FROM: Final = 56
_INTERVAL_FROM: Final = 78
_RATE_CELLS: Final = 7
_INTERVAL_CELLS: Final = 16
_ERRORS_CELLS: Final = 8
WIDE_FROM: Final = 118
"""From this width on the selected slice stands beside the list, in :data:`DETAIL_CELLS`."""
DETAIL_CELLS: Final = 42


# -- the summary above the list ------------------------------------------------------------------------


def summary_lines(board: AbstractionBoard, width: int, *, short: bool) -> list[Content]:
    """Overall by every metric, bounds, changes, and how the list below is sorted.

    Args:
        board: what is looked at; without a report there is nothing to sum up.
        width: cells of a line.
        short: the terminal is so low that one line has to do.
    """
    report = board.state.report.value
    if report is None:
        return []
    if short:
        number = METRICS.index(board.metric) + 1
        words = (
            f" {number} {metric_name(board.metric)} · {messages.text(f'informe.short_{board.order.value}')}"
        )
        return [literal(words, theme.HEADING).truncate(width, ellipsis=True)]
    lines = [_counts_line(report.overall, width)]
    lines += [_overall_line(board, number, metric, width) for number, metric in enumerate(METRICS, 1)]
    lines += [line.truncate(width, ellipsis=True) for line in (*_bounds_lines(board), *_changes_lines(board))]
    return [*lines, *list_heading(board, width)]


def _counts_line(scores: AbstractionScores, width: int) -> Content:
    line = literal(f" {counts_text(scores)}", theme.QUIET)
    if line.cell_length > width:
        line = tell(
            "informe.counts_narrow",
            theme.QUIET,
            rows=whole(scores.field_count),
            answerable=whole(scores.answerable_count),
            answered=whole(scores.answered_count),
            abstained=whole(scores.abstained_count),
            missing=whole(scores.missing_count),
        )
        line = join(Content(" "), line)
    return line.truncate(width, ellipsis=True)


def metric_at(board: AbstractionBoard, line: int, *, short: bool) -> int | None:
    """The number of the metric that stands in that line of the summary, from 1; None if there is none."""
    if short or board.state.report.value is None or not 1 <= line <= len(METRICS):
        return None
    return line


def _overall_line(board: AbstractionBoard, number: int, metric: str, width: int) -> Content:
    chosen = metric == board.metric
    cells = board.cells(OVERALL, metric)
    edge = Content.styled("▌", theme.KEY) if chosen else Content(" ")
    names = max(len(metric_name(name)) for name in METRICS)
    figures = _figures(board, cells, width, _wrong_cells(board, METRICS), bar_cells=0)
    room = max(6, min(names, width - 6 - figures.cell_length))
    name = literal(metric_name(metric), theme.STRONG if chosen else "")
    key = literal(f"{number} ", theme.KEY)
    line = join(
        edge, key, name.truncate(room, pad=True, ellipsis=True), figures, Content(" "), *_marks(cells)
    )
    return line.truncate(width, ellipsis=True)


def _wrong_cells(board: AbstractionBoard, metrics: Iterable[str]) -> int:
    """Cells of the widest «88 de 1.000» there can be."""
    overall = board.state.slices[OVERALL]
    return max(
        len(messages.text("informe.wrong", wrong=text, total=text))
        for text in (whole(overall.metric(metric).total_count) for metric in metrics)
    )


def _figures(
    board: AbstractionBoard, cells: Cells, width: int, wrong_cells: int, bar_cells: int = BAR_CELLS
) -> Content:
    """Bar, rate, interval and errors: as many of them as ``width`` has room for."""
    parts: list[Content] = []
    if bar_cells and width >= _BAR_FROM:
        full, rest = bar(cells.share, bar_cells)
        parts += [
            literal(full, theme.BAD if is_error(board.metric) else theme.GOOD),
            literal(rest, theme.RULE),
        ]
    parts.append(literal(cells.rate.rjust(_RATE_CELLS), theme.STRONG))
    if width >= _INTERVAL_FROM:
        parts.append(literal(f" {cells.interval:<{_INTERVAL_CELLS}}", theme.QUIET))
    if width >= _BAR_FROM:
        parts.append(literal(f" {cells.wrong:>{wrong_cells}}", theme.QUIET))
    else:
        parts.append(literal(f" {cells.errors:>{_ERRORS_CELLS}}", theme.QUIET))
    return join(*parts)


def _bounds_lines(board: AbstractionBoard) -> list[Content]:
    state = board.state
    if not state.findings:
        return []
    failed, empty = state.count(holds=False), state.count(holds=None)
    total = failed + empty + state.count(holds=True)
    said = []
    if failed:
        said.append(tell("informe.bounds_fail", theme.BAD, failed=whole(failed), total=whole(total)))
    if empty:
        said.append(tell("informe.bounds_unjudged", theme.CARE, empty=whole(empty)))
    if not said:
        said.append(tell("informe.bounds_hold", theme.GOOD, n=total))
    mark = FAILS if failed else UNJUDGED if empty else HOLDS
    return [join(Content(" "), literal(f"{mark} ", MARK_STYLES[mark]), Content(" ").join(said))]


def _changes_lines(board: AbstractionBoard) -> list[Content]:
    state = board.state
    if state.earlier.value is None:
        return []
    moved = [change for changes in state.moved.values() for change in changes if change.scope == "field"]
    worse = sum(change.worse for change in moved)
    words = [
        tell(
            "informe.changes",
            theme.BAD if worse else "",
            worse=whole(worse),
            better=whole(len(moved) - worse),
        )
    ]
    for key, names in (("new_fields", state.added), ("gone_fields", state.removed)):
        if names:
            words.append(tell(f"informe.{key}", n=len(names)))
    if board.files.earlier is not None:
        words.append(tell("informe.since", theme.QUIET, name=board.files.earlier.name))
    mark = WORSE if worse else "="
    said = literal(" · ", theme.QUIET).join(words)
    return [join(Content(" "), literal(f"{mark} ", MARK_STYLES.get(mark, "")), said)]


def list_heading(board: AbstractionBoard, width: int) -> list[Content]:
    """What is listed and how it is sorted; then the names of the columns."""
    report = board.state.report.value
    total = len(report.by_field) if report is not None else 0
    shown = sum(scope == "field" for scope, _ in board.places())
    words = literal(board.order_words(), theme.HEADING)
    key = "informe.shown_all" if shown == total else "informe.shown_some"
    right = tell(key, theme.QUIET, shown=whole(shown), total=whole(total))
    if board.show is not Show.ALL:
        chosen = tell(f"informe.show_{board.show.value}", theme.CARE)
        right = join(chosen, literal(" · ", theme.QUIET), right)
    if board.search.split():
        wanted = tell("informe.searching", theme.CARE, text=board.search)
        right = join(wanted, literal(" · ", theme.QUIET), right)
    right = join(right, Content(" "))
    first = join(Content(" "), words)
    lines = [spread(first, right, width)]
    if first.cell_length + right.cell_length > width:
        lines = [first.truncate(width, ellipsis=True), spread(Content(" "), right, width)]
    return [*lines, _columns_line(board, width)]


def _columns_line(board: AbstractionBoard, width: int) -> Content:
    """The names of the columns, standing over them."""
    list_width = width - DETAIL_CELLS if width >= WIDE_FROM else width
    names = {key: messages.text(f"informe.column_{key}") for key in ("rate", "interval", "errors", "field")}
    wrong = _wrong_cells(board, (board.metric,))
    parts = [" " * BAR_CELLS if list_width >= _BAR_FROM else "", names["rate"].rjust(_RATE_CELLS)]
    if list_width >= _INTERVAL_FROM:
        parts.append(f" {names['interval']:<{_INTERVAL_CELLS}}")
    parts.append(f" {names['errors']:>{wrong if list_width >= _BAR_FROM else _ERRORS_CELLS}}")
    # The list keeps a column for its scroll bar.
    right = join(literal("".join(parts), theme.QUIET), Content("  "))
    return spread(literal(f"    {names['field']}", theme.QUIET), right, list_width)


# -- one row ---------------------------------------------------------------------------------------------


def slice_row(board: AbstractionBoard, place: Slice, width: int, *, chosen: bool) -> Content:
    """One slice by the chosen metric, in one line of ``width`` cells."""
    cells = board.cells(place)
    edge = Content.styled("▌", theme.KEY) if chosen else Content(" ")
    style = theme.STRONG if chosen else "" if place[0] == "field" else theme.LINK
    wrong = _wrong_cells(board, (board.metric,))
    figures = join(_figures(board, cells, width, wrong), Content(" "))
    room = max(6, width - 5 - figures.cell_length)
    name = literal(_middle(label(place), room), style)
    return spread(join(edge, *_marks(cells), Content(" "), name), figures, width)


def _marks(cells: Cells) -> list[Content]:
    return [literal(mark or " ", MARK_STYLES[mark]) for mark in (cells.bound, cells.change)]


def _middle(name: str, width: int) -> str:
    """``name`` in ``width`` cells; what is left out stands in the middle, for both ends tell fields apart."""
    if len(name) <= width:
        return name
    tail = (width - 1) // 2
    return f"{name[: width - 1 - tail]}…{name[len(name) - tail :]}"


# -- header, notices, and what stands where there is no report --------------------------------------------


def header_lines(board: AbstractionBoard, width: int, now: datetime) -> list[Content]:
    """Two lines: what this is and that it is value-free; which file, of when."""
    first = spread(
        join(Content(" "), tell("informe.title", theme.HEADING)),
        join(tell("informe.value_free", theme.QUIET), Content(" ")),
        width,
    )
    name = board.files.report.name if board.files.report is not None else messages.text("informe.no_file")
    left = join(Content(" "), literal(name, theme.STRONG))
    part = board.state.report
    if part.value is None or part.written is None:
        return [first, left.truncate(width, ellipsis=True)]
    key = "informe.stale" if part.trouble is not None else "informe.written"
    when = tell(key, theme.CARE if part.trouble else theme.QUIET, at=moment(part.written, now))
    if left.cell_length + when.cell_length + 2 > width:
        when = literal(moment(part.written, now), theme.CARE if part.trouble else theme.QUIET)
    return [first, spread(left, join(when, Content(" ")), width)]


def moment(when: datetime, now: datetime) -> str:
    """The time of day if it is today, with the date before it if not."""
    local = when.astimezone(now.tzinfo)
    return f"{local:%H:%M:%S}" if local.date() == now.date() else f"{local:%Y-%m-%d %H:%M}"


def trouble_text(board: AbstractionBoard, now: datetime) -> str:
    """What is shown meanwhile, and what is wrong with the files now; empty when nothing is."""
    state = board.state
    said = [str(trouble) for trouble in state.troubles]
    if (
        state.report.trouble is not None
        and state.report.value is not None
        and state.report.read_at is not None
    ):
        said.insert(0, messages.text("informe.last_good", at=moment(state.report.read_at, now)))
    return "\n ".join(said)


def empty_text(board: AbstractionBoard, *, short: bool) -> Content:
    """What stands in the list when it has no row."""
    if board.files.report is None:
        return tell("informe.how_to_low" if short else "informe.how_to")
    if board.state.report.trouble is not None:
        return tell("informe.waiting")
    if board.state.report.value is None:
        return tell("informe.reading")
    if board.search.split():
        key = "no_match" if board.show is Show.ALL else "no_match_selected"
        return tell(f"informe.{key}", text=board.search)
    return tell(f"informe.none_{board.show.value}")
