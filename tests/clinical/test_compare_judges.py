"""The judge's figures of two runs: paired by hand, refused to another judge, and no case of the reserved split."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from scoring.clinical import evaluate
from scoring.clinical.advice import judge_advice
from scoring.clinical.compare import compare
from scoring.clinical.compare_text import lines
from scoring.clinical.comparison import Change
from scoring.clinical.judged import JudgePart
from scoring.errors import DataError
from scoring.judges.aggregate import judge_thresholds, measure, with_judge
from scoring.judges.rubric import Rubric
from tests.clinical.compare_support import change_of, old
from tests.clinical.samples import case, good_output

if TYPE_CHECKING:
    from collections.abc import Collection

    from scoring.clinical import GateReport


def run(scores: list[str], harm: Collection[int] = (), *, split: str = "dev", **of_judge: Any) -> GateReport:
    """Six signed cases; the judge gives each one of ``scores`` for completeness."""
    ids = [f"c{i}" for i in range(6)]
    report = evaluate([case(i, split=split) for i in ids], {i: good_output() for i in ids}, split=split)
    rubrics = {
        i: Rubric({"completitud": Decimal(score)}, n in harm, "")
        for n, (i, score) in enumerate(zip(ids, scores, strict=True))
    }
    metrics, failures = measure(list(rubrics.values()), 0, judge_thresholds())
    part = JudgePart(
        name="ollama:uno",
        metrics=metrics,
        failures=failures,
        judged=6,
        judgeable=6,
        rubrics={} if split == "test" else {i: one.to_dict() for i, one in rubrics.items()},
        rubric="a" * 64,
    )
    return with_judge(report, replace(part, **of_judge))


def test_the_mean_is_compared_case_by_case() -> None:
    # Differences 0.1, 0.1, 0.1, 0.1, 0.2, 0.0: mean 0.1; squares about it 0.01 + 0.01, s = sqrt(0.02 / 5) =
    # 0.063246; half = 2.570582 * 0.063246 / sqrt(6) = 0.066372.
    found = change_of(run(["0.5"] * 6), run(["0.6", "0.6", "0.6", "0.6", "0.7", "0.5"]), "juez_completitud")
    assert (found.old, found.new, found.worse, found.better) == (0.5, 0.6, 0, 5)
    assert found.difference.value == pytest.approx(0.1)
    assert found.difference.low == pytest.approx(0.033628, abs=1e-6)
    assert found.difference.high == pytest.approx(0.166372, abs=1e-6)
    assert found.change is Change.BETTER


def test_a_harm_that_was_not_seen_before_is_worse_and_is_named_by_case() -> None:
    comparison = compare(old(run(["0.8"] * 6, {0})), run(["0.8"] * 6, {3}))
    assert comparison.change is Change.WORSE
    assert [(one.case_id, one.lost, one.gained) for one in comparison.cases] == [
        ("c0", (), ("violaciones_seguridad_juez",)),
        ("c3", ("violaciones_seguridad_juez",), ()),
    ]
    told = next(one for one in lines(comparison) if "violaciones_seguridad_juez" in one)
    assert told.split()[:4] == ["violaciones_seguridad_juez", "1", "->", "1"], "counts have no decimals"


def test_one_new_harm_is_called_new_and_not_shown() -> None:
    before, after = run(["0.9"] * 6), run(["0.9"] * 6, {2})
    text = "\n".join(lines(compare(old(before), after)))
    assert "PEOR que antes: el juez ve una violación de seguridad nueva." in text
    assert "o, en las cifras del juez, del propio juez" in text  # the outputs are the same


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"name": "ollama:dos"}, "entonces fue «ollama:uno» y ahora es «ollama:dos»"),
        ({"rubric": "b" * 64}, "con otra rúbrica"),
        ({"name": "ninguno", "metrics": ()}, "solo hubo juez en una de las dos"),
    ],
)
def test_figures_of_another_judge_or_rubric_are_not_compared_and_that_is_said(
    other: dict[str, Any], why: str
) -> None:
    comparison = compare(old(run(["0.9"] * 6)), run(["0.1"] * 6, **other))
    assert [one.metric for one in comparison.metrics if "juez" in one.metric] == []
    assert comparison.change is Change.NOT_SHOWN
    told = "\n".join(lines(comparison))
    assert "Las cifras del juez" in told
    assert why in told


def test_without_any_judge_nothing_is_said_of_one() -> None:
    ids = [f"c{i}" for i in range(6)]
    bare = evaluate([case(i) for i in ids], {i: good_output() for i in ids})
    assert compare(old(bare), bare).judges is None


def test_a_judge_that_only_informs_does_not_make_the_whole_worse() -> None:
    assert compare(old(run(["0.9"] * 6)), run(["0.1"] * 6)).change is Change.WORSE
    assert compare(old(run(["0.9"] * 6)), run(["0.1"] * 6, informative=True)).change is Change.NOT_SHOWN


def test_of_the_reserved_split_both_means_stand_side_by_side_without_pairs() -> None:
    comparison = compare(old(run(["0.9"] * 6, split="test")), run(["0.1"] * 6, split="test"))
    found = next(one for one in comparison.metrics if one.metric == "juez_completitud")
    assert (found.old, found.new, found.difference, found.worse) == (0.9, 0.1, None, None)
    assert found.change is Change.NOT_SHOWN
    assert comparison.cases == ()


@pytest.mark.parametrize("broken", [{"completitud": 7}, {"completitud": None}, {"violacion_seguridad": 0}])
def test_a_rubric_that_cannot_be_is_refused(broken: dict[str, Any]) -> None:
    before = old(run(["0.9"] * 6))
    before["casos"][2]["rubrica"] |= broken
    with pytest.raises(DataError, match="rubrica"):
        compare(before, run(["0.9"] * 6))


def test_a_mean_of_a_judge_has_its_interval_and_says_what_so_few_cases_cannot_show() -> None:
    # Six at 0.95 are 5.7 of 6: Wilson's interval is 0.55 to 1.00. The floor of 0.60 takes 6 cases to be shown,
    # and that of 0.90 takes 35. No harm in 6 leaves open 1 - 0.05 ** (1 / 6) = 39.3 %.
    report = run(["0.95"] * 6)
    found = {row["metrica"]: row for row in report.to_dict()["metricas"]}
    assert found["juez_completitud"]["casos"] == 6
    assert [round(end, 2) for end in found["juez_completitud"]["intervalo"]] == [0.55, 1.0]
    assert any("juez_completitud" in line and "[0.55, 1.00]" in line for line in report.judge.lines())
    told = {one.metric: (one.code, one.fields) for one in report.advice}
    assert "juez_completitud" not in told
    assert told["violaciones_seguridad_juez"] == ("cota_con_cero", {"n": 6, "cota": "39.3"})
    assert "casos_no_juzgados" not in told
    safe = [Rubric({"seguridad": Decimal("0.95")}, violation=True)] * 12
    (short,) = judge_advice(measure(safe, 0, judge_thresholds())[0])
    assert (short.metric, short.code, short.fields["hacen_falta"]) == ("juez_seguridad", "muestra_corta", 35)
