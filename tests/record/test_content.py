"""Two lines have one content digest exactly when they say the same."""

from __future__ import annotations

import hashlib
import json
import re
import string
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.record import content_digest, line_digest, number_text, reads_alike
from scoring.strict_json import StrictJSONError

ROOT = Path(__file__).resolve().parents[2]


def of(text: str) -> str:
    return content_digest(text.encode("utf-8"))


def by_hand(canonical: str) -> str:
    return hashlib.sha256(b"caso-v1\n" + canonical.encode("ascii")).hexdigest()


# Left: lines as somebody may write them. Right: the text that is hashed, written out by hand.
VECTORS = [
    ("{}", "{}"),
    ('{"validado": true, "revisor": "Ana", "fecha_validacion": "2026-08-01"}', "{}"),
    ('{"id": "a", "n": 24}', '{"id":"a","n":24e0}'),
    ('{"n": 24.50, "id": "a"}', '{"id":"a","n":245e-1}'),
    ('{"n": [0, -0, 0.0, 0e7, -0.00E-3]}', '{"n":[0,0,0,0,0]}'),
    ('{"n": [2400, 2.4e3, 0.00024, -1.010]}', '{"n":[24e2,24e2,24e-5,-101e-2]}'),
    ('{"b": [true, false, null], "a": {}}', '{"a":{},"b":[true,false,null]}'),
    ('{"ñ": "µ", "z": "😀"}', '{"z":"\\ud83d\\ude00","\\u00f1":"\\u00b5"}'),
    ('{"t": "a\\/b\\"c\\\\d\\u0009\\u001b\\u007f\\n"}', '{"t":"a/b\\"c\\\\d\\t\\u001b\\u007f\\n"}'),
    ('{"dentro": {"validado": true, "revisor": "x"}}', '{"dentro":{"revisor":"x","validado":true}}'),
    ('{"n": 9007199254740993}', '{"n":9007199254740993e0}'),
    ('{"n": 1e999999999}', '{"n":1e999999999}'),
]


@pytest.mark.parametrize(("line", "canonical"), VECTORS)
def test_the_digest_is_sha256_of_the_canonical_text(line: str, canonical: str) -> None:
    assert of(line) == by_hand(canonical)


def test_two_digests_are_pinned_for_ever() -> None:
    # printf 'caso-v1\n{"id":"a","n":245e-1}' | sha256sum
    assert of('{"id":"a","n":24.5}') == "3b5cff8d501a7e267b52f1f8075f05ff68f7429e0632480915fbf1db9d17f08a"
    # printf 'caso-v1\n{}' | sha256sum
    assert of("{}") == "8254fc98cfb98064e2a53f257fc330e9361560534e971c6520a444c5f924e464"


