"""The counts of a data set: by split, state, batch and species, its integrity, and its honest label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scoring import messages
from scoring.errors import ExitCode
from scoring.record import Status
from scoring.record.audit import record_faults
from scoring.record.missing import missing_cases
from scoring.record.reviews import Stage
from scoring.record.trust import Trust, trust_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from reviewer.store import Dataset, Entry
    from scoring.problems import Problem

_ORDER = tuple(Status)
_ALWAYS = (Status.FIRMADO, Status.PENDIENTE)


@dataclass(frozen=True, slots=True)
class Group:
    """One row of a count: how many cases, and how many in each state that occurs."""

    name: str
    total: int
    by_state: tuple[tuple[Status, int], ...]

    def count(self, status: Status) -> int:
        """Cases of the group in that state."""
        return dict(self.by_state).get(status, 0)


@dataclass(frozen=True, slots=True)
class Returned:
    """A case sent back to its author: by whom, when (ISO date), why."""

    case_id: str
    reviewer: str
    date: str
    reason: str


@dataclass(frozen=True, slots=True)
class StatusReport:
    """What ``revision --estado`` says.

    Attributes:
        path: the data set, as it was named.
        whole: all cases; each of the three counts below adds up to it.
        by_split, by_batch, by_species: in the order in which their first case stands in the file.
        record_exists: there is a record file, if only empty.
        unregistered: signatures that stand in the data and in no record yet.
        by_name, by_key: registered signatures in force with a name only, or with a key, behind them.
        adopted: registered signatures that were in the data before there was a record.
        expired: ids of cases whose content changed since they were signed.
        mismatched: ids of cases whose data and record contradict one another.
        missing: ids of signed cases that are not found in the data.
        breaks: sentences on what is broken in the record.
        returned: cases that wait for their author, with the reason.
        under_way: ids of cases whose save was interrupted after it was committed.
        synthetic: the set says its data were invented, so the report carries the label that says so.
        problems: what is wrong with the data.
        partial: cases with one of the two reviews that are asked for.
        partly_signed: those among them that bear an earlier signature.
        split: cases whose reviews disagree.
        decided: cases that both reviews or an adjudication settled, and nobody signed yet.
    """

    path: str
    whole: Group
    by_split: tuple[Group, ...]
    by_batch: tuple[Group, ...]
    by_species: tuple[Group, ...]
    record_exists: bool
    unregistered: int
    by_name: int
    by_key: int
    adopted: int
    expired: tuple[str, ...]
    mismatched: tuple[str, ...]
    missing: tuple[str, ...]
    breaks: tuple[str, ...]
    returned: tuple[Returned, ...]
    under_way: tuple[str, ...]
    synthetic: bool
    problems: tuple[Problem, ...]
    partial: tuple[str, ...] = ()
    partly_signed: tuple[str, ...] = ()
    split: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        """0; 3 when the data have problems; 5 when the record is broken or the data contradict it."""
        if self.problems:
            return ExitCode.DATA_INVALID
        return ExitCode.INTEGRITY if self.breaks or self.mismatched or self.missing else ExitCode.OK

    def to_dict(self) -> dict[str, Any]:
        """For ``--json``; keys in Spanish like those of the data."""
        return {
            "archivo": self.path,
            "etiqueta": messages.text("clinical.demo_label") if self.synthetic else None,
            "total": self.whole.total,
            "por_estado": _states(self.whole),
            "por_grupo": _groups(self.by_split),
            "por_tanda": _groups(self.by_batch),
            "por_especie": _groups(self.by_species),
            "integridad": {
                "registro": self.record_exists,
                "por_nombre": self.by_name,
                "por_clave": self.by_key,
                "adoptadas": self.adopted,
                "sin_registro": self.unregistered,
                "caducados": list(self.expired),
                "descuadrados": list(self.mismatched),
                "desaparecidos": list(self.missing),
                "roturas": list(self.breaks),
                "guardado_interrumpido": list(self.under_way),
            },
            "devueltos": [
                {
                    "id": found.case_id,
                    "revisor": found.reviewer,
                    "fecha": found.date,
                    "motivo": found.reason,
                }
                for found in self.returned
            ],
            "segunda_opinion": {
                "incompletos": list(self.partial),
                "con_firma_anterior": list(self.partly_signed),
                "en_desacuerdo": list(self.split),
                "por_firmar": list(self.decided),
            },
            "problemas": [problem.to_dict() for problem in self.problems],
        }


def _states(group: Group) -> dict[str, int]:
    return {status.value: group.count(status) for status in _ORDER}


def _groups(groups: Iterable[Group]) -> dict[str, dict[str, int]]:
    return {group.name: {"total": group.total, **_states(group)} for group in groups}


def status_of(dataset: Dataset) -> StatusReport:
    """Count a data set. Cases that could not be read are among the problems, not among the counts."""
    entries = tuple(dataset.entries)
    trusts = [_trust(dataset, entry) for entry in entries]
    return StatusReport(
        path=str(dataset.path),
        whole=_group("", entries),
        by_split=_count(entries, _split),
        by_batch=_count(entries, lambda entry: entry.case.tanda or messages.text("status.no_batch")),
        by_species=_count(
            entries, lambda entry: entry.case.paciente.especie or messages.text("status.no_species")
        ),
        record_exists=dataset.record.exists,
        unregistered=sum(
            entry.state.status is Status.FIRMADO and not entry.state.registered for entry in entries
        ),
        expired=_ids(entries, Status.CADUCADO),
        mismatched=_ids(entries, Status.DESCUADRADO),
        missing=tuple(gone.case_id or "?" for gone in missing_cases(dataset.snapshot)),
        by_name=trusts.count(Trust.NOMBRE),
        by_key=trusts.count(Trust.CLAVE),
        adopted=trusts.count(Trust.ADOPTADA),
        breaks=tuple(found.sentence() for found in record_faults(dataset.record)),
        returned=_returned(entries),
        under_way=tuple(entry.case.id for entry in entries if entry.state.reason == "record.under_way"),
        synthetic=dataset.synthetic,
        problems=tuple(dataset.problems),
        partial=_at(entries, Stage.PARTIAL),
        partly_signed=tuple(e.id for e in entries if e.state.reason == "second.one_of_two_signed"),
        split=_ids(entries, Status.DESACUERDO),
        decided=tuple(e.id for e in entries if e.state.reason in {"second.correct", "second.close"}),
    )


def _split(entry: Entry) -> str:
    """The split as the line says it; what is none is not counted as dev, which its case falls back to."""
    told = any(problem.where == "split" for problem in entry.problems)
    return messages.text("status.bad_split") if told else entry.case.split


def _trust(dataset: Dataset, entry: Entry) -> Trust | None:
    """What stands behind a registered signature that is in force; None for any other case."""
    found = dataset.record.by_digest.get(entry.state.entry or "")
    return trust_of(found) if found is not None and entry.state.status is Status.FIRMADO else None


def _returned(entries: Iterable[Entry]) -> tuple[Returned, ...]:
    return tuple(
        Returned(
            entry.id,
            entry.state.reviewer or "?",
            entry.state.date or "?",
            str(entry.state.fields.get("why", "")),
        )
        for entry in entries
        if entry.state.status is Status.DEVUELTO
    )


def _ids(entries: Iterable[Entry], status: Status) -> tuple[str, ...]:
    # An id that stands in two lines is one case.
    return tuple(dict.fromkeys(entry.case.id for entry in entries if entry.state.status is status))


def _at(entries: Iterable[Entry], stage: Stage) -> tuple[str, ...]:
    return tuple(entry.id for entry in entries if entry.state.stage is stage)


def _group(name: str, entries: Iterable[Entry]) -> Group:
    statuses = [entry.state.status for entry in entries]
    counted = ((status, statuses.count(status)) for status in _ORDER)
    return Group(name, len(statuses), tuple((status, n) for status, n in counted if n))


def _count(entries: Iterable[Entry], key: Callable[[Entry], str]) -> tuple[Group, ...]:
    """Groups in the order in which their first case stands in the file."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(key(entry), []).append(entry)
    return tuple(_group(name, members) for name, members in found.items())


