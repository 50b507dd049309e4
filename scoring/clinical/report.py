"""What one run of the gate found, as a value and as JSON.

The JSON is canonical: same input, same bytes. The time of writing is a last field of its own. Cases of
the reserved split appear in figures only: no row, no id, whichever split was asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scoring import __version__, messages
from scoring.clinical.advice import weight_of
from scoring.clinical.judged import JudgePart
from scoring.clinical.pieces import OneByOne, json_pieces, whole
from scoring.clinical.score import PRECISION
from scoring.clinical.slices import ends
from scoring.plain import plain
from scoring.record import Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from scoring.cases import CaseFile
    from scoring.clinical.advice import Advice
    from scoring.clinical.comparison import Comparison
    from scoring.clinical.gate import MetricResult, Threshold, Verdict
    from scoring.clinical.rows import Row
    from scoring.clinical.slices import Slice
    from scoring.record import CaseState

SCHEMA_VERSION = 2
"""Of the report's JSON; the schema of each version is shipped in ``scoring/schemas``."""

RESERVED_SPLIT = "test"
SPLIT_CHOICES = ("dev", "test", "todos")
NO_JUDGE_PART = JudgePart()


def nameable_ids(file: CaseFile) -> tuple[str, ...]:
    """Ids that an output of the gate may name: those outside the reserved split, in file order."""
    return tuple(place.case_id for place in file.places if place.split != RESERVED_SPLIT)


def set_aside(state: CaseState) -> bool:
    """A case that somebody signed, or claims to have signed, and that does not count all the same."""
    return not state.counts and (
        state.status in {Status.FIRMADO, Status.CADUCADO, Status.DESCUADRADO, Status.DESACUERDO}
        or state.reason in {"record.signed_by_nobody", "second.one_of_two_signed"}
    )


