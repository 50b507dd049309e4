"""Where gold and outputs disagree: a list of places, not of values.

Of each disagreement only its key, its sort and two line numbers are kept; the rows are read from the files
when somebody looks at them. So a million rows with large texts need no more room than their keys.
"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from sys import intern
from typing import TYPE_CHECKING, Any

from scoring.abstraction import strict
from scoring.abstraction.chunks import BOM, chunks, lines_of, open_file
from scoring.abstraction.decisions import ABSTAINED, Decision, decide
from scoring.abstraction.files import score_files
from scoring.abstraction.strict import Fault
from scoring.abstraction.wire import OutputReader, read_gold
from scoring.adjudication.content import gold_digest, output_digest
from scoring.errors import ConflictError, UsageError, system_reason
from scoring.files import identity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from scoring.abstraction.files import Progress
    from scoring.abstraction.normalize import AbstractionFieldType, Scalar
    from scoring.abstraction.rows import ChartAbstractionGoldField, ChartAbstractionPrediction
    from scoring.abstraction.tally import Tally
    from scoring.adjudication.entries import Subject

Identity = tuple[int, int, int, int] | None


class Sort(StrEnum):
    """How an output and the chart disagree."""

    DIFFERENT = "distinta"
    """Another answer than the gold's."""
    ABSTAINED = "abstencion"
    """No answer where the gold has one."""
    SPURIOUS = "sin_dato"
    """An answer where the gold has none."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One of them.

    Attributes:
        case_id: private.
        field_id, field_type: the field.
        sort: how they disagree.
        gold_line, output_line: 1-based lines of the two files.
    """

    case_id: str = field(repr=False)
    field_id: str
    field_type: AbstractionFieldType
    sort: Sort
    gold_line: int
    output_line: int

    @property
    def place(self) -> tuple[str, str]:
        """Case id and field; private."""
        return self.case_id, self.field_id


@dataclass(frozen=True, slots=True)
class Pair:
    """The two rows of a disagreement as they stand in the files now; all private.

    Attributes:
        gold, output: the rows.
        gold_raw, output_raw: their lines without line ends.
        decision: what the scorer makes of them.
    """

    gold: ChartAbstractionGoldField = field(repr=False)
    output: ChartAbstractionPrediction = field(repr=False)
    gold_raw: bytes = field(repr=False)
    output_raw: bytes = field(repr=False)
    decision: Decision = field(repr=False)

    @property
    def subject(self) -> Subject:
        """The content a decision is made on."""
        return gold_digest(self.gold), output_digest(self.output, self.output_raw)


class Disagreements:
    """All disagreements of two files, by field and then by case.

    Attributes:
        gold_path, outputs_path: the files.
        items: the disagreements.
        rows: gold rows.
        missing: gold rows without an output; there is nothing to compare, so they are not listed.
        tally: what the report is made of.
        by_field: field id -> how many there are, in the order of the list.
    """

    def __init__(
        self,
        gold: _Lines,
        outputs: _Lines,
        items: tuple[Disagreement, ...],
        tally: Tally,
        missing: int,
    ) -> None:
        self._gold = gold
        self._outputs = outputs
        self.gold_path, self.outputs_path = gold.path, outputs.path
        self.items = items
        self.tally = tally
        self.rows = sum(sum(part.counts[:2]) for part in tally.fields.values())
        self.missing = missing
        self.by_field = dict(Counter(item.field_id for item in items))

    @property
    def identities(self) -> tuple[Identity, Identity]:
        """What both files were when they were read."""
        return self._gold.identity, self._outputs.identity

    @property
    def changed(self) -> bool:
        """Whether one of the files is no longer what was read."""
        return self.identities != (identity(self.gold_path), identity(self.outputs_path))

    def pair(self, item: Disagreement) -> Pair:
        """The two rows, read now.

        Raises:
            ConflictError: one of the files changed since it was listed.
            UsageError: one of the files cannot be read any more.
        """
        gold_raw, output_raw = self._gold.line(item.gold_line), self._outputs.line(item.output_line)
        gold, output = strict.gold_row(gold_raw), strict.output_row(output_raw)
        if (
            isinstance(gold, Fault)
            or isinstance(output, Fault)
            or (gold.case_id, gold.field_id) != item.place
            or (output.case_id, output.field_id) != item.place
        ):
            del gold, output, gold_raw, output_raw
            raise ConflictError("adjudicated.files_changed")
        found = decide(gold.case_id, gold.field_id, gold.field_type, gold.value, output)
        return Pair(gold, output, gold_raw, output_raw, found)


