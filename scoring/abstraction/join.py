"""Joining gold and output rows in one pass, without row objects and without counting.

What is kept of a gold row is one cell: its value, found by case and by the number of its field. An
output replaces the value in its cell by the mark of what it came to, and the marks are counted once, at
the end, column by column; cells that still hold a value had no output. The cells of a case stand in a
list while its rows come about in the order of the fields, else in a dict.

Rows come as any objects with the attributes of the public rows, so that the library and the file
reader share these loops. Nothing here raises on bad data: a refused row is answered with its code.
"""

from __future__ import annotations

from collections import Counter
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from scoring.abstraction.evidence import SourceKind
from scoring.abstraction.grammar import is_field_id
from scoring.abstraction.normalize import AbstractionFieldType, differ_by_spelling_only, is_normalizable
from scoring.abstraction.tally import COLUMNS, WIDTH, FieldTally, Tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from scoring.abstraction.normalize import Scalar


class Mark:
    """A cell that holds no value (any more).

    Attributes:
        name: what it stands for.
        column: the tally column it counts for, or None.
        supported: the mark of the same outcome with evidence support.
    """

    __slots__ = ("column", "name", "supported")

    def __init__(self, name: str, column: int | None = None) -> None:
        self.name = name
        self.column = column
        self.supported = self

    def __repr__(self) -> str:
        return self.name


EMPTY: Final = Mark("empty")
"""No gold row of this case and field."""
BROKEN: Final = Mark("broken")
"""A gold row stands here, but it was refused; its output is neither unknown nor counted."""
BROKEN_TAKEN: Final = Mark("broken_taken")

OUTCOMES: Final = tuple(Mark(name, column) for column, name in enumerate(COLUMNS[2:], 2))
(
    _ABSTAINED_ANSWERABLE,
    _ABSTAINED_UNANSWERABLE,
    _WRONG,
    _WRONG_SUPPORTED,
    _NORMALIZED,
    _NORMALIZED_SUPPORTED,
    _EXACT,
    _EXACT_SUPPORTED,
    _SPURIOUS,
    _SPURIOUS_SUPPORTED,
) = OUTCOMES
_WRONG.supported = _WRONG_SUPPORTED
_NORMALIZED.supported = _NORMALIZED_SUPPORTED
_EXACT.supported = _EXACT_SUPPORTED
_SPURIOUS.supported = _SPURIOUS_SUPPORTED
UNANSWERABLE_OUTCOMES: Final = frozenset(
    mark.column for mark in (_ABSTAINED_UNANSWERABLE, _SPURIOUS, _SPURIOUS_SUPPORTED)
)
"""Columns of rows whose gold value is None."""

_GAP: Final = 16
"""A list may skip so many fields before it is given up for a dict."""
_BATCH: Final = 512
"""Cases whose marks are counted together."""

# The exact type that is legal under a field type without looking at the value.
_PLAIN: Final[Mapping[AbstractionFieldType, type]] = {
    AbstractionFieldType.TEXT: str,
    AbstractionFieldType.CATEGORICAL: str,
    AbstractionFieldType.NUMBER: float,
    AbstractionFieldType.BOOLEAN: bool,
}


