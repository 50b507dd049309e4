"""Changing members of one JSON line without touching any other byte of it.

The objects on the way to a member are walked with the decoder of the standard library, the spans of the
values are spliced, and then old and new line are both parsed and compared: whatever the walk might get
wrong, the comparison refuses.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from scoring.jsonl import MAX_LINE_BYTES, kind_of
from scoring.strict_json import Number, StrictJSONError, loads

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Scalar = str | bool | None
Value = Scalar | tuple[str, ...]
"""What a member may be set to: text, :class:`~scoring.strict_json.Number` (as typed), truth, null, texts."""
Path = tuple[str, ...]
"""The keys that lead to a member, from the top level on."""
_Tree = dict[str, "Value | _Tree"]
_BLANKS = " \t\r\n"
_decoder = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object as positions in the decoded line: key with its quotes, and value."""

    name: str
    key_start: int
    key_end: int
    value_start: int
    value_end: int


@dataclass(frozen=True, slots=True)
class _Style:
    """What stands between key and value, and between members or elements, at a place of the line."""

    colon: str
    comma: str
    ascii_only: bool


@dataclass(frozen=True, slots=True)
class _Splice:
    start: int
    end: int
    text: str


def members(source: str, start: int = 0) -> tuple[tuple[Member, ...], int]:
    """The members of the object that begins at ``start`` (blanks may stand before it).

    Args:
        source: a strictly valid JSON text.
        start: position of the object in it.

    Returns:
        The members in their order, and the position after the opening brace.
    """
    position = _skip(source, start) + 1
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


def elements(source: str, start: int) -> tuple[tuple[int, int], ...]:
    """Start and end of each element of the array that begins at ``start``."""
    position = _skip(source, start + 1)
    found: list[tuple[int, int]] = []
    while source[position] != "]":
        if source[position] == ",":
            position = _skip(source, position + 1)
        _, end = _decoder.raw_decode(source, position)
        found.append((position, end))
        position = _skip(source, end)
    return tuple(found)


def _skip(source: str, position: int) -> int:
    while source[position] in _BLANKS:
        position += 1
    return position


def edit_line(raw: bytes, changes: Mapping[str, Scalar]) -> bytes:
    """``raw`` with the top-level members of ``changes`` set; see :func:`edit_members`."""
    return edit_members(raw, {(name,): value for name, value in changes.items()})


def unsign(raw: bytes) -> bytes:
    """``raw`` with its three signature keys as those of a case that nobody signed."""
    return edit_line(raw, {"validado": False, "revisor": None, "fecha_validacion": None})


def edit_members(raw: bytes, changes: Mapping[Path, Value]) -> bytes:
    """``raw`` with the members of ``changes`` set; a member that is not there is added last in its object.

    A new member takes its separators from the object it joins, text is escaped to ASCII where the line
    does so, a :class:`~scoring.strict_json.Number` is written as it was typed. In a list of texts the
    elements that stay keep their bytes. An object on the way that is missing is added.

    Args:
        raw: the line without its end and without a byte order mark.
        changes: new values by path, in the order in which missing ones are added.

    Raises:
        StrictJSONError: the line is not one JSON object that every reader reads alike, a path leads
            through something that is no object, or the result would be too long.
    """
    before = _object(raw)
    tree = _tree(changes)
    source = raw.decode("utf-8")
    style = _Style(": ", ", ", ascii_only="\\u" in source and source.isascii())
    splices = sorted(_in_object(source, 0, tree, style), key=lambda splice: splice.start)
    pieces: list[str] = []
    position = 0
    for splice in splices:
        pieces += [source[position : splice.start], splice.text]
        position = splice.end
    pieces.append(source[position:])
    result = "".join(pieces).encode("utf-8")
    if not _same(_object(result), _changed(before, tree)):
        raise AssertionError("the edit of the line would change more than it should")
    return result


def _tree(changes: Mapping[Path, Value]) -> _Tree:
    """The changes as nested objects, in their order."""
    root: _Tree = {}
    for path, value in changes.items():
        place = root
        for name in path[:-1]:
            inner = place.setdefault(name, {})
            if not isinstance(inner, dict):
                raise ValueError("one change lies inside another")  # noqa: TRY004  the paths are wrong
            place = inner
        if path[-1] in place:
            raise ValueError("one change lies inside another")
        place[path[-1]] = value
    return root


