"""What the engine does not say, or says in a way that surprises, in the case at hand.

The rules look at findings only and at one analyte at a time. That is their nature and is not mended
here; a veterinarian who reads «BUN normal» must know, though, when nobody measured BUN. Every notice of
this module is a note: the input is sound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoring.engine.iris import iris_cuts, steps_above
from scoring.engine.model import Notice
from scoring.engine.numbers import as_double, shown
from scoring.engine.patterns import severity_lender
from scoring.engine.rules import rules
from scoring.tables import analytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scoring.engine.intake import Measured
    from scoring.engine.model import Direction, Finding, Pattern
    from scoring.engine.rules import Rule

_COUNTS: tuple[tuple[str, str, Direction], ...] = (
    ("neutro", "neutro_abs", "bajo"),
    ("linfo", "linfo_abs", "bajo"),
    ("eosino", "eosino_abs", "alto"),
)
"""Percentage, absolute count, and the direction a pattern is named for."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One analysed patient, as the notes need it."""

    species: str
    measured: Mapping[str, Measured]
    findings: Mapping[str, Finding]
    patterns: tuple[Pattern, ...]

    def name(self, key: str) -> str:
        """Name of an analyte."""
        return analytes(self.species)[key].name

    def value(self, key: str) -> float | None:
        """The measured number, in range or not, or None."""
        return as_double(self.measured[key].value) if key in self.measured else None

    def pattern(self, key: str) -> Pattern | None:
        """A pattern that was named, or None."""
        return next((pattern for pattern in self.patterns if pattern.clave == key), None)

    def side(self, key: str) -> Direction | None:
        """The direction of a finding, or None."""
        return self.findings[key].direccion if key in self.findings else None


def oddities(seen: Seen) -> tuple[Notice, ...]:
    """Every note: red cells, then the patterns in their order, kidney, electrolytes, cell counts."""
    by_key = {rule.key: rule for rule in rules()}
    notices = list(_red_cells(seen))
    for pattern in seen.patterns:
        notices.extend(_of_rule(seen, by_key[pattern.clave], pattern))
    return (*notices, *_iris(seen), *_sodium_potassium(seen), *_counts(seen))


def _of_rule(seen: Seen, rule: Rule, pattern: Pattern) -> Iterator[Notice]:
    for key in rule.assumes_normal:
        if key not in seen.measured:
            facts = (("pattern", pattern.nombre), ("analyte", seen.name(key)))
            yield Notice("assumed_normal", "nota", f"valores.{key}", facts=facts)
    lender = severity_lender(rule, seen.findings)
    asked = {term.direction for term in (*rule.every, *rule.some) if term.analyte == lender}
    if lender is not None and asked and not asked & {None, seen.side(lender)}:
        facts = (("pattern", pattern.nombre), ("analyte", seen.name(lender)))
        yield Notice("severity_of_opposite", "nota", f"valores.{lender}", facts=facts)


def _red_cells(seen: Seen) -> Iterator[Notice]:
    volume = seen.value("vcm")
    if seen.pattern("anemia") and volume is not None and "vcm" not in seen.findings:
        yield Notice("anaemia_normocytic", "nota", "valores.vcm", read=seen.measured["vcm"].value)
    if seen.side("hgb") == "alto" and not seen.pattern("eritrocitosis"):
        yield Notice("haemoglobin_alone", "nota", "valores.hgb", read=seen.measured["hgb"].value)


def _iris(seen: Seen) -> Iterator[Notice]:
    cuts = iris_cuts(seen.species)
    creatinine, sdma = seen.value("creat"), seen.value("sdma")
    pattern = seen.pattern("erc_iris")
    if creatinine is not None and "creat" not in seen.findings:
        own = steps_above(creatinine, cuts.creatinine) + 1
        if own > 1:
            facts = (("stage", str(own)),)
            yield Notice("iris_in_range", "nota", "valores.creat", "", seen.measured["creat"].value, facts)
    if pattern is None or pattern.estadio is None:
        return
    if creatinine is None:
        yield Notice("iris_without_creatinine", "nota", "valores.creat")
    if sdma is not None and steps_above(sdma, cuts.sdma) + 1 > pattern.estadio:
        facts = (("stage", str(pattern.estadio)),)
        yield Notice("iris_one_step", "nota", "valores.sdma", "", seen.measured["sdma"].value, facts)


def _sodium_potassium(seen: Seen) -> Iterator[Notice]:
    """The quotient below the cut that goes unnamed because one of the two is in range."""
    rule = next(rule for rule in rules() if rule.key == "ratio_nak")
    sodium, potassium = seen.value("sodio"), seen.value("potasio")
    if rule.measure is None or sodium is None or potassium is None or potassium <= 0:
        return
    in_range = [seen.name(key) for key in ("sodio", "potasio") if key not in seen.findings]
    quotient = sodium / potassium
    if in_range and quotient < rule.measure.below:
        facts = (
            ("quotient", f"{quotient:.1f}"),
            ("limit", shown(rule.measure.below)),
            ("analyte", ", ".join(in_range)),
        )
        yield Notice("sodium_potassium_hidden", "nota", "valores.potasio", facts=facts)


def _counts(seen: Seen) -> Iterator[Notice]:
    """Percentage and absolute count that do not agree: the rules see the percentage only."""
    for percentage, absolute, direction in _COUNTS:
        if absolute not in seen.measured:
            continue
        by_percentage = seen.side(percentage) == direction
        by_count = seen.side(absolute) == direction
        if by_percentage != by_count:
            code = "percentage_only" if by_percentage else "count_only"
            facts = (("percentage", seen.name(percentage)),)
            yield Notice(code, "nota", f"valores.{absolute}", facts=facts)
