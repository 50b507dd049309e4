"""The record of adjudications as a whole: its entries as a graph, what is in force, and what does not hold.

One complete line is one committed decision; a last line that was never finished never happened. As in the
record of signatures, entries name all tips there were, so that an entry altered or taken out leaves a name
without a bearer, and two branches' lines can be merged in any order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from scoring.adjudication.entries import Entry, Subject, Verdict, parse_entry
from scoring.errors import IntegrityError, UsageError
from scoring.files import resolve
from scoring.jsonl import read_bytes_if_any
from scoring.problems import Problem
from scoring.record.graph import clock_notices, missing_tips, open_tips, ordered
from scoring.record.lines import read_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

RECORD_END: Final = ".adjudicaciones.jsonl"


@dataclass(frozen=True, slots=True)
class AdjudicationRecord:
    """What a record file says.

    Attributes:
        path: the record file.
        exists: the file is there, if only empty.
        size: its bytes on the disk.
        entries: every entry once, in an order in which each follows those it names.
        tips: digests of the entries that no other names, sorted.
        breaks: what shows that it was altered, cut in the middle or is no record; by line, without content.
        notices: what deserves a look and breaks nothing.
        torn: bytes of a last line that was never finished.
        needs_end: the last line is whole but lacks its line end.
        by_digest: the entries by name.
        heads: by content, the decisions that no later one supersedes: one, or several after a merge.
    """

    path: Path
    exists: bool = False
    size: int = 0
    entries: tuple[Entry, ...] = field(default=(), repr=False)
    tips: tuple[str, ...] = ()
    breaks: tuple[Problem, ...] = ()
    notices: tuple[Problem, ...] = ()
    torn: bytes = field(default=b"", repr=False)
    needs_end: bool = False
    by_digest: Mapping[str, Entry] = field(default_factory=dict, repr=False)
    heads: Mapping[Subject, tuple[Entry, ...]] = field(default_factory=dict, repr=False)

    def in_force(self, subject: Subject) -> Entry | None:
        """The decision on this content; None if there is none, or if two branches disagree about it.

        Of several heads that say the same, the latest.
        """
        heads = self.heads.get(subject, ())
        if len({head.verdict for head in heads}) != 1:
            return None
        found = max(heads, key=lambda head: (head.utc, head.digest))
        return None if found.verdict is Verdict.NONE else found

    def in_conflict(self, subject: Subject) -> bool:
        """Two branches decided differently on this content, and nobody since."""
        return len({head.verdict for head in self.heads.get(subject, ())}) > 1

    def people(self) -> tuple[str, ...]:
        """Everybody who decided something, each spelling once, sorted."""
        return tuple(sorted({entry.reviewer for entry in self.entries}))


def record_path(gold: Path) -> Path:
    """``gold.jsonl`` -> ``gold.adjudicaciones.jsonl``, beside the file behind a link."""
    target = resolve(gold)
    return target.with_name(target.name.removesuffix(".jsonl") + RECORD_END)


def lock_path(record: Path) -> Path:
    """The kernel lock of those who write a record; an empty file that stays."""
    return record.with_name(f"{record.name}.lock")


def torn_path(record: Path) -> Path:
    """What an interrupted write left, set aside."""
    return record.with_name(f"{record.name}.rotas")


def load_record(path: Path, known: AdjudicationRecord | None = None) -> AdjudicationRecord:
    """Read a record; an absent file is an empty record with ``exists`` False.

    Args:
        path: the record.
        known: an earlier reading, which spares the work on lines that it holds.

    Raises:
        UsageError: the file cannot be read.
        DataError: the file is too large.
    """
    data = read_bytes_if_any(path)
    return AdjudicationRecord(path) if data is None else parse_record(path, data, known)


def sound_record(path: Path) -> AdjudicationRecord:
    """A record that may be relied on.

    Raises:
        UsageError: it is not there or cannot be read.
        IntegrityError: it was altered; names the first break.
    """
    record = load_record(path)
    if not record.exists:
        raise UsageError("jsonl.file_missing", path=path)
    require_sound(record)
    return record


def require_sound(record: AdjudicationRecord) -> None:
    """Refuse a record with breaks.

    Raises:
        IntegrityError: names how many there are, and the first.
    """
    if record.breaks:
        raise IntegrityError(
            "adjudicated.record_broken",
            path=record.path,
            n=len(record.breaks),
            first=record.breaks[0].sentence(),
        )


def parse_record(path: Path, data: bytes, known: AdjudicationRecord | None = None) -> AdjudicationRecord:
    """``data`` as the record at ``path``; what is wrong goes into ``breaks``, nothing is raised."""
    read = read_lines(data, parse_entry, known.by_digest if known is not None else {})
    entries = read.entries
    in_order = ordered(entries)
    breaks = list(read.breaks)
    for entry in in_order:
        breaks += missing_tips(entry, entries)
    breaks += _wrong_previous(in_order, entries)
    breaks.sort(key=lambda problem: problem.line or 0)
    return AdjudicationRecord(
        path=path,
        exists=True,
        size=len(data),
        entries=in_order,
        tips=open_tips(entries),
        breaks=tuple(breaks),
        notices=(*read.notices, *clock_notices(in_order, entries)),
        torn=read.torn,
        needs_end=read.needs_end,
        by_digest=entries,
        heads=_heads(in_order),
    )


def _wrong_previous(in_order: Iterable[Entry], by_digest: Mapping[str, Entry]) -> list[Problem]:
    """Decisions that do not supersede exactly what stood when they were made.

    What stood can be told where an entry follows everything before it, which is always but for the two
    sides of a merge; there only the subject of what it names is looked at.
    """
    found: list[Problem] = []
    heads: dict[Subject, set[str]] = {}
    tips: set[str] = set()
    for entry in in_order:
        mine = heads.setdefault(entry.subject, set())
        bad = [
            digest
            for digest in entry.previous
            if digest not in by_digest or by_digest[digest].subject != entry.subject
        ]
        if tips == set(entry.tips):
            bad += sorted(mine.symmetric_difference(entry.previous) - set(bad))
        if bad and (bad[0] in by_digest or bad[0] not in entry.tips):
            fields = {"digest": bad[0][:12]}
            found.append(Problem("adjudicated.wrong_previous", line=entry.line_number, fields=fields))
        mine.difference_update(entry.previous)
        mine.add(entry.digest)
        tips.difference_update(entry.tips)
        tips.add(entry.digest)
    return found


def _heads(entries: Iterable[Entry]) -> dict[Subject, tuple[Entry, ...]]:
    of_subject: dict[Subject, dict[str, Entry]] = {}
    followed: set[str] = set()
    for entry in entries:
        of_subject.setdefault(entry.subject, {})[entry.digest] = entry
        followed.update(entry.previous)
    return {
        subject: tuple(mine[digest] for digest in sorted(set(mine) - followed))
        for subject, mine in of_subject.items()
    }
