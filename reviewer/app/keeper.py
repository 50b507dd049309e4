"""Drafts written while somebody types: a moment later, off the event loop, the last state of each draft.

Typing must never wait for a disk, and what was typed must be there whatever ends the program. So a thread
of its own writes at most a few times a second, and :meth:`Keeper.flush` waits for it on the way out.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from reviewer.drafts import Draft
from scoring.errors import ProductError

if TYPE_CHECKING:
    from reviewer.drafts import Drafts

PAUSE_SECONDS = 0.25
"""How long what was typed may wait in memory; also when typing never stops."""


class Keeper:
    """Writes and discards the drafts of one data set, in order, in the background.

    Attributes:
        problem: why the last attempt to keep a draft failed, in a sentence; empty when it did not.
    """

    def __init__(self, drafts: Drafts, pause: float = PAUSE_SECONDS) -> None:
        self._drafts = drafts
        self._pause = pause
        self._waiting: dict[tuple[str, str], Draft] = {}
        self._writing = False
        self._hurry = threading.Event()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self.problem = ""

    def keep(self, draft: Draft) -> None:
        """Write ``draft`` soon; an empty one is discarded from the disk instead. Returns at once."""
        with self._changed:
            self._waiting[draft.case_id, draft.slot] = draft
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True, name="revision-borradores")
                self._thread.start()
            self._changed.notify_all()

    def discard(self, case_id: str, slot: str = "") -> None:
        """Forget a draft of a case soon: it was saved, or nobody wants it."""
        self.keep(Draft(case_id, slot=slot))

    def flush(self, seconds: float = 5.0) -> bool:
        """Wait until everything is on the disk; False if that took longer than ``seconds``."""
        with self._changed:
            self._hurry.set()
            try:
                return self._changed.wait_for(lambda: not self._waiting and not self._writing, seconds)
            finally:
                self._hurry.clear()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._waiting))
            self._hurry.wait(self._pause)
            with self._changed:
                batch = list(self._waiting.values())
                self._waiting.clear()
                self._writing = True
            problem = ""
            for draft in batch:
                try:
                    self._drafts.save(draft)
                except ProductError as error:
                    problem = str(error)
            with self._changed:
                self.problem = problem
                self._writing = False
                self._changed.notify_all()
