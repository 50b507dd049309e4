"""What the lines of any record of chained entries share: their name, their clock, and reading one with care.

A reader never re-serializes a line to verify it; digests are over the stored bytes.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Protocol, TypeVar

from scoring.jsonl import BOM, is_conflict_marker, split_lines
from scoring.problems import Problem
from scoring.record.graph import Linked
from scoring.strict_json import StrictJSONError, loads

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_DIGEST: Final = re.compile(r"[0-9a-f]{64}\Z", re.ASCII)
_UTC: Final = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z\Z", re.ASCII)
_OFFSET: Final = re.compile(r"[+-]\d{2}:\d{2}\Z", re.ASCII)


class EntryError(ValueError):
    """A line that is not an entry of the record: catalogue key and fields."""

    def __init__(self, key: str, **fields: object) -> None:
        super().__init__(key)
        self.key = key
        self.fields = fields


def entry_digest(line: bytes) -> str:
    """The name of an entry: SHA-256 of its stored bytes without the line end."""
    return hashlib.sha256(line).hexdigest()


def is_digest(found: object) -> bool:
    """A SHA-256 as a record writes it: 64 lower-case hexadecimal digits."""
    return isinstance(found, str) and _DIGEST.match(found) is not None


def clock(now: datetime) -> tuple[str, str]:
    """``(utc, offset)`` of an aware moment, as a record writes them."""
    shift = now.utcoffset()
    if shift is None:
        raise ValueError("naive time")
    minutes = round(shift.total_seconds() / 60)
    sign = "-" if minutes < 0 else "+"
    utc = now.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds")
    return f"{utc}Z", f"{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def local_time(utc: str, offset: str) -> datetime:
    """What :func:`clock` wrote, in the zone of whoever wrote it."""
    hours, minutes = int(offset[1:3]), int(offset[4:6])
    sign = -1 if offset.startswith("-") else 1
    zone = timezone(sign * timedelta(hours=hours, minutes=minutes))
    return datetime.fromisoformat(utc).astimezone(zone)


def is_utc(found: object) -> bool:
    """A moment of the calendar as :func:`clock` writes it."""
    return isinstance(found, str) and _UTC.match(found) is not None and _exists(found)


def is_offset(found: object) -> bool:
    """An offset from UTC as :func:`clock` writes it."""
    if not isinstance(found, str) or not _OFFSET.match(found):
        return False
    return _exists(f"2000-01-01T00:00:00{found}")


def _exists(moment: str) -> bool:
    try:
        datetime.fromisoformat(moment)
    except ValueError:
        return False
    return True


def write_object(value: Mapping[str, Any]) -> bytes:
    """The bytes of a line, without its end; keys stand in the order given."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")


def read_object(line: bytes, *, version: int, max_bytes: int) -> dict[str, Any]:
    """The JSON object of one stored line, of the version that the program knows.

    Raises:
        EntryError: it is too long, no JSON object, or of another version; shows no content.
    """
    if len(line) > max_bytes:
        raise EntryError("json.line_too_long", size=len(line), limit=max_bytes)
    try:
        value = loads(line)
    except StrictJSONError as error:
        raise EntryError("record.unreadable_entry", column=error.column) from None
    if not isinstance(value, dict):
        raise EntryError("record.unreadable_entry", column=1)
    found = value.get("v")
    if isinstance(found, bool) or not isinstance(found, int):
        raise EntryError("record.bad_entry", field="v")
    if found != version:
        raise EntryError("record.unknown_version", found=found)
    return value


class Stored(Linked, Protocol):
    """A linked entry that is a dataclass, so that another line number can be put into it."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


Entry = TypeVar("Entry", bound=Stored)


@dataclass(slots=True)
class Lines(Generic[Entry]):
    """What the lines of a record file hold, one by one; how they hang together is not looked at.

    Attributes:
        entries: each once, by digest, in the order of the file.
        breaks: lines that are no entries.
        notices: a line that was never finished, lines that stand twice.
        torn: bytes of a last line that was never finished; it never happened.
        needs_end: the last line is whole but lacks its line end.
    """

    entries: dict[str, Entry] = field(default_factory=dict)
    breaks: list[Problem] = field(default_factory=list)
    notices: list[Problem] = field(default_factory=list)
    torn: bytes = b""
    needs_end: bool = False


def read_lines(
    data: bytes, parse_entry: Callable[[bytes, int], Entry], known: Mapping[str, Entry]
) -> Lines[Entry]:
    """The lines of a record; what is wrong goes into ``breaks``, nothing is raised.

    Args:
        data: bytes of the record file.
        parse_entry: reads one line, given its number; raises EntryError.
        known: entries of an earlier reading by digest; a line with such a digest is that entry.
    """
    found: Lines[Entry] = Lines()
    for line in split_lines(data.removeprefix(BOM)):
        if line.is_blank:
            if not line.end:
                found.torn = line.raw
            continue
        old = known.get(entry_digest(line.raw)) if known else None
        if old is not None:
            entry = old if old.line_number == line.number else replace(old, line_number=line.number)
        else:
            try:
                entry = parse_entry(line.raw, line.number)
            except EntryError as error:
                # A JSON object is whole only with its last brace, so a cut line can never pass for one.
                if not line.end and error.key == "record.unreadable_entry":
                    found.torn = line.raw
                    found.notices.append(Problem("record.torn_line", line=line.number))
                else:
                    found.breaks.append(_unreadable(line.raw, line.number, error))
                continue
        if entry.digest in found.entries:
            found.notices.append(Problem("record.repeated_line", line=line.number))
        found.entries.setdefault(entry.digest, entry)
        found.needs_end = not line.end
    return found


def _unreadable(raw: bytes, number: int, error: EntryError) -> Problem:
    fields = dict(error.fields)
    column = fields.pop("column", None)
    return Problem(
        "record.conflict_marker" if is_conflict_marker(raw) else error.key,
        line=number,
        column=column if isinstance(column, int) else None,
        fields=fields,
    )