def _in_object(source: str, start: int, tree: _Tree, outer: _Style) -> list[_Splice]:
    """What to replace and to insert in the object that begins at ``start``."""
    found, opened = members(source, start)
    style = _separators(source, found, outer)
    splices: list[_Splice] = []
    present: dict[str, Member] = {member.name: member for member in found}
    for name, value in tree.items():
        member = present.get(name)
        if member is None:
            continue
        if isinstance(value, dict):
            if source[member.value_start] != "{":
                kind = kind_of(json.loads(source[member.value_start : member.value_end]))
                raise StrictJSONError("not_an_object", column=member.value_start + 1, found=kind)
            splices += _in_object(source, member.value_start, value, style)
        else:
            splices.append(
                _Splice(member.value_start, member.value_end, _replacement(source, member, value, style))
            )
    missing = [name for name in tree if name not in present]
    if missing:
        end = found[-1].value_end if found else opened
        texts = [
            f"{style.comma if found or index else ''}{_literal(name, style)}{style.colon}"
            f"{_literal(tree[name], style)}"
            for index, name in enumerate(missing)
        ]
        splices.append(_Splice(end, end, "".join(texts)))
    return splices


def _separators(source: str, found: Sequence[Member], outer: _Style) -> _Style:
    """The style of an object, from its last members; that of the object around it if it is empty."""
    if not found:
        return outer
    last = found[-1]
    colon = source[last.key_end : last.value_start]
    if len(found) == 1:
        comma = ", " if colon.endswith(" ") else ","
    else:
        comma = source[found[-2].value_end : last.key_start]
    return _Style(colon, comma, outer.ascii_only)


def _replacement(source: str, member: Member, value: Value, style: _Style) -> str:
    """The text of the new value; of a list of texts, what stays is kept as it is spelled."""
    old = source[member.value_start : member.value_end]
    if not isinstance(value, tuple) or not old.startswith("["):
        return _literal(value, style)
    spans = elements(source, member.value_start)
    if not spans:
        return _literal(value, style)
    before = [json.loads(source[start:end]) for start, end in spans]
    keys = [item if isinstance(item, str) else ("other", index) for index, item in enumerate(before)]
    texts = [_literal(item, style) for item in value]
    for tag, i1, i2, j1, _ in SequenceMatcher(None, keys, value, autojunk=False).get_opcodes():
        if tag == "equal":
            for offset in range(i2 - i1):
                start, end = spans[i1 + offset]
                texts[j1 + offset] = source[start:end]
    comma = source[spans[0][1] : spans[1][0]] if len(spans) > 1 else _plain_comma(style)
    if not texts:
        return "[]"
    lead, trail = source[member.value_start + 1 : spans[0][0]], source[spans[-1][1] : member.value_end - 1]
    return f"[{lead}{comma.join(texts)}{trail}]"


def _plain_comma(style: _Style) -> str:
    return ", " if style.colon.endswith(" ") else ","


def _literal(value: Value | _Tree, style: _Style) -> str:
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, tuple):
        return f"[{_plain_comma(style).join(_literal(item, style) for item in value)}]"
    if isinstance(value, dict):
        inner = (f"{_literal(name, style)}{style.colon}{_literal(v, style)}" for name, v in value.items())
        return f"{{{_plain_comma(style).join(inner)}}}"
    return json.dumps(value, ensure_ascii=style.ascii_only)


def _object(raw: bytes) -> dict[str, Any]:
    if len(raw) > MAX_LINE_BYTES:
        raise StrictJSONError("line_too_long", size=len(raw), limit=MAX_LINE_BYTES)
    value = loads(raw, exact_numbers=True)
    if not isinstance(value, dict):
        raise StrictJSONError("not_an_object", found=kind_of(value))
    return value


def _changed(before: Mapping[str, Any], tree: _Tree) -> dict[str, Any]:
    """The object as it should read afterwards."""
    after = dict(before)
    for name, value in tree.items():
        if isinstance(value, dict):
            after[name] = _changed(after.get(name, {}), value)
        else:
            after[name] = list(value) if isinstance(value, tuple) else value
    return after


def _same(left: Any, right: Any) -> bool:
    """Equal in type, in spelling of numbers, and in the order of keys."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return list(left) == list(right) and all(_same(left[name], right[name]) for name in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(_same, left, right))
    return bool(left == right)
