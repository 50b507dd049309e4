"""What the engine answers with: frozen values, named as the data name them.

The attributes of findings and patterns carry the Spanish keys of the data (``clave``, ``gravedad``),
because they *are* data; everything else is English.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from scoring import messages
from scoring.engine.numbers import Number, shown

Direction: TypeAlias = Literal["alto", "bajo"]
Severity: TypeAlias = Literal["leve", "moderado", "grave"]
Side: TypeAlias = Literal["inferior", "superior"]
Level: TypeAlias = Literal["aviso", "nota"]


def json_number(value: Number | None) -> Number | None:
    """``value``, or None when it is infinite or NaN: JSON has no word for those."""
    return value if value is not None and math.isfinite(value) else None


@dataclass(frozen=True, slots=True)
class Finding:
    """One analyte outside its adjusted range.

    Attributes:
        clave: key of the analyte.
        nombre: its name in that species.
        unidad: unit of ``valor``; empty when it has none.
        valor: the number as read: a whole number stays whole; infinite only after an overflow.
        direccion: ``alto`` above the upper limit, ``bajo`` below the lower one.
        gravedad: ``leve``, ``moderado`` or ``grave``.
    """

    clave: str
    nombre: str
    unidad: str
    valor: Number
    direccion: Direction
    gravedad: Severity

    def to_dict(self) -> dict[str, Any]:
        """The finding as a JSON object; an infinite ``valor`` becomes null (a notice tells why)."""
        return {
            "clave": self.clave,
            "nombre": self.nombre,
            "unidad": self.unidad,
            "valor": json_number(self.valor),
            "direccion": self.direccion,
            "gravedad": self.gravedad,
        }


@dataclass(frozen=True, slots=True)
class Pattern:
    """A named combination of findings.

    Attributes:
        clave: stable key; two keys joined by ``+`` for a mixed acid-base disorder.
        nombre: what a person reads.
        gravedad: severity of the pattern.
        parametros: keys of the findings it rests on.
        explicacion: one or two sentences for the veterinarian.
        fuente: work behind the explanation, or None when none is named.
        estadio: IRIS stage, 2 to 4; None for every other pattern.
        subestadio: IRIS substage by proteinuria, or None.
        nota: why the IRIS stage is not the one of creatinine, or None.
    """

    clave: str
    nombre: str
    gravedad: Severity
    parametros: tuple[str, ...]
    explicacion: str
    fuente: str | None
    estadio: int | None = None
    subestadio: str | None = None
    nota: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The pattern as a JSON object; the three IRIS keys only where there is a stage."""
        found: dict[str, Any] = {"clave": self.clave}
        if self.estadio is not None:
            found |= {"estadio": self.estadio, "subestadio": self.subestadio, "nota": self.nota}
        return found | {
            "nombre": self.nombre,
            "gravedad": self.gravedad,
            "parametros": list(self.parametros),
            "explicacion": self.explicacion,
            "fuente": self.fuente,
        }


@dataclass(frozen=True, slots=True)
class LimitMove:
    """What moved one limit of a range.

    Attributes:
        side: which limit.
        factor: what it was multiplied by.
        kind: ``edad`` or ``raza``.
        label: the age category or the breed group.
        source: work behind the factor, or None when none is named.
    """

    side: Side
    factor: float
    kind: Literal["edad", "raza"]
    label: str
    source: str | None

    def to_dict(self) -> dict[str, Any]:
        """The move as a JSON object."""
        return {
            "limite": self.side,
            "factor": self.factor,
            "por": self.kind,
            "motivo": self.label,
            "fuente": self.source,
        }


@dataclass(frozen=True, slots=True)
class MeasuredRange:
    """One measured analyte with the range that applies to this patient.

    Attributes:
        key: key of the analyte.
        name: its name in that species.
        unit: unit of value and limits; empty when it has none.
        value: the number as read.
        raw: what the data held, a number or a text.
        low: lower limit of the table.
        high: upper limit of the table.
        adjusted_low: lower limit for this patient; belongs to the range.
        adjusted_high: upper limit for this patient; belongs to the range.
        moves: what moved a limit, in the order applied; empty when nothing did.
    """

    key: str
    name: str
    unit: str
    value: Number
    raw: Number | str
    low: float
    high: float
    adjusted_low: float
    adjusted_high: float
    moves: tuple[LimitMove, ...]

    def to_dict(self) -> dict[str, Any]:
        """The range as a JSON object."""
        return {
            "clave": self.key,
            "nombre": self.name,
            "unidad": self.unit,
            "valor": json_number(self.value),
            "inferior": self.low,
            "superior": self.high,
            "inferior_ajustado": self.adjusted_low,
            "superior_ajustado": self.adjusted_high,
            "ajustes": [move.to_dict() for move in self.moves],
        }


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a veterinarian should know about the input or about what the engine does not say.

    Attributes:
        code: stable name, also the catalogue key ``engine.<code>``.
        level: ``aviso`` when part of the input cannot be trusted, ``nota`` when the input is sound.
        field: where (``valores.hct``, ``paciente.edad_meses``); empty when it concerns no single field.
        found: what was there, cut to a readable length; empty when it does not matter.
        read: the number the engine took from it, or None.
        facts: what else the sentence names, as (name, text) pairs.
    """

    code: str
    level: Level
    field: str = ""
    found: str = ""
    read: Number | None = None
    facts: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The sentence, in the language in force, safe to show."""
        number = "" if self.read is None else shown(self.read)
        return messages.text(
            f"engine.{self.code}", field=self.field, found=self.found, read=number, **dict(self.facts)
        )

    def to_dict(self) -> dict[str, Any]:
        """The notice as a JSON object, its sentence included."""
        return {
            "codigo": self.code,
            "nivel": self.level,
            "campo": self.field,
            "encontrado": self.found,
            "leido": json_number(self.read),
            "texto": self.text,
        }


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything the engine says about one patient.

    Attributes:
        findings: analytes out of range, in the order of the reference table.
        patterns: combinations of findings, in the order of the pattern table.
        notices: what to know before trusting the two above; never changes them.
        ranges: every measured analyte with its adjusted range, in table order.
        species: the species the engine was applied to, or None when it was not applied.
        age_category: the age category used, or None when the engine was not applied.
    """

    findings: tuple[Finding, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    notices: tuple[Notice, ...] = ()
    ranges: tuple[MeasuredRange, ...] = ()
    species: str | None = None
    age_category: str | None = None

    @property
    def applied(self) -> bool:
        """Whether the species has ranges; when False, empty lists mean «not looked», not «healthy»."""
        return self.species is not None

    def finding(self, key: str) -> Finding | None:
        """The finding of one analyte, or None when it is in range or was not measured."""
        return next((found for found in self.findings if found.clave == key), None)

    def to_dict(self) -> dict[str, Any]:
        """The analysis as plain JSON data: strict JSON for any input, infinite numbers as null."""
        return {
            "aplicado": self.applied,
            "categoria_edad": self.age_category,
            "hallazgos": [found.to_dict() for found in self.findings],
            "patrones": [pattern.to_dict() for pattern in self.patterns],
            "rangos": [measured.to_dict() for measured in self.ranges],
            "avisos": [notice.to_dict() for notice in self.notices],
        }
