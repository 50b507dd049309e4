"""A chemical symbol names its analyte where a result stands at it, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from scoring.clinical import score_case
from scoring.clinical.lexicon import rules_named
from scoring.tables import ANALYTE_KEYS, table
from tests.clinical.samples import case, good_output, prose

VALUES = {"sodio": 120, "potasio": 7.5, "cloro": 90, "calc": 15, "ca_ion": 1.9, "fosf": 9, "magnesio": 4}
"""In a dog: sodium and chloride low, the others high."""


def covered(text: str, **values: Any) -> set[str]:
    """Which of the analytes that have a symbol a text names (and calls the right way)."""
    keys = [*VALUES, "hierro"]
    asked = {key: score_case(case(hallazgos_clave=[key], valores=values), prose(text)) for key in keys}
    return {key for key, one in asked.items() if one.cobertura_hallazgos == 1}


CALCIUM = {"calc", "ca_ion"}  # each asked for alone: the shared form vouches for either


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Na 129", {"sodio"}),
        ("K 5,1", {"potasio"}),
        ("Ca 14,2", CALCIUM),
        ("P 8", {"fosf"}),
        ("Cl 100", {"cloro"}),
        ("Mg 2,1", {"magnesio"}),
        ("Na 129 K 5,1 Cl 100", {"sodio", "potasio", "cloro"}),
        ("Na 129/K 7,1", {"sodio", "potasio"}),
        ("Bioq: Na: 129, K=7,1, P de 8; Ca (14.2 mg/dL).", {"sodio", "potasio", "fosf"} | CALCIUM),
        ("K 5,1mmol/L", {"potasio"}),
        ("K en 5,1 mEq/L", {"potasio"}),
        ("K > 7", {"potasio"}),
        ("Ca total 14", CALCIUM),
        ("Ca corregido 13,1 mg/dL", CALCIUM),
        ("Ca 3,4 mmol/L", CALCIUM),
        ("Fe 45 µg/dL", {"hierro"}),
        ("P elevado", {"fosf"}),
        ("El K está bajo", {"potasio"}),
        ("Ca y P altos", {"fosf"} | CALCIUM),
        ("Na, K y Cl normales", {"sodio", "potasio", "cloro"}),
        ("Na/K/Cl N", {"sodio", "potasio", "cloro"}),
        ("↑ K, ↓Na", {"potasio", "sodio"}),
        ("↑ Ca y P", {"fosf"} | CALCIUM),
        ("Crea 8 y P ↑", {"fosf"}),
        ("aumento del P", {"fosf"}),
        ("HiperK e hipoNa", {"potasio", "sodio"}),
        ("HiperCa", CALCIUM),
        ("K⁺ 5,1; Mg²⁺ 2", {"potasio", "magnesio"}),
        ("Ca++ 14", CALCIUM),
        ("iCa 1,9", {"ca_ion"}),
        ("Ca ion 1,9", {"ca_ion"}),
        ("Na/K 24", {"sodio", "potasio"}),
        ("Na:K de 22", {"sodio", "potasio"}),
        ("P 8 años después", set()),
        ("vitamina K 5 mg", set()),
        ("vit. K 1 mg/kg", set()),
        ("déficit de vitamina K", set()),
        ("vitamina K baja", set()),
        ("unidad canina K9; K 9000", set()),
        ("grado P 2", set()),
        ("P < 0,05", set()),
        ("p=0.03", set()),
        ("p = 0,8", set()),
        ("P 0,8 mmol/L", {"fosf"}),
        ("bromuro de K 30 mg/kg, gluconato de Ca al 10 %, Ca 10 %", set()),
        ("P y FC normales", set()),
        ("P 120, R 30, T 38,5", set()),
        ("P: 12 kg", set()),
        ("P 8/10 en la escala de dolor", set()),
        ("onda P 0,5 mV; ondas P 1 s", set()),
        ("Ca. de células escamosas", set()),
        ("Ca mamario, ca. 5 cm; Ca 3 cm", set()),
        ("Ca de mama alto grado", set()),
        ("CA 125 y CA 15-3", set()),
        ("Consulta na 1ª semana; na 100a", set()),
        ("Cl creat 100", set()),
        ("Cl 60 ml/min", set()),
        ("Cl creatinina baja", set()),
        ("NaCl 0,9 %, KCl 2", set()),
        ("tramadol 50 mg 2 veces; 5 mg 2,1", set()),
        ("BUN en mg/dL 2, creat 4 mg/dl", set()),
        ("FE 45 %", set()),
        ("FE 45", set()),
        ("doy fe 45 veces", set()),
        ("Ca/P 1,2", set()),
        ("Ca×P 85", set()),
        ("producto Ca x P 85", set()),
        ("opciones: k) 5,1; p. 8; Na.", set()),
        ("plaquetas 250 K/µL", set()),
        ("perro k. Box K 5, jaula P 3", set()),
    ],
)
def test_a_symbol_names_where_a_result_stands_at_it(text: str, named: set[str]) -> None:
    assert covered(text) == named


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("K 2,8 (bajo)", {"potasio"}),
        ("K 7,8 (alto)", set()),
        ("K bajo", {"potasio"}),
        ("↓ K", {"potasio"}),
        ("↑Na", {"sodio"}),
        ("hipoK", {"potasio"}),
        ("Ca y P bajos", {"fosf"} | CALCIUM),
        ("Na normal, K normal, Cl bajo", {"sodio", "potasio"}),
        ("Na, K y Cl normales", {"sodio", "potasio", "cloro"}),
        # what is said of the next one is not said of this one
        ("Na 120, K 7,5 (alto)", set()),
        ("Na 120 K 7,5 (alto)", set()),
        ("Cl 90, Mg 4 (alto)", set()),
        ("P 9 mg/dL, Na 120 (bajo)", set()),
        # a ratio is low by sodium or by potassium; it says of neither that it is low
        ("Na/K 16 (bajo)", set()),
        ("Na/K bajo", set()),
    ],
)
def test_the_direction_of_a_symbol_is_held_against_the_result(text: str, wrong: set[str]) -> None:
    named = covered(text)
    assert named - covered(text, **VALUES) == wrong
    assert named


def test_a_unit_is_no_next_symbol() -> None:
    for text in ("Plaquetas 20 K (normales)", "Creatinina 4 mg normal"):
        key = "plt" if "Pla" in text else "creat"
        asked = case(hallazgos_clave=[key], valores={"plt": 20, "creat": 4})
        assert score_case(asked, prose(text)).hallazgos_contrarios == (key,)


@pytest.mark.parametrize(("said", "key"), [("K", "potasio"), ("P", "fosf"), ("Ca", "calc"), ("Fe", "hierro")])
def test_a_declared_finding_may_be_the_symbol_alone(said: str, key: str) -> None:
    for way, covers in (("alto", 1), ("bajo", 0)):
        declared = [{"analito": said, "direccion": way}]
        output = good_output(interpretacion="", hallazgos_clave=declared)
        asked = case(hallazgos_clave=[key], valores={key: 500 if key == "hierro" else VALUES[key]})
        assert score_case(asked, output).cobertura_hallazgos == covers


def test_every_symbol_has_figures_and_an_analyte() -> None:
    data = table("formas.json")
    rows = [*data["analitos"].values(), *data["compartidas"]]
    used = {symbol for row in rows for symbol in row.get("simbolos", ())}
    assert used == data["simbolos"]["cifras"].keys() == rules_named("2").index.symbols
    assert used.isdisjoint(ANALYTE_KEYS)


def test_the_precision_of_prose_counts_symbols_with_a_result() -> None:
    # expected: creatinine; named besides: sodium, potassium and, as «Ca», calcium; not «vitamina K», not «mg»
    asked = case(hallazgos_clave=["creat"], valores={})
    score = score_case(asked, prose("Creatinina 4 mg/dL, Na 129, K 7, Ca alto. Vitamina K 5 mg 2 veces."))
    assert (score.hallazgos_citados_esperados, score.hallazgos_citados) == (1, 4)
