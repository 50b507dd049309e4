"""A judge behind the screens, against real servers on loopback: followed, stopped at once, taken up again."""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from reviewer.app.board_desk import Extras
from reviewer.app.board_view import View, board_lines, effect_lines, headline
from reviewer.app.gate_board import GateBoard
from reviewer.judging import Found, Stage, find
from reviewer.signing import Edit, FieldEdit, Sign, Withdraw
from reviewer.store import Dataset
from scoring.cli.run_evals import main as run_evals
from scoring.judges.exchange import Cancel
from scoring.sources import find_thresholds
from scoring.tables import thresholds_table
from tests.app.support import small_predictions, small_set
from tests.judges.loopback import rubric, serving, stall, until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.judges.loopback import LoopbackServer, Reaction


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REVISION_JUEZ_ESPERA", "0")
    monkeypatch.setenv("REVISION_JUEZ_CONCURRENCIA", "1")
    return tmp_path


def loaded(folder: Path) -> tuple[GateBoard, Dataset]:
    dataset = Dataset.open(small_set(folder))
    board = GateBoard(small_predictions(folder))
    board.load(dataset)
    return board, dataset


def found(board: GateBoard, dataset: Dataset, server: LoopbackServer) -> Found:
    assert board.dev is not None
    return find(
        server.url,
        board.candidates(),
        data=thresholds_table(find_thresholds(None, dataset.path)),
        cases_digest=board.dev.cases_digest,
        calibration_of=lambda _: None,
        cancel=Cancel(),
    )


def ended(board: GateBoard) -> None:
    until(lambda: not board.judge_running)


def judged(board: GateBoard, dataset: Dataset, server: LoopbackServer) -> None:
    assert board.judge.start(found(board, dataset, server), board.join_judge)
    ended(board)
    assert board.judge.status.stage is Stage.DONE


def text(board: GateBoard, view: View, width: int = 100) -> str:
    return "\n".join(line.plain for line in board_lines(board, width, view, Extras(looked=True)))


def test_before_anything_is_sent_it_is_said_who_judges_where_and_how_many(place: Path) -> None:
    board, dataset = loaded(place)
    with serving() as server:
        it = found(board, dataset, server)
        assert server.requests == [], "finding a judge sends no case"
    assert server.url in it.goes_to
    assert it.local
    assert (it.judgeable, it.counted) == (4, 2), "four cases of dev have an output, two are signed"
    assert "sin calibrar" in it.calibration.sentence()
    assert not it.calibration.calibrated


