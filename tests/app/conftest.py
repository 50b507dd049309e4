"""Keys are pressed as fast as the app takes them, and looked at when it has worked them off.

The pilot takes an app for idle when its process uses little of the processor, which it also does while
other programs have the processor. Here it is idle when its event loop has nothing to do.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
import textual.app
import textual.pilot
from textual._context import active_app

from reviewer.app import in_turn

if TYPE_CHECKING:
    from textual.app import App

_QUIET_TURNS = 5
_MOST_TURNS = 20_000
_MOST_LOOKS = 500


async def idle(min_sleep: float = 0, max_sleep: float = 1) -> None:
    """Until nothing is under way; counted in turns of the loop, because the clock goes on by itself."""
    app = active_app.get(None)
    for _ in range(_MOST_LOOKS):
        await asyncio.sleep(0.004)  # timers that were due earlier have their turn first
        await _quiet()
        if app is None or not _at_work(app):
            return


def _at_work(app: App[Any]) -> bool:
    """A key waits for its turn, or the screen in front is not there yet or has something to paint."""
    if isinstance(app, in_turn.KeysInTurn) and app.keys_in_hand:
        return True
    if not app.is_running or not app.screen_stack:
        return False
    screen = app.screen
    to_paint = screen._layout_required or screen._repaint_required or screen._dirty_widgets
    return not screen.is_mounted or bool(to_paint or screen._callbacks)


async def _quiet() -> None:
    loop: Any = asyncio.get_running_loop()
    quiet = 0
    for _ in range(_MOST_TURNS):
        await asyncio.sleep(0)
        quiet = 0 if loop._ready else quiet + 1
        if quiet == _QUIET_TURNS:
            return


@pytest.fixture(autouse=True)
def steady_pilot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textual.app, "wait_for_idle", idle)
    monkeypatch.setattr(textual.pilot, "wait_for_idle", idle)
    # A key that takes its time on a busy machine is not a lost one.
    monkeypatch.setattr(in_turn, "LOST", 5.0)
