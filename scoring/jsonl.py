"""A JSONL file as addressed lines, and every problem with its line, column, field and code.

The lines keep their bytes: joining them gives the file back. Reading never stops at the first bad
line, because whoever has to mend a file wants the whole list.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scoring import messages
from scoring.errors import DataError, UsageError, system_reason
from scoring.problems import Problem
from scoring.strict_json import StrictJSONError, loads

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

MAX_LINE_BYTES = 1 << 20
MAX_FILE_BYTES = 512 << 20
BOM = b"\xef\xbb\xbf"
_BLANKS = b" \t\r\n"
_CONFLICT_MARKERS = frozenset({b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>"})


@dataclass(frozen=True, slots=True)
class Line:
    r"""One physical line: its 1-based number, its bytes without the line end, and the line end.

    ``end`` is ``b"\n"``, ``b"\r\n"`` or, for a last line without one, ``b""``.
    """

    number: int
    raw: bytes
    end: bytes

    @property
    def is_blank(self) -> bool:
        """Nothing but blanks and tabs."""
        return not self.raw.strip(_BLANKS)


@dataclass(frozen=True, slots=True)
class Row:
    """A line that holds a JSON object."""

    line: Line
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Document:
    """A whole JSONL file.

    Attributes:
        path: where it was read from.
        lines: every physical line, blank ones included.
        rows: the lines that parsed, in file order.
        problems: what was wrong with the others.
        bom: the byte order mark, or nothing.
    """

    path: Path
    lines: Sequence[Line]
    rows: Sequence[Row]
    problems: tuple[Problem, ...]
    bom: bytes = b""

    @property
    def data(self) -> bytes:
        """The bytes of the file, as they were: mark and lines joined."""
        return self.bom + b"".join(line.raw + line.end for line in self.lines)


def read_bytes(path: Path) -> bytes:
    """The bytes of a regular file of at most 512 MiB.

    Raises:
        UsageError: the path names nothing readable.
        DataError: the file is too large.
    """
    with reading(path), path.open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        if size > MAX_FILE_BYTES:
            raise DataError("jsonl.file_too_large", path=path, size=size, limit=MAX_FILE_BYTES)
        data = stream.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise DataError("jsonl.file_too_large", path=path, size=len(data), limit=MAX_FILE_BYTES)
    return data


def read_bytes_if_any(path: Path) -> bytes | None:
    """As :func:`read_bytes`; None where there is no file."""
    try:
        return read_bytes(path)
    except UsageError as error:
        if error.key != "jsonl.file_missing":
            raise
        return None


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """What the system says when ``path`` cannot be opened or read, as a :class:`UsageError`."""
    try:
        yield
    except FileNotFoundError:
        raise UsageError("jsonl.file_missing", path=path) from None
    except IsADirectoryError:
        raise UsageError("jsonl.file_is_folder", path=path) from None
    except (OSError, ValueError) as error:
        raise UsageError("jsonl.file_unreadable", path=path, reason=system_reason(error)) from None


def require_file(path: Path) -> None:
    """Refuse a path that names nothing to read, without reading it.

    Raises:
        UsageError: as :func:`read_bytes`.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise UsageError("jsonl.file_missing", path=path) from None
    except (OSError, ValueError) as error:
        raise UsageError("jsonl.file_unreadable", path=path, reason=system_reason(error)) from None
    if stat.S_ISDIR(mode):
        raise UsageError("jsonl.file_is_folder", path=path)


def split_lines(data: bytes) -> tuple[Line, ...]:
    """Cut at line feeds only; a carriage return before one belongs to the line end."""
    lines: list[Line] = []
    start = 0
    while start < len(data):
        stop = data.find(b"\n", start)
        if stop < 0:
            lines.append(Line(len(lines) + 1, data[start:], b""))
            break
        has_return = stop > start and data[stop - 1 : stop] == b"\r"
        body = data[start : stop - 1 if has_return else stop]
        lines.append(Line(len(lines) + 1, body, b"\r\n" if has_return else b"\n"))
        start = stop + 1
    return tuple(lines)


def looks_utf16(head: bytes) -> bool:
    """The first bytes of a file are those of UTF-16 (or UTF-32), with or without its mark."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")):
        return True
    # JSON begins with two characters of ASCII, and a text in UTF-8 holds no NUL.
    return len(head) > 1 and b"\0" in head[:4] and any(head[:4])


def is_conflict_marker(raw: bytes) -> bool:
    """A line that git leaves around the two versions of what it could not merge."""
    return raw[:7] in _CONFLICT_MARKERS and raw[7:8] in {b"", b" "}


def parse_object(raw: bytes) -> dict[str, Any]:
    """One line as a JSON object, read strictly.

    Raises:
        StrictJSONError: also with the codes ``line_too_long`` and ``not_an_object``.
    """
    if len(raw) > MAX_LINE_BYTES:
        raise StrictJSONError("line_too_long", size=len(raw), limit=MAX_LINE_BYTES)
    value = loads(raw)
    if not isinstance(value, dict):
        raise StrictJSONError("not_an_object", found=kind_of(value))
    return value


def kind_of(value: object) -> str:
    """The name of a JSON type for a sentence: «una lista», «un texto», ..."""
    kinds = (
        (bool, "boolean"),
        (type(None), "null"),
        (int, "number"),
        (float, "number"),
        (str, "text"),
        (list, "list"),
        (dict, "object"),
    )
    for kind, name in kinds:
        if isinstance(value, kind):
            return messages.text(f"jsonl.kind_{name}")
    return type(value).__name__


def parse(path: Path, data: bytes, known: Document | None = None) -> Document:
    """``data`` as the document of ``path``; bad lines become problems, never exceptions.

    A file in UTF-16 has one problem, not one for every line.

    Args:
        path: where the data were read from.
        data: the bytes.
        known: an earlier reading; its rows are taken over for lines that are still where and what they were.
    """
    bom = BOM if data.startswith(BOM) else b""
    lines = split_lines(data[len(bom) :])
    if looks_utf16(data[:4]):
        return Document(path, lines, (), (Problem("jsonl.utf16"),), bom)
    rows: list[Row] = []
    problems: list[Problem] = []
    before = {row.line.number: row for row in known.rows} if known is not None else {}
    for line in lines:
        old = before.get(line.number)
        if old is not None and old.line == line:
            rows.append(old)
            continue
        if line.is_blank:
            continue
        found = row_or_problem(line)
        if isinstance(found, Row):
            rows.append(found)
        else:
            problems.append(found)
    return Document(path, lines, tuple(rows), tuple(problems), bom)


def row_or_problem(line: Line) -> Row | Problem:
    """A line that is not blank as the object it holds, or what is wrong with it."""
    try:
        return Row(line, parse_object(line.raw))
    except StrictJSONError as error:
        if is_conflict_marker(line.raw):
            return Problem("jsonl.conflict_marker", line=line.number)
        return Problem(f"json.{error.code}", line=line.number, column=error.column, fields=error.fields)


def read(path: Path) -> Document:
    """Read and parse ``path``; see :func:`read_bytes` for what is raised."""
    return parse(path, read_bytes(path))
