"""The first view: verdict in words, figures with their bars, who is left out, the reserved split."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.panels.common import (
    VERDICT_STYLE,
    measure_lines,
    measure_of,
    metric_name,
    number,
    paragraph,
    rule,
    some,
    verdict_text,
)
from reviewer.app.reviews import state_sentence
from reviewer.app.text import Content, indent, join, literal, spread, tell
from scoring import messages
from scoring.clinical import Verdict
from scoring.looks import LEAST_CASES

if TYPE_CHECKING:
    from reviewer.app.gate_board import GateBoard
    from scoring.clinical import GateReport

_LEGEND_FROM_WIDTH = 60
_REASON_FIRST_FROM_WIDTH = 50
"""On a narrow screen the reason takes many lines, and the figures come before it."""


def lines(board: GateBoard, width: int) -> list[Content]:
    """The view for a width; the board has a report."""
    report = board.report
    assert report is not None  # noqa: S101 - the caller has looked
    said = split_lines(report, "app.board_dev", width)
    said += left_out(report, width)
    said += [Content(""), *_test_lines(board, width)]
    if report.advice:
        said += [Content(""), rule(messages.text("board.advice"), width), *_advice_lines(report, width)]
    return [*said, Content(""), *_legend(width)]


def split_lines(report: GateReport, heading: str, width: int) -> list[Content]:
    """Verdict, reason and figures of one split."""
    counted = tell("board_counted", counted=report.counted, total=report.total, n=report.counted)
    said = [
        rule(messages.text(heading), width),
        spread(join(Content(" "), verdict_text(report.verdict)), join(counted, Content(" ")), width),
    ]
    reason = indent(why(report), width, Content(" "))
    said += reason if width >= _REASON_FIRST_FROM_WIDTH else []
    # Without a verdict figures would be zeros that mean nothing.
    if has_figures(report):
        said += measure_lines([measure_of(result) for result in report.aggregate.values()], width)
    said += reason if width < _REASON_FIRST_FROM_WIDTH else []
    if has_figures(report):
        said += paragraph("board.weight", width, theme.QUIET, weight=number(f"{100 / report.counted:.1f}"))
    return said


def has_figures(report: GateReport) -> bool:
    """The figures mean something: there is a verdict, or only the judge withholds it."""
    return report.verdict in VERDICT_STYLE or report.verdict is Verdict.NO_JUDGEMENT


def why(report: GateReport) -> Content:
    """What stands behind the verdict, in a sentence."""
    if report.verdict is Verdict.FAILS:
        names = [metric_name(r.metric) for r in report.aggregate.values() if r.passes is False]
        judged = [metric_name(line.partition("=")[0]) for line in report.judge.binding_failures]
        names += [messages.text("board.by_judge", name=name) for name in judged]
        return tell("board_fails", names=", ".join(names), n=len(report.failures))
    if report.verdict is Verdict.PASSES:
        return tell("board_passes")
    if report.verdict is Verdict.NO_JUDGEMENT:
        return tell("board.no_judgement", why=report.judge.why_not)
    if report.verdict is Verdict.INTEGRITY_BROKEN:
        key = "board_contradicted" if report.reason == "datos_descuadrados" else "board_broken"
        return tell(key, reasons=" ".join(report.breaks))
    if report.verdict is Verdict.SIMULATED:
        return tell("clinical.simulated_banner")
    if report.reason == "pocos_casos":
        return tell("board_too_few", n=report.counted, least=report.min_cases)
    return tell("board_no_outputs" if report.counted else "board_nothing")


def left_out(report: GateReport, width: int) -> list[Content]:
    """Who does not count, who counts as empty, and why."""
    said: list[Content] = []
    aside = {state.case_id for state in report.aside}
    waiting = [case_id for case_id in report.pending if case_id not in aside]
    if waiting:
        text = tell("board_pending", n=len(waiting), ids=some(waiting))
        said += indent(text, width, Content.styled(" ○ ", theme.CARE))
    for state in report.aside:
        text = tell("board_aside", id=state.case_id, why=state_sentence(state))
        said += indent(text, width, Content.styled(" ! ", theme.BAD))
    if report.missing:
        text = tell("board_missing", n=len(report.missing), ids=some(report.missing))
        said += indent(text, width, Content.styled(" ! ", theme.BAD))
    if report.undecided:
        text = tell("board.undecided", n=len(report.undecided), ids=some(report.undecided))
        said += indent(text, width, Content.styled(" ? ", theme.CARE))
    return said


def _test_lines(board: GateBoard, width: int) -> list[Content]:
    glance = board.glance
    both = paragraph("board.both_splits", width, theme.QUIET)
    if glance is None:
        n = board.counted("test")
        unasked = (
            paragraph("board_test_unasked", width, n=n)
            if n >= LEAST_CASES
            else paragraph("board.test_not_yet", width, n=n, least=LEAST_CASES)
        )
        return [rule(messages.text("app.board_test"), width), *unasked, *both]
    asked = paragraph("board_test_asked", width, theme.QUIET, at=f"{glance.at:%H:%M}", n=len(glance.counted))
    if glance.not_noted:
        asked += indent(literal(glance.not_noted), width, Content.styled(" ! ", theme.CARE))
    if board.damaged:
        asked += indent(tell("board.test_before_damage"), width, Content.styled(" ! ", theme.BAD))
    cautions = _advice_lines(glance.report, width) if has_figures(glance.report) else []
    return [*split_lines(glance.report, "app.board_test", width), *cautions, *asked, *both]


def _advice_lines(report: GateReport, width: int) -> list[Content]:
    said: list[Content] = []
    for one in report.advice:
        fields = {k: number(v) if isinstance(v, str) else v for k, v in one.fields.items()}
        metric = metric_name(one.metric) if one.metric else ""
        text = literal(messages.text(f"advice.{one.code}", metric=metric, **fields))
        said += indent(text, width, Content.styled(" · ", theme.CARE))
    return said


def _legend(width: int) -> list[Content]:
    keys = ["legend_marks"] + (["legend_bar"] if width >= _LEGEND_FROM_WIDTH else [])
    return [line for key in keys for line in paragraph(f"board.{key}", width, theme.QUIET)]
