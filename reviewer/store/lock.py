"""One writer at a time: a kernel lock, which the system frees when its holder dies."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
import threading
import time
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from scoring.errors import ConflictError, ProductError, WriteError
from scoring.files import write_error
from scoring.record import load_intent, lock_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from filelock import BaseFileLock

WAIT_SECONDS = 10.0
_POLL_SECONDS = 0.02
_waiting: set[threading.Event] = set()
"""One for each thread of this process that waits for a lock."""


def stop_waiting() -> None:
    """Whoever in this process waits for a lock waits no longer: refused as after the whole time."""
    for waits in tuple(_waiting):
        waits.set()


@contextlib.contextmanager
def locked(data_path: Path, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the lock of a data set; it is a file beside it that stays there, empty.

    Raises:
        ConflictError: somebody else held it for all of ``wait`` seconds; names who, where that is known.
        WriteError: the lock cannot be had in this folder.
    """
    path = lock_path(data_path)
    try:
        # Whoever may write the data may take the lock.
        mode = stat.S_IMODE(data_path.stat().st_mode) & 0o666 | 0o600
    except OSError as error:
        raise write_error(path, error) from None
    with holding(path, mode, wait, lambda: _held(data_path)):
        yield


@contextlib.contextmanager
def holding(path: Path, mode: int, wait: float, refusal: Callable[[], ConflictError]) -> Iterator[None]:
    """Hold the lock file ``path``, made with ``mode`` if need be.

    Raises:
        ConflictError: what ``refusal`` says, after ``wait`` seconds or :func:`stop_waiting`.
        WriteError: the lock cannot be had in this folder.
    """
    lock = FileLock(path, timeout=0, mode=mode)
    try:
        taken = _acquire(lock, wait)
    except (OSError, NotImplementedError) as error:
        if path.is_symlink():
            # Opened without following links; «links in a circle» is what the system says of it.
            raise WriteError("store.lock_is_link", path=path) from None
        if isinstance(error, OSError):
            raise write_error(path, error) from None
        raise write_error(path, OSError(errno.ENOSYS, "")) from None
    if not taken:
        raise refusal()
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            lock.release()


def _acquire(lock: BaseFileLock, wait: float) -> bool:
    """Whether the lock was had within ``wait`` seconds, and before :func:`stop_waiting`."""
    end = time.monotonic() + wait
    given_up = threading.Event()
    _waiting.add(given_up)
    try:
        while True:
            with contextlib.suppress(Timeout):
                lock.acquire()
                return True
            if given_up.wait(_POLL_SECONDS) or time.monotonic() >= end:
                return False
    finally:
        _waiting.discard(given_up)


def _held(data_path: Path) -> ConflictError:
    """Who is saving can be read from the intent, if the holder has come that far."""
    try:
        intent = load_intent(data_path)
    except ProductError:
        intent = None
    if intent is None or intent.process is None or not intent.reviewer:
        return ConflictError("store.locked", path=data_path)
    return ConflictError(
        "store.locked_by",
        path=data_path,
        reviewer=intent.reviewer,
        process=intent.process,
        host=intent.host or "?",
    )


def this_process() -> tuple[int, str]:
    """Number of this process and name of this machine, for whoever has to wait for it."""
    return os.getpid(), socket.gethostname()
