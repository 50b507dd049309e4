"""A data set of any length: each case is read from the open file when somebody asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from scoring.cases import CaseFile, CaseRow, Gathered, read_row
from scoring.stored import store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.jsonl import Row
    from scoring.problems import Problem
    from scoring.stored import StoredLines


class StoredCaseRows(Sequence[CaseRow]):
    """The rows of a data set, each read and checked when it is asked for."""

    def __init__(self, rows: Sequence[Row], repeated: Mapping[int, Problem]) -> None:
        self._rows = rows
        self._repeated = repeated

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> CaseRow: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[CaseRow]: ...
    def __getitem__(self, index: int | slice) -> CaseRow | Sequence[CaseRow]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        found = read_row(self._rows[index])
        again = self._repeated.get(index if index >= 0 else index + len(self))
        return found if again is None else CaseRow(found.row, found.case, (*found.problems, again))


def stored_case_file(lines: StoredLines) -> CaseFile:
    """The data set of an open file, of which only ids, places and problems are held.

    Raises:
        ProductError: the file cannot be read or is too large.
    """
    gathered = Gathered()
    document = store(lines, lambda row: gathered.take(read_row(row)))
    return gathered.file(document, StoredCaseRows(document.rows, gathered.repeated))
