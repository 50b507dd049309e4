"""A JSONL file that grows by one line per answer, so that whatever ends a run loses at most that answer.

A line counts once it is whole. What a killed run left of its last line is cut off when the file is taken
up again; anything else that is wrong in it is named and the file is left alone.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from typing import TYPE_CHECKING, Any, Self

from scoring import jsonl
from scoring.errors import ConflictError, DataError, UsageError
from scoring.files import write_all, write_error

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Journal:
    """The file of one run, open for adding; use it in a ``with`` block.

    Args:
        path: the file; its folder is made if missing.
        resume: take up what is there; without it an existing file is refused.
        private: a new file is readable by its owner only.

    Raises:
        UsageError: the file exists and ``resume`` was not asked for.
        DataError: a line of it, other than a torn last one, is no JSON object.
        ConflictError: another run is writing it.
        WriteError: it cannot be opened or written.
    """

    def __init__(self, path: Path, *, resume: bool, private: bool = False) -> None:
        self.path = path
        self.torn = False
        self.added = 0
        self.rows: tuple[tuple[int, dict[str, Any]], ...] = ()
        self._private = private
        self._resume = resume
        self._descriptor: int | None = None
        self._writing = threading.Lock()

    def __enter__(self) -> Self:
        import filelock

        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = filelock.FileLock(f"{self.path}.lock", timeout=0)
            self._lock.acquire()
        except filelock.Timeout:
            raise ConflictError("judges.journal_busy", path=self.path) from None
        except (OSError, ValueError) as error:
            raise write_error(self.path, error) from None
        try:
            self._take_up()
        except BaseException:
            self._release()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._release()

    def _release(self) -> None:
        with self._writing:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None
        self._lock.release()

    def _take_up(self) -> None:
        data = b""
        if self.path.exists():
            if not self._resume:
                raise UsageError("judges.journal_exists", path=self.path)
            data = jsonl.read_bytes(self.path)
        whole = self._whole(data)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        try:
            self._descriptor = os.open(self.path, flags, 0o600 if self._private else 0o666)
            if whole < len(data):
                self.torn = True
                os.ftruncate(self._descriptor, whole)
                data = data[:whole]
            if data and not data.endswith(b"\n"):
                write_all(self._descriptor, b"\n")
        except OSError as error:
            raise write_error(self.path, error) from None

    def _whole(self, data: bytes) -> int:
        """How many bytes are whole lines; reads the rows on the way."""
        document = jsonl.parse(self.path, data)
        self.rows = tuple((row.line.number, row.value) for row in document.rows)
        if not document.problems:
            return len(data)
        last = document.lines[-1]
        torn = not last.end and document.problems[-1].line == last.number
        problems = document.problems[:-1] if torn else document.problems
        if problems:
            raise DataError("judges.journal_broken", path=self.path, n=len(problems), problems=problems)
        return len(data) - len(last.raw)

    def add(self, row: Mapping[str, Any]) -> None:
        """Add one line, from any thread; when this returns it is on the disk.

        When it raises, nothing of the line is left in the file, as far as the disk allows.

        Raises:
            WriteError: the disk refused it.
        """
        line = json.dumps(row, ensure_ascii=False, allow_nan=False).encode()
        with self._writing:
            if self._descriptor is None:
                raise ValueError("the journal is closed")
            before = os.fstat(self._descriptor).st_size
            try:
                write_all(self._descriptor, line + b"\n")
                os.fsync(self._descriptor)
            except OSError as error:
                with contextlib.suppress(OSError):  # a torn line is found when the file is taken up again
                    os.ftruncate(self._descriptor, before)
                raise write_error(self.path, error) from None
            self.added += 1
