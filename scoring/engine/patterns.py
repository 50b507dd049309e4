"""Findings -> patterns: each rule of the table asked in turn.

Rules are independent of one another; what one excludes is written in its own row. Only findings are
looked at, so that «in range» and «not measured» are the same here (the notices tell them apart).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring import messages
from scoring.engine import iris
from scoring.engine.model import Pattern
from scoring.engine.numbers import as_double, shown
from scoring.engine.rules import rules

if TYPE_CHECKING:
    from scoring.engine.model import Severity
    from scoring.engine.rules import Findings, Measure, Rule


def patterns_of(findings: Findings, species: str) -> tuple[Pattern, ...]:
    """Every pattern the findings make, in table order.

    Args:
        findings: finding by analyte key.
        species: one of :data:`scoring.tables.SPECIES`.
    """
    found = (apply(rule, findings, species) for rule in rules())
    return tuple(pattern for pattern in found if pattern is not None)


def apply(rule: Rule, findings: Findings, species: str) -> Pattern | None:
    """The pattern of one rule, or None when its condition does not hold."""
    if species not in rule.species or not rule.terms_hold(findings):
        return None
    if rule.iris:
        return _staged(rule, findings, species)
    if rule.measure is not None:
        number = measured(rule.measure, findings)
        if number is None or not _within(rule.measure, number):
            return None
        grade = next(g for g, ceiling in rule.measure.grades if ceiling is None or number < ceiling)
        return _named(rule, findings, species, grade, f"{number:.1f}")
    return _named(rule, findings, species, _severity(rule, findings))


def measured(measure: Measure, findings: Findings) -> float | None:
    """The number a measure looks at, or None: not all findings, or a denominator of zero or less."""
    values = [as_double(findings[key].valor) for key in measure.of if key in findings]
    if len(values) < len(measure.of):
        return None
    if len(values) == 1:
        return values[0]
    return values[0] / values[1] if values[1] > 0 else None


def severity_lender(rule: Rule, findings: Findings) -> str | None:
    """The analyte whose severity the pattern takes, or None when the rule does not borrow any."""
    if isinstance(rule.severity, str):
        return None
    return next((key for key in rule.severity if key in findings), None)


def _within(measure: Measure, number: float) -> bool:
    return number < measure.below and (measure.at_least is None or number >= measure.at_least)


def _severity(rule: Rule, findings: Findings) -> Severity:
    if isinstance(rule.severity, str):
        return rule.severity
    lender = severity_lender(rule, findings)
    return "leve" if lender is None else findings[lender].gravedad


def _named(rule: Rule, findings: Findings, species: str, severity: Severity, quotient: str = "") -> Pattern:
    suffix = next((added for term, added in rule.suffixes if term.holds(findings)), "")
    return Pattern(
        clave=rule.key,
        nombre=rule.name + suffix,
        gravedad=severity,
        parametros=tuple(key for key in rule.parameters if key in findings),
        explicacion=_explanation(rule, findings, species).replace("{cociente}", quotient),
        fuente=rule.source,
    )


def _explanation(rule: Rule, findings: Findings, species: str) -> str:
    return next(
        (
            variant.text
            for variant in rule.variants
            if variant.species in {None, species} and (variant.when is None or variant.when.holds(findings))
        ),
        "",
    )


def _staged(rule: Rule, findings: Findings, species: str) -> Pattern | None:
    creatinine, sdma, upc = (
        as_double(findings[key].valor) if key in findings else None for key in ("creat", "sdma", "upc")
    )
    staging = iris.stage(species, creatinine, sdma, upc)
    if staging is None:
        return None
    substage = f", {staging.substage}" if staging.substage else ""
    note = None
    if staging.raised:
        note = messages.text(
            "engine.iris_raised",
            before=staging.by_creatinine,
            after=staging.stage,
            sdma=shown(findings["sdma"].valor),
            unit=findings["sdma"].unidad,
        )
    return Pattern(
        clave=rule.key,
        nombre=f"{rule.name} — estadio {staging.stage}{substage}",
        gravedad=iris.SEVERITY[staging.stage],
        parametros=tuple(key for key in rule.parameters if key in findings),
        explicacion=_explanation(rule, findings, species),
        fuente=rule.source,
        estadio=staging.stage,
        subestadio=staging.substage,
        nota=note,
    )
