"""The dashboard as lines of text, one view at a time; its headline; and what a signature does to the gate."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.gate_board import Stage
from reviewer.app.panels import cases, figures, parts, what_if
from reviewer.app.panels.common import (
    VERDICT_STYLE,
    limit_words,
    metric_name,
    number,
    verdict_text,
    verdict_words,
)
from reviewer.app.text import Content, indent, join, literal, tell
from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reviewer.app.gate_board import Change, Effect, GateBoard
    from reviewer.app.what_if import Preview


class View(StrEnum):
    """The views of the dashboard, in the order of their keys; the value is the catalogue key of the name."""

    FIGURES = "figures"
    PARTS = "parts"
    WHAT_IF = "what_if"
    CASES = "cases"


@dataclass(frozen=True, slots=True)
class Extras:
    """What a view shows besides the report, worked out off the event loop.

    Attributes:
        previews: what signing the pending cases would do.
    """

    previews: tuple[Preview, ...] = ()


NOTHING_YET = Extras()


def headline(board: GateBoard) -> Content:
    """The gate in half a line, for the top of the screen."""
    if board.stage is not Stage.READY or board.dev is None:
        return literal(messages.text(f"app.gate_{board.stage.value}"), theme.QUIET)
    verdict = board.dev.verdict
    return join(
        tell("gate_label", style=theme.QUIET),
        Content(" "),
        verdict_text(verdict),
        Content(" "),
        tell("gate_counted", style=theme.QUIET, n=board.dev.counted),
    )


def effect_lines(effect: Effect | None, board: GateBoard) -> list[Content]:
    """What a signature does to the gate, before it is confirmed."""
    if effect is None:
        return [literal(messages.text(f"app.effect_{board.stage.value}"), theme.QUIET)]
    if effect.before == effect.after:
        return [tell("effect_none")]
    if effect.verdicts is None:
        return [tell("effect_test", before=effect.before, after=effect.after)]
    lines = [tell("effect_dev", before=effect.before, after=effect.after)]
    lines += [join(Content("  "), change_text(change)) for change in effect.changes]
    if not effect.changes:
        lines.append(join(Content("  "), tell("effect_same_figures")))
    before, after = (verdict_words(verdict) for verdict in effect.verdicts)
    key = "effect_verdict_same" if before == after else "effect_verdict_changes"
    style = VERDICT_STYLE.get(effect.verdicts[1], "") if before != after else ""
    lines.append(tell(key, style=style, before=before, after=after))
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
    if view is View.PARTS:
        return parts.lines(report, width)
    if view is View.WHAT_IF:
        return what_if.lines(extras.previews, board, width)
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
