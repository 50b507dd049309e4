"""Figures of agreement: by hand, from printed examples, and against statsmodels and krippendorff."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from scoring.agreement import Agreement, agreement


def table(yes_yes: int, yes_no: int, no_yes: int, no_no: int) -> Agreement:
    return agreement(
        [(True, True)] * yes_yes
        + [(True, False)] * yes_no
        + [(False, True)] * no_yes
        + [(False, False)] * no_no
    )


def test_a_worked_table() -> None:
    # 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no of 50:
    # raw 35/50; chance = 25/50*30/50 + 25/50*20/50 = 1/2; kappa = (7/10 - 1/2)/(1/2) = 2/5
    found = table(20, 5, 10, 15)
    assert found.raw == Fraction(7, 10)
    assert found.kappa == Fraction(2, 5)
    # 55 yes of 100 answers: base rate 11/20; AC1 chance = 2 * 11/20 * 9/20 = 99/200
    assert found.base_rate == Fraction(11, 20)
    assert found.ac1 == (Fraction(7, 10) - Fraction(99, 200)) / (1 - Fraction(99, 200))  # 41/101
    assert found.ac1 == Fraction(41, 101)
    # alpha: (55*54 + 45*44) / (100*99) = 4950/9900 = 1/2; (7/10 - 1/2)/(1/2) = 2/5
    assert found.alpha == Fraction(2, 5)


def test_kappa_falls_where_one_answer_is_rare_and_ac1_does_not() -> None:
    # 118 yes/yes, 5 yes/no, 2 no/yes, 0 no/no of 125: raw 118/125 = 0.944
    found = table(118, 5, 2, 0)
    assert found.raw == Fraction(118, 125)
    assert found.kappa is not None
    assert found.kappa < 0
    assert found.ac1 is not None
    assert found.ac1 > Fraction(9, 10)


@pytest.mark.parametrize("single", [table(7, 0, 0, 0), table(0, 0, 0, 4)])
def test_a_single_category_has_no_kappa_and_no_alpha(single: Agreement) -> None:
    assert single.single_category
    assert single.raw == 1
    assert single.kappa is None
    assert single.alpha is None
    assert single.ac1 == 1


def test_without_decisions_there_is_no_figure() -> None:
    empty = agreement([])
    assert not empty.single_category
    assert (empty.raw, empty.base_rate, empty.kappa, empty.alpha, empty.ac1) == (None,) * 5


def test_one_reviewer_who_always_says_yes_is_no_single_category() -> None:
    found = table(3, 2, 0, 0)
    assert not found.single_category
    assert found.kappa == 0  # raw 3/5, chance 1 * 3/5


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_the_closed_forms_agree_with_the_libraries(pairs: list[tuple[bool, bool]]) -> None:
    found = agreement(pairs)
    if found.kappa is not None:
        counts = np.zeros((2, 2))
        for first, second in pairs:
            counts[int(first), int(second)] += 1
        library: Any = cohens_kappa(counts, return_results=False)
        assert float(found.kappa) == pytest.approx(float(library), abs=1e-12)
    if found.alpha is not None:
        ratings = np.array(pairs, dtype=float).T
        by_library = krippendorff.alpha(reliability_data=ratings, level_of_measurement="nominal")
        assert float(found.alpha) == pytest.approx(by_library, abs=1e-12)
    swapped = agreement([(second, first) for first, second in pairs])
    assert (swapped.kappa, swapped.alpha, swapped.ac1) == (found.kappa, found.alpha, found.ac1)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=20), st.randoms())
def test_the_order_of_the_decisions_does_not_matter(pairs: list[tuple[bool, bool]], random: Any) -> None:
    shuffled = list(pairs)
    random.shuffle(shuffled)
    assert agreement(shuffled) == agreement(pairs)
