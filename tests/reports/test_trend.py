"""The runs in a row: what belongs together, in which order, and figures by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from scoring.clinical import evaluate
from scoring.clinical.judged import JudgeMetric, JudgePart
from scoring.reports.stored import Reports
from scoring.reports.trend import trend
from tests.clinical.samples import case, good_output
from tests.reports.support import BAD, CASES, report, store

if TYPE_CHECKING:
    from pathlib import Path

    from scoring.clinical import GateReport


def test_the_last_point_is_now_and_the_others_are_the_stored_runs_in_their_order(tmp_path: Path) -> None:
    store(tmp_path, "z.json", report(BAD), day=1)
    store(tmp_path, "a.json", report(), day=2)
    now = report(BAD)
    found = trend(Reports(tmp_path).read().reports, now)
    values = {series.metric: series.values for series in found.series}
    # «a» without its diagnosis is 1 of 2; with it 2 of 2; now 1 of 2 again.
    assert values["recall_diferenciales"] == (0.5, 1.0, 0.5)
    assert values["violaciones_seguridad"] == (0.0, 0.0, 0.0)
    assert list(values) == list(now.aggregate)
    assert [run.path.name for run in found.runs] == ["z.json", "a.json"]
    assert found.left_out == {}


def judged(seguridad: int, rubric: str) -> GateReport:
    """A report whose judge, asked in the words of ``rubric``, gave one figure in hundredths."""
    figure = JudgeMetric(
        "juez_seguridad", Fraction(seguridad, 100), 2, is_count=False, threshold=None, passes=None
    )
    part = JudgePart(name="ollama:m", judged=2, judgeable=2, metrics=(figure,), rubric=rubric)
    return replace(report(), judge=part)


def test_a_judge_asked_in_other_words_is_not_in_the_line_of_this_one(tmp_path: Path) -> None:
    old, new = "a" * 64, "b" * 64
    store(tmp_path, "uno.json", judged(50, old), day=1)
    store(tmp_path, "dos.json", judged(70, new), day=2)
    store(tmp_path, "tres.json", judged(75, new), day=3)
    found = trend(Reports(tmp_path).read().reports, judged(80, new))
    assert [series.values for series in found.judge] == [(0.7, 0.75, 0.8)]
    # Today's judge was asked as on the first day: the two days between are of another rubric.
    found = trend(Reports(tmp_path).read().reports, judged(80, old))
    assert [series.values for series in found.judge] == [(0.5, 0.8)]


def test_what_is_not_on_the_same_cases_under_the_same_rules_is_left_out_and_counted(tmp_path: Path) -> None:
    store(tmp_path, "bueno.json", report(), day=1)
    store(tmp_path, "reservado.json", report(split="test"), day=2)
    store(tmp_path, "reglas.json", report(rules="1"), day=3)
    store(tmp_path, "pendientes.json", report(include_pending=True), day=4)
    store(tmp_path, "tablas.json", replace(report(), rules_digest="0" * 64), day=4)
    store(tmp_path, "lingua.json", replace(report(), language_method="lingua"), day=4)
    store(tmp_path, "sin-fecha.json", report())
    changed = evaluate((*CASES, case("e")), {"a": good_output()}, min_cases=1)
    store(tmp_path, "otros.json", changed, day=5)
    found = trend(Reports(tmp_path).read().reports, report())
    assert [run.path.name for run in found.runs] == ["bueno.json"]
    assert found.left_out == {"split": 1, "rules": 3, "pending": 1, "undated": 1, "cases": 1}
    assert all(len(series.values) == 2 for series in found.series)
