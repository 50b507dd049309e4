"""How one raw value becomes a number: the table of the documented cases, and every text there is."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.engine.numbers import BLANKS, as_double, excerpt, read, shown, whole_number


@pytest.mark.parametrize(
    ("raw", "value", "rest"),
    [
        ("60", 60, ""),
        (" 60 ", 60, ""),
        ("+60", 60, ""),
        ("-5", -5, ""),
        ("60.", 60.0, ""),
        (".5", 0.5, ""),
        ("-.5", -0.5, ""),
        ("4e1", 40.0, ""),
        ("4E+1", 40.0, ""),
        ("4e-1", 0.4, ""),
        ("4e", 4, "e"),
        ("4e+", 4, "e+"),
        ("7.5 mg/dL", 7.5, "mg/dL"),
        ("7,5", 7, ",5"),
        ("1_0", 1, "_0"),
        ("0x60", 0, "x60"),
        ("1.2.3", 1.2, ".3"),
        ("1e2.5", 100.0, ".5"),
        ("\u00a0\ufeff\t12", 12, ""),
        ("5-3", 5, "-3"),
        ("120 H", 120, "H"),
        ("Infinity", math.inf, ""),
        ("-Infinity", -math.inf, ""),
        ("+Infinity", math.inf, ""),
        ("Infinity!", math.inf, "!"),
        ("1e400", math.inf, ""),
        ("1e-400", 0.0, ""),
    ],
)
def test_a_text_is_read_as_its_longest_leading_number(raw: str, value: float, rest: str) -> None:
    reading = read(raw)
    assert (reading.kind, reading.value, reading.rest) == ("text", value, rest)
    assert type(reading.value) is type(value)


@pytest.mark.parametrize(
    "raw",
    ["<5", ">100", "abc", "-", "+", ".", "e5", "--5", "+-5", "- 5", "١٢", "５", "infinity", "NaN", ",5"],
)
def test_a_text_without_a_leading_number_is_not_measured(raw: str) -> None:
    assert read(raw).kind == "unreadable"
    assert read(raw).value is None


@pytest.mark.parametrize("raw", [None, "", " ", "\t\u00a0\n"])
def test_nothing_is_absent(raw: str | None) -> None:
    assert read(raw).kind == "absent"


@pytest.mark.parametrize("raw", [True, False, [], {}, [5], {"a": 1}, b"5", 1j, Fraction(1, 2), object()])
def test_other_types_are_not_measured(raw: object) -> None:
    assert read(raw).kind == "wrong_type"
    assert read(raw).value is None


def test_numbers_are_taken_as_they_are() -> None:
    assert read(24).value == 24
    assert isinstance(read(24).value, int)
    assert isinstance(read(24.0).value, float)
    assert read(9007199254740993).value == 9007199254740993
    assert read(float("nan")).kind == "not_a_number"
    assert read(10**309).value == math.inf
    assert read(-(10**309)).value == -math.inf


def test_a_blank_that_is_none_in_the_field_cuts_nothing_off() -> None:
    """U+001C..U+001F and U+0085 are blanks to Python, and no blanks here."""
    for char in "\x1c\x1d\x1e\x1f\x85\u200b\u180e":
        assert read(char + "5").kind == "unreadable"


NUMBER_CHARACTERS = set("0123456789+-.eE")


def defined(raw: str) -> float | None:
    """The longest prefix of number characters that ``float`` accepts: another definition of the same."""
    content = raw.lstrip(BLANKS)
    bare = content.lstrip("+-")
    if bare.startswith("Infinity") and len(content) - len(bare) <= 1:
        return float(content[: len(content) - len(bare) + 8])
    for end in range(len(content), 0, -1):
        prefix = content[:end]
        if set(prefix) <= NUMBER_CHARACTERS:
            try:
                return float(prefix)
            except ValueError:
                continue
    return None


numberlike = st.text(alphabet="0123456789+-.eE, _xI<٣\u00a0\ufeff\x1c\n", max_size=14)


@given(st.one_of(numberlike, st.text(max_size=20), st.floats().map(repr), st.integers().map(str)))
@example("Infinit")
@example("-Infinityy")
@example("0" * 400 + "1")
@example("1" + "0" * 400)
def test_every_text_reads_as_the_definition_says(raw: str) -> None:
    expected = defined(raw)
    value = read(raw).value
    assert (None if value is None else as_double(value)) == expected


@given(st.one_of(numberlike, st.text(max_size=20)))
def test_number_and_rest_make_up_the_text(raw: str) -> None:
    reading = read(raw)
    if reading.kind == "text":
        assert raw.strip(BLANKS).endswith(reading.rest)
        assert "," not in raw or "," in reading.rest


@given(st.floats(allow_nan=False))
def test_a_number_survives_being_written(number: float) -> None:
    assert read(repr(number)).value == number or math.isinf(number)
    assert as_double(read(number).value or 0.0) == number


@pytest.mark.parametrize(
    ("raw", "value"), [("24", 24), (" 24.5 ", 24.5), ("24 m", None), ("", None), ("x", None), ("2,5", None)]
)
def test_a_whole_number_is_nothing_more(raw: str, value: float | None) -> None:
    assert whole_number(raw) == value


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (60.0, "60"),
        (7.5, "7.5"),
        (-0.0, "0"),
        (1e22, "1e+22"),
        (10**400, "∞"),
        (-math.inf, "-∞"),
        (0.1 + 0.2, "0.30000000000000004"),
    ],
)
def test_numbers_are_shown_shortest(number: float, text: str) -> None:
    assert shown(number) == text


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("7,5", "7,5"),
        ("a" * 41, "a" * 40 + "…"),
        ("x\x1b[31my\u202ez", "x␛[31my‹U+202E›z"),
        (True, "un valor verdadero/falso"),
        ([1, 2], "una lista"),
        pytest.param(10**5000, "∞", id="huge"),
    ],
)
def test_an_excerpt_is_short_and_harmless(raw: Any, text: str) -> None:
    assert excerpt(raw) == text
