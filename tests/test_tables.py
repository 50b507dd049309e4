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


# Analyte; lower and upper limit of the dog; of the cat. A change in the table is seen as a change.
LIMITS = """
rbc 5.5 8.5 5.0 11.0
hgb 12 18 8 15
hct 37 55 24 45
vcm 60.0 72.0 39.0 50.0
hcm 22.4 26.2 12.5 17.5
chcm 34.0 38.0 33.0 37.0
rdw 12.9 19.4 14.0 18.0
reti 0 1.5 0 0.4
reti_abs 0.0 60.0 0.0 60.0
nrbc 0 0.5 0 0.5
wbc 6 17 5.5 19.5
neutro 60 77 35 75
linfo 12 30 20 55
mono 3 10 1 4
eosino 2 10 2 12
baso 0 1 0 1
neutro_abs 3.0 11.5 2.5 12.5
linfo_abs 1.0 4.8 1.5 7.0
mono_abs 0.1 1.3 0.0 0.8
eosino_abs 0.1 1.2 0 1.5
baso_abs 0 0.1 0 0.1
plt 200 500 200.0 500.0
mpv 6.7 11.1 12 17
pct 0.14 0.46 0.14 0.44
alt 10.0 120.0 10 100
ast 16.0 40.0 10 50
fal 35.0 280.0 10 90
ggt 0.0 6.0 0 4
amylasa 200.0 1200.0 500 1500
ldh 50 420 50 300
bili 0.0 0.4 0 0.4
bili_dir 0 0.1 0 0.1
acidos_bil 0 5 0 5
bun 7.0 28.0 17.0 32.0
creat 0.9 1.7 0.9 2.1
sdma 0 18 0 18
gluc 65.0 122.0 67.0 124.0
prot 6.0 8.0 6.0 8.0
alb 2.7 4.5 2.3 3.9
glob 2.0 3.8 2.9 4.4
fosf 2.8 6.1 3.3 7.8
calc 9.0 11.2 8.5 11.0
magnesio 1.6 2.2 1.9 2.7
hierro 60 200 60 175
ac_urico 0 1.0 0 1.0
fruc 225 365 225 350
sodio 145.0 158.0 144 160
potasio 4.1 5.5 3.7 5.4
cloro 106.0 127.0 112.0 129.0
tco2 14.0 27.0 14.0 24.0
colest 131.0 320.0 75 220
trigli 20 150 25 160
lipasa 12.0 147.0 3.0 125.0
pli 0 200 0 3.5
ck 43.0 234.0 0 314
usg 1.013 1.1 1.013 1.1
ph 5.5 7.5 5.5 7.5
rbc_uri 0 5 0 5
wbc_uri 0 5 0 5
upc 0 0.2 0 0.2
pt 7.0 10.0 8.0 13.0
aptt 10.0 15.0 12.0 18.0
act 60 90 50 75
fibrinogeno 150 400 100 300
ddimeros 0 250 0 250
fdp 0 10 0 10
antitrombina 75 120 75 120
vwf 70 180 70 180
cortisol_bas 1.0 6.0 0.5 4.0
cortisol_acth 6.0 18.0 3.5 12.0
t4_total 19 58 19 52
t4_libre 9 37 10 40
tsh 0.01 0.6 0.01 0.3
insulina 5 20 5 25
progesterona 0.1 1.0 0.1 1.0
ctni 0 0.07 0 0.06
nt_probnp 0 900 0 100
crp 0 10 0 10
saa 0 10 0 10
fenobarbital 20 40 20 40
ciclosporina 100 400 100 400
ph_sangre 7.35 7.45 7.35 7.46
pco2 35 45 28 35
po2 85 105 85 100
hco3 18 24 16 22
exceso_base -4 4 -4 4
so2 95 100 95 100
ca_ion 1.12 1.4 1.12 1.4
lactato 0.5 2.5 0.3 2.0
anion_gap 8 16 10 18
"""


def test_every_limit_in_table_order() -> None:
    rows = [line.split() for line in LIMITS.split("\n") if line]
    assert [row[0] for row in rows] == list(tables.ANALYTE_KEYS)
    for key, *figures in rows:
        dog, cat = tables.analytes("canino")[key], tables.analytes("felino")[key]
        assert [dog.low, dog.high, cat.low, cat.high] == [float(figure) for figure in figures], key


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


def test_every_explanation_of_a_pattern_names_its_source() -> None:
    for pattern in tables.table("patrones.json")["patrones"]:
        assert pattern["explicacion"], pattern["clave"]
        assert pattern["fuente"], pattern["clave"]
