"""What hurts comes first: fields sorted by errors, rate, change or name, found by parts of their names."""

from __future__ import annotations

from fractions import Fraction

import pytest

from scoring.abstraction.normalize import AbstractionFieldType
from scoring.abstraction.ranking import Order, errors, matching, ranked
from scoring.abstraction.report import AbstractionMetric, AbstractionScores, report_of
from scoring.abstraction.tally import WIDTH, FieldTally, Tally

EXACT = "exact_agreement"


def fields(**rows: tuple[int, int, int]) -> tuple[tuple[str, AbstractionScores], ...]:
    """Field -> (answerable and exact, answerable and wrong, unanswerable and answered)."""
    found = {}
    for name, (exact, wrong, spurious) in rows.items():
        counts = [0] * WIDTH
        counts[0], counts[1], counts[4], counts[8], counts[10] = (
            exact + wrong,
            spurious,
            wrong,
            exact,
            spurious,
        )
        found[name] = FieldTally(AbstractionFieldType.TEXT, tuple(counts))
    return report_of(Tally(found)).by_field


def order(by: Order, metric: str = EXACT, changes: dict[str, Fraction] | None = None) -> list[str]:
    #  errors: a 2, b 2, c 1, d none to judge, e 0;  rates: a 98/100, b 0/2, c 0/1, e 5/5
    rows = fields(a=(98, 2, 0), b=(0, 2, 1), c=(0, 1, 0), d=(0, 0, 3), e=(5, 0, 0))
    return [name for name, _ in ranked(reversed(rows), metric, by, changes)]


def test_by_errors_the_most_come_first_then_the_worse_rate_and_fields_without_decisions_last() -> None:
    assert order(Order.ERRORS) == ["b", "a", "c", "e", "d"]


def test_by_rate_the_worst_comes_first_then_the_one_with_more_decisions() -> None:
    assert order(Order.RATE) == ["b", "c", "a", "e", "d"]


def test_by_name_everything_is_listed_in_order() -> None:
    assert order(Order.NAME) == ["a", "b", "c", "d", "e"]


def test_by_change_what_got_worse_comes_first_and_what_cannot_be_compared_last() -> None:
    changes = {"a": Fraction(1, 10), "c": Fraction(-1, 2), "e": Fraction(0)}
    assert order(Order.CHANGE, EXACT, changes) == ["c", "e", "a", "b", "d"]
    # Of an error metric a rise is what hurts.
    assert order(Order.CHANGE, "unanswerable_answer", changes)[:3] == ["a", "e", "c"]


def test_an_error_metric_counts_its_successes_as_errors() -> None:
    # answers where there is no datum: d 3 of 3, b 1 of 1, the others have none to judge
    assert order(Order.ERRORS, "unanswerable_answer") == ["d", "b", "a", "c", "e"]
    assert errors("unanswerable_answer", AbstractionMetric(3, 4)) == 3
    assert errors(EXACT, AbstractionMetric(3, 4)) == 1


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("", ["lab.alt", "lab.hct", "raza"]),
        ("  ", ["lab.alt", "lab.hct", "raza"]),
        ("LAB", ["lab.alt", "lab.hct"]),
        ("hct lab", ["lab.hct"]),
        ("[H]", []),
        ("\x1b[2J", []),
    ],
)
def test_a_field_is_found_by_every_word_of_the_search_in_any_case(search: str, found: list[str]) -> None:
    rows = fields(**{"lab.alt": (1, 0, 0), "lab.hct": (1, 0, 0), "raza": (1, 0, 0)})
    assert [name for name, _ in matching(rows, search)] == found
