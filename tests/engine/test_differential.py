"""Random patients get the same answer from the engine and from its second, straight transcription."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from scoring.engine import Analysis, analyse
from scoring.tables import ANALYTE_KEYS, analytes
from tests.engine import transcription

AGES = [None, None, -1, 0, 3, 11, 11.99, 12, 60, 83, 83.5, 84, 100, 119, 119.999, 120, 180]
BREEDS = [
    None,
    "",
    "Mestizo",
    "Galgo español",
    "GREYHOUND",
    "Shiba Inu",
    "Chowder",
    " shar-pei ",
    "Cruce de shiba y whippet",
    "Maine Coon",
    "Maine",
    "Sagrado de Birmania",
    "Birmano",
    "Común europeo",
    "Lebrel afgano",
]
CUTS: dict[str, list[float]] = {
    "creat": [1.4, 1.6, 2.8, 5.0],
    "sdma": [18, 25, 35, 38, 54],
    "upc": [0.2, 0.4, 0.5],
    "hct": [14, 20, 30],
    "plt": [30, 100],
    "usg": [1.005, 1.007, 1.013],
}
TAILS = ["", " ", " mg/dL", ",5", ".", "e", "e1", "%", "*", " H", "_0", "\u00a0"]


def compared(found: Analysis) -> transcription.Answer:
    return (
        [(f.clave, f.direccion, f.gravedad, float(f.valor)) for f in found.findings],
        [
            (p.clave, p.nombre, p.estadio, p.subestadio, p.gravedad, list(p.parametros))
            for p in found.patterns
        ],
    )


def value(rng: random.Random, species: str, key: str, paciente: dict[str, Any]) -> Any:
    low, high = transcription.limits(species, key, paciente["edad_meses"], paciente["raza"])
    width = high - low
    borders = [low, high, low - 0.5 * width, high + 0.5 * width, low - 1.5 * width, high + 1.5 * width]
    kind = rng.random()
    if kind < 0.35:
        border = rng.choice(borders + CUTS.get(key, []))
        return rng.choice([border, math.nextafter(border, math.inf), math.nextafter(border, -math.inf)])
    if kind < 0.75:
        return round(rng.uniform(low - 2 * width, high + 2 * width), rng.choice([0, 1, 2, 3]))
    if kind < 0.85:
        return int(rng.uniform(low - width, high + width))
    if kind < 0.97:
        written = repr(round(rng.uniform(low - width, high + width), 2))
        return rng.choice(["", " ", "+", "<", "\t"]) + written + rng.choice(TAILS)
    return rng.choice([None, "", "abc", True, False, [], {}, "-", "--5", "Infinity", 10**400, "1e400", "٤"])


@pytest.mark.parametrize("seed", range(8))
def test_random_patients_agree(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(400):
        species = rng.choice(["canino", "felino"])
        paciente = {
            "especie": species,
            "raza": rng.choice(BREEDS),
            "edad_meses": rng.choice(AGES),
            "sexo": rng.choice([None, "Macho", "Hembra"]),
        }
        keys = rng.sample(ANALYTE_KEYS, rng.choice([1, 3, 8, 30, 90]))
        valores = {key: value(rng, species, key, paciente) for key in keys}
        assert compared(analyse(valores, paciente)) == transcription.answer(valores, paciente), (
            paciente,
            valores,
        )


@pytest.mark.parametrize("species", ["canino", "felino"])
def test_every_limit_and_the_next_double_on_either_side(species: str) -> None:
    """All 90 analytes, every age category, every breed group: at the limit, one ulp in, one ulp out."""
    for breed in (None, "galgo", "shiba", "akita", "maine coon", "birmano"):
        for age in (1, 40, 90, 150):
            paciente = {"especie": species, "raza": breed, "edad_meses": age, "sexo": None}
            limits = {key: transcription.limits(species, key, age, breed) for key in analytes(species)}
            for end, out, side in ((0, -math.inf, "bajo"), (1, math.inf, "alto")):
                at_limit = {key: pair[end] for key, pair in limits.items()}
                assert analyse(at_limit, paciente).findings == ()
                beyond = {key: math.nextafter(pair[end], out) for key, pair in limits.items()}
                found = analyse(beyond, paciente).findings
                assert {f.clave: f.direccion for f in found} == dict.fromkeys(limits, side)
