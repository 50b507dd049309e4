"""The one way through the engine: values and patient in, :class:`Analysis` out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scoring.engine.intake import read_patient, read_values
from scoring.engine.model import Analysis, Finding, MeasuredRange
from scoring.engine.numbers import as_double
from scoring.engine.oddities import Seen, oddities
from scoring.engine.patterns import patterns_of
from scoring.engine.ranges import adjusted_ranges, age_table
from scoring.engine.severity import direction_of, severity_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.engine.intake import Measured
    from scoring.engine.ranges import AdjustedRange


def analyse(valores: Mapping[str, Any] | None, paciente: Mapping[str, Any] | None) -> Analysis:
    """Judge the values of one patient against the ranges that apply to it.

    Args:
        valores: analyte key -> number, text that begins with a number, or null, as in a case. Keys the
            table does not have are left out and told.
        paciente: ``especie``, ``raza``, ``edad_meses``, ``sexo``; each may be null or missing. The
            species must be ``canino`` or ``felino``, letter by letter; with any other the engine is not
            applied (``Analysis.applied`` is False). Without a readable age the adult ranges hold. An age
            written as text is used only when the whole text is a number. ``sexo`` changes nothing.

    Returns:
        Findings in table order, patterns in pattern order, every measured value with its adjusted
        range, and notices for what cannot be trusted. Notices never change findings or patterns.
        No JSON value, wherever it stands, makes this raise.
    """
    patient, notices = read_patient(paciente)
    measured, about_values = read_values(valores, patient.species)
    notices += about_values
    if patient.species is None:
        return Analysis(notices=tuple(notices))
    species = patient.species
    adjusted = adjusted_ranges(species, patient.months, patient.breed)
    found = {key: _finding(own, adjusted[key], species) for key, own in measured.items()}
    findings = {key: finding for key, finding in found.items() if finding is not None}
    patterns = patterns_of(findings, species)
    return Analysis(
        findings=tuple(findings.values()),
        patterns=patterns,
        notices=(*notices, *oddities(Seen(species, measured, findings, patterns))),
        ranges=tuple(_range(own, adjusted[key]) for key, own in measured.items()),
        species=species,
        age_category=age_table(species).of(patient.months).name,
    )


def _finding(own: Measured, limits: AdjustedRange, species: str) -> Finding | None:
    value = as_double(own.value)
    direction = direction_of(value, limits)
    if direction is None:
        return None
    return Finding(
        clave=limits.analyte.key,
        nombre=limits.analyte.name,
        unidad=limits.analyte.unit,
        valor=own.value,
        direccion=direction,
        gravedad=severity_of(value, direction, limits, species),
    )


def _range(own: Measured, limits: AdjustedRange) -> MeasuredRange:
    analyte = limits.analyte
    return MeasuredRange(
        key=analyte.key,
        name=analyte.name,
        unit=analyte.unit,
        value=own.value,
        raw=own.raw,
        low=analyte.low,
        high=analyte.high,
        adjusted_low=limits.low,
        adjusted_high=limits.high,
        moves=limits.moves,
    )
