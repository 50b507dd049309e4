"""A stored report of ``run-ragas``, as far as a dashboard shows it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from scoring.clinical.judged import GroundingMetric
from scoring.reports.fields import FieldError, count, counts, judge_metric, of_type, texts, when

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class StoredGrounding:
    """A report of the grounding.

    Attributes:
        path: the file.
        at: its own time of writing; None where it does not say.
        split: which cases.
        judge: the model that measured, or ``ninguno``.
        predictions_digest: of the outputs it looked at.
        verdict: as the report names it.
        why_not: why there is no verdict, in the report's words.
        counted, samples, no_passages, no_output: of the cases.
        marks, dangling, statements, unmarked: of the citations.
        metrics: the figures; empty unless the split is ``dev``.
    """

    path: Path
    at: datetime | None
    split: str
    judge: str
    predictions_digest: str
    verdict: str
    why_not: str
    counted: int
    samples: int
    no_passages: int
    no_output: int
    marks: int
    dangling: int
    statements: int
    unmarked: int
    metrics: tuple[GroundingMetric, ...]


def read_grounding(path: Path, data: Mapping[str, Any]) -> StoredGrounding:
    """The report of the grounding in ``data``.

    Raises:
        FieldError: a field that is used is missing or of another kind.
    """
    split = of_type(data, "split", str)
    cited = of_type(data, "citas", dict)
    rows = of_type(data, "metricas", list)
    if not all(isinstance(row, dict) for row in rows):
        raise FieldError("metricas")
    return StoredGrounding(
        path,
        when(data),
        split,
        of_type(data, "juez", str),
        str(data.get("digest_predicciones", "")),
        of_type(data, "veredicto", str),
        str(data.get("motivo") or ""),
        count(data, "casos_cuentan"),
        count(data, "muestras"),
        count(data, "sin_fragmentos"),
        count(data, "sin_salida"),
        count(cited, "marcas"),
        count(cited, "citas_sin_fragmento"),
        count(cited, "afirmaciones"),
        count(cited, "afirmaciones_sin_marca"),
        tuple(_metric(row) for row in rows) if split == "dev" else (),
    )


def _metric(row: Mapping[str, Any]) -> GroundingMetric:
    figure, enough = judge_metric(row, "medidas"), of_type(row, "suficientes", bool)
    return GroundingMetric(
        figure if enough else replace(figure, passes=None),  # however good, it says nothing
        count(row, "muestras"),
        count(row, "medidas"),
        texts(row, "no_medidas"),
        counts(row, "motivos"),
        enough,
    )
