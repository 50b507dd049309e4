"""The live gate of the app: figures by hand, the reserved split kept, refusals in sentences."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from reviewer.app.board_desk import BoardDesk, Extras
from reviewer.app.board_view import View, board_lines, effect_lines, headline
from reviewer.app.gate_board import GateBoard, Stage
from reviewer.app.panels.common import metric_name
from reviewer.app.session import Session
from reviewer.app.settings import Settings
from reviewer.app.what_if import pending_groups
from reviewer.signing import Sign, Withdraw
from reviewer.store import Dataset
from scoring.cli.run_evals import main as run_evals
from scoring.sources import CASES_NAME, PREDICTIONS_NAME, shipped_path
from tests.app.support import (
    MOMENT,
    WEAK,
    any_number_of_cases,
    loaded,
    prediction,
    small_predictions,
    small_set,
)
from tests.support import make_case, signed, write_cases

if TYPE_CHECKING:
    from pathlib import Path


def text(board: GateBoard, width: int = 90) -> str:
    return "\n".join(line.plain for line in board_lines(board, width))


def test_the_effect_of_a_signature_is_worked_out_without_changing_the_gate(tmp_path: Path) -> None:
    board, _ = loaded(small_set(tmp_path), small_predictions(tmp_path))
    assert board.dev is not None
    before = board.dev.to_json()
    effect = board.effect("pendiente-flojo")
    assert effect is not None
    # 2 of 2 right now; with the weak one 2 of 3.
    figures = {c.metric: (c.before.figure, c.after.figure) for c in effect.changes}
    assert figures == {"recall_diferenciales": ("1.00", "0.67"), "cobertura_hallazgos": ("1.00", "0.83")}
    assert (effect.before, effect.after) == (2, 3)
    assert board.dev.to_json() == before
    again = board.effect("pendiente-flojo")
    assert again == effect


def test_following_signatures_gives_the_report_of_a_fresh_gate_without_scoring_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases, outputs = small_set(tmp_path), small_predictions(tmp_path)
    board, dataset = loaded(cases, outputs)

    def scored(*_: object) -> None:
        raise AssertionError("a case was scored again")

    applied = dataset.apply(Sign(ids=("pendiente-flojo",), reviewer="Ana Ruiz"))
    with monkeypatch.context() as patch:
        patch.setattr("scoring.clinical.live.score", scored)
        board.follow(applied.dataset)
    fresh, _ = loaded(cases, outputs)
    assert fresh.dev is not None
    assert board.dev is not None
    assert board.dev.to_json() == fresh.dev.to_json()
    assert board.dev.counted == 3


def test_the_dashboard_says_verdict_figures_thresholds_and_counts(tmp_path: Path) -> None:
    board, dataset = loaded(small_set(tmp_path), small_predictions(tmp_path))
    said = text(board)
    assert "✓ PASA" in said
    assert "cuentan 2 de 4 casos" in said
    # 2 of 2: Wilson's lower end is 2 / (2 + 1.96²) = 0.342; with none of two the bound is 1 - 0.05^(1/2).
    # 28 cells: 0.342 of them is 9, the floor 0.80 stands after 22; the bound of none is 0.776, 22 cells.
    bar = "━" * 9 + "╍" * 13 + "┃" + "╍" * 6
    assert f"✓ recall de diferenciales   1,00  {bar}  ≥ 0,80    2/2  0,34–1,00" in said
    bar = "┃" + "┄" * 22 + "·" * 6
    assert f"✓ violaciones de seguridad     0  {bar}  ≤ 0       0/2  0,00–0,78" in said
    assert "Un caso pesa 50,0 puntos de cada cien" in said
    assert "Fuera de la puerta, 2 casos sin firmar: pendiente-bueno, pendiente-flojo" in said
    assert headline(board).plain == "puerta (dev): ✓ PASA con 2 casos"
    board.follow(dataset.apply(Sign(ids=("pendiente-flojo",), reviewer="Ana Ruiz")).dataset)
    said = text(board)
    assert "✗ NO PASA" in said
    # 2 of 3 is 0.667: 18 of 28 cells, short of the mark; its interval goes from 0.208 (5) to 0.939 (27).
    bar = "━" * 5 + "╍" * 13 + "┄" * 4 + "┃" + "┄" * 5 + "·"
    assert f"✗ recall de diferenciales   0,67  {bar}  ≥ 0,80    2/3  0,21–0,94" in said
    assert "Un umbral sin cumplir: recall de diferenciales." in said


def reserved_set(folder: Path, signatures: int) -> tuple[Path, Path]:
    """Eight cases of the reserved split, the first ``signatures`` of them signed, with good outputs."""
    any_number_of_cases(folder)
    names = [f"t{number}" for number in range(8)]
    made = [make_case(name, split="test") for name in names]
    cases = write_cases(
        folder / "casos.jsonl", *map(signed, made[:signatures]), *made[signatures:], make_case("dev-uno")
    )
    outputs = folder / "salidas.jsonl"
    outputs.write_text("".join(json.dumps(prediction(name)) + "\n" for name in names), encoding="utf-8")
    return cases, outputs


def test_the_reserved_split_is_only_computed_when_asked_and_names_no_case(tmp_path: Path) -> None:
    board, dataset = loaded(*reserved_set(tmp_path, 3))
    assert "Sin calcular" in text(board)
    assert board.look_at_test(MOMENT) == ""
    said = text(board)
    assert "Calculado a las 10:30 con 3 casos firmados" in said
    assert "cuentan 3 de 8 casos" in said
    assert not any(f"t{number}" in said.split() for number in range(8))
    board.follow(dataset.apply(Sign(ids=("t3",), reviewer="Ana Ruiz")).dataset)
    assert "Calculado a las 10:30 con 3 casos firmados" in text(board), "it does not follow signatures"
    refusal = board.look_at_test(MOMENT + timedelta(hours=1))
    assert "una sola firma" in refusal
    assert "Calculado a las 10:30" in text(board), "one signature apart would give the case away"


def test_with_fewer_than_three_test_cases_an_aggregate_would_be_about_single_cases(tmp_path: Path) -> None:
    board, dataset = loaded(*reserved_set(tmp_path, 1))
    refusal = board.look_at_test(MOMENT)
    assert "solo cuenta un caso" in refusal
    assert board.glance is None
    board.follow(dataset.apply(Sign(ids=("t1",), reviewer="Ana Ruiz")).dataset)
    assert "solo cuentan 2 casos" in board.look_at_test(MOMENT)
    assert "Sin calcular" in text(board)


def test_where_one_or_two_test_cases_have_an_output_the_aggregate_would_be_about_them(tmp_path: Path) -> None:
    cases, outputs = reserved_set(tmp_path, 4)
    outputs.write_text(
        "".join(json.dumps(prediction(name)) + "\n" for name in ("t1", "t6", "t7")), encoding="utf-8"
    )
    board, _ = loaded(cases, outputs)
    assert "Solo uno de los casos firmados" in board.look_at_test(MOMENT)  # t6 and t7 are not signed
    assert board.glance is None


def test_after_enough_signatures_the_reserved_split_can_be_computed_again(tmp_path: Path) -> None:
    board, dataset = loaded(*reserved_set(tmp_path, 3))
    assert board.look_at_test(MOMENT) == ""
    board.follow(dataset.apply(Sign(ids=("t3", "t4", "t5"), reviewer="Ana Ruiz")).dataset)
    assert board.look_at_test(MOMENT + timedelta(hours=1)) == ""
    assert "Calculado a las 11:30 con 6 casos firmados" in text(board)


def test_two_looks_far_apart_in_time_may_not_be_neighbours_either(tmp_path: Path) -> None:
    # Three signed, then three more; with three of those withdrawn and one added the last look is far from
    # the second and one signature from the first.
    board, dataset = loaded(*reserved_set(tmp_path, 3))
    assert board.look_at_test(MOMENT) == ""
    dataset = dataset.apply(Sign(ids=("t3", "t4", "t5"), reviewer="Ana Ruiz")).dataset
    board.follow(dataset)
    assert board.look_at_test(MOMENT) == ""
    why = "Se firmaron sin mirar el frotis"
    dataset = dataset.apply(Withdraw(("t3", "t4", "t5"), "Ana Ruiz", why)).dataset
    dataset = dataset.apply(Sign(ids=("t6",), reviewer="Ana Ruiz")).dataset
    board.follow(dataset)
    assert "una sola firma" in board.look_at_test(MOMENT)
    dataset = dataset.apply(Withdraw(("t6",), "Ana Ruiz", why)).dataset
    board.follow(dataset)
    assert board.look_at_test(MOMENT) == "", "a set that was shown already tells nothing new"


def test_the_dashboard_and_run_evals_know_of_the_aggregates_the_other_has_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases, outputs = reserved_set(tmp_path, 3)
    board, dataset = loaded(cases, outputs)
    assert board.look_at_test(MOMENT) == ""
    dataset.apply(Sign(ids=("t3",), reviewer="Ana Ruiz"))
    given = ["--casos", str(cases), "--predicciones", str(outputs), "--split", "test", "--juez", "ninguno"]
    assert run_evals(given) == 2
    assert "salvo uno" in capsys.readouterr().err
    later, dataset = loaded(cases, outputs)
    assert "una sola firma" in later.look_at_test(MOMENT), "another sitting knows of it too"
    dataset.apply(Sign(ids=("t4", "t5"), reviewer="Ana Ruiz"))
    assert run_evals(given) == 0
    now, dataset = loaded(cases, outputs)
    now.follow(dataset.apply(Sign(ids=("t6",), reviewer="Ana Ruiz")).dataset)
    assert "una sola firma" in now.look_at_test(MOMENT), "and the dashboard of what run-evals has shown"


def test_a_look_that_cannot_be_noted_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    board, _ = loaded(*reserved_set(tmp_path, 3))
    (tmp_path / "archivo").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "archivo"))
    assert board.look_at_test(MOMENT) == ""
    assert "no se ha podido anotar" in " ".join(text(board).split())


def test_every_painted_figure_is_the_figure_of_the_report(tmp_path: Path) -> None:
    board, _ = loaded(shipped_path(), shipped_path(PREDICTIONS_NAME))
    assert board.dev is not None
    stored = {row["metrica"]: row for row in json.loads(board.dev.to_json())["metricas"]}
    lines = [line.plain for line in board_lines(board, 108)]
    for result in board.dev.aggregate.values():
        row = stored[result.metric]
        line = next(text for text in lines if text[3:].startswith(metric_name(result.metric)))
        cells = line.replace(metric_name(result.metric), "").replace(",", ".").split()
        mark = {True: "✓", False: "✗", None: "–"}[row["cumple"]]
        low, high = row["intervalo"]
        assert cells[0] == mark, line
        assert float(cells[1]) == round(row["valor"], 2), line
        assert cells[-1] == f"{low:.2f}–{high:.2f}", line
        over, whole = cells[-2].split("/")
        assert float(over) / int(whole) == pytest.approx(row["valor"], abs=0.005) or row["es_recuento"], line
        if row["umbral"] is not None:
            assert float(cells[-3]) == float(row["umbral"]), line


def test_no_word_of_a_reserved_case_is_in_any_view(tmp_path: Path) -> None:
    for name in (CASES_NAME, PREDICTIONS_NAME):
        (tmp_path / name).write_bytes(shipped_path(name).read_bytes())
    board, dataset = loaded(tmp_path / CASES_NAME, tmp_path / PREDICTIONS_NAME)
    folder = tmp_path / "informes"
    folder.mkdir()
    assert board._gate is not None
    for number, split in enumerate(("test", "todos", "dev")):
        report = board._gate.report(split, show_reserved=True)
        moment = MOMENT + timedelta(hours=number)
        (folder / f"{split}.json").write_bytes(report.to_json(generated=moment))
    session = Session(Settings(tmp_path / CASES_NAME, tmp_path / PREDICTIONS_NAME), dataset)
    extras = BoardDesk(session, board).look([entry.id for entry in dataset.entries])
    assert board.look_at_test(MOMENT) == ""
    assert extras.beside is not None
    assert extras.beside.comparison is not None
    assert len(extras.shelf.reports) == 3
    ids = [entry.id for entry in dataset.entries if entry.case.split == "test"]
    texts = [entry.case.descripcion for entry in dataset.entries if entry.case.split == "test"]
    for view in View:
        said = " ".join(line.plain for line in board_lines(board, 108, view, extras))
        assert not [word for word in (*ids, *texts) if word in said], view


def test_a_batch_that_holds_every_case_is_not_told_as_the_worst_part(tmp_path: Path) -> None:
    any_number_of_cases(tmp_path)
    dogs = [f"perro-{i}" for i in range(3)]
    cases = write_cases(
        tmp_path / "casos.jsonl",
        *(signed(make_case(name, tanda="unica")) for name in dogs),
        signed(make_case("gato", tanda="unica", paciente={"especie": "felino", "edad_meses": 60})),
    )
    outputs = tmp_path / "salidas.jsonl"
    rows = [prediction(name) for name in dogs[:2]] + [prediction("gato", refers=False)]
    rows.append(prediction(dogs[2], WEAK))
    outputs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    board, _ = loaded(cases, outputs)
    said = "\n".join(line.plain for line in board_lines(board, 100, View.PARTS))
    # The batch misses the thresholds of dogs and cats together, and is all there is: no part to look into.
    assert (
        "Lo peor, especie felino (un caso): acierto en la derivación 0,00, derivaciones omitidas 1." in said
    )


def test_while_the_record_is_damaged_nothing_of_the_reserved_split_is_computed_and_it_is_said_why(
    tmp_path: Path,
) -> None:
    cases, outputs = reserved_set(tmp_path, 4)
    dataset = Dataset.open(cases).apply(Sign(ids=("t4",), reviewer="Ana Ruiz")).dataset
    board = GateBoard(outputs)
    board.load(dataset)
    assert board.look_at_test(MOMENT) == ""
    record = dataset.record.path
    record.write_bytes(record.read_bytes().replace(b'"linea":"', b'"linea":"X', 1))
    board.follow(Dataset.open(cases))
    refusal = board.look_at_test(MOMENT)
    assert "el registro de firmas está dañado" in refusal.lower()
    assert "cuentan 0" not in refusal, "how many count is not known"
    assert "son de antes de que se dañara el registro" in " ".join(text(board).split())


def test_the_reserved_split_has_its_own_cautions(tmp_path: Path) -> None:
    board, _ = loaded(*reserved_set(tmp_path, 4))
    assert board.look_at_test(MOMENT) == ""
    reserved = " ".join(text(board).partition("Grupo reservado")[2].partition("Conviene saber")[0].split())
    # 1 - 0.05^(1/4) = 52.7 %: what none of four leaves open.
    assert "derivaciones omitidas: ninguna en 4 casos" in reserved
    assert "52,7 %" in reserved


def test_where_too_few_reserved_cases_count_the_key_is_not_recommended(tmp_path: Path) -> None:
    board, _ = loaded(*reserved_set(tmp_path, 0))
    said = " ".join(text(board).split())
    assert "Cuentan 0 casos y hacen falta 3 firmados" in said
    assert "Pulse a" not in said
    assert "no cuenta ningún caso" in board.look_at_test(MOMENT)


def test_asking_for_the_reserved_split_with_bad_predictions_does_not_say_that_there_are_none(
    tmp_path: Path,
) -> None:
    cases, outputs = reserved_set(tmp_path, 4)
    outputs.write_text("{\n", encoding="utf-8")
    board, _ = loaded(cases, outputs)
    assert "no se pueden usar" in board.look_at_test(MOMENT)
    without, _ = loaded(cases, None)
    assert without.look_at_test(MOMENT) == "No hay predicciones que puntuar."


def test_no_predictions_says_so_and_how_to_give_some(tmp_path: Path) -> None:
    board, _ = loaded(small_set(tmp_path), None)
    assert board.stage is Stage.NO_PREDICTIONS
    said = text(board)
    assert "Sin predicciones" in said
    assert "revision --predicciones salidas.jsonl" in said
    assert board.effect("pendiente-bueno") is None
    assert "sin predicciones" in effect_lines(None, board)[0].plain


def test_nothing_signed_shows_no_figure_that_could_be_taken_for_a_zero(tmp_path: Path) -> None:
    cases = write_cases(tmp_path / "casos.jsonl", make_case("a"))
    outputs = tmp_path / "salidas.jsonl"
    outputs.write_text(json.dumps(prediction("a")) + "\n", encoding="utf-8")
    board, _ = loaded(cases, outputs)
    said = text(board)
    assert "NADA QUE JUZGAR" in said
    assert "0,00" not in said


def test_bad_predictions_are_a_sentence_with_its_line(tmp_path: Path) -> None:
    outputs = tmp_path / "salidas.jsonl"
    outputs.write_text('{"id": "firmado-uno", "interpretacion": null}\n{"id": "fir\n', encoding="utf-8")
    board, _ = loaded(small_set(tmp_path), outputs)
    assert board.stage is Stage.REFUSED
    said = text(board)
    assert "línea 1" in said
    assert "línea 2" in said
    assert "Puede seguir leyendo y firmando" in said


def test_a_missing_predictions_file_is_not_taken_for_no_predictions(tmp_path: Path) -> None:
    board, _ = loaded(small_set(tmp_path), tmp_path / "no-esta.jsonl")
    assert board.stage is Stage.REFUSED
    assert "no-esta.jsonl" in "".join(text(board).split()), "a long path goes on in the next line"


def test_every_line_of_the_dashboard_fits_its_width(tmp_path: Path) -> None:
    board, dataset = loaded(small_set(tmp_path), small_predictions(tmp_path))
    board.look_at_test(MOMENT)
    extras = Extras(board.previews(pending_groups(dataset.entries, ["pendiente-bueno"])))
    for width in (30, 36, 60, 100):
        for view in View:
            assert all(line.cell_length <= width for line in board_lines(board, width, view, extras)), view


def test_the_gravest_failure_of_a_case_can_be_read_at_every_width(tmp_path: Path) -> None:
    # At 80 columns the words ran off the edge and no case was named as the violation.
    board, _ = loaded(shipped_path(), shipped_path(PREDICTIONS_NAME))
    for width in (50, 76, 118):
        lines = [line.plain for line in board_lines(board, width, View.CASES)]
        place = next(i for i, line in enumerate(lines) if "analitica-h" in line and "✗" in line)
        assert "violación de seguridad" in lines[place] + lines[place + 1]
