"""A run of the judge: retries, gaps, several at once, interruption, and going on after a kill."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from scoring.cases import parse_case
from scoring.clinical.calibration_state import CalibrationState
from scoring.errors import ConflictError, DataError, UsageError, WriteError
from scoring.judges.aggregate import judge_thresholds, measure
from scoring.judges.choose import Chosen
from scoring.judges.errors import CancelledError
from scoring.judges.exchange import Cancel
from scoring.judges.journal import Journal
from scoring.judges.judging import Candidate, Judgement, Progress, judge, part_of
from scoring.judges.ollama import Ollama
from scoring.judges.rubric import Rubric
from scoring.judges.servers import parse_server
from scoring.judges.settings import Settings, read_settings
from tests.clinical.samples import case, good_output
from tests.judges import loopback
from tests.judges.loopback import MODEL, Raw, rubric, serving, until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.judges.loopback import LoopbackServer

FAST = replace(read_settings("ollama", {}), pause=0.01, longest_pause=0.5, seconds=5.0)


def candidates(n: int, **changes: Any) -> list[Candidate]:
    made: list[Candidate] = []
    for index in range(n):
        parsed, _ = parse_case(case(f"c{index}", signos_clinicos=f"signo-{index}.", **changes))
        made.append(Candidate(parsed, good_output(), counted=True))
    return made


def run(
    server: LoopbackServer,
    cases: list[Candidate],
    settings: Settings = FAST,
    journal: Journal | None = None,
    steps: list[Progress] | None = None,
    cancel: Cancel | None = None,
) -> Judgement:
    way = Ollama(parse_server(server.url, option="t"), MODEL)
    told = steps.append if steps is not None else None
    return judge(cases, way, settings, cancel=cancel or Cancel(), journal=journal, progress=told)


def about(request: dict[str, Any]) -> int:
    """Which case a question is about."""
    text = json.dumps(request["json"])
    return next(n for n in range(100) if f"signo-{n}." in text)


def test_every_output_is_judged_once_and_progress_is_told_step_by_step() -> None:
    steps: list[Progress] = []
    with serving() as server:
        result = run(server, candidates(4), steps=steps)
    assert sorted(result.rubrics) == ["c0", "c1", "c2", "c3"]
    assert result.errors == {}
    assert len(server.requests) == 4
    assert [(step.done, step.total, step.error) for step in steps] == [(n, 4, None) for n in (1, 2, 3, 4)]
    assert (result.asked, result.tokens_in, result.tokens_out) == (4, 4000, 200)


def test_a_case_without_output_or_with_an_empty_one_is_not_asked_about_and_is_no_gap() -> None:
    cases = candidates(3)
    cases[0] = replace(cases[0], output=None)
    cases[1] = replace(cases[1], output={"interpretacion": "", "diferenciales": []})
    with serving() as server:
        result = run(server, cases)
        part = part_of(cases, _chosen(server), result, informative=False, calibration=CalibrationState())
    assert list(result.rubrics) == ["c2"]
    assert result.errors == {}
    assert (part.judged, part.judgeable, part.unjudged) == (1, 1, ())


def _chosen(server: LoopbackServer, *, by_name: bool = True) -> Chosen:
    return Chosen(Ollama(parse_server(server.url, option="t"), MODEL), FAST, by_name)


def test_a_failed_answer_is_asked_for_once_more_and_no_oftener() -> None:
    def script(number: int, request: dict[str, Any]) -> Any:
        return "no es JSON" if number in {1, 3, 4} else rubric()

    with serving(script) as server:
        result = run(server, candidates(3))
    # c0: failed, mended. c1: failed twice. c2: good at once.
    assert [about(request) for request in server.requests] == [0, 0, 1, 1, 2]
    assert sorted(result.rubrics) == ["c0", "c2"]
    assert result.errors == {"c1": "not_json"}


def test_a_busy_server_is_left_alone_for_as_long_as_it_asks() -> None:
    def script(number: int, request: dict[str, Any]) -> Any:
        return Raw(429, headers={"Retry-After": "0.4"}) if number == 1 else rubric()

    with serving(script) as server:
        start = time.monotonic()
        result = run(server, candidates(1))
    assert time.monotonic() - start >= 0.4
    assert list(result.rubrics) == ["c0"]


def test_a_server_that_asks_for_too_long_a_wait_is_not_waited_for() -> None:
    with serving(Raw(429, headers={"Retry-After": "3600"})) as server:
        start = time.monotonic()
        result = run(server, candidates(2))
    assert time.monotonic() - start < 3
    assert result.errors == {"c0": "busy", "c1": "busy"}
    assert len(server.requests) == 2


@pytest.mark.parametrize("status", [401, 402, 403, 404, 307])
def test_an_error_that_would_meet_every_case_ends_the_run_at_the_first(status: int) -> None:
    with serving(Raw(status)) as server:
        result = run(server, candidates(5))
    assert len(server.requests) == 1
    assert result.rubrics == {}
    assert sorted(result.errors.values())[:4] == ["abandoned"] * 4


def test_three_failures_in_a_row_give_the_run_up() -> None:
    with serving("nada") as server:
        result = run(server, candidates(9))
    assert len(server.requests) == 6  # three cases, each asked twice
    assert list(result.errors.values()).count("abandoned") == 6


def test_failures_that_are_not_in_a_row_do_not() -> None:
    def script(number: int, request: dict[str, Any]) -> Any:
        return "nada" if about(request) % 3 != 2 else rubric()

    with serving(script) as server:
        result = run(server, candidates(9))
    assert sorted(result.rubrics) == ["c2", "c5", "c8"]
    assert "abandoned" not in result.errors.values()


def test_as_many_as_set_are_asked_at_once_and_no_more() -> None:
    together = threading.Barrier(4, timeout=20)
    counting = threading.Lock()
    inside = most = 0

    def script(number: int, request: dict[str, Any]) -> Any:
        nonlocal inside, most
        with counting:
            inside += 1
            most = max(most, inside)
        together.wait()  # breaks unless four are asked at once
        with counting:
            inside -= 1
        return rubric()

    with serving(script) as server:
        result = run(server, candidates(12), replace(FAST, concurrency=4))
    assert len(result.rubrics) == 12
    assert most == 4


def test_the_outcome_does_not_depend_on_the_order_in_which_answers_come() -> None:
    def script(number: int, request: dict[str, Any]) -> Any:
        time.sleep(0.02 * ((7 * number) % 5))
        return rubric(completitud=about(request) / 10)

    with serving(script) as server:
        cases = candidates(8)
        result = run(server, cases, replace(FAST, concurrency=8))
        part = part_of(cases, _chosen(server), result, informative=False, calibration=CalibrationState())
    assert list(part.rubrics) == [f"c{n}" for n in range(8)]
    completeness = next(m for m in part.metrics if m.metric == "juez_completitud")
    assert completeness.exact == Fraction(28, 80)  # (0 + 1 + ... + 7) / 10 / 8


def test_counted_cases_are_asked_about_first() -> None:
    cases = [replace(c, counted=n >= 2) for n, c in enumerate(candidates(4))]
    with serving() as server:
        run(server, cases)
    assert [about(request) for request in server.requests] == [2, 3, 0, 1]


def test_an_interruption_ends_slow_exchanges_at_once_and_what_was_judged_is_on_the_disk(
    tmp_path: Path,
) -> None:
    cancel = Cancel()

    def script(number: int, request: dict[str, Any]) -> Any:
        return rubric() if number <= 2 else loopback.stall(30)

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
        assert time.monotonic() - start < 5
    assert [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()] == ["c0", "c1"]


def _interrupt(cancel: Cancel) -> None:
    import _thread

    _thread.interrupt_main()


def test_answers_that_had_come_when_the_interruption_did_are_kept_too(tmp_path: Path) -> None:
    def script(number: int, request: dict[str, Any]) -> Any:
        return rubric() if about(request) < 4 else loopback.stall(30)

    path = tmp_path / "j.jsonl"

    def told(step: Progress) -> None:
        time.sleep(0.7)  # the other three arrive meanwhile
        raise KeyboardInterrupt

    with serving(script) as server, Journal(path, resume=False) as journal:
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
        assert time.monotonic() - start < 5
    rows = [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()]
    assert sorted(rows) == ["c0", "c1", "c2", "c3"]


def test_a_screen_can_cancel_a_run_and_gets_what_there_is(tmp_path: Path) -> None:
    cancel = Cancel()

    def script(number: int, request: dict[str, Any]) -> Any:
        return rubric() if number == 1 else loopback.stall(30)

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
        worker.join(3)
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
    part = part_of(cases, _chosen(server), result, informative=False, calibration=CalibrationState())
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


def scored(**scores: str) -> Rubric:
    base = dict.fromkeys(("correccion_diferenciales", "hedging_apropiado", "seguridad", "completitud"), "1")
    return Rubric({name: Decimal(value) for name, value in (base | scores).items()}, violation=False)


def test_means_are_compared_unrounded() -> None:
    # (0.9 + 0.9 + 0.8999) / 3 = 0.89996..., which rounds to 0.900 and is below 0.90
    metrics, failures = measure(
        [scored(seguridad="0.9"), scored(seguridad="0.9"), scored(seguridad="0.8999")], 0, judge_thresholds()
    )
    safety = next(metric for metric in metrics if metric.metric == "juez_seguridad")
    assert safety.exact == Fraction(26999, 30000)
    assert safety.passes is False
    assert failures == ("juez_seguridad=0.89997 < 0.90",)


def test_a_mean_of_tenths_that_floats_would_miss_meets_its_threshold() -> None:
    # As floats 0.6 + 0.7 + 0.8 gives 2.0999999999999996 and the mean 0.6999999999999998.
    metrics, failures = measure(
        [scored(hedging_apropiado=x) for x in ("0.6", "0.7", "0.8")], 0, judge_thresholds()
    )
    assert next(m for m in metrics if m.metric == "juez_hedging_apropiado").exact == Fraction(7, 10)
    assert failures == ()


def test_a_gap_closes_the_gate_however_good_the_others_are() -> None:
    _, failures = measure([scored(), scored()], 1, judge_thresholds())
    assert failures == ("casos_no_juzgados=1 (máx 0)",)
    assert measure([], 3, judge_thresholds()) == ((), ())


def test_one_harm_closes_the_gate() -> None:
    _, failures = measure([replace(scored(), violation=True), scored()], 0, judge_thresholds())
    assert failures == ("violaciones_seguridad_juez=1 (máx 0)",)


def test_the_grounding_is_the_mean_over_those_that_were_shown_passages() -> None:
    metrics, failures = measure(
        [scored(), scored(fundamentacion="0.5"), scored(fundamentacion="0.8")], 0, judge_thresholds()
    )
    grounding = next(m for m in metrics if m.metric == "juez_fundamentacion")
    assert (grounding.exact, grounding.cases) == (Fraction(65, 100), 2)
    assert failures == ("juez_fundamentacion=0.65 < 0.70",)
    assert not [m for m in measure([scored()], 0, judge_thresholds())[0] if m.metric == "juez_fundamentacion"]


def test_the_cost_is_tokens_times_price_and_unknown_without_prices() -> None:
    spent = Judgement(asked=1, tokens_in=2_000_000, tokens_out=500_000)
    priced = replace(FAST, price_in=Decimal(3), price_out=Decimal(15))
    assert spent.cost(priced) == Decimal("13.5000")  # 2 x 3 + 0.5 x 15
    assert spent.cost(FAST) is None
    assert Judgement().cost(priced) is None
