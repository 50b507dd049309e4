"""Where an azotaemia falls on the IRIS scale of chronic kidney disease.

Only findings count, as everywhere in the patterns: a creatinine in range is as one not measured, and
counts as stage 1. IRIS itself stages a patient already diagnosed, fasted, on serial stable samples; one
panel gives an orientation only, and the pattern's explanation says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from scoring.engine.ranges import TABLE
from scoring.tables import table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.engine.model import Severity

Substage = Literal["no proteinúrico", "proteinúrico limítrofe", "proteinúrico"]
SEVERITY: Mapping[int, Severity] = {2: "leve", 3: "moderado", 4: "grave"}
"""Severity of the pattern by stage; stage 1 gives no pattern."""


@dataclass(frozen=True, slots=True)
class IrisCuts:
    """Cuts of one species.

    Attributes:
        creatinine: ceilings of the stages 1, 2 and 3 in mg/dL; a value equal to one stays below it.
        sdma: SDMA (µg/dL) above which the stages 1, 2 and 3 are raised by one.
        upc: lower and upper cut of the protein to creatinine ratio of urine.
    """

    creatinine: tuple[float, float, float]
    sdma: tuple[float, float, float]
    upc: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Staging:
    """The stage, how it came about, and the substage.

    Attributes:
        stage: 2, 3 or 4.
        by_creatinine: stage by creatinine alone, 1 to 4.
        raised: whether SDMA raised it by one.
        substage: by the UPC finding, or None without one.
    """

    stage: int
    by_creatinine: int
    raised: bool
    substage: Substage | None


def stage(species: str, creatinine: float | None, sdma: float | None, upc: float | None) -> Staging | None:
    """Stage three values that are findings, high or low; None stands for «no finding».

    Returns:
        None below stage 2, and when there is neither a creatinine nor an SDMA finding.
    """
    if creatinine is None and sdma is None:
        return None
    cuts = iris_cuts(species)
    by_creatinine = 1 if creatinine is None else steps_above(creatinine, cuts.creatinine) + 1
    raised = sdma is not None and by_creatinine < 4 and sdma > cuts.sdma[by_creatinine - 1]
    reached = by_creatinine + raised
    return Staging(reached, by_creatinine, raised, _substage(upc, cuts.upc)) if reached >= 2 else None


def steps_above(value: float, ceilings: tuple[float, ...]) -> int:
    """How many of the ceilings, in ascending order, ``value`` is strictly above."""
    return next((i for i, ceiling in enumerate(ceilings) if value <= ceiling), len(ceilings))


def _substage(upc: float | None, cuts: tuple[float, float]) -> Substage | None:
    if upc is None:
        return None
    low, high = cuts
    if upc > high:
        return "proteinúrico"
    return "proteinúrico limítrofe" if upc >= low else "no proteinúrico"


@cache
def iris_cuts(species: str) -> IrisCuts:
    """The cuts of ``species``."""
    rows = table(TABLE)["iris"]
    return IrisCuts(
        creatinine=tuple(rows["creatinina"][species]),
        sdma=tuple(rows["sdma"][species]),
        upc=tuple(rows["upc"][species]),
    )
