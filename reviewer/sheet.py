"""ReviewSheet: all that a vet sees of one case, computed once and shown by every view.

Screen, Markdown and any later view render this value and decide nothing: what is out of range, what
the engine could not read and where the draft and the engine disagree is settled here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from reviewer.changes import Change, changes_between
from scoring import messages
from scoring.engine import Analysis, Finding, LimitMove, MeasuredRange, analyse, shown
from scoring.tables import ANALYTE_KEYS, analytes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reviewer.store import Entry
    from scoring.cases import Case, Patient
    from scoring.problems import Problem
    from scoring.record import CaseState

    Engine = Callable[[Mapping[str, object], Mapping[str, object]], Analysis]

Flag = Literal["H", "L", ""]
DisagreementKind = Literal[
    "declared_in_range", "declared_not_measured", "declared_unknown", "flagged_not_declared"
]


@dataclass(frozen=True, slots=True)
class SheetValue:
    """One row of the table of values.

    Attributes:
        key: analyte key as in the data.
        name: what a person reads; the key itself for an analyte without a table entry.
        unit: unit of value and range, empty when it has none.
        value: the value as the data say it.
        range: the range adjusted to this patient («37–55»), empty when there is none.
        flag: ``H`` above, ``L`` below, empty when in range or not judged.
        severity: ``leve``, ``moderado``, ``grave``, or empty.
        moved: what widened or moved the range («límite superior ×1,15 por edad: senior»), or empty.
        declared: the draft names it among its key findings.
        judged: the engine read the value and compared it with a range.
    """

    key: str
    name: str
    unit: str
    value: str
    range: str
    flag: Flag
    severity: str
    moved: str
    declared: bool
    judged: bool


@dataclass(frozen=True, slots=True)
class SheetPattern:
    """A pattern the engine finds, ready to read."""

    name: str
    severity: str
    parameters: str
    explanation: str
    note: str
    source: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Draft and engine do not say the same of one analyte."""

    kind: DisagreementKind
    key: str
    name: str

    @property
    def text(self) -> str:
        """The sentence, in the language in force."""
        return messages.text(f"sheet.{self.kind}", name=self.name, key=self.key)


@dataclass(frozen=True, slots=True)
class ReviewSheet:
    """One case as its reviewer reads it. Texts come from data: views make them safe to show.

    Attributes:
        signalment: label and value pairs, in reading order.
        values: measured values, those of the table first and in its order.
        findings: one sentence per finding, in the engine's order.
        engine: ``applied``, ``not_applied`` (unknown species: nothing was looked at) or ``failed``.
        engine_text: for the last two, the sentence that says so; empty otherwise.
        notices: what to know before trusting the values; the more serious first.
        disagreements: between the draft's key findings and what the engine flags.
        changes: what changed since the case was signed, for an expired signature; else empty.
        state: the signature state of the case.
        problems: what is wrong with the line; with any the case cannot be signed.
    """

    case_id: str
    description: str
    split: str
    batch: str
    synthetic: bool
    signalment: tuple[tuple[str, str], ...]
    signs: str
    values: tuple[SheetValue, ...]
    findings: tuple[str, ...]
    patterns: tuple[SheetPattern, ...]
    engine: Literal["applied", "not_applied", "failed"]
    engine_text: str
    notices: tuple[str, ...]
    key_findings: tuple[str, ...]
    differentials: tuple[str, ...]
    referral: bool
    out_of_scope: bool
    disagreements: tuple[Disagreement, ...]
    changes: tuple[Change, ...]
    state: CaseState
    problems: tuple[Problem, ...]


def build_sheet(entry: Entry, *, engine: Engine = analyse) -> ReviewSheet:
    """The sheet of one case. An engine that fails is said on the sheet, never raised."""
    case = entry.case
    analysis: Analysis | None
    failure = ""
    try:
        raw_patient = case.raw.get("paciente")
        analysis = engine(case.valores, raw_patient if isinstance(raw_patient, dict) else {})
    except Exception as error:  # noqa: BLE001 - a boundary that reports: a sheet without engine is still a sheet
        analysis = None
        failure = messages.text("sheet.engine_failed", kind=type(error).__name__)
    if analysis is not None and not analysis.applied:
        failure = messages.text("sheet.engine_not_applied")
    done = analysis or Analysis()
    return ReviewSheet(
        case_id=case.id,
        description=case.descripcion,
        split=case.split,
        batch=case.tanda or "",
        synthetic=case.synthetic,
        signalment=signalment(case.paciente),
        signs=case.signos_clinicos,
        values=_values(case, done),
        findings=tuple(_finding_text(found) for found in done.findings),
        patterns=tuple(
            SheetPattern(
                name=pattern.nombre,
                severity=pattern.gravedad,
                parameters=", ".join(_name(key, case) for key in pattern.parametros),
                explanation=pattern.explicacion,
                note=pattern.nota or "",
                source=pattern.fuente or "",
            )
            for pattern in done.patterns
        ),
        engine="failed" if analysis is None else "applied" if analysis.applied else "not_applied",
        engine_text=failure,
        notices=tuple(n.text for n in sorted(done.notices, key=lambda n: n.level != "aviso")),
        key_findings=tuple(_name(key, case) for key in case.esperado.hallazgos_clave),
        differentials=case.esperado.diferenciales_aceptables,
        referral=case.esperado.requiere_derivacion,
        out_of_scope=case.esperado.fuera_de_alcance,
        disagreements=_disagreements(case, done) if analysis is not None and analysis.applied else (),
        changes=_changes(entry),
        state=entry.state,
        problems=entry.problems,
    )


