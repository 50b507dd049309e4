"""The reserved split on the command line: no aggregate that tells of one case, no single case unrecorded."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from scoring import messages
from scoring.access import access_path, record_look
from scoring.cli import console
from scoring.clinical.gate import MetricResult, Verdict
from scoring.errors import system_reason
from scoring.files import resolve
from scoring.looks import LEAST_CASES, check_step, earlier_looks, looks_path, marks, note
from scoring.sources import SourceKind, shipped_path, working_copy_path

if TYPE_CHECKING:
    from scoring.clinical import LiveGate
    from scoring.clinical.report import GateReport
    from scoring.sources import Source

TOO_FEW = "pocos_reservados"
TOO_FEW_ANSWERED = "pocas_salidas_reservadas"


def keep_apart(source: Source, ids: frozenset[str], kind: str = "") -> None:
    """Refuse an aggregate too near to an earlier one; note this one before it is shown.

    Args:
        source: the data set.
        ids: the cases of the reserved split that it is of.
        kind: of the figures, see :func:`scoring.looks.looks_path`.

    Raises:
        UsageError: it differs by one or two cases from an earlier one.
    """
    path, now = looks_path(source.path, kind), marks(ids)
    looks = earlier_looks(path)
    check_step(looks, now)
    try:
        note(path, looks, now, datetime.now().astimezone())
    except OSError as error:
        console.talk(messages.text("access.not_noted", path=path, reason=system_reason(error)))


def record_single_look(source: Source, split: str, who: str, cases_digest: str, outputs_digest: str) -> None:
    """Note who looks at single cases of the reserved split, before any is shown.

    Raises:
        WriteError: it cannot be noted; then nothing may be shown.
    """
    # Nothing is ever written beside the shipped set.
    shipped = source.kind is SourceKind.SHIPPED or resolve(source.path) == resolve(shipped_path())
    path = access_path(working_copy_path() if shipped else source.path)
    record_look(
        path,
        who=who,
        what="detalle-test",
        split=split,
        cases_digest=cases_digest,
        outputs_digest=outputs_digest,
        now=datetime.now().astimezone(),
    )
    console.talk(messages.text("access.recorded", path=path, who=who))


def telling(live: LiveGate, reserved: frozenset[str], *, broken: bool) -> tuple[str, int] | None:
    """Why figures of these reserved cases would tell of single ones, and of how many; None if they would not.

    So it is with too few cases; with too few outputs, since a case without one scores what is known
    beforehand; and with a record or data that were tampered with, which can take any one case out.

    Args:
        live: the gate.
        reserved: the cases of the reserved split that count; not empty.
        broken: record and data do not agree, or the record is damaged.
    """
    if len(reserved) < LEAST_CASES or broken:
        return TOO_FEW, len(reserved)
    answered = live.answered(reserved)
    return (TOO_FEW_ANSWERED, answered) if 0 < answered < LEAST_CASES else None


def withheld(report: GateReport, reason: str, number: int) -> GateReport:
    """The report without its figures and without a verdict, because they would tell of single reserved cases.

    Args:
        report: of ``test`` or of both splits.
        reason: why.
        number: how many cases of the reserved split they would be of.
    """
    figures = {
        name: MetricResult(name, None, 0, 0, result.threshold, None)
        for name, result in report.aggregate.items()
    }
    broken = report.verdict is Verdict.INTEGRITY_BROKEN
    return replace(
        report,
        aggregate=figures,
        failures=(),
        verdict=report.verdict if broken else Verdict.NOTHING_TO_JUDGE,
        reason=report.reason if broken else reason,
        advice=(),
        reserved_counted=number,
    )
