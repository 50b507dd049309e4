"""What a reader of the figures should know: how much one case weighs, what so few cases cannot show."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from scoring import messages
from scoring.clinical.gate import Kind
from scoring.clinical.score import COUNTS, COVERAGE, LANGUAGE
from scoring.intervals import cases_to_show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.clinical.gate import MetricResult
    from scoring.clinical.tally import Tally


@dataclass(frozen=True, slots=True)
class Advice:
    """One warning: its stable code, the metric it is about, and the figures it names."""

    code: str
    metric: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)

    def sentence(self) -> str:
        """The warning in words."""
        return messages.text(f"advice.{self.code}", metric=self.metric or "", **self.fields)

    def to_dict(self) -> dict[str, Any]:
        """The warning as the report has it."""
        return {"codigo": self.code, "metrica": self.metric, **self.fields, "texto": self.sentence()}


def advice(tally: Tally, results: Mapping[str, MetricResult]) -> tuple[Advice, ...]:
    """The warnings on a set of figures, in report order; none where nothing counted."""
    if not tally.cases:
        return ()
    found: list[Advice] = []
    for result in results.values():
        if result.value is None:
            continue
        if result.metric in COUNTS:
            if not result.numerator and result.interval is not None:
                bound = f"{100 * result.interval.high:.1f}"
                found.append(Advice("cota_con_cero", result.metric, {"n": tally.cases, "cota": bound}))
        elif result.threshold is not None and result.threshold.kind is Kind.FLOOR:
            found += _floor(result, tally.cases)
    if tally.predicted < tally.cases:
        found.append(Advice("sin_prediccion", None, {"n": tally.cases - tally.predicted}))
    if tally.undecided:
        code = "idioma_indeterminado" if tally.undecided < tally.predicted else "idioma_sin_probar"
        found.append(Advice(code, LANGUAGE, {"n": tally.undecided}))
    if 0 < tally.by_prose < tally.cases:
        found.append(Advice("medida_mixta", COVERAGE, {"n": tally.by_prose, "total": tally.cases}))
    return tuple(found)


def _floor(result: MetricResult, cases: int) -> list[Advice]:
    """A floor finer than one case, or one that so few cases cannot show to be held."""
    assert result.threshold is not None  # noqa: S101 - asked by the caller
    limit = Fraction(result.threshold.value)
    if 0 < limit < 1 and 1 - Fraction(1, cases) < limit:
        weight = f"{100 / cases:.1f}"
        return [
            Advice("umbral_mas_fino", result.metric, {"n": cases, "umbral": result.limit, "peso": weight})
        ]
    needed = cases_to_show(limit)
    if result.passes and needed is not None and cases < needed:
        return [
            Advice(
                "muestra_corta", result.metric, {"n": cases, "umbral": result.limit, "hacen_falta": needed}
            )
        ]
    return []


def weight_of(cases: int) -> float | None:
    """What one case weighs in a rate over ``cases``, rounded to four decimals; None for no case."""
    return math.floor(10_000 / cases + 0.5) / 10_000 if cases else None
