"""IRIS staging: every cut of both species, escalation by SDMA, substage, name, note."""

from __future__ import annotations

from typing import Any

import pytest

from scoring import messages
from scoring.engine import Pattern, analyse
from scoring.engine.iris import stage


def staged(species: str = "canino", **valores: Any) -> Pattern | None:
    found = analyse(valores, {"especie": species, "edad_meses": 60}).patterns
    return next((pattern for pattern in found if pattern.clave == "erc_iris"), None)


@pytest.mark.parametrize(
    ("species", "creatinine", "expected"),
    [
        ("canino", 1.4, None),
        ("canino", 1.41, 2),
        ("canino", 2.8, 2),
        ("canino", 2.81, 3),
        ("canino", 5.0, 3),
        ("canino", 5.01, 4),
        ("felino", 1.6, None),
        ("felino", 1.61, 2),
        ("felino", 2.8, 2),
        ("felino", 2.81, 3),
        ("felino", 5.0, 3),
        ("felino", 5.01, 4),
    ],
)
def test_a_value_at_a_ceiling_stays_in_the_lower_stage(
    species: str, creatinine: float, expected: int | None
) -> None:
    found = stage(species, creatinine, None, None)
    assert (None if found is None else found.stage) == expected


@pytest.mark.parametrize(
    ("species", "creatinine", "sdma", "expected"),
    [
        ("canino", None, 18, None),
        ("canino", None, 18.1, 2),
        ("canino", None, 100, 2),  # one step, however high
        ("canino", 0.4, 19, 2),  # a low creatinine is stage 1
        ("canino", 0.4, None, None),
        ("canino", 2.0, 35, 2),
        ("canino", 2.0, 35.1, 3),
        ("canino", 4.0, 54, 3),
        ("canino", 4.0, 54.1, 4),
        ("canino", 6.0, 100, 4),  # nothing above 4
        ("felino", None, 18.1, 2),
        ("felino", 2.5, 25, 2),
        ("felino", 2.5, 25.1, 3),
        ("felino", 4.0, 38, 3),
        ("felino", 4.0, 38.1, 4),
        ("canino", None, None, None),
    ],
)
def test_sdma_above_the_cut_of_its_stage_adds_one(
    species: str, creatinine: float | None, sdma: float | None, expected: int | None
) -> None:
    found = stage(species, creatinine, sdma, None)
    assert (None if found is None else found.stage) == expected


@pytest.mark.parametrize(
    ("species", "upc", "expected"),
    [
        ("canino", None, None),
        ("canino", -0.1, "no proteinúrico"),
        ("canino", 0.19, "no proteinúrico"),
        ("canino", 0.2, "proteinúrico limítrofe"),
        ("canino", 0.5, "proteinúrico limítrofe"),
        ("canino", 0.51, "proteinúrico"),
        ("felino", 0.4, "proteinúrico limítrofe"),
        ("felino", 0.41, "proteinúrico"),
    ],
)
def test_substage(species: str, upc: float | None, expected: str | None) -> None:
    found = stage(species, 3.0, None, upc)
    assert found is not None
    assert found.substage == expected


def test_the_pattern_names_stage_and_substage() -> None:
    found = staged(creat=4, sdma=54.1, upc=0.6)
    assert found is not None
    assert found.nombre == "Azotemia graduada en escala IRIS — estadio 4, proteinúrico"
    assert (found.estadio, found.subestadio, found.gravedad) == (4, "proteinúrico", "grave")
    assert found.parametros == ("creat", "sdma", "upc")
    assert found.nota == "La SDMA (54.1 μg/dL) sube el estadio de 3 a 4."


def test_the_note_speaks_the_language_in_force() -> None:
    messages.set_language("en")
    found = staged(sdma=24)
    assert found is not None
    assert found.nota == "SDMA (24 μg/dL) raises the stage from 1 to 2."


@pytest.mark.parametrize(("creatinine", "severity"), [(2.0, "leve"), (3.0, "moderado"), (6.0, "grave")])
def test_severity_follows_the_stage(creatinine: float, severity: str) -> None:
    found = staged(creat=creatinine)
    assert found is not None
    assert (found.gravedad, found.nota, found.subestadio) == (severity, None, None)


def test_values_in_range_do_not_stage() -> None:
    """Creatinine 1.6 of a dog is IRIS 2 by value, yet in range: SDMA alone gives the stage."""
    assert staged(creat=1.6) is None
    found = staged(creat=1.6, sdma=24, upc=0.2)
    assert found is not None
    assert (found.estadio, found.parametros, found.subestadio) == (2, ("sdma",), None)


def test_a_range_widened_by_age_hides_creatinine_from_staging() -> None:
    """Dog of 84 months: the limit is 1.7 x 1.15 = 1.955, in doubles 1.9549999999999998."""
    senior = {"especie": "canino", "edad_meses": 84}
    assert [p.clave for p in analyse({"creat": 1.95}, senior).patterns] == []
    assert [p.clave for p in analyse({"creat": 1.955}, senior).patterns] == ["creatinina_aislada", "erc_iris"]