def find_disagreements(gold: Path, outputs: Path, *, progress: Progress | None = None) -> Disagreements:
    """Score two files and list where they disagree.

    Raises:
        UsageError: a file cannot be read, or is none (both are read again and again).
        FilesError: the files have problems, each with its line.
        NothingToJudgeError: no gold row.
        ConflictError: a file changed while it was read.
    """
    for path in (gold, outputs):
        if path.exists() and not path.is_file():
            raise UsageError("adjudicated.not_a_file", path=path)
    before = identity(gold), identity(outputs)
    tally = score_files(gold, outputs, progress=progress).tally
    gold_lines, output_lines = _Lines(gold), _Lines(outputs)
    waiting: dict[tuple[str, str], tuple[AbstractionFieldType, Scalar, int]] = {}
    for number, row in gold_lines.rows(read_gold, strict.gold_row):
        waiting[row.case_id, intern(row.field_id)] = row.field_type, row.value, number
    items: list[Disagreement] = []
    for number, row in output_lines.rows(OutputReader().read, strict.output_row):
        found = waiting.pop((row.case_id, row.field_id), None)
        if found is None:
            del row, waiting, items
            raise ConflictError("adjudicated.files_changed")
        kind, value, line = found
        decision = decide(row.case_id, row.field_id, kind, value, row)
        if not decision.is_right:
            name = intern(row.field_id)
            items.append(Disagreement(row.case_id, name, kind, _sort_of(decision), line, number))
    if before != (gold_lines.identity, output_lines.identity):
        del waiting, items
        raise ConflictError("adjudicated.files_changed")
    items.sort(key=lambda item: (item.field_id, item.case_id))
    return Disagreements(gold_lines, output_lines, tuple(items), tally, len(waiting))


def _sort_of(decision: Decision) -> Sort:
    if decision.gold is None:
        return Sort.SPURIOUS
    return Sort.ABSTAINED if decision.state == ABSTAINED else Sort.DIFFERENT


class _Lines:
    """A file of rows whose lines can be read again by their number."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.identity: Identity = identity(path)
        self._starts = array("Q")

    def rows(
        self, read: Callable[[bytes, int], list[Any] | None], read_line: Callable[[bytes], Any]
    ) -> Iterator[tuple[int, Any]]:
        """Every row with its line; remembers where the lines are."""
        with open_file(self.path) as stream:
            place = 0
            for line in stream:
                self._starts.append(place)
                place += len(line)
        for chunk in chunks(self.path):
            rows = read(chunk.data, chunk.lines)
            if rows is not None:
                yield from enumerate(rows, chunk.first_line)
                continue
            for number, line in enumerate(lines_of(chunk.data), chunk.first_line):
                if line.strip(b" \t\r\n"):
                    row = read_line(line)
                    if isinstance(row, Fault):
                        del row, line, rows, chunk
                        raise ConflictError("adjudicated.files_changed")
                    yield number, row

    def line(self, number: int) -> bytes:
        """The bytes of a line, without its end; empty if it is not there any more."""
        failed: UsageError | None = None
        data = b""
        with open_file(self.path) as stream:
            try:
                stream.seek(self._starts[number - 1])
                data = stream.readline(strict.MAX_LINE_BYTES + len(BOM) + 2)
            except OSError as error:
                failed = UsageError("jsonl.file_unreadable", path=self.path, reason=system_reason(error))
        if failed is not None:
            raise failed
        if number == 1:
            data = data.removeprefix(BOM)
        return data.removesuffix(b"\n").removesuffix(b"\r")
