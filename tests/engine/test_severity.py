"""Severity: every explicit cut and the generic rule, at the border, just before and just beyond."""

from __future__ import annotations

import math

import pytest

from scoring.engine import analyse
from scoring.engine.ranges import AdjustedRange
from scoring.engine.severity import severity_of
from scoring.tables import Analyte


def severity(species: str, key: str, value: float, **paciente: object) -> str | None:
    found = analyse({key: value}, {"especie": species, "edad_meses": 60, **paciente}).finding(key)
    return None if found is None else f"{found.direccion} {found.gravedad}"


@pytest.mark.parametrize(
    ("species", "key", "value", "expected"),
    [
        ("canino", "hct", 37, None),
        ("canino", "hct", 36.9, "bajo leve"),
        ("canino", "hct", 30, "bajo leve"),
        ("canino", "hct", 29.9, "bajo moderado"),
        ("canino", "hct", 20, "bajo moderado"),
        ("canino", "hct", 19.9, "bajo grave"),
        ("felino", "hct", 24, None),
        ("felino", "hct", 20, "bajo leve"),
        ("felino", "hct", 19.9, "bajo moderado"),
        ("felino", "hct", 14, "bajo moderado"),
        ("felino", "hct", 13.9, "bajo grave"),
        ("canino", "plt", 200, None),
        ("canino", "plt", 100, "bajo leve"),
        ("canino", "plt", 99.9, "bajo moderado"),
        ("canino", "plt", 30, "bajo moderado"),
        ("canino", "plt", 29.9, "bajo grave"),
        ("felino", "plt", 100, "bajo leve"),
        ("felino", "plt", 30, "bajo moderado"),
        ("felino", "plt", 29.9, "bajo grave"),
        ("canino", "creat", 1.7, None),
        ("canino", "creat", 2.8, "alto leve"),
        ("canino", "creat", 2.81, "alto moderado"),
        ("canino", "creat", 5.0, "alto moderado"),
        ("canino", "creat", 5.01, "alto grave"),
        ("felino", "creat", 2.8, "alto leve"),
        ("felino", "creat", 5.0, "alto moderado"),
        ("felino", "creat", 5.01, "alto grave"),
        ("canino", "sdma", 18, None),
        ("canino", "sdma", 35, "alto leve"),
        ("canino", "sdma", 35.1, "alto moderado"),
        ("canino", "sdma", 54, "alto moderado"),
        ("canino", "sdma", 54.1, "alto grave"),
        ("felino", "sdma", 25, "alto leve"),
        ("felino", "sdma", 25.1, "alto moderado"),
        ("felino", "sdma", 38, "alto moderado"),
        ("felino", "sdma", 38.1, "alto grave"),
        ("canino", "upc", 0.2, None),
        ("canino", "upc", 0.5, "alto leve"),
        ("canino", "upc", 0.51, "alto moderado"),
        ("canino", "upc", 90, "alto moderado"),  # never grave
        ("felino", "upc", 0.4, "alto leve"),
        ("felino", "upc", 0.41, "alto moderado"),
        ("felino", "upc", 90, "alto moderado"),
    ],
)
def test_explicit_cuts(species: str, key: str, value: float, expected: str | None) -> None:
    assert severity(species, key, value) == expected


# ALT of the dog: 10-120, width 110, so the upper borders are 120 + 55 = 175 and 120 + 165 = 285.
# Glucose of the dog: 65-122, width 57; lower borders 65 - 28.5 = 36.5 and 65 - 85.5 < 0.
# Magnesium of the dog: 1.6-2.2; (1.6 - 0.7) / 0.6000000000000001 = 1.4999999999999998 -> moderado.
@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("alt", 120, None),
        ("alt", math.nextafter(120, 200), "alto leve"),
        ("alt", 175, "alto leve"),
        ("alt", math.nextafter(175, 200), "alto moderado"),  # no tolerance
        ("alt", 175.1, "alto moderado"),
        ("alt", 285, "alto moderado"),
        ("alt", 285.1, "alto grave"),
        ("alt", 10, None),
        ("alt", math.nextafter(10, 0), "bajo leve"),
        ("gluc", 36.5, "bajo leve"),
        ("gluc", 36.4, "bajo moderado"),
        ("gluc", -20.5, "bajo moderado"),
        ("gluc", -20.6, "bajo grave"),
        ("magnesio", 0.7, "bajo moderado"),
    ],
)
def test_generic_rule(key: str, value: float, expected: str | None) -> None:
    assert severity("canino", key, value) == expected


def test_the_generic_rule_uses_the_adjusted_width() -> None:
    """ALP of a puppy: 35-840, width 805. 1300 is 460/805 = 0.57 widths beyond: moderado.

    By the adult range (35-280, width 245) it would be 1020/245 = 4.2 widths: grave.
    """
    assert severity("canino", "fal", 1300, edad_meses=3) == "alto moderado"
    assert severity("canino", "fal", 1300, edad_meses=60) == "alto grave"


def test_explicit_cuts_are_not_adjusted() -> None:
    """A greyhound's haematocrit of 40 is below 37 x 1.12 = 41.44, but not below the cut of 30."""
    assert severity("canino", "hct", 40, raza="galgo") == "bajo leve"
    assert severity("canino", "hct", 29.9, raza="galgo") == "bajo moderado"


def test_the_side_without_cuts_follows_the_generic_rule() -> None:
    """Haematocrit high: 37-55, width 18; 64 is 0.5 widths beyond (leve), 82 is 1.5 (moderado)."""
    assert severity("canino", "hct", 64) == "alto leve"
    assert severity("canino", "hct", 64.1) == "alto moderado"
    assert severity("canino", "hct", 82) == "alto moderado"
    assert severity("canino", "hct", 82.1) == "alto grave"


@pytest.mark.parametrize(("value", "expected"), [(math.inf, "alto grave"), (-math.inf, "bajo grave")])
def test_infinite_values_are_grave(value: float, expected: str) -> None:
    for key in ("alt", "creat"):
        assert severity("canino", key, value) == expected


def test_a_range_without_width_gives_grave() -> None:
    point = AdjustedRange(Analyte("x", "x", "", 1.0, 1.0), 1.0, 1.0, ())
    assert severity_of(1.1, "alto", point, "canino") == "grave"
