"""The tables of ``casos/``: found, typed, and holding the figures they should."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scoring import tables

REAL = Path(__file__).resolve().parents[1] / ".." / "shared" / "real"


def test_table_reads_json_once() -> None:
    assert tables.table("valores_referencia.json") is tables.table("valores_referencia.json")


def test_unknown_table_names_the_nearest_one() -> None:
    with pytest.raises(LookupError, match=r"ajustes_clinicos\.json"):
        tables.table("ajuste_clinico.json")


@pytest.mark.parametrize("name", ["../pyproject.toml", "__init__.py", "casos.jsonl", "", "."])
def test_only_tables_of_the_folder_are_read(name: str) -> None:
    with pytest.raises(LookupError):
        tables.table(name)


def test_ninety_analytes_in_both_species_in_one_order() -> None:
    assert tables.SPECIES == ("canino", "felino")
    assert len(tables.ANALYTE_KEYS) == len(set(tables.ANALYTE_KEYS)) == 90
    for species in tables.SPECIES:
        assert tuple(tables.analytes(species)) == tables.ANALYTE_KEYS


def test_every_range_has_a_width_and_a_name() -> None:
    for species in tables.SPECIES:
        for analyte in tables.analytes(species).values():
            assert analyte.low < analyte.high, analyte
            assert analyte.name.strip(), analyte


def test_names_that_differ_by_species() -> None:
    assert tables.analytes("canino")["pli"].name == "Lipasa pancreática (cPLI)"
    assert tables.analytes("felino")["pli"].name == "Lipasa pancreática (fPLI)"
    assert tables.analytes("canino")["tsh"].name == "TSH (cTSH)"
    assert tables.analytes("felino")["tsh"].name == "TSH"


def test_a_few_limits_by_hand() -> None:
    dog, cat = tables.analytes("canino"), tables.analytes("felino")
    assert (dog["hct"].low, dog["hct"].high, dog["hct"].unit) == (37.0, 55.0, "%")
    assert (cat["creat"].low, cat["creat"].high, cat["creat"].unit) == (0.9, 2.1, "mg/dL")
    assert (dog["usg"].low, dog["usg"].high, dog["usg"].unit) == (1.013, 1.1, "")
    assert (cat["nt_probnp"].low, cat["nt_probnp"].high) == (0.0, 100.0)


def test_only_base_excess_and_anion_gap_may_be_negative() -> None:
    assert [a.key for a in tables.analytes("canino").values() if a.may_be_negative] == [
        "exceso_base",
        "anion_gap",
    ]


def test_views_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        tables.analytes("canino")["hct"] = None  # type: ignore[index]


@pytest.mark.parametrize("species", ["Canino", "equino", ""])
def test_unknown_species_is_refused(species: str) -> None:
    with pytest.raises(LookupError, match="canino, felino"):
        tables.analytes(species)


@pytest.mark.skipif(not REAL.is_dir(), reason="the shared real data are not at hand")
def test_ranges_equal_the_reference_data() -> None:
    real: dict[str, dict[str, Any]] = json.loads(
        (REAL / "valores_referencia.json").read_text(encoding="utf-8")
    )
    for species, rows in real.items():
        ours = tables.analytes(species)
        assert list(ours) == list(rows)
        for key, row in rows.items():
            assert (ours[key].low, ours[key].high) == (row["inferior"], row["superior"]), key
            assert (ours[key].name, ours[key].unit) == (row["nombre"], row["unidad"]), key