def status_lines(report: StatusReport) -> list[str]:
    """The report as text: label, counts in columns, integrity. Names are still raw: print them safely."""
    lines = [messages.text("clinical.demo_label")] if report.synthetic else []
    lines.append(messages.text("status.data", path=report.path))
    shown = [status for status in _ORDER if report.whole.count(status) or status in _ALWAYS]
    heads = ["", messages.text("status.total"), *(state_word(status) for status in shown)]
    rows: list[list[str]] = [_row(messages.text("status.all"), report.whole, shown)]
    for title, groups in (
        ("status.split", report.by_split),
        ("status.batch", report.by_batch),
        ("status.species", report.by_species),
    ):
        if [group.name for group in groups] != [messages.text("status.no_batch")]:
            rows += [_row(messages.text(title, name=group.name), group, shown) for group in groups]
    widths = [max(len(row[i]) for row in (heads, *rows)) for i in range(len(heads))]
    lines.append("")
    for row in (heads, *rows):
        cells = [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return [*lines, *returned_lines(report), *second_lines(report), "", *integrity_lines(report)]


def second_lines(report: StatusReport) -> list[str]:
    """Where a second review, an adjudication or the last signature is missing; nothing when nowhere."""
    said: list[str] = []
    for key, found in (
        ("partial", report.partial),
        ("signed", report.partly_signed),
        ("split", report.split),
        ("decided", report.decided),
    ):
        if found:
            said.append(messages.text(f"review.status_{key}", n=len(found), ids=", ".join(found)))
    return ["", *said] if said else []


def returned_lines(report: StatusReport) -> list[str]:
    """The returned cases with their reasons, for their authors; nothing when there are none."""
    if not report.returned:
        return []
    said = ["", messages.text("status.returned_head")]
    said += [
        messages.text(
            "status.returned_case", id=case.case_id, reviewer=case.reviewer, date=case.date, why=case.reason
        )
        for case in report.returned
    ]
    return said


def state_word(status: Status) -> str:
    """The heading of a state: «firmados», «pendientes», ..."""
    return messages.text(f"status.{status.value}")


def _row(name: str, group: Group, shown: Iterable[Status]) -> list[str]:
    return [name, str(group.total), *(str(group.count(status)) for status in shown)]


def integrity_lines(report: StatusReport) -> list[str]:
    """What the record says of the signatures, one sentence each."""
    said: list[str] = []
    if report.breaks:
        said.append(messages.text("status.record_broken", n=len(report.breaks)))
        said += [f"  {sentence}" for sentence in report.breaks]
    elif not report.record_exists:
        key = "status.record_none" if report.unregistered else "status.record_empty"
        said.append(messages.text(key, n=report.unregistered))
    elif report.unregistered:
        said.append(messages.text("status.record_partial", n=report.unregistered))
    elif not report.mismatched and not report.missing:
        said.append(messages.text("status.record_whole"))
    if report.by_name or report.by_key or report.adopted:
        said.append(
            messages.text("status.trust", name=report.by_name, key=report.by_key, adopted=report.adopted)
        )
    if report.under_way:
        said.append(
            messages.text("status.under_way", n=len(report.under_way), ids=", ".join(report.under_way))
        )
    if report.expired:
        said.append(messages.text("status.expired", n=len(report.expired), ids=", ".join(report.expired)))
    if report.mismatched:
        key = "status.uncounted" if report.breaks else "status.mismatched"
        said.append(messages.text(key, n=len(report.mismatched), ids=", ".join(report.mismatched)))
    if report.missing:
        said.append(messages.text("status.missing", n=len(report.missing), ids=", ".join(report.missing)))
    return said
