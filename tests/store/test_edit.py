"""Editing a line changes the asked members and not one byte elsewhere."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.store import edit_line
from reviewer.store.edit import edit_members, members
from scoring.record import content_digest
from scoring.strict_json import Number, StrictJSONError, loads

SIGNED: dict[str, str | bool | None] = {
    "validado": True,
    "revisor": "Ana Ruiz",
    "fecha_validacion": "2026-11-30",
}


def edit(line: str) -> str:
    return edit_line(line.encode("utf-8"), SIGNED).decode("utf-8")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Present members change in place; missing ones follow the last with the separators of the line.
        (
            '{"id": "a", "validado": false, "x": 1}',
            '{"id": "a", "validado": true, "x": 1, "revisor": "Ana Ruiz", "fecha_validacion": "2026-11-30"}',
        ),
        (
            '{"id":"a","validado":false,"x":1}',
            '{"id":"a","validado":true,"x":1,"revisor":"Ana Ruiz","fecha_validacion":"2026-11-30"}',
        ),
        (
            '{"fecha_validacion": null, "revisor": null, "validado": null, "id": "a"}',
            '{"fecha_validacion": "2026-11-30", "revisor": "Ana Ruiz", "validado": true, "id": "a"}',
        ),
        # Odd blanks stay, and new members copy them.
        (
            ' { "id"\t:  "a" ,  "n" :24.50 } ',
            (
                ' { "id"\t:  "a" ,  "n" :24.50 ,  "validado" :true ,  "revisor" :"Ana Ruiz" ,'
                '  "fecha_validacion" :"2026-11-30" } '
            ),
        ),
        # One member only: the comma follows the style of the colon.
        (
            '{"id": 1}',
            '{"id": 1, "validado": true, "revisor": "Ana Ruiz", "fecha_validacion": "2026-11-30"}',
        ),
        (
            '{"id":1}',
            '{"id":1,"validado":true,"revisor":"Ana Ruiz","fecha_validacion":"2026-11-30"}',
        ),
        ("{}", '{"validado": true, "revisor": "Ana Ruiz", "fecha_validacion": "2026-11-30"}'),
        ("{ }", '{"validado": true, "revisor": "Ana Ruiz", "fecha_validacion": "2026-11-30" }'),
        # The same key deeper, or inside a text, is somebody else's.
        (
            '{"x": {"validado": false, "revisor": 1}, "t": "\\"validado\\": false, }", "validado": false}',
            (
                '{"x": {"validado": false, "revisor": 1}, "t": "\\"validado\\": false, }", "validado": true,'
                ' "revisor": "Ana Ruiz", "fecha_validacion": "2026-11-30"}'
            ),
        ),
        # A key spelled with escapes is the same key, and keeps its spelling.
        (
            '{"v\\u0061lidado": false, "revisor": "x", "fecha_validacion": "y"}',
            '{"v\\u0061lidado": true, "revisor": "Ana Ruiz", "fecha_validacion": "2026-11-30"}',
        ),
        # Whatever type was there is replaced whole.
        (
            '{"validado": {"a": [1, {"b": "}"}]}, "revisor": [[]], "fecha_validacion": 1e5}',
            '{"validado": true, "revisor": "Ana Ruiz", "fecha_validacion": "2026-11-30"}',
        ),
        # Spellings of numbers and text elsewhere stay.
        (
            '{"n": [1E+2, -0.0, 24.50, 9007199254740993], "t": "\\u00f1\\/ñ", "validado": false}',
            (
                '{"n": [1E+2, -0.0, 24.50, 9007199254740993], "t": "\\u00f1\\/ñ", "validado": true,'
                ' "revisor": "Ana Ruiz", "fecha_validacion": "2026-11-30"}'
            ),
        ),
    ],
)
def test_only_the_three_members_change(before: str, after: str) -> None:
    assert edit(before) == after


def test_a_name_is_escaped_where_the_line_escapes() -> None:
    name: dict[str, str | bool | None] = {"revisor": 'Íñigo "Q"'}
    assert edit_line(b'{"t": "\\u00f1"}', name) == b'{"t": "\\u00f1", "revisor": "\\u00cd\\u00f1igo \\"Q\\""}'
    assert edit_line(b'{"t": "n"}', name).decode() == '{"t": "n", "revisor": "Íñigo \\"Q\\""}'


def test_null_withdraws() -> None:
    line = b'{"validado": true, "revisor": "Ana", "fecha_validacion": "2026-01-01", "id": "a"}'
    changes: dict[str, str | bool | None] = {"validado": False, "revisor": None, "fecha_validacion": None}
    assert edit_line(line, changes) == (
        b'{"validado": false, "revisor": null, "fecha_validacion": null, "id": "a"}'
    )


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"validado": false, "validado": true}', "duplicate_key"),
        (b'{"x": {"a": 1, "a": 2}}', "duplicate_key"),
        (b'{"x": NaN}', "not_a_number"),
        (b'["validado"]', "not_an_object"),
        (b"3", "not_an_object"),
        (b'{"x": 1', "cut_short"),
        (b'{"x": 1} {"y": 2}', "syntax"),
        (b'{"x": "\xc3"}', "not_utf8"),
        (b'{"x": "\\udc00"}', "lone_surrogate"),
        (b'{"x": "' + b"a" * ((1 << 20) - 20) + b'"}', "line_too_long"),
    ],
)
def test_a_line_that_is_not_clear_is_refused(line: bytes, code: str) -> None:
    with pytest.raises(StrictJSONError) as caught:
        edit_line(line, SIGNED)
    assert caught.value.code == code


blanks = st.text(st.sampled_from(" \t\r"), max_size=2)
texts = st.text(st.characters(codec="utf-8"), max_size=6)
number_tokens = st.from_regex(r"-?(0|[1-9][0-9]{0,18})(\.[0-9]{1,6})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)


@st.composite
def quoted(draw: st.DrawFn) -> str:
    return json.dumps(draw(texts), ensure_ascii=draw(st.booleans()))


@st.composite
def tokens(draw: st.DrawFn, depth: int = 0) -> str:
    """A JSON value as somebody may have typed it: odd blanks, escapes and number spellings."""
    kinds = ["number", "text", "word"] + (["list", "object"] if depth < 3 else [])
    kind = draw(st.sampled_from(kinds))
    if kind == "number":
        return draw(number_tokens)
    if kind == "text":
        return draw(quoted())
    if kind == "word":
        return draw(st.sampled_from(["true", "false", "null"]))
    if kind == "list":
        items = draw(st.lists(tokens(depth + 1), max_size=3))
        return "[" + ",".join(f"{draw(blanks)}{item}{draw(blanks)}" for item in items) + "]"
    return draw(object_text(depth + 1))


@st.composite
def object_text(draw: st.DrawFn, depth: int = 0) -> str:
    names = draw(
        st.lists(
            texts | st.sampled_from(["validado", "revisor", "fecha_validacion"]), max_size=5, unique=True
        )
    )
    pieces = []
    for name in names:
        key = json.dumps(name, ensure_ascii=draw(st.booleans()))
        b = [draw(blanks) for _ in range(4)]
        pieces.append(f"{b[0]}{key}{b[1]}:{b[2]}{draw(tokens(depth + 1))}{b[3]}")
    inner = ",".join(pieces) or draw(blanks)
    lead, trail = (draw(blanks), draw(blanks)) if depth == 0 else ("", "")
    return f"{lead}{{{inner}}}{trail}"


@given(object_text())
def test_any_object_keeps_every_other_byte(line: str) -> None:
    raw = line.encode("utf-8")
    after = edit_line(raw, SIGNED)
    parsed: dict[str, Any] = json.loads(after)
    before: dict[str, Any] = json.loads(raw)
    assert {**before, **SIGNED} == parsed
    assert list(parsed)[: len(before)] == list(before)
    assert content_digest(after) == content_digest(raw)
    # Cutting the three values out of both leaves the same text; new members stand together at one place.
    assert cut(line, set(SIGNED)) == cut(after.decode("utf-8"), set(SIGNED), only=set(before))


@given(object_text())
def test_editing_twice_is_editing_once(line: str) -> None:
    once = edit_line(line.encode("utf-8"), SIGNED)
    assert edit_line(once, SIGNED) == once


def cut(line: str, names: set[str], *, only: set[str] | None = None) -> str:
    """The line without the values of ``names`` and, if ``only`` is given, without members outside it."""
    found, opened = members(line)
    out = []
    position = 0
    end_of_kept = opened
    for member in found:
        if only is not None and member.name not in only:
            # From the end of what was there before to the end of the new member.
            out.append(line[position:end_of_kept] if position < end_of_kept else "")
            position = max(position, member.value_end)
            end_of_kept = position
            continue
        if member.name in names:
            out.append(line[position : member.value_start] + "#")
            position = member.value_end
        end_of_kept = member.value_end
    out.append(line[position:])
    return "".join(out)


def paths_to_numbers(value: Any, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Number]]:
    if isinstance(value, Number):
        return [(path, value)]
    if isinstance(value, dict):
        return [found for key, inner in value.items() for found in paths_to_numbers(inner, (*path, key))]
    return []


@given(object_text(), st.data())
def test_a_nested_number_changes_alone_and_can_be_put_back(line: str, data: st.DataObject) -> None:
    raw = line.encode("utf-8")
    numbers = paths_to_numbers(loads(raw, exact_numbers=True))
    if not numbers:
        return
    path, old = data.draw(st.sampled_from(numbers))
    after = edit_members(raw, {path: Number("777.70")})
    assert b"777.70" in after
    assert edit_members(after, {path: old}) == raw
    # One span changed: what stands before and behind it is what stood there.
    same = next((i for i, (a, b) in enumerate(zip(raw, after, strict=False)) if a != b), len(raw))
    tail = len(raw) - same - len(old)
    assert tail <= 0 or raw[-tail:] == after[-tail:]


@given(object_text(), st.lists(texts, min_size=1, max_size=3, unique=True))
def test_a_path_that_is_missing_is_added_and_nothing_else(line: str, keys: list[str]) -> None:
    raw = line.encode("utf-8")
    path = ("nuevo", *keys)
    after = edit_members(raw, {path: ("a", "b"), ("otro",): None})
    parsed, before = json.loads(after), json.loads(raw)
    assert {key: parsed[key] for key in before} == before
    place = parsed
    for key in path:
        place = place[key]
    assert place == ["a", "b"]
    closing = line.rindex("}")
    end = closing - (len(line[:closing]) - len(line[:closing].rstrip(" \t\r")))
    if before:
        assert after.startswith(line[:end].encode("utf-8"))
    assert after.endswith(line[closing:].encode("utf-8"))


@pytest.mark.parametrize(
    ("before", "new", "after"),
    [
        ('{"x": ["a", "b", "c"]}', ("a", "c"), '{"x": ["a", "c"]}'),
        ('{"x": ["a","b"]}', ("z", "a", "b"), '{"x": ["z","a","b"]}'),
        ('{"x": [ "\\u0061" , "b" ]}', ("a", "d", "b"), '{"x": [ "\\u0061" , "d" , "b" ]}'),
        ('{"x":["a"]}', ("a", "b"), '{"x":["a","b"]}'),
        ('{"x":["a"]}', (), '{"x":[]}'),
        ('{"x":[]}', ("a", "b"), '{"x":["a","b"]}'),
        ('{"x": null}', ("a", "b"), '{"x": ["a", "b"]}'),
        ('{"x": [1, "a", {"b": 2}]}', ("a",), '{"x": ["a"]}'),
        ('{"x": ["a", "a"]}', ("a",), '{"x": ["a"]}'),
    ],
)
def test_a_list_of_texts_keeps_what_stays(before: str, new: tuple[str, ...], after: str) -> None:
    assert edit_members(before.encode(), {("x",): new}).decode() == after


def test_what_a_path_cannot_pass_is_refused() -> None:
    with pytest.raises(StrictJSONError) as caught:
        edit_members(b'{"x": [1]}', {("x", "y"): None})
    assert caught.value.code == "not_an_object"
    for twice in ({("x",): None, ("x", "y"): None}, {("x", "y"): None, ("x",): None}):
        with pytest.raises(ValueError, match="inside another"):
            edit_members(b"{}", twice)
