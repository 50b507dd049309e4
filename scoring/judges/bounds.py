"""Figures of the calibration with their intervals, on top of :mod:`scoring.intervals`.

Sources: Student's t for a mean; Lin 1989 for the concordance coefficient, with the jackknife interval on
its Fisher transform of King and Chinchilli 2001.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from scoring.intervals import student, wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def share(successes: int, total: int) -> Estimate | None:
    """A share with Wilson's interval; None without trials."""
    found = wilson(successes, total)
    return None if found is None else Estimate(successes / total, found.low, found.high)


def mean(values: Sequence[float], *, least: float = -1.0) -> Estimate | None:
    """A mean with its t interval; None without values, no limits with a single one.

    Args:
        values: figures from ``least`` to 1; the interval is cut there, since no mean lies beyond.
        least: 0 for distances.
    """
    if not values:
        return None
    middle = fmean(values)
    if len(values) == 1:
        return Estimate(middle, None, None)
    half = student(len(values) - 1) * stdev(values) / math.sqrt(len(values))
    return Estimate(middle, max(least, middle - half), min(1.0, middle + half))


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
    half = student(n - 1) * stdev(pseudo) / math.sqrt(n)
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
