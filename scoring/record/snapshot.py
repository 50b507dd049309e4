"""Data, record and step under way, read as they were at one moment, without a lock.

A writer goes intent, record, data, intent removed. Whoever reads the data first and the others after
it sees a whole state as long as the data file was not replaced meanwhile; if it was, it is read again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoring.cases import load_cases
from scoring.errors import ConflictError
from scoring.files import identity
from scoring.record.intent import load_intent
from scoring.record.journal import load_record
from scoring.record.states import case_states

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from scoring.cases import CaseFile
    from scoring.record.intent import Intent
    from scoring.record.journal import Record
    from scoring.record.states import CaseState

_TRIES = 40
_PAUSE_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A data set with its signatures, all of one moment."""

    path: Path
    file: CaseFile
    record: Record
    intent: Intent | None
    states: Mapping[str, CaseState]
    identity: tuple[object, ...]


def take_snapshot(path: Path) -> Snapshot:
    """Read the data set at ``path`` with its record and the state of each case. Writes nothing.

    Raises:
        UsageError: a file cannot be read.
        DataError: a file is too large.
        ConflictError: somebody replaced the data set again and again while it was read.
    """
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE_SECONDS)
        before = identity(path)
        file = load_cases(path)
        record = load_record(path)
        record_identity = identity(record.path)
        intent = load_intent(path)
        if identity(path) == before:
            states = case_states(file, record, intent)
            return Snapshot(path, file, record, intent, states, (before, record_identity))
    raise ConflictError("record.never_still", path=path)