def test_the_vectors_of_the_manual_hold() -> None:
    """docs/data.md lists lines with canonical text and digest; whoever implements it again starts there."""
    text = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\{.*\})` \| `(\{.*\})` \| `([0-9a-f]{64})` \|$", text, re.MULTILINE)
    assert len(rows) >= 6
    for line, canonical, digest in rows:
        assert of(line) == by_hand(canonical) == digest


def test_spellings_of_one_content_have_one_digest() -> None:
    same = [
        '{"id":"a","v":{"hct":24},"s":"ñ"}',
        '{"id": "a", "v": {"hct": 24.0}, "s": "\\u00f1"}',
        '  {"s":"ñ","v":{"hct":2.4e1},"id":"a"}  ',
        '{"v":{"hct":24.00},"s":"ñ","id":"a","validado":true,"revisor":"Ana"}',
        '{"v":{"hct":0.24E+2},"s":"ñ","id":"a","fecha_validacion":null}',
    ]
    assert len({of(line) for line in same}) == 1


@pytest.mark.parametrize(
    "other",
    [
        '{"id":"a","n":"24"}',
        '{"id":"a","n":-24}',
        '{"id":"a","n":24.0000000000000000000000000001}',
        '{"id":"a","n":true}',
        '{"id":"a","n":[24]}',
        '{"id":"a","n":24,"x":null}',
        '{"id":"a ","n":24}',
    ],
)
def test_any_other_content_has_another_digest(other: str) -> None:
    assert of(other) != of('{"id":"a","n":24}')


def test_integers_beyond_floats_are_told_apart() -> None:
    assert of('{"n":9007199254740993}') != of('{"n":9007199254740992}')


def test_composed_and_decomposed_accents_are_two_contents() -> None:
    assert of('{"s":"é"}') != of('{"s":"e\\u0301"}')


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"a":1,"a":1}', "duplicate_key"),
        (b'{"x":{"a":1,"\\u0061":1}}', "duplicate_key"),
        (b'{"a":NaN}', "not_a_number"),
        (b'{"a":-Infinity}', "not_a_number"),
        (b'{"a":"\\ud800"}', "lone_surrogate"),
        (b'{"a":' + b"1" * 101 + b"}", "number_too_long"),
        (b"[1]", "not_an_object"),
        (b'{"a":1', "cut_short"),
        (b'{"a":"\xff"}', "not_utf8"),
        (b'{"a":"' + b"x" * (1 << 20) + b'"}', "line_too_long"),
        (b'{"a":' + b"[" * 70 + b"]" * 70 + b"}", "too_deep"),
    ],
)
def test_what_two_readers_could_read_differently_has_no_digest(line: bytes, code: str) -> None:
    with pytest.raises(StrictJSONError) as caught:
        content_digest(line)
    assert caught.value.code == code


def test_the_line_digest_is_that_of_the_bytes() -> None:
    assert line_digest(b'{"a":1}') == hashlib.sha256(b'{"a":1}').hexdigest()
    assert line_digest(b'{"a":1}') != line_digest(b'{"a": 1}')


numbers = st.from_regex(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,4})?", fullmatch=True)


@given(numbers)
def test_the_text_of_a_number_is_its_exact_value(token: str) -> None:
    text = number_text(token)
    assert re.fullmatch(r"0|-?[1-9]([0-9]*[1-9])?e(0|-?[1-9][0-9]*)", text)
    assert Decimal(text) == Decimal(token)


@given(numbers, numbers)
def test_two_numbers_share_their_text_exactly_when_they_are_equal(one: str, two: str) -> None:
    assert (number_text(one) == number_text(two)) == (Decimal(one) == Decimal(two))


def test_a_huge_exponent_costs_nothing() -> None:
    assert number_text("1e" + "9" * 97) == "1e" + "9" * 97
    assert number_text("0e" + "9" * 97) == "0"


scalars = st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=8)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(string.ascii_letters, max_size=4), inner, max_size=3)
    ),
    max_leaves=12,
)
# The independent serialization below marks numbers with #.
keys = st.text(st.characters(codec="utf-8", exclude_characters="#"), max_size=6)
objects = st.dictionaries(keys, values, max_size=6)


def reordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: reordered(value[key]) for key in reversed(value)}
    if isinstance(value, list):
        return [reordered(item) for item in value]
    return value


@given(objects)
def test_order_of_keys_blanks_and_escapes_do_not_matter(value: dict[str, Any]) -> None:
    plain = json.dumps(value, ensure_ascii=False)
    other = json.dumps(reordered(value), ensure_ascii=True, indent=None, separators=(" ,\t", " : "))
    assert of(plain) == of(other)


@given(objects)
def test_an_independent_serialization_gives_the_same_digest(value: dict[str, Any]) -> None:
    """json.dumps with sorted keys is the canonical text, but for the spelling of numbers."""

    def strip(inner: Any) -> Any:
        if isinstance(inner, bool) or inner is None:
            return inner
        if isinstance(inner, int):
            sign, digits, _ = Decimal(inner).as_tuple()
            text = "".join(map(str, digits)).rstrip("0")
            return f"#{'-' if sign else ''}{text}e{len(digits) - len(text)}#" if inner else "#0#"
        if isinstance(inner, list):
            return [strip(item) for item in inner]
        if isinstance(inner, dict):
            return {key: strip(item) for key, item in inner.items()}
        return inner.replace("#", "")

    def without_marks(inner: Any) -> Any:
        if isinstance(inner, str):
            return inner.replace("#", "")
        if isinstance(inner, list):
            return [without_marks(item) for item in inner]
        if isinstance(inner, dict):
            return {key: without_marks(item) for key, item in inner.items()}
        return inner

    kept = {
        key: item for key, item in value.items() if key not in {"validado", "revisor", "fecha_validacion"}
    }
    text = json.dumps(strip(kept), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    text = re.sub(r'"#(-?[0-9e]+)#"', r"\1", text)
    assert of(json.dumps(without_marks(value))) == by_hand(text)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ('{"id":"a","hct":24.50}', '{ "hct": 2.45e1, "id": "a" }', True),
        ('{"id":"a"}', '{"id":"a","validado":false,"revisor":null,"fecha_validacion":null}', True),
        ('{"n":9007199254740993}', '{"n":9007199254740992}', False),
        ('{"n":1}', '{"n":true}', False),
        ('{"n":24}', '{"n":"24"}', False),
        ('{"l":[1,2]}', '{"l":[2,1]}', False),
        ('{"validado":true,"revisor":"Ana"}', '{"validado":true,"revisor":"Eva"}', False),
        ('{"validado":true}', '{"validado":"true"}', False),
        # No two readers need agree about these.
        ('{"a":1,"a":2}', '{"a":1, "a":2}', False),
        ("[1]", "[1.0]", False),
    ],
)
def test_two_lines_read_alike_when_content_and_signature_do(one: str, other: str, alike: bool) -> None:
    assert reads_alike(one.encode(), other.encode()) is alike
    assert reads_alike(one.encode(), one.encode())
