"""Intervals that respect that the fields of one patient resemble one another.

The Wilson intervals of the report treat every field decision as drawn by itself. Here the case is the
unit: the variance of the rate is estimated between cases (linearized ratio estimator) and turned into
an effective number of decisions, with which the Wilson interval is worked again.

For one slice and metric, let case ``c`` have ``s`` successes in ``n`` trials, let ``m`` cases have
trials, ``p = sum(s) / sum(n)`` and ``N = sum(n)``:

- variance ``v = m / (m - 1) * sum((s - p n)**2) / N**2``;
- effective trials ``e = p (1 - p) / v``, times ``(z / t)**2`` with Student's ``t`` of ``m - 1`` degrees
  of freedom, and never more than ``N``;
- Wilson with ``p`` and ``e``.

With a rate of 0 or 1 the cases show no variance; then ``e`` is ``m``, as if each case were one decision.
With fewer than two cases there is no interval. (Korn and Graubard, Survey Methodology 1998, 24:193;
Franco, Little, Louis and Slud, J. Surv. Stat. Methodol. 2019, 7:334.)

Only integer sums per slice leave this module's counting, so the result is value-free and does not
depend on the order of the rows.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp, fsum, inf, lgamma, log, sqrt
from typing import TYPE_CHECKING, Any, Final

from scoring.abstraction.intervals import Interval, Z
from scoring.abstraction.join import UNANSWERABLE_OUTCOMES, Mark
from scoring.abstraction.report import METRICS, binomials
from scoring.abstraction.tally import WIDTH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scoring.abstraction.join import Join

OVERALL: Final = ""
"""The key of the slice over all types."""


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """What the cases with at least one trial sum up to, for one slice and one metric.

    Attributes:
        cases: how many they are.
        successes: sum of s.
        trials: sum of n.
        squares: sum of s squared.
        products: sum of s times n.
        trial_squares: sum of n squared.
    """

    cases: int = 0
    successes: int = 0
    trials: int = 0
    squares: int = 0
    products: int = 0
    trial_squares: int = 0

    def plus(self, successes: int, trials: int) -> ClusterSums:
        """With one more case."""
        if not trials:
            return self
        return ClusterSums(
            self.cases + 1,
            self.successes + successes,
            self.trials + trials,
            self.squares + successes * successes,
            self.products + successes * trials,
            self.trial_squares + trials * trials,
        )

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the module's description; None with fewer than two cases."""
        if self.cases < 2:
            return None
        rate = Fraction(self.successes, self.trials)
        if rate in {0, 1}:
            effective = float(self.cases)
        else:
            deviations = self.squares - 2 * rate * self.products + rate * rate * self.trial_squares
            variance = Fraction(self.cases, self.cases - 1) * deviations / self.trials**2
            effective = float(rate * (1 - rate) / variance) if variance else inf
            effective *= (Z / student_t(self.cases - 1)) ** 2
        return _wilson(float(rate), min(effective, float(self.trials)))


def cluster_sums(join: Join) -> dict[str, dict[str, ClusterSums]]:
    """The sums by slice (type label, and :data:`OVERALL`) and metric, over the cases of a finished join."""
    kinds = [kind.value for kind in join.field_types]
    labels = sorted(set(kinds))
    sums = {label: [ClusterSums()] * len(METRICS) for label in (OVERALL, *labels)}
    for case in join.cases.values():
        rows = _case_rows(kinds, case)
        overall = [sum(column) for column in zip(*rows.values(), strict=True)]
        for label, row in ((OVERALL, overall), *rows.items()):
            so_far = sums[label]
            for place, (successes, trials) in enumerate(binomials(row)):
                so_far[place] = so_far[place].plus(successes, trials)
    return {label: dict(zip(METRICS, found, strict=True)) for label, found in sums.items()}


def _case_rows(kinds: Sequence[str], case: Sequence[Any] | Mapping[int, Any]) -> dict[str, list[int]]:
    """The tally columns of one case by type."""
    if isinstance(case, list):
        found = Counter((kind, _column(cell)) for kind, cell in zip(kinds, case, strict=False))
    else:
        found = Counter((kinds[index], _column(cell)) for index, cell in dict(case).items())
    rows: dict[str, list[int]] = {}
    for (kind, column), times in found.items():
        if column < 0:
            continue
        row = rows.setdefault(kind, [0] * WIDTH)
        if column >= 2:
            row[column] += times
            column = 1 if column in UNANSWERABLE_OUTCOMES else 0  # noqa: PLW2901 - its gold column
        row[column] += times
    return rows or {kinds[0]: [0] * WIDTH}


def _column(cell: Any) -> int:
    """The column of an outcome, the gold column of a cell without output, -1 of none."""
    if type(cell) is Mark:
        return -1 if cell.column is None else cell.column
    return 1 if cell is None else 0


def _wilson(rate: float, trials: float) -> Interval:
    q = Z * Z
    denominator = 1 + q / trials
    centre = (rate + q / (2 * trials)) / denominator
    margin = Z * sqrt((rate * (1 - rate) + q / (4 * trials)) / trials) / denominator
    low = 0.0 if rate == 0 else max(0.0, centre - margin)
    high = 1.0 if rate == 1 else min(1.0, centre + margin)
    return low, high


@lru_cache(maxsize=1024)
def student_t(freedom: int) -> float:
    """The 97.5 % quantile of Student's t with ``freedom`` >= 1 degrees of freedom.

    By bisection on the distribution function; beyond ten million degrees it is the normal quantile.
    """
    if freedom > 10_000_000:
        return Z
    low, high = 1.0, 13.0  # the quantile falls from 12.706 at one degree to 1.96
    for _ in range(60):
        middle = (low + high) / 2
        if _tail(middle, freedom) > 0.05:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _tail(t: float, freedom: int) -> float:
    """The probability that abs(T) exceeds ``t``: the regularized incomplete beta I_x(freedom/2, 1/2)."""
    x = freedom / (freedom + t * t)
    a, b = freedom / 2, 0.5
    front = exp(fsum((lgamma(a + b), -lgamma(a), -lgamma(b), a * log(x), b * log(1 - x))))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, 1 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method (DLMF 8.17.22)."""
    tiny = 1e-300
    c, d = 1.0, 1 / max(1 - (a + b) * x / (a + 1), tiny)
    value = d
    for m in range(1, 300):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + numerator * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + numerator / c
            c = c if abs(c) > tiny else tiny
            step = c * d
            value *= step
        if abs(step - 1) < 1e-15:
            break
    return value
