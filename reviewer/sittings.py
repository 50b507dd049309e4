"""Sittings: one run of a program that keeps drafts, and the lock that tells whether it still runs.

Each sitting has a name of its own and holds a kernel lock on a small file of that name. The system frees the
lock when the program ends, however it ends; so the drafts of whoever still works are told from those that
were left behind.
"""

from __future__ import annotations

import contextlib
import secrets
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_END = ".sesion"
_DOOR = "turno.lock"
_PATIENCE_SECONDS = 2.0
_POLL_SECONDS = 0.01


class Sitting:
    """One run. It is alive from :meth:`begin` until :meth:`end`, or until the program is gone.

    Attributes:
        name: of this sitting, unlike any other.
    """

    def __init__(self, folder: Path) -> None:
        """Nothing is written before :meth:`begin`."""
        self.name = secrets.token_hex(8)
        self._folder = folder
        self._lock: FileLock | None = None

    def begin(self) -> None:
        """Be alive from now on; the folder is there. Where locks cannot be had, work goes on without."""
        if self._lock is not None:
            return
        lock = FileLock(self._path(self._folder, self.name), thread_local=False, mode=0o600)
        with contextlib.suppress(OSError, NotImplementedError, Timeout):
            lock.acquire(timeout=_PATIENCE_SECONDS, poll_interval=_POLL_SECONDS)
            self._lock = lock

    def end(self) -> None:
        """No longer be alive."""
        if self._lock is None:
            return
        with contextlib.suppress(OSError):
            self._lock.release(force=True)
        self.forget(self._folder, self.name)
        self._lock = None

    @staticmethod
    def names(folder: Path) -> tuple[str, ...]:
        """The sittings that have begun and whose file is still there, sorted."""
        try:
            found = sorted(path.name for path in folder.iterdir())
        except OSError:
            return ()
        return tuple(name.removesuffix(_END) for name in found if name.endswith(_END))

    @staticmethod
    def forget(folder: Path, name: str) -> None:
        """Take away the file of a sitting that has ended."""
        with contextlib.suppress(OSError):
            Sitting._path(folder, name).unlink()

    @staticmethod
    def _path(folder: Path, name: str) -> Path:
        return folder / f"{name}{_END}"


def ended(folder: Path, name: str) -> bool:
    """Whether a sitting has ended; ask inside :func:`one_at_a_time`, because asking takes its lock a moment.

    Where locks cannot be had it counts as ended: its drafts are then offered twice, and none is lost.
    """
    path = folder / f"{name}{_END}"
    if not path.exists():
        return True
    lock = FileLock(path, thread_local=False, mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False
    except (OSError, NotImplementedError):
        return True
    with contextlib.suppress(OSError):
        lock.release(force=True)
    return True


@contextlib.contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """One program at a time looks who is alive; none waits long, and none is kept out.

    Nothing is made in a folder that is not there.
    """
    if not folder.is_dir():
        yield
        return
    door = FileLock(folder / _DOOR, thread_local=False, mode=0o600)
    with contextlib.suppress(OSError, NotImplementedError, Timeout):
        door.acquire(timeout=_PATIENCE_SECONDS, poll_interval=_POLL_SECONDS)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            door.release(force=True)
