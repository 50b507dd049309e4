"""Leaving under every circumstance: the terminal is given back, nothing private is printed.

A crash says what kind of fault it was and where in the program, never what the program was holding.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import sys
import traceback
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from textual.app import App

SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT") if hasattr(signal, name))
_NO_HANDLERS = (NotImplementedError, RuntimeError, ValueError)
"""A loop that handles no signals (Windows), one that is closed, another thread than the main one."""
_STALE_SECONDS = 0.5
_LOOK_SECONDS = 0.01
CRASH_CODE = 70
"""What the program ends with after a fault of its own (EX_SOFTWARE)."""


def code_for(signal_number: int) -> int:
    """The exit code a shell expects of a program ended by that signal."""
    return 128 + signal_number


def install(leave: Callable[[int], None]) -> Callable[[], None]:
    """Make the signals that end programs call ``leave`` with an exit code, on the running loop.

    A window that is closed sends SIGHUP and SIGCONT together. To go on painting then would wait for ever
    on a terminal that takes nothing any more, so being continued counts only where there is one.

    Returns:
        What takes them away again.
    """
    loop = asyncio.get_running_loop()
    taken = listen(leave)
    go_on_as_before = _guard_going_on()

    def remove() -> None:
        for number in taken:
            with contextlib.suppress(RuntimeError, ValueError):
                loop.remove_signal_handler(number)
        go_on_as_before()

    return remove


def listen(leave: Callable[[int], None]) -> list[int]:
    """Make the signals that end programs call ``leave``, and again after somebody else took them.

    Returns:
        Those that it could be done for.
    """
    loop = asyncio.get_running_loop()
    taken: list[int] = []
    for number in SIGNALS:
        with contextlib.suppress(*_NO_HANDLERS):
            loop.add_signal_handler(number, _leave, leave, code_for(number))
            taken.append(number)
    return taken


def once_it_stands(app: App[Any], leave: Callable[[int], None], code: int) -> None:
    """Leave, but not in the middle of putting up a screen: its parts are not there yet."""
    if app.screen_stack and app.screen.is_mounted:
        leave(code)
    else:
        app.set_timer(_LOOK_SECONDS, partial(once_it_stands, app, leave, code))


def _leave(leave: Callable[[int], None], code: int) -> None:
    let_go_of_a_lost_terminal()
    leave(code)


def _guard_going_on() -> Callable[[], None]:
    """SIGCONT reaches whoever handles it now only while there is a terminal; returns what undoes that."""
    number = getattr(signal, "SIGCONT", None)
    if number is None:
        return lambda: None
    before = signal.getsignal(number)

    def go_on(received: int, frame: FrameType | None) -> None:
        if not let_go_of_a_lost_terminal() and callable(before):
            before(received, frame)

    signal.signal(number, go_on)
    return partial(signal.signal, number, before)  # type: ignore[return-value]  # its answer is of no use


def let_go_of_a_lost_terminal() -> bool:
    """Whether the terminal is gone; if it is, what is still painted goes nowhere instead of failing."""
    if sys.platform == "win32":
        return False
    import termios

    try:
        termios.tcgetattr(0)
    except termios.error as error:
        if error.args[0] != errno.EIO:
            return False
    else:
        return False
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    return True


@contextlib.contextmanager
def interrupts_ignored(leave: Callable[[int], None]) -> Iterator[None]:
    """Ctrl+C is for whoever has the terminal meanwhile (a prompt for a passphrase), not for this program.

    Args:
        leave: what SIGINT does again afterwards, as given to :func:`install`.
    """
    loop = asyncio.get_running_loop()
    with contextlib.suppress(*_NO_HANDLERS):
        loop.remove_signal_handler(signal.SIGINT)
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        # The loop has not read yet what came meanwhile; with the handler back it would obey it now.
        loop.call_later(_STALE_SECONDS, _again, loop, leave)


def _again(loop: asyncio.AbstractEventLoop, leave: Callable[[int], None]) -> None:
    with contextlib.suppress(*_NO_HANDLERS):
        loop.add_signal_handler(signal.SIGINT, leave, code_for(signal.SIGINT))


def crash_report(error: BaseException) -> str:
    """A few lines about a fault: its type and the places in the program, no value and no text of it."""
    # A background step that fails arrives wrapped; the fault itself says more.
    wrapped = getattr(error, "error", None)
    if isinstance(wrapped, BaseException):
        error = wrapped
    kinds: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(kinds) < 3:
        kinds.append(type(cause).__name__)
        cause = cause.__cause__ or cause.__context__
    places = [
        f"  {_short(frame.filename)}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
    ][-8:]
    head = messages.text("app.crashed", kind=" ← ".join(kinds))
    return "\n".join((head, *places, messages.text("app.crashed_next")))


def _short(filename: str) -> str:
    """The file inside its package; the folders above it belong to the person's machine."""
    parts = Path(filename).parts
    for package in ("reviewer", "scoring", "textual", "rich"):
        if package in parts:
            return "/".join(parts[len(parts) - 1 - parts[::-1].index(package) :])
    return parts[-1] if parts else "?"
