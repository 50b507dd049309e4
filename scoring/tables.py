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

from scoring.errors import DataError, UsageError, system_reason

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_PACKAGE = "casos"
_SUFFIXES = (".json", ".toml")
_RANGES = "valores_referencia.json"
THRESHOLDS = "umbrales.toml"
"""Thresholds of gate, judge and grounding, and the scoring rules in force."""


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


def thresholds_table(path: Path | None) -> Mapping[str, Any]:
    """``umbrales.toml`` as it holds for a run: the shipped one, changed by the team's own file.

    Whatever ``path`` says replaces the shipped value of the same name, and what it does not name stays
    as shipped, so that a short file loses no threshold.

    Args:
        path: the team's file, or None for the shipped table alone.

    Raises:
        UsageError: the file cannot be read.
        DataError: it is no TOML, or names something the shipped table does not have.
    """
    shipped: Mapping[str, Any] = table(THRESHOLDS)
    if path is None:
        return shipped
    try:
        own = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError("sources.thresholds_unreadable", path=path, reason=system_reason(error)) from None
    except ValueError as error:
        raise DataError("sources.thresholds_not_toml", path=path, reason=system_reason(error)) from None
    merged = dict(shipped)
    for name, value in own.items():
        if name not in shipped:
            near = difflib.get_close_matches(name, shipped, n=1, cutoff=0.5)
            known = ", ".join(near or shipped)
            raise DataError("sources.thresholds_unknown", path=path, found=name, known=known)
        if isinstance(value, dict) != isinstance(shipped[name], dict):
            raise DataError("sources.thresholds_kind", path=path, found=name)
        merged[name] = _merged(shipped[name], value)
    return MappingProxyType(merged)


def _merged(shipped: Any, own: Any) -> Any:
    """``own`` over ``shipped``, table by table."""
    if not isinstance(own, dict) or not isinstance(shipped, dict):
        return own
    return {**shipped, **{name: _merged(shipped.get(name), value) for name, value in own.items()}}


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
