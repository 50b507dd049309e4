"""What was judged is on the disk, once, however a run ends, and the next one goes on from there."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from scoring import files
from scoring.clinical.calibration_state import CalibrationState
from scoring.errors import ConflictError, DataError, UsageError, WriteError
from scoring.judges.errors import CancelledError
from scoring.judges.exchange import Cancel
from scoring.judges.generate import generate, read_template
from scoring.judges.journal import Journal
from scoring.judges.judging import Judgement, Progress, judge, part_of
from scoring.judges.ollama import Ollama
from scoring.judges.servers import parse_server
from tests.clinical.samples import good_output
from tests.judges import loopback
from tests.judges.judging_support import FAST, about, candidates, chosen, run
from tests.judges.loopback import MODEL, rubric, serving, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def control_c() -> Iterator[None]:
    """Control-C raises in the main thread, as in a command; whoever runs the tests may handle it otherwise."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("control_c")
def test_an_interruption_ends_slow_exchanges_at_once_and_what_was_judged_is_on_the_disk(
    tmp_path: Path,
) -> None:
    cancel = Cancel()

    def script(number: int, request: dict[str, Any]) -> Any:
        return rubric() if number <= 2 else loopback.stall(300)

    path = tmp_path / "j.jsonl"
    with serving(script) as server, Journal(path, resume=False) as journal:
        steps: list[Progress] = []

        def told(step: Progress) -> None:
            steps.append(step)
            if step.done == 2:
                threading.Timer(0.2, lambda: _interrupt(cancel)).start()

        start = time.monotonic()
        with pytest.raises((KeyboardInterrupt, CancelledError)):
            judge(
                candidates(5),
                Ollama(parse_server(server.url, option="t"), MODEL),
                replace(FAST, seconds=60.0),
                cancel=cancel,
                journal=journal,
                progress=told,
            )
        assert time.monotonic() - start < 60
    assert [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()] == ["c0", "c1"]


def _interrupt(cancel: Cancel) -> None:
    import _thread

    _thread.interrupt_main()


def test_answers_that_had_come_when_the_interruption_did_are_kept_too(tmp_path: Path) -> None:
    def script(number: int, request: dict[str, Any]) -> Any:
        return rubric() if about(request) < 4 else loopback.stall(300)

    path = tmp_path / "j.jsonl"

    with serving(script) as server, Journal(path, resume=False) as journal:

        def told(step: Progress) -> None:
            # Whoever asks for the next one has got the answer before.
            until(lambda: len(server.requests) == 8)
            raise KeyboardInterrupt

        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            judge(
                candidates(9),
                Ollama(parse_server(server.url, option="t"), MODEL),
                replace(FAST, seconds=60.0, concurrency=4),
                cancel=Cancel(),
                journal=journal,
                progress=told,
            )
        assert time.monotonic() - start < 60
    rows = [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()]
    assert sorted(rows) == ["c0", "c1", "c2", "c3"]


@pytest.mark.usefixtures("control_c")
@pytest.mark.parametrize("after_the_line", [False, True])
def test_an_interruption_while_an_answer_is_being_written_keeps_it_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after_the_line: bool
) -> None:
    path = tmp_path / "j.jsonl"
    _interrupted_at_the_second_line(monkeypatch, after_the_line=after_the_line)
    with serving() as server, Journal(path, resume=False) as journal:
        with pytest.raises(KeyboardInterrupt):
            run(server, candidates(2), journal=journal)
        assert journal.added == 2
    assert [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()] == ["c0", "c1"]


@pytest.mark.usefixtures("control_c")
@pytest.mark.parametrize("after_the_line", [False, True])
def test_an_interruption_while_an_output_is_being_written_keeps_it_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after_the_line: bool
) -> None:
    path = tmp_path / "s.jsonl"
    cases = [candidate.case for candidate in candidates(2)]
    _interrupted_at_the_second_line(monkeypatch, after_the_line=after_the_line)
    with serving(json.dumps(good_output())) as server, Journal(path, resume=False) as journal:
        way = Ollama(parse_server(server.url, option="t"), MODEL)
        with pytest.raises(KeyboardInterrupt):
            generate(cases, cases, way, FAST, journal, template=read_template(None), cancel=Cancel())
    assert [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()] == ["c0", "c1"]


def _interrupted_at_the_second_line(monkeypatch: pytest.MonkeyPatch, *, after_the_line: bool) -> None:
    """Control-C before the line is begun, or when it stands in the file and waits for the disk."""
    real, calls = (os.fsync if after_the_line else files.write_all), 0

    def interrupted(*args: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.3)  # the main thread is on its way out meanwhile
        real(*args)

    if after_the_line:
        monkeypatch.setattr(os, "fsync", interrupted)
    else:
        monkeypatch.setattr("scoring.judges.journal.write_all", interrupted)


