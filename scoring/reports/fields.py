"""Reading one field of a stored report, which anybody may have edited since."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from scoring.clinical.gate import Kind, Threshold
from scoring.clinical.judged import JudgeMetric

if TYPE_CHECKING:
    from collections.abc import Mapping

_EARLIEST = datetime(1970, 1, 2, tzinfo=UTC)


class FieldError(ValueError):
    """A field is missing or holds something else than it should; its name is the message."""


def of_type(data: Mapping[str, Any], name: str, kind: type | tuple[type, ...]) -> Any:
    """The field ``name``, if it has that type; a boolean is no number.

    Raises:
        FieldError: it has not.
    """
    found = data.get(name)
    wanted = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(found, wanted) or (isinstance(found, bool) and bool not in wanted):
        raise FieldError(name)
    return found


def count(data: Mapping[str, Any], name: str) -> int:
    """A whole number from 0 up.

    Raises:
        FieldError: it is none.
    """
    found: int = of_type(data, name, int)
    if found < 0:
        raise FieldError(name)
    return found


def figure(data: Mapping[str, Any], name: str) -> float | None:
    """A finite number from 0 up, or None for ``null``.

    Raises:
        FieldError: it is neither.
    """
    if name in data and data[name] is None:
        return None
    found = of_type(data, name, (int, float))
    try:
        value = float(found)
    except OverflowError:
        raise FieldError(name) from None
    if not math.isfinite(value) or value < 0:
        raise FieldError(name)
    return value


def texts(data: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """A list of texts.

    Raises:
        FieldError: it is none.
    """
    found = of_type(data, name, list)
    if not all(isinstance(item, str) for item in found):
        raise FieldError(name)
    return tuple(found)


def counts(data: Mapping[str, Any], name: str) -> dict[str, int]:
    """An object whose values are whole numbers from 0 up.

    Raises:
        FieldError: it is none.
    """
    found = of_type(data, name, dict)
    return {key: count(found, key) for key in found}


def when(data: Mapping[str, Any]) -> datetime | None:
    """The time of writing, with its offset; None where it does not say."""
    written = data.get("generado")
    if not isinstance(written, str):
        return None
    try:
        found = datetime.fromisoformat(written)
        # Near the ends of the calendar a change of zone is an error, and no report was written then.
        return found if found.tzinfo is not None and found.astimezone(UTC) > _EARLIEST else None
    except (ValueError, OverflowError):
        return None


def judge_metric(row: Mapping[str, Any], cases: str) -> JudgeMetric:
    """A row of ``metricas`` of judge or grounding; whether it meets its threshold is worked out anew.

    Args:
        row: the row.
        cases: the field that says how many cases it rests on, or empty where only a count does.

    Raises:
        FieldError: the row is not whole.
    """
    metric, is_count = of_type(row, "metrica", str), of_type(row, "es_recuento", bool)
    exact: Fraction | None = None
    if figure(row, "valor") is not None:
        numerator, denominator = count(row, "numerador"), count(row, "denominador")
        if not is_count and not denominator:
            raise FieldError("denominador")
        exact = Fraction(numerator) if is_count else Fraction(numerator, denominator)
    over = count(row, "denominador") if is_count and exact is not None else count(row, cases) if cases else 0
    limit = threshold(row, metric)
    passes = None if limit is None or exact is None else limit.met_by(exact)
    return JudgeMetric(metric, exact, over, is_count, limit, passes)


def threshold(row: Mapping[str, Any], metric: str) -> Threshold | None:
    """The threshold of a row, or None.

    Raises:
        FieldError: it is no threshold.
    """
    if row.get("umbral") is None:
        return None
    try:
        value, kind = Decimal(of_type(row, "umbral", str)), Kind(of_type(row, "tipo", str))
    except (InvalidOperation, ValueError):
        raise FieldError("umbral") from None
    if not value.is_finite() or len(str(value)) > 40:
        raise FieldError("umbral")
    return Threshold(metric, kind, value)
