"""One writer at a time: a kernel lock, which the system frees when its holder dies."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from scoring.errors import ConflictError, ProductError, WriteError
from scoring.files import write_error
from scoring.record import load_intent, lock_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

WAIT_SECONDS = 10.0
_POLL_SECONDS = 0.02


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
        ConflictError: what ``refusal`` says, after ``wait`` seconds.
        WriteError: the lock cannot be had in this folder.
    """
    try:
        lock = FileLock(path, timeout=wait, mode=mode)
        lock.acquire(poll_interval=_POLL_SECONDS)
    except Timeout:
        raise refusal() from None
    except (OSError, NotImplementedError) as error:
        if path.is_symlink():
            # Opened without following links; «links in a circle» is what the system says of it.
            raise WriteError("store.lock_is_link", path=path) from None
        if isinstance(error, OSError):
            raise write_error(path, error) from None
        raise write_error(path, OSError(errno.ENOSYS, "")) from None
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            lock.release()


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
