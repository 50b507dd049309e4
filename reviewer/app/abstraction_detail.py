"""All that a chart-abstraction report says of one slice, as lines of text."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from reviewer.abstraction_board import BETTER, FAILS, HOLDS, UNJUDGED, WORSE, bar, disagreements, label
from reviewer.abstraction_report import OVERALL
from reviewer.app import theme
from reviewer.app.abstraction_view import BAR_CELLS, MARK_STYLES
from reviewer.app.text import Content, indent, join, literal, tell
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
    from reviewer.abstraction_board import AbstractionBoard
    from reviewer.abstraction_report import Slice
    from scoring.abstraction.compare import Change
    from scoring.abstraction.minimums import Finding

_NAMES_SHOWN: Final = 20


def detail_lines(board: AbstractionBoard, place: Slice, width: int) -> list[Content]:
    """Every metric of a slice with numerator, denominator, interval, bounds and change."""
    state = board.state
    width = max(20, width)
    if place not in state.slices:
        return indent(tell("informe.slice_gone", name=label(place)), width, Content(""))
    scores = state.slices[place]
    lines = indent(literal(label(place), theme.HEADING), width, Content(""))
    lines += indent(literal(counts_text(scores), theme.QUIET), width, Content(""))
    waiting = disagreements(scores)
    if waiting:
        lines += indent(tell("informe.adjudicate", theme.QUIET, n=waiting), width, Content(""))
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
        lines += _lost_bounds_lines(board, width)
        lines += _chance_lines(board, width)
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


def _lost_bounds_lines(board: AbstractionBoard, width: int) -> list[Content]:
    """Bounds of slices that the report lacks: they stand nowhere else."""
    lost = [found for place, found in board.state.findings.items() if place not in board.state.slices]
    findings = [finding for found in lost for finding in found]
    if not findings:
        return []
    lines = [
        Content(""),
        *indent(tell("informe.bounds_lost", theme.CARE, n=len(findings)), width, Content("")),
    ]
    names = [f"{finding.bound.name} · {metric_name(finding.bound.metric)}" for finding in findings]
    for name in names[:_NAMES_SHOWN]:
        lines += indent(literal(name), width, literal(f" {UNJUDGED} ", MARK_STYLES[UNJUDGED]))
    return lines


def _chance_lines(board: AbstractionBoard, width: int) -> list[Content]:
    """How many of all comparisons moved: among many, some do by chance."""
    total = sum(len(by_metric) for by_metric in board.state.changes.values())
    if not total:
        return []
    moved = sum(len(changes) for changes in board.state.moved.values())
    words = tell("abstraction.moved_count", theme.QUIET, n=moved, total=whole(total))
    return [Content(""), *indent(words, width, Content(""))]


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
