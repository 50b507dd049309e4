"""The same tally on Apache Spark, for data that outgrow one machine (extra ``escala``).

Lines are read as bytes, never by Spark's own JSON reader, which rounds large integers and makes 1 into
1.0; nor as its text, in which invalid UTF-8 has been replaced. Rows meet by case; each part answers with
integer counts and codes, and the driver adds them up. The report is byte-equal to that of one process
for any number of parts.

Functions that run on executors answer with codes and never raise: Spark writes what is raised into its
logs, values included. Line numbers are not known here; run ``run-abstraction`` on the part at fault.
Rows travel through Spark's shuffle, so its local folders hold private data: see ``docs/abstraction.md``.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from scoring import messages
from scoring.abstraction import strict
from scoring.abstraction.chunks import BLANKS, TOO_LONG
from scoring.abstraction.evidence import SourceKind
from scoring.abstraction.grammar import is_field_id
from scoring.abstraction.join import Join, has_clinical
from scoring.abstraction.normalize import AbstractionFieldType
from scoring.abstraction.report import report_of
from scoring.abstraction.strict import MAX_LINE_BYTES, Fault
from scoring.abstraction.tally import FieldTally, Tally, merge
from scoring.abstraction.wire import OutputReader, read_gold
from scoring.cli import console
from scoring.errors import DataError, ExitCode, NothingToJudgeError, UsageError
from scoring.files import atomic_write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pyspark.sql import SparkSession

_BATCH_LINES: Final = 1000
_CASES_AT_ONCE: Final = 256

# What travels: a row without its case id. Labels travel as their texts.
GoldPart = tuple[str, str, Any]
OutputPart = tuple[str, Any, bool]
_FAULTS: Final = ""
"""The key under which the codes of unreadable lines travel; no case id is empty."""

PartTally = tuple[dict[str, tuple[str, list[int]]], dict[str, int], int, int]
"""Counts by field, codes, gold rows, output rows: all that leaves an executor."""


class SparkProblemsError(DataError):
    """The data have problems (exit 3); ``codes`` says which and how often, without any place."""

    def __init__(self, codes: dict[str, int]) -> None:
        told = ", ".join(f"{code} ({times})" for code, times in sorted(codes.items()))
        super().__init__("abstraction.spark_problems", codes=told)
        self.codes = codes


def spark_tally(session: SparkSession, gold: str, outputs: str, *, parts: int | None = None) -> Tally:
    """The tally of two JSONL data sets that Spark can read.

    Args:
        session: a running session.
        gold: path or address of gold rows: a file, a folder or a pattern.
        outputs: the same of output rows.
        parts: into how many parts the cases are split; Spark's default if None.

    Raises:
        UsageError: there is nothing readable at an address.
        SparkProblemsError: the rows have problems.
        NothingToJudgeError: no gold row.
    """
    split = parts or max(2, session.sparkContext.defaultParallelism)
    # Both are split by the same function, so the cogroup moves nothing again.
    gold_rows, output_rows = (
        _lines(session, address).mapPartitions(_guarded(work)).partitionBy(split, _place)
        for address, work in ((gold, _gold_parts), (outputs, _output_parts))
    )
    found = gold_rows.cogroup(output_rows, split).mapPartitions(_tally_part).collect()
    codes: Counter[str] = Counter()
    tallies: list[Tally] = []
    rows = 0
    for fields, part_codes, part_rows, _ in found:
        codes.update(part_codes)
        rows += part_rows
        tallies.append(
            Tally(
                {
                    name: FieldTally(AbstractionFieldType(kind), tuple(counts))
                    for name, (kind, counts) in fields.items()
                }
            )
        )
    if not codes and not rows:
        raise NothingToJudgeError("abstraction.no_gold")
    tally: Tally | None = None
    try:
        tally = merge(tallies)
    except ValueError as error:
        codes[str(error)] += 1
    if codes or tally is None:
        raise SparkProblemsError(dict(codes))
    return tally


def _lines(session: SparkSession, address: str) -> Any:
    """An RDD of the lines of a text source as bytes, as they stand in the file."""
    from pyspark.errors import AnalysisException

    failed = UsageError("jsonl.file_missing", path=address)
    try:
        frame = session.read.option("lineSep", "\n").text(address)
    except AnalysisException:
        pass
    else:
        return frame.select(frame["value"].cast("binary")).rdd.map(_bytes)
    raise failed


def _bytes(row: Any) -> bytes:
    return bytes(row[0])


def _place(key: str) -> int:
    """Which part a case belongs to; the same in every process, unlike ``hash``."""
    return crc32(key.encode("utf-8", "surrogatepass"))


def _guarded(
    work: Callable[[Iterable[bytes]], Iterator[tuple[str, Any]]],
) -> Callable[[Iterable[bytes]], Iterator[tuple[str, Any]]]:
    """``work``, with whatever it raises turned into a code that names only the kind of error."""

    def run(lines: Iterable[bytes]) -> Iterator[tuple[str, Any]]:
        try:
            yield from work(lines)
        except Exception as error:  # noqa: BLE001 - it would be logged with the values
            yield _FAULTS, {f"unforeseen {type(error).__name__}": 1}

    return run


def _batches(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    for line in lines:
        whole = line.removesuffix(b"\r")
        if len(whole) > MAX_LINE_BYTES:
            whole = TOO_LONG
        if whole.strip(BLANKS):
            batch.append(whole)
        if len(batch) == _BATCH_LINES:
            yield batch
            batch = []
    if batch:
        yield batch


def _rows(
    batch: list[bytes],
    read: Callable[[bytes, int], Sequence[Any] | None],
    read_line: Callable[[bytes], Any],
    codes: Counter[str],
) -> Iterator[Any]:
    """The rows of a batch of lines; codes of those that are none are counted."""
    rows = read(b"\n".join(batch), len(batch))
    for row in map(read_line, batch) if rows is None else rows:
        if isinstance(row, Fault):
            codes[row.code] += 1
        elif not is_field_id(row.field_id):
            codes["invalid_field_id"] += 1
        else:
            yield row


def _gold_parts(lines: Iterable[bytes]) -> Iterator[tuple[str, Any]]:
    codes: Counter[str] = Counter()
    for batch in _batches(lines):
        by_case: dict[str, list[GoldPart]] = {}
        for row in _rows(batch, read_gold, strict.gold_row, codes):
            part = row.field_id, row.field_type.value, row.value
            by_case.setdefault(row.case_id, []).append(part)
        yield from by_case.items()
    if codes:
        yield _FAULTS, dict(codes)


def _output_parts(lines: Iterable[bytes]) -> Iterator[tuple[str, Any]]:
    codes: Counter[str] = Counter()
    reader = OutputReader()
    for batch in _batches(lines):
        by_case: dict[str, list[OutputPart]] = {}
        for row in _rows(batch, reader.read, strict.output_row, codes):
            by_case.setdefault(row.case_id, []).append((row.field_id, row.value, _is_supported(row)))
        yield from by_case.items()
    if codes:
        yield _FAULTS, dict(codes)


def _is_supported(row: Any) -> bool:
    chain = row.evidence_chain
    return bool(
        chain
        and chain.normalized_fact_digest == row.normalized_fact_digest
        and chain.field_id == row.field_id
        and has_clinical(chain.source_locations)
    )


class _Gold:
    """A gold row as the join wants it."""

    __slots__ = ("case_id", "field_id", "field_type", "value")

    def __init__(self, case_id: str, part: GoldPart) -> None:
        self.case_id = case_id
        self.field_id, label, self.value = part
        self.field_type = AbstractionFieldType(label)


class _ClinicalPlace:
    kind = SourceKind.CLINICAL_RECORD


class _Output:
    """An output row as the join wants it; if it is supported it serves as its own chain."""

    __slots__ = ("case_id", "evidence_chain", "field_id", "value")
    normalized_fact_digest = None
    source_locations = (_ClinicalPlace,)

    def __init__(self, case_id: str, part: OutputPart) -> None:
        self.case_id = case_id
        self.field_id, self.value, supported = part
        self.evidence_chain = self if supported else None


def _tally_part(groups: Iterable[tuple[str, tuple[Iterable[Any], Iterable[Any]]]]) -> Iterator[PartTally]:
    """The counts of the cases of one part."""
    part = _Part()
    try:
        for key, (gold, outputs) in groups:
            if key == _FAULTS:
                for codes in (*gold, *outputs):
                    part.codes.update(codes)
            else:
                part.add(key, gold, outputs)
        part.settle()
    except Exception as error:  # noqa: BLE001 - it would be logged with the values
        part.codes[f"unforeseen {type(error).__name__}"] += 1
    yield part.fields, dict(part.codes), part.gold_rows, part.output_rows


class _Part:
    """Adds up cases a few hundred at a time, so that a part needs little memory."""

    def __init__(self) -> None:
        self.join = Join()
        self.fields: dict[str, tuple[str, list[int]]] = {}
        self.codes: Counter[str] = Counter()
        self.gold_rows = self.output_rows = 0

    def add(self, case_id: str, gold: Iterable[list[GoldPart]], outputs: Iterable[list[OutputPart]]) -> None:
        rows = [_Gold(case_id, part) for parts in gold for part in parts]
        answers = [_Output(case_id, part) for parts in outputs for part in parts]
        self.gold_rows += len(rows)
        self.output_rows += len(answers)
        for add, waiting in ((self.join.add_gold, iter(rows)), (self.join.add_outputs, iter(answers))):
            while (code := add(waiting)) is not None:
                self.codes[code] += 1
        if len(self.join.cases) >= _CASES_AT_ONCE:
            self.settle()

    def settle(self) -> None:
        """Count the cells there are and forget them; the fields stay known."""
        for name, tally in self.join.tally().fields.items():
            _, counts = self.fields.setdefault(name, (tally.field_type.value, [0] * len(tally.counts)))
            for column, count in enumerate(tally.counts):
                counts[column] += count
        self.join.cases.clear()


def use_this_interpreter() -> None:
    """In local mode the workers are to be this interpreter, not the first ``python3`` on the path."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


