"""The dashboard of a chart-abstraction report as lines of text: summary, one row, all of one slice."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from reviewer.abstraction_board import BETTER, FAILS, HOLDS, UNJUDGED, WORSE, Show, bar, label
from reviewer.abstraction_report import OVERALL
from reviewer.app import theme
from reviewer.app.text import Content, indent, join, literal, spread, tell
from scoring import messages
from scoring.abstraction.ranking import is_error
from scoring.abstraction.report import METRICS
from scoring.cli.abstraction_view import (
    counts_text,
    decimal_text,
    interval_text,
    limit_text,
    metric_name,
    whole,
)

if TYPE_CHECKING:
    from datetime import datetime

    from reviewer.abstraction_board import AbstractionBoard, Cells
    from reviewer.abstraction_report import Slice
    from scoring.abstraction.compare import Change
    from scoring.abstraction.minimums import Finding

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
_RATE_CELLS: Final = 9
_INTERVAL_CELLS: Final = 17
_WRONG_CELLS: Final = 15
_NAMES_SHOWN: Final = 20


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
    lines = [literal(f" {counts_text(report.overall)}", theme.QUIET).truncate(width, ellipsis=True)]
    lines += [_overall_line(board, number, metric, width) for number, metric in enumerate(METRICS, 1)]
    lines += [line.truncate(width, ellipsis=True) for line in (*_bounds_lines(board), *_changes_lines(board))]
    return [*lines, *list_heading(board, width)]


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
    room = width - 4 - _RATE_CELLS - (_INTERVAL_CELLS + 1 if width >= _BAR_FROM else 0) - _WRONG_CELLS - 3
    name = literal(metric_name(metric), theme.STRONG if chosen else "")
    parts = [
        edge,
        literal(f"{number} ", theme.KEY),
        name.truncate(max(8, min(names, room)), pad=True, ellipsis=True),
        literal(cells.rate.rjust(_RATE_CELLS), theme.STRONG),
    ]
    if width >= _BAR_FROM:
        parts.append(literal(f" {cells.interval:<{_INTERVAL_CELLS}}", theme.QUIET))
    parts += [literal(f" {cells.wrong:<{_WRONG_CELLS}}", theme.QUIET), *_marks(cells)]
    return join(*parts).truncate(width, ellipsis=True)


def _bounds_lines(board: AbstractionBoard) -> list[Content]:
    state = board.state
    if not state.findings:
        return []
    failed, empty = state.count(holds=False), state.count(holds=None)
    total = failed + empty + state.count(holds=True)
    if failed:
        words = tell("informe.bounds_fail", theme.BAD, n=failed, total=whole(total))
    elif empty:
        words = tell("informe.bounds_unjudged", theme.CARE, n=empty, total=whole(total))
    else:
        words = tell("informe.bounds_hold", theme.GOOD, n=total)
    mark = FAILS if failed else UNJUDGED if empty else HOLDS
    return [join(Content(" "), literal(f"{mark} ", MARK_STYLES[mark]), words)]


def _changes_lines(board: AbstractionBoard) -> list[Content]:
    state = board.state
    if state.earlier.value is None:
        return []
    moved = [change for changes in state.moved.values() for change in changes if change.scope == "field"]
    worse = sum(change.worse for change in moved)
    words = tell(
        "informe.changes",
        theme.BAD if worse else "",
        name=board.files.earlier.name if board.files.earlier else "",
        worse=whole(worse),
        better=whole(len(moved) - worse),
        added=whole(len(state.added)),
        removed=whole(len(state.removed)),
    )
    mark = WORSE if worse else "="
    return [join(Content(" "), literal(f"{mark} ", MARK_STYLES.get(mark, "")), words)]


def list_heading(board: AbstractionBoard, width: int) -> list[Content]:
    """What is listed and how it is sorted; then the names of the columns."""
    report = board.state.report.value
    total = len(report.by_field) if report is not None else 0
    shown = sum(scope == "field" for scope, _ in board.places())
    words = literal(board.order_words(), theme.HEADING)
    key = "informe.shown_all" if shown == total else "informe.shown_some"
    right = tell(key, theme.QUIET, shown=whole(shown), total=whole(total), n=total)
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
    return lines


# -- one row ---------------------------------------------------------------------------------------------


def slice_row(board: AbstractionBoard, place: Slice, width: int, *, chosen: bool) -> Content:
    """One slice by the chosen metric, in one line of ``width`` cells."""
    cells = board.cells(place)
    edge = Content.styled("▌", theme.KEY) if chosen else Content(" ")
    style = theme.STRONG if chosen else "" if place[0] == "field" else theme.LINK
    right: list[Content] = []
    if width >= _BAR_FROM:
        full, rest = bar(cells.share, BAR_CELLS)
        tone = theme.BAD if is_error(board.metric) else theme.GOOD
        right += [literal(full, tone), literal(rest, theme.RULE)]
    right.append(
        literal(cells.rate.rjust(_RATE_CELLS), theme.STRONG if cells.share is not None else theme.QUIET)
    )
    if width >= _INTERVAL_FROM:
        right.append(literal(f" {cells.interval:<{_INTERVAL_CELLS}}", theme.QUIET))
    right.append(literal(cells.wrong.rjust(_WRONG_CELLS), theme.QUIET))
    figures = join(*right, Content(" "))
    room = max(6, width - 4 - figures.cell_length)
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


# -- all of one slice ------------------------------------------------------------------------------------


def detail_lines(board: AbstractionBoard, place: Slice, width: int) -> list[Content]:
    """Every metric of a slice with numerator, denominator, interval, bounds and change."""
    state = board.state
    width = max(20, width)
    if place not in state.slices:
        return indent(tell("informe.slice_gone", name=label(place)), width, Content(""))
    scores = state.slices[place]
    lines = indent(literal(label(place), theme.HEADING), width, Content(""))
    lines += indent(literal(counts_text(scores), theme.QUIET), width, Content(""))
    findings = state.findings.get(place, ())
    changes = state.changes.get(place, {})
    if state.earlier.value is not None and not changes:
        lines += indent(tell("informe.slice_new", theme.CARE), width, Content(""))
    for metric in METRICS:
        cells = board.cells(place, metric)
        full, rest = bar(cells.share, BAR_CELLS)
        tone = theme.BAD if is_error(metric) else theme.GOOD
        found = scores.metric(metric)
        style = theme.HEADING if metric == board.metric else theme.STRONG
        lines += [Content(""), literal(metric_name(metric), style).truncate(width, ellipsis=True)]
        figures = join(
            literal(full, tone),
            literal(rest, theme.RULE),
            literal(f" {cells.rate}", theme.STRONG),
            literal(f"  {whole(found.success_count)}/{whole(found.total_count)}"),
        )
        lines += indent(figures, width, Content(" "))
        if cells.interval:
            lines += indent(
                tell("informe.interval", theme.QUIET, interval=cells.interval), width, Content(" ")
            )
        for finding in findings:
            if finding.bound.metric == metric:
                lines += _finding_lines(finding, width)
        if metric in changes:
            lines += _change_lines(changes[metric], width)
    if place == OVERALL:
        lines += _fields_lines(board, width)
    return lines


def _finding_lines(finding: Finding, width: int) -> list[Content]:
    mark, key = {True: (HOLDS, "holds"), False: (FAILS, "fails"), None: (UNJUDGED, "unjudged")}[finding.holds]
    words = tell(
        f"informe.bound_{key}",
        sense=messages.text(f"abstraction.sense_{finding.bound.sense}"),
        limit=limit_text(finding.bound),
    )
    return indent(words, width, literal(f" {mark} ", MARK_STYLES[mark]))


def _change_lines(change: Change, width: int) -> list[Content]:
    difference, interval = change.difference, change.interval
    if difference is None or interval is None:
        return indent(tell("informe.change_none", theme.QUIET), width, Content("   "))
    mark = "=" if not change.moved else WORSE if change.worse else BETTER
    verdict = {WORSE: "worse", BETTER: "better"}.get(mark, "same")
    words = tell(
        f"informe.change_{verdict}",
        before=decimal_text(Fraction(change.before.success_count, change.before.total_count)),
        counts=f"{whole(change.before.success_count)}/{whole(change.before.total_count)}",
        difference=decimal_text(difference, signed=True),
        interval=interval_text(interval, signed=True),
    )
    return indent(words, width, literal(f" {mark} ", MARK_STYLES.get(mark, "")))


def _fields_lines(board: AbstractionBoard, width: int) -> list[Content]:
    """Fields that only one of the two reports has."""
    lines: list[Content] = []
    for key, names in (("fields_added", board.state.added), ("fields_removed", board.state.removed)):
        if names:
            listed = ", ".join(names[:_NAMES_SHOWN])
            if len(names) > _NAMES_SHOWN:
                rest = len(names) - _NAMES_SHOWN
                listed = messages.text("informe.and_more", listed=listed, n=rest)
            lines += [Content(""), *indent(tell(f"abstraction.{key}", names=listed), width, Content(""))]
    return lines


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
    return [first, spread(left, join(when, Content(" ")), width)]


def moment(when: datetime, now: datetime) -> str:
    """The time of day if it is today, with the date before it if not."""
    local = when.astimezone(now.tzinfo)
    return f"{local:%H:%M:%S}" if local.date() == now.date() else f"{local:%Y-%m-%d %H:%M}"


def trouble_text(board: AbstractionBoard, now: datetime) -> str:
    """What is wrong with the files now and what is shown meanwhile; empty when nothing is."""
    state = board.state
    said = [str(trouble) for trouble in state.troubles]
    if (
        state.report.trouble is not None
        and state.report.value is not None
        and state.report.read_at is not None
    ):
        said.insert(1, messages.text("informe.last_good", at=moment(state.report.read_at, now)))
    return "\n ".join(said)


def empty_text(board: AbstractionBoard) -> Content:
    """What stands in the list when it has no row."""
    if board.files.report is None:
        return tell("informe.how_to")
    if board.state.report.trouble is not None:
        return tell("informe.waiting")
    if board.state.report.value is None:
        return tell("informe.reading")
    if board.search.split():
        return tell("informe.no_match", text=board.search)
    return tell(f"informe.none_{board.show.value}")
