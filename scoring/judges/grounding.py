"""The grounding report: citations, the three metrics with what could not be measured, and the verdict.

A metric that could not be measured is neither a zero nor a pass. With too few samples measured, however
good they are, there is no verdict: the library's own average would pass over the gaps in silence.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from scoring import __version__, messages
from scoring.clinical.gate import failures, read_thresholds
from scoring.clinical.judged import GroundingMetric, JudgeMetric
from scoring.errors import ExitCode
from scoring.judges.ragas_lib import METRICS
from scoring.judges.settings import number
from scoring.plain import plain
from scoring.tables import THRESHOLDS, thresholds_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from scoring.clinical.gate import Threshold
    from scoring.judges.citations import CitationCheck, CitationTally
    from scoring.judges.ragas_lib import Measured

SCHEMA_VERSION = 1
DANGLING = "citas_sin_fragmento"
KNOWN = (*METRICS, DANGLING)
_DANGLING_SHOWN = 8


class Grounding(StrEnum):
    """What the grounding layer says."""

    PASSES = "pasa"
    FAILS = "falla"
    NOT_MEASURED = "sin_medir"
    NOTHING = "nada_que_medir"
    CITATIONS_ONLY = "solo_citas"


@dataclass(frozen=True, slots=True)
class Limits:
    """What the figures are held against.

    Attributes:
        thresholds: of the metrics and of the citations.
        fewest: samples below which a metric gives no verdict.
        share: share of the samples that has to be measured.
    """

    thresholds: tuple[Threshold, ...]
    fewest: int
    share: Decimal


def read_grounding_limits(data: Mapping[str, Any] | None = None) -> Limits:
    """The limits of a table of thresholds; None takes the shipped one.

    Raises:
        ProductError: the table holds no usable value.
    """
    table = (thresholds_table(None) if data is None else data)["ragas"]
    return Limits(
        thresholds=read_thresholds(table["umbrales"], KNOWN),
        fewest=int(number("minimo_medidos", table["minimo_medidos"], source=f"{THRESHOLDS}: ragas")),
        share=number("fraccion_medida", table["fraccion_medida"], source=f"{THRESHOLDS}: ragas"),
    )


@dataclass(frozen=True, slots=True)
class GroundingReport:
    """The result of a run.

    Attributes:
        split: which cases.
        judge: name of the model that scored, or ``ninguno``.
        destination: where the texts went.
        local: that is this machine.
        gate: failures close the gate.
        counted: cases of the split that count.
        samples: counted cases with an output and passages.
        no_passages: counted cases with an output and no passage.
        no_output: counted cases without an output.
        pending: cases of the split that do not count.
        citations: the deterministic check, added up.
        checks: case id of the open split -> its check.
        metrics: the metrics; empty when they were not asked for or there is no model.
        dangling: the citations that point nowhere, with their threshold.
        failures: one line per threshold that is not met.
        verdict: what the layer says.
        why_not: why there is no verdict, in words; empty otherwise.
        rows: case id of the open split -> metric -> figure or None.
        digests: of cases, outputs and passages.
        run: time; no part of the canonical report.
    """

    split: str
    judge: str
    destination: str
    local: bool
    gate: bool
    counted: int
    samples: int
    no_passages: int
    no_output: int
    pending: int
    citations: CitationTally
    checks: Mapping[str, CitationCheck]
    metrics: tuple[GroundingMetric, ...]
    dangling: JudgeMetric
    failures: tuple[str, ...]
    verdict: Grounding
    why_not: str
    rows: Mapping[str, Mapping[str, float | None]]
    digests: Mapping[str, str]
    run: Mapping[str, Any] = field(default_factory=dict)

    @property
    def exit_code(self) -> ExitCode:
        """What the command ends with; failures count only with ``--puerta``, a missing verdict always."""
        if self.verdict is Grounding.NOT_MEASURED:
            return ExitCode.NO_VERDICT
        if self.verdict is Grounding.NOTHING:
            return ExitCode.NOTHING_TO_JUDGE
        return ExitCode.GATE_FAILED if self.failures and self.gate else ExitCode.OK

    def to_dict(self) -> dict[str, Any]:
        """The canonical part of the report."""
        return {
            "version_esquema": SCHEMA_VERSION,
            "tipo": "anclaje",
            "version_herramienta": __version__,
            "split": self.split,
            "juez": plain(self.judge),
            "destino": self.destination,
            "en_este_equipo": self.local,
            "puerta": self.gate,
            **dict(self.digests),
            "casos_cuentan": self.counted,
            "muestras": self.samples,
            "sin_fragmentos": self.no_passages,
            "sin_salida": self.no_output,
            "pendientes": self.pending,
            "veredicto": str(self.verdict),
            "motivo": self.why_not or None,
            "codigo_salida": int(self.exit_code),
            "fallos": list(self.failures),
            "citas": self.citations.to_dict(),
            "metricas": [
                {
                    **result.figure.to_dict(),
                    "muestras": result.samples,
                    "medidas": result.measured,
                    "no_medidas": list(result.unmeasured),
                    "motivos": dict(sorted(result.reasons.items())),
                    "suficientes": result.enough,
                }
                for result in self.metrics
            ],
            "casos": [
                {
                    "id": case_id,
                    "marcas": check.marks,
                    "citas_sin_fragmento": list(check.dangling),
                    "afirmaciones": check.statements,
                    "afirmaciones_sin_marca": len(check.unmarked),
                    "fragmentos": check.passages,
                    "fragmentos_sin_citar": list(check.uncited),
                    "metricas": dict(self.rows.get(case_id, {})),
                }
                for case_id, check in self.checks.items()
            ],
        }

    def to_json(self, *, generated: datetime) -> bytes:
        """The report as UTF-8 JSON; time taken and time of writing are its last fields."""
        content = {**self.to_dict(), "ejecucion": dict(self.run)}
        content["generado"] = generated.isoformat(timespec="seconds")
        return (json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()

    def lines(self) -> list[str]:
        """The report as text for a person, the verdict last."""
        said = [
            messages.text(
                "ragas.title",
                split=self.split,
                samples=self.samples,
                counted=self.counted,
                pending=self.pending,
            )
        ]
        if self.no_passages or self.no_output:
            said.append("  " + messages.text("ragas.left_out", a=self.no_passages, b=self.no_output))
        said += ["", *self._citation_lines()]
        if self.metrics:
            said += ["", messages.text("ragas.metrics", judge=plain(self.judge))]
            for result in self.metrics:
                said += _metric_lines(result)
        said += ["", self._verdict_line()]
        return said

    def _citation_lines(self) -> list[str]:
        tally = self.citations
        said = [
            messages.text("ragas.citations"),
            "  "
            + messages.text(
                "ragas.marks",
                marks=tally.marks,
                dangling=tally.dangling_marks,
                cases=tally.cases_with_dangling,
            ),
            "  " + messages.text("ragas.statements", n=tally.statements, unmarked=tally.unmarked),
            "  " + messages.text("ragas.uncited", n=tally.passages, uncited=tally.uncited),
        ]
        dangling = [(i, check.dangling) for i, check in self.checks.items() if check.dangling]
        for case_id, numbers in dangling[:_DANGLING_SHOWN]:
            shown = ", ".join(f"[{number}]" for number in numbers[:_DANGLING_SHOWN])
            said.append("    " + messages.text("ragas.dangling", id=case_id, numbers=shown))
        if len(dangling) > _DANGLING_SHOWN:
            said.append("    " + messages.text("ragas.more", n=len(dangling) - _DANGLING_SHOWN))
        return said

    def _verdict_line(self) -> str:
        if self.verdict in {Grounding.NOT_MEASURED, Grounding.NOTHING}:
            return messages.text(f"ragas.verdict_{self.verdict}", why=self.why_not)
        key = str(self.verdict)
        if self.failures:
            key += "_puerta" if self.gate else "_informa"
        return messages.text(f"ragas.verdict_{key}", failures="; ".join(self.failures))


def _metric_lines(result: GroundingMetric) -> list[str]:
    figure = result.figure
    limit = messages.text(f"render.{figure.threshold.kind}", limit=figure.limit) if figure.threshold else ""
    word = ""
    if figure.passes is not None:
        word = messages.text("render.met" if figure.passes else "render.not_met")
    counted = messages.text("ragas.measured", measured=result.measured, samples=result.samples)
    said = [f"  {figure.metric:<41}{figure.figure:>7}  {counted:<24}{limit:<13}{word}".rstrip()]
    if result.measured < result.samples:
        why = ", ".join(
            f"{messages.text(f'ragas.reason_{code}')}: {n}" for code, n in sorted(result.reasons.items())
        )
        said.append("    " + messages.text("ragas.not_measured", n=result.samples - result.measured, why=why))
    return said


def metric_results(
    measured: Sequence[Measured], limits: Limits, *, reserved: frozenset[str]
) -> tuple[GroundingMetric, ...]:
    """Each metric over its samples; the mean is the exact one of the measured figures.

    Args:
        measured: the figures.
        limits: what they are held against.
        reserved: ids of the reserved split; a metric that lacks one of them is given no mean.
    """
    by_name = {limit.metric: limit for limit in limits.thresholds}
    results: list[GroundingMetric] = []
    for metric in METRICS:
        mine = [one for one in measured if one.metric == metric]
        values = [Fraction(Decimal(repr(one.value))) for one in mine if one.value is not None]
        exact = sum(values, Fraction(0)) / len(values) if values else None
        # Beside the mean of a whole run, that of a part of the reserved samples would tell of the others.
        withheld = any(one.value is None and one.case_id in reserved for one in mine)
        if withheld:
            exact = None
        enough = (
            not withheld
            and len(values) >= limits.fewest
            and len(values) >= Fraction(limits.share) * len(mine)
        )
        limit = by_name.get(metric)
        passes = None if limit is None or exact is None or not enough else limit.met_by(exact)
        results.append(
            GroundingMetric(
                figure=JudgeMetric(
                    metric, exact, len(values), is_count=False, threshold=limit, passes=passes
                ),
                samples=len(mine),
                measured=len(values),
                unmeasured=tuple(
                    sorted(o.case_id for o in mine if o.value is None and o.case_id not in reserved)
                ),
                reasons=dict(Counter(one.reason for one in mine if one.value is None)),
                enough=enough,
                withheld=withheld,
            )
        )
    return tuple(results)


def dangling_metric(tally: CitationTally, limits: Limits) -> JudgeMetric:
    """The citations that point nowhere, held against their threshold."""
    limit = next((limit for limit in limits.thresholds if limit.metric == DANGLING), None)
    exact = Fraction(tally.dangling_marks)
    passes = None if limit is None else limit.met_by(exact)
    return JudgeMetric(DANGLING, exact, tally.marks, is_count=True, threshold=limit, passes=passes)


def failures_of(
    metrics: Sequence[GroundingMetric], dangling: JudgeMetric, thresholds: Sequence[Threshold]
) -> tuple[str, ...]:
    """One line per threshold that is not met."""
    by_name = {result.figure.metric: result.figure for result in metrics} | {DANGLING: dangling}
    return failures(by_name, thresholds)
