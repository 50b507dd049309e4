"""An earlier run beside today's: what can be shown to have changed, and which cases it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.panels.common import metric_name, number, outputs_name, paragraph, rule, some
from reviewer.app.text import Content, indent, join, literal, tell
from scoring import messages
from scoring.clinical.compare_text import judges_sentence, verdict
from scoring.clinical.comparison import Change
from scoring.clinical.gate import METRICS

if TYPE_CHECKING:
    from reviewer.app.board_desk import Beside, Extras
    from scoring.clinical.comparison import CaseChange, Comparison, MetricChange

_NAME_CELLS = 24
_TABLE_FROM_WIDTH = 70
_WORDS_FROM_WIDTH = 95
_CASES_SHOWN = 60
_MARKS = {Change.WORSE: "▼", Change.NOT_SHOWN: "=", Change.BETTER: "▲"}
_STYLES = {Change.WORSE: theme.BAD, Change.NOT_SHOWN: theme.QUIET, Change.BETTER: theme.GOOD}


def lines(extras: Extras, width: int) -> list[Content]:
    """The view for a width."""
    said = [rule(messages.text("board.comparison"), width)]
    if not extras.looked:
        return said + paragraph("board.looking", width, theme.QUIET)
    beside = extras.beside
    if beside is None:
        key = "board.compare_none" if extras.shelf.reports else "board.no_reports"
        return said + paragraph(key, width, folder=str(extras.shelf.folder))
    said += indent(_heading(beside), width, Content(" "))
    if beside.comparison is None:
        return said + indent(literal(beside.refusal), width, Content.styled(" ! ", theme.CARE))
    return said + _body(beside.comparison, width)


def _heading(beside: Beside) -> Content:
    at = beside.stored.at
    day = messages.text("board.no_date") if at is None else f"{at.astimezone():%Y-%m-%d %H:%M}"
    head = tell("compare.title", name=outputs_name(beside.stored.generator), date=day)
    return join(head, literal(f" {beside.stored.path.name}", theme.QUIET))


def _body(comparison: Comparison, width: int) -> list[Content]:
    said = indent(
        literal(verdict(comparison, metric_name), _STYLES[comparison.change] or theme.STRONG),
        width,
        literal(f" {_MARKS[comparison.change]} ", _STYLES[comparison.change]),
    )
    if comparison.same_outputs:
        said += paragraph("compare.same_outputs", width)
    if comparison.other_thresholds:
        names = ", ".join(map(metric_name, comparison.other_thresholds))
        said += paragraph("compare.other_thresholds", width, names=names)
    if comparison.judges is not None:
        said += indent(literal(judges_sentence(*comparison.judges), theme.QUIET), width, Content(" "))
    if comparison.paired:
        said += paragraph("compare.paired", width, theme.QUIET, n=comparison.paired)
    for key, ids in (("only_old", comparison.only_old), ("only_new", comparison.only_new)):
        if ids:
            said += paragraph(f"compare.{key}", width, theme.QUIET, n=len(ids), ids=some(ids))
    said += [Content(""), *_table(comparison, width), Content("")]
    for key in ("lost", "gained"):
        said += _changed(comparison, key, width)
    said += paragraph("board.compare_legend", width, theme.QUIET)
    return said


def _table(comparison: Comparison, width: int) -> list[Content]:
    own = [one for one in comparison.metrics if one.metric in METRICS]
    judged = [one for one in comparison.metrics if one.metric not in METRICS]
    said = [line for one in own for line in _metric(one, width)]
    if judged:
        # «seguridad» alone would be taken for a figure of the gate.
        said.append(literal(f" {messages.text('board.of_the_judge')}", theme.STRONG).truncate(width))
        said += [line for one in judged for line in _metric(one, width)]
    return said


def _metric(one: MetricChange, width: int) -> list[Content]:
    old, new = (_figure(value, is_count=one.is_count) for value in (one.old, one.new))
    gap = one.difference
    sure = number(f"{gap.value:+.2f} [{gap.low:+.2f}, {gap.high:+.2f}]") if gap is not None else "–"
    p = "" if one.p is None else number(f"p={one.p:.3f}")
    cells = min(_NAME_CELLS, max(8, width - 20))
    head = [
        Content(" "),
        literal(_MARKS[one.change], _STYLES[one.change]),
        Content(" "),
        literal(metric_name(one.metric)).truncate(cells, pad=True, ellipsis=True),
        literal(old.rjust(6), theme.QUIET),
        literal(" → ", theme.QUIET),
        literal(new.ljust(6), theme.STRONG),
    ]
    rest = join(literal(sure.ljust(23)), literal(p.ljust(8), theme.QUIET))
    if width < _TABLE_FROM_WIDTH:
        return [join(*head).truncate(width), *indent(rest, width, Content("   "))]
    word = literal(messages.text(f"compare.{one.change}"), _STYLES[one.change])
    tail = [rest, word] if width >= _WORDS_FROM_WIDTH else [rest]
    return [join(*head, *tail).truncate(width)]


def _figure(value: float | None, *, is_count: bool) -> str:
    if value is None:
        return "–"
    return f"{value:.0f}" if is_count else number(f"{value:.2f}")


def _changed(comparison: Comparison, what: str, width: int) -> list[Content]:
    """The cases that lost or gained something, each with what it was."""
    rows = [(one, _what(one, what)) for one in comparison.cases if getattr(one, what)]
    if not rows:
        return []
    key, mark, style = ("broken", "▼", theme.BAD) if what == "lost" else ("mended", "▲", theme.GOOD)
    said = [literal(f" {messages.text(f'compare.{key}', n=len(rows))}", theme.STRONG).truncate(width)]
    for one, words in rows[:_CASES_SHOWN]:
        text = join(literal(one.case_id), literal(f": {words}", theme.QUIET))
        said += indent(text, width, Content.styled(f"  {mark} ", style))
    if len(rows) > _CASES_SHOWN:
        said += paragraph("board.compare_more", width, theme.QUIET, n=len(rows) - _CASES_SHOWN)
    return [*said, Content("")]


def _what(one: CaseChange, what: str) -> str:
    """«recall de diferenciales; cobertura de hallazgos: alt, bun»."""
    found: dict[str, list[str]] = {}
    for said in one.lost if what == "lost" else one.gained:
        metric, _, finding = said.partition(": ")
        found.setdefault(metric, []).extend([finding] if finding else [])
    return "; ".join(
        metric_name(metric) + (f": {', '.join(findings)}" if findings else "")
        for metric, findings in found.items()
    )
