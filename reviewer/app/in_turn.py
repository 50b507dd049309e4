"""Keys are obeyed one after the other: what is typed ahead waits for the window that an earlier key opens.

On a slow connection several keys arrive at once. Textual hands each to the screen that is in front when
it arrives, so the letters of a reason would be commands of the list behind the window that is being opened.
"""

from __future__ import annotations

import time
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Final

from textual import events
from textual.app import App

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.message_pump import MessagePump

OPENING: Final = frozenset({"deciding", "flow", "typing", "name"})
"""Groups of workers that open windows: while one of the screen in front runs, it is about to open one."""
PATIENCE: Final = 20.0
"""Seconds after which nothing opens any more; what was typed ahead is then forgotten."""
AT_ONCE: Final = frozenset({"ctrl+c", "ctrl+q"})
"""Keys that are obeyed even then."""
LOST: Final = 1.0
"""Seconds after which a key counts as obeyed: the widget that had it may be gone, and answers nobody."""
_LOOK_AGAIN: Final = 0.01


class KeysInTurn(App[None]):
    """An app in which a key, or a paste, is handed on when all that the one before it opened stands."""

    def __init__(self) -> None:
        super().__init__()
        self._ahead: deque[events.Key | events.Paste] = deque()
        self._in_hand = False
        self._turn = 0
        self.typed_at = 0.0
        """When the key that is obeyed now was typed, on the clock of Textual's messages."""

    @property
    def keys_in_hand(self) -> bool:
        """A key that was pressed is not worked off yet."""
        return self._in_hand

    async def on_event(self, event: events.Event) -> None:
        """Hand on an event; keys and pastes in turn."""
        if not isinstance(event, (events.Key, events.Paste)) or event.is_forwarded:
            await super().on_event(event)
        elif not self._leaving:  # nothing that comes after leaving is meant for anybody
            self._ahead.append(event)
            if not self._in_hand:
                self._in_hand = True
                await self._settle(time.monotonic())

    async def _settle(self, since: float) -> None:
        """Hand on the next key once the screen in front stands and opens nothing."""
        if self._leaving:
            self._ahead.clear()
        elif self._opens() and time.monotonic() - since < PATIENCE:
            self.set_timer(_LOOK_AGAIN, partial(self._settle, since))
            return
        elif self._opens():
            kept = [event for event in self._ahead if isinstance(event, events.Key) and event.key in AT_ONCE]
            self._ahead = deque(kept)
        if not self._ahead:
            self._in_hand = False
            return
        event = self._ahead.popleft()
        self.typed_at = event.time
        taker = self.focused or self.screen
        await super().on_event(event)
        self._turn += 1
        self.set_timer(LOST, partial(self._passed, self._turn))
        # Twice round: behind the key itself, and behind what it set going, as an input tells that Enter was
        # pressed. Only then has the screen begun to open what the key asks for.
        passed_by = (taker, *taker.ancestors)
        self._follow(self._turn, (*passed_by, *passed_by), 0)

    def _follow(self, turn: int, pumps: Sequence[MessagePump], place: int) -> None:
        """Wait for everybody whom the key may pass, from the widget that has the keys to the app."""
        while place < len(pumps):
            if pumps[place].call_later(self._follow, turn, pumps, place + 1):
                return
            place += 1
        self.call_later(self._passed, turn)

    async def _passed(self, turn: int) -> None:
        """The key of that turn has done what it does."""
        if turn == self._turn:
            self._turn += 1
            await self._settle(time.monotonic())

    @property
    def _leaving(self) -> bool:
        return self._exit or not self.is_running or not self.screen_stack

    def _opens(self) -> bool:
        """Whether the screen in front is not there yet, or is about to put another before itself."""
        screen = self.screen
        return not screen.is_mounted or any(
            worker.group in OPENING and worker.node is screen and not worker.is_finished
            for worker in self.workers
        )
