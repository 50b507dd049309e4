"""The figures of parts of the open split: by species, batch, group of analytes, kind of case.

The reserved split has no slices: a small part of it could be a single case.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from scoring.clinical.gate import MetricResult, measure
from scoring.clinical.tally import Tally
from scoring.plain import plain
from scoring.tables import table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scoring.cases import Case
    from scoring.clinical.gate import Threshold
    from scoring.clinical.rows import Row

DIMENSIONS = ("especie", "tanda", "grupo", "tipo")
"""By what the cases are divided, in report order. A case can be in several groups of analytes."""

UNKNOWN = "sin dato"
OUT_OF_SCOPE, UNALTERED, ALTERED = "fuera de alcance", "sin alteraciones", "con hallazgos"


@dataclass(frozen=True, slots=True)
class Slice:
    """The figures of one part.

    Attributes:
        dimension: one of :data:`DIMENSIONS`.
        value: which part.
        cases: counted cases in it.
        small: fewer than the gate asks for; read it as a hint.
        unmet: thresholds that it would not meet.
        shortfall: by how much the worst of them is missed, 0 when all are met; for a count, per case.
        results: metric -> figure.
    """

    dimension: str
    value: str
    cases: int
    small: bool
    unmet: int
    shortfall: float
    results: Mapping[str, MetricResult] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The slice as the report has it."""
        return {
            "por": self.dimension,
            "valor": plain(self.value),
            "casos": self.cases,
            "pequeno": self.small,
            "incumple": self.unmet,
            "metricas": {
                metric: {
                    "valor": result.value,
                    "intervalo": ends(result),
                    "cumple": result.passes,
                }
                for metric, result in self.results.items()
            },
        }


def ends(result: MetricResult) -> list[float] | None:
    """Both ends of an interval to six decimals, or None."""
    interval = result.interval
    return None if interval is None else [round(interval.low, 6), round(interval.high, 6)]


@cache
def _groups() -> dict[str, str]:
    return {key: group for group, keys in table("formas.json")["grupos"].items() for key in keys}


def parts_of(case: Case) -> tuple[tuple[str, str], ...]:
    """The parts a case belongs to, as dimension and value."""
    expected = case.esperado
    altered = ALTERED if expected.hallazgos_clave else UNALTERED
    kind = OUT_OF_SCOPE if expected.fuera_de_alcance else altered
    groups = sorted({_groups().get(key, UNKNOWN) for key in expected.hallazgos_clave})
    return (
        ("especie", (case.paciente.especie or "").strip() or UNKNOWN),
        ("tanda", (case.tanda or "").strip() or UNKNOWN),
        *(("grupo", group) for group in groups),
        ("tipo", kind),
    )


def slices(
    rows: Iterable[tuple[Row, tuple[tuple[str, str], ...]]],
    thresholds: Sequence[Threshold],
    *,
    metrics: Sequence[str],
    min_cases: int,
) -> tuple[Slice, ...]:
    """The slices of the counted rows of the open split, the worst of each dimension first.

    Worse is: more thresholds unmet, then the larger shortfall, then fewer cases, then the name. Parts that
    are too small stand behind the others.

    Args:
        rows: counted rows with the parts they belong to.
        thresholds: what the figures are held against.
        metrics: what the rules measure.
        min_cases: a part with fewer cases is small.
    """
    tallies: dict[tuple[str, str], Tally] = defaultdict(Tally)
    for row, parts in rows:
        for part in parts:
            tallies[part].add(row.score, predicted=row.predicted)
    found: list[Slice] = []
    for (dimension, value), tally in tallies.items():
        results = measure(tally, thresholds, metrics=metrics)
        missed = [result for result in results.values() if result.passes is False]
        shortfall = max((_shortfall(result) for result in missed), default=0.0)
        found.append(
            Slice(dimension, value, tally.cases, tally.cases < min_cases, len(missed), shortfall, results)
        )
    return tuple(sorted(found, key=_order))


def _shortfall(result: MetricResult) -> float:
    assert result.threshold is not None  # noqa: S101 - a metric without threshold is never missed
    gap = abs(float(result.exact or 0) - float(result.threshold.value))
    # Patients as a share of the part: else the largest part would be the worst, whatever its rates.
    return gap / result.cases if result.is_count and result.cases else gap


def _order(part: Slice) -> tuple[int, bool, int, float, int, str]:
    return (
        DIMENSIONS.index(part.dimension),
        part.small,
        -part.unmet,
        -part.shortfall,
        part.cases,
        part.value,
    )
