"""Normalization by hand, by property, and under hostile input."""

from __future__ import annotations

import random
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.abstraction import AbstractionFieldType, ChartAbstractionGoldField, ChartAbstractionPrediction
from scoring.abstraction import run_chart_abstraction_benchmark as run
from scoring.abstraction.normalize import (
    MAX_TEXT,
    Scalar,
    differ_by_spelling_only,
    is_normalizable,
    normalize,
    number,
    text,
)

TEXT, NUMBER, BOOLEAN = (
    AbstractionFieldType.TEXT,
    AbstractionFieldType.NUMBER,
    AbstractionFieldType.BOOLEAN,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße", "STRASSE"),
        ("ẞ", "ss"),
        ("ﬁ", "FI"),
        ("１２", "12"),
        ("é", "e\u0301"),
        ("İ", "i\u0307"),
        ("ſ", "S"),
        ("Σ", "ς"),
        ("\u212a", "k"),
        ("½", "1\u20442"),
        ("²", "2"),
        ("㎒", "mhz"),
        ("a\u3000\u2028 b", " A\u001fB\u0085"),
        (" \u00a0", ""),
    ],
)
def test_texts_that_are_one_text(one: str, other: str) -> None:
    assert text(one) == text(other)


@pytest.mark.parametrize(
    ("one", "other"), [("İ", "i"), ("ı", "I"), ("a\u200bb", "ab"), ("a-b", "a\u2010b"), ("it's", "it’s")]
)
def test_texts_that_are_two_texts(one: str, other: str) -> None:
    assert text(one) != text(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (12, 12.0),
        (12, " 1_2 "),
        (12, "1٢"),
        (0, "-0"),
        (0.0, "0e5"),
        (0.1, "0.1"),
        (1e23, 10**23),
        (10, "1e1"),
        ("1.50", 1.5),
        (".5", 0.5),
        ("5.", 5),
    ],
)
def test_numbers_that_are_one_number(one: float | str, other: float | str) -> None:
    assert number(one) == number(other)
    assert number(one) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (2**53, 2**53 + 1),
        (0.1, "0.1000000000000000055511151231257827"),
        ("1e-400", 0),
        (1e23, 99999999999999991611392),
        ("1e999999999", "1e999999998"),
    ],
)
def test_numbers_that_are_two_numbers(one: float | str, other: float | str) -> None:
    assert number(one) != number(other)
    assert number(one) is not None
    assert number(other) is not None


@pytest.mark.parametrize(
    "written",
    ["NaN", "inf", "0x1", "1,000", "1 2", "5%", "1/2", "", "_ 1", "1e", "1e9999999999999999999", "５ mg"],
)
def test_what_is_no_number(written: str) -> None:
    assert number(written) is None


def test_an_int_is_a_number_up_to_4300_digits() -> None:
    assert is_normalizable(10**4300 - 1, NUMBER)
    assert not is_normalizable(10**4300, NUMBER)
    assert number(-(10**4300)) is None
    assert number("9" * 5000) is not None


def test_only_a_boolean_is_a_boolean() -> None:
    assert [normalize(value, BOOLEAN) for value in (True, 1, "true", 1.0)] == [True, None, None, None]


SCALARS: st.SearchStrategy[str | int | float | bool] = st.one_of(
    st.booleans(),
    st.integers(),
    st.integers(min_value=2**53 - 3, max_value=2**53 + 3),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-5, 5).map(float),
    st.integers(-5, 5),
    st.sampled_from(["1", "1.0", " 1", "True", "true", "1e0", "-0", "0", "Straße", "STRASSE", "A b", "a  B"]),
    st.text(max_size=4),
)


@given(gold=SCALARS, output=SCALARS, kind=st.sampled_from(AbstractionFieldType))
def test_the_quick_comparison_agrees_with_comparing_normal_forms(
    gold: Scalar, output: Scalar, kind: AbstractionFieldType
) -> None:
    if not is_normalizable(gold, kind) or (type(gold) is type(output) and gold == output):
        return
    form = normalize(output, kind)
    assert differ_by_spelling_only(gold, output, kind) == (form is not None and form == normalize(gold, kind))


MARKS = "\u0301\u0323\u0344\u0f73\u0f71\u0f72\u0345\u0308\u0327\u3099\u1100\u1161\u11a8ae\uac00\u0958½ \u09c7\u09be"


@given(st.text(alphabet=MARKS, min_size=60, max_size=260))
def test_ordering_marks_first_changes_nothing_in_the_normal_form(value: str) -> None:
    wanted = " ".join(unicodedata.normalize("NFKC", value).casefold().split())
    assert text(value) == wanted
    assert text("x" * 260 + value) == " ".join(
        unicodedata.normalize("NFKC", "x" * 260 + value).casefold().split()
    )


ALL_MARKS = [chr(code) for code in range(0x300, 0x345) if unicodedata.combining(chr(code))]


@pytest.mark.parametrize("classes", [1, 2, 4, 5, 99])
def test_long_runs_of_marks_of_few_and_of_many_classes_come_out_as_nfkc_leaves_them(classes: int) -> None:
    by_class: dict[int, list[str]] = {}
    for mark in ALL_MARKS:
        by_class.setdefault(unicodedata.combining(mark), []).append(mark)
    marks = [mark for group in list(by_class.values())[:classes] for mark in group]
    chance = random.Random(classes)
    for length in (31, 32, 33, 34, 200):
        runs = ["".join(chance.choices(marks, k=length)) for _ in range(3)]
        value = f"a{runs[0]} é{runs[1]}x{runs[2]}"
        assert text(value) == " ".join(unicodedata.normalize("NFKC", value).casefold().split())


def test_a_quarter_of_a_million_combining_marks_take_no_longer_than_plain_text_of_some_length() -> None:
    """CPython alone needs a minute for this one; the bound is generous so that a slow machine passes."""
    hostile = "a" + "\u0301\u0323" * 128_000
    gold = ChartAbstractionGoldField("c", "f.a", TEXT, hostile)
    start = time.process_time()
    report = run([gold], [ChartAbstractionPrediction("c", "f.a", "A" + "\u0323\u0301" * 128_000)])
    assert time.process_time() - start < 10
    assert report.overall.exact_agreement.success_count == 0
    assert report.overall.normalized_agreement.success_count == 1


def test_a_text_beyond_the_bound_is_no_gold_and_as_an_output_merely_wrong() -> None:
    with pytest.raises(ValueError, match="invalid_gold_value"):
        ChartAbstractionGoldField("c", "f.a", TEXT, "é" * (MAX_TEXT + 1))
    gold = ChartAbstractionGoldField("c", "f.a", TEXT, "a")
    for long in ("é" * (MAX_TEXT + 1), "A" + " " * MAX_TEXT):
        report = run([gold], [ChartAbstractionPrediction("c", "f.a", long)])
        assert report.overall.normalized_agreement.success_count == 0
    digits = ChartAbstractionGoldField("c", "f.n", NUMBER, "9" * MAX_TEXT)
    assert digits.value == "9" * MAX_TEXT
    with pytest.raises(ValueError, match="invalid_gold_value"):
        ChartAbstractionGoldField("c", "f.n", NUMBER, "9" * (MAX_TEXT + 1))
