"""What moved between two reports: differences of rates with an interval.

The interval is Newcombe's hybrid score interval for two independent proportions, worked from the two
Wilson intervals (Newcombe 1998, Stat. Med. 17:873, method 10). Two runs over the same cases are not
independent, so it is wide; it says what is hardly noise, not what is proven.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING

from scoring.abstraction.intervals import Interval, shown
from scoring.abstraction.report import ERROR_METRICS, METRICS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scoring.abstraction.report import (
        AbstractionMetric,
        AbstractionScores,
        ChartAbstractionBenchmarkReport,
    )


@dataclass(frozen=True, slots=True)
class Change:
    """One metric of one slice in two reports.

    Attributes:
        scope: ``overall``, ``type`` or ``field``.
        name: type label or field id; empty for overall.
        metric: name of the metric.
        before: the older counts.
        after: the newer ones.
    """

    scope: str
    name: str
    metric: str
    before: AbstractionMetric
    after: AbstractionMetric

    @property
    def difference(self) -> Fraction | None:
        """New rate less old rate; None if either has no trials."""
        if not self.before.total_count or not self.after.total_count:
            return None
        return Fraction(self.after.success_count, self.after.total_count) - Fraction(
            self.before.success_count, self.before.total_count
        )

    @property
    def interval(self) -> Interval | None:
        """95 % interval of the difference."""
        return newcombe(
            (self.before.success_count, self.before.total_count),
            (self.after.success_count, self.after.total_count),
        )

    @property
    def moved(self) -> bool:
        """The interval leaves out 0."""
        interval = self.interval
        return interval is not None and (interval[0] > 0 or interval[1] < 0)

    @property
    def worse(self) -> bool:
        """It moved, and not for the better."""
        difference = self.difference
        if difference is None or not self.moved:
            return False
        return (difference > 0) == (self.metric in ERROR_METRICS)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two reports side by side.

    Attributes:
        changes: one for each metric of each slice that both have: overall, types, fields.
        added: field ids only the newer one has.
        removed: field ids only the older one has.
    """

    changes: tuple[Change, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def moved(self) -> tuple[Change, ...]:
        """What moved, the worse first, then by size."""
        found = [change for change in self.changes if change.moved]
        found.sort(key=lambda change: (not change.worse, -abs(change.difference or 0)))
        return tuple(found)


def newcombe(before: tuple[int, int], after: tuple[int, int]) -> Interval | None:
    """95 % interval of ``after`` less ``before``, each successes and trials; None without trials."""
    old, new = shown(*before), shown(*after)
    if old is None or new is None:
        return None
    p, q = before[0] / before[1], after[0] / after[1]
    difference = q - p
    below = sqrt((q - new[0]) ** 2 + (old[1] - p) ** 2)
    above = sqrt((new[1] - q) ** 2 + (p - old[0]) ** 2)
    return max(-1.0, difference - below), min(1.0, difference + above)


def compare(before: ChartAbstractionBenchmarkReport, after: ChartAbstractionBenchmarkReport) -> Comparison:
    """Everything that both reports have, in order, and the fields that only one has."""
    old, new = dict(before.by_field), dict(after.by_field)
    old_types, new_types = dict(before.by_field_type), dict(after.by_field_type)
    changes = list(_changes("overall", "", before.overall, after.overall))
    for kind, scores in new_types.items():
        if kind in old_types:
            changes.extend(_changes("type", kind.value, old_types[kind], scores))
    for name, scores in new.items():
        if name in old:
            changes.extend(_changes("field", name, old[name], scores))
    return Comparison(
        tuple(changes),
        tuple(name for name in new if name not in old),
        tuple(name for name in old if name not in new),
    )


def _changes(scope: str, name: str, before: AbstractionScores, after: AbstractionScores) -> Iterator[Change]:
    for metric in METRICS:
        yield Change(scope, name, metric, before.metric(metric), after.metric(metric))
