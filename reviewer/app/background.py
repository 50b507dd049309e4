"""Slow steps off the event loop.

Reading and scoring run in daemon threads, so that leaving never waits for them; what writes runs in
the loop's own executor, which leaving waits for. Once the app is leaving, whoever waited for a step is
cancelled instead of answered: the screens lose their parts one after the other, and nobody sees an answer.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, TypeVar

from textual._context import active_app

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")


async def in_background(step: Callable[[], Result]) -> Result:
    """The result of ``step``, run in a thread that does not keep the program from ending."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Result] = loop.create_future()

    def settle(result: Result | None, error: Exception | None) -> None:
        if future.cancelled():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]  # None is a Result when step returns None

    def run() -> None:
        result: Result | None = None
        failure: Exception | None = None
        try:
            result = step()
        except Exception as error:  # noqa: BLE001 - handed to whoever waits, not hidden
            failure = error
        try:
            loop.call_soon_threadsafe(settle, result, failure)
        except RuntimeError:
            return  # the loop has ended; nobody waits any more

    threading.Thread(target=run, daemon=True, name="revision-lectura").start()
    result = await future
    _only_while_it_runs()
    return result


async def saved(step: Callable[[], Result]) -> Result:
    """The result of ``step``, which writes: the program does not end before it has."""
    result = await asyncio.to_thread(step)
    _only_while_it_runs()
    return result


def _only_while_it_runs() -> None:
    app = active_app.get(None)
    if app is not None and not app.is_running:
        raise asyncio.CancelledError
