"""Appending to a record, and taking back what could not be completed.

The append is the commit: before it nothing has happened, after it the transaction stands.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from scoring.errors import ConflictError, WriteError
from scoring.files import atomic_write, identity, sync_folder, take_rights, write_all, write_error

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_BINARY: int = getattr(os, "O_BINARY", 0)


class Appendable(Protocol):
    """A record as it was read: one line, one committed entry."""

    @property
    def path(self) -> Path:
        """The file."""
        ...

    @property
    def exists(self) -> bool:
        """It is there, if only empty."""
        ...

    @property
    def size(self) -> int:
        """Its bytes."""
        ...

    @property
    def torn(self) -> bytes:
        """A last line that was never finished."""
        ...

    @property
    def needs_end(self) -> bool:
        """The last line is whole but lacks its line end."""
        ...


@dataclass(frozen=True, slots=True)
class Appended:
    """What was added to the record, for taking it back while the lock is still held."""

    path: Path
    size_before: int
    added: bytes
    created: bool

    def take_back(self) -> bool:
        """Restore the record as it was; False if that was not possible or somebody else has written.

        Only bytes that this transaction wrote are ever removed.
        """
        try:
            if self.created:
                if self.path.read_bytes() != self.added:
                    return False
                self.path.unlink()
                sync_folder(self.path.parent)
                return True
            descriptor = os.open(self.path, os.O_RDWR | _BINARY)
            try:
                if os.fstat(descriptor).st_size < self.size_before:
                    return False
                os.lseek(descriptor, self.size_before, os.SEEK_SET)
                tail = _read_rest(descriptor)
                if not self.added.startswith(tail):
                    return False
                os.ftruncate(descriptor, self.size_before)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError:
            return False
        return True


def _read_rest(descriptor: int) -> bytes:
    pieces: list[bytes] = []
    while piece := os.read(descriptor, 1 << 16):
        pieces.append(piece)
    return b"".join(pieces)


def set_aside_torn(record: Appendable, torn_path: Path, like: Path | None) -> None:
    """Move the bytes of a last line that was never finished out of the record; nothing is thrown away.

    They take the rights of ``like``; without it they are for their owner alone.

    Raises:
        WriteError: the record is as it was.
    """
    try:
        descriptor = os.open(torn_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _BINARY, 0o600)
        try:
            if like is not None:
                take_rights(descriptor, like)
            write_all(descriptor, record.torn + b"\n")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        descriptor = os.open(record.path, os.O_RDWR | _BINARY)
        try:
            os.ftruncate(descriptor, record.size - len(record.torn))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise write_error(record.path, error) from None


def to_append(record: Appendable, lines: Sequence[bytes]) -> Appended:
    """What adding ``lines`` (without their ends) to ``record`` will do; the record has no torn line."""
    added = b"".join(line + b"\n" for line in lines)
    if record.needs_end:
        added = b"\n" + added
    return Appended(record.path, record.size, added, created=not record.exists)


def append(appended: Appended, seen: object, like: Path | None) -> None:
    """Add to the record and put it on the disk; a new record appears whole or not at all.

    Args:
        appended: from :func:`to_append`; after any failure the caller takes it back.
        seen: identity of the record file when it was read.
        like: file whose rights a new record takes; None for one that is for its owner alone.

    Raises:
        ConflictError: somebody wrote the record without taking the lock; nothing was added.
        WriteError: the disk refused.
    """
    if identity(appended.path) != seen:
        raise ConflictError("store.record_changed", path=appended.path)
    if appended.created:
        write_confirmed(appended.path, appended.added, like)
        return
    try:
        descriptor = os.open(appended.path, os.O_WRONLY | os.O_APPEND | _BINARY)
        try:
            write_all(descriptor, appended.added)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise write_error(appended.path, error) from None


def write_confirmed(path: Path, data: bytes, like: Path | None) -> None:
    """Like :func:`scoring.files.atomic_write`, for a file that is taken back unless it is surely on the disk.

    Raises:
        WriteError: the disk refused; what may be there is for the caller to remove.
    """
    try:
        atomic_write(path, data, like=like, private=like is None)
    except WriteError as error:
        if error.key == "files.unsure":
            raise WriteError("files.cannot_write", **error.fields) from None
        raise


def remove_quietly(path: Path) -> None:
    """Remove a file whose presence no longer matters."""
    with contextlib.suppress(OSError):
        path.unlink()
