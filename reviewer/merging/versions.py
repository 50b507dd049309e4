"""One version of a data set as keyed lines: cases by id, other lines by what they are.

Everything that a merge has to keep and that belongs to no case (byte order mark, line ends, a missing
last line end) is held apart, so that it can be merged like any other value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scoring.jsonl import BOM, parse_object, split_lines
from scoring.strict_json import StrictJSONError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.jsonl import Line

Key = tuple[object, ...]
CASE, BROKEN, BLANK = "case", "broken", "blank"


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a version.

    Attributes:
        key: ``(CASE, id)``; ``(BROKEN, bytes)`` for a line that is no case (unreadable, or without an
            id); ``(BLANK, key of the line before it, bytes)`` for a blank one.
        raw: its bytes without the line end.
        end: its line end; a last line without one has that of its file.
        value: the parsed object of a case, else None.
    """

    key: Key
    raw: bytes
    end: bytes
    value: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)

    @property
    def case_id(self) -> str | None:
        """Id of the case, or None."""
        return str(self.key[1]) if self.key[0] == CASE else None


@dataclass(frozen=True, slots=True)
class Version:
    """One version of the file.

    Attributes:
        items: its lines in order.
        of_key: the lines of each key, in order; more than one only where the file repeats itself.
        bom: the byte order mark, or nothing.
        ends_whole: the last line has its line end (an empty file has nothing left open).
        style: the line end that all its lines share; empty if there is none, None if they differ.
    """

    items: tuple[Item, ...]
    of_key: Mapping[Key, tuple[Item, ...]]
    bom: bytes
    ends_whole: bool
    style: bytes | None

    def get(self, key: Key) -> tuple[Item, ...]:
        """The lines of ``key``; empty if this version has none."""
        return self.of_key.get(key, ())


class Reader:
    """Reads versions of one file; a line that several of them share is parsed once."""

    def __init__(self) -> None:
        self._parsed: dict[bytes, tuple[Key, Mapping[str, Any] | None]] = {}

    def read(self, data: bytes) -> Version:
        """``data`` as keyed lines; nothing in it is refused."""
        bom = BOM if data.startswith(BOM) else b""
        lines = split_lines(data[len(bom) :])
        ends = {line.end for line in lines if line.end}
        style = (next(iter(ends)) if ends else b"") if len(ends) < 2 else None
        missing = style or (lines[-2].end if len(lines) > 1 else b"\n")
        items: list[Item] = []
        of_key: dict[Key, list[Item]] = {}
        before: Key = ()
        for line in lines:
            if line.is_blank:
                item = Item((BLANK, before, line.raw), line.raw, line.end or missing)
            else:
                key, value = self._identify(line)
                item = Item(key, line.raw, line.end or missing, value)
                before = key
            items.append(item)
            of_key.setdefault(item.key, []).append(item)
        grouped = {key: tuple(found) for key, found in of_key.items()}
        return Version(tuple(items), grouped, bom, not lines or bool(lines[-1].end), style)

    def _identify(self, line: Line) -> tuple[Key, Mapping[str, Any] | None]:
        found = self._parsed.get(line.raw)
        if found is None:
            found = self._parsed[line.raw] = _identity(line.raw)
        return found


def _identity(raw: bytes) -> tuple[Key, Mapping[str, Any] | None]:
    try:
        value = parse_object(raw)
    except StrictJSONError:
        return (BROKEN, raw), None
    case_id = value.get("id")
    if isinstance(case_id, str) and case_id.strip():
        return (CASE, case_id), value
    return (BROKEN, raw), None