def _changes(entry: Entry) -> tuple[Change, ...]:
    signed = entry.state.signed_text
    return changes_between(signed.encode("utf-8"), entry.raw) if signed is not None else ()


def signalment(patient: Patient) -> tuple[tuple[str, str], ...]:
    """Species, breed, age and sex with their labels; what is unknown says so."""
    unknown = messages.text("sheet.unknown")
    return (
        (messages.text("sheet.species"), patient.especie or unknown),
        (messages.text("sheet.breed"), patient.raza or unknown),
        (messages.text("sheet.age"), age_text(patient.edad_meses)),
        (messages.text("sheet.sex"), patient.sexo or unknown),
    )


def age_text(months: float | None) -> str:
    """«4 años y 6 meses (54 meses)»; below one year only the months; what makes no sense as it came."""
    if months is None:
        return messages.text("sheet.unknown")
    if months < 0 or not math.isfinite(months) or months != int(months):
        return messages.text("sheet.age_raw", value=shown(months))
    years, rest = divmod(int(months), 12)
    in_months = messages.text("sheet.months", n=int(months))
    if years == 0:
        return in_months
    in_years = messages.text("sheet.years", n=years)
    if rest == 0:
        return messages.text("sheet.age_years", years=in_years, months=in_months)
    return messages.text(
        "sheet.age_years_months", years=in_years, rest=messages.text("sheet.months", n=rest), months=in_months
    )


def number_text(value: float) -> str:
    """A limit for people: at most six significant digits, so that 1.7 x 1.15 reads 1.955."""
    return f"{value:.6g}" if math.isfinite(value) and abs(value) < 1e6 else shown(value)


def range_text(measured: MeasuredRange) -> str:
    """«37–55»; a range that touches zero from below reads «-4 a 4»."""
    low, high = number_text(measured.adjusted_low), number_text(measured.adjusted_high)
    return messages.text("sheet.range_signed", low=low, high=high) if low.startswith("-") else f"{low}–{high}"


def _move_text(move: LimitMove) -> str:
    return messages.text(
        "sheet.moved",
        side=messages.text(f"sheet.side_{move.side}"),
        factor=shown(move.factor),
        why=messages.text(f"sheet.why_{move.kind}", label=_label(move)),
    )


def _label(move: LimitMove) -> str:
    """The age category as people write it; a breed group as the table names it."""
    return messages.text(f"sheet.age_category_{move.label}") if move.kind == "edad" else move.label


def _values(case: Case, analysis: Analysis) -> tuple[SheetValue, ...]:
    measured = {entry.key: entry for entry in analysis.ranges}
    declared = set(case.esperado.hallazgos_clave)
    known = {key: place for place, key in enumerate(ANALYTE_KEYS)}
    rows: list[SheetValue] = []
    for key, raw in sorted(case.valores.items(), key=lambda item: known.get(item[0], len(known))):
        if raw is None or raw == "":
            continue
        entry = measured.get(key)
        found = analysis.finding(key)
        rows.append(
            SheetValue(
                key=key,
                name=entry.name if entry else _name(key, case),
                unit=entry.unit if entry else "",
                value=_raw_text(raw),
                range=range_text(entry) if entry else "",
                flag="" if found is None else "H" if found.direccion == "alto" else "L",
                severity=found.gravedad if found else "",
                moved="; ".join(_move_text(move) for move in entry.moves) if entry else "",
                declared=key in declared,
                judged=entry is not None,
            )
        )
    return tuple(rows)


def _raw_text(raw: object) -> str:
    if isinstance(raw, str):
        return raw
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        return shown(raw)
    return str(raw)


def _finding_text(found: Finding) -> str:
    return messages.text(
        "sheet.finding",
        name=found.nombre,
        value=shown(found.valor),
        unit=f" {found.unidad}" if found.unidad else "",
        direction=messages.text(f"sheet.direction_{found.direccion}"),
        severity=messages.text(f"sheet.severity_{found.gravedad}"),
    )


def _name(key: str, case: Case) -> str:
    """The analyte's name in the species of the case; the key itself when the table has none."""
    species = case.paciente.especie or ""
    try:
        table = analytes(species)
    except LookupError:
        return key
    return table[key].name if key in table else key


def _disagreements(case: Case, analysis: Analysis) -> tuple[Disagreement, ...]:
    flagged = [found.clave for found in analysis.findings]
    measured = {entry.key for entry in analysis.ranges}
    declared = list(dict.fromkeys(case.esperado.hallazgos_clave))
    out: list[Disagreement] = []
    for key in declared:
        if key in flagged:
            continue
        kind: DisagreementKind
        if key in measured:
            kind = "declared_in_range"
        elif key in ANALYTE_KEYS:
            kind = "declared_not_measured"
        else:
            kind = "declared_unknown"
        out.append(Disagreement(kind, key, _name(key, case)))
    out.extend(
        Disagreement("flagged_not_declared", key, _name(key, case)) for key in flagged if key not in declared
    )
    return tuple(out)
