"""What a judge or the grounding found over the counted cases, as a part of the report.

Values only: whoever reads a report needs nothing that talks to a network. The means are exact fractions
and are compared without rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from scoring import messages
from scoring.clinical.calibration_state import CalibrationState
from scoring.clinical.gate import apart, limit_text, share_of_cases
from scoring.intervals import wilson
from scoring.plain import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.clinical.gate import Threshold
    from scoring.intervals import Interval

NO_JUDGE = "ninguno"
HARM = "violaciones_seguridad_juez"


@dataclass(frozen=True, slots=True)
class JudgeMetric:
    """One figure of the judge.

    Attributes:
        metric: its name.
        exact: the mean, or a count; None when no case was judged on it.
        cases: rubrics it rests on; for a count the cases it could have counted.
        is_count: a number of cases and not a mean.
        threshold: what it is held against, or None.
        passes: whether it meets the threshold; None without figure or threshold.
    """

    metric: str
    exact: Fraction | None
    cases: int
    is_count: bool
    threshold: Threshold | None
    passes: bool | None

    @property
    def value(self) -> float | int | None:
        """The figure as JSON has it."""
        if self.exact is None:
            return None
        return int(self.exact) if self.is_count else float(self.exact)

    @property
    def figure(self) -> str:
        """The figure with two decimals, or with as many as it takes to tell it from its threshold."""
        if self.exact is None:
            return "-"
        if self.is_count:
            return str(int(self.exact))
        if self.threshold is None or self.exact == Fraction(self.threshold.value):
            return f"{float(self.exact):.2f}"
        return apart(float(self.exact), self.exact, self.threshold.value)

    @property
    def limit(self) -> str:
        """The threshold as it is printed beside the figure."""
        return limit_text(self.threshold) if self.threshold is not None else ""

    @property
    def interval(self) -> Interval | None:
        """Wilson's 95 % interval of a mean of figures from 0 to 1, or of the share of cases with harm.

        None for the other counts: gaps and marks that point nowhere are no sample of anything.
        """
        if self.exact is None or not self.cases:
            return None
        if not self.is_count:
            return wilson(self.exact * self.cases, self.cases) if 0 <= self.exact <= 1 else None
        if self.metric != HARM or not 0 <= self.exact <= self.cases:
            return None
        return share_of_cases(int(self.exact), self.cases)

    def to_dict(self) -> dict[str, Any]:
        """The metric as the report has it, with the same keys as the others."""
        exact, interval = self.exact, self.interval
        if exact is None:
            numerator, denominator = None, None
        elif self.is_count:
            numerator, denominator = int(exact), self.cases
        else:
            numerator, denominator = exact.numerator, exact.denominator
        return {
            "metrica": self.metric,
            "valor": self.value,
            "numerador": numerator,
            "denominador": denominator,
            "es_recuento": self.is_count,
            "casos": self.cases,
            "intervalo": [round(interval.low, 6), round(interval.high, 6)] if interval else None,
            "umbral": f"{self.threshold.value:f}" if self.threshold is not None else None,
            "tipo": str(self.threshold.kind) if self.threshold is not None else None,
            "cumple": self.passes,
        }


@dataclass(frozen=True, slots=True)
class GroundingMetric:
    """One metric of the grounding over the samples.

    Attributes:
        figure: its mean over the measured samples, with its threshold.
        samples: how many there were.
        measured: how many of them were measured.
        unmeasured: ids of the open split that were not.
        reasons: code -> how often it was why.
        enough: enough were measured to say anything.
        withheld: the mean is not told, because it would be of some of the reserved samples only.
    """

    figure: JudgeMetric
    samples: int
    measured: int
    unmeasured: tuple[str, ...]
    reasons: Mapping[str, int]
    enough: bool
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class JudgePart:
    """A judge's part of a report.

    Attributes:
        name: kind and model (``ollama:qwen2.5:7b``), or ``ninguno``.
        destination: address of the server the texts went to; empty without a judge.
        local: that server is this machine.
        by_name: the judge was asked for by name; without a verdict of it there is none at all.
        informative: its thresholds are shown and do not bind.
        why_not: why there is no judge, or why it gave no verdict; empty otherwise.
        calibration: what is known of its agreement with the vets on this set.
        metrics: the figures over the counted cases; empty if it gave no verdict.
        failures: one line per threshold that is not met.
        withheld: metrics whose figure is not told, because it would tell of single reserved cases.
        judged: counted cases with a rubric.
        judgeable: counted cases with an output that could be judged.
        unjudged: ids of the open split without a rubric, pending ones included, by id.
        reserved_unjudged: how many such cases the reserved split has.
        reasons: code of the error -> how many cases stayed without a rubric because of it.
        addressed: ids of the open split whose output speaks to whoever scores it.
        reserved_addressed: how many such outputs the reserved split has.
        rubrics: case id of the open split -> rubric as the report has it.
        rubric: SHA-256 (hex) of the rubric as it is told to judges; empty without one.
        run: time and cost; differs from run to run, so it is no part of the canonical report.
    """

    name: str = NO_JUDGE
    destination: str = ""
    local: bool = True
    by_name: bool = False
    informative: bool = False
    why_not: str = ""
    calibration: CalibrationState = field(default_factory=CalibrationState)
    metrics: tuple[JudgeMetric, ...] = ()
    failures: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    judged: int = 0
    judgeable: int = 0
    unjudged: tuple[str, ...] = ()
    reserved_unjudged: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    addressed: tuple[str, ...] = ()
    reserved_addressed: int = 0
    rubrics: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    rubric: str = ""
    run: Mapping[str, Any] = field(default_factory=dict)

    @property
    def present(self) -> bool:
        """There was a judge, whether or not it gave a verdict."""
        return self.name != NO_JUDGE

    @property
    def withholds(self) -> bool:
        """Without this judge's verdict there is no verdict at all.

        So it is when it was asked for by name and is absent, or when there was something to judge and not
        one usable answer came; unless its figures are only wanted for information and nobody named it.
        """
        if self.by_name and not self.present:
            return True
        silent = self.present and self.judgeable > 0 and self.judged == 0
        return silent and (self.by_name or not self.informative)

    @property
    def binding_failures(self) -> tuple[str, ...]:
        """The failures that close the gate."""
        return () if self.informative else self.failures

    def to_dict(self) -> dict[str, Any]:
        """The part as the report has it under ``juez_detalle``."""
        return {
            "destino": self.destination,
            "en_este_equipo": self.local,
            "pedido_por_nombre": self.by_name,
            "informativo": self.informative,
            "motivo_ausencia": self.why_not or None,
            "rubrica": self.rubric or None,
            "calibrado": self.calibration.calibrated,
            "calibracion": self.calibration.sentence(),
            "calibracion_partes": self.calibration.to_dict(),
            "casos_juzgados": self.judged,
            "casos_juzgables": self.judgeable,
            "errores": dict(sorted(self.reasons.items())),
            "se_dirigen_al_juez": list(self.addressed),
            "se_dirigen_al_juez_reservados": self.reserved_addressed,
            "fallos": list(self.failures),
            "no_se_muestran": list(self.withheld),
        }

    def notes(self) -> list[str]:
        """What :meth:`lines` says beside the figures; for a form that has those in its table."""
        figures = {_line(metric) for metric in self.metrics}
        return [line.strip() for line in self.lines() if line not in figures]

    def lines(self) -> list[str]:
        """The part as text for a person; nothing when no judge was wanted."""
        if not self.present:
            return [messages.text("judges.none", reason=self.why_not)] if self.why_not else []
        where = "judges.title_local" if self.local else "judges.title_remote"
        said = [messages.text(where, name=self.name, address=self.destination)]
        said.append("  " + self.calibration.sentence())
        if self.informative:
            said.append("  " + messages.text("judges.informative"))
        said.append("  " + messages.text("judges.judged", judged=self.judged, judgeable=self.judgeable))
        said += [_line(metric) for metric in self.metrics]
        if self.withheld:
            said.append("  " + messages.text("judges.withheld"))
        if not self.metrics and self.why_not:
            said.append("  " + self.why_not)
        unjudged = len(self.unjudged) + self.reserved_unjudged
        if unjudged:
            said.append("  " + messages.text("judges.unjudged", n=unjudged) + _names(self.unjudged))
            said += [
                f"    {messages.text(f'judges.reason_{code}')}: {number}"
                for code, number in sorted(self.reasons.items())
            ]
        addressed = len(self.addressed) + self.reserved_addressed
        if addressed:
            said.append("  " + messages.text("judges.addressed", n=addressed) + _names(self.addressed))
        return said


def _names(ids: tuple[str, ...]) -> str:
    return f" {', '.join(map(plain, ids))}" if ids else ""


def _line(metric: JudgeMetric) -> str:
    name = f"{metric.metric:<29}"
    count = "" if metric.is_count or metric.exact is None else f"(n={metric.cases})"
    limit = ""
    if metric.threshold is not None:
        limit = messages.text(f"render.{metric.threshold.kind}", limit=metric.limit)
    word = ""
    if metric.passes is not None:
        word = messages.text("render.met" if metric.passes else "render.not_met")
    interval = metric.interval
    sure = f"[{interval.low:.2f}, {interval.high:.2f}]" if interval and not metric.is_count else ""
    return f"  {name}{metric.figure:>7}  {count:<8}{sure:<14}{limit:<13}{word}".rstrip()
