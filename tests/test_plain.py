"""Text from data is shown, never obeyed."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.plain import plain

UNSAFE = {"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"}


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("ALT [H] 120", "ALT [H] 120"),
        ("[/] [URGENTE]", "[/] [URGENTE]"),
        ("HCO₃⁻ 18 mEq/L; x10³/μL; «ñandú» — °C ½", "HCO₃⁻ 18 mEq/L; x10³/μL; «ñandú» — °C ½"),
        ("\x1b[31mrojo\x1b[0m", "␛[31mrojo␛[0m"),
        ("a\x9b31mb", "a‹U+009B›31mb"),
        ("a\x07\x00\x7f", "a␇␀␡"),
        ("uno\ndos\tres\rcuatro", "uno⏎dos res␍cuatro"),
        ("Ana\u202eanA", "Ana‹U+202E›anA"),
        ("Ana\u200b", "Ana‹U+200B›"),
        ("\ufeffAna\u00ad", "‹U+FEFF›Ana‹U+00AD›"),
        ("a\u2028b\u2029c", "a‹U+2028›b‹U+2029›c"),
        ("\ud83d", "‹U+D83D›"),
        ("perro 🐕", "perro 🐕"),
    ],
)
def test_controls_become_visible_and_the_rest_stays(raw: str, shown: str) -> None:
    assert plain(raw) == shown


def test_line_feeds_stay_only_where_several_lines_are_wanted() -> None:
    assert plain("a\r\nb\tc\rd", multiline=True) == "a\nb c␍d"


def test_a_pile_of_combining_marks_does_not_paint_over_its_neighbours() -> None:
    piled = plain("e" + "\u0301" * 200)
    assert piled.startswith("e" + "\u0301" * 4)
    assert piled.count("\u0301") == 4


@given(st.text(alphabet=st.characters(exclude_categories=[]), max_size=60), st.booleans())
def test_no_output_ever_holds_a_control_or_invisible_character(value: str, multiline: bool) -> None:
    out = plain(value, multiline=multiline)
    left = {c for c in out if unicodedata.category(c) in UNSAFE}
    assert left <= ({"\n"} if multiline else set())
    assert plain(out, multiline=multiline) == out, "saying it twice changes nothing"
    out.encode("utf-8")
