"""How sure a figure is: intervals and exact tests in closed form, 95 % throughout.

Everything is computed from counts with the standard library; the tests hold it against statsmodels and
scipy. Sources: Wilson 1927 (one rate); Newcombe 1998 (differences of rates, his methods 10 for
independent and paired groups); Clopper and Pearson 1934 (zero of n); McNemar 1947 in its exact form;
Hill 1970 (Student's quantile, CACM algorithm 396).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIDENCE = 0.95
Z = 1.959963984540054
"""Normal quantile of 0.975."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval, both ends included."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference (new minus old) with its 95 % interval."""

    value: float
    low: float
    high: float


def wilson(successes: float | Fraction, n: int) -> Interval | None:
    """Wilson's interval for ``successes`` of ``n``; None for no trial.

    ``successes`` may be a fraction: for the mean of figures between 0 and 1 the interval is then wider
    than it has to be, because such figures scatter less than zeros and ones with the same mean.

    Raises:
        ValueError: ``successes`` is negative or more than ``n``.
    """
    if not 0 <= successes <= n:
        raise ValueError("successes must lie between 0 and n")
    if not n:
        return None
    rate = float(Fraction(successes) / n)
    square = Z * Z
    middle = (rate + square / (2 * n)) / (1 + square / n)
    half = Z / (1 + square / n) * math.sqrt(rate * (1 - rate) / n + square / (4 * n * n))
    return Interval(
        0.0 if not successes else max(0.0, middle - half),
        1.0 if successes == n else min(1.0, middle + half),
    )


def most_after_none(n: int) -> float | None:
    """The largest rate that zero of ``n`` leaves open at 95 % (one-sided exact bound); None for no case.

    It is ``1 - 0.05 ** (1 / n)``, near ``3 / n`` for large ``n``.
    """
    return 1 - (1 - CONFIDENCE) ** (1 / n) if n > 0 else None


def cases_to_show(rate: Fraction) -> int | None:
    """Fewest cases, all right, whose Wilson interval lies at or above ``rate``; None where none suffice.

    With all ``n`` right the lower end is ``n / (n + z²)``.
    """
    if rate >= 1:
        return None
    if rate <= 0:
        return 1
    return max(1, math.ceil(Z * Z * float(rate / (1 - rate)) - 1e-12))


def mcnemar(worse: int, better: int) -> Fraction:
    """Exact two-sided p of McNemar's test for paired yes/no figures; 1 when no pair differs.

    Args:
        worse: pairs that went from right to wrong.
        better: pairs that went from wrong to right.
    """
    n = worse + better
    tail = sum(math.comb(n, k) for k in range(min(worse, better) + 1))
    return min(Fraction(1), Fraction(2 * tail, 2**n))


def paired_difference(both: int, worse: int, better: int, neither: int) -> Difference | None:
    """Newcombe's interval for the difference of two paired rates; None without pairs.

    Args:
        both: pairs right in both runs.
        worse: right in the old run only.
        better: right in the new run only.
        neither: right in neither.
    """
    n = both + worse + better + neither
    if not n:
        return None
    old, new = both + worse, both + better
    of_old, of_new = wilson(old, n), wilson(new, n)
    assert of_old is not None  # noqa: S101 - n is not zero
    assert of_new is not None  # noqa: S101 - n is not zero
    p_old, p_new = old / n, new / n
    product = old * (n - old) * new * (n - new)
    phi = 0.0
    if product:
        cross = both * neither - worse * better
        corrected = max(cross - n / 2, 0.0) if cross > 0 else cross
        phi = corrected / math.sqrt(product)
    value = p_new - p_old
    down, up = p_new - of_new.low, of_new.high - p_new
    down_old, up_old = p_old - of_old.low, of_old.high - p_old
    low = value - math.sqrt(max(0.0, down**2 - 2 * phi * down * up_old + up_old**2))
    high = value + math.sqrt(max(0.0, up**2 - 2 * phi * up * down_old + down_old**2))
    return Difference(value, max(-1.0, low), min(1.0, high))


def independent_difference(
    old: float | Fraction, n_old: int, new: float | Fraction, n_new: int
) -> Difference | None:
    """Newcombe's interval for the difference of two independent rates, ``old`` and ``new`` as successes."""
    of_old, of_new = wilson(old, n_old), wilson(new, n_new)
    if of_old is None or of_new is None:
        return None
    p_old, p_new = float(old) / n_old, float(new) / n_new
    value = p_new - p_old
    low = value - math.hypot(p_new - of_new.low, of_old.high - p_old)
    high = value + math.hypot(of_new.high - p_new, p_old - of_old.low)
    return Difference(value, max(-1.0, low), min(1.0, high))


def student(df: int) -> float:
    """Student's quantile of 0.975 for ``df`` degrees of freedom, to about six digits from 3 on.

    Raises:
        ValueError: ``df`` is less than 1.
    """
    if df < 1:
        raise ValueError("df must be at least 1")
    p = 1 - CONFIDENCE
    if df == 1:
        return 1 / math.tan(p * math.pi / 2)
    if df == 2:
        return math.sqrt(2 / (p * (2 - p)) - 2)
    a = 1 / (df - 0.5)
    b = 48 / (a * a)
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * math.sqrt(a * math.pi / 2) * df
    y = (d * p) ** (2 / df)
    if y > 0.05 + a:
        x = -Z
        y = x * x
        if df < 5:
            c += 0.3 * (df - 4.5) * (x + 0.6)
        c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
        y = math.expm1(a * y * y)
    else:
        y = ((1 / (((df + 6) / (df * y) - 0.089 * d - 0.822) * (df + 2) * 3) + 0.5 / (df + 4)) * y - 1) * (
            df + 1
        ) / (df + 2) + 1 / y
    return math.sqrt(df * y)


def mean_difference(differences: Sequence[float]) -> Difference | None:
    """The mean of paired differences of rates with Student's interval; None for fewer than two.

    Where all differences are equal the interval is that one figure. It is cut at -1 and 1, beyond which
    no difference of rates can lie.
    """
    n = len(differences)
    if n < 2:
        return None
    mean = math.fsum(differences) / n
    spread = math.sqrt(math.fsum((one - mean) ** 2 for one in differences) / (n - 1))
    half = student(n - 1) * spread / math.sqrt(n)
    return Difference(mean, max(-1.0, mean - half), min(1.0, mean + half))
