"""The dashboard as lines of text: the verdict in words first, then why, then case by case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.gate_board import Stage
from reviewer.app.text import Content, indent, join, literal, spread, tell
from scoring import messages
from scoring.clinical import Verdict
from scoring.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reviewer.app.gate_board import Change, Effect, GateBoard
    from scoring.clinical import GateReport, MetricResult, Row

MEANS = frozenset({"cobertura_hallazgos"})
"""Metrics that are means of a fraction per case, not counts of right cases."""
_NAME_CELLS = 28
_FIGURE_CELLS = 7
_LIMIT_CELLS = 12
_VERDICT_STYLE = {Verdict.PASSES: f"bold {theme.GOOD}", Verdict.FAILS: theme.BAD}
_VERDICT_MARK = {Verdict.PASSES: "✓", Verdict.FAILS: "✗"}


def number(text: str) -> str:
    """A figure as the language in force writes it: «0,83» in Spanish."""
    return text.replace(".", ",") if messages.language() == "es" else text


def metric_name(metric: str) -> str:
    """The metric in words."""
    return messages.text(f"app.metric_{metric}")


def verdict_words(verdict: Verdict) -> str:
    """The verdict in a few words: «PASA», «NO PASA»."""
    return messages.text(f"app.verdict_{verdict.value}")


def headline(board: GateBoard) -> Content:
    """The gate in half a line, for the top of the screen."""
    if board.stage is not Stage.READY or board.dev is None:
        return literal(messages.text(f"app.gate_{board.stage.value}"), theme.QUIET)
    verdict = board.dev.verdict
    return join(
        tell("gate_label", style=theme.QUIET),
        Content(" "),
        literal(
            f"{_VERDICT_MARK.get(verdict, '–')} {verdict_words(verdict)}", _VERDICT_STYLE.get(verdict, "")
        ),
        Content(" "),
        tell("gate_counted", style=theme.QUIET, n=board.dev.counted),
    )


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
    style = _VERDICT_STYLE.get(effect.verdicts[1], "") if before != after else ""
    lines.append(tell(key, style=style, before=before, after=after))
    return lines


def change_text(change: Change) -> Content:
    """«recall de diferenciales 0,83 → 0,85 (umbral ≥ 0,80)»."""
    after = change.after
    tone = theme.BAD if after.passes is False else ""
    return join(
        literal(f"{metric_name(change.metric)} "),
        literal(f"{number(change.before.figure)} → {number(after.figure)}", tone or theme.STRONG),
        literal(f" ({limit_words(after)})", theme.QUIET),
    )


def limit_words(result: MetricResult) -> str:
    """«≥ 0,80» or «≤ 0»."""
    if result.threshold is None:
        return messages.text("app.board_no_threshold")
    sign = "≥" if result.threshold.kind.value == "suelo" else "≤"
    return f"{sign} {number(result.limit)}"


def board_lines(board: GateBoard, width: int) -> list[Content]:
    """Every line of the dashboard."""
    width = max(30, width)
    if board.stage is Stage.REFUSED:
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
    if board.stage is not Stage.READY or board.dev is None:
        key = "board_no_predictions" if board.stage is Stage.NO_PREDICTIONS else "board_working"
        return [line for text in _paragraphs(key) for line in indent(text, width, Content(""))]
    lines: list[Content] = []
    lines += _split_lines(board.dev, "board_dev", width)
    lines += _left_out(board.dev, width)
    lines += [Content(""), *_test_lines(board, width), Content("")]
    return [*lines, *_case_lines(board.dev, width)]


def _paragraphs(key: str) -> Iterable[Content]:
    return (literal(text) for text in messages.text(f"app.{key}").split("\n"))


def _rule(key: str, width: int) -> Content:
    words = join(literal(messages.text(f"app.{key}"), theme.HEADING), Content(" "))
    return join(words, Content.styled("─" * max(0, width - words.cell_length), theme.RULE)).truncate(width)


def _split_lines(report: GateReport, heading: str, width: int) -> list[Content]:
    verdict = report.verdict
    words = literal(
        f"{_VERDICT_MARK.get(verdict, '–')} {verdict_words(verdict)}", _VERDICT_STYLE.get(verdict, "")
    )
    counted = tell("board_counted", counted=report.counted, total=report.total, n=report.counted)
    lines = [_rule(heading, width), spread(join(Content(" "), words), join(counted, Content(" ")), width)]
    lines += indent(_why(report), width, Content(" "))
    # Without a verdict figures would be zeros that mean nothing.
    if report.verdict in _VERDICT_STYLE:
        lines += [_metric_line(result, width) for result in report.aggregate.values()]
    return lines


def _why(report: GateReport) -> Content:
    if report.verdict is Verdict.FAILS:
        names = ", ".join(
            metric_name(result.metric) for result in report.aggregate.values() if result.passes is False
        )
        return tell("board_fails", names=names, n=len(report.failures))
    if report.verdict is Verdict.PASSES:
        return tell("board_passes")
    if report.verdict is Verdict.INTEGRITY_BROKEN:
        key = "board_contradicted" if report.reason == "datos_descuadrados" else "board_broken"
        return tell(key, reasons=" ".join(report.breaks))
    if report.reason == "pocos_casos":
        return tell("board_too_few", n=report.counted, least=report.min_cases)
    return tell("board_no_outputs" if report.counted else "board_nothing")


def _metric_line(result: MetricResult, width: int) -> Content:
    mark, style = ("✓", theme.GOOD) if result.passes else ("✗", theme.BAD)
    if result.passes is None:
        mark, style = "–", theme.QUIET
    name_cells = min(_NAME_CELLS, width - _FIGURE_CELLS - _LIMIT_CELLS - 6)
    over = f"{result.numerator}/{result.denominator}" if result.denominator else ""
    if result.metric in MEANS:
        # The exact fraction of a mean of fractions is a number that nobody can read.
        over = messages.text("app.board_mean", n=result.cases) if result.cases else ""
    return join(
        Content(" "),
        literal(mark, style),
        Content(" "),
        literal(metric_name(result.metric)).truncate(name_cells, pad=True, ellipsis=True),
        literal(
            number(result.figure).rjust(_FIGURE_CELLS), style if result.passes is False else theme.STRONG
        ),
        Content("  "),
        literal(limit_words(result).ljust(_LIMIT_CELLS), theme.QUIET),
        literal(over, theme.QUIET),
    ).truncate(width, ellipsis=True)


def _left_out(report: GateReport, width: int) -> list[Content]:
    lines: list[Content] = []
    aside = {state.case_id for state in report.aside}
    waiting = [case_id for case_id in report.pending if case_id not in aside]
    if waiting:
        text = tell("board_pending", n=len(waiting), ids=_some(waiting))
        lines += indent(text, width, Content.styled(" ○ ", theme.CARE))
    for state in report.aside:
        text = tell("board_aside", id=state.case_id, why=state.sentence())
        lines += indent(text, width, Content.styled(" ! ", theme.BAD))
    if report.missing:
        text = tell("board_missing", n=len(report.missing), ids=_some(report.missing))
        lines += indent(text, width, Content.styled(" ! ", theme.BAD))
    return lines


def _some(ids: Iterable[str], shown: int = 6) -> str:
    names = [plain(name) for name in ids]
    rest = len(names) - shown
    listed = ", ".join(names[:shown])
    return messages.text("app.board_and_more", listed=listed, n=rest) if rest > 0 else listed


def _test_lines(board: GateBoard, width: int) -> list[Content]:
    glance = board.glance
    if glance is None:
        return [
            _rule("board_test", width),
            *indent(tell("board_test_unasked", n=board.counted("test")), width, Content(" ")),
        ]
    asked = tell("board_test_asked", style=theme.QUIET, at=f"{glance.at:%H:%M}", n=len(glance.counted))
    return [*_split_lines(glance.report, "board_test", width), *indent(asked, width, Content(" "))]


_ID_CELLS = 40
_MARK_CELLS = 7
ROWS_SHOWN = 400
_COLUMNS = (
    "recall_diferenciales",
    "cobertura_hallazgos",
    "acierto_derivacion",
    "acierto_fuera_de_alcance",
    "idioma_es",
)


def _case_lines(report: GateReport, width: int) -> list[Content]:
    id_cells = max(12, min(_ID_CELLS, width - 3 - _MARK_CELLS * len(_COLUMNS)))
    names = [
        literal(messages.text(f"app.column_{name}").rjust(_MARK_CELLS), theme.QUIET) for name in _COLUMNS
    ]
    head = join(Content("   "), tell("column_case", style=theme.QUIET).truncate(id_cells, pad=True), *names)
    legend = tell("board_cases_legend", style=theme.QUIET)
    lines = [_rule("board_cases", width), *indent(legend, width, Content(" ")), head.truncate(width)]
    rows = sorted(report.rows, key=lambda row: not row.counted)
    for row in rows[:ROWS_SHOWN]:
        lines += _row_lines(row, id_cells, width)
    if len(rows) > ROWS_SHOWN:
        lines += indent(tell("board_more_rows", n=len(rows) - ROWS_SHOWN), width, Content(" "))
    return lines


def _row_lines(row: Row, id_cells: int, width: int) -> list[Content]:
    """One row; what must not be missed stands under it where it does not fit beside it."""
    score = row.score
    mark = literal("● ", theme.GOOD) if row.counted else literal("○ ", theme.QUIET)
    name = literal(row.case_id, "" if row.counted else theme.QUIET).truncate(
        id_cells, pad=True, ellipsis=True
    )
    marks = [
        _mark(score.rate(metric), by_text=score.cobertura_por_texto and "cobertura" in metric)
        for metric in _COLUMNS
    ]
    line = join(Content(" "), mark, name, *marks)
    remarks = []
    if score.violacion_seguridad:
        remarks.append(tell("board_violation", style=theme.BAD))
    if not row.predicted:
        remarks.append(tell("board_no_output", style=theme.BAD))
    whole = join(line, *remarks)
    if whole.cell_length <= width:
        return [whole]
    return [line.truncate(width, ellipsis=True), *indent(join(*remarks), width, Content("    "))]


def _mark(rate: float, *, by_text: bool) -> Content:
    if rate >= 1:
        text, style = "✓", theme.GOOD
    elif rate <= 0:
        text, style = "✗", theme.BAD
    else:
        text, style = number(f"{rate:.2f}"), theme.CARE
    tail = "~" if by_text else " "
    return literal(f"{text}{tail}".rjust(_MARK_CELLS), style)
