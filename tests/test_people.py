"""One person however the name is spaced or capitalised; a name that only looks like another is asked about."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import people
from scoring.people import Likeness, person_key, similar_names

KNOWN = ("Ana Ruiz", "Íñigo Peña", "Ilia O'Neil", "Иван Петров")


@pytest.mark.parametrize("name", ["Ana Ruiz", "Ana  Ruiz", " Ana\tRuiz ", "I\u0301ñigo Peña", "Иван Петров"])
def test_a_known_name_is_not_asked_about_whatever_its_blanks(name: str) -> None:
    assert similar_names(name, KNOWN) == ()


@pytest.mark.parametrize(
    "name", ["Luis Gil", "Ana Ruiz García", "Anna Ruiz", "Ángel Díaz", "María-José", "Νίκος"]
)
def test_a_clear_new_name_is_not_asked_about(name: str) -> None:
    assert similar_names(name, KNOWN) == ()


@pytest.mark.parametrize(
    ("name", "known", "kind"),
    [
        ("ana ruiz", "Ana Ruiz", Likeness.CASE),
        ("ANA  RUIZ", "Ana Ruiz", Likeness.CASE),
        ("Ána Ruíz", "Ana Ruiz", Likeness.ACCENTS),
        ("Inigo Pena", "Íñigo Peña", Likeness.ACCENTS),
        ("Ａna Ruiz", "Ana Ruiz", Likeness.ACCENTS),
        ("Ana Ruiz.", "Ana Ruiz", Likeness.MARKS),
        ("Ana-Ruiz", "Ana Ruiz", Likeness.MARKS),
        ("AnaRuiz", "Ana Ruiz", Likeness.MARKS),
        ("ilia oneil", "Ilia O'Neil", Likeness.MARKS),
        ("\u0410na Ruiz", "Ana Ruiz", Likeness.HOMOGLYPHS),
        ("\u0410naRuiz", "Ana Ruiz", Likeness.HOMOGLYPHS),
        ("Iñig0 Peña", "Íñigo Peña", Likeness.HOMOGLYPHS),
        ("Ana Ru\u0456z", "Ana Ruiz", Likeness.HOMOGLYPHS),
        ("\u0391\u03b7a Ruiz".replace("\u03b7", "n"), "Ana Ruiz", Likeness.HOMOGLYPHS),
        ("llia O’Neil", "Ilia O'Neil", Likeness.HOMOGLYPHS),
        ("1lia 0'Neil", "Ilia O'Neil", Likeness.HOMOGLYPHS),
        ("Иван Петр\u006fв", "Иван Петров", Likeness.HOMOGLYPHS),
    ],
)
def test_a_name_that_only_looks_like_a_known_one_is_asked_about(
    name: str, known: str, kind: Likeness
) -> None:
    found = similar_names(name, KNOWN)
    assert [(item.known, item.kind) for item in found] == [(known, kind)]
    assert known in found[0].sentence()


def test_of_spellings_that_differ_in_blanks_alone_the_plainest_is_proposed() -> None:
    (found,) = similar_names("ana ruiz", ("Ana  Ruiz", "Ana Ruiz"))
    assert found.known == "Ana Ruiz"


def test_the_odd_letters_are_named() -> None:
    (found,) = similar_names("Аna Ruiz", KNOWN)
    assert found.sentence().endswith("letras o cifras que solo se parecen: А (U+0410, cirílico).")
    (drawn,) = similar_names("Eva 5anz", ["Eva Sanz"])
    assert drawn.sentence().endswith("letras o cifras que solo se parecen."), "none of another alphabet"


def test_a_word_of_two_alphabets_is_asked_about_by_itself() -> None:
    (found,) = similar_names("L\u0443is Gil", ())
    assert (found.kind, found.known) == (Likeness.MIXED_SCRIPT, "")
    assert "U+0443" in found.sentence()
    # Two words, each in its own alphabet, are a name as people write it.
    assert similar_names("Ivan Петров", ()) == ()


def test_the_nearest_known_name_comes_first() -> None:
    found = similar_names("ana ruiz", ("Аna Ruiz", "Ána Ruiz", "Ana Ruiz"))
    assert [item.kind for item in found] == [Likeness.CASE, Likeness.ACCENTS, Likeness.HOMOGLYPHS]


def test_each_odd_letter_stands_for_one_letter_and_is_not_that_letter() -> None:
    odd = [(char, plain) for plain, chars in people._LOOKS_LIKE.items() for char in chars]
    assert len({char for char, _ in odd}) == len(odd)
    assert all(plain.isascii() and (char == "`" or not char.isascii()) for char, plain in odd)


@given(st.text(st.characters(categories=["L", "M", "Zs", "Pd"]), min_size=1, max_size=12))
def test_one_person_has_one_key(name: str) -> None:
    assert person_key(f" {name}  ") == person_key(name)
    assert person_key(unicodedata.normalize("NFD", name)) == person_key(name)
    assert similar_names(name, (name,)) == ()
