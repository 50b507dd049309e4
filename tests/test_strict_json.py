"""What two readers could understand differently is refused."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import messages
from scoring.strict_json import MAX_DEPTH, Number, StrictJSONError, loads


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b'{"a":1,"a":1}', "duplicate_key"),
        (b'{"x":[{"a":1,"\\u0061":2}]}', "duplicate_key"),
        (b'{"a":NaN}', "not_a_number"),
        (b"[-Infinity]", "not_a_number"),
        (b'{"a":"\\ud800"}', "lone_surrogate"),
        (b'{"\\udc00":1}', "lone_surrogate"),
        (b'{"a":"\xff"}', "not_utf8"),
        (b'{"a":"\xed\xa0\x80"}', "not_utf8"),
        (b'{"a":1', "cut_short"),
        (b'{"a":"abc', "cut_short"),
        (b'{"a":', "cut_short"),
        (b"", "cut_short"),
        (b"{'a':1}", "syntax"),
        (b'{"a":1} x', "syntax"),
        (b'{"a":01}', "syntax"),
        (b'{"a":"\x01"}', "syntax"),
        (b"1" * 101, "number_too_long"),
        (b"1e" + b"9" * 100, "number_too_long"),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "too_deep"),
        (b"[" * 100_000, "too_deep"),
    ],
)
def test_each_fault_has_its_code(raw: bytes, code: str) -> None:
    with pytest.raises(StrictJSONError) as caught:
        loads(raw)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("raw", "column", "said"),
    [
        (b"{'a':1}", 2, "el nombre de un campo entre comillas dobles"),
        (b'{"a":1} x', 9, "un solo objeto por línea"),
        (b'{"a":x}', 6, "aquí falta un valor"),
        (b'{"a" 1}', 6, "faltan dos puntos"),
        (b'{"a":1 "b":2}', 8, "falta una coma"),
        (b'{"a":"\t"}', 7, "carácter de control dentro de un texto; escríbalo como \\t"),
        (b'{"a":"\\q"}', 7, "escríbala doble (\\\\)"),
        (b'{"a":"\\u12"}', 9, "cuatro cifras hexadecimales"),
        ("\ufeff{}".encode(), 1, "BOM"),
    ],
)
def test_why_it_is_no_json_is_said_in_the_language_of_the_screens(raw: bytes, column: int, said: str) -> None:
    with pytest.raises(StrictJSONError) as caught:
        loads(raw)
    assert caught.value.code == "syntax"
    assert caught.value.column == pytest.approx(column, abs=2)  # versions of Python point a little apart
    assert said in messages.text("json.syntax", **caught.value.fields)


def reason_of(raw: bytes) -> str:
    try:
        loads(raw)
    except StrictJSONError as error:
        return str(error.fields.get("reason", ""))
    return ""


@given(st.text(alphabet='{}[]",:1 a\\u\t\ufefft', max_size=12))
def test_no_english_reason_comes_through(text: str) -> None:
    said = reason_of(text.encode())
    assert not {"Expecting", "Invalid", "Extra", "Illegal", "Unexpected"} & set(said.split())


def test_the_column_points_at_the_character_not_the_byte() -> None:
    # {"ñ":"  is six characters (seven bytes); the bad byte is the seventh character
    with pytest.raises(StrictJSONError) as caught:
        loads('{"ñ":"'.encode() + b'\xff"}')
    assert caught.value.column == 7


def test_what_is_at_a_limit_passes() -> None:
    assert loads(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    assert loads(b"1" * 100) == int("1" * 100)
    assert loads(b'"\\ud83d\\ude00"') == "😀"
    assert math.isinf(loads(b"1e400"))


def test_numbers_can_keep_their_spelling() -> None:
    value = loads(b'{"a":24.50,"b":9007199254740993,"c":-0.0,"d":1E+2}', exact_numbers=True)
    assert value == {"a": "24.50", "b": "9007199254740993", "c": "-0.0", "d": "1E+2"}
    assert all(isinstance(v, Number) for v in value.values())


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(10**40), 10**40)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=15,
    ),
    st.booleans(),
)
def test_good_json_reads_as_the_standard_reader_does(value: object, ascii_only: bool) -> None:
    raw = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8")
    assert loads(raw) == json.loads(raw)


@given(st.binary(max_size=60))
def test_any_bytes_give_a_value_or_a_named_fault(raw: bytes) -> None:
    try:
        loads(raw)
    except StrictJSONError as error:
        assert error.code  # noqa: PT017 - either outcome is fine, a third one is not
