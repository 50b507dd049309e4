"""``docs/gate.md`` lists every recorded real output whose figures differ between the two sets of rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scoring.cases import load_cases
from scoring.clinical import RATES, load_predictions, score_case

ROOT = Path(__file__).resolve().parents[2]
REAL = ROOT / ".." / "shared" / "real"
RUNS = sorted((REAL / "preds").glob("*/preds_*.jsonl"))

pytestmark = pytest.mark.skipif(not RUNS, reason="the recorded real outputs are not here")


def listed() -> dict[tuple[str, str, str], str]:
    """(run, case, metric) -> the change as the document says it."""
    text = (
        (ROOT / "docs" / "gate.md").read_text(encoding="utf-8").partition("## Where the two sets of rules")[2]
    )
    found = {}
    for run, cases, metric, change in re.findall(
        r"^\| (2026\S+ \S+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|", text, re.MULTILINE
    ):
        for case_id in cases.split(", "):
            found[run, case_id.strip(), metric.strip()] = change.strip()
    return found


def test_every_row_that_differs_is_listed_with_its_figures_and_no_other() -> None:
    names = {"recall_diferenciales": "recall", "cobertura_hallazgos": "coverage"}
    found: dict[tuple[str, str, str], str] = {}
    file = load_cases(REAL / "casos.jsonl")
    cases = {row.case.id: row.case for row in file.rows}
    for path in RUNS:
        run = f"{path.parent.name} {path.stem.removeprefix('preds_')}"
        for case_id, output in load_predictions(path, set(cases)).by_id.items():
            old, new = (score_case(cases[case_id], output, rules=rules) for rules in ("1", "2"))
            for metric in RATES:
                if old.rate(metric) != new.rate(metric):
                    change = f"{round(old.rate(metric), 2):g} → {round(new.rate(metric), 2):g}"
                    found[run, case_id, names.get(metric, metric)] = change
            if new.derivacion_omitida:
                found[run, case_id, "missed referrals"] = "- → 1 each"
            assert new.violacion_seguridad == old.violacion_seguridad
    assert found == listed()
