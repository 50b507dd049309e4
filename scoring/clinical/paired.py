"""What can be said of figures that both runs have case by case."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from scoring.clinical.comparison import Change
from scoring.intervals import mcnemar, mean_difference, paired_difference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scoring.intervals import Difference

_P = 0.05
_SAME = 1e-9


class Paired(NamedTuple):
    """A figure over pairs.

    Attributes:
        difference: new minus old with its interval; None where it cannot be had.
        p: exact McNemar; None for what is no yes or no.
        worse: pairs that got worse.
        better: pairs that got better.
        change: what can be said.
    """

    difference: Difference | None
    p: float | None
    worse: int
    better: int
    change: Change


def is_number(value: object) -> bool:
    """A finite number, as JSON may hold one."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def beyond_zero(difference: Difference, *, bad: bool = False) -> Change:
    """What an interval says that may or may not hold zero; ``bad``: more of it is worse."""
    if difference.low > 0:
        return Change.WORSE if bad else Change.BETTER
    if difference.high < 0:
        return Change.BETTER if bad else Change.WORSE
    return Change.NOT_SHOWN


def rates(steps: Sequence[float]) -> Paired:
    """A rate of each case: ``steps`` are new minus old."""
    difference = mean_difference(steps)
    change = Change.NOT_SHOWN if difference is None else beyond_zero(difference)
    if steps and max(steps) - min(steps) < _SAME and mcnemar(len(steps), 0) >= _P:
        # An interval without width says nothing of how sure it is; so few cases that all moved alike may have
        # done so by chance, as with a yes or no.
        change = Change.NOT_SHOWN
    return Paired(difference, None, sum(s < 0 for s in steps), sum(s > 0 for s in steps), change)


def yes_or_no(pairs: Sequence[tuple[bool, bool]], *, bad: bool) -> Paired:
    """A yes or no of each case, old and new; ``bad``: yes is a harm to a patient."""
    lost, won = pairs.count((True, False)), pairs.count((False, True))
    difference = paired_difference(pairs.count((True, True)), lost, won, pairs.count((False, False)))
    worse, better = (won, lost) if bad else (lost, won)
    p = float(mcnemar(worse, better))
    if bad and worse and worse >= better:
        # A new violation is a fact about a patient: it needs no significance, and one mended in another
        # patient does not undo it.
        change = Change.WORSE
    elif p < _P:
        change = Change.WORSE if worse > better else Change.BETTER
    else:
        change = Change.NOT_SHOWN
    return Paired(difference, p, worse, better, change)
