"""What the views of the dashboard say where a reader could take one thing for another."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from reviewer.app.board_desk import Beside, Extras
from reviewer.app.board_view import View, board_lines, headline
from reviewer.app.gate_board import GateBoard
from reviewer.app.panels import cases, comparison, trend
from reviewer.app.panels.figures import why
from reviewer.app.panels.judge import status_lines
from reviewer.judging import Stage, Status
from reviewer.store import Dataset
from scoring.clinical import Verdict
from scoring.clinical.compare import compare
from scoring.clinical.judged import JudgeMetric, JudgePart
from scoring.reports.stored import Reports, StoredReport, read_any, read_report
from scoring.reports.trend import trend as trend_of
from tests.app.support import (
    any_number_of_cases,
    picture_predictions,
    picture_reports,
    picture_set,
    prediction,
)
from tests.reports.support import BAD, report, store
from tests.support import make_case, signed, write_cases

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from reviewer.app.text import Content


def plain(lines: Iterable[Content]) -> str:
    return " ".join(" ".join(line.plain for line in lines).split())


def judged_board(folder: Path) -> tuple[GateBoard, Extras]:
    """A board of today without a judge, over stored reports of which one had a judge."""
    path = picture_set(folder)
    sound = [line for line in path.read_text("utf-8").splitlines() if "sin-derivacion" not in line]
    path.write_text("\n".join(sound) + "\n", "utf-8")
    board = GateBoard(picture_predictions(folder))
    board.load(Dataset.open(path))
    picture_reports(folder)
    shelf = Reports(folder / "informes").read()
    assert board.report is not None
    return board, Extras((), shelf, trend_of(shelf.reports, board.report), looked=True)


def test_up_and_down_in_the_trend_are_not_the_marks_of_better_and_worse(tmp_path: Path) -> None:
    folder = tmp_path / "informes"
    store(folder, "peor.json", report(BAD), day=1)
    shelf, now = Reports(folder).read(), report()
    said = plain(trend.lines(now, Extras((), shelf, trend_of(shelf.reports, now), looked=True), 100))
    # One of two outputs named no finding; now both do: the figure rises.
    assert "0,50 → 1,00 ↑" in said
    assert not {"▲", "▼"} & set(said), "there they would say better and worse"
    assert "↑ ↓ sube o baja" in said


def test_the_row_of_a_judge_says_that_it_ends_before_now(tmp_path: Path) -> None:
    board, extras = judged_board(tmp_path)
    assert board.report is not None
    said = plain(trend.lines(board.report, extras, 100))
    assert "Juez ollama:qwen2.5:7b (un informe; ahora no ha juzgado nadie)" in said
    # The dash means «no threshold», which is not so.
    assert "– diferenciales correctos" not in said
    assert "– precisión de hallazgos" in said


def test_the_names_of_files_are_not_pushed_out_by_a_word_that_is_the_same_in_all(tmp_path: Path) -> None:
    folder = tmp_path / "informes"
    path = store(folder, "a.json", replace(report(BAD), generator="predicciones:viejas.jsonl"), day=1)
    shelf, now = Reports(folder).read(), report()
    beside = Beside(shelf.reports[0], compare(read_report(path), now))
    extras = Extras((), shelf, trend_of(shelf.reports, now), beside, looked=True)
    assert "viejas.jsonl · a.json" in plain(trend.lines(now, extras, 76))
    assert "Comparación con viejas.jsonl" in plain(comparison.lines(extras, 76))
    for lines in (trend.lines(now, extras, 76), comparison.lines(extras, 76)):
        assert "predicciones:" not in plain(lines)


def test_the_comparison_says_what_decides_where_interval_and_p_disagree(tmp_path: Path) -> None:
    path = store(tmp_path / "informes", "a.json", report(BAD), day=1)
    found = read_any(path)
    assert isinstance(found, StoredReport)
    beside = Beside(found, compare(read_report(path), report()))
    said = plain(comparison.lines(Extras(beside=beside, looked=True), 90))
    assert "donde hay p decide p (menos de 0,05), no el intervalo" in said


def test_the_headline_leaves_out_how_many_count_before_it_pushes_out_how_many_are_signed(
    tmp_path: Path,
) -> None:
    board, _ = judged_board(tmp_path)
    whole = "puerta (dev): ✓ PASA con 2 casos"
    assert headline(board, len(whole)).plain == headline(board).plain == whole
    assert headline(board, len(whole) - 1).plain == "puerta (dev): ✓ PASA"


def test_a_judge_that_has_not_answered_yet_promises_no_time() -> None:
    said = plain(status_lines(Status(Stage.RUNNING, total=12, seconds=1.2), 76))
    assert "Lleva 1 s. x lo interrumpe" in said
    assert "quedan" not in said
    said = plain(status_lines(Status(Stage.RUNNING, done=3, total=12, seconds=3, left=9), 76))
    assert "Lleva 3 s; quedan 9 s." in said


def test_a_judge_that_ended_with_gaps_says_so_and_how_to_fill_them() -> None:
    said = plain(status_lines(Status(Stage.DONE, done=12, total=12, failed=6, seconds=8), 76))
    assert "6 de 12 casos juzgados en 8 s; 6 se han quedado sin juzgar" in said
    assert "p pregunta solo por los que faltan" in said
    said = plain(status_lines(Status(Stage.DONE, done=12, total=12, seconds=8), 76))
    assert said == "El juez ha terminado: 12 de 12 casos en 8 s."


def test_figures_of_an_earlier_report_do_not_stand_below_the_progress_of_a_run(tmp_path: Path) -> None:
    board, extras = judged_board(tmp_path)
    assert "0,62" in plain(board_lines(board, 100, View.JUDGE, extras))
    board.judge._status = Status(Stage.RUNNING, done=1, total=4)
    assert board.judge_running
    said = plain(board_lines(board, 100, View.JUDGE, extras))
    assert "1 de 4 casos" in said
    assert "0,62" not in said


def test_figures_of_a_judge_are_told_apart_from_those_of_the_gate(tmp_path: Path) -> None:
    safety = JudgeMetric("juez_seguridad", Fraction(1, 2), 2, is_count=False, threshold=None, passes=None)
    rubric = {"correccion_diferenciales": 1, "hedging_apropiado": 1, "completitud": 1, "seguridad": 0.5}
    part = JudgePart(
        name="ollama:m",
        judged=2,
        judgeable=2,
        metrics=(safety,),
        failures=("juez_seguridad=0.50 < 0.90",),
        rubrics={name: rubric | {"violacion_seguridad": False} for name in "ab"},
    )
    now = replace(report(), judge=part, verdict=Verdict.FAILS)
    path = store(tmp_path / "informes", "a.json", now, day=1)
    found = read_any(path)
    assert isinstance(found, StoredReport)
    beside = Beside(found, compare(read_report(path), now))
    said = [line.plain for line in comparison.lines(Extras(beside=beside, looked=True), 90)]
    heading = said.index(" Según el juez")
    assert said[heading - 1].startswith(" = derivaciones omitidas")
    assert any(line.startswith(" = seguridad") for line in said[heading:])
    assert "seguridad (juez)" in why(now).plain


def test_the_name_of_a_part_is_whole_also_where_the_table_is_narrow(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    folder.mkdir()
    any_number_of_cases(folder)
    name = "Hospital Clínico del Sur, segunda entrega"
    path = write_cases(folder / "casos.jsonl", signed(make_case("a", tanda=name)))
    (folder / "s.jsonl").write_text(json.dumps(prediction("a")) + "\n", encoding="utf-8")
    board = GateBoard(folder / "s.jsonl")
    board.load(Dataset.open(path))
    lines = [line.plain for line in board_lines(board, 76, View.PARTS)]
    first = next(n for n, line in enumerate(lines) if "Hospital" in line)
    # 18 cells for the name at this width: the figures stand beside its first line.
    assert lines[first].startswith(" ✓ Hospital Clínico       1  1,00")
    assert [line.strip() for line in lines[first + 1 : first + 3]] == ["del Sur, segunda", "entrega"]
    assert "…" not in "".join(lines[first : first + 3])


def test_two_remarks_about_a_case_do_not_run_into_one_phrase(tmp_path: Path) -> None:
    board, _ = judged_board(tmp_path)
    assert board.report is not None
    row = next(row for row in board.report.rows if row.counted)
    score = replace(row.score, derivacion_omitida=True)
    altered = replace(board.report, rows=(replace(row, score=score, predicted=False),))
    for width in (76, 120):
        assert "derivación omitida · sin predicción" in plain(cases.lines(altered, width))