@dataclass(frozen=True, slots=True)
class GateReport:
    """The result of a run.

    Attributes:
        split: ``dev``, ``test`` or ``todos`` (both).
        rules: name of the scoring rules.
        language_method: how language was decided (``caracteres``, ``palabras``, ``lingua``).
        rules_digest: SHA-256 (hex) of the tables the rules read.
        include_pending: unsigned cases counted too.
        generator: where the outputs come from.
        simulated: the outputs were made up to try the pipeline; nothing real was scored.
        synthetic: the data set says its data were invented.
        thresholds: what was asked for, in order.
        total: cases of the split.
        counted: cases that counted.
        aggregate: metric -> result over the counted cases, in report order.
        failures: one line per threshold that is not met.
        verdict: what the gate says.
        reason: stable name of why, or None for a pass.
        rows: the cases of the open split, by id; so are all lists of cases.
        pending: ids of the open split that did not count.
        reserved_pending: how many of the reserved split did not count.
        aside: the states of those among ``pending`` whose signature is not valid (any more).
        reserved_aside: how many such cases the reserved split has.
        missing: ids of the open split that counted without a prediction.
        reserved_missing: how many such cases the reserved split has.
        breaks: sentences on what is broken in the record, or in the data against it.
        cases_digest: SHA-256 (hex) of the content of all cases of the data set, signatures left out.
        predictions_digest: SHA-256 (hex) of the outputs.
        judge: what a judge found; by default there was none.
        min_cases: with fewer counted cases there is no verdict.
        advice: what a reader of the figures should know.
        undecided: counted cases of the open split whose language cannot be told.
        slices: the figures of parts of the open split.
        counted_digest: SHA-256 (hex) of the ids that counted.
        shows_reserved: the rows of the reserved split are among ``rows``.
        comparison: an earlier run beside this one, or None.
        reserved_counted: how many cases of the reserved split count, where their figures are withheld.
    """

    split: str
    rules: str
    language_method: str
    rules_digest: str
    include_pending: bool
    generator: str
    simulated: bool
    synthetic: bool
    thresholds: tuple[Threshold, ...]
    total: int
    counted: int
    aggregate: Mapping[str, MetricResult]
    failures: tuple[str, ...]
    verdict: Verdict
    reason: str | None
    rows: Sequence[Row] = field(repr=False)
    pending: tuple[str, ...]
    reserved_pending: int
    aside: Sequence[CaseState]
    reserved_aside: int
    missing: tuple[str, ...]
    reserved_missing: int
    breaks: tuple[str, ...]
    cases_digest: str
    predictions_digest: str
    judge: JudgePart = NO_JUDGE_PART
    min_cases: int = 1
    advice: tuple[Advice, ...] = ()
    undecided: tuple[str, ...] = ()
    slices: tuple[Slice, ...] = field(default=(), repr=False)
    counted_digest: str = ""
    shows_reserved: bool = False
    comparison: Comparison | None = None
    reserved_counted: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The canonical part of the report, in the order of its keys."""
        return whole(self._content())

    def _content(self) -> dict[str, Any]:
        """What :meth:`to_dict` gives, but lists of whole cases are made while somebody goes through them."""
        labels = {"etiqueta": messages.text("clinical.demo_label")} if self.synthetic else {}
        if self.simulated:
            labels["aviso"] = messages.text("clinical.simulated_banner")
        return {
            "version_esquema": SCHEMA_VERSION,
            "version_herramienta": __version__,
            **labels,
            "split": self.split,
            "reglas": self.rules,
            "idioma_por": self.language_method,
            "digest_reglas": self.rules_digest,
            "generador": plain(self.generator),
            "simulado": self.simulated,
            "juez": plain(self.judge.name),
            "digest_casos": self.cases_digest,
            "digest_predicciones": self.predictions_digest,
            "digest_cuentan": self.counted_digest,
            "incluye_pendientes": self.include_pending,
            "detalle_test": self.shows_reserved,
            "minimo_casos": self.min_cases,
            "umbrales": {
                limit.metric: {"tipo": str(limit.kind), "valor": f"{limit.value:f}"}
                for limit in (*self.thresholds, *(m.threshold for m in self.judge.metrics if m.threshold))
            },
            "casos_total": self.total,
            "casos_cuentan": self.counted,
            "veredicto": str(self.verdict),
            "motivo": self.reason,
            "codigo_salida": int(self.verdict.exit_code),
            "agregado": {
                **{metric: result.value for metric, result in self.aggregate.items()},
                **{metric.metric: metric.value for metric in self.judge.metrics},
            },
            "metricas": [
                *(_metric(result) for result in self.aggregate.values()),
                *(metric.to_dict() for metric in self.judge.metrics),
            ],
            "fallos": list(self.failures),
            "pendientes": list(self.pending),
            "pendientes_reservados": self.reserved_pending,
            "firmas_no_validas": OneByOne(self.aside, _aside),
            "firmas_no_validas_reservadas": self.reserved_aside,
            "sin_prediccion": list(self.missing),
            "sin_prediccion_reservados": self.reserved_missing,
            "idioma_indeterminado": list(self.undecided),
            "avisos": [one.to_dict() for one in self.advice],
            "comparacion": None if self.comparison is None else self.comparison.to_dict(),
            "tramos": [one.to_dict() for one in self.slices],
            "registro_roto": list(self.breaks),
            "juez_detalle": self.judge.to_dict(),
            "no_juzgados": list(self.judge.unjudged),
            "no_juzgados_reservados": self.judge.reserved_unjudged,
            "casos": OneByOne(self.rows, self._row),
        }

    def _row(self, row: Row) -> dict[str, Any]:
        return {**row.to_dict(), "rubrica": self.judge.rubrics.get(row.case_id)}

    def to_json(self, *, generated: datetime | None = None) -> bytes:
        """The report as UTF-8 JSON with a final line feed.

        Args:
            generated: the time of writing, added as the last field ``generado``, after the time and
                cost of a judge; without it the bytes are the canonical part alone.
        """
        return "".join(self.json_pieces(generated=generated)).encode()

    def json_pieces(self, *, generated: datetime | None = None) -> Iterator[str]:
        """The text of :meth:`to_json`, piece by piece."""
        content = self._content()
        if generated is not None:
            if self.judge.run:
                content["juez_ejecucion"] = dict(self.judge.run)
            content["generado"] = generated.isoformat(timespec="seconds")
        yield from json_pieces(content)
        yield "\n"


def _aside(state: CaseState) -> dict[str, Any]:
    return {
        "id": state.case_id,
        "estado_firma": str(state.status),
        "motivo": state.reason.rpartition(".")[2],
        "texto": state.sentence(),
    }


def _metric(result: MetricResult) -> dict[str, Any]:
    known = result.value is not None
    return {
        "metrica": result.metric,
        "valor": result.value,
        "numerador": result.numerator if known else None,
        "denominador": result.denominator if known else None,
        "es_recuento": result.is_count,
        "casos": result.cases,
        # One case lists as many findings as it likes, so that it has no weight of its own in the precision.
        "peso_caso": None if result.metric == PRECISION else weight_of(result.cases),
        "intervalo": ends(result),
        "umbral": f"{result.threshold.value:f}" if result.threshold is not None else None,
        "tipo": str(result.threshold.kind) if result.threshold is not None else None,
        "cumple": result.passes,
    }
