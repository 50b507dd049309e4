"""Aggregates of the reserved split from the command line: never of so few cases that they tell of one.

Two aggregates whose cases differ by one or two give away how those did. Which cases an aggregate was of is
noted in the user's own data folder, so that a run changes nothing beside the data and works on a read-only
checkout; it is a memory of one user on one machine and no lock.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring import messages
from scoring.access import access_path, record_look
from scoring.cli import console
from scoring.clinical.gate import MetricResult, Verdict
from scoring.errors import ProductError, UsageError, system_reason
from scoring.files import resolve
from scoring.jsonl import read
from scoring.sources import SourceKind, shipped_path, working_copy_path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scoring.clinical.report import GateReport
    from scoring.sources import Source

LEAST_STEP = 3
"""Cases by which two aggregates have to differ, if they differ at all."""
LEAST_CASES = 3
"""Counted cases of the reserved split below which no figure is given."""
TOO_FEW = "pocos_reservados"
_APPLICATION = "revision-clinica"
_MARK = 12


@dataclass(frozen=True, slots=True)
class Look:
    """One aggregate that was shown.

    Attributes:
        when: date and time, as written.
        cases: short digests of the ids that counted.
    """

    when: str
    cases: frozenset[str]


def looks_path(cases: Path) -> Path:
    """Where the aggregates of a data set are noted: in the user's data folder, by the path of the set."""
    import platformdirs

    named = hashlib.sha256(str(resolve(cases).absolute()).encode("utf-8", "surrogateescape")).hexdigest()
    return Path(platformdirs.user_data_path(_APPLICATION, appauthor=False)) / "test" / f"{named[:16]}.jsonl"


def marks(ids: Iterable[str]) -> frozenset[str]:
    """Short digests of ids: what a look keeps of them."""
    return frozenset(hashlib.sha256(f"test-v1\n{one}".encode()).hexdigest()[:_MARK] for one in ids)


def earlier_looks(path: Path) -> tuple[Look, ...]:
    """The aggregates noted so far; a line that is no look is passed over, as is a file that is not there."""
    try:
        rows = read(path).rows
    except ProductError:
        return ()
    return tuple(
        Look(str(row.value.get("fecha", "")), frozenset(map(str, row.value["casos"])))
        for row in rows
        if isinstance(row.value.get("casos"), list)
    )


def check_step(looks: Iterable[Look], now: frozenset[str]) -> None:
    """Refuse an aggregate that differs by one or two cases from one that was shown.

    Raises:
        UsageError: which one, by how many, and what to do.
    """
    for look in looks:
        apart = len(look.cases ^ now)
        if 0 < apart < LEAST_STEP:
            raise UsageError("access.too_near", n=apart, date=look.when or "?", step=LEAST_STEP)


def note(path: Path, looks: Iterable[Look], now: frozenset[str], when: datetime) -> None:
    """Note an aggregate, unless one of the same cases is there.

    Raises:
        OSError: it cannot be written.
    """
    if any(look.cases == now for look in looks):
        return
    entry: dict[str, Any] = {"fecha": when.isoformat(timespec="seconds"), "casos": sorted(now)}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as stream:
        size = stream.seek(0, 2)
        if size:
            stream.seek(size - 1)
            if stream.read(1) != b"\n":  # a line that an interruption left open
                stream.write(b"\n")
        stream.write(json.dumps(entry).encode() + b"\n")


def keep_apart(source: Source, ids: frozenset[str]) -> None:
    """Refuse an aggregate too near to an earlier one; note this one, if it will be one, before it is shown.

    Args:
        source: the data set.
        ids: the cases of the reserved split that count.

    Raises:
        UsageError: it differs by one or two cases from an earlier one.
    """
    path, now = looks_path(source.path), marks(ids)
    looks = earlier_looks(path)
    check_step(looks, now)
    if len(ids) < LEAST_CASES:
        return
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


def withheld(report: GateReport, counted: int) -> GateReport:
    """The report without its figures and without a verdict, because so few reserved cases count.

    Args:
        report: of ``test`` or of both splits.
        counted: cases of the reserved split that count.
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
        reason=report.reason if broken else TOO_FEW,
        advice=(),
        reserved_counted=counted,
    )
