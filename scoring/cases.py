"""Typed, checked views of one line of the data set.

Checking and typing are one pass: ``parse_case`` answers with the case and with every problem of the
line, so that a screen can show a faulty case and a gate can refuse it, both for the same reasons.
``casos/caso.schema.json`` says the same in JSON Schema; a test holds the two together.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from scoring import jsonl
from scoring.case_fields import FieldReader
from scoring.errors import DataError
from scoring.jsonl import Document, Row, kind_of
from scoring.places import Place, Places
from scoring.plain import plain
from scoring.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

SPLITS = ("dev", "test")
SIGNATURE_KEYS = ("validado", "revisor", "fecha_validacion")
SYNTHETIC = "sintetico"
_REPEATED = "cases.duplicate_id"
MAX_ID = 120
MAX_NAME = 120
MAX_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class Patient:
    """Signalment; any part may be unknown (None). Age in months."""

    especie: str | None = None
    raza: str | None = None
    edad_meses: float | None = None
    sexo: str | None = None


@dataclass(frozen=True, slots=True)
class Expected:
    """The answer key of a case."""

    hallazgos_clave: tuple[str, ...] = ()
    diferenciales_aceptables: tuple[str, ...] = ()
    requiere_derivacion: bool = False
    fuera_de_alcance: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """One gold case as its line says it. Fields that failed their check hold their default.

    ``raw`` is the parsed object, unknown fields included; ``valores`` keeps the values as written
    (number, text or None). ``validado`` is what the line claims, not yet whether it counts.
    """

    id: str
    descripcion: str = ""
    split: str = "dev"
    tanda: str | None = None
    origen: str | None = None
    validado: bool = False
    revisor: str | None = None
    fecha_validacion: str | None = None
    paciente: Patient = field(default_factory=Patient)
    valores: Mapping[str, Any] = field(default_factory=dict)
    signos_clinicos: str = ""
    esperado: Expected = field(default_factory=Expected)
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def synthetic(self) -> bool:
        """The line itself says that its data were invented."""
        return self.origen == SYNTHETIC


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A line of the data set that holds an object: the case, where it stands, what is wrong with it."""

    row: Row
    case: Case
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class CaseFile:
    """A data set as read: every case row in file order and every problem of the file.

    ``problems`` holds the unreadable lines, the problems of the cases and the repeated ids, by line.
    ``places`` says of every row where it is and whose, without the case itself being read.
    """

    document: Document
    rows: Sequence[CaseRow]
    problems: tuple[Problem, ...]
    places: Sequence[Place]

    def index(self) -> Mapping[str, int]:
        """Each id -> the first row that has it, where rows are stored; else empty."""
        return self.places.first if isinstance(self.places, Places) else {}

    def known_ids(self) -> Collection[str]:
        """Every id that a row has, empty ones left out."""
        return self.index() or {place.case_id for place in self.places if place.case_id}

    def repeated_ids(self) -> frozenset[str]:
        """The ids that stand in more than one row."""
        return frozenset(p.case_id for p in self.problems if p.key == _REPEATED and p.case_id)

    @property
    def synthetic(self) -> bool:
        """Any case says its data were invented; then the product labels the set as a demonstration."""
        return any(row.case.synthetic for row in self.rows)

    def by_id(self) -> dict[str, CaseRow]:
        """Case rows by id; of a repeated id the first (the repetition is among the problems)."""
        found: dict[str, CaseRow] = {}
        for row in self.rows:
            found.setdefault(row.case.id, row)
        return found


