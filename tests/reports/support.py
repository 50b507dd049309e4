"""Reports of real runs over a small invented set, stored in a folder."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from scoring.clinical import evaluate
from tests.clinical.samples import case, good_output, pending

if TYPE_CHECKING:
    from pathlib import Path

    from scoring.clinical import GateReport

CASES = (case("a"), case("b"), case("c", split="test"), pending("d"))
BAD = {"a": good_output(interpretacion="Nada que decir.", hallazgos_clave=[], diferenciales=[])}


def report(outputs: dict[str, Any] | None = None, **options: Any) -> GateReport:
    """The gate over :data:`CASES`; every output is good unless ``outputs`` says otherwise."""
    given = {name: good_output() for name in "abcd"} | (outputs or {})
    return evaluate(CASES, given, **({"min_cases": 1} | options))


def store(
    folder: Path, name: str, content: GateReport | dict[str, Any] | str, day: int | None = None
) -> Path:
    """Write a report into ``folder``; ``day`` is that of its own time of writing."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    if isinstance(content, str):
        path.write_text(content, encoding="utf-8")
    elif isinstance(content, dict):
        path.write_text(json.dumps(content), encoding="utf-8")
    else:
        at = datetime(2026, 8, day, 10, tzinfo=UTC) if day is not None else None
        path.write_bytes(content.to_json(generated=at))
    return path


GROUNDING: dict[str, Any] = {
    "version_esquema": 1,
    "tipo": "anclaje",
    "split": "dev",
    "juez": "ollama:qwen2.5:7b",
    "digest_predicciones": "x",
    "casos_cuentan": 12,
    "muestras": 10,
    "sin_fragmentos": 2,
    "sin_salida": 0,
    "veredicto": "sin_medir",
    "motivo": "Pocos.",
    "citas": {
        "marcas": 31,
        "citas_sin_fragmento": 2,
        "afirmaciones": 80,
        "afirmaciones_sin_marca": 20,
    },
    "metricas": [
        {
            "metrica": "faithfulness",
            "valor": 0.9,
            "numerador": 9,
            "denominador": 10,
            "es_recuento": False,
            "umbral": "0.70",
            "tipo": "suelo",
            "muestras": 10,
            "medidas": 4,
            "no_medidas": ["firmado-uno", "firmado-test"],
            "motivos": {"nan": 6},
            "suficientes": False,
        }
    ],
    "generado": "2026-08-04T12:00:00+00:00",
}
