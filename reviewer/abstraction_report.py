"""The report of a chart-abstraction run, followed on the disk; no Textual here.

Three files at most are read: the report, and if named its bounds and an earlier report. None of them
holds a value or a case id, and nothing else is opened, so whatever shows a :class:`ReportState` is
value-free by construction. Every step answers with a new state and can run in a thread.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from scoring.abstraction.chunks import open_file
from scoring.abstraction.compare import Change, compare
from scoring.abstraction.minimums import MAX_FILE_BYTES, check, parse_bounds
from scoring.abstraction.stored import MAX_REPORT_BYTES, read_report
from scoring.errors import DataError, ProductError, UsageError, system_reason
from scoring.files import identity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from fractions import Fraction
    from pathlib import Path

    from scoring.abstraction.minimums import Bound, Finding
    from scoring.abstraction.report import AbstractionScores, ChartAbstractionBenchmarkReport

OVERALL: Final = ("overall", "")
_UNSETTLED_SECONDS: Final = 2.5
"""A file younger than this when it was read may have been written again within the same tick of its clock."""

Value = TypeVar("Value")
Slice = tuple[str, str]
"""``overall``, ``type`` or ``field``, and type label or field id (empty for overall)."""


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """Where the report is, and what is put beside it.

    Attributes:
        report: what ``run-abstraction --informe`` writes; None when nobody named one.
        minimums: bounds of ``run-abstraction --minimos``.
        earlier: an older report, to see what moved.
    """

    report: Path | None = None
    minimums: Path | None = None
    earlier: Path | None = None


@dataclass(frozen=True, slots=True)
class Followed(Generic[Value]):
    """One file: what was last read whole, and what is wrong with it now.

    Attributes:
        value: the last good content; None before there was any.
        read_at: when that was read.
        written: the time of the file it was read from.
        trouble: why the file as it is now cannot be used; None when it is what is shown.
        stamp: device, inode, time and size of the file last looked at; None if it was not there.
        digest: of the bytes ``value`` was read from.
        settled: the stamp alone tells whether the file changed again.
    """

    value: Value | None = None
    read_at: datetime | None = None
    written: datetime | None = None
    trouble: ProductError | None = None
    stamp: tuple[int, int, int, int] | None = None
    digest: bytes = b""
    settled: bool = True


@dataclass(frozen=True, eq=False)
class ReportState:
    """What the three files say together; each reading is a state of its own.

    Attributes:
        report: the report; its ``value`` is the last good one.
        minimums: the bounds.
        earlier: the older report.
    """

    report: Followed[ChartAbstractionBenchmarkReport] = field(default_factory=Followed)
    minimums: Followed[tuple[Bound, ...]] = field(default_factory=Followed)
    earlier: Followed[ChartAbstractionBenchmarkReport] = field(default_factory=Followed)

    @property
    def troubles(self) -> tuple[ProductError, ...]:
        """What cannot be read now, the report first."""
        parts = (self.report.trouble, self.minimums.trouble, self.earlier.trouble)
        return tuple(trouble for trouble in parts if trouble is not None)

    @cached_property
    def slices(self) -> Mapping[Slice, AbstractionScores]:
        """Every slice by kind and name, overall and types first."""
        report = self.report.value
        if report is None:
            return {}
        found: dict[Slice, AbstractionScores] = {OVERALL: report.overall}
        found |= {("type", kind.value): scores for kind, scores in report.by_field_type}
        found |= {("field", name): scores for name, scores in report.by_field}
        return found

    @cached_property
    def findings(self) -> Mapping[Slice, tuple[Finding, ...]]:
        """Every bound with what it met, by slice; also of slices the report lacks."""
        report, bounds = self.report.value, self.minimums.value
        if report is None or bounds is None:
            return {}
        found: dict[Slice, tuple[Finding, ...]] = {}
        for finding in check(report, bounds):
            place = (finding.bound.scope, finding.bound.name)
            found[place] = (*found.get(place, ()), finding)
        return found

    @cached_property
    def changes(self) -> Mapping[Slice, Mapping[str, Change]]:
        """By slice and metric, what both reports have."""
        report, earlier = self.report.value, self.earlier.value
        if report is None or earlier is None:
            return {}
        found: dict[Slice, dict[str, Change]] = {}
        for change in compare(earlier, report).changes:
            found.setdefault((change.scope, change.name), {})[change.metric] = change
        return found

    @cached_property
    def moved(self) -> Mapping[Slice, tuple[Change, ...]]:
        """The changes whose interval leaves out 0, by slice; slices without one are not in it."""
        found = {
            place: tuple(change for change in by_metric.values() if change.moved)
            for place, by_metric in self.changes.items()
        }
        return {place: changes for place, changes in found.items() if changes}

    @cached_property
    def added(self) -> tuple[str, ...]:
        """Field ids that only the newer report has."""
        report, earlier = self.report.value, self.earlier.value
        if report is None or earlier is None:
            return ()
        old = dict(earlier.by_field)
        return tuple(name for name, _ in report.by_field if name not in old)

    @cached_property
    def removed(self) -> tuple[str, ...]:
        """Field ids that only the older report has."""
        report, earlier = self.report.value, self.earlier.value
        if report is None or earlier is None:
            return ()
        new = dict(report.by_field)
        return tuple(name for name, _ in earlier.by_field if name not in new)

    def differences(self, metric: str) -> Mapping[str, Fraction]:
        """New rate less old rate of every field that has both."""
        found = {
            name: by_metric[metric].difference
            for (scope, name), by_metric in self.changes.items()
            if scope == "field"
        }
        return {name: difference for name, difference in found.items() if difference is not None}

    def fails(self, place: Slice) -> bool:
        """Whether a bound of the slice does not hold."""
        return any(finding.holds is False for finding in self.findings.get(place, ()))

    def count(self, *, holds: bool | None) -> int:
        """How many bounds hold, do not, or (None) have nothing to be judged by."""
        return sum(finding.holds is holds for findings in self.findings.values() for finding in findings)


def follow(files: ReportFiles, state: ReportState, now: datetime) -> ReportState:
    """The state of the files at this moment; ``state`` itself when nothing changed.

    A file that cannot be read, or is not what it should be, keeps its last good content and gets a
    trouble; nothing is raised. An unchanged file costs one ``stat``.
    """
    report = _follow(files.report, state.report, read_report, MAX_REPORT_BYTES, now)
    minimums = _follow(files.minimums, state.minimums, parse_bounds, MAX_FILE_BYTES, now)
    earlier = _follow(files.earlier, state.earlier, read_report, MAX_REPORT_BYTES, now)
    if report is state.report and minimums is state.minimums and earlier is state.earlier:
        return state
    fresh = ReportState(report, minimums, earlier)
    if report.value is state.report.value and minimums.value is state.minimums.value:
        _take_over(fresh, state, "slices", "findings")
        if earlier.value is state.earlier.value:
            _take_over(fresh, state, "changes", "moved", "added", "removed")
    return fresh


def prepare(state: ReportState) -> ReportState:
    """Work out what takes long for many fields, so that whoever paints it does not have to."""
    _ = (state.slices, state.findings, state.changes, state.moved, state.added, state.removed)
    return state


def _take_over(fresh: ReportState, state: ReportState, *names: str) -> None:
    """What was worked out already holds for the same contents."""
    for name in names:
        if name in state.__dict__:
            fresh.__dict__[name] = state.__dict__[name]


def _follow(
    path: Path | None,
    known: Followed[Value],
    read: Callable[[bytes, Path], Value],
    limit: int,
    now: datetime,
) -> Followed[Value]:
    if path is None:
        return known
    stamp = identity(path)
    untouched = stamp == known.stamp and known.settled
    if untouched and known.value is not None and known.trouble is None:
        return known
    if untouched and isinstance(known.trouble, DataError):
        return known
    # What could not be opened is tried again each time: rights change without a trace in the stamp.
    written = datetime.fromtimestamp(stamp[2] / 1e9, tz=UTC).astimezone(now.tzinfo) if stamp else None
    settled = written is None or abs((now - written).total_seconds()) > _UNSETTLED_SECONDS
    try:
        data = _bytes(path, limit)
        digest = blake2b(data).digest()
        if known.value is None or digest != known.digest:
            return Followed(read(data, path), now, written, None, stamp, digest, settled)
    except ProductError as error:
        if stamp == known.stamp and settled == known.settled and _same(error, known.trouble):
            return known
        return replace(known, trouble=error, stamp=stamp, settled=settled)
    if stamp == known.stamp and settled == known.settled and known.trouble is None:
        return known
    # Written anew with the same content, or back after it was away.
    return replace(known, read_at=now, written=written, trouble=None, stamp=stamp, settled=settled)


def _same(error: ProductError, known: ProductError | None) -> bool:
    return known is not None and (error.key, error.fields) == (known.key, known.fields)


def _bytes(path: Path, limit: int) -> bytes:
    """The bytes of a regular file, at most one more than ``limit``.

    Raises:
        UsageError: there is no such file, or it cannot be read.
    """
    if path.exists() and not path.is_file():
        raise UsageError("informe.not_a_file", path=path)
    with open_file(path) as stream:
        try:
            return stream.read(limit + 1)
        except OSError as error:
            failed = UsageError("jsonl.file_unreadable", path=path, reason=system_reason(error))
    raise failed
