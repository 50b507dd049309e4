"""Data, record and step under way, read as they were at one moment, without a lock.

A writer goes intent, record, data, intent removed. Whoever reads the data first and the others after
it sees a whole state as long as the data file was not replaced meanwhile; if it was, it is read again.
A step under way whose record line is committed is shown as finished, in the rows as in the states:
what a reader sees is what the next writer makes true.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from scoring.cases import case_file
from scoring.errors import ConflictError
from scoring.files import identity
from scoring.jsonl import parse, read_bytes
from scoring.record.intent import load_intent, steps_under_way
from scoring.record.journal import as_record, read_record
from scoring.record.paths import record_path
from scoring.record.required import ONE_SIGNATURE, rule_beside
from scoring.record.states import case_states, each_state
from scoring.record.stored_states import StoredStates
from scoring.stored import StoredLines
from scoring.stored_cases import stored_case_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from scoring.cases import CaseFile
    from scoring.jsonl import Document
    from scoring.record.intent import Intent
    from scoring.record.journal import Record
    from scoring.record.required import SignatureRule
    from scoring.record.states import CaseState

Data = TypeVar("Data")

_TRIES = 40
_PAUSE_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A data set with its signatures, all of one moment.

    Attributes:
        path: as it was given.
        file: the cases; the lines of a step under way as they will be.
        record: the signatures.
        intent: the step under way, or None.
        states: state of each case by id.
        on_disk: the lines of the data file, as they are.
        identity: of the data file and of the record (:func:`scoring.files.identity`).
        rule: how many reviews the set asks for.
    """

    path: Path
    file: CaseFile
    record: Record
    intent: Intent | None
    states: Mapping[str, CaseState]
    on_disk: Document
    identity: tuple[object, object]
    rule: SignatureRule = ONE_SIGNATURE

    @property
    def disk(self) -> bytes:
        """The bytes of the data file, as they are."""
        return self.on_disk.data


def replace_lines(file: CaseFile, new: Mapping[str, bytes]) -> bytes:
    """The bytes of the data file with the lines of these (unique) ids replaced, the others as they are."""
    numbers = {row.row.line.number: new[row.case.id] for row in file.rows if row.case.id in new}
    document = file.document
    return document.bom + b"".join(numbers.get(line.number, line.raw) + line.end for line in document.lines)


def _still(path: Path, known: Snapshot) -> bool:
    """Nothing was written since ``known`` was read, as far as file identities tell."""
    now = (identity(path), identity(known.record.path))
    return now == known.identity and known.intent is None and load_intent(path) is None


def _rule(path: Path, extra: SignatureRule | None) -> SignatureRule:
    """What is asked for beside the data, or what the caller adds to it if that is stricter."""
    beside = rule_beside(path)
    return beside if extra is None else beside.stricter(extra)


@dataclass(frozen=True, slots=True)
class _Moment(Generic[Data]):
    """Data, record and step under way, read one after the other.

    Attributes:
        data: the data file, as it was asked for.
        record: the bytes of the record, or None.
        intent: the step under way, or None.
        identity: of the data file before it was read, and of the record.
        still: the data file is the same after everything was read.
    """

    data: Data
    record: bytes | None
    intent: Intent | None
    identity: tuple[object, object]
    still: bool


def _moment(path: Path, read: Callable[[Path], Data]) -> _Moment[Data]:
    before = identity(path)
    data = read(path)
    record_identity = identity(record_path(path))
    record, intent = read_record(path), load_intent(path)
    return _Moment(data, record, intent, (before, record_identity), identity(path) == before)


def _tries(path: Path) -> Iterator[None]:
    """As many as one may make, with a pause between two; past the last one it gives up.

    Raises:
        ConflictError: somebody replaced the data set at every try.
    """
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE_SECONDS)
        yield
    raise ConflictError("record.never_still", path=path)


def stored_snapshot(path: Path, rule: SignatureRule | None = None) -> Snapshot:
    """Read a data set of any length: its lines stay in the open file until somebody asks for them.

    Otherwise as :func:`take_snapshot`. Only where a save is under way are all lines held, because some of
    them are then not those of the file.

    Args:
        path: the data set.
        rule: reviews that are asked for besides those of the ``umbrales.toml`` beside the data; the
            stricter number holds.

    Raises:
        ProductError: as :func:`take_snapshot`.
    """
    for _ in _tries(path):
        moment = _moment(path, StoredLines)
        if moment.intent is not None:
            return take_snapshot(path, rule=rule)
        lines, before = moment.data, moment.identity[0]
        # A save puts a new file in the place of this one, which stays as it is for whoever has it open.
        if moment.still and lines.status() in {None, before}:
            file = stored_case_file(lines)
            if lines.status() in {None, before}:
                break
    record = as_record(path, moment.record)
    asked = _rule(path, rule)
    states = StoredStates(file.index(), each_state(file, record, None, asked))
    return Snapshot(path, file, record, None, states, file.document, moment.identity, asked)


def take_snapshot(path: Path, known: Snapshot | None = None, rule: SignatureRule | None = None) -> Snapshot:
    """Read the data set at ``path`` with its record and the state of each case. Writes nothing.

    Args:
        path: the data set.
        known: an earlier reading of it, given back as it is if no file was written since; else it spares
            the work on lines that did not change.
        rule: reviews that are asked for besides those of the ``umbrales.toml`` beside the data; the
            stricter number holds.

    Raises:
        UsageError: a file cannot be read.
        DataError: a file is too large, or the ``umbrales.toml`` beside the data has a mistake.
        ConflictError: somebody replaced the data set again and again while it was read.
    """
    if known is not None and _still(path, known) and known.rule == _rule(path, rule):
        return known
    for _ in _tries(path):
        # Only the reading has to fall between two saves; parsing, which takes longer, comes after it.
        moment = _moment(path, read_bytes)
        if moment.still:
            break
    intent = moment.intent
    document = parse(path, moment.data, known.file.document if known is not None else None)
    file = case_file(document, known.file if known is not None else None)
    record = as_record(path, moment.record, known.record if known is not None else None)
    asked = _rule(path, rule)
    states = case_states(file, record, intent, asked)
    steps = steps_under_way(file, record, intent)
    if steps:
        file = case_file(parse(path, replace_lines(file, steps), file.document), file)
    return Snapshot(path, file, record, intent, states, document, moment.identity, asked)