def main(argv: Sequence[str] | None = None) -> int:
    """``spark-submit``'s entry: write the canonical report to stdout or a file; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m scoring.abstraction.spark", description=__doc__)
    parser.add_argument("--gold", required=True)
    parser.add_argument("--outputs", required=True)
    parser.add_argument("--informe", type=Path)
    parser.add_argument("--partes", type=int)
    parser.add_argument("--master", help="local[2], say; spark-submit sets it otherwise")
    options = parser.parse_args(argv)

    def body() -> int:
        try:
            from pyspark.sql import SparkSession
        except ImportError:
            raise UsageError("abstraction.needs_spark") from None
        builder = SparkSession.builder.appName("revision-clinica: abstraction")
        if options.master:
            builder = builder.master(options.master)
            if options.master.startswith("local"):
                use_this_interpreter()
        session = builder.getOrCreate()
        try:
            tally = spark_tally(session, options.gold, options.outputs, parts=options.partes)
        finally:
            session.stop()
        text = report_of(tally).to_json()
        if options.informe is None:
            console.out(text)
        else:
            atomic_write(options.informe, text.encode("ascii"))
            console.talk(messages.text("abstraction.saved", path=options.informe))
        return ExitCode.OK

    return console.run(body, program="python -m scoring.abstraction.spark")


if __name__ == "__main__":
    sys.exit(main())
