"""The dashboard as lines of text, one view at a time; its headline; and what a signature does to the gate."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.board_desk import NOTHING_YET, Extras
from reviewer.app.gate_board import Stage
from reviewer.app.panels import cases, comparison, figures, judge, parts, trend, what_if
from reviewer.app.panels.common import (
    VERDICT_STYLE,
    limit_words,
    metric_name,
    number,
    paragraph,
    verdict_text,
    verdict_words,
)
from reviewer.app.text import Content, indent, join, literal, tell
from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reviewer.app.gate_board import Change, Effect, GateBoard
    from scoring.clinical import GateReport


class View(StrEnum):
    """The views of the dashboard, in the order of their keys; the value is the catalogue key of the name."""

    FIGURES = "figures"
    PARTS = "parts"
    WHAT_IF = "what_if"
    COMPARISON = "comparison"
    TREND = "trend"
    JUDGE = "judge"
    CASES = "cases"


_WORDY = frozenset({View.FIGURES, View.COMPARISON, View.JUDGE})
"""Views with words of statistics or of judges; they say where those are explained."""


def headline(board: GateBoard, room: int | None = None) -> Content:
    """The gate in half a line, for the top of the screen; how many count is left out where room is short."""
    if board.stage is not Stage.READY or board.dev is None:
        return literal(messages.text(f"app.gate_{board.stage.value}"), theme.QUIET)
    report = board.report or board.dev
    status = board.judge_status
    working = Content("")
    if status is not None and board.judge_running:
        working = tell("board_judge.short", style=theme.CARE, done=status.done, total=status.total)
    said = join(
        working,
        tell("gate_label" if board.judged is None else "board_judge.gate_label", style=theme.QUIET),
        Content(" "),
        verdict_text(report.verdict),
    )
    whole = join(said, Content(" "), tell("gate_counted", style=theme.QUIET, n=report.counted))
    return whole if room is None or whole.cell_length <= room else said


def effect_lines(effect: Effect | None, board: GateBoard, *, corrected: bool = False) -> list[Content]:
    """What a signature does to the gate, before it is confirmed; perhaps of a case as ``corrected``."""
    if effect is None:
        return [literal(messages.text(f"app.effect_{board.stage.value}"), theme.QUIET)]
    stays = effect.before == effect.after
    if stays and not corrected:
        return [tell("effect_none")]
    if effect.verdicts is None:
        return [
            tell("effect_test_stays" if stays else "effect_test", before=effect.before, after=effect.after)
        ]
    lines = [tell("effect_dev_stays" if stays else "effect_dev", before=effect.before, after=effect.after)]
    lines += [join(Content("  "), change_text(change)) for change in effect.changes]
    if not effect.changes:
        lines.append(join(Content("  "), tell("effect_same_figures")))
    before, after = (verdict_words(verdict) for verdict in effect.verdicts)
    key = "effect_verdict_same" if before == after else "effect_verdict_changes"
    style = VERDICT_STYLE.get(effect.verdicts[1], "") if before != after else ""
    lines.append(tell(key, style=style, before=before, after=after))
    if board.judged is not None:
        lines.append(tell("board.what_if_no_judge", style=theme.QUIET))
    return lines


def change_text(change: Change) -> Content:
    """«recall de diferenciales 0,83 → 0,85 (umbral ≥ 0,80)»."""
    after = change.after
    tone = theme.BAD if after.passes is False else ""
    return join(
        literal(f"{metric_name(change.metric)} "),
        literal(f"{number(change.before.figure)} → {number(after.figure)}", tone or theme.STRONG),
        literal(f" ({limit_words(after.threshold, after.limit)})", theme.QUIET),
    )


def board_lines(
    board: GateBoard, width: int, view: View = View.FIGURES, extras: Extras = NOTHING_YET
) -> list[Content]:
    """Every line of one view of the dashboard."""
    width = max(30, width)
    if board.stage is Stage.REFUSED:
        return _refused(board, width)
    report = board.report
    if board.stage is not Stage.READY or report is None:
        key = "board_no_predictions" if board.stage is Stage.NO_PREDICTIONS else "board_working"
        return [line for text in _paragraphs(key) for line in indent(text, width, Content(""))]
    said = _view_lines(board, report, width, view, extras)
    return [*said, *paragraph("glossary.pointer", width, theme.QUIET)] if view in _WORDY else said


def _view_lines(
    board: GateBoard, report: GateReport, width: int, view: View, extras: Extras
) -> list[Content]:
    if view is View.PARTS:
        return parts.lines(report, width)
    if view is View.WHAT_IF:
        return what_if.lines(extras.previews, board, width)
    if view is View.COMPARISON:
        return comparison.lines(extras, width)
    if view is View.TREND:
        return trend.lines(report, extras, width)
    if view is View.JUDGE:
        return judge.lines(board, report, extras, width)
    if view is View.CASES:
        return cases.lines(report, width)
    return figures.lines(board, width)


def _refused(board: GateBoard, width: int) -> list[Content]:
    return [
        tell("board_refused", style=theme.BAD),
        *(
            line
            for text in board.refusal
            for line in indent(literal(text, multiline=True), width, Content(" • "))
        ),
        Content(""),
        *indent(tell("board_refused_go_on"), width, Content("")),
    ]


def _paragraphs(key: str) -> Iterable[Content]:
    return (literal(text) for text in messages.text(f"app.{key}").split("\n"))
