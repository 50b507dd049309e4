"""Closed-form intervals of the abstraction reports; the standard library only.

The Wilson interval is worked in binary64 in one fixed order of operations, because reports are
compared byte for byte.
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import Final

Z: Final = 1.9599639845400536
"""The 97.5 % quantile of the standard normal as ``statistics.NormalDist().inv_cdf(0.975)`` gives it."""

Interval = tuple[float, float]


@lru_cache(maxsize=65_536)
def wilson(successes: int, trials: int) -> Interval | None:
    """Two-sided 95 % Wilson score interval of ``successes`` in ``trials``; None without trials.

    Rounding may leave a lower bound a hair above 0 at no success and an upper one a hair under 1; that
    is part of the compatible report. :func:`shown` is for people. (Wilson 1927, J. Am. Stat. Assoc.
    22:209.)
    """
    if not trials:
        return None
    p = successes / trials
    q = Z * Z
    denominator = 1 + q / trials
    centre = (p + q / (2 * trials)) / denominator
    margin = Z * sqrt((p * (1 - p) + q / (4 * trials)) / trials) / denominator
    return max(0.0, centre - margin), min(1.0, centre + margin)


def shown(successes: int, trials: int) -> Interval | None:
    """:func:`wilson` for people: exactly 0 below no success, exactly 1 above nothing but successes."""
    found = wilson(successes, trials)
    if found is None:
        return None
    return (0.0 if successes == 0 else found[0]), (1.0 if successes == trials else found[1])
