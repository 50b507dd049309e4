"""Writing files so that nobody ever sees half of one: the old content stands whole, or the new one does.

Only calls of ``os`` touch the disk here, so that a test can make any of them fail.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import time
from typing import TYPE_CHECKING, TypeAlias

from scoring.errors import WriteError, system_reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

Data: TypeAlias = "bytes | Iterable[bytes]"
"""What a file is to hold, whole or piece by piece."""

_TEMP_MARK = ".revision-"
_TEMP_END = ".tmp"
# What a file system answers that cannot flush a folder; there the rename is all that can be asked for.
_NO_FOLDER_SYNC = frozenset({errno.EINVAL, errno.EOPNOTSUPP, errno.EBADF, errno.ENOSYS})
_BINARY: int = getattr(os, "O_BINARY", 0)
READER_WAIT_SECONDS = 10.0
"""How long a pipe with a name may wait for somebody to read it."""
_POLL_SECONDS = 0.05


def write_error(path: Path, error: OSError | ValueError, *, key: str = "files.cannot_write") -> WriteError:
    """The named error of a failed write: what the system said and what the person can do about it."""
    number = error.errno if isinstance(error, OSError) else None
    if number in {errno.ENOSPC, errno.EDQUOT}:
        key = "files.disk_full"
    elif number in {errno.EACCES, errno.EPERM, errno.EROFS}:
        key = "files.not_allowed"
    return WriteError(key, path=path, reason=system_reason(error))


def resolve(path: Path) -> Path:
    """The file behind ``path``: links followed, absolute. A missing end is kept as named.

    Raises:
        WriteError: the links go in circles, or the name cannot be one.
    """
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise WriteError("files.cannot_write", path=path, reason=system_reason(error)) from None


def require_writable(path: Path) -> None:
    """Refuse a file or folder that somebody marked read-only, before anything is written.

    A replace would get past a read-only file, and the superuser past both; the mark is a person's
    wish all the same.

    Raises:
        WriteError: the file exists and is read-only, or its folder is.
    """
    for place, key in ((path, "files.read_only"), (path.parent, "files.folder_read_only")):
        try:
            mode = place.stat().st_mode
        except FileNotFoundError:
            continue
        except OSError as error:
            raise write_error(place, error) from None
        if not mode & 0o222 or not os.access(place, os.W_OK):
            raise WriteError(key, path=place)


def write_all(descriptor: int, data: Data) -> None:
    """Write all of ``data``, or of its pieces; a short write is continued, a write of nothing is an error."""
    for piece in (data,) if isinstance(data, bytes) else data:
        view = memoryview(piece)
        while view:
            written = os.write(descriptor, view)
            if written <= 0:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            view = view[written:]


def sync_folder(folder: Path) -> None:
    """Make a rename, a creation or a removal in ``folder`` last through a power cut, where that exists."""
    flag = getattr(os, "O_DIRECTORY", None)
    if flag is None:
        return
    descriptor = os.open(folder, os.O_RDONLY | flag)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def prepared(path: Path, data: Data, *, like: Path | None = None, private: bool = False) -> Iterator[Path]:
    """A temporary file beside ``path`` that holds ``data`` on the disk, with the mode and owner of ``path``.

    ``path`` must be resolved; if it does not exist, the rights are those of ``like``; a ``private`` one
    is for its owner alone in any case. The block either renames the temporary file or leaves it; what is
    left is removed. ``OSError`` comes through as it is.
    """
    model = None if private else path if path.exists() else like
    temporary = path.with_name(f".{path.name}{_TEMP_MARK}{secrets.token_hex(6)}{_TEMP_END}")
    # Private until it has the rights of the file it replaces.
    descriptor = os.open(
        temporary,
        os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY,
        0o666 if model is None and not private else 0o600,
    )
    try:
        try:
            write_all(descriptor, data)
            if model is not None:
                take_rights(descriptor, model)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        yield temporary
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def take_rights(descriptor: int, model: Path) -> None:
    """Owner, extended attributes and mode of ``model``, as far as this user may give them."""
    old = model.stat()
    if hasattr(os, "fchown"):
        mine = os.fstat(descriptor)
        if (mine.st_uid, mine.st_gid) != (old.st_uid, old.st_gid):
            try:
                os.fchown(descriptor, old.st_uid, old.st_gid)
            except OSError:
                with contextlib.suppress(OSError):
                    os.fchown(descriptor, -1, old.st_gid)
    if hasattr(os, "listxattr"):
        with contextlib.suppress(OSError):
            for name in os.listxattr(model):
                with contextlib.suppress(OSError):
                    os.setxattr(descriptor, name, os.getxattr(model, name))
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def atomic_write(path: Path, data: Data, *, like: Path | None = None, private: bool = False) -> None:
    """Replace the content of ``path`` by ``data`` in one step, or create it.

    Links are followed: the file behind them changes and the link stays. Mode, owner and extended
    attributes stay; a new file takes those of ``like``, if given, and a ``private`` one is for its owner
    alone. When this returns, the content is on the disk. A folder, a device or a pipe is never replaced:
    see :func:`write_report`.

    Raises:
        WriteError: nothing was replaced; or, with the key ``files.unsure``, the new content stands
            but the system did not confirm that it would survive a power cut.
    """
    mode = _mode(path)
    if mode is not None and not stat.S_ISREG(mode):
        raise _no_file(path, mode)
    target = resolve(path)
    try:
        with prepared(target, data, like=like, private=private) as temporary:
            temporary.replace(target)
    except (OSError, ValueError) as error:
        raise write_error(path, error) from None
    try:
        sync_folder(target.parent)
    except OSError as error:
        raise WriteError("files.unsure", path=path, reason=system_reason(error)) from None


def write_report(path: Path, data: Data) -> None:
    """Write a result where the user asked for it; the folders on the way are made.

    A file is replaced in one step (:func:`atomic_write`). Into a device (``/dev/stdout``, a terminal), a
    pipe or the file that stdout goes to, the bytes are written as they come: renaming a file over one of
    these would take it away from everybody who uses it. An error of whoever makes the pieces comes through;
    a file is then as it was.

    Raises:
        WriteError: nothing, or only a part, could be written; or the path is a folder or something else
            that no report goes into.
    """
    mode = _mode(path)
    if _is_stdout(path):
        _write_plainly(path, data, lambda: os.dup(_STDOUT))
    elif mode is None or stat.S_ISREG(mode):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            raise write_error(path, error) from None
        atomic_write(path, data)
    elif stat.S_ISFIFO(mode):
        _write_plainly(path, data, lambda: _open_pipe(path))
    elif stat.S_ISCHR(mode):
        _write_plainly(path, data, lambda: os.open(path, os.O_WRONLY | getattr(os, "O_NOCTTY", 0) | _BINARY))
    else:
        raise _no_file(path, mode)


def is_stream(path: Path) -> bool:
    """Whether :func:`write_report` writes into ``path`` as it comes: a device, a pipe, what stdout goes to.

    Such a thing holds nothing that could be read first; reading from a pipe would wait for ever.
    """
    mode = _mode(path)
    return mode is not None and (_is_stdout(path) or stat.S_ISFIFO(mode) or stat.S_ISCHR(mode))


_STDOUT = 1


def _mode(path: Path) -> int | None:
    """What ``path`` is, links followed; None when it is not there or cannot be looked at.

    Not of the resolved path: behind ``/dev/stdout`` stands a pipe that has no name to resolve to.
    """
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return None


def _no_file(path: Path, mode: int) -> WriteError:
    return WriteError("files.is_folder" if stat.S_ISDIR(mode) else "files.no_regular_file", path=path)


def _is_stdout(path: Path) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(_STDOUT))
    except (OSError, ValueError):
        return False


def _write_plainly(path: Path, data: Data, open_it: Callable[[], int]) -> None:
    try:
        descriptor = open_it()
        try:
            write_all(descriptor, data)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise write_error(path, error, key="files.not_all_written") from None


def _open_pipe(path: Path) -> int:
    """Open a pipe for writing once somebody reads it, and within a bounded time."""
    end = time.monotonic() + READER_WAIT_SECONDS
    while True:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO or time.monotonic() >= end:
                raise
            time.sleep(_POLL_SECONDS)
        else:
            os.set_blocking(descriptor, True)
            return descriptor


def remove_leftovers(path: Path) -> None:
    """Remove the temporary files that killed writers of ``path`` left beside it.

    Call it only while holding the lock that every writer of ``path`` takes.
    """
    prefix = f".{path.name}{_TEMP_MARK}"
    with contextlib.suppress(OSError):
        for entry in path.parent.iterdir():
            if entry.name.startswith(prefix) and entry.name.endswith(_TEMP_END):
                with contextlib.suppress(OSError):
                    entry.unlink()


def identity(path: Path) -> tuple[int, int, int, int] | None:
    """What changes whenever a file is replaced or written: device, inode, time and size; None if absent."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size
