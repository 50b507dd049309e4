"""What the screens of adjudication are made of, without a screen: differences and half-written comments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reviewer.adjudication.difference import MOST_COMPARED, MOST_SHOWN, difference, written
from reviewer.app.disagreements.drafting import Comments, chain_key, row_key
from scoring.adjudication.entries import Verdict

if TYPE_CHECKING:
    from pathlib import Path


def test_a_difference_is_marked_where_it_is() -> None:
    found = difference("Neumonía", "Neumonia")
    assert [(p.text, p.marked) for p in found.left] == [("Neumon", False), ("í", True), ("a", False)]
    assert [(p.text, p.marked) for p in found.right] == [("Neumon", False), ("i", True), ("a", False)]
    assert found.first == ("í", "i")
    grown = difference("aa", "aaa")  # neither the common beginning nor the end takes a letter twice
    assert "".join(p.text for p in grown.right) == "aaa"
    assert [p.text for p in grown.right if p.marked] == ["a"]


def test_letters_that_two_other_words_happen_to_share_are_not_told_apart() -> None:
    found = difference("Neumonía derecha", "lóbulo medio a")
    assert [(p.text, p.marked) for p in found.left] == [("Neumonía derech", True), ("a", False)]


def test_large_values_are_compared_in_a_moment_and_shown_near_the_difference() -> None:
    left, right = "x" * 60_000 + "A" + "y" * 5_000, "x" * 60_000 + "B" + "y" * 5_000
    found = difference(left, right)
    assert found.left_cut == (60_000 - 120, 5_000 - 120)
    assert [p.text for p in found.left if p.marked] == ["A"]
    wild = difference("é" * 70_000, "ñ" * 64_000)
    assert sum(len(p.text) for p in wild.left) == MOST_SHOWN
    assert wild.left_cut == (0, 70_000 - MOST_SHOWN)
    assert MOST_COMPARED < MOST_SHOWN


@pytest.mark.parametrize(
    ("left", "right"), [("", ""), ("", "a"), ("ab", "ba"), ("abcab", "ab"), ("aba", "a")]
)
def test_the_pieces_of_a_short_value_are_that_value(left: str, right: str) -> None:
    found = difference(left, right)
    assert ("".join(p.text for p in found.left), "".join(p.text for p in found.right)) == (left, right)


def test_values_are_written_as_the_files_have_them() -> None:
    assert [written(value) for value in (None, True, 1, 1.0, 1e-7, "1")] == [
        "",
        "true",
        "1",
        "1.0",
        "1e-07",
        "1",
    ]


def test_half_written_comments_are_there_in_the_next_session_and_gone_once_recorded(tmp_path: Path) -> None:
    record = tmp_path / "r.jsonl"
    first = Comments(record, tmp_path / "estado")
    key = row_key(("p1", "dx"))
    first.keep(key, "el informe dice", Verdict.OUTPUT, "Ana Ruiz")
    first.keep(chain_key("a" * 64), "no es", Verdict.REJECT, None)
    assert first.keeper.flush()
    beside = Comments(record, tmp_path / "estado")
    assert beside.load() == 0  # the first sitting still has them
    first.close()
    second = Comments(record, tmp_path / "estado")
    assert second.load() == 2
    assert second.typed(key) == "el informe dice"
    second.discard(key)
    assert second.keeper.flush()
    second.close()
    assert Comments(record, tmp_path / "estado").load() == 1
    for path in (tmp_path / "estado").rglob("*.json"):
        assert path.stat().st_mode & 0o777 == 0o600


def test_two_comments_on_one_row_from_two_windows_are_both_kept(tmp_path: Path) -> None:
    record, key = tmp_path / "r.jsonl", row_key(("p1", "dx"))
    windows = [Comments(record, tmp_path / "estado") for _ in range(2)]
    for number, window in enumerate(windows):
        window.keep(key, f"texto {number}", Verdict.OUTPUT, "Ana Ruiz")
        window.close()
    third = Comments(record, tmp_path / "estado")
    assert third.load() == 1
    assert third.typed(key) == "texto 0\ntexto 1"
    third.close()
    fourth = Comments(record, tmp_path / "estado")
    assert fourth.load() == 1
    assert fourth.typed(key) == "texto 0\ntexto 1"
    fourth.discard(key)
    fourth.close()
    assert Comments(record, tmp_path / "estado").load() == 0