def parse_case(obj: Mapping[str, Any], *, line: int | None = None) -> tuple[Case, tuple[Problem, ...]]:
    """The case of a parsed object and every problem of its fields, in the order of the schema.

    A missing ``split`` is ``dev``, a missing ``validado`` or ``fuera_de_alcance`` is false; any other
    missing field of ``esperado`` is a problem.
    """
    check = FieldReader(line)
    case_id = _case_id(check, obj)
    split = _split(check, obj)
    expected = _expected(check, obj)
    validado = check.boolean(obj, "validado", "validado", required=False)
    revisor = check.text(obj, "revisor", "revisor", limit=MAX_TEXT)
    fecha = check.text(obj, "fecha_validacion", "fecha_validacion", limit=MAX_TEXT)
    if validado:
        if revisor is None or not any(char.isalnum() for char in revisor):
            check.add("revisor", "signed_without_reviewer")
        elif len(revisor) > MAX_NAME:
            check.add("revisor", "text_too_long", length=len(revisor), limit=MAX_NAME)
        elif plain(revisor) != revisor:
            check.add("revisor", "reviewer_unprintable", found=revisor)
        if fecha is None:
            check.add("fecha_validacion", "signed_without_date")
    if fecha is not None and not is_iso_date(fecha):
        check.add("fecha_validacion", "not_iso_date", found=fecha)
    case = Case(
        id=case_id,
        descripcion=check.text(obj, "descripcion", "descripcion", limit=MAX_TEXT) or "",
        split=split,
        tanda=check.text(obj, "tanda", "tanda", limit=MAX_ID),
        origen=check.text(obj, "origen", "origen", limit=MAX_ID),
        validado=validado,
        revisor=revisor,
        fecha_validacion=fecha,
        paciente=_patient(check, obj),
        valores=_values(check, obj),
        signos_clinicos=check.text(obj, "signos_clinicos", "signos_clinicos", limit=MAX_TEXT) or "",
        esperado=expected,
        raw=obj,
    )
    return case, tuple(check.problems)


def _case_id(check: FieldReader, obj: Mapping[str, Any]) -> str:
    value = check.text(obj, "id", "id", required=True, limit=MAX_ID)
    if value is None:
        return ""
    if not value.strip():
        check.add("id", "blank")
    elif plain(value) != value or value != value.strip():
        check.add("id", "id_unprintable", found=value)
    check.case_id = value
    return value


def _split(check: FieldReader, obj: Mapping[str, Any]) -> str:
    value = obj.get("split", "dev")
    if not isinstance(value, str):
        check.add("split", "not_split", found=kind_of(value))
        return "dev"
    if value not in SPLITS:
        check.add("split", "unknown_split", found=value)
        return "dev"
    return value


def _expected(check: FieldReader, obj: Mapping[str, Any]) -> Expected:
    inner = check.object(obj, "esperado", "esperado", required=True)
    if not isinstance(obj.get("esperado"), dict):
        return Expected()
    expected = Expected(
        hallazgos_clave=check.texts(inner, "hallazgos_clave", "esperado.hallazgos_clave", limit=MAX_TEXT),
        diferenciales_aceptables=check.texts(
            inner, "diferenciales_aceptables", "esperado.diferenciales_aceptables", limit=MAX_TEXT
        ),
        requiere_derivacion=check.boolean(
            inner, "requiere_derivacion", "esperado.requiere_derivacion", required=True
        ),
        fuera_de_alcance=check.boolean(
            inner, "fuera_de_alcance", "esperado.fuera_de_alcance", required=False
        ),
    )
    if expected.fuera_de_alcance and inner.get("requiere_derivacion") is False:
        check.add("esperado.requiere_derivacion", "scope_without_referral")
    return expected


def _patient(check: FieldReader, obj: Mapping[str, Any]) -> Patient:
    inner = check.object(obj, "paciente", "paciente", required=True)
    age = inner.get("edad_meses")
    if age is not None and (
        isinstance(age, bool) or not isinstance(age, int | float) or not math.isfinite(age)
    ):
        check.add("paciente.edad_meses", "not_number", found=kind_of(age))
        age = None
    return Patient(
        especie=check.text(inner, "especie", "paciente.especie", limit=MAX_ID),
        raza=check.text(inner, "raza", "paciente.raza", limit=MAX_ID),
        edad_meses=age,
        sexo=check.text(inner, "sexo", "paciente.sexo", limit=MAX_ID),
    )


