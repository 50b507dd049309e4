r"""A JSONL file as chunks of whole lines, so that many lines are decoded by one call.

Lines end at ``\n``; a ``\r`` before it belongs to the end. No line end can stand inside JSON text, so
cutting there is safe whatever the values hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from scoring.abstraction.strict import MAX_LINE_BYTES
from scoring.errors import UsageError, system_reason

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

CHUNK_BYTES: Final = 1 << 18
MAX_SKIPPED_BYTES: Final = 256 << 20
"""So much of a line that is refused anyway is read to find its end; a device may have none."""
BOM: Final = b"\xef\xbb\xbf"
TOO_LONG: Final = bytes(MAX_LINE_BYTES + 1)
"""Stands for a line beyond the bound, whatever it holds: neither blank nor right for any reader."""
BLANKS: Final = b" \t\r\n"
"""A line of nothing else counts as empty."""


@dataclass(frozen=True, slots=True)
class Chunk:
    r"""Whole lines of a file.

    Attributes:
        first_line: 1-based number of the first of them.
        lines: how many there are, blank ones included.
        data: their bytes; ``\r\n`` has become ``\n``.
        size: the bytes read for them, line ends and what was left out included.
    """

    first_line: int
    lines: int
    data: bytes
    size: int


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
        failed = UsageError("jsonl.file_unreadable", path=path, reason=system_reason(error))
    raise failed


def chunks(path: Path, size: int = CHUNK_BYTES, *, span: tuple[int, int] | None = None) -> Iterator[Chunk]:
    """The lines of a file, some hundreds or thousands at a time, in order.

    A line beyond 1 MiB, its end not counted, comes as a chunk of its own that holds :data:`TOO_LONG`
    instead, and if it has no end within 256 MiB nothing more of the file is read. A byte order mark at
    the beginning of the file is left out.

    Args:
        path: the file.
        size: bytes of a chunk, about; at most 1 MiB, so that only the last line of one can be too long.
        span: only the lines that begin at a byte of this range; the first of them is line 1.

    Raises:
        UsageError: the file cannot be read.
    """
    with open_file(path) as stream:
        try:
            yield from _chunks(stream, size, *(span or (0, None)))
        except OSError as error:
            failed = UsageError("jsonl.file_unreadable", path=path, reason=system_reason(error))
        else:
            return
    raise failed


def _chunks(stream: BinaryIO, size: int, place: int, stop: int | None) -> Iterator[Chunk]:
    line = 1
    if place:  # the line before may reach into the span
        stream.seek(place - 1)
        place += _skip_line(stream) - 1
    begins_file = not place
    size = min(size, MAX_LINE_BYTES)
    while stop is None or place < stop:
        data = stream.read(size if stop is None else min(size, stop - place))
        if not data:
            return
        if data[-1:] != b"\n":
            data += stream.readline(MAX_LINE_BYTES + 2)
        taken = len(data)
        if begins_file:
            data = data.removeprefix(BOM)
            begins_file = False
        last = data.rfind(b"\n", 0, -1) + 1
        too_long = len(data) - last > MAX_LINE_BYTES and _length(data[last:]) > MAX_LINE_BYTES
        skipped = 0
        if too_long:
            if data[-1:] != b"\n":
                skipped = _skip_line(stream)
                taken += skipped
            data = data[:last]
        place += taken
        if b"\r" in data:  # no raw CR can stand inside JSON text
            data = data.replace(b"\r\n", b"\n")
        lines = count_lines(data)
        if lines:
            yield Chunk(line, lines, data, 0 if too_long else taken)
        line += lines
        if too_long:
            yield Chunk(line, 1, TOO_LONG, taken)
            line += 1
        if skipped >= MAX_SKIPPED_BYTES:
            return


def _length(line: bytes) -> int:
    """The bytes of a line without its end."""
    return len(line.removesuffix(b"\n").removesuffix(b"\r"))


def _skip_line(stream: BinaryIO) -> int:
    """Read and drop the rest of a line, its end included, as far as the bound; the bytes that were."""
    skipped = 0
    while skipped < MAX_SKIPPED_BYTES and (more := stream.readline(MAX_LINE_BYTES)):
        skipped += len(more)
        if more[-1:] == b"\n":
            break
    return skipped


def count_lines(data: bytes) -> int:
    """The lines of a chunk; a last one without a line end counts."""
    return data.count(b"\n") + (data[-1:] not in {b"\n", b""})


def lines_of(data: bytes) -> list[bytes]:
    """The lines of a chunk without their ends."""
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    return lines
