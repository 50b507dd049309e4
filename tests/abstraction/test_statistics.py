"""Intervals, comparison and bounds, with figures worked out by hand or taken from published tables."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from scoring.abstraction import AbstractionFieldType, AbstractionMetric
from scoring.abstraction.canonical import canonical_json
from scoring.abstraction.clustered import OVERALL, ClusterSums, cluster_sums, student_t
from scoring.abstraction.compare import compare, newcombe
from scoring.abstraction.files import score_files
from scoring.abstraction.intervals import shown, wilson
from scoring.abstraction.minimums import check, parse_bounds
from scoring.abstraction.report import ChartAbstractionBenchmarkReport, report_of
from scoring.abstraction.stored import read_report
from scoring.abstraction.tally import FieldTally, Tally
from scoring.errors import DataError, UsageError

from .rows import gold_row, output_row, write

NUMBER = AbstractionFieldType.NUMBER


def test_the_wilson_interval_and_its_known_oddity_which_people_are_not_shown() -> None:
    assert wilson(0, 0) is None
    # With no success the upper bound is z²/(n + z²) = 3.841458820694124/8.841458820694124.
    assert wilson(0, 5) == (2.7755575615628914e-17, 0.43448246478317465)
    assert shown(0, 5) == (0.0, 0.43448246478317465)
    assert shown(5, 5) == pytest.approx((1 - 0.43448246478317465, 1.0))
    # 8 of 10, z = 1.96: (8 + 1.9207 ± 1.96 sqrt(1.6 + 0.9604)) / 13.8415
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=5e-5)


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 12.7062), (2, 4.30265), (4, 2.77645), (9, 2.26216), (29, 2.04523), (100, 1.98397), (10**9, 1.95996)],
)
def test_students_t_is_that_of_the_tables(freedom: int, quantile: float) -> None:
    assert student_t(freedom) == pytest.approx(quantile, abs=6e-6 * quantile)


def summed(*cases: tuple[int, int]) -> ClusterSums:
    sums = ClusterSums()
    for successes, trials in cases:
        sums = sums.plus(successes, trials)
    return sums


def test_the_interval_by_patient_of_four_patients_by_hand() -> None:
    # (10,10), (8,10), (4,10), (2,10): p = 24/40 = 0.6; deviations 4, 2, -2, -4: squares sum to 40.
    # v = 4/3 * 40/1600 = 1/30; p(1-p)/v = 0.24 * 30 = 7.2; t(3) = 3.18245, (1.959964/3.18245)^2 = 0.379293
    # e = 2.730911; Wilson with p = 0.6, e = 2.730911:
    # q/e = 3.841459/2.730911 = 1.406658; centre (0.6 + 0.703329)/2.406658 = 0.541551
    # margin 1.959964 * sqrt((0.24 + 0.351664)/2.730911)/2.406658 = 0.379070
    low, high = summed((10, 10), (8, 10), (4, 10), (2, 10)).interval or (0, 0)
    assert low == pytest.approx(0.162481, abs=2e-5)
    assert high == pytest.approx(0.920621, abs=2e-5)


def test_the_interval_by_patient_is_never_narrower_than_that_by_decision() -> None:
    # Every patient alike: no variance between them, so it is the interval by decision.
    assert summed(*[(5, 10)] * 8).interval == pytest.approx(wilson(40, 80))
    # All right: each patient counts as one decision.
    assert summed(*[(10, 10)] * 8).interval == pytest.approx(shown(8, 8))
    assert summed((3, 4)).interval is None
    assert summed((0, 0), (3, 4), (1, 4)).cases == 2


def test_patients_are_summed_from_the_cells_of_both_shapes(tmp_path: Path) -> None:
    # c1: two numbers right, one text wrong; c2: one number missing. «lejos» has far-apart fields (dict cells).
    gold = [gold_row("c1", f"f.n{n}", "number", n) for n in range(2)]
    gold += [gold_row("c1", "f.t", "text", "a"), gold_row("c2", "f.n0", "number", 1)]
    gold += [gold_row("c1", f"g.x{n}", "text", None) for n in range(60)]
    gold += [gold_row("lejos", "g.x59", "text", None), gold_row("lejos", "f.n1", "number", 3)]
    outputs = [output_row("c1", "f.n0", 0), output_row("c1", "f.n1", 1), output_row("c1", "f.t", "b")]
    outputs += [output_row("lejos", "f.n1", 3)]
    join = score_files(write(tmp_path / "g", gold), write(tmp_path / "o", outputs)).join
    sums = cluster_sums(join)
    exact = sums[OVERALL]["exact_agreement"]
    # c1 2 of 3, c2 0 of 1, lejos 1 of 1
    assert exact == ClusterSums(3, 3, 5, 4 + 0 + 1, 6 + 0 + 1, 9 + 1 + 1)
    assert sums["number"]["exact_agreement"] == ClusterSums(3, 3, 4, 5, 5, 6)
    assert sums["text"]["exact_agreement"] == ClusterSums(1, 0, 1, 0, 0, 1)
    report = report_of(join.tally())
    metric = report.overall.exact_agreement
    assert (exact.successes, exact.trials) == (metric.success_count, metric.total_count)


def test_newcombes_interval_of_his_own_example() -> None:
    # Newcombe 1998, table II, contrast (a) 56/70 less 48/80, method 10: 0.0524 to 0.3339
    assert newcombe((48, 80), (56, 70)) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert newcombe((0, 0), (1, 2)) is None


def report(**fields: tuple[int, int]) -> ChartAbstractionBenchmarkReport:
    """Number fields ``f_<name>``, each with so many exact answers and so many wrong ones."""
    return report_of(
        Tally(
            {
                f"f.{name}": FieldTally(NUMBER, (right + wrong, 0, 0, 0, wrong, 0, 0, 0, right, 0, 0, 0))
                for name, (right, wrong) in fields.items()
            }
        )
    )


def test_a_comparison_tells_worse_from_better_and_names_fields_that_came_and_went() -> None:
    found = compare(report(a=(90, 10), b=(50, 50), x=(1, 0)), report(a=(60, 40), b=(52, 48), y=(1, 0)))
    moved = [(change.scope, change.name, change.metric, change.worse) for change in found.moved]
    assert ("field", "f.a", "exact_agreement", True) in moved
    assert not any(change[1] == "f.b" for change in moved)
    assert (found.added, found.removed) == (("f.y",), ("f.x",))
    assert compare(report(a=(90, 10)), report(a=(90, 10))).moved == ()


def test_more_errors_are_worse_although_the_rate_goes_up() -> None:
    before = Tally({"f.a": FieldTally(NUMBER, (100, 0, 1, 0, 0, 0, 0, 0, 99, 0, 0, 0))})
    after = Tally({"f.a": FieldTally(NUMBER, (100, 0, 50, 0, 0, 0, 0, 0, 50, 0, 0, 0))})
    change = next(
        change
        for change in compare(report_of(before), report_of(after)).changes
        if change.metric == "answerable_abstention"
    )
    assert change.difference == Fraction(49, 100)
    assert change.worse


def bounds(text: str) -> Any:
    return parse_bounds(text.encode(), Path("m.toml"))


def test_bounds_are_compared_exactly_and_never_with_the_bound_of_an_interval() -> None:
    # 9 of 10 is 0.9: it keeps the floor 0.9 although its interval begins at 0.596.
    text = """
    [general]
    exact_agreement = { minimo = 0.9, maximo = 0.9 }
    [campo."f.a"]
    normalized_agreement = { minimo = 0.90000000000000000001 }
    [campo."f.otro"]
    normalized_agreement = { minimo = 0 }
    [tipo.number]
    unanswerable_answer = { maximo = 1 }
    """
    findings = check(report(a=(9, 1)), bounds(text))
    assert [finding.holds for finding in findings] == [True, True, False, None, None]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "bounds_empty"),
        ("[general]", "bounds_empty"),
        ("[generl]\nexact_agreement = { minimo = 1 }", "bounds_unknown_near"),
        ("[general]\nexact_agrement = { minimo = 1 }", "bounds_unknown_near"),
        ("[general]\nexact_agreement = { mínimo = 1 }", "bounds_not_toml"),
        ("[general]\nexact_agreement = { min = 1 }", "bounds_unknown_near"),
        ("[general]\nexact_agreement = 1", "bounds_shape"),
        ("general = 1", "bounds_shape"),
        ("[tipo.entero]\nexact_agreement = { minimo = 1 }", "bounds_unknown"),
        ('[campo."F"]\nexact_agreement = { minimo = 1 }', "bounds_field"),
        ("[general]\nexact_agreement = { minimo = 95 }", "bounds_rate"),
        ("[general]\nexact_agreement = { minimo = nan }", "bounds_rate"),
        ("[general]\nexact_agreement = { minimo = true }", "bounds_rate"),
        ('[general]\nexact_agreement = { minimo = "0.9" }', "bounds_rate"),
        ("[general\n", "bounds_not_toml"),
    ],
)
def test_a_bounds_file_that_says_something_else_is_wrong_usage(text: str, code: str) -> None:
    with pytest.raises(UsageError) as caught:
        bounds(text)
    assert caught.value.code == code
    assert "m.toml" in str(caught.value)


def test_a_hostile_bounds_file_is_refused_at_once() -> None:
    """Each of these once took minutes or ended in a traceback."""
    floor = "[general]\nexact_agreement = {{ minimo = {} }}"
    for text, code in (
        (floor.format("1e-999999999"), "bounds_digits"),
        (floor.format("0." + "9" * 1000), "bounds_digits"),
        (floor.format("0." + "9" * 100_000), "bounds_long_line"),
        ("a." * 100_000 + "b = 1", "bounds_long_line"),
        ("x = " + "[\n" * 100_000, "bounds_beyond_reading"),
        ("x" * (4 << 20) + "y", "bounds_too_large"),
    ):
        with pytest.raises(UsageError) as caught:
            bounds(text)
        assert caught.value.code == code


def test_a_field_id_without_its_quotes_is_told_how_to_write_it() -> None:
    with pytest.raises(UsageError) as caught:
        bounds("[campo.registro.etiqueta]\nexact_agreement = { minimo = 0.9 }")
    assert '[campo."registro.etiqueta"]' in str(caught.value)


def test_a_report_comes_back_from_its_bytes_and_anything_else_is_no_report() -> None:
    one = report(a=(9, 1), b=(0, 0))
    assert read_report(one.to_json().encode(), Path("informe.json")) == one
    for bad in (
        b"",
        b"[]",
        b"{}",
        b"\xff",
        one.to_json().encode().replace(b'"f.a"', b'"F"'),
        one.to_json().encode().replace(b'"success_count":9', b'"success_count":99'),
        one.to_json().encode().replace(b'"field_count":10', b'"field_count":-10'),
    ):
        with pytest.raises(DataError):
            read_report(bad, Path("informe.json"))


def test_a_report_cut_anywhere_is_called_cut_and_an_empty_one_empty() -> None:
    whole = report(a=(9, 1)).to_json().encode()
    codes = {refusal(whole[:end]) for end in range(1, len(whole))}
    assert codes == {"report_cut"}
    assert refusal(b" \n") == "report_empty"


def refusal(data: bytes) -> str:
    with pytest.raises(DataError) as caught:
        read_report(data, Path("i.json"))
    assert "i.json" in str(caught.value)
    return caught.value.code


def changed(place: str, name: str, value: object, metric: str = "") -> bytes:
    """A good report with one count of one slice replaced."""
    whole = json.loads(report(a=(9, 1), b=(4, 6)).to_json())
    part = whole["by_field"][place] if place in whole["by_field"] else whole[place]
    (part[metric] if metric else part)[name] = value
    return json.dumps(whole).encode()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (changed("f.a", "field_count", 11), "report_contradicts"),
        (changed("f.a", "answered_count", 9), "report_contradicts"),
        (changed("f.a", "total_count", 9, "exact_agreement"), "report_contradicts"),
        (changed("f.a", "success_count", 99, "exact_agreement"), "report_contradicts"),
        # The field alone is whole, but overall no longer is its sum.
        (changed("f.a", "success_count", 8, "exact_agreement"), "report_contradicts"),
        (changed("f.a", "field_count", 10**400), "report_count"),
        (changed("f.a", "field_count", 1.0), "report_count"),
        (changed("f.a", "field_count", True), "report_count"),
        (changed("f.a", "missing_count", -1), "report_count"),
        (changed("f.a", "field_count", float("nan")), "report_count"),
        (changed("f.a", "exact_agreement", None), "not_a_report"),
        (changed("overall", "field_count", 21), "report_contradicts"),
        (b'{"overall":{},"overall":{}}', "report_repeats"),
        (b"[" * 100_000, "not_a_report"),
        (b'{"case_id":"Ana","value":1}\n{"case_id":"Ana","value":1}', "not_a_report"),
    ],
)
def test_a_report_that_contradicts_itself_is_refused_and_none_of_its_text_is_said(
    data: bytes, code: str
) -> None:
    assert refusal(data) == code
    with pytest.raises(DataError) as caught:
        read_report(data, Path("i.json"))
    assert "Ana" not in str(caught.value)


def test_the_report_is_written_as_the_canonical_json_of_its_values() -> None:
    one = report(b=(9, 1), a=(0, 0), c=(5, 0))
    assert one.to_json() == canonical_json(one.to_dict())


def test_a_metric_without_trials_has_no_interval() -> None:
    assert AbstractionMetric(0, 0).to_dict() == {"success_count": 0, "total_count": 0, "interval": None}
