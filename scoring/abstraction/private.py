"""Writing private decisions: to a regular file that only its owner can read, and nowhere else."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from scoring.errors import UsageError
from scoring.files import resolve, write_error

if TYPE_CHECKING:
    from collections.abc import Iterable


def require_private_target(path: Path) -> Path:
    """The resolved file that private decisions may go to; it need not exist.

    Raises:
        UsageError: it is ``-``, a terminal, a pipe, a folder or another thing that is no file.
    """
    if str(path) == "-":
        raise UsageError("abstraction.detail_not_a_file", path=path)
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode) or _is_open_stream(found):
            raise UsageError("abstraction.detail_not_a_file", path=path)
    except FileNotFoundError:
        pass
    except (OSError, ValueError):
        raise UsageError("abstraction.detail_not_a_file", path=path) from None
    return resolve(path)


def _is_open_stream(found: os.stat_result) -> bool:
    """Whether it is what this process reads or writes as a stream, by whatever name."""
    for descriptor in (0, 1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(found, os.fstat(descriptor)):
                return True
    return False


def open_hidden(target: Path) -> tuple[int, Path | None]:
    """A new file of mode 0600 in the folder of ``target``, open for writing, and its name.

    Where the system has files without a name it has none (None): whatever ends the process leaves nothing
    private behind.

    Raises:
        OSError: it cannot be made.
    """
    unnamed = getattr(os, "O_TMPFILE", 0)
    if unnamed and Path("/proc/self/fd").is_dir():
        with contextlib.suppress(OSError):  # a file system without them
            return os.open(target.parent, os.O_WRONLY | unnamed, 0o600), None
    named = _temporary(target)
    return os.open(named, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), named


def link_hidden(descriptor: int, name: Path | None, path: Path) -> None:
    """Give a file of :func:`open_hidden` the name ``path``.

    Raises:
        FileExistsError: something has that name.
        OSError: it cannot be had, or the file system has no links.
    """
    if name is not None:
        os.link(name, path)
    else:  # the descriptor of a folder makes the call one that follows the link in /proc
        os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=descriptor)


def _temporary(target: Path) -> Path:
    return target.with_name(f".{target.name}.revision-{secrets.token_hex(6)}.tmp")


def write_private(path: Path, lines: Iterable[str]) -> int:
    """Write lines to ``path`` with mode 0600; whoever looks sees the old file or the whole new one.

    Returns:
        The number of lines.

    Raises:
        UsageError: as :func:`require_private_target`.
        WriteError: nothing was replaced.
    """
    target = require_private_target(path)
    temporary = _temporary(target)
    written = 0
    failed: OSError | ValueError | None = None
    try:
        descriptor, name = open_hidden(target)
        temporary = name or temporary
        with os.fdopen(descriptor, "w", encoding="ascii", newline="\n") as stream:
            for line in lines:
                stream.write(line + "\n")
                written += 1
            stream.flush()
            os.fsync(stream.fileno())
            if name is None:
                link_hidden(descriptor, name, temporary)
        temporary.replace(target)
    except OSError as error:
        failed = error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
    if failed is not None:
        raise write_error(path, failed)
    return written
