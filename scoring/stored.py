"""A JSONL file read line by line: what is kept of it is where its lines are, not what they say.

Each line is read again from the open file when somebody asks for it. A file that is replaced meanwhile,
as this product does, stays as it was for whoever has it open; one that is written in place is noticed by
the hash of each line and refused.
"""

from __future__ import annotations

import io
import os
import stat
import weakref
from array import array
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, overload

from scoring.errors import ConflictError, DataError
from scoring.jsonl import (
    BOM,
    MAX_FILE_BYTES,
    Document,
    Line,
    Row,
    looks_utf16,
    parse_object,
    reading,
    row_or_problem,
)
from scoring.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_BUFFER = 1 << 16


class StoredLines(Sequence[Line]):
    """The physical lines of an open file; about twenty bytes are held for each.

    For one thread at a time. A pipe cannot be read twice, so its bytes are held.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stream = _opened(path)
        weakref.finalize(self, self._stream.close)
        self.head = self._stream.read(4)
        self.bom = BOM if self.head.startswith(BOM) else b""
        self._begins = array("Q", [len(self.bom)])
        self._hashes = array("q")

    def scan(self) -> Iterator[Line]:
        """Every line, for the first time; to be gone through to its end before any line is asked for.

        Raises:
            DataError: the file is too large.
            UsageError: it cannot be read.
        """
        with reading(self.path):
            self._stream.seek(len(self.bom))
            at = len(self.bom)
            for number, data in enumerate(self._stream, 1):
                at += len(data)
                if at > MAX_FILE_BYTES:
                    raise DataError("jsonl.file_too_large", path=self.path, size=at, limit=MAX_FILE_BYTES)
                self._begins.append(at)
                self._hashes.append(hash(data))
                yield _line(number, data)

    def status(self) -> tuple[int, int, int, int] | None:
        """Device, inode, time and size of the open file (:func:`scoring.files.identity`); None for a pipe."""
        if isinstance(self._stream, io.BytesIO):
            return None
        found = os.fstat(self._stream.fileno())
        return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size

    def __len__(self) -> int:
        return len(self._hashes)

    @overload
    def __getitem__(self, index: int) -> Line: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Line]: ...
    def __getitem__(self, index: int | slice) -> Line | Sequence[Line]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        begin = self._begins[index]
        with reading(self.path):
            self._stream.seek(begin)
            data = self._stream.read(self._begins[index + 1] - begin)
        if hash(data) != self._hashes[index]:
            raise ConflictError("jsonl.changed_meanwhile", path=self.path, line=index + 1)
        return _line(index + 1, data)


def _line(number: int, data: bytes) -> Line:
    if not data.endswith(b"\n"):
        return Line(number, data, b"")
    end = b"\r\n" if data.endswith(b"\r\n") else b"\n"
    return Line(number, data[: -len(end)], end)


def _opened(path: Path) -> IO[bytes]:
    with reading(path):
        stream = path.open("rb", buffering=_BUFFER)
        found = os.fstat(stream.fileno())
        if found.st_size > MAX_FILE_BYTES:
            stream.close()
            raise DataError("jsonl.file_too_large", path=path, size=found.st_size, limit=MAX_FILE_BYTES)
        if stat.S_ISREG(found.st_mode):
            return stream
        with stream:
            return io.BytesIO(stream.read(MAX_FILE_BYTES + 1))


class StoredRows(Sequence[Row]):
    """The lines that hold an object, each parsed when it is asked for."""

    def __init__(self, lines: StoredLines, numbers: array[int]) -> None:
        self._lines = lines
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        line = self._lines[self._numbers[index] - 1]
        return Row(line, parse_object(line.raw))


def store(lines: StoredLines, each: Callable[[Row], object]) -> Document:
    """The document of a file that is read line by line.

    Args:
        lines: the file, opened and not yet scanned.
        each: is given every row once, in file order, while the file is read.

    Raises:
        ProductError: the file cannot be read or is too large.
    """
    if looks_utf16(lines.head):
        return Document(lines.path, lines, (), (Problem("jsonl.utf16"),), lines.bom)
    numbers = array("Q")
    problems: list[Problem] = []
    for line in lines.scan():
        if line.is_blank:
            continue
        found = row_or_problem(line)
        if isinstance(found, Problem):
            problems.append(found)
        else:
            numbers.append(line.number)
            each(found)
    return Document(lines.path, lines, StoredRows(lines, numbers), tuple(problems), lines.bom)
