"""The state of each case: what the data line claims, held against what the record knows.

A case counts only when both agree. Without a record, the signatures of the data stand alone («sin
registro»); from the first entry on, a signature that the record does not know is a flag set by hand.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from scoring import messages
from scoring.cases import CaseRow, parse_case
from scoring.jsonl import parse_object
from scoring.record.content import content_digest, line_digest
from scoring.record.entries import CaseItem, Kind, SignatureKeys, Transaction
from scoring.record.intent import Intent, steps_under_way
from scoring.record.required import ONE_SIGNATURE
from scoring.record.reviews import Stage, current_round, is_review, standing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scoring.cases import CaseFile
    from scoring.record.journal import Record
    from scoring.record.required import SignatureRule


class Status(StrEnum):
    """Where a case stands."""

    PENDIENTE = "pendiente"
    FIRMADO = "firmado"
    DEVUELTO = "devuelto"
    RETIRADO = "retirado"
    CADUCADO = "caducado"
    DESCUADRADO = "descuadrado"
    DESACUERDO = "desacuerdo"

    @property
    def waits(self) -> bool:
        """A person may sign it as it is: nobody's valid signature would be replaced."""
        return self in {Status.PENDIENTE, Status.RETIRADO, Status.CADUCADO, Status.DESACUERDO}


@dataclass(frozen=True, slots=True)
class CaseState:
    """The state of one case.

    Attributes:
        case_id: id of the case.
        status: where it stands.
        counts: it is gold: the gate may judge by it.
        reviewer: who signed, withdrew or returned it; None when nobody did.
        date: the date of that signature as written in the data, or of the entry (ISO).
        registered: the record holds an entry of this case; False is «sin registro».
        reason: catalogue key of the sentence that says why.
        fields: what that sentence names.
        entry: digest of the entry in force, or None.
        signed_text: the line as it was signed, for an expired signature; else None.
        asked: reviews by different persons that the set asks for.
        reviews: persons whose review of this content is in; 0 where one signature is asked for and given.
        stage: how far the reviews have come.
        support: digests of the entries that a case counts by, where two reviews are asked for.
    """

    case_id: str
    status: Status
    counts: bool
    reviewer: str | None
    date: str | None
    registered: bool
    reason: str
    fields: Mapping[str, object] = field(default_factory=dict)
    entry: str | None = None
    signed_text: str | None = field(default=None, repr=False)
    asked: int = 1
    reviews: int = 0
    stage: Stage = Stage.NONE
    support: tuple[str, ...] = ()

    def sentence(self) -> str:
        """Why the case is in this state."""
        return messages.text(self.reason, **self.fields)


_PROBLEMS_OF_SIGNATURE = frozenset(
    {"cases.signed_without_reviewer", "cases.signed_without_date", "cases.not_iso_date"}
)
_SIGNATURE_FIELDS = frozenset({"validado", "revisor", "fecha_validacion"})


def signed_properly(row: CaseRow) -> bool:
    """The line claims a signature and names a person and a date for it."""
    return row.case.validado and not any(
        problem.key in _PROBLEMS_OF_SIGNATURE or problem.where in _SIGNATURE_FIELDS
        for problem in row.problems
    )


def case_states(
    file: CaseFile, record: Record, intent: Intent | None = None, rule: SignatureRule = ONE_SIGNATURE
) -> Mapping[str, CaseState]:
    """The state of every case of ``file`` by id, in file order.

    A step under way whose record line is committed shows as done, because the next save finishes it.
    A repeated id has one state, which never counts. Rows without an id have none. Where ``rule`` asks for
    two reviews, a case counts with both, in agreement or settled.
    """
    return {state.case_id: state for state in each_state(file, record, intent, rule)}


def each_state(
    file: CaseFile, record: Record, intent: Intent | None = None, rule: SignatureRule = ONE_SIGNATURE
) -> Iterator[CaseState]:
    """The states of :func:`case_states`, one after the other, so that somebody may keep them elsewhere."""
    steps = steps_under_way(file, record, intent)
    repeated = file.repeated_ids()
    seen: set[str] = set()
    for row in file.rows:
        case_id = row.case.id
        if not case_id or case_id in seen:
            continue
        if case_id in repeated:
            seen.add(case_id)
        under_way = case_id in steps
        raw = steps.get(case_id, row.row.line.raw)
        shown = _as_after(row, raw) if under_way else row
        state = _reviewed(_judged(shown, raw, record), shown, raw, record, rule)
        yield _state(state, shown, repeated=case_id in repeated, under_way=under_way)


