"""Deciding with a key: quietly where an agent or a key without passphrase serves, else on the bare terminal.

``ssh-keygen`` asks for a passphrase on the terminal itself; the app steps aside for that long. This
program never sees what is typed there.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from textual.app import SuspendNotSupported

from reviewer.app import leaving
from reviewer.app.background import saved
from reviewer.keys import Announced, KeySigner
from scoring import messages
from scoring.cli import console
from scoring.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from reviewer.app.plans import Done
    from reviewer.keys import Occasion
    from reviewer.store.plan import Signer
    from scoring.errors import ProductError

_ASKS = "keys.passphrase_without_terminal"


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
            again = step(Announced(KeySigner(key_path, ask=True), partial(_announce, key_path)))
    except SuspendNotSupported:
        return done
    if again.refusal is not None and again.refusal.key == "keys.refused" and _without_words(again.refusal):
        return replace(again, refusal=UsageError("app_decide.key_cancelled"))
    return again


def _announce(path: Path, occasion: Occasion) -> None:
    console.talk("\n" + messages.text(f"app_decide.asks_{occasion}", path=path))


def _without_words(error: ProductError) -> bool:
    """``ssh-keygen`` ended without saying why: it was interrupted."""
    return error.fields.get("reason") == "?"
