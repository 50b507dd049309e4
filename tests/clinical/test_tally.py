from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.clinical import RATES, CaseScore
from scoring.clinical.tally import Tally


def scored(*, recall: int = 1, found: int = 1, expected: int = 1, violation: bool = False) -> CaseScore:
    return CaseScore(
        recall_diferenciales=float(recall),
        cobertura_hallazgos=found / expected if expected else 1.0,
        cobertura_por_texto=False,
        acierto_derivacion=1.0,
        acierto_fuera_de_alcance=0.0,
        idioma_es=1.0,
        violacion_seguridad=violation,
        hallazgos_encontrados=found,
        hallazgos_esperados=expected,
        hallazgos_ausentes=(),
    )


def test_means_are_exact_fractions() -> None:
    tally = Tally()
    tally.add(scored(recall=1, found=1, expected=3), predicted=True)
    tally.add(scored(recall=0, found=2, expected=3, violation=True), predicted=False)
    tally.add(scored(recall=0, found=3, expected=7), predicted=True)
    assert (tally.cases, tally.predicted, tally.violations) == (3, 2, 1)
    assert tally.mean("recall_diferenciales") == Fraction(1, 3)
    # (1/3 + 2/3 + 3/7) / 3 = (10/7) / 3
    assert tally.mean("cobertura_hallazgos") == Fraction(10, 21)
    assert tally.mean("acierto_fuera_de_alcance") == 0


def test_no_case_has_no_mean() -> None:
    assert Tally().mean("recall_diferenciales") is None


@st.composite
def scores(draw: st.DrawFn) -> tuple[CaseScore, bool]:
    expected = draw(st.integers(0, 12))
    score = scored(
        recall=draw(st.integers(0, 1)),
        found=draw(st.integers(0, expected)),
        expected=expected,
        violation=draw(st.booleans()),
    )
    return score, draw(st.booleans())


@settings(max_examples=150)
@given(st.lists(scores(), max_size=12), st.data())
def test_adding_and_removing_in_any_order_leaves_the_count_of_those_that_remain(
    all_scores: list[Any], data: st.DataObject
) -> None:
    tally = Tally()
    inside: set[int] = set()
    if all_scores:
        for index in data.draw(st.lists(st.integers(0, len(all_scores) - 1), max_size=40)):
            score, predicted = all_scores[index]
            (tally.remove if index in inside else tally.add)(score, predicted=predicted)
            inside ^= {index}
    fresh = Tally()
    for index in sorted(inside, reverse=True):
        fresh.add(all_scores[index][0], predicted=all_scores[index][1])
    assert tally == fresh
    for metric in RATES:
        exact = sum((Fraction(*all_scores[i][0].ratio(metric)) for i in inside), Fraction(0))
        assert tally.total(metric) == exact


def test_two_tallies_together_count_both() -> None:
    one, two, both = Tally(), Tally(), Tally()
    for tally, score in ((one, scored(found=1, expected=2)), (two, scored(found=2, expected=5))):
        tally.add(score, predicted=True)
        both.add(score, predicted=True)
    assert one + two == both
    assert one.cases == 1