def _as_after(row: CaseRow, raw: bytes) -> CaseRow:
    """The row as it will be once the step is finished."""
    case, problems = parse_case(parse_object(raw), line=row.row.line.number)
    return CaseRow(row.row, case, problems)


def _state(state: CaseState, row: CaseRow, *, repeated: bool, under_way: bool) -> CaseState:
    if repeated:
        return _but(state, reason="record.repeated_id")
    if state.status is not Status.FIRMADO:
        return state
    if row.problems:
        return _but(state, reason="record.invalid_case", fields={"n": len(row.problems)})
    return replace(state, reason="record.under_way") if under_way else state


def _but(state: CaseState, *, reason: str, fields: Mapping[str, object] | None = None) -> CaseState:
    """The same state, not counted, for another reason."""
    return replace(state, counts=False, reason=reason, fields=fields or {})


def _reviewed(state: CaseState, row: CaseRow, raw: bytes, record: Record, rule: SignatureRule) -> CaseState:
    """``state``, as the data line and its signature have it, in the light of the reviews."""
    case_id, asked = row.case.id, rule.required(row.case.split)
    in_front = record.effective(case_id)
    reviewed = any(is_review(entry, entry.item(case_id)) for entry in in_front)
    if asked == 1 and not reviewed:
        return state
    state = replace(state, asked=asked)
    returned = state.status is Status.DEVUELTO and any(entry.digest == state.entry for entry in in_front)
    if state.status is Status.DESCUADRADO or returned:
        return state
    if not record.exists:
        one = state.status is Status.FIRMADO
        return _short_of(state, 1) if one else state
    found = current_round(record, case_id, content_digest(raw), one_of_both=rule.one_of_both)
    stage, persons = found.stage(asked), len(found.persons)
    names = ", ".join(sorted({review.name for review in found.supporters}))
    if stage is Stage.NONE:
        return _short_of(state, 0) if state.status is Status.FIRMADO else state
    if stage is Stage.PARTIAL:
        return _short_of(state, persons)
    if stage is Stage.SPLIT:
        return _open_review(state, Status.DESACUERDO, "second.split", persons, stage, names=names)
    if stage is Stage.CORRECT:
        return _open_review(state, Status.PENDIENTE, "second.correct", persons, stage, names=names)
    if state.status is Status.FIRMADO:
        support = tuple(sorted({review.entry.digest for review in found.supporters}))
        return replace(state, reviews=persons, stage=stage, support=support)
    if asked == 1:
        return _open_review(state, Status.PENDIENTE, "record.pending", persons, stage)
    return _open_review(state, Status.PENDIENTE, "second.close", persons, stage, names=names)


def _short_of(state: CaseState, persons: int) -> CaseState:
    """A case with too few reviews. Nothing of the one that is in is told, not even whose it is."""
    reason = "second.one_of_two_signed" if state.status is Status.FIRMADO else "second.one_of_two"
    return _open_review(state, Status.PENDIENTE, reason, persons, Stage.PARTIAL)


def _open_review(
    state: CaseState, status: Status, reason: str, persons: int, stage: Stage, **fields: object
) -> CaseState:
    return replace(
        state,
        status=status,
        counts=False,
        reviewer=None,
        date=None,
        reason=reason,
        fields={"n": persons, "asked": state.asked, **fields},
        entry=None,
        signed_text=None,
        reviews=persons,
        stage=stage,
    )


def _judged(row: CaseRow, raw: bytes, record: Record) -> CaseState:
    """The state by the data line and its signature alone; reviews are looked at afterwards."""
    line = _Line(row, raw, record, standing(record, row.case.id))
    if not line.effective:
        return line.without_entry()
    entry = line.effective[0]
    if record.breaks:
        return line.state(Status.DESCUADRADO, "record.broken", entry)
    if any(_effect(other, row.case.id) != _effect(entry, row.case.id) for other in line.effective[1:]):
        names = ", ".join(sorted({other.reviewer or "?" for other in line.effective}))
        return line.state(Status.DESCUADRADO, "record.two_decisions", entry, names=names)
    if entry.writes is not None and entry.writes.validado:
        return line.signed(entry, entry.writes)
    return line.unsigned(entry)