def test_the_report_with_the_judge_is_that_of_run_evals(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    board, dataset = loaded(place)
    with serving(lambda n, _: rubric(seguridad=0.5) if n % 2 else rubric()) as server:
        judged(board, dataset, server)
        board_report = board.report
        server.requests.clear()
        monkeypatch.setenv("REVISION_JUEZ_URL", server.url)
        path = place / "r.json"
        code = run_evals(
            [
                *("--casos", str(dataset.path), "--predicciones", str(place / "salidas.jsonl")),
                *("--juez", server.url, "--informe", str(path)),
            ]
        )
    capsys.readouterr()
    assert board_report is not None
    theirs = json.loads(path.read_bytes())
    mine = json.loads(board_report.to_json())
    assert {key: theirs[key] for key in mine} == mine
    assert code == int(board_report.verdict.exit_code) == 1
    # Four questions in turn 0.5, 1, 0.5, 1; of the two that count, the first got 0.5: mean 0.75 < 0.90.
    assert "juez_seguridad=0.75 < 0.90" in board_report.failures
    said = text(board, View.JUDGE)
    assert "✗ seguridad                 0,75" in said
    assert "De esta sesión; entra en el veredicto" in said
    assert "puerta (dev, con juez): ✗ NO PASA" in headline(board).plain
    # The preview of a signature is of the metrics alone, and says so where a judge has spoken.
    assert "El juez no entra" in effect_lines(board.effect("pendiente-flojo"), board)[-1].plain
    assert "seguridad" in text(board, View.FIGURES)


def test_no_word_of_the_reserved_split_is_sent(place: Path) -> None:
    board, dataset = loaded(place)
    with serving() as server:
        judged(board, dataset, server)
        assert len(server.requests) == 4
    assert all(not c.reserved for c in board.candidates())


def test_progress_counts_seconds_and_names_the_last_error(place: Path) -> None:
    board, dataset = loaded(place)
    going = threading.Event()

    def slow(number: int, _: dict[str, Any]) -> Reaction:
        if number == 1:
            return rubric()
        if number in {2, 3}:
            return "esto no es una rúbrica"
        going.wait(60)
        return rubric()

    with serving(slow) as server:
        board.judge.start(found(board, dataset, server), board.join_judge)
        until(lambda: board.judge.status.done == 2)
        status = board.judge.status
        assert (status.stage, status.done, status.total, status.failed) == (Stage.RUNNING, 2, 4, 1)
        assert status.left is not None
        said = text(board, View.JUDGE)
        assert "2 de 4 casos" in said
        assert "Uno sin respuesta que sirva" in said
        assert "juez 2/4 · puerta (dev)" in headline(board).plain
        going.set()
        ended(board)
    assert board.report is not None
    assert board.report.judge.unjudged
    assert "casos_no_juzgados=1 (máx 0)" in board.report.failures
    assert "✗ casos sin juzgar             1" in text(board, View.JUDGE)


def test_stopping_takes_a_moment_keeps_what_was_judged_and_the_next_run_asks_only_for_the_rest(
    place: Path,
) -> None:
    board, dataset = loaded(place)
    before = board.dev
    with serving(lambda n, _: rubric() if n <= 2 else stall(300)) as server:
        board.judge.start(found(board, dataset, server), board.join_judge)
        until(lambda: board.judge.status.done == 2 and len(server.requests) == 3)
        start = time.monotonic()
        board.judge.stop(wait=60)
        assert time.monotonic() - start < 60, "it would wait for five minutes"
        status = board.judge.status
        assert (status.stage, status.done) == (Stage.STOPPED, 2)
        assert board.report is before, "an interrupted run gives no verdict"
        assert "Interrumpido con 2 de 4 casos juzgados; se conservan" in text(board, View.JUDGE)
        assert "no ha juzgado nadie" not in text(board, View.JUDGE)
        server.script = lambda *_: rubric()
        server.requests.clear()
        again = found(board, dataset, server)
        assert again.interrupted
        assert board.judge.start(again, board.join_judge)
        ended(board)
        # «pendiente-bueno» asks the very question of the two that were judged, so one is left to ask.
        assert len(server.requests) == 1
    assert board.judge.status.reused == 3
    assert board.report is not None
    assert board.report.judge.judged == 2
    assert not list((place / "casa" / "datos").rglob("*.jsonl")), "a whole run leaves nothing behind"


def test_run_evals_goes_on_from_where_the_dashboard_stopped(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board, dataset = loaded(place)
    with serving(lambda n, _: rubric() if n == 1 else stall(300)) as server:
        board.judge.start(found(board, dataset, server), board.join_judge)
        # The second question has to be there, or it would be counted among those that come later.
        until(lambda: board.judge.status.done == 1 and len(server.requests) == 2)
        board.judge.stop(wait=60)
        server.script = lambda *_: rubric()
        server.requests.clear()
        given = ("--casos", str(dataset.path), "--predicciones", str(place / "salidas.jsonl"))
        assert run_evals([*given, "--juez", server.url, "--reanudar"]) == 0
    capsys.readouterr()
    # Three of the four ask the very same question, and one of those was judged.
    assert len(server.requests) == 1


def test_a_second_run_is_not_begun_while_one_is_under_way(place: Path) -> None:
    board, dataset = loaded(place)
    with serving(lambda n, r: stall(300)) as server:
        it = found(board, dataset, server)
        assert board.judge.start(it, board.join_judge)
        assert not board.judge.start(it, board.join_judge)
        board.judge.stop(wait=60)
    assert not board.judge_running


def test_what_the_judge_found_follows_the_signatures(place: Path) -> None:
    board, dataset = loaded(place)
    with serving() as server:
        judged(board, dataset, server)
        board.follow(dataset.apply(Sign(ids=("pendiente-bueno",), reviewer="Ana Ruiz")).dataset)
        assert board.report is not None
        assert (board.report.counted, board.report.judge.judged) == (3, 3)
        fresh = GateBoard(place / "salidas.jsonl")
        fresh.load(Dataset.open(dataset.path))
        judged(fresh, Dataset.open(dataset.path), server)
    assert fresh.report is not None
    assert board.report.to_json() == fresh.report.to_json()
    asked = len(server.requests)
    latest = Dataset.open(dataset.path)
    board.follow(latest.apply(Withdraw(("firmado-uno",), "Ana Ruiz", "Falta mirar el frotis")).dataset)
    assert board.report.judge.judged == 2
    assert len(server.requests) == asked, "nobody was asked again"


def test_a_judgement_of_a_case_that_changed_is_dropped_and_its_gap_is_told(place: Path) -> None:
    board, dataset = loaded(place)
    with serving() as server:
        judged(board, dataset, server)
    change = FieldEdit(("signos_clinicos",), "Otra cosa muy distinta")
    edited = dataset.apply(Edit("pendiente-bueno", (change,), "Ana Ruiz")).dataset
    board.load(edited)
    assert board.report is not None
    assert board.report.judge.unjudged == ("pendiente-bueno",)
    assert "han cambiado después: 1" in text(board, View.JUDGE)
    assert board.report.judge.judged == 2, "the two that count are as they were"


def test_a_file_of_judgements_in_use_is_said_and_nothing_is_asked(place: Path) -> None:
    board, dataset = loaded(place)
    other = GateBoard(place / "salidas.jsonl")
    other.load(dataset)
    with serving(lambda n, r: stall(300)) as server:
        assert other.judge.start(found(other, dataset, server), other.join_judge)
        until(lambda: len(server.requests) == 1)
        board.judge.start(found(board, dataset, server), board.join_judge)
        ended(board)
        assert board.judge.status.stage is Stage.FAILED
        assert "El juez no ha podido seguir" in text(board, View.JUDGE)
        assert len(server.requests) == 1
        other.judge.stop(wait=60)


def test_a_server_that_never_answers_well_withholds_the_verdict_as_run_evals_does(place: Path) -> None:
    board, dataset = loaded(place)
    with serving(lambda n, r: "no") as server:
        judged(board, dataset, server)
    assert board.report is not None
    assert (str(board.report.verdict), board.report.reason) == ("sin_juicio", "juez_sin_veredicto")
    assert "SIN JUICIO" in headline(board).plain