def _values(check: FieldReader, obj: Mapping[str, Any]) -> Mapping[str, Any]:
    values = check.object(obj, "valores", "valores", required=True)
    for key, value in values.items():
        if value is None or isinstance(value, str):
            if isinstance(value, str) and len(value) > MAX_ID:
                check.add(f"valores.{key}", "text_too_long", length=len(value), limit=MAX_ID)
        elif isinstance(value, bool) or not isinstance(value, int | float):
            check.add(f"valores.{key}", "not_number", found=kind_of(value))
    return values


# `fromisoformat` also takes week dates and compact forms; the record asks for the plain calendar form.
_ISO_DATE = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:\d{2})?)?\Z", re.ASCII
)


def is_iso_date(value: str) -> bool:
    """``YYYY-MM-DD``, optionally with a time and a zone, and a day that exists."""
    if not _ISO_DATE.match(value):
        return False
    parse: Callable[[str], object] = date.fromisoformat if len(value) == 10 else datetime.fromisoformat
    try:
        parse(value)
    except ValueError:
        return False
    return True


def case_file(document: Document, known: CaseFile | None = None) -> CaseFile:
    """Every case of a document, checked; repeated ids are problems of the later lines.

    Args:
        document: the lines.
        known: an earlier reading; what it found in the rows that ``document`` took over is taken over.
    """
    before = {id(row.row): row for row in known.rows} if known is not None else {}
    gathered = Gathered()
    rows: list[CaseRow] = []
    for row in document.rows:
        old = before.get(id(row))
        if old is None or any(problem.key == _REPEATED for problem in old.problems):
            old = read_row(row)
        rows.append(gathered.take(old))
    return gathered.file(document, rows)


def read_row(row: Row) -> CaseRow:
    """The case of a row with the problems of its fields."""
    case, found = parse_case(row.value, line=row.line.number)
    return CaseRow(row, case, found)


class Gathered:
    """What is known of a data set whose rows come one by one: places, problems, repeated ids.

    Attributes:
        repeated: number of the row in the file (from 0) -> the problem that its id came before.
        places: where the rows stand, and whose they are.
    """

    def __init__(self) -> None:
        self.repeated: dict[int, Problem] = {}
        self.places = Places()
        self._problems: list[Problem] = []

    def take(self, found: CaseRow) -> CaseRow:
        """Take in the next row; answers with it, with its repeated id among its problems."""
        case, line = found.case, found.row.line.number
        first = self.places.line_of(case.id)
        if first is not None:
            again = Problem(_REPEATED, line=line, case_id=case.id, where="id", fields={"first": first})
            self.repeated[len(self.places)] = again
            found = CaseRow(found.row, case, (*found.problems, again))
        self.places.append(line, case.id, case.split)
        self._problems += found.problems
        return found

    def file(self, document: Document, rows: Sequence[CaseRow]) -> CaseFile:
        """The data set, once every row of ``document`` was taken in."""
        problems = sorted((*document.problems, *self._problems), key=lambda problem: problem.line or 0)
        if isinstance(rows, list):
            return CaseFile(document, tuple(rows), tuple(problems), tuple(self.places))
        return CaseFile(document, rows, tuple(problems), self.places)


def load_cases(path: Path, known: CaseFile | None = None) -> CaseFile:
    """Read and check a data set; see :func:`scoring.jsonl.read_bytes` for what is raised.

    Args:
        path: the file.
        known: an earlier reading of it, which spares the work on lines that did not change.
    """
    data = jsonl.read_bytes(path)
    return case_file(jsonl.parse(path, data, known.document if known is not None else None), known)


def require_valid(file: CaseFile) -> None:
    """Raise :class:`DataError` with every problem if the data set has any."""
    refuse(file.document.path, file.problems)


def refuse(path: Path, problems: Sequence[Problem]) -> None:
    """Raise :class:`DataError` naming the file if there is any problem."""
    if problems:
        raise DataError("cases.invalid", problems=problems, path=path, n=len(problems))
