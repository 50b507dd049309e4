"""Scoring of row objects: no file, model, database or network access.

All that can go wrong is answered with a code. The work is done in functions that return it; the public
one drops its arguments and raises, so that no frame of the error holds a row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scoring.abstraction.grammar import MAX_ITEMS
from scoring.abstraction.join import Join
from scoring.abstraction.normalize import AbstractionFieldType
from scoring.abstraction.report import ChartAbstractionBenchmarkReport, report_of
from scoring.abstraction.rows import ChartAbstractionGoldField, ChartAbstractionPrediction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scoring.abstraction.tally import Tally


def run_chart_abstraction_benchmark(
    gold_fields: Iterable[ChartAbstractionGoldField],
    predictions: Iterable[ChartAbstractionPrediction],
    *,
    max_items: int = MAX_ITEMS,
) -> ChartAbstractionBenchmarkReport:
    """Compare outputs with gold, joined on case id and field id.

    Args:
        gold_fields: any iterable of gold rows, each case and field once; at least one.
        predictions: any iterable of output rows, each for a gold row, each at most once.
        max_items: bound on the rows of either.

    Returns:
        The value-free report; the same for any order of the rows.

    Raises:
        ValueError: only a code, without cause or context: ``invalid_gold_fields``,
            ``invalid_predictions`` (not rows, or the iterable failed), ``too_many_items``,
            ``duplicate_gold_field``, ``inconsistent_field_type``, ``unknown_prediction_field``,
            ``duplicate_prediction_field``.
    """
    tally, code = _tally(gold_fields, predictions, max_items)
    if tally is None:
        del gold_fields, predictions
        raise ValueError(code)
    return report_of(tally)


def _tally(
    gold_fields: Iterable[Any], predictions: Iterable[Any], limit: int
) -> tuple[Tally, None] | tuple[None, str]:
    """The tally, or the code of the first failure in the order that the compatible format fixes."""
    join = Join()
    gold = _Reader(gold_fields, ChartAbstractionGoldField, limit)
    codes: set[str] = set()
    for code in _drain(join.add_gold, gold):
        codes.add(code)
    if gold.failed:
        return None, "invalid_gold_fields"
    if gold.too_many:
        return None, "too_many_items"
    join.compact()
    outputs = _Reader(predictions, ChartAbstractionPrediction, limit)
    first: str | None = None
    for code in _drain(join.add_outputs, outputs):
        first = first or code
    if outputs.failed:
        return None, "invalid_predictions"
    if outputs.too_many:
        return None, "too_many_items"
    if gold.foreign or not gold.taken:
        return None, "invalid_gold_fields"
    if outputs.foreign:
        return None, "invalid_predictions"
    for code in ("duplicate_gold_field", "inconsistent_field_type"):
        if code in codes:
            return None, code
    return (None, first) if first is not None else (join.tally(), None)


def _drain(add: Any, reader: _Reader) -> Iterator[str]:
    """The codes of the rows that ``add`` refuses, until the reader ends."""
    rows = iter(reader)
    while (code := add(rows)) is not None:
        yield code


class _Reader:
    """Reads an iterable of rows and remembers how that ended instead of raising.

    It stops at the first item of another type, at the first failure and at the bound.
    """

    def __init__(self, items: Iterable[Any], kind: type, limit: int) -> None:
        self._items = items
        self._kind = kind
        self._limit = limit
        self.taken = 0
        self.failed = self.foreign = self.too_many = False

    def __iter__(self) -> Iterator[Any]:
        try:
            for item in self._items:
                if type(item) is not self._kind:
                    self.foreign = True
                    return
                if self.taken >= self._limit:
                    self.too_many = True
                    return
                self.taken += 1
                yield item
        except Exception:  # noqa: BLE001 - whatever the caller's iterator raises stays inside
            self.failed = True


def synthetic_chart_abstraction_gold() -> tuple[ChartAbstractionGoldField, ...]:
    """Twelve invented rows, four fields of the four types in three cases; the third case has no answers.

    They show how the scorer behaves and are evidence of nothing else.
    """
    fields: tuple[tuple[str, AbstractionFieldType, tuple[str | float | bool | None, ...]], ...] = (
        ("registry.label", AbstractionFieldType.TEXT, ("Synthetic Alpha", "Test Beta", None)),
        ("registry.status", AbstractionFieldType.CATEGORICAL, ("code_a", "code_b", None)),
        ("registry.measurement", AbstractionFieldType.NUMBER, (12, 2.5, None)),
        ("registry.flag", AbstractionFieldType.BOOLEAN, (True, False, None)),
    )
    return tuple(
        ChartAbstractionGoldField(f"synthetic_{number}", name, kind, value)
        for name, kind, values in fields
        for number, value in enumerate(values)
    )
