"""Thresholds and verdict: exact fractions against decimals, no tolerance.

Zero counted cases, counted cases without a single prediction and a broken record give no verdict; they
are neither a pass nor a bad figure.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from scoring import messages
from scoring.clinical.score import COUNTS, COVERAGE, MISSED, PRECISION, RATES, VIOLATIONS
from scoring.errors import DataError, ExitCode
from scoring.intervals import Interval, most_after_none, wilson

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scoring.clinical.tally import Tally

_TABLE = "umbrales.toml"
_FEWEST_DECIMALS = 2
_MOST_DECIMALS = 15

METRICS = (*RATES[:2], PRECISION, *RATES[2:], VIOLATIONS, MISSED)
"""Every metric there is, in report order; a set of rules measures those it names."""


# A count is held down and a rate up; the other way round a threshold would pass what it is there to stop.
_COUNTED = frozenset({*COUNTS, "violaciones_seguridad_juez", "casos_no_juzgados", "citas_sin_fragmento"})


class Kind(StrEnum):
    """How a threshold binds; the value itself always passes."""

    FLOOR = "suelo"
    CEILING = "techo"


class Verdict(StrEnum):
    """What the gate says."""

    PASSES = "pasa"
    FAILS = "falla"
    SIMULATED = "simulado"
    NOTHING_TO_JUDGE = "nada_que_juzgar"
    INTEGRITY_BROKEN = "integridad_rota"
    NO_JUDGEMENT = "sin_juicio"

    @property
    def exit_code(self) -> ExitCode:
        """What the command ends with."""
        return _EXIT_CODES[self]


_EXIT_CODES = {
    Verdict.PASSES: ExitCode.OK,
    Verdict.SIMULATED: ExitCode.OK,
    Verdict.FAILS: ExitCode.GATE_FAILED,
    Verdict.NOTHING_TO_JUDGE: ExitCode.NOTHING_TO_JUDGE,
    Verdict.INTEGRITY_BROKEN: ExitCode.INTEGRITY,
    Verdict.NO_JUDGEMENT: ExitCode.NO_VERDICT,
}


@dataclass(frozen=True, slots=True)
class Threshold:
    """The value a metric must reach (floor) or must not exceed (ceiling); ``value`` is exact."""

    metric: str
    kind: Kind
    value: Decimal

    def met_by(self, figure: Fraction) -> bool:
        """Whether ``figure`` is within the threshold."""
        limit = Fraction(self.value)
        return figure >= limit if self.kind is Kind.FLOOR else figure <= limit


@dataclass(frozen=True, slots=True)
class MetricResult:
    """One metric over the counted cases.

    Attributes:
        metric: its name.
        value: the printed figure (a count for the violations); None when no case counted.
        numerator: of the exact figure: successes of the counted cases for a 0/1 metric, a reduced
            fraction for the coverage, the number of violations.
        denominator: of the exact figure; 0 when no case counted.
        threshold: what it is held against, or None.
        passes: whether it meets the threshold; None without figure or threshold.
        cases: how many cases it rests on.
        interval: Wilson's 95 % interval of a rate, or of the share of cases for a count; for a count of
            zero the upper end is the exact one-sided bound. None without figure.
    """

    metric: str
    value: float | None
    numerator: int
    denominator: int
    threshold: Threshold | None
    passes: bool | None
    cases: int = 0
    interval: Interval | None = None

    @property
    def is_count(self) -> bool:
        """A number of cases and not a rate."""
        return self.metric in COUNTS

    @property
    def exact(self) -> Fraction | None:
        """The figure without rounding; a count for the violations."""
        if self.value is None:
            return None
        if self.is_count:
            return Fraction(self.numerator)
        return Fraction(self.numerator, self.denominator)

    @property
    def figure(self) -> str:
        """The figure with two decimals, or with as many as it takes to tell it from its threshold."""
        if self.value is None:
            return "-"
        if self.is_count:
            return str(self.numerator)
        if self.threshold is None or self.exact == Fraction(self.threshold.value):
            return f"{self.value:.{_FEWEST_DECIMALS}f}"
        return apart(self.value, self.exact or Fraction(0), self.threshold.value)

    @property
    def over(self) -> str:
        """Numerator and denominator as printed; of a mean of fractions their sum, «20.9/30»."""
        if self.value is None:
            return ""
        if self.metric == COVERAGE:  # the reduced fraction, 26281/37800, is one that nobody can read
            return f"{float((self.exact or Fraction(0)) * self.cases):.1f}/{self.cases}"
        return f"{self.numerator}/{self.denominator}"

    @property
    def limit(self) -> str:
        """The threshold as it is printed beside the figure."""
        return limit_text(self.threshold) if self.threshold is not None else ""


def apart(value: float, exact: Fraction, limit: Decimal) -> str:
    """``value`` with at least two decimals and enough of them to differ from ``limit``.

    ``0.7967`` against ``0.80`` gives ``0.797``. If no float spelling differs, the fraction is given.
    """
    for decimals in range(_FEWEST_DECIMALS, _MOST_DECIMALS + 1):
        said = f"{value:.{decimals}f}"
        if Decimal(said) != limit:
            return said
    return f"{exact.numerator}/{exact.denominator}"


def limit_text(threshold: Threshold) -> str:
    """A floor with at least two decimals, a ceiling as it is written."""
    if threshold.kind is Kind.CEILING:
        return f"{threshold.value.normalize():f}"
    exponent = threshold.value.as_tuple().exponent
    decimals = -exponent if isinstance(exponent, int) else 0
    return f"{threshold.value:.{max(decimals, _FEWEST_DECIMALS)}f}"


def read_thresholds(
    data: Mapping[str, Any], known: Sequence[str] = METRICS, *, name: str = _TABLE
) -> tuple[Threshold, ...]:
    """The thresholds of a table, in its order.

    Args:
        data: metric -> ``tipo`` and ``valor``.
        known: the metrics there are; those of the gate, or of a judge or the grounding.
        name: what errors call the table.

    Raises:
        DataError: an unknown metric, a kind that is none or not that of the metric, or a value that is no
            finite decimal from 0 on written as text.
    """
    thresholds: list[Threshold] = []
    for metric, row in data.items():
        if metric not in known:
            raise DataError("clinical.threshold_unknown", path=name, metric=metric, known=", ".join(known))
        try:
            if not isinstance(row["valor"], str):
                raise TypeError  # noqa: TRY301 - one refusal for every way of being wrong
            threshold = Threshold(metric, Kind(row["tipo"]), Decimal(row["valor"]))
        except (KeyError, TypeError, ValueError, InvalidOperation):
            raise DataError("clinical.threshold_invalid", path=name, metric=metric) from None
        if not threshold.value.is_finite() or threshold.value < 0:
            raise DataError("clinical.threshold_invalid", path=name, metric=metric)
        kind = Kind.CEILING if metric in _COUNTED else Kind.FLOOR
        if threshold.kind is not kind:
            raise DataError("clinical.threshold_kind", path=name, metric=metric, kind=kind)
        thresholds.append(threshold)
    return tuple(thresholds)


def measure(
    tally: Tally,
    thresholds: Sequence[Threshold],
    *,
    metrics: Sequence[str] = METRICS,
) -> dict[str, MetricResult]:
    """Every metric of ``tally`` held against its threshold, in report order.

    The figure of a rate is its exact mean, correctly rounded: a running sum of floats, as the field's
    reference has it, differs in the last digit with the order of the cases.

    Args:
        tally: the counted cases.
        thresholds: what binds; a metric without one is only shown.
        metrics: what the rules measure.
    """
    limits = {threshold.metric: threshold for threshold in thresholds}
    return {metric: _measured(metric, tally, limits.get(metric)) for metric in metrics}


def _measured(metric: str, tally: Tally, limit: Threshold | None) -> MetricResult:
    cases = tally.cases
    if not cases or (metric == PRECISION and not tally.listed):
        return MetricResult(metric, None, 0, 0, limit, None, cases)
    if metric in COUNTS:
        found = tally.violations if metric == VIOLATIONS else tally.missed
        return MetricResult(
            metric,
            found,
            found,
            cases,
            limit,
            limit.met_by(Fraction(found)) if limit is not None else None,
            cases,
            share_of_cases(found, cases),
        )
    if metric == PRECISION:
        numerator, denominator = tally.listed_expected, tally.listed
        exact = Fraction(numerator, denominator)
        interval = wilson(numerator, denominator)
    else:
        total = tally.total(metric)
        exact = total / cases
        interval = wilson(total, cases)
        whole = total.denominator == 1
        numerator, denominator = (total.numerator, cases) if whole else (exact.numerator, exact.denominator)
    return MetricResult(
        metric,
        float(exact),
        numerator,
        denominator,
        limit,
        limit.met_by(exact) if limit is not None else None,
        cases,
        interval,
    )


def share_of_cases(found: int, cases: int) -> Interval | None:
    """Wilson's interval of a count among ``cases``; of zero the exact one-sided bound; None for no case."""
    if not cases:
        return None
    return wilson(found, cases) if found else Interval(0.0, most_after_none(cases) or 1.0)


class HeldFigure(Protocol):
    """A figure that was held against a threshold."""

    @property
    def figure(self) -> str:
        """As printed."""

    @property
    def limit(self) -> str:
        """The threshold, as printed beside it."""

    @property
    def passes(self) -> bool | None:
        """Whether it meets the threshold."""


def failures(results: Mapping[str, HeldFigure], thresholds: Iterable[Threshold]) -> tuple[str, ...]:
    """One line per threshold that is not met, in the order of the thresholds."""
    lines: list[str] = []
    for threshold in thresholds:
        result = results.get(threshold.metric)
        if result is None or result.passes is not False:
            continue
        if threshold.kind is Kind.CEILING:
            most = messages.text("clinical.at_most", limit=result.limit)
            lines.append(f"{threshold.metric}={result.figure} ({most})")
        else:
            lines.append(f"{threshold.metric}={result.figure} < {result.limit}")
    return tuple(lines)
