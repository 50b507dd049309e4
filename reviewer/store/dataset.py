"""A data set with its signatures, as a person works on it: looked at without writing, changed by decisions.

A ``Dataset`` is a value: it shows one moment and never changes. ``apply`` answers with a fresh one.
"""

from __future__ import annotations

import difflib
import stat
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from reviewer.store.lock import WAIT_SECONDS, locked
from reviewer.store.transaction import finish_interrupted, save
from scoring.errors import ConflictError, ProductError, UsageError, WriteError
from scoring.files import identity, resolve
from scoring.people import person_key
from scoring.record import CaseState, Kind, Meaning, Record, Snapshot, Status, take_snapshot
from scoring.record.paths import RECORD_END
from scoring.record.required import rule_beside
from scoring.record.reviews import is_review, sealed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from reviewer.store.plan import Decision, LineChange, Plan
    from scoring.cases import Case, CaseFile, CaseRow
    from scoring.problems import Problem
    from scoring.record import Transaction


@dataclass(frozen=True, slots=True)
class Entry:
    """One case row of the file.

    Attributes:
        row: the checked row with its line.
        state: where the case stands.
    """

    row: CaseRow
    state: CaseState

    @property
    def raw(self) -> bytes:
        """The line, without its end: what the person read, to be given back when deciding."""
        return self.row.row.line.raw

    @property
    def case(self) -> Case:
        """The typed case."""
        return self.row.case

    @property
    def id(self) -> str:
        """Id of the case; empty when the line has none."""
        return self.row.case.id

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the line; a case with problems cannot be signed."""
        return self.row.problems


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set as it was when it was opened.

    Attributes:
        path: as it was given.
        resolved: the file behind it, links followed.
        snapshot: the consistent reading that everything here comes from.
        entries: the case rows in file order.
    """

    path: Path
    resolved: Path
    snapshot: Snapshot = field(repr=False)
    entries: Sequence[Entry] = field(repr=False)

    @staticmethod
    def open(path: Path) -> Dataset:
        """Read ``path`` and its record. Never writes, takes no lock.

        Raises:
            UsageError: it is not there, not a file, not readable, or is a record and not a data set.
            DataError: too large.
            ConflictError: it kept changing while it was read.
        """
        return _opened(path)

    @property
    def file(self) -> CaseFile:
        """The checked rows and the problems of the file."""
        return self.snapshot.file

    @property
    def record(self) -> Record:
        """What the record says."""
        return self.snapshot.record

    @property
    def states(self) -> Mapping[str, CaseState]:
        """State of each case by id."""
        return self.snapshot.states

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Every problem of the data file."""
        return self.snapshot.file.problems

    @property
    def synthetic(self) -> bool:
        """The set says that its data were invented."""
        return self.snapshot.file.synthetic

    @property
    def cases(self) -> tuple[Case, ...]:
        """The typed cases in file order."""
        return tuple(entry.case for entry in self.entries)

    def entry(self, case_id: str) -> Entry:
        """The (first) row of ``case_id``.

        Raises:
            UsageError: no case has that id; the nearest one is suggested.
        """
        for entry in self.entries:
            if entry.id == case_id:
                return entry
        raise unknown_id(case_id, self.states)

    def changed_on_disk(self) -> bool:
        """The data, the record or the reviews asked for are no longer what this value shows (or are gone)."""
        now = (identity(self.path), identity(self.record.path))
        try:
            if now == self.snapshot.identity:
                return rule_beside(self.path) != self.snapshot.rule
        except ProductError:
            return True
        try:
            fresh = take_snapshot(self.path, self.snapshot)
        except ProductError:
            # Opening it again will say what is wrong.
            return True
        return (
            fresh.disk != self.snapshot.disk
            or fresh.record.size != self.record.size
            # Not by the tips: a line altered in the middle leaves the last ones as they were.
            or fresh.record.by_digest.keys() != self.record.by_digest.keys()
            or fresh.record.breaks != self.record.breaks
            or fresh.rule != self.snapshot.rule
        )

    def apply(
        self, decision: Decision, *, moment: datetime | None = None, wait: float = WAIT_SECONDS
    ) -> Applied:
        """Carry out a decision on what the disk holds now, or refuse it with a named error.

        A case that no longer says what it says in this value is refused: nobody decides about what
        they have not read. So is one that somebody decided about since, even if it reads as before:
        that also catches the same decision sent twice.

        Args:
            decision: what the person decided.
            moment: aware local time; now, if None.
            wait: seconds to wait for somebody else's save.

        Raises:
            ProductError: what the decision refuses, and see :func:`reviewer.store.transaction.save`.
            WriteError: also when the decision is saved and the files could not be read again; its sentence
                says so.
        """
        moment = moment or datetime.now().astimezone()
        read = {entry.id: entry.raw for entry in self.entries}
        require_data_file(self.path)

        def planned(snapshot: Snapshot) -> Plan:
            plan = decision.plan(snapshot, read, moment)
            _require_no_news(self.record, snapshot.record, plan)
            return plan

        saved = save(self.path, planned, self.snapshot, wait=wait)
        try:
            now = self.reload()
        except ProductError as error:
            raise WriteError("store.saved_unread", path=self.path, why=str(error)) from error
        return Applied(now, saved.transaction, saved.case_ids, saved.notices)

    def settle(self, *, wait: float = WAIT_SECONDS) -> tuple[Dataset, tuple[Problem, ...]]:
        """Finish a save that was interrupted, if there is one; writes nothing otherwise.

        Raises:
            ConflictError: locked, or changed at that moment.
            WriteError: the disk refused.
        """
        if self.snapshot.intent is None:
            return self, ()
        with locked(self.path, wait):
            notices = finish_interrupted(self.path)
        return self.reload(), notices

    def reload(self) -> Dataset:
        """What the disk holds now; see :meth:`open`."""
        return _opened(self.path, self.snapshot)


def _opened(path: Path, known: Snapshot | None = None) -> Dataset:
    require_data_file(path)
    snapshot = take_snapshot(path, known)
    return Dataset(path, resolve(path), snapshot, _entries(snapshot))


@dataclass(frozen=True, slots=True)
class Applied:
    """A decision that is on the disk.

    Attributes:
        dataset: the data set as it is now.
        transaction: digest of the record line.
        signed: ids of the cases that were decided about, in file order.
        notices: what the person should know (adoption, an interrupted save that was finished, a clock).
    """

    dataset: Dataset
    transaction: str
    signed: tuple[str, ...]
    notices: tuple[Problem, ...]


def require_data_file(path: Path) -> None:
    """Refuse what is there and is no regular file, and a record given in place of its data set.

    Raises:
        UsageError: see above; a path that names nothing is left to the reader, which says so.
    """
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise UsageError("store.not_a_file", path=path)
    if path.name.endswith(RECORD_END):
        raise UsageError("store.is_a_record", path=path)


def unknown_id(case_id: str, known: Mapping[str, object]) -> UsageError:
    """The error for an id that no case has, with the nearest one if there is any."""
    near = difflib.get_close_matches(case_id[:200], list(known), n=1)
    if near:
        return UsageError("store.unknown_id_near", id=case_id, near=near[0])
    return UsageError("store.unknown_id", id=case_id)


def _require_no_news(seen: Record, now: Record, plan: Plan) -> None:
    """Refuse cases that somebody decided about since ``seen`` was read; an adoption is no decision.

    Nor is another person's review one for whoever reviews: each of them decides without the other.
    """
    for change in plan.changes:
        for entry in now.effective(change.case_id):
            if entry.kind is Kind.ADOPTA or entry.digest in seen.by_digest:
                continue
            if _is_beside(entry, change, plan):
                continue
            if entry.digest in sealed(now, change.case_id):
                raise ConflictError("store.reviewed_meanwhile", id=change.case_id)
            raise ConflictError("store.decided_meanwhile", id=change.case_id, reviewer=entry.reviewer or "?")


def _is_beside(entry: Transaction, change: LineChange, plan: Plan) -> bool:
    """Both are reviews, by two persons, and neither was made in the knowledge of the other."""
    return (
        change.opinion is not None
        and plan.meaning != Meaning.ADJUDICADO
        and is_review(entry, entry.item(change.case_id))
        and not entry.writes
        and person_key(entry.reviewer or "") != person_key(plan.reviewer)
    )


def _entries(snapshot: Snapshot) -> tuple[Entry, ...]:
    return tuple(Entry(row, snapshot.states.get(row.case.id) or _nameless()) for row in snapshot.file.rows)


def _nameless() -> CaseState:
    """The state of a row without an id: nobody can sign it."""
    return CaseState(
        "",
        Status.PENDIENTE,
        counts=False,
        reviewer=None,
        date=None,
        registered=False,
        reason="record.no_id",
    )
