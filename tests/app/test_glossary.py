"""The dashboard's words are explained where somebody asks, and the document says the same of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from reviewer.app.board_view import View
from reviewer.app.glossary import ALSO, WORDS, glossary_lines
from reviewer.app.screens.help import HelpScreen, help_lines
from scoring import messages
from tests.app.support import running, session_on, small_set
from tests.support import ROOT

if TYPE_CHECKING:
    from pathlib import Path

KEYS = [key for keys in WORDS.values() for key in keys]
CATALOGUE = messages.catalogue("glossary")


def words(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def test_every_word_of_the_catalogue_belongs_to_one_view() -> None:
    named = {key.removeprefix("name_") for key in CATALOGUE if key.startswith("name_")}
    assert sorted(KEYS) == sorted(named)
    assert {key.removeprefix("word_") for key in CATALOGUE if key.startswith("word_")} == named
    assert WORDS.keys() == set(View)
    assert set(KEYS) >= {key for keys in ALSO.values() for key in keys}


@pytest.mark.parametrize("key", KEYS)
def test_the_document_says_of_a_word_what_the_help_says(key: str) -> None:
    text = words((ROOT / "docs" / "gate.md").read_text(encoding="utf-8"))
    said = f"**{CATALOGUE[f'name_{key}']['en']}.** {CATALOGUE[f'word_{key}']['en']}"
    assert said in text


@pytest.mark.parametrize("view", list(View))
@pytest.mark.parametrize("width", [38, 76, 116])
def test_the_words_of_the_view_come_first_and_all_are_told_once(view: View, width: int) -> None:
    lines = [line.plain for line in glossary_lines(view, width)]
    assert all(line.cell_length <= width for line in glossary_lines(view, width))
    text = words(" ".join(lines))
    at = {key: text.find(f"· {CATALOGUE[f'name_{key}']['es']}. ") for key in KEYS}
    assert min(at.values()) >= 0
    assert text.count(" · ") == len(KEYS)
    own = {*WORDS[view], *ALSO.get(view, ())}
    others = text.find(CATALOGUE["title_others"]["es"])
    assert {key for key in KEYS if at[key] < others} == own


async def test_help_from_the_dashboard_begins_with_the_words_of_its_view(tmp_path: Path) -> None:
    async with running(session_on(small_set(tmp_path))) as (app, pilot):
        await pilot.press("t", "4", "question_mark")
        screen = app.screen
        assert isinstance(screen, HelpScreen)
        lines = [line.plain for line in screen.lines(76)]
        assert "Palabras de esta vista" in lines[0]
        assert any("McNemar. Prueba" in line for line in lines[:20])
        assert lines[-len(help_lines(76)) :] == [line.plain for line in help_lines(76)]
        await pilot.press("escape", "escape", "question_mark")
        assert isinstance(app.screen, HelpScreen)
        assert [line.plain for line in app.screen.lines(76)] == [line.plain for line in help_lines(76)]
