"""Deciding with a key: quietly where an agent or a key without passphrase serves, else on the bare terminal.

``ssh-keygen`` asks for a passphrase on the terminal itself; the app steps aside for that long. This
program never sees what is typed there.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from textual.app import SuspendNotSupported

from reviewer.app import leaving
from reviewer.app.background import saved
from reviewer.keys import KeySigner
from scoring import messages
from scoring.cli import console
from scoring.errors import UsageError
from scoring.record import Kind

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from reviewer.app.plans import Done
    from reviewer.store.plan import Signer
    from scoring.errors import ProductError

_ASKS = "keys.passphrase_without_terminal"


class _Announced:
    """A signer that says before each passphrase what it is for.

    Each line of the record is signed by itself, so a correction and its signature ask twice; without a
    word the second time looks as if the first passphrase had been wrong.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._signer = path, KeySigner(path, ask=True)
        self._before = ""

    def __call__(self, message: bytes) -> str:
        before, self._before = self._before, str(json.loads(message).get("tipo"))
        if not before:
            key = "asks_passphrase"
        elif before == self._before:  # the same once more: the record moved on meanwhile
            key = "asks_again"
        else:
            key = "asks_correction" if self._before == Kind.EDITA else "asks_signature"
        console.talk("\n" + messages.text(f"app_decide.{key}", path=self._path))
        return self._signer(message)


class StepsAside(Protocol):
    """An app that can leave the terminal to another program, and be told to end meanwhile."""

    def suspend(self) -> AbstractContextManager[None]:
        """The terminal is free within."""
        ...

    def end(self, code: int) -> None:
        """End with an exit code."""
        ...


async def decide_with_key(
    app: StepsAside, key_path: Path | None, step: Callable[[Signer | None], Done]
) -> Done:
    """The result of ``step``, which writes, given the signer of ``key_path`` (or None for a name alone)."""
    if key_path is None:
        return await saved(partial(step, None))
    done = await saved(partial(step, KeySigner(key_path, ask=False)))
    if done.refusal is None or done.refusal.key != _ASKS:
        return done
    try:
        with app.suspend(), leaving.interrupts_ignored(app.end):
            again = step(_Announced(key_path))
    except SuspendNotSupported:
        return done
    if again.refusal is not None and again.refusal.key == "keys.refused" and _without_words(again.refusal):
        return replace(again, refusal=UsageError("app_decide.key_cancelled"))
    return again


def _without_words(error: ProductError) -> bool:
    """``ssh-keygen`` ended without saying why: it was interrupted."""
    return error.fields.get("reason") == "?"
