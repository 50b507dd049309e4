"""The engine against recorded answers for real cases and hand-picked edges; skipped without those files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.engine import analyse
from scoring.engine.rules import rules
from scoring.tables import ANALYTE_KEYS

REAL = Path(__file__).resolve().parents[2] / ".." / "shared" / "real"

pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason="the shared real data are not at hand")


def rows(name: str) -> list[dict[str, Any]]:
    path = REAL / name
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def recorded() -> list[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]]:
    cases = {case["id"]: case for case in rows("casos.jsonl")}
    own = [
        (row["id"], cases[row["id"]]["valores"], cases[row["id"]]["paciente"], row)
        for row in rows("engine_casos.jsonl")
    ]
    return own + [(row["id"], row["valores"], row["paciente"], row) for row in rows("engine_edges.jsonl")]


RECORDED = recorded()


def test_all_of_them_are_here() -> None:
    assert len(RECORDED) == 203


@pytest.mark.parametrize(
    ("valores", "paciente", "row"), [r[1:] for r in RECORDED], ids=[r[0] for r in RECORDED]
)
def test_the_recorded_answer(valores: dict[str, Any], paciente: dict[str, Any], row: dict[str, Any]) -> None:
    found = analyse(valores, paciente).to_dict()
    for ours, theirs in zip(found["hallazgos"], row["hallazgos"], strict=True):
        assert {key: ours[key] for key in theirs} == theirs
    for ours, theirs in zip(found["patrones"], row["patrones"], strict=True):
        assert {key: ours[key] for key in theirs} == theirs


def test_pattern_names() -> None:
    names: dict[str, str] = json.loads((REAL / "patrones_nombres.json").read_text(encoding="utf-8"))
    ours = {rule.key: rule.name for rule in rules()}
    assert {key: ours[key] for key in names} == names
    assert {key for key in ours if key not in names} == {
        "acidosis_respiratoria+acidosis_metabolica",
        "alcalosis_respiratoria+alcalosis_metabolica",
    }


def test_adjustment_figures() -> None:
    theirs: dict[str, Any] = json.loads((REAL / "ajustes_clinicos.json").read_text(encoding="utf-8"))
    from scoring.engine.iris import iris_cuts
    from scoring.engine.ranges import Adjustment, age_table, breed_groups
    from scoring.engine.severity import Cuts, explicit_cuts

    def adjustments(rows: tuple[Adjustment, ...]) -> dict[str, dict[str, float]]:
        return {
            a.analyte: {k: v for k, v in (("inferior", a.low), ("superior", a.high)) if v is not None}
            for a in rows
        }

    for species in ("canino", "felino"):
        categories = age_table(species).categories
        assert {c.name: adjustments(c.adjustments) for c in categories} == theirs["ajustes_edad"][species]
        limits = {c.name: c.below_months for c in categories if c.below_months is not None}
        assert limits == theirs["limites_edad_meses"][species]
        assert [
            {"razas": list(g.words), "ajustes": adjustments(g.adjustments)} for g in breed_groups(species)
        ] == theirs["ajustes_raza"][species]
        cuts = iris_cuts(species)
        assert list(cuts.creatinine) == theirs["iris"]["cortes_creatinina"][species]
        assert list(cuts.sdma) == theirs["iris"]["cortes_sdma"][species]
        assert list(cuts.upc) == theirs["iris"]["cortes_upc"][species]
    expected = {
        (key, species, side): Cuts(own["leve_hasta"], own["moderado_hasta"])
        for side, name in (("bajo", "cortes_gravedad_bajo"), ("alto", "cortes_gravedad_alto"))
        for key, by_species in theirs[name].items()
        for species, own in by_species.items()
    }
    assert explicit_cuts() == expected
    assert {key for key, _, _ in expected} <= set(ANALYTE_KEYS)
