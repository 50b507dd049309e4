"""The range that applies to one patient: the table's, moved by age and breed.

``(limit * age factor) * breed factor`` in IEEE doubles, in that order and without rounding, since a
value one unit in the last place beyond a limit is a finding. Where several breed groups match, their
factors are multiplied with one another first. No limit depends on sex.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from scoring.engine.model import LimitMove
from scoring.tables import analytes, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scoring.engine.numbers import Number
    from scoring.tables import Analyte

TABLE = "ajustes_clinicos.json"


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Factors of one analyte; None leaves that limit where it is."""

    analyte: str
    low: float | None
    high: float | None
    source: str | None


@dataclass(frozen=True, slots=True)
class AgeCategory:
    """An age category of one species; ``below_months`` is None for the last one."""

    name: str
    below_months: float | None
    adjustments: tuple[Adjustment, ...]


@dataclass(frozen=True, slots=True)
class BreedGroup:
    """Breeds that share factors, found by any of ``words`` inside the breed's name."""

    name: str
    words: tuple[str, ...]
    adjustments: tuple[Adjustment, ...]

    def matches(self, breed: str) -> bool:
        """Whether ``breed``, in any case, holds one of the words."""
        lowered = breed.lower()
        return any(word in lowered for word in self.words)


@dataclass(frozen=True, slots=True)
class AdjustedRange:
    """The limits of one analyte for one patient, both belonging to the range, and what moved them."""

    analyte: Analyte
    low: float
    high: float
    moves: tuple[LimitMove, ...]


@dataclass(frozen=True, slots=True)
class AgeTable:
    """The age categories of one species, youngest first.

    Attributes:
        categories: in ascending order of age.
        unknown: name of the category used when the age is not known.
        oldest_credible: months beyond which an age is taken for a mistake.
    """

    categories: tuple[AgeCategory, ...]
    unknown: str
    oldest_credible: float

    def of(self, months: Number | None) -> AgeCategory:
        """The first category whose limit is strictly greater than ``months``; any finite age has one."""
        if months is None:
            return next(c for c in self.categories if c.name == self.unknown)
        return next(c for c in self.categories if c.below_months is None or months < c.below_months)


def adjusted_ranges(species: str, months: Number | None, breed: str | None) -> Mapping[str, AdjustedRange]:
    """The range of every analyte for a patient, in table order.

    Args:
        species: one of :data:`scoring.tables.SPECIES`.
        months: age in months, any number but NaN, or None when unknown.
        breed: the breed as written, or None.
    """
    return _ranges(species, age_table(species).of(months), matching_groups(species, breed))


@cache
def _ranges(
    species: str, category: AgeCategory, groups: tuple[BreedGroup, ...]
) -> Mapping[str, AdjustedRange]:
    """Few combinations exist, so each is worked out once."""
    ranges = {
        key: _adjust(
            analyte,
            [_Source("edad", category.name, a) for a in category.adjustments if a.analyte == key],
            [_Source("raza", g.name, a) for g in groups for a in g.adjustments if a.analyte == key],
        )
        for key, analyte in analytes(species).items()
    }
    return MappingProxyType(ranges)


def matching_groups(species: str, breed: str | None) -> tuple[BreedGroup, ...]:
    """The breed groups of ``species`` that match, in table order."""
    return tuple(group for group in breed_groups(species) if breed and group.matches(breed))


@dataclass(frozen=True, slots=True)
class _Source:
    """An adjustment with the age category or breed group that brings it."""

    kind: Literal["edad", "raza"]
    label: str
    adjustment: Adjustment

    def moves(self) -> Iterator[LimitMove]:
        """One move for each limit the adjustment names."""
        own = self.adjustment
        if own.low is not None:
            yield LimitMove("inferior", own.low, self.kind, self.label, own.source)
        if own.high is not None:
            yield LimitMove("superior", own.high, self.kind, self.label, own.source)


def _adjust(analyte: Analyte, by_age: list[_Source], by_breed: list[_Source]) -> AdjustedRange:
    age = tuple(move for source in by_age for move in source.moves())
    breed = tuple(move for source in by_breed for move in source.moves())
    return AdjustedRange(
        analyte,
        low=analyte.low * _product(age, "inferior") * _product(breed, "inferior"),
        high=analyte.high * _product(age, "superior") * _product(breed, "superior"),
        moves=age + breed,
    )


def _product(moves: tuple[LimitMove, ...], side: str) -> float:
    factor = 1.0
    for move in moves:
        if move.side == side:
            factor *= move.factor
    return factor


@cache
def age_table(species: str) -> AgeTable:
    """The age categories of ``species``."""
    ages = table(TABLE)["edad"]
    return AgeTable(
        categories=tuple(
            AgeCategory(row["categoria"], row["menos_de_meses"], _adjustments(row["ajustes"]))
            for row in ages[species]["categorias"]
        ),
        unknown=ages["sin_edad"],
        oldest_credible=ages[species]["edad_maxima_creible"],
    )


@cache
def breed_groups(species: str) -> tuple[BreedGroup, ...]:
    """The breed groups of ``species``, in table order."""
    return tuple(
        BreedGroup(row["grupo"], tuple(row["palabras"]), _adjustments(row["ajustes"]))
        for row in table(TABLE)["raza"][species]
    )


def _adjustments(rows: list[dict[str, Any]]) -> tuple[Adjustment, ...]:
    return tuple(
        Adjustment(row["analito"], row.get("inferior"), row.get("superior"), row["fuente"]) for row in rows
    )
