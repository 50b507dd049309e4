"""What any record of chained entries needs: an order in which each follows those it names, and the clock.

A merge of two branches may leave the lines of both in any order, so order comes from what entries name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from scoring.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Linked(Protocol):
    """An entry that names the tips there were when it was written."""

    @property
    def digest(self) -> str:
        """Its own name."""
        ...

    @property
    def tips(self) -> tuple[str, ...]:
        """The names of what it follows."""
        ...

    @property
    def line_number(self) -> int:
        """Where it stands in the file."""
        ...

    @property
    def utc(self) -> str | None:
        """When it was written, or None for one without a clock."""
        ...


Entry = TypeVar("Entry", bound=Linked)


def ordered(entries: Mapping[str, Entry]) -> tuple[Entry, ...]:
    """Each entry after those it names; among free ones, the order of the file. Digests allow no cycle."""
    done: set[str] = set()
    found: list[Entry] = []
    for start in sorted(entries.values(), key=lambda entry: entry.line_number):
        stack = [start]
        while stack:
            entry = stack[-1]
            if entry.digest in done:
                stack.pop()
                continue
            waiting = [entries[d] for d in entry.tips if d in entries and d not in done]
            if waiting:
                stack.extend(sorted(waiting, key=lambda other: other.line_number, reverse=True))
            else:
                stack.pop()
                done.add(entry.digest)
                found.append(entry)
    return tuple(found)


def open_tips(entries: Mapping[str, Linked]) -> tuple[str, ...]:
    """Digests of the entries that no other names, sorted: what the next entry will name."""
    named = {digest for entry in entries.values() for digest in entry.tips}
    return tuple(sorted(set(entries) - named))


def clock_notices(entries: Iterable[Linked], by_digest: Mapping[str, Linked]) -> list[Problem]:
    """A moment earlier than that of an entry it follows: the clock was wrong once, the order is known."""
    found: list[Problem] = []
    for entry in entries:
        before = max((by_digest[d].utc or "" for d in entry.tips if d in by_digest), default="")
        if entry.utc is not None and entry.utc < before:
            found.append(
                Problem(
                    "record.clock_went_back",
                    line=entry.line_number,
                    fields={"moment": entry.utc, "before": before},
                )
            )
    return found


def missing_tips(entry: Linked, by_digest: Mapping[str, Linked]) -> list[Problem]:
    """Names without a bearer: an entry was taken out or altered."""
    missing = [digest for digest in entry.tips if digest not in by_digest]
    if not missing:
        return []
    fields = {"digest": missing[0][:12], "n": len(missing)}
    return [Problem("record.missing_entry", line=entry.line_number, fields=fields)]
