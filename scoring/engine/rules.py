"""The pattern table as checked, frozen rules.

A rule says on which findings a pattern stands; nothing here looks at a patient. A table that names an
analyte nobody measures, or a word outside its notation, is refused when it is read, not when a patient
happens to meet it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from scoring.tables import ANALYTE_KEYS, SPECIES, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scoring.engine.model import Direction, Finding, Severity

TABLE = "patrones.json"
_SEVERITIES = ("leve", "moderado", "grave")
_MARKS: Mapping[str, Direction] = {"+": "alto", "-": "bajo"}

Findings: TypeAlias = "Mapping[str, Finding]"


@dataclass(frozen=True, slots=True)
class Term:
    """«This analyte is a finding», on one side (``x+``, ``x-``) or on either (``x``)."""

    analyte: str
    direction: Direction | None

    def holds(self, findings: Findings) -> bool:
        """Whether the findings say so."""
        found = findings.get(self.analyte)
        return found is not None and self.direction in {None, found.direccion}


@dataclass(frozen=True, slots=True)
class Measure:
    """A number taken from one finding, or the quotient of two, that must lie in an interval.

    Attributes:
        of: one key, or numerator and denominator; all must be findings, the denominator above zero.
        at_least: the interval begins here, this value included; None: no beginning.
        below: the interval ends here, this value excluded.
        grades: severities with the strict ceiling of each, mildest last, its ceiling None.
    """

    of: tuple[str, ...]
    at_least: float | None
    below: float
    grades: tuple[tuple[Severity, float | None], ...]


@dataclass(frozen=True, slots=True)
class Variant:
    """One wording of an explanation, for a species or a further finding; None asks for nothing."""

    text: str
    species: str | None = None
    when: Term | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """When a pattern is named and what is said of it.

    Attributes:
        key: stable key.
        name: name without suffix.
        species: where it can be named.
        every: terms that must all hold.
        some: terms of which one must hold; empty asks for nothing.
        none: terms of which none may hold.
        measure: a further condition on a number, or None.
        iris: whether staging decides in place of terms.
        severity: a fixed grade, or the analytes of which the first that is a finding lends its own;
            empty when the measure or the stage decides.
        parameters: analytes that are named when they are findings.
        suffixes: what is added to the name by the first term that holds.
        assumes_normal: analytes the name takes for normal.
        variants: wordings of the explanation; the first that fits is used.
        source: work behind it, or None.
    """

    key: str
    name: str
    species: tuple[str, ...]
    every: tuple[Term, ...]
    some: tuple[Term, ...]
    none: tuple[Term, ...]
    measure: Measure | None
    iris: bool
    severity: Severity | tuple[str, ...]
    parameters: tuple[str, ...]
    suffixes: tuple[tuple[Term, str], ...]
    assumes_normal: tuple[str, ...]
    variants: tuple[Variant, ...]
    source: str | None

    def terms_hold(self, findings: Findings) -> bool:
        """Whether ``every``, ``some`` and ``none`` are satisfied; measure and staging apart."""
        return (
            all(term.holds(findings) for term in self.every)
            and (not self.some or any(term.holds(findings) for term in self.some))
            and not any(term.holds(findings) for term in self.none)
        )


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule, in the order the patterns come out in.

    Raises:
        ValueError: the table does not keep to its own notation; the text names the pattern.
    """
    return tuple(parse_rule(row) for row in table(TABLE)["patrones"])


def parse_rule(row: Mapping[str, Any]) -> Rule:
    """One row of the table as a rule; see :func:`rules` for what is raised."""
    key = row["clave"]
    try:
        return Rule(
            key=key,
            name=row["nombre"],
            species=_among(row.get("especies", SPECIES), SPECIES),
            every=_terms(row.get("todos", ())),
            some=_terms(row.get("alguno", ())),
            none=_terms(row.get("ninguno", ())),
            measure=_measure(row["medida"]) if "medida" in row else None,
            iris="regla" in row and _among((row["regla"],), ("iris",)) == ("iris",),
            severity=_severity(row),
            parameters=_among(row["parametros"], ANALYTE_KEYS),
            suffixes=tuple((_term(mark), added) for mark, added in row.get("sufijos", {}).items()),
            assumes_normal=_among(row.get("supone_no_alterado", ()), ANALYTE_KEYS),
            variants=_variants(row["explicacion"]),
            source=row["fuente"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{TABLE}, {key}: {error}") from error


def _severity(row: Mapping[str, Any]) -> Severity | tuple[str, ...]:
    given = row["gravedad"]
    if isinstance(given, str):
        decided_elsewhere = {"cortes": "medida", "iris": "regla"}.get(given, "") in row
        return () if decided_elsewhere else _grade(given)
    return _among(given, ANALYTE_KEYS)


def _grade(word: str) -> Severity:
    return cast("Severity", _among((word,), _SEVERITIES)[0])


def _measure(row: Mapping[str, Any]) -> Measure:
    of = _among(row["de"], ANALYTE_KEYS)
    if len(of) not in {1, 2}:
        raise ValueError("a measure takes one analyte, or two for a quotient")
    grades = tuple(
        (cast("Severity", _among((g,), _SEVERITIES)[0]), ceiling) for g, ceiling in row["gravedad"]
    )
    if not grades or grades[-1][1] is not None:
        raise ValueError("the last grade of a measure has no ceiling")
    return Measure(of, row.get("desde"), row["menor_que"], grades)


def _variants(given: str | list[dict[str, str]]) -> tuple[Variant, ...]:
    if isinstance(given, str):
        return (Variant(given),)
    return tuple(
        Variant(row["texto"], row.get("especie"), _term(row["si"]) if "si" in row else None) for row in given
    )


def _terms(marks: Iterable[str]) -> tuple[Term, ...]:
    return tuple(_term(mark) for mark in marks)


def _term(mark: str) -> Term:
    key, sign = (mark[:-1], mark[-1:]) if mark[-1:] in _MARKS else (mark, "")
    return Term(_among((key,), ANALYTE_KEYS)[0], _MARKS.get(sign))


def _among(words: Iterable[str], known: tuple[str, ...]) -> tuple[str, ...]:
    found = tuple(words)
    for word in found:
        if word not in known:
            raise ValueError(f"unknown word {word!r}")
    return found
