"""A regression check: floors and ceilings on rates, written in a TOML file.

It compares rates as exact fractions with the decimals of the file, never with the bound of an interval,
and it is no evidence for a release: it only says that a known set did not get worse.

    [general]
    normalized_agreement = { minimo = 0.95 }
    unanswerable_answer = { maximo = 0.02 }

    [tipo.number]
    exact_agreement = { minimo = 0.9 }

    [campo."registry.label"]
    normalized_agreement = { minimo = 0.9 }
"""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from scoring.abstraction.chunks import open_file
from scoring.abstraction.grammar import is_field_id
from scoring.abstraction.normalize import AbstractionFieldType
from scoring.abstraction.report import METRICS
from scoring.errors import UsageError, system_reason

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scoring.abstraction.report import AbstractionMetric, ChartAbstractionBenchmarkReport

_SCOPES: Final = {"general": "overall", "tipo": "type", "campo": "field"}
_SENSES: Final = ("minimo", "maximo")
MAX_FILE_BYTES: Final = 4 << 20
MAX_LINE_BYTES: Final = 2048
MAX_RATE_DIGITS: Final = 30
"""Digits behind the point of a bound; exact fractions of more would be worked for ever."""


@dataclass(frozen=True, slots=True)
class Bound:
    """One floor or ceiling.

    Attributes:
        scope: ``overall``, ``type`` or ``field``.
        name: type label or field id; empty for overall.
        metric: name of the metric.
        sense: ``minimo`` or ``maximo``.
        limit: the rate, from 0 to 1, as written.
    """

    scope: str
    name: str
    metric: str
    sense: str
    limit: Decimal


@dataclass(frozen=True, slots=True)
class Finding:
    """A bound and what it met. ``metric`` is None when the report has no such slice."""

    bound: Bound
    metric: AbstractionMetric | None

    @property
    def rate(self) -> Fraction | None:
        """The exact rate; None without a slice or without trials."""
        if self.metric is None or not self.metric.total_count:
            return None
        return Fraction(self.metric.success_count, self.metric.total_count)

    @property
    def holds(self) -> bool | None:
        """Whether the bound is kept; None when there is nothing to judge."""
        rate = self.rate
        if rate is None:
            return None
        limit = Fraction(self.bound.limit)
        return rate >= limit if self.bound.sense == "minimo" else rate <= limit


def check(report: ChartAbstractionBenchmarkReport, bounds: tuple[Bound, ...]) -> tuple[Finding, ...]:
    """Every bound against the report, in the order of the file."""
    slices: dict[tuple[str, str], Any] = {("overall", ""): report.overall}
    slices |= {("type", kind.value): scores for kind, scores in report.by_field_type}
    slices |= {("field", name): scores for name, scores in report.by_field}
    findings = []
    for bound in bounds:
        scores = slices.get((bound.scope, bound.name))
        findings.append(Finding(bound, None if scores is None else scores.metric(bound.metric)))
    return tuple(findings)


def load_bounds(path: Path) -> tuple[Bound, ...]:
    """The bounds of a TOML file; at least one.

    Raises:
        UsageError: the file cannot be read, is not TOML, or says something that is no bound.
    """
    with open_file(path) as stream:
        try:
            data = stream.read(MAX_FILE_BYTES + 1)
        except OSError as error:
            failed = UsageError("jsonl.file_unreadable", path=path, reason=system_reason(error))
        else:
            return parse_bounds(data, path)
    raise failed


def parse_bounds(data: bytes, path: Path) -> tuple[Bound, ...]:
    """The bounds written in ``data``; ``path`` names the file in errors.

    Raises:
        UsageError: it is too long, is not TOML, or says something that is no bound.
    """
    if len(data) > MAX_FILE_BYTES:
        raise UsageError("abstraction.bounds_too_large", path=path, limit=MAX_FILE_BYTES >> 20)
    for number, line in enumerate(data.split(b"\n"), 1):
        if len(line) > MAX_LINE_BYTES:  # a key of many parts would cost its square
            raise UsageError("abstraction.bounds_long_line", path=path, line=number, limit=MAX_LINE_BYTES)
    try:
        table = tomllib.loads(data.decode("utf-8"), parse_float=Decimal)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError("abstraction.bounds_not_toml", path=path, reason=system_reason(error)) from None
    except (ValueError, RecursionError):
        raise UsageError("abstraction.bounds_beyond_reading", path=path) from None
    bounds = tuple(_bounds(table, path))
    if not bounds:
        raise UsageError("abstraction.bounds_empty", path=path)
    return bounds


def _bounds(table: dict[str, Any], path: Path) -> Iterator[Bound]:
    """Every bound of the file, section by section."""
    for section, content in table.items():
        scope = _SCOPES.get(section)
        if scope is None:
            _unknown(section, tuple(_SCOPES), path)
        slices = {"": content} if scope == "overall" else _table(content, section, path)
        for name, metrics in slices.items():
            if scope == "type" and name not in {kind.value for kind in AbstractionFieldType}:
                _unknown(name, tuple(kind.value for kind in AbstractionFieldType), path)
            if scope == "field" and not is_field_id(name):
                raise UsageError("abstraction.bounds_field", path=path, found=name)
            place = f"{section}.{name}" if name else section
            for metric, limits in _table(metrics, place, path).items():
                if metric not in METRICS:
                    if scope == "field" and is_field_id(f"{name}.{metric}") and isinstance(limits, dict):
                        raise UsageError("abstraction.bounds_unquoted", path=path, name=f"{name}.{metric}")
                    _unknown(metric, METRICS, path)
                for sense, rate in _limits(limits, f"{place}.{metric}", path):
                    yield Bound(str(scope), name, metric, sense, rate)


def _limits(limits: Any, place: str, path: Path) -> Iterator[tuple[str, Decimal]]:
    """The sense and the rate of each limit of one metric."""
    for sense, limit in _table(limits, place, path).items():
        if sense not in _SENSES:
            _unknown(sense, _SENSES, path)
        yield sense, _rate(limit, f"{place}.{sense}", path)


def _table(value: Any, place: str, path: Path) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError("abstraction.bounds_shape", path=path, place=place)
    return value


def _rate(value: Any, place: str, path: Path) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise UsageError("abstraction.bounds_rate", path=path, place=place)
    limit = Decimal(value)
    if not limit.is_finite() or not 0 <= limit <= 1:
        raise UsageError("abstraction.bounds_rate", path=path, place=place)
    if -int(limit.as_tuple().exponent) > MAX_RATE_DIGITS:
        raise UsageError("abstraction.bounds_digits", path=path, place=place, limit=MAX_RATE_DIGITS)
    return limit


def _unknown(found: str, allowed: tuple[str, ...], path: Path) -> None:
    near = difflib.get_close_matches(found, allowed, n=1)
    choices = ", ".join(allowed)
    if near:
        raise UsageError(
            "abstraction.bounds_unknown_near", path=path, found=found, near=near[0], choices=choices
        )
    raise UsageError("abstraction.bounds_unknown", path=path, found=found, choices=choices)
