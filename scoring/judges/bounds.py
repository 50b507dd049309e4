"""Intervals for the calibration, as closed forms of the standard library.

Sources: Wilson 1927 for a share; Student's t for a mean; Lin 1989 for the concordance coefficient, with
the jackknife interval on its Fisher transform of King and Chinchilli 2001.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LEVEL = 0.95
_TAIL = (1 + LEVEL) / 2
_STEPS = 200
_TINY = 1e-300


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval; the limits are None where the data do not allow one."""

    value: float
    low: float | None
    high: float | None

    def to_dict(self) -> dict[str, float | None]:
        """For JSON outputs."""
        return {"valor": self.value, "inferior": self.low, "superior": self.high}


def wilson(successes: int, total: int) -> Estimate | None:
    """A share with Wilson's interval; None without trials."""
    if total == 0:
        return None
    z = NormalDist().inv_cdf(_TAIL)
    share = successes / total
    scale = 1 + z * z / total
    middle = share + z * z / (2 * total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    low = 0.0 if successes == 0 else (middle - half) / scale
    high = 1.0 if successes == total else (middle + half) / scale
    return Estimate(share, low, high)


def mean(values: Sequence[float]) -> Estimate | None:
    """A mean with its t interval; None without values, no limits with a single one."""
    if not values:
        return None
    middle = fmean(values)
    if len(values) == 1:
        return Estimate(middle, None, None)
    half = t_quantile(len(values) - 1) * stdev(values) / math.sqrt(len(values))
    return Estimate(middle, middle - half, middle + half)


def concordance(first: Sequence[float], second: Sequence[float]) -> Estimate | None:
    """Lin's concordance of two series of the same length, -1 to 1; 1 only if they are equal.

    None with fewer than two pairs or when no series varies and both have the same value: there is nothing
    to agree about. No limits with fewer than four pairs, or when leaving one out makes it undefined or
    perfect.
    """
    value = _lin(first, second)
    if value is None:
        return None
    n = len(first)
    if n < 4 or abs(value) >= 1:
        return Estimate(value, None, None)
    whole = math.atanh(value)
    pseudo: list[float] = []
    for left_out in range(n):
        part = _lin(
            [x for i, x in enumerate(first) if i != left_out],
            [y for i, y in enumerate(second) if i != left_out],
        )
        if part is None or abs(part) >= 1:
            return Estimate(value, None, None)
        pseudo.append(n * whole - (n - 1) * math.atanh(part))
    half = t_quantile(n - 1) * stdev(pseudo) / math.sqrt(n)
    middle = fmean(pseudo)
    return Estimate(value, math.tanh(middle - half), math.tanh(middle + half))


def _lin(first: Sequence[float], second: Sequence[float]) -> float | None:
    n = len(first)
    if n < 2:
        return None
    mx, my = fmean(first), fmean(second)
    sxx = math.fsum((x - mx) ** 2 for x in first) / n
    syy = math.fsum((y - my) ** 2 for y in second) / n
    sxy = math.fsum((x - mx) * (y - my) for x, y in zip(first, second, strict=True)) / n
    spread = sxx + syy + (mx - my) ** 2
    return None if spread < _TINY else 2 * sxy / spread


def t_quantile(degrees: int) -> float:
    """The upper 97.5 % point of Student's t, to about 1e-12, by bisection."""
    low, high = 0.0, 2.0
    while _t_below(high, degrees) < _TAIL:
        high *= 2
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if _t_below(middle, degrees) < _TAIL:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _t_below(t: float, degrees: int) -> float:
    """P(T <= t) for t >= 0."""
    x = degrees / (degrees + t * t)
    return 1 - _incomplete_beta(degrees / 2, 0.5, x) / 2


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularized incomplete beta function, by its continued fraction (Lentz)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > _TINY else _TINY)
    total = d
    for m in range(1, 10_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + numerator * d
            c = 1 + numerator / c
            d = 1 / (d if abs(d) > _TINY else _TINY)
            c = c if abs(c) > _TINY else _TINY
            total *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return front * total / a
