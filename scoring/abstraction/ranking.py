"""The fields of a report put in order: what hurts first, by one metric at a time.

Pure and value-free: it sees counts and field ids only. Equal reports give equal orders.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from scoring.abstraction.report import ERROR_METRICS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from fractions import Fraction

    from scoring.abstraction.report import AbstractionMetric, AbstractionScores


class Order(StrEnum):
    """How fields are sorted.

    Attributes:
        ERRORS: by the number of wrong decisions, the most first.
        RATE: by the rate, the worst first; among equals the one with more decisions.
        CHANGE: by the change since an earlier report, the worst first; fields it lacks come last.
        NAME: by field id.
    """

    ERRORS = "errores"
    RATE = "tasa"
    CHANGE = "cambio"
    NAME = "nombre"


def is_error(metric: str) -> bool:
    """Whether the successes of the metric are errors, so that a low rate is the good one."""
    return metric in ERROR_METRICS


def errors(name: str, metric: AbstractionMetric) -> int:
    """The decisions that were wrong by the metric called ``name``."""
    return metric.success_count if is_error(name) else metric.total_count - metric.success_count


def ranked(
    fields: Iterable[tuple[str, AbstractionScores]],
    metric: str,
    order: Order = Order.ERRORS,
    changes: Mapping[str, Fraction] | None = None,
) -> tuple[tuple[str, AbstractionScores], ...]:
    """The fields in order; those without a decision under ``metric`` come last, except by name.

    Args:
        fields: field id and counts, in any order.
        metric: one of :data:`scoring.abstraction.report.METRICS`.
        order: what comes first.
        changes: for :attr:`Order.CHANGE`, the difference of rates (new less old) by field id; a field
            that is not in it cannot be compared.
    """
    known = changes or {}

    def key(item: tuple[str, AbstractionScores]) -> tuple[float | str, ...]:
        name, scores = item
        if order is Order.NAME:
            return (name,)
        found = scores.metric(metric)
        trials = found.total_count
        wrong = errors(metric, found)
        # Division rounds correctly, so equal rates are equal floats; errors break what rounding joins.
        rate = wrong / trials if trials else 0.0
        empty = float(not trials)
        if order is Order.ERRORS:
            return (empty, -wrong, -rate, name)
        if order is Order.RATE:
            return (empty, -rate, -trials, name)
        change = known.get(name)
        if change is None:
            return (1.0, 0.0, -wrong, name)
        worse = float(change if is_error(metric) else -change)
        return (0.0, -worse, -wrong, name)

    return tuple(sorted(fields, key=key))


def matching(
    fields: Iterable[tuple[str, AbstractionScores]], search: str
) -> Sequence[tuple[str, AbstractionScores]]:
    """The fields whose id holds every word of ``search``, upper or lower case; all of them without words."""
    words = search.lower().split()
    return [(name, scores) for name, scores in fields if all(word in name for word in words)]
