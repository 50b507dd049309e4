"""Intervals and tests: a few by hand, the rest against the libraries of the field."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import intervals

stats = pytest.importorskip("scipy.stats")
proportion = pytest.importorskip("statsmodels.stats.proportion")


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 400))
    return draw(st.integers(0, n)), n


@given(counts())
def test_wilson_is_the_one_of_statsmodels(of: tuple[int, int]) -> None:
    k, n = of
    got = intervals.wilson(k, n)
    assert got is not None
    assert (got.low, got.high) == pytest.approx(
        proportion.proportion_confint(k, n, method="wilson"), abs=1e-9
    )


def test_wilson_by_hand() -> None:
    # all 12 right: 12 / (12 + 3.8415) = 0.7575
    got = intervals.wilson(12, 12)
    assert got is not None
    assert (round(got.low, 4), got.high) == (0.7575, 1.0)
    assert intervals.wilson(0, 0) is None
    with pytest.raises(ValueError, match="between"):
        intervals.wilson(3, 2)


@given(st.integers(1, 2000))
def test_the_bound_after_no_violation_is_the_exact_one(n: int) -> None:
    # Clopper-Pearson, one-sided: the rate at which n cases without any have probability 0.05
    bound = intervals.most_after_none(n)
    assert bound is not None
    assert (1 - bound) ** n == pytest.approx(0.05)
    assert bound == pytest.approx(proportion.proportion_confint(0, n, alpha=0.1, method="beta")[1])


def test_the_bound_after_no_violation_by_hand() -> None:
    # 12 cases: 1 - 0.05 ** (1/12) = 1 - 0.7791 = 0.2209
    assert round(intervals.most_after_none(12) or 0, 4) == 0.2209
    assert intervals.most_after_none(0) is None


@pytest.mark.parametrize(
    ("rate", "n"),
    # n / (n + 3.8415) >= rate: 15.37 -> 16; 34.57 -> 35; never; anything
    [("0.80", 16), ("0.90", 35), ("1.00", None), ("0", 1)],
)
def test_how_many_cases_show_a_rate(rate: str, n: int | None) -> None:
    wanted = Fraction(rate)
    assert intervals.cases_to_show(wanted) == n
    if n and n > 1:
        enough, few = intervals.wilson(n, n), intervals.wilson(n - 1, n - 1)
        assert enough is not None
        assert few is not None
        assert few.low < float(wanted) <= enough.low


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_exact_binomial_test(worse: int, better: int) -> None:
    got = float(intervals.mcnemar(worse, better))
    assert got == pytest.approx(stats.binomtest(worse, worse + better).pvalue if worse + better else 1.0)


def test_mcnemar_by_hand() -> None:
    # 0 of 5 discordant pairs: 2 * (1/32) = 1/16; six are the fewest that can reach 0.05
    assert intervals.mcnemar(5, 0) == Fraction(1, 16)
    assert intervals.mcnemar(0, 6) == Fraction(1, 32)


def test_newcombe_paired_gives_the_interval_of_his_paper() -> None:
    # Newcombe 1998, method 10 for 36 right in both, 12 only in the first, 2 only in the second, 0 in neither
    got = intervals.paired_difference(both=36, worse=2, better=12, neither=0)
    assert got is not None
    assert (round(got.value, 4), round(got.low, 4), round(got.high, 4)) == (0.2, 0.0569, 0.3404)


@given(counts(), counts())
def test_newcombe_independent_is_the_one_of_statsmodels(old: tuple[int, int], new: tuple[int, int]) -> None:
    got = intervals.independent_difference(old[0], old[1], new[0], new[1])
    assert got is not None
    wanted = proportion.confint_proportions_2indep(new[0], new[1], old[0], old[1], method="newcomb")
    assert (got.low, got.high) == pytest.approx(wanted, abs=1e-7)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_a_paired_difference_lies_in_its_interval_and_turns_with_the_runs(
    a: int, b: int, c: int, d: int
) -> None:
    got = intervals.paired_difference(a, b, c, d)
    if got is None:
        assert a + b + c + d == 0
        return
    assert -1 <= got.low <= got.value + 1e-12
    assert got.value - 1e-12 <= got.high <= 1
    turned = intervals.paired_difference(a, c, b, d)
    assert turned is not None
    assert (turned.low, turned.high) == pytest.approx((-got.high, -got.low))


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 8, 11, 29, 120, 10_000])
def test_the_quantile_of_student_is_the_one_of_scipy(df: int) -> None:
    assert intervals.student(df) == pytest.approx(stats.t.ppf(0.975, df), rel=2e-4)


def test_a_mean_difference_by_hand() -> None:
    # differences 0, 0, 0.5: mean 1/6, s = 0.288675, t(2) = 4.30265, half = 4.30265 * 0.288675 / 1.732051 = 0.7171
    got = intervals.mean_difference([0.0, 0.0, 0.5])
    assert got is not None
    assert (round(got.value, 4), round(got.low, 4), round(got.high, 4)) == (0.1667, -0.5504, 0.8838)
    assert intervals.mean_difference([0.1]) is None
    flat = intervals.mean_difference([0.25, 0.25, 0.25])
    assert flat is not None
    assert (flat.low, flat.high) == (0.25, 0.25)


def test_a_difference_of_rates_never_reaches_beyond_one() -> None:
    # differences 0 and 0.5: mean 0.25, s = 0.353553, t(1) = 12.7062, half = 12.7062 * 0.353553 / 1.414214 = 3.1766
    got = intervals.mean_difference([0.0, 0.5])
    assert got is not None
    assert (got.value, got.low, got.high) == (0.25, -1.0, 1.0)
