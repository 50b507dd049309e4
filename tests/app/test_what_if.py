"""«¿Y si se firmaran?»: the same figures as signing them, nothing counted, nothing of the reserved split."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from reviewer.app.board_desk import Extras
from reviewer.app.board_view import View, board_lines
from reviewer.app.what_if import Which, pending_groups
from reviewer.signing import Sign
from tests.app.support import any_number_of_cases, loaded, prediction, small_predictions, small_set
from tests.support import make_case, signed, write_cases

if TYPE_CHECKING:
    from pathlib import Path

    from reviewer.app.gate_board import GateBoard
    from reviewer.store import Dataset


def painted(board: GateBoard, dataset: Dataset, shown: tuple[str, ...] = (), width: int = 90) -> str:
    previews = board.previews(pending_groups(dataset.entries, shown))
    return "\n".join(line.plain for line in board_lines(board, width, View.WHAT_IF, Extras(previews)))


def test_the_preview_of_all_pending_is_what_signing_them_gives(tmp_path: Path) -> None:
    board, dataset = loaded(small_set(tmp_path), small_predictions(tmp_path))
    assert board.dev is not None
    before = board.dev.to_json()
    everyone = board.previews(pending_groups(dataset.entries, ()))[0]
    assert everyone.group.ids == ("pendiente-bueno", "pendiente-flojo")
    # Two right ones count; with a right one and one that misses the diagnosis it is 3 of 4.
    assert everyone.after.aggregate["recall_diferenciales"].figure == "0.75"
    assert board.dev.to_json() == before, "nothing was counted"
    board.follow(dataset.apply(Sign(ids=everyone.group.ids, reviewer="Ana Ruiz")).dataset)
    assert board.dev.aggregate == everyone.after.aggregate
    assert board.dev.verdict is everyone.after.verdict


def test_the_preview_says_verdicts_figures_and_that_it_is_one(tmp_path: Path) -> None:
    board, dataset = loaded(small_set(tmp_path), small_predictions(tmp_path))
    said = painted(board, dataset)
    assert "Es una suposición: nada de lo que sigue está firmado ni cuenta." in said
    assert "Si se firmaran los 2 pendientes" in said
    assert "✓ PASA → ✗ NO PASA  de 2 a 4 casos" in said
    assert "✗ recall de diferenciales   1,00 → 0,75  ≥ 0,80" in said
    assert "✓ acierto en el alcance     1,00 = 1,00  ≥ 1,00" in said


def test_of_the_reserved_split_only_counts_are_told(tmp_path: Path) -> None:
    board, dataset = loaded(small_set(tmp_path), small_predictions(tmp_path))
    said = painted(board, dataset, ("pendiente-test", "pendiente-bueno"))
    assert "pendiente-test" not in said
    assert "Queda un pendiente; con él pasaría de 1 a 2 casos. Sus cifras no se anticipan" in said
    groups = pending_groups(dataset.entries, ("pendiente-test",))
    assert all("pendiente-test" not in group.ids for group in groups)


def test_the_list_on_the_screen_and_each_batch_have_a_preview_of_their_own(tmp_path: Path) -> None:
    any_number_of_cases(tmp_path)
    names = ("a", "b", "c")
    cases = write_cases(
        tmp_path / "casos.jsonl",
        signed(make_case("s")),
        make_case("a", tanda="2026-08"),
        make_case("b", tanda="2026-07"),
        make_case("c", tanda="2026-07"),
    )
    outputs = tmp_path / "salidas.jsonl"
    rows = [prediction(name) for name in ("s", "a", "b")] + [prediction("c", "Nada que decir.")]
    outputs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    board, dataset = loaded(cases, outputs)
    groups = pending_groups(dataset.entries, ("b",))
    assert [(g.which, g.name, g.ids) for g in groups] == [
        (Which.ALL, "", names),
        (Which.SHOWN, "", ("b",)),
        (Which.BATCH, "2026-07", ("b", "c")),
        (Which.BATCH, "2026-08", ("a",)),
    ]
    said = painted(board, dataset, ("b",), width=120)
    assert "Si se firmara el pendiente de la lista que tiene en pantalla" in said
    # s and b are right, c has neither diagnosis nor a finding: 2 of 3, and 2 of 3 findings.
    assert "2026-07 (2) PASA → NO PASA: recall de diferenciales 1,00→0,67" in said
    assert "2026-08 (1) PASA → PASA: ninguna cifra cambia" in said


def test_pending_cases_without_a_prediction_are_told_where_they_would_score_as_empty(tmp_path: Path) -> None:
    any_number_of_cases(tmp_path)
    pending = (make_case("a", tanda="2026-08"), make_case("b", tanda="2026-07"))
    cases = write_cases(tmp_path / "casos.jsonl", signed(make_case("s")), *pending)
    outputs = tmp_path / "salidas.jsonl"
    rows = [prediction(name) for name in ("s", "a")]
    outputs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    board, dataset = loaded(cases, outputs)
    said = painted(board, dataset, width=120)
    assert "Uno de ellos no tiene predicción y puntuaría como vacío." in said
    assert said.count("no tiene predicción") == 2, "of all, and of its batch"
    assert "2026-07 (1; uno no tiene predicción) PASA → NO PASA" in said


def test_with_nothing_pending_there_is_nothing_to_suppose(tmp_path: Path) -> None:
    any_number_of_cases(tmp_path)
    cases = write_cases(tmp_path / "casos.jsonl", signed(make_case("s")))
    outputs = tmp_path / "salidas.jsonl"
    outputs.write_text(json.dumps(prediction("s")) + "\n", encoding="utf-8")
    board, dataset = loaded(cases, outputs)
    assert "No queda ningún caso pendiente" in painted(board, dataset)


def test_a_figure_with_many_decimals_does_not_touch_its_threshold(tmp_path: Path) -> None:
    board, dataset = loaded(small_set(tmp_path), small_predictions(tmp_path))
    preview = board.previews(pending_groups(dataset.entries, ()))[0]
    recall = preview.after.aggregate["recall_diferenciales"]
    # 5581 of 6976 would round to the threshold of 0.80, so it is told with all the decimals that takes.
    close = replace(recall, value=5581 / 6976, numerator=5581, denominator=6976, cases=6976)
    after = replace(preview.after, aggregate={**preview.after.aggregate, "recall_diferenciales": close})
    shown = Extras((replace(preview, after=after),))
    said = [line.plain for line in board_lines(board, 90, View.WHAT_IF, shown)]
    assert any("recall de diferenciales   1,00 → 0,80003  ≥ 0,80" in line for line in said)
    assert any("acierto en el alcance     1,00 = 1,00     ≥ 1,00" in line for line in said)
