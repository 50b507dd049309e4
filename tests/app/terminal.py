"""A real terminal for a real program: a pseudo terminal whose painted bytes are kept."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
import time
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from tests.support import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RESTORED = b"\x1b[?1049l"
"""Leaving the alternate screen: what gives the terminal back."""

_LAST = b"\x00the end\x00"

_CONTROL = re.compile(
    rb"\x1b\[[0-9;?<>=:]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>78]"
)


class Terminal:
    """A running program and everything it painted."""

    def __init__(self, process: subprocess.Popen[bytes], master: int, slave: int) -> None:
        self.process = process
        self._master = master
        self._slave = slave
        self.before = termios.tcgetattr(slave)
        self.output = bytearray()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 65536)
            except OSError:
                return
            if not data:
                return
            self.output += data

    @property
    def text(self) -> str:
        """What was painted, control sequences left out."""
        return _CONTROL.sub(b"", bytes(self.output)).decode("utf-8", "replace")

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode("utf-8"))

    def escape(self) -> None:
        """Escape alone: what follows at once would be read as Alt and that key."""
        self.press("\x1b")
        end = time.monotonic() + 60
        while self._waiting(self._slave) and time.monotonic() < end:
            time.sleep(0.02)
        time.sleep(0.4)  # it has been read; now the program waits whether more belongs to it

    @staticmethod
    def _waiting(descriptor: int) -> int:
        """Bytes that have come to this end of the terminal and were not read."""
        (count,) = struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)))
        return int(count)

    def wait_for(self, text: str, seconds: float = 60) -> None:
        """Wait until ``text`` has been painted since the last :meth:`forget`."""
        end = time.monotonic() + seconds
        while text not in self.text:
            if time.monotonic() > end or self.process.poll() is not None:
                raise AssertionError(
                    f"never painted: {text!r}; exit {self.process.poll()}; {self.text[-600:]!r}"
                )
            time.sleep(0.02)

    def forget(self) -> None:
        self.output.clear()

    def leave(self, seconds: float = 60) -> int:
        """Wait for the program to end by itself; its exit code. All that it painted has been read then."""
        code = self.process.wait(seconds)
        os.write(self._slave, _LAST)
        end = time.monotonic() + seconds
        while not self.output.endswith(_LAST):
            assert time.monotonic() < end, "what was painted does not come to an end"
            time.sleep(0.01)
        del self.output[-len(_LAST) :]
        return code

    @property
    def restored(self) -> bool:
        """The terminal is as it was: line mode, echo, the usual screen."""
        return RESTORED in self.output and termios.tcgetattr(self._slave)[:4] == self.before[:4]


@contextmanager
def terminal(command: Sequence[str], size: tuple[int, int] = (100, 30)) -> Iterator[Terminal]:
    """Run ``command`` (arguments of this Python) on a terminal of its own."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    process = subprocess.Popen(
        [sys.executable, *command],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=ROOT,
        env={**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "TEXTUAL_ANIMATIONS": "none"},
        start_new_session=True,
        # Its controlling terminal, as in a window: what asks on /dev/tty asks here.
        preexec_fn=partial(fcntl.ioctl, 0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - no threads are held up
    )
    screen = Terminal(process, master, slave)
    try:
        yield screen
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(slave)
        os.close(master)


def close_window(command: Sequence[str], painted: str, seconds: float = 60) -> int:
    """Run ``command``, close its terminal once ``painted`` stands there; its exit code."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        [sys.executable, *command],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=ROOT,
        env={**os.environ, "TERM": "xterm-256color", "TEXTUAL_ANIMATIONS": "none"},
        start_new_session=True,
        preexec_fn=partial(fcntl.ioctl, 0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - no threads are held up
    )
    os.close(slave)
    # No thread may be reading here: the terminal is closed when its last reader is.
    os.set_blocking(master, False)
    output = bytearray()
    end = time.monotonic() + seconds
    while painted.encode("utf-8") not in output and time.monotonic() < end:
        try:
            output += os.read(master, 65536)
        except BlockingIOError:
            time.sleep(0.02)
    os.close(master)
    try:
        return process.wait(seconds)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
