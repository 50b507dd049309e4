"""The tables of ``casos/``, read once and shared.

Tables are data a veterinarian can read and correct, so nothing of them is repeated in code. What the
engine needs of the reference ranges comes as frozen values; every other table is handed out as parsed,
and is read, never changed, by whoever asks for it.
"""

from __future__ import annotations

import difflib
import json
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_PACKAGE = "casos"
_SUFFIXES = (".json", ".toml")
_RANGES = "valores_referencia.json"


@dataclass(frozen=True, slots=True)
class Analyte:
    """One measurable quantity in one species.

    Attributes:
        key: the name used in ``valores``.
        name: what a person reads, in Spanish.
        unit: unit of value and limits; empty when it has none.
        low: lower reference limit; belongs to the range.
        high: upper reference limit; belongs to the range.
        may_be_negative: whether a value below zero can be true.
    """

    key: str
    name: str
    unit: str
    low: float
    high: float
    may_be_negative: bool = False


@cache
def table(name: str) -> Any:
    """The parsed content of ``casos/<name>`` (JSON or TOML).

    The same object is returned every time: read it, never change it.

    Raises:
        LookupError: there is no such table; the text names the nearest one.
    """
    known = sorted(
        entry.name
        for entry in files(_PACKAGE).iterdir()
        if entry.name.endswith(_SUFFIXES) and entry.is_file()
    )
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(known)}"
        raise LookupError(f"no table {name!r}{hint}")
    content = files(_PACKAGE).joinpath(name).read_text(encoding="utf-8")
    return tomllib.loads(content) if name.endswith(".toml") else json.loads(content)


@cache
def analytes(species: str) -> Mapping[str, Analyte]:
    """The analytes of ``species``, key -> analyte, in table order (the order findings come out in).

    Raises:
        LookupError: ``species`` is not one of :data:`SPECIES`, letter by letter.
    """
    if species not in SPECIES:
        raise LookupError(f"no reference ranges for species {species!r}; there are {', '.join(SPECIES)}")
    rows: dict[str, Analyte] = {}
    for row in table(_RANGES)["analitos"]:
        own = row[species]
        rows[row["clave"]] = Analyte(
            key=row["clave"],
            name=own.get("nombre", row["nombre"]),
            unit=row["unidad"],
            low=float(own["inferior"]),
            high=float(own["superior"]),
            may_be_negative=row.get("admite_negativos", False),
        )
    return MappingProxyType(rows)


SPECIES: tuple[str, ...] = tuple(table(_RANGES)["especies"])
"""The species with reference ranges, as the data write them."""

ANALYTE_KEYS: tuple[str, ...] = tuple(row["clave"] for row in table(_RANGES)["analitos"])
"""Every analyte key, in table order."""
