"""The record as a whole: its entries as a graph, its tips, and what does not hold together.

Order comes from the graph, never from the file: git may merge two branches' lines in any order, and
may repeat the lines that both have (identical lines are one entry). Entries name all tips there were
when they were written, so that an entry that was altered or taken out leaves a name without a bearer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scoring.jsonl import read_bytes_if_any
from scoring.problems import Problem
from scoring.record.entries import Kind, Transaction, parse_entry
from scoring.record.graph import clock_notices, missing_tips, open_tips, ordered
from scoring.record.lines import read_lines
from scoring.record.paths import record_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Record:
    """What a record file says.

    Attributes:
        path: the record file.
        exists: the file is there, if only empty; then nothing is adopted any more.
        size: its bytes on the disk.
        entries: every entry once, in an order in which each follows those it names.
        tips: digests of the entries that no other names, sorted.
        breaks: what shows that the record was altered, cut in the middle or is not one; by line.
        notices: what deserves a look and breaks nothing (a repeated line, a clock that went back).
        torn: bytes of a last line that was never finished; it never happened.
        needs_end: the last line is whole but lacks its line end.
    """

    path: Path
    exists: bool = False
    size: int = 0
    entries: tuple[Transaction, ...] = ()
    tips: tuple[str, ...] = ()
    breaks: tuple[Problem, ...] = ()
    notices: tuple[Problem, ...] = ()
    torn: bytes = b""
    needs_end: bool = False
    by_digest: Mapping[str, Transaction] = field(default_factory=dict, repr=False)
    heads: Mapping[str, tuple[Transaction, ...]] = field(default_factory=dict, repr=False)

    def of_case(self, case_id: str) -> tuple[Transaction, ...]:
        """All entries of a case, earlier ones first."""
        return tuple(entry for entry in self.entries if entry.item(case_id) is not None)

    def effective(self, case_id: str) -> tuple[Transaction, ...]:
        """The entries in force for a case: its heads, or what stands below those that are only notes."""
        found: dict[str, Transaction] = {}
        waiting = list(self.heads.get(case_id, ()))
        while waiting:
            entry = waiting.pop()
            item = entry.item(case_id)
            if entry.kind is Kind.NOTA and item is not None and item.previous:
                waiting.extend(self.by_digest[d] for d in item.previous if d in self.by_digest)
            elif entry.kind is not Kind.NOTA:
                found[entry.digest] = entry
        return tuple(found[digest] for digest in sorted(found))


def read_record(data_path: Path) -> bytes | None:
    """The bytes of the record of a data set, or None if there is no record.

    Raises:
        UsageError: the file cannot be read.
        DataError: the file is too large.
    """
    return read_bytes_if_any(record_path(data_path))


def load_record(data_path: Path, known: Record | None = None) -> Record:
    """Read the record of a data set; an absent file is an empty record with ``exists`` False.

    Args:
        data_path: the data set.
        known: an earlier reading, which spares the work on lines that it holds.

    Raises:
        UsageError: the file cannot be read.
        DataError: the file is too large.
    """
    return as_record(data_path, read_record(data_path), known)


def as_record(data_path: Path, data: bytes | None, known: Record | None = None) -> Record:
    """What :func:`read_record` gave, as a record; an absent one is empty, with ``exists`` False."""
    path = record_path(data_path)
    return Record(path) if data is None else parse_record(path, data, known)


def parse_record(path: Path, data: bytes, known: Record | None = None) -> Record:
    """``data`` as the record at ``path``; what is wrong goes into ``breaks``, nothing is raised.

    Args:
        path: the record file.
        data: its bytes.
        known: an earlier reading; a line with the digest of one of its entries is that entry.
    """
    read = read_lines(data, parse_entry, known.by_digest if known is not None else {})
    entries = read.entries
    breaks = [*read.breaks, *_loose_ends(entries)]
    in_order = ordered(entries)
    breaks.sort(key=lambda problem: problem.line or 0)
    return Record(
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
        heads=_heads(entries.values()),
    )


def _loose_ends(entries: Mapping[str, Transaction]) -> list[Problem]:
    """Names without a bearer: tips that are gone, and previous entries that are not of that case."""
    found: list[Problem] = []
    for entry in entries.values():
        found += missing_tips(entry, entries)
        for item in entry.items:
            for digest in item.previous:
                before = entries.get(digest)
                if before is None and digest in entry.tips:
                    continue  # already said
                if before is None or before.item(item.case_id) is None:
                    found.append(
                        Problem(
                            "record.wrong_previous",
                            line=entry.line_number,
                            case_id=item.case_id,
                            fields={"digest": digest[:12]},
                        )
                    )
    return found


def _heads(entries: Iterable[Transaction]) -> dict[str, tuple[Transaction, ...]]:
    """Per case, the entries that no other entry of that case follows, sorted by digest."""
    of_case: dict[str, dict[str, Transaction]] = {}
    followed: dict[str, set[str]] = {}
    for entry in entries:
        for item in entry.items:
            of_case.setdefault(item.case_id, {})[entry.digest] = entry
            followed.setdefault(item.case_id, set()).update(item.previous)
    return {
        case_id: tuple(mine[digest] for digest in sorted(set(mine) - followed[case_id]))
        for case_id, mine in of_case.items()
    }
