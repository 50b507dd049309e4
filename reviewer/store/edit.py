"""Changing members of one JSON line without touching any other byte of it.

The top level is walked with the decoder of the standard library, the spans of the values are spliced,
and then old and new line are both parsed and compared: whatever the walk might get wrong, the comparison
refuses.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scoring.jsonl import MAX_LINE_BYTES, kind_of
from scoring.strict_json import StrictJSONError, loads

if TYPE_CHECKING:
    from collections.abc import Mapping

Scalar = str | bool | None
_BLANKS = " \t\r\n"
_decoder = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Member:
    """One top-level member as positions in the decoded line: key with its quotes, and value."""

    name: str
    key_start: int
    key_end: int
    value_start: int
    value_end: int


def members(source: str) -> tuple[tuple[Member, ...], int]:
    """The top-level members of a strictly valid JSON object and the position after its opening brace."""
    position = _skip(source, 0) + 1
    opened = position
    found: list[Member] = []
    position = _skip(source, position)
    while source[position] != "}":
        if source[position] == ",":
            position = _skip(source, position + 1)
        key_start = position
        name, key_end = _decoder.raw_decode(source, key_start)
        value_start = _skip(source, _skip(source, key_end) + 1)
        _, value_end = _decoder.raw_decode(source, value_start)
        found.append(Member(name, key_start, key_end, value_start, value_end))
        position = _skip(source, value_end)
    return tuple(found), opened


def _skip(source: str, position: int) -> int:
    while source[position] in _BLANKS:
        position += 1
    return position


def edit_line(raw: bytes, changes: Mapping[str, Scalar]) -> bytes:
    """``raw`` with the top-level members of ``changes`` set; a member that is not there is added last.

    A new member takes its separators from the line, and text is escaped to ASCII where the line does so.

    Args:
        raw: the line without its end and without a byte order mark.
        changes: new values by key, in the order in which missing ones are added.

    Raises:
        StrictJSONError: the line is not one JSON object that every reader reads alike, or the result
            would be too long.
    """
    before = _object(raw)
    source = raw.decode("utf-8")
    found, opened = members(source)
    ascii_only = "\\u" in source and source.isascii()
    pieces: list[str] = []
    position = 0
    for member in found:
        if member.name in changes:
            pieces += [source[position : member.value_start], _literal(changes[member.name], ascii_only)]
            position = member.value_end
    present = {member.name for member in found}
    missing = [name for name in changes if name not in present]
    end = found[-1].value_end if found else opened
    pieces.append(source[position:end])
    colon, comma = _separators(source, found)
    for index, name in enumerate(missing):
        lead = comma if found or index else ""
        pieces.append(f"{lead}{_literal(name, ascii_only)}{colon}{_literal(changes[name], ascii_only)}")
    pieces.append(source[end:])
    result = "".join(pieces).encode("utf-8")
    _verify(before, _object(result), changes)
    return result


def _separators(source: str, found: tuple[Member, ...]) -> tuple[str, str]:
    """What stands between key and value, and between members, in this line."""
    if not found:
        return ": ", ", "
    last = found[-1]
    colon = source[last.key_end : last.value_start]
    if len(found) == 1:
        return colon, ", " if colon.endswith(" ") else ","
    return colon, source[found[-2].value_end : last.key_start]


def _literal(value: Scalar, ascii_only: bool) -> str:  # noqa: FBT001  one caller, beside it
    return json.dumps(value, ensure_ascii=ascii_only)


def _object(raw: bytes) -> dict[str, Any]:
    if len(raw) > MAX_LINE_BYTES:
        raise StrictJSONError("line_too_long", size=len(raw), limit=MAX_LINE_BYTES)
    value = loads(raw, exact_numbers=True)
    if not isinstance(value, dict):
        raise StrictJSONError("not_an_object", found=kind_of(value))
    return value


def _verify(before: dict[str, Any], after: dict[str, Any], changes: Mapping[str, Scalar]) -> None:
    """Same keys in the same order, same values spelled alike, except the changes, which are as asked."""
    keys = list(before) + [name for name in changes if name not in before]
    same = list(after) == keys and all(
        after[name] == changes[name] and type(after[name]) is type(changes[name])
        if name in changes
        else after[name] == before[name]
        for name in keys
    )
    if not same:
        raise AssertionError("the edit of the line would change more than it should")
