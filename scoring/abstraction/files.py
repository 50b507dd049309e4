"""Scoring two JSONL files: the only part of the scorer that opens any.

Chunks of lines are decoded by one call and joined without a row object of ours; a chunk that is not
plainly right is halved until the lines at fault stand alone, and those are read strictly. So a right
file is fast, and a wrong one is told line by line, all of it up to a limit, in one run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import length_hint
from typing import TYPE_CHECKING, Any, Final

from scoring import messages
from scoring.abstraction import strict
from scoring.abstraction.chunks import BLANKS, Chunk, chunks, count_lines, lines_of
from scoring.abstraction.grammar import MAX_ITEMS, is_field_id
from scoring.abstraction.join import Join
from scoring.abstraction.strict import Fault
from scoring.abstraction.wire import OutputReader, read_gold
from scoring.errors import DataError, NothingToJudgeError
from scoring.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from scoring.abstraction.tally import Tally

    Progress = Callable[[int], None]
    OutputsOf = Callable[[tuple[int, int] | None], "FilesResult"]

MAX_PROBLEMS: Final = 100
"""Problems of one run; reading stops when there are so many."""

GOLD: Final = "gold"
OUTPUTS: Final = "outputs"

# A chunk of so few lines is read strictly; a larger one is halved first.
_FEW_LINES: Final = 16


class FileProblem(Problem):
    """A problem of one of the files: which file, which line, which code; never the content."""

    __slots__ = ("source",)

    def __init__(self, source: str, line: int | None, code: str, attribute: str | None = None) -> None:
        super().__init__(f"abstraction.{code}", line=line, where=attribute)
        object.__setattr__(self, "source", source)

    source: str

    def sentence(self) -> str:
        """«gold, línea 3, value [invalid_value]: what it means and what to do»."""
        place = [messages.text(f"abstraction.file_{self.source}")]
        if self.line is not None:
            place.append(messages.text("jsonl.at_line", value=self.line))
        if self.where is not None:
            place.append(self.where)
        return f"{', '.join(place)} [{self.code}]: {messages.text(self.key)}"


class FilesError(DataError):
    """The files have problems; ``problems`` holds them, gold first, by line (exit 3)."""

    def __init__(self, problems: Sequence[FileProblem], *, limited: bool) -> None:
        key = "abstraction.files_invalid_limited" if limited else "abstraction.files_invalid"
        super().__init__(key, problems=problems, n=len(problems))


@dataclass(frozen=True, slots=True)
class FilesResult:
    """What the reading of both files came to; ``join`` holds the private cells."""

    join: Join = field(repr=False)
    gold_rows: int
    output_rows: int
    problems: tuple[FileProblem, ...]
    limited: bool

    @property
    def tally(self) -> Tally:
        """The counts: value-free."""
        return self.join.tally()


def score_files(
    gold: Path, outputs: Path, *, max_items: int = MAX_ITEMS, progress: Progress | None = None
) -> FilesResult:
    """Score two JSONL files (format: ``docs/abstraction.md``) in one process.

    Args:
        gold: gold rows.
        outputs: output rows.
        max_items: bound on the rows of either.
        progress: told the bytes read so far, of both files together.

    Raises:
        UsageError: a file cannot be read.
        FilesError: there are problems; up to :data:`MAX_PROBLEMS` of them.
        NothingToJudgeError: no gold row.
    """
    result = read_files(gold, outputs, max_items=max_items, progress=progress)
    require_sound(result)
    return result


def require_sound(result: FilesResult) -> None:
    """Raise what :func:`score_files` raises for a result with problems or without gold."""
    if result.problems:
        raise FilesError(result.problems, limited=result.limited)
    if not result.gold_rows:
        raise NothingToJudgeError("abstraction.no_gold")


def read_files(
    gold: Path,
    outputs: Path,
    *,
    max_items: int = MAX_ITEMS,
    progress: Progress | None = None,
    outputs_range: tuple[int, int] | None = None,
    part: tuple[int, int] = (0, 1),
    gold_is_read: Callable[[OutputsOf], None] | None = None,
) -> FilesResult:
    """Read all gold and the outputs, or those of them that begin in a range of bytes.

    With a range, line numbers of problems are counted from its beginning. With ``part`` (k, n) this is
    process k of n that read the same gold: it checks the form of every n-th chunk, and only what all
    of them come to together is to be relied on. ``gold_is_read`` is called between the two files, if gold
    is right, with the function that reads a range of the outputs: for a process that is forked then.
    """
    reading = _Reading(max_items, progress, part)

    def outputs_of(span: tuple[int, int] | None) -> FilesResult:
        try:
            reading.outputs(outputs, span)
        except _FullError:
            reading.limited = True
        return reading.result()

    try:
        reading.gold(gold)
    except _FullError:
        reading.limited = True
        return reading.result()
    reading.join.compact()
    if gold_is_read is not None and not reading.problems:
        gold_is_read(outputs_of)
    return outputs_of(outputs_range)


class _FullError(Exception):
    """There are as many problems as one run tells."""


class _Reading:
    def __init__(self, max_items: int, progress: Progress | None, part: tuple[int, int]) -> None:
        self.join = Join()
        self.problems: list[FileProblem] = []
        self.limited = False
        self.gold_rows = 0
        self.output_rows = 0
        self._max_items = max_items
        self._progress = progress
        self._done = 0
        self._part, self._parts = part
        self._unreadable_gold = False
        self._output_reader = OutputReader()

    def result(self) -> FilesResult:
        return FilesResult(
            self.join, self.gold_rows, self.output_rows, tuple(self.problems), limited=self.limited
        )

    def gold(self, path: Path) -> None:
        for number, chunk in enumerate(self._told(chunks(path))):
            if number % self._parts != self._part:
                rows = read_gold(chunk.data, chunk.lines, checked_elsewhere=True)
                if rows is not None:
                    self._gold_rows(rows, chunk.first_line)
                    continue
            self._gold_lines(chunk.data, chunk.lines, chunk.first_line)

    def outputs(self, path: Path, span: tuple[int, int] | None) -> None:
        for chunk in self._told(chunks(path, span=span)):
            self._output_lines(chunk.data, chunk.lines, chunk.first_line)

    def _told(self, found: Iterator[Chunk]) -> Iterator[Chunk]:
        """The chunks of a file; after each one the progress is told."""
        for chunk in found:
            yield chunk
            self._done += chunk.size
            if self._progress is not None:
                self._progress(self._done)

    def _gold_lines(self, data: bytes, lines: int, first: int) -> None:
        rows = read_gold(data, lines)
        if rows is None:
            halves = _halves(data) if lines > _FEW_LINES else None
            if halves is not None:
                upper = count_lines(halves[0])
                self._gold_lines(halves[0], upper, first)
                self._gold_lines(halves[1], lines - upper, first + upper)
                return
            for place, line in enumerate(lines_of(data), first):
                if line.strip(BLANKS):
                    self.gold_rows += 1
                    self._gold_line(line, place)
        else:
            self._gold_rows(rows, first)
        self._bound(self.gold_rows, GOLD, first)

    def _gold_rows(self, rows: Sequence[Any], first: int) -> None:
        self.gold_rows += len(rows)
        self._add(self.join.add_gold, rows, GOLD, first)
        self._bound(self.gold_rows, GOLD, first)

    def _gold_line(self, line: bytes, number: int) -> None:
        row = strict.gold_row(line)
        if not isinstance(row, Fault):
            code = self.join.add_gold(iter((row,)))
            if code is not None:
                self._problem(GOLD, number, code)
            return
        if row.key is not None:
            self.join.break_cell(*row.key)
        else:
            self._unreadable_gold = True
        self._problem(GOLD, number, row.code, row.attribute)

    def _output_lines(self, data: bytes, lines: int, first: int) -> None:
        rows = self._output_reader.read(data, lines)
        if rows is None:
            halves = _halves(data) if lines > _FEW_LINES else None
            if halves is not None:
                upper = count_lines(halves[0])
                self._output_lines(halves[0], upper, first)
                self._output_lines(halves[1], lines - upper, first + upper)
                return
            for place, line in enumerate(lines_of(data), first):
                if line.strip(BLANKS):
                    self.output_rows += 1
                    self._output_line(line, place)
        else:
            self.output_rows += len(rows)
            self._add(self.join.add_outputs, rows, OUTPUTS, first)
        self._bound(self.output_rows, OUTPUTS, first)

    def _output_line(self, line: bytes, number: int) -> None:
        row = strict.output_row(line)
        if isinstance(row, Fault):
            self._problem(OUTPUTS, number, row.code, row.attribute)
        else:
            self._add(self.join.add_outputs, [row], OUTPUTS, number)

    def _add(
        self,
        add: Callable[[Iterator[Any]], str | None],
        rows: Sequence[Any],
        source: str,
        first: int,
    ) -> None:
        waiting = iter(rows)
        while (code := add(waiting)) is not None:
            place = len(rows) - length_hint(waiting) - 1
            if code == "unknown_prediction_field":
                if not is_field_id(rows[place].field_id):
                    code = "invalid_field_id"
                elif self._unreadable_gold:
                    continue  # its gold row may be one of those that could not be read
            elif code == "invalid_field_id":
                self._unreadable_gold = True
            self._problem(source, first + place, code)

    def _bound(self, rows: int, source: str, first: int) -> None:
        if rows > self._max_items:
            self._problem(source, first, "too_many_items")
            raise _FullError

    def _problem(self, source: str, line: int, code: str, attribute: str | None = None) -> None:
        self.problems.append(FileProblem(source, line, code, attribute))
        if len(self.problems) >= MAX_PROBLEMS:
            raise _FullError


def _halves(data: bytes) -> tuple[bytes, bytes] | None:
    """The lines of a chunk in two parts, or None if they cannot be parted."""
    cut = data.find(b"\n", len(data) // 2) + 1
    if cut in {0, len(data)}:
        cut = data.rfind(b"\n", 0, len(data) // 2) + 1
    return (data[:cut], data[cut:]) if 0 < cut < len(data) else None
