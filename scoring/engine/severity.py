"""How serious one finding is: explicit cuts where the table has them, else the distance in widths.

Equality always belongs to the milder grade, decided on the computed doubles without tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from scoring.engine.ranges import TABLE
from scoring.tables import SPECIES, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.engine.model import Direction, Severity
    from scoring.engine.ranges import AdjustedRange


@dataclass(frozen=True, slots=True)
class Cuts:
    """Values where a grade begins, in the unit of the analyte, never adjusted to the patient.

    Attributes:
        moderate: strictly beyond it the finding is at least ``moderado``.
        severe: strictly beyond it the finding is ``grave``; None: it never is.
    """

    moderate: float
    severe: float | None


def direction_of(value: float, limits: AdjustedRange) -> Direction | None:
    """``alto``, ``bajo``, or None for a value in range, the limits included."""
    if value > limits.high:
        return "alto"
    if value < limits.low:
        return "bajo"
    return None


def severity_of(value: float, direction: Direction, limits: AdjustedRange, species: str) -> Severity:
    """The severity of a value outside its range.

    Args:
        value: the value, infinite allowed.
        direction: the side it lies on.
        limits: its adjusted range.
        species: for the explicit cuts.

    Returns:
        By the explicit cuts of that analyte, species and side; without any, by
        ``d = distance to the limit passed / adjusted width``: ``leve`` up to 0.5, ``moderado`` up to
        1.5, then ``grave``. A range without width gives ``grave``.
    """
    cuts = explicit_cuts().get((limits.analyte.key, species, direction))
    if cuts is not None:
        return _by_cuts(value, direction, cuts)
    width = limits.high - limits.low
    if width <= 0:
        return "grave"
    distance = value - limits.high if direction == "alto" else limits.low - value
    general = table(TABLE)["gravedad"]["general"]
    relative = distance / width
    if relative <= general["leve_hasta"]:
        return "leve"
    return "moderado" if relative <= general["moderado_hasta"] else "grave"


def _by_cuts(value: float, direction: Direction, cuts: Cuts) -> Severity:
    def beyond(cut: float) -> bool:
        return value > cut if direction == "alto" else value < cut

    if cuts.severe is not None and beyond(cuts.severe):
        return "grave"
    return "moderado" if beyond(cuts.moderate) else "leve"


@cache
def explicit_cuts() -> Mapping[tuple[str, str, Direction], Cuts]:
    """The cuts by analyte, species and side."""
    sides: tuple[Direction, ...] = ("bajo", "alto")
    found: dict[tuple[str, str, Direction], Cuts] = {}
    for side in sides:
        rows: list[dict[str, Any]] = table(TABLE)["gravedad"]["cortes"][side]
        for row in rows:
            for species in SPECIES:
                own = row[species]
                found[row["analito"], species, side] = Cuts(own["leve_hasta"], own["moderado_hasta"])
    return found
