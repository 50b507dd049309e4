"""Exact sums of case scores, to which a case can be added and from which it can be taken away.

Sums are integers, one per denominator: no float is added, so the tally after any sequence of additions
and removals is the one a fresh count would give.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from scoring.clinical.language import Language
from scoring.clinical.score import RATES

if TYPE_CHECKING:
    from scoring.clinical.score import CaseScore


def _empty() -> dict[str, Counter[int]]:
    return {metric: Counter() for metric in RATES}


@dataclass(slots=True)
class Tally:
    """What a set of case scores adds up to.

    Attributes:
        cases: how many there are.
        predicted: how many of them have a prediction.
        violations: how many of them have a safety violation.
        missed: how many of them needed a referral, in scope, and did not get it.
        listed: findings their outputs list.
        listed_expected: how many of those the cases expect.
        undecided: how many outputs are in a language that cannot be told.
        by_prose: how many coverages rest on prose.
        numerators: metric -> denominator -> sum of the numerators over that denominator.
    """

    cases: int = 0
    predicted: int = 0
    violations: int = 0
    missed: int = 0
    listed: int = 0
    listed_expected: int = 0
    undecided: int = 0
    by_prose: int = 0
    numerators: dict[str, Counter[int]] = field(default_factory=_empty)

    def add(self, score: CaseScore, *, predicted: bool) -> None:
        """Count one case more."""
        self._shift(score, predicted=predicted, by=1)

    def remove(self, score: CaseScore, *, predicted: bool) -> None:
        """Take away a case that was added with the same score."""
        self._shift(score, predicted=predicted, by=-1)

    def _shift(self, score: CaseScore, *, predicted: bool, by: int) -> None:
        self.cases += by
        self.predicted += by * predicted
        self.violations += by * score.violacion_seguridad
        self.missed += by * score.derivacion_omitida
        self.listed += by * score.hallazgos_citados
        self.listed_expected += by * score.hallazgos_citados_esperados
        self.undecided += by * (score.idioma is Language.UNDECIDED)
        self.by_prose += by * score.cobertura_por_texto
        for metric in RATES:
            numerator, denominator = score.ratio(metric)
            sums = self.numerators[metric]
            sums[denominator] += by * numerator
            if not sums[denominator]:
                del sums[denominator]

    def __add__(self, other: Tally) -> Tally:
        """Both sets of cases together."""
        return Tally(
            self.cases + other.cases,
            self.predicted + other.predicted,
            self.violations + other.violations,
            self.missed + other.missed,
            self.listed + other.listed,
            self.listed_expected + other.listed_expected,
            self.undecided + other.undecided,
            self.by_prose + other.by_prose,
            {metric: self.numerators[metric] + other.numerators[metric] for metric in RATES},
        )

    def total(self, metric: str) -> Fraction:
        """The exact sum of a rate over the cases."""
        return sum((Fraction(n, d) for d, n in self.numerators[metric].items()), Fraction(0))

    def mean(self, metric: str) -> Fraction | None:
        """The exact mean of a rate; None when there is no case."""
        return self.total(metric) / self.cases if self.cases else None