def test_a_screen_can_cancel_a_run_and_gets_what_there_is(tmp_path: Path) -> None:
    cancel = Cancel()

    def script(number: int, request: dict[str, Any]) -> Any:
        return rubric() if number == 1 else loopback.stall(300)

    results: list[Judgement] = []
    with serving(script) as server:
        worker = threading.Thread(
            target=lambda: results.append(
                run(server, candidates(4), replace(FAST, seconds=60.0), cancel=cancel)
            )
        )
        worker.start()
        until(lambda: len(server.requests) == 2)
        cancel.cancel()
        worker.join(60)
        assert not worker.is_alive()
    assert list(results[0].rubrics) == ["c0"]
    assert set(results[0].errors.values()) == {"abandoned"}


def test_going_on_asks_only_what_is_missing_also_after_a_kill_in_mid_line(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with serving() as server:
        with Journal(path, resume=False) as journal:
            first = run(server, candidates(3), journal=journal)
        whole = path.read_bytes()
        lines = whole.splitlines(keepends=True)
        for cut in (1, len(lines[2]) // 2, len(lines[2]) - 1):
            path.write_bytes(b"".join(lines[:2]) + lines[2][:cut])
            server.requests.clear()
            with Journal(path, resume=True) as journal:
                assert journal.torn is (cut < len(lines[2]) - 1)
                again = run(server, candidates(3), journal=journal)
            assert again.rubrics == first.rubrics
            # A line that lacks nothing but its end is whole.
            asked = [about(request) for request in server.requests]
            assert asked == ([2] if cut < len(lines[2]) - 1 else [])
            ids = [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()]
            assert ids == ["c0", "c1", "c2"]


def test_every_cut_of_the_file_can_be_gone_on_from(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with serving() as server:
        with Journal(path, resume=False) as journal:
            run(server, candidates(2), journal=journal)
        whole = path.read_bytes()
        for size in range(0, len(whole) + 1, 7):
            path.write_bytes(whole[:size])
            with Journal(path, resume=True) as journal:
                assert len(run(server, candidates(2), journal=journal).rubrics) == 2


def test_an_answer_to_another_question_is_not_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with serving() as server:
        with Journal(path, resume=False) as journal:
            run(server, candidates(2), journal=journal)
        changed = candidates(2)
        changed[1] = replace(changed[1], output={**good_output(), "interpretacion": "Otra cosa."})
        server.requests.clear()
        with Journal(path, resume=True) as journal:
            result = run(server, changed, journal=journal)
        assert [about(request) for request in server.requests] == [1]
        assert result.reused == 1
        server.requests.clear()
        with Journal(path, resume=True) as journal:
            run(server, candidates(2), replace(FAST, tokens=99), journal=journal)
        assert len(server.requests) == 2


def test_a_rubric_keeps_its_exact_scores_through_the_file(tmp_path: Path) -> None:
    exact = "0.899999999999999999"
    text = rubric().replace('"seguridad": 1,', f'"seguridad": {exact},')
    path = tmp_path / "j.jsonl"
    with serving(text) as server:
        with Journal(path, resume=False) as journal:
            run(server, candidates(1), journal=journal)
        with Journal(path, resume=True) as journal:
            again = run(server, candidates(1), journal=journal)
    assert again.reused == 1
    assert again.rubrics["c0"].scores["seguridad"] == Decimal(exact)


def test_rubrics_of_the_reserved_split_are_never_written(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    steps: list[Progress] = []
    with serving() as server, Journal(path, resume=False) as journal:
        cases = [*candidates(1), *candidates(2, split="test")[1:]]
        result = run(server, cases, journal=journal, steps=steps)
    assert sorted(result.rubrics) == ["c0", "c1"]
    assert [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()] == ["c0"]
    assert [step.case_id for step in steps] == ["c0", None]
    part = part_of(cases, chosen(server), result, informative=False, calibration=CalibrationState())
    assert list(part.rubrics) == ["c0"]


@pytest.mark.parametrize(
    "line",
    [
        '{"id": "c0"}',
        '{"clave": 3, "rubrica": {}}',
        '{"clave": "x", "rubrica": []}',
        '{"clave": "x", "rubrica": {"seguridad": "2"}}',
        "no",
    ],
)
def test_a_file_that_holds_something_else_is_named_by_line_and_left_alone(tmp_path: Path, line: str) -> None:
    path = tmp_path / "j.jsonl"
    path.write_text(f"{line}\n", encoding="utf-8")
    with serving() as server, pytest.raises(DataError) as caught, Journal(path, resume=True) as journal:
        run(server, candidates(1), journal=journal)
    assert caught.value.problems[0].line == 1
    assert path.read_text(encoding="utf-8") == f"{line}\n"
    assert server.requests == []


def test_an_existing_file_is_refused_unless_one_goes_on_with_it(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    path.write_text("", encoding="utf-8")
    with pytest.raises(UsageError), Journal(path, resume=False):
        pass
    with Journal(path, resume=True), pytest.raises(ConflictError), Journal(path, resume=True):
        pass
    with pytest.raises(WriteError), Journal(tmp_path / "j.jsonl" / "x.jsonl", resume=False):
        pass


def test_judgements_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.jsonl", resume=False, private=True):
        pass
    assert (tmp_path / "j.jsonl").stat().st_mode & 0o077 == 0
