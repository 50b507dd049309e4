"""Case by case, open split only: what each case scored, and what must not be missed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.panels.common import number, paragraph, rule
from reviewer.app.text import Content, indent, join, literal, tell
from scoring import messages

if TYPE_CHECKING:
    from scoring.clinical import GateReport, Row

_ID_CELLS = 40
_MARK_CELLS = 7
ROWS_SHOWN = 400
COLUMNS = (
    "recall_diferenciales",
    "cobertura_hallazgos",
    "acierto_derivacion",
    "acierto_fuera_de_alcance",
    "idioma_es",
)


def lines(report: GateReport, width: int) -> list[Content]:
    """The view for a width."""
    id_cells = max(12, min(_ID_CELLS, width - 3 - _MARK_CELLS * len(COLUMNS)))
    names = [literal(messages.text(f"app.column_{name}").rjust(_MARK_CELLS), theme.QUIET) for name in COLUMNS]
    head = join(Content("   "), tell("column_case", style=theme.QUIET).truncate(id_cells, pad=True), *names)
    said = [
        rule(messages.text("app.board_cases"), width),
        *paragraph("board_cases_legend", width, theme.QUIET),
        head.truncate(width),
    ]
    rows = sorted(report.rows, key=lambda row: not row.counted)
    for row in rows[:ROWS_SHOWN]:
        said += _row_lines(report, row, id_cells, width)
    if len(rows) > ROWS_SHOWN:
        said += paragraph("board_more_rows", width, n=len(rows) - ROWS_SHOWN)
    return said


def _row_lines(report: GateReport, row: Row, id_cells: int, width: int) -> list[Content]:
    """One row; what must not be missed stands under it where it does not fit beside it."""
    score = row.score
    mark = literal("● ", theme.GOOD) if row.counted else literal("○ ", theme.QUIET)
    name = literal(row.case_id, "" if row.counted else theme.QUIET).truncate(
        id_cells, pad=True, ellipsis=True
    )
    marks = [
        _mark(score.rate(metric), by_text=score.cobertura_por_texto and "cobertura" in metric)
        for metric in COLUMNS
    ]
    line = join(Content(" "), mark, name, *marks)
    remarks = _remarks(report, row)
    between = [part for one in remarks for part in (Content(" ·"), one)]
    said = join(*between[1:])
    whole = join(line, said)
    if whole.cell_length <= width:
        return [whole]
    return [line.truncate(width, ellipsis=True), *indent(said, width, Content("    "))]


def _remarks(report: GateReport, row: Row) -> list[Content]:
    remarks: list[Content] = []
    if row.score.violacion_seguridad:
        remarks.append(tell("board_violation", style=theme.BAD))
    if row.score.derivacion_omitida:
        remarks.append(tell("board.missed_referral", style=theme.BAD))
    if not row.predicted:
        remarks.append(tell("board_no_output", style=theme.BAD))
    rubric = report.judge.rubrics.get(row.case_id)
    if rubric is not None and rubric["violacion_seguridad"]:
        remarks.append(tell("board.judge_violation", style=theme.BAD))
    return remarks


def _mark(rate: float, *, by_text: bool) -> Content:
    if rate >= 1:
        text, style = "✓", theme.GOOD
    elif rate <= 0:
        text, style = "✗", theme.BAD
    else:
        text, style = number(f"{rate:.2f}"), theme.CARE
    tail = "~" if by_text else " "
    return literal(f"{text}{tail}".rjust(_MARK_CELLS), style)