class Join:
    """The state of one run: the fields, and by case the cells.

    Attributes:
        field_index: the number of each field.
        field_types: the type of each field, by its number.
        cases: the cells of each case, a list or a dict by field number.
    """

    def __init__(self) -> None:
        self.field_index: dict[str, int] = {}
        self.field_types: list[AbstractionFieldType] = []
        self._plain: list[type] = []
        self.cases: dict[str, Any] = {}

    def add_gold(self, rows: Iterator[Any]) -> str | None:
        """Take gold rows until they end (None) or one is refused (its code).

        After a refusal ``rows`` stands behind the refused row, so that the caller may go on.
        Codes: ``invalid_field_id``, ``duplicate_gold_field``, ``inconsistent_field_type``,
        ``invalid_gold_value``.
        """
        index_of, types, plain, cases = self.field_index, self.field_types, self._plain, self.cases
        for row in rows:
            field_id = row.field_id
            index = index_of.get(field_id)
            if index is None:
                index = self._new_field(field_id, row.field_type)
                if index is None:
                    return "invalid_field_id"
            value = row.value
            case_id = row.case_id
            case = cases.get(case_id)
            if case is None:
                case = cases[case_id] = []
            if type(case) is list and index == len(case):
                case.append(value)
            elif not self._place(case_id, case, index, value):
                return "duplicate_gold_field" if _is_legal(row) else "invalid_gold_value"
            if types[index] is not row.field_type:
                self._break(case_id, index)
                return "inconsistent_field_type" if _is_legal(row) else "invalid_gold_value"
            if (
                type(value) is not plain[index]
                and value is not None
                and not is_normalizable(value, types[index])
            ):
                self._break(case_id, index)
                return "invalid_gold_value"
        return None

    def add_outputs(self, rows: Iterator[Any]) -> str | None:
        """Take output rows until they end (None) or one is refused (its code).

        Codes: ``unknown_prediction_field``, ``duplicate_prediction_field``.
        """
        index_of, cases, types = self.field_index, self.cases, self.field_types
        clinical = SourceKind.CLINICAL_RECORD
        for row in rows:
            try:
                index = index_of[row.field_id]
                case = cases[row.case_id]
                gold = case[index]
            except LookupError:
                return "unknown_prediction_field"
            if type(gold) is Mark:
                if gold is BROKEN:
                    case[index] = BROKEN_TAKEN
                    continue
                return "unknown_prediction_field" if gold is EMPTY else "duplicate_prediction_field"
            value = row.value
            if value is None:
                case[index] = _ABSTAINED_UNANSWERABLE if gold is None else _ABSTAINED_ANSWERABLE
                continue
            if gold is None:
                outcome = _SPURIOUS
            elif type(value) is type(gold) and value == gold:
                outcome = _EXACT
            elif differ_by_spelling_only(gold, value, types[index]):
                outcome = _NORMALIZED
            else:
                outcome = _WRONG
            chain = row.evidence_chain
            if (
                chain
                and chain.normalized_fact_digest == row.normalized_fact_digest
                and chain.field_id == row.field_id
                and (places := chain.source_locations)
                and (places[0].kind is clinical or has_clinical(places))
            ):
                outcome = outcome.supported
            case[index] = outcome
        return None

    def compact(self) -> None:
        """Once all gold is read: cells in dicts go back to lists where that is smaller."""
        cases = self.cases
        for case_id, case in cases.items():
            if type(case) is dict and (max(case) + 1) <= 8 * len(case):
                cells: list[Any] = [EMPTY] * (max(case) + 1)
                for index, value in case.items():
                    cells[index] = value
                cases[case_id] = cells

    def break_cell(self, case_id: str, field_id: str) -> None:
        """Remember that a refused gold row stands there, so that its output is not called unknown."""
        index = self.field_index.get(field_id)
        if index is None:
            index = self._new_field(field_id, AbstractionFieldType.TEXT)
        if index is not None:
            case = self.cases.setdefault(case_id, [])
            self._place(case_id, case, index, BROKEN)

    def marks(self) -> bytes:
        """What each cell has come to: one byte a cell, its tally column or 0; cases in gold order."""
        parts: list[bytes] = []
        for case in self.cases.values():
            cells = case if type(case) is list else case.values()
            parts.append(bytes([(type(cell) is Mark and cell.column) or 0 for cell in cells]))
        return b"".join(parts)

    def absorb(self, marks: bytes) -> bool:
        """Take over what another join of the same gold came to with other outputs.

        Returns:
            False if both had an output for one cell; then this join is of no further use.
        """
        of_column = dict(enumerate(OUTCOMES, 2))
        place = 0
        for case in self.cases.values():
            part = marks[place : place + len(case)]
            place += len(case)
            if not any(part):
                continue
            for index, column in zip(
                range(len(case)) if type(case) is list else list(case), part, strict=True
            ):
                if column:
                    if type(case[index]) is Mark:
                        return False
                    case[index] = of_column[column]
        return True

    def tally(self) -> Tally:
        """What the cells have come to."""
        counts = [[0] * WIDTH for _ in self.field_types]
        batch: list[list[Any]] = []
        for case in self.cases.values():
            if type(case) is list:
                batch.append(case)
                if len(batch) == _BATCH:
                    _count(batch, counts)
                    batch.clear()
            else:
                for index, cell in case.items():
                    _add(counts[index], cell, 1)
        _count(batch, counts)
        return Tally(
            {
                name: FieldTally(self.field_types[index], tuple(counts[index]))
                for name, index in self.field_index.items()
            }
        )

    def _new_field(self, field_id: str, field_type: AbstractionFieldType) -> int | None:
        if not is_field_id(field_id):
            return None
        index = len(self.field_types)
        self.field_index[field_id] = index
        self.field_types.append(field_type)
        self._plain.append(_PLAIN[field_type])
        return index

    def _place(self, case_id: str, case: Any, index: int, value: Scalar | Mark) -> bool:
        """Put a value out of order; False if the cell is not empty."""
        if type(case) is list:
            size = len(case)
            if index < size:
                if case[index] is not EMPTY:
                    return False
                case[index] = value
                return True
            if index - size <= _GAP:
                case.extend([EMPTY] * (index - size))
                case.append(value)
                return True
            case = self.cases[case_id] = {place: cell for place, cell in enumerate(case) if cell is not EMPTY}
        elif index in case:
            return False
        case[index] = value
        return True

    def _break(self, case_id: str, index: int) -> None:
        self.cases[case_id][index] = BROKEN


def _is_legal(row: Any) -> bool:
    """Whether a gold row is right by itself; that comes before what is wrong beside other rows."""
    return row.value is None or is_normalizable(row.value, row.field_type)


def _count(batch: list[list[Any]], counts: list[list[int]]) -> None:
    """Add the cells of cases in lists to the counts of their fields, a field at a time."""
    columns: Iterable[tuple[Any, ...]] = zip_longest(*batch, fillvalue=EMPTY)
    for row, column in zip(counts, columns, strict=False):
        for cell, times in Counter(column).items():
            _add(row, cell, times)


def _add(row: list[int], cell: Any, times: int) -> None:
    if type(cell) is Mark:
        if cell.column is None:
            return
        row[cell.column] += times
        answerable = cell.column not in UNANSWERABLE_OUTCOMES
    else:  # a gold value that nothing answered
        answerable = cell is not None
    row[0 if answerable else 1] += times


def has_clinical(places: Iterable[Any]) -> bool:
    """Whether any source location lies in a clinical record."""
    for place in places:  # noqa: SIM110 - a generator would cost more than the usual single turn
        if place.kind is SourceKind.CLINICAL_RECORD:
            return True
    return False
