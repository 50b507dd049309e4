r"""A JSONL file as chunks of whole lines, so that many lines are decoded by one call.

Lines end at ``\n``; a ``\r`` before it belongs to the end. No line end can stand inside JSON text, so
cutting there is safe whatever the values hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from scoring.abstraction.strict import MAX_LINE_BYTES
from scoring.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

CHUNK_BYTES: Final = 1 << 18
BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Chunk:
    r"""Whole lines of a file.

    Attributes:
        first_line: 1-based number of the first of them.
        lines: how many there are, blank ones included.
        data: their bytes; ends in ``\n`` but for a last line without one.
        end: the place in the file behind them, in bytes.
    """

    first_line: int
    lines: int
    data: bytes
    end: int


def open_file(path: Path) -> BinaryIO:
    """The file, for reading bytes.

    Raises:
        UsageError: there is nothing readable of that name.
    """
    try:
        return path.open("rb")
    except FileNotFoundError:
        failed = UsageError("jsonl.file_missing", path=path)
    except IsADirectoryError:
        failed = UsageError("jsonl.file_is_folder", path=path)
    except (OSError, ValueError) as error:
        failed = UsageError(
            "jsonl.file_unreadable", path=path, reason=getattr(error, "strerror", None) or str(error)
        )
    raise failed


def chunks(path: Path, size: int = CHUNK_BYTES) -> Iterator[Chunk]:
    """The lines of a file, some hundreds or thousands at a time, in order.

    A line beyond 1 MiB comes as a chunk of its own, cut, one byte longer than the bound; its rest is
    skipped. A byte order mark at the beginning of the file is left out.

    Raises:
        UsageError: the file cannot be read.
    """
    with open_file(path) as stream:
        line, end = 1, 0
        try:
            while data := stream.read(size):
                if data[-1:] != b"\n":
                    data += stream.readline(MAX_LINE_BYTES + 2)
                skipped = _skip_rest(stream, data)
                if skipped:
                    whole = data.rfind(b"\n") + 1
                    if whole:
                        lines = data.count(b"\n")
                        yield Chunk(line, lines, data[:whole], end + whole)
                        line += lines
                    end += len(data) + skipped
                    yield Chunk(line, 1, data[whole : whole + MAX_LINE_BYTES + 1], end)
                    line += 1
                    continue
                end += len(data)
                lines = count_lines(data)
                yield Chunk(line, lines, data.removeprefix(BOM) if line == 1 else data, end)
                line += lines
        except OSError as error:
            reason = error.strerror or type(error).__name__
            failed = UsageError("jsonl.file_unreadable", path=path, reason=reason)
        else:
            return
    raise failed


def _skip_rest(stream: BinaryIO, data: bytes) -> int:
    """The bytes left of a line that is too long, read and dropped; 0 if ``data`` ends in whole lines."""
    if data[-1:] == b"\n" or len(data) - data.rfind(b"\n") - 1 <= MAX_LINE_BYTES:
        return 0
    skipped = 0
    while more := stream.readline(MAX_LINE_BYTES):
        skipped += len(more)
        if more[-1:] == b"\n":
            return skipped
    return skipped or 1


def count_lines(data: bytes) -> int:
    """The lines of a chunk; a last one without a line end counts."""
    return data.count(b"\n") + (data[-1:] not in {b"\n", b""})


def lines_of(data: bytes) -> list[bytes]:
    r"""The lines of a chunk without their ends (``\n`` or ``\r\n``)."""
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    return [line.removesuffix(b"\r") for line in lines]