@dataclass(frozen=True, slots=True)
class _Line:
    """A data line and what the record holds of its case.

    Attributes:
        row, raw: the line as a case and as bytes.
        record: the record.
        effective: the entries in force for the case; after a merge two lines may hold one decision.
    """

    row: CaseRow
    raw: bytes
    record: Record
    effective: tuple[Transaction, ...]

    def state(
        self, status: Status, reason: str, entry: Transaction | None = None, **fields: object
    ) -> CaseState:
        """The case as ``status``; who and when are those of the line, or of ``entry`` if it decides."""
        case = self.row.case
        keys = entry.writes if entry is not None else None
        by_data = status in {Status.FIRMADO, Status.DESCUADRADO} and case.validado
        reviewer = case.revisor if by_data else (entry.reviewer if entry is not None else None)
        date = case.fecha_validacion if by_data else _date(entry)
        if status is Status.CADUCADO and keys is not None:
            reviewer, date = keys.revisor, keys.fecha_validacion
        return CaseState(
            case.id,
            status,
            counts=status is Status.FIRMADO,
            reviewer=reviewer,
            date=date,
            registered=bool(self.effective or self.record.effective(case.id)),
            reason=reason,
            fields={"reviewer": reviewer or "", "date": date or "", **fields},
            entry=entry.digest if entry is not None else None,
        )

    def same_content(self) -> bool:
        """The line says what it said when the entries in force were written."""
        items = [_item_of(entry, self.row.case.id) for entry in self.effective]
        mine = line_digest(self.raw)
        return any(mine == item.line for item in items) or content_digest(self.raw) == items[0].after

    def without_entry(self) -> CaseState:
        """No entry is in force: a signature of the line is valid only as long as there is no record."""
        if not self.row.case.validado:
            return self.state(Status.PENDIENTE, "record.pending")
        if self.record.exists:
            broken = self.record.breaks
            return self.state(Status.DESCUADRADO, "record.broken" if broken else "record.not_in_record")
        if not signed_properly(self.row):
            return self.state(Status.PENDIENTE, "record.signed_by_nobody")
        return self.state(Status.FIRMADO, "record.signed_unregistered")

    def signed(self, entry: Transaction, keys: SignatureKeys) -> CaseState:
        """The record says that the case is signed, with ``keys`` in its line."""
        if not _agrees(self.row, keys):
            reason = "record.other_signature" if self.row.case.validado else "record.data_older"
            return self.state(Status.DESCUADRADO, reason, entry)
        if not self.same_content():
            signed_text = _item_of(entry, self.row.case.id).text
            return replace(self.state(Status.CADUCADO, "record.expired", entry), signed_text=signed_text)
        return self.state(Status.FIRMADO, _how_signed(entry), entry)

    def unsigned(self, entry: Transaction) -> CaseState:
        """The record says that the case is not signed: corrected, returned, or its signature withdrawn."""
        if self.row.case.validado:
            reason = "record.not_in_record" if entry.writes is None else "record.signed_after_withdrawal"
            return self.state(Status.DESCUADRADO, reason, entry)
        why = entry.reason or ""
        if entry.kind is Kind.DEVUELVE:
            if self.same_content():
                return self.state(Status.DEVUELTO, "record.returned", entry, why=why)
            return self.state(Status.PENDIENTE, "record.answered", entry, why=why)
        if entry.writes is None:
            reason = "record.edited" if entry.kind is Kind.EDITA else "record.pending"
            return self.state(Status.PENDIENTE, reason, entry)
        if entry.kind is Kind.EDITA:
            return self.state(Status.RETIRADO, "record.edited_signed", entry, why=why)
        return self.state(Status.RETIRADO, "record.withdrawn", entry, why=why)


def _how_signed(entry: Transaction) -> str:
    if entry.kind is Kind.ADOPTA:
        return "record.signed_adopted"
    return "record.signed_by_key" if entry.has_key else "record.signed"


def _item_of(entry: Transaction, case_id: str) -> CaseItem:
    item = entry.item(case_id)
    if item is None:
        raise KeyError(case_id)
    return item


def _effect(entry: Transaction, case_id: str) -> tuple[object, ...]:
    """What two entries must share to be one decision: an adoption and a merge of it are."""
    settled = entry.kind in {Kind.ADOPTA, Kind.FIRMA}
    return "firma" if settled else entry.kind, entry.writes, _item_of(entry, case_id).after


def _agrees(row: CaseRow, keys: SignatureKeys) -> bool:
    """The data line says what the entry wrote; absent and null are the same for an unsigned case."""
    case = row.case
    if not keys.validado:
        return not case.validado
    return (case.validado, case.revisor, case.fecha_validacion) == (
        True,
        keys.revisor,
        keys.fecha_validacion,
    )


def _date(entry: Transaction | None) -> str | None:
    if entry is None:
        return None
    moment = entry.local_time()
    if moment is not None:
        return moment.date().isoformat()
    return entry.writes.fecha_validacion if entry.writes is not None else None
