"""Keys that arrive faster than the app works (a slow connection, a pasted line) act in the order they were typed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from textual import events
from textual.app import App
from textual.keys import _character_to_key
from textual.widgets import Input

from reviewer.app import in_turn
from reviewer.app.screens.board import BoardScreen
from reviewer.app.screens.decide import DecideDialog
from reviewer.app.screens.dialog import ConfirmDialog
from reviewer.app.screens.edit import EditScreen
from reviewer.app.screens.main import MainScreen
from reviewer.app.screens.name import NameDialog
from reviewer.app.screens.sign import SignDialog
from reviewer.app.screens.typing import TypeDialog
from reviewer.store import Dataset
from scoring.record import Kind
from tests.app.support import running, session_on, small_set, until

if TYPE_CHECKING:
    from pathlib import Path

    from textual.message import Message
    from textual.pilot import Pilot

    from reviewer.app.application import ReviewApp


def at_once(app: ReviewApp, text: str, *then: str) -> None:
    """All of these keys are there before the app has looked at the first."""
    for character in text:
        app.post_message(events.Key(_character_to_key(character), character))
    for key in then:
        app.post_message(events.Key(key, None))


def said(app: ReviewApp) -> str:
    """The sentences of the toasts."""
    return " ".join(note.message for note in app._notifications)


async def at_an_empty_line(app: ReviewApp, pilot: Pilot[None]) -> EditScreen:
    """The correction of the first case, with the line of a value open and empty."""
    await pilot.press("e")
    await until(pilot, lambda: isinstance(app.screen, EditScreen))
    screen = app.screen
    assert isinstance(screen, EditScreen)
    await pilot.press(*["down"] * 5, "enter")
    await until(pilot, lambda: isinstance(app.screen, TypeDialog))
    await pilot.press("ctrl+u")
    return screen


async def test_enter_takes_all_that_was_typed_before_it(tmp_path: Path) -> None:
    """``24.5`` and Enter in one burst leave 24.5, not the «no medido» of an empty line."""
    async with running(session_on(small_set(tmp_path))) as (app, pilot):
        screen = await at_an_empty_line(app, pilot)
        at_once(app, "24.5", "enter")
        await until(pilot, lambda: app.screen is screen)
        assert [str(change.value) for change in screen.correction.changes()] == ["24.5"]


async def test_a_key_pressed_after_enter_is_for_the_screen_below(tmp_path: Path) -> None:
    """«24.5», Enter and «u» in one burst: the value is taken, and then the step is undone."""
    async with running(session_on(small_set(tmp_path))) as (app, pilot):
        screen = await at_an_empty_line(app, pilot)
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


@pytest.mark.parametrize("reason", ["fiebre sin medir: falta la urea", "italia tira fotos"])
async def test_a_reason_typed_before_its_window_stands_is_no_command_of_the_list(
    tmp_path: Path, reason: str
) -> None:
    """The letters of the reason are keys of the list too: f signs, i and t open screens, r asks for a name."""
    cases = small_set(tmp_path)
    async with running(session_on(cases)) as (app, pilot):
        await pilot.press("1")
        at_once(app, f"v{reason}", "enter")
        await until(pilot, lambda: Dataset.open(cases).record.effective("pendiente-bueno") != ())
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
        assert len(app.screen_stack) == 1
    entry = Dataset.open(cases).record.effective("pendiente-bueno")[0]
    assert (entry.kind, entry.reason) == (Kind.DEVUELVE, reason)


async def test_a_signature_typed_before_its_question_stands_is_not_given(tmp_path: Path) -> None:
    """f asks for the name first, and then for the signature; what that one says nobody has read yet."""
    cases = small_set(tmp_path)
    async with running(session_on(cases, reviewer=None)) as (app, pilot):
        await pilot.press("1")
        at_once(app, "fFermina Ruiz", "enter", "enter")
        await until(pilot, lambda: "esa tecla llegó antes que esta pregunta" in said(app))
        assert isinstance(app.screen, SignDialog)
        assert Dataset.open(cases).record.effective("pendiente-bueno") == ()
        await pilot.press("enter")
        await until(pilot, lambda: Dataset.open(cases).record.effective("pendiente-bueno") != ())
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
    entry = Dataset.open(cases).record.effective("pendiente-bueno")[0]
    assert (entry.kind, entry.reviewer) == (Kind.FIRMA, "Fermina Ruiz")


async def test_a_key_behind_enter_waits_also_for_a_window_that_is_slow_to_hear_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second Enter was handed to the name again, and was lost or the list's below."""
    real = NameDialog._on_message

    async def slow(self: NameDialog, message: Message) -> None:
        if isinstance(message, Input.Submitted):
            await asyncio.sleep(0.05)
        await real(self, message)

    handed: list[tuple[str, type]] = []
    hand_on = App.on_event

    async def noted(self: App[Any], event: events.Event) -> None:
        if isinstance(event, events.Key) and not event.is_forwarded:
            handed.append((event.key, type(self.screen)))
        await hand_on(self, event)

    monkeypatch.setattr(NameDialog, "_on_message", slow)
    monkeypatch.setattr(App, "on_event", noted)
    async with running(session_on(small_set(tmp_path), reviewer=None)) as (app, pilot):
        await pilot.press("1")
        at_once(app, "fFermina Ruiz", "enter", "enter")
        await until(pilot, lambda: isinstance(app.screen, SignDialog))
        await until(pilot, lambda: not app.keys_in_hand)
        assert handed[-2:] == [("enter", NameDialog), ("enter", SignDialog)]


@pytest.mark.parametrize("after", ["i", "e", "v", "f", "t", "qi"])
async def test_a_key_behind_the_one_that_leaves_is_for_nobody(tmp_path: Path, after: str) -> None:
    async with running(session_on(small_set(tmp_path))) as (app, pilot):
        at_once(app, f"q{after}")
        await until(pilot, lambda: app.return_code is not None)
    assert app.return_code == 0


async def test_keys_are_not_kept_for_ever_where_nothing_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was typed ahead of a window that never comes is forgotten; leaving still works."""
    monkeypatch.setattr(in_turn, "PATIENCE", 0.05)
    asked = asyncio.Event()

    async def never(*_args: object, **_more: object) -> None:
        asked.set()
        await asyncio.Event().wait()

    async with running(session_on(small_set(tmp_path))) as (app, pilot):
        main = app.screen
        assert isinstance(main, MainScreen)
        monkeypatch.setattr(main.flows, "send_back", never)
        at_once(app, "vft", "ctrl+q")
        await asked.wait()
        await until(pilot, lambda: app.return_code == 0)
        assert app.screen_stack[:] in ([main], [])


async def test_a_widget_that_never_answers_does_not_make_the_app_deaf(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody tells that a key was worked off, as when the widget that had it is gone; the next one works."""
    monkeypatch.setattr(in_turn, "LOST", 0.05)
    monkeypatch.setattr(in_turn.KeysInTurn, "_follow", lambda *_args: None)
    async with running(session_on(small_set(tmp_path))) as (app, pilot):
        at_once(app, "jt")
        await until(pilot, lambda: isinstance(app.screen, BoardScreen))
