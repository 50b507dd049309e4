"""Keys that arrive faster than the app works (a slow connection, a pasted line) act in the order they were typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.keys import _character_to_key

from reviewer.app.screens.decide import DecideDialog
from reviewer.app.screens.dialog import ConfirmDialog
from reviewer.app.screens.edit import EditScreen
from reviewer.app.screens.main import MainScreen
from reviewer.app.screens.typing import TypeDialog
from reviewer.store import Dataset
from tests.app.support import running, session_on, small_set, until

if TYPE_CHECKING:
    from pathlib import Path

    from reviewer.app.application import ReviewApp


def at_once(app: ReviewApp, text: str, *then: str) -> None:
    """All of these keys are there before the app has looked at the first."""
    for character in text:
        app.post_message(events.Key(_character_to_key(character), character))
    for key in then:
        app.post_message(events.Key(key, None))


async def test_enter_takes_all_that_was_typed_before_it(tmp_path: Path) -> None:
    """``24.5`` and Enter in one burst leave 24.5, not the «no medido» of an empty line."""
    async with running(session_on(small_set(tmp_path))) as (app, pilot):
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, EditScreen))
        screen = app.screen
        assert isinstance(screen, EditScreen)
        await pilot.press(*["down"] * 5, "enter")
        await until(pilot, lambda: isinstance(app.screen, TypeDialog))
        await pilot.press("ctrl+u")
        at_once(app, "24.5", "enter", "enter")
        await until(pilot, lambda: app.screen is screen)
        assert [str(change.value) for change in screen.correction.changes()] == ["24.5"]


async def test_a_key_pressed_after_enter_is_for_the_screen_below(tmp_path: Path) -> None:
    """«24.5», Enter and «u» in one burst: the value is taken, and then the step is undone."""
    async with running(session_on(small_set(tmp_path))) as (app, pilot):
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, EditScreen))
        screen = app.screen
        assert isinstance(screen, EditScreen)
        await pilot.press(*["down"] * 5, "enter")
        await until(pilot, lambda: isinstance(app.screen, TypeDialog))
        await pilot.press("ctrl+u")
        at_once(app, "24.5", "enter")
        at_once(app, "u")
        session = screen.correction
        await until(pilot, lambda: session.can_redo)
        assert session.changes() == ()


async def test_a_reason_typed_in_one_burst_is_recorded_whole(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    async with running(session_on(cases)) as (app, pilot):
        await pilot.press("2", "x")
        await until(pilot, lambda: isinstance(app.screen, DecideDialog))
        at_once(app, "el valor de la ALT es de otro animal", "enter", "enter")
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
    entry = Dataset.open(cases).record.effective("firmado-uno")[0]
    assert entry.reason == "el valor de la ALT es de otro animal"


async def test_leaving_at_once_after_typing_asks_about_what_was_typed(tmp_path: Path) -> None:
    async with running(session_on(small_set(tmp_path))) as (app, pilot):
        await pilot.press("2", "x")
        await until(pilot, lambda: isinstance(app.screen, DecideDialog))
        at_once(app, "otro animal", "ctrl+q")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        draft = app.session.desk.draft("firmado-uno")
        assert draft is not None
        assert draft.reason == "otro animal"
