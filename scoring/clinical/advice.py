"""What a reader of the figures should know: how much one case weighs, what so few cases cannot show."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from scoring import messages
from scoring.clinical.gate import Kind
from scoring.clinical.score import COVERAGE, LANGUAGE
from scoring.intervals import cases_to_show

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scoring.clinical.gate import MetricResult
    from scoring.clinical.judged import JudgeMetric
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
        found += _of_figure(result, tally.cases)
    if tally.predicted < tally.cases:
        found.append(Advice("sin_prediccion", None, {"n": tally.cases - tally.predicted}))
    if tally.undecided:
        code = "idioma_indeterminado" if tally.undecided < tally.predicted else "idioma_sin_probar"
        found.append(Advice(code, LANGUAGE, {"n": tally.undecided}))
    if 0 < tally.by_prose < tally.cases:
        found.append(Advice("medida_mixta", COVERAGE, {"n": tally.by_prose, "total": tally.cases}))
    return tuple(found)


def judge_advice(results: Iterable[JudgeMetric]) -> tuple[Advice, ...]:
    """The warnings on the figures of a judge, in their order; none on one that is not told."""
    return tuple(one for result in results for one in _of_figure(result, result.cases))


def _of_figure(result: MetricResult | JudgeMetric, cases: int) -> list[Advice]:
    if result.exact is None or not cases:
        return []
    if result.is_count:
        if result.exact or result.interval is None:
            return []
        bound = f"{100 * result.interval.high:.1f}"
        return [Advice("cota_con_cero", result.metric, {"n": cases, "cota": bound})]
    if result.threshold is None or result.threshold.kind is not Kind.FLOOR:
        return []
    return _floor(result, cases)


def _floor(result: MetricResult | JudgeMetric, cases: int) -> list[Advice]:
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
