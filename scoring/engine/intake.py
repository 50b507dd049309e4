"""What was given, understood: patient and values, with a notice for whatever cannot be trusted.

Only the documented forms are used. An age that is neither a number nor a text that is wholly one
counts as unknown (adult ranges) and is told, since «2 años» read as 2 months would make a puppy of an
adult; a breed that is not text counts as missing. Nothing given here can raise an exception.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoring import tables
from scoring.engine import suggestions
from scoring.engine.model import Notice
from scoring.engine.numbers import BLANKS, as_double, excerpt, read, shown, whole_number
from scoring.engine.ranges import age_table, breed_groups

if TYPE_CHECKING:
    from scoring.engine.model import Level
    from scoring.engine.numbers import Number, Reading
    from scoring.tables import Analyte

MAX_UNKNOWN_NAMED = 25
"""So many unknown analytes are named one by one; the others are counted."""

_LOOKED_AT = 40  # characters of a text that decide what is said of it; longer ones are no numbers
_COMMA = re.compile(r",[0-9]")
_WHOLE_COMMA = re.compile(r"([+-]?[0-9]+),([0-9]+)(?![0-9.,])")
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(\.[0-9]{3})+")
_COMPARATOR = re.compile(r"[<>≤≥]")


@dataclass(frozen=True, slots=True)
class Patient:
    """The patient as the engine understands it.

    Attributes:
        species: one of :data:`scoring.tables.SPECIES`, or None: the engine is not applied.
        months: age in months, negative and infinite allowed, or None when unknown.
        breed: the breed as written, or None.
    """

    species: str | None
    months: Number | None
    breed: str | None


@dataclass(frozen=True, slots=True)
class Measured:
    """One value that was read: the number and what it was read from."""

    value: Number
    raw: Number | str


def read_patient(given: object) -> tuple[Patient, list[Notice]]:
    """The patient, and what could not be trusted about it."""
    if given is None:
        given = {}
    if not isinstance(given, Mapping):
        return Patient(None, None, None), [Notice("patient_not_object", "aviso", "paciente", excerpt(given))]
    species, notices = _species(given.get("especie"))
    if species is None:
        return Patient(None, None, None), notices
    months, about_age = _age(given.get("edad_meses"), species)
    breed, about_breed = _breed(given.get("raza"), species)
    return Patient(species, months, breed), [*notices, *about_age, *about_breed]


def _species(given: object) -> tuple[str | None, list[Notice]]:
    if isinstance(given, str) and given in tables.SPECIES:
        return given, []
    field = "paciente.especie"
    legal = (("legal", ", ".join(tables.SPECIES)),)
    if given is None or given == "":
        return None, [Notice("species_missing", "aviso", field, facts=legal)]
    if not isinstance(given, str):
        return None, [Notice("species_wrong_type", "aviso", field, excerpt(given), facts=legal)]
    near = suggestions.species(given)
    if near is not None:
        return None, [Notice("species_near", "aviso", field, excerpt(given), facts=(("near", near),))]
    return None, [Notice("species_unknown", "aviso", field, excerpt(given), facts=legal)]


def _age(given: object, species: str) -> tuple[Number | None, list[Notice]]:
    field = "paciente.edad_meses"
    if given is None or (isinstance(given, str) and not given.strip(BLANKS)):
        return None, [Notice("age_missing", "nota", field)]
    notices: list[Notice] = []
    months = read(given).value
    if isinstance(given, str):
        months = whole_number(given)
        if months is not None:
            notices.append(Notice("age_as_text", "aviso", field, excerpt(given), months))
    if months is None:
        code = "age_unreadable" if isinstance(given, str | float) else "age_wrong_type"
        return None, [Notice(code, "aviso", field, excerpt(given))]
    if months < 0:
        notices.append(Notice("age_negative", "aviso", field, excerpt(given), months))
    elif months > age_table(species).oldest_credible:
        notices.append(Notice("age_implausible", "aviso", field, excerpt(given), months))
    return months, notices


def _breed(given: object, species: str) -> tuple[str | None, list[Notice]]:
    field = "paciente.raza"
    if given is None:
        return None, []
    if not isinstance(given, str):
        return None, [Notice("breed_not_text", "aviso", field, excerpt(given))]
    for other in tables.SPECIES:
        group = next((g for g in breed_groups(other) if other != species and g.matches(given)), None)
        if group is not None:
            facts = (("group", group.name), ("other", other), ("species", species))
            return given, [Notice("breed_of_other_species", "nota", field, excerpt(given), facts=facts)]
    return given, []


def read_values(given: object, species: str | None) -> tuple[dict[str, Measured], list[Notice]]:
    """The values that were measured, by key in table order, and what could not be trusted.

    Values are read alike in every species, known or not; ``species`` lends the names. The notices
    follow the table too and unknown keys come after it in alphabetical order, so that the order of the
    input never shows.
    """
    if given is None:
        given = {}
    if not isinstance(given, Mapping):
        return {}, [Notice("values_not_object", "aviso", "valores", excerpt(given))]
    measured: dict[str, Measured] = {}
    notices: list[Notice] = []
    for key, analyte in tables.analytes(species or tables.SPECIES[0]).items():
        raw = given.get(key)
        reading = read(raw)
        if reading.kind == "absent":
            continue
        if reading.value is not None and isinstance(raw, int | float | str):
            measured[key] = Measured(reading.value, raw)
        notices.extend(_about_value(analyte, raw, reading))
    return measured, notices + _unknown(given)


def _about_value(analyte: Analyte, raw: object, reading: Reading) -> list[Notice]:
    field = f"valores.{analyte.key}"
    found = excerpt(raw)
    name = (("name", analyte.name),)
    if reading.value is None:
        code = {"not_a_number": "value_nan", "wrong_type": "value_wrong_type"}.get(reading.kind)
        if code is None:
            comparator = isinstance(raw, str) and _COMPARATOR.match(raw.strip(BLANKS))
            code = "value_comparator" if comparator else "value_unreadable"
        return [Notice(code, "aviso", field, found, facts=name)]
    notices = []
    if isinstance(raw, str):
        told = _about_text(analyte, raw.strip(BLANKS), reading.value, reading.rest)
        if told is not None:
            code, suggestion = told
            level: Level = "nota" if code == "unit_after_number" else "aviso"
            facts = (*name, ("suggestion", suggestion))
            notices.append(Notice(code, level, field, found, reading.value, facts))
    if math.isinf(as_double(reading.value)):
        notices.append(Notice("value_infinite", "aviso", field, found, reading.value, name))
    elif reading.value < 0 and not analyte.may_be_negative:
        notices.append(Notice("value_negative", "aviso", field, found, reading.value, name))
    return notices


def _about_text(analyte: Analyte, content: str, value: Number, rest: str) -> tuple[str, str] | None:
    """The code of what is odd about a text that begins with a number, and the spelling to suggest."""
    head = content[:_LOOKED_AT]
    if _COMMA.match(rest):
        whole = _WHOLE_COMMA.match(head)
        return ("decimal_comma_near", f"{whole[1]}.{whole[2]}") if whole else ("decimal_comma", "")
    if _may_group_thousands(analyte, content, value):
        return "thousands_point", content.replace(".", "")
    if not rest:
        return None
    if analyte.unit and _bare_unit(rest[:_LOOKED_AT]) == _bare_unit(analyte.unit):
        return "unit_after_number", shown(value)
    return "text_after_number", shown(value)


def _may_group_thousands(analyte: Analyte, content: str, value: Number) -> bool:
    """Whether a point may separate thousands: «1.200» of an enzyme, not «1.020» of a density."""
    return (
        analyte.high >= 100
        and as_double(value) < max(analyte.low, analyte.high / 10)
        and len(content) <= _LOOKED_AT
        and _THOUSANDS.fullmatch(content) is not None
    )


def _bare_unit(unit: str) -> str:
    """A unit without the differences of typing: ``x10^3/uL`` and ``x10³/μL`` are one."""
    folded = unicodedata.normalize("NFKC", unit).casefold()
    return "".join(c for c in folded.replace("μ", "u") if c not in " ^").strip(BLANKS)


def _unknown(given: Mapping[object, object]) -> list[Notice]:
    keys = sorted(
        (key if isinstance(key, str) else excerpt(key))
        for key, raw in given.items()
        if not (isinstance(key, str) and key in tables.ANALYTE_KEYS) and read(raw).kind != "absent"
    )
    notices = []
    for key in keys[:MAX_UNKNOWN_NAMED]:
        near = suggestions.analyte_keys(key)
        code = "analyte_near" if near else "analyte_unknown"
        facts = (("near", ", ".join(near)),) if near else ()
        notices.append(Notice(code, "aviso", f"valores.{excerpt(key)}", excerpt(key), facts=facts))
    if len(keys) > MAX_UNKNOWN_NAMED:
        more = (("count", str(len(keys) - MAX_UNKNOWN_NAMED)),)
        notices.append(Notice("analytes_unknown_more", "aviso", "valores", facts=more))
    return notices
