"""Recorded scores of real model outputs, where the folder with them is at hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.cases import load_cases
from scoring.clinical import RATES, VIOLATIONS, GateReport, LiveGate, load_predictions, score_case

REAL = Path(__file__).resolve().parents[2] / ".." / "shared" / "real"
RUNS = sorted((REAL / "preds").glob("*/preds_*.jsonl"))

METRICS = (*RATES, VIOLATIONS)

pytestmark = pytest.mark.skipif(not RUNS, reason="the recorded real outputs are not here")


def recorded(path: Path) -> dict[str, Any]:
    name = path.name.replace("preds_", "esperado_").replace(".jsonl", ".json")
    found: dict[str, Any] = json.loads(path.with_name(name).read_text(encoding="utf-8"))
    return found


def figures(report: GateReport) -> dict[str, float | None]:
    return {metric: report.aggregate[metric].value for metric in METRICS}


@pytest.mark.parametrize("path", RUNS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_row_aggregate_and_failure_is_the_recorded_one(path: Path) -> None:
    expected = recorded(path)
    file = load_cases(REAL / "casos.jsonl")
    predictions = load_predictions(path, {row.case.id for row in file.rows})
    rows = {row["id"]: row for row in expected["dataset_completo_43_firmados"]["casos"]}
    for row in file.rows:
        scored = score_case(row.case, predictions.by_id.get(row.case.id, {}), rules="1")
        for metric in (*RATES, "cobertura_por_texto", "violacion_seguridad"):
            assert getattr(scored, metric) == rows[row.case.id][metric], (row.case.id, metric)

    live = LiveGate(file, predictions, rules="1")
    gates = expected["dataset_semilla_17_firmados"]
    for name, everything in (("puerta", False), ("puerta_incluyendo_pendientes", True)):
        for split, gate in gates[name].items():
            report = live.report(split, include_pending=everything)
            assert (report.total, report.counted) == (gate["casos"], gate["cuentan"])
            assert figures(report) == pytest.approx(gate["agregado"], abs=1e-9)
            assert list(report.failures) == gate["fallos"]
            shown = {row.case_id for row in report.rows}
            assert shown <= {case_id for case_id, row in rows.items() if row["split"] == "dev"}

    for case_id in rows:
        live.set_counted(case_id, True)
    for split, gate in expected["dataset_completo_43_firmados"]["puerta"].items():
        report = live.report(split)
        assert figures(report) == pytest.approx(gate["agregado"], abs=1e-9)
        assert list(report.failures) == gate["fallos"]
