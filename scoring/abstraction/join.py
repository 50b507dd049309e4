"""Joining gold and output rows in one pass, with counters instead of row objects.

What is kept of a gold row is one cell: its value, found by case and by the number of its field. The
cells of a case stand in a list while its rows come in the order of the fields, else in a dict. An
output empties its cell and adds one to one counter; whatever is left at the end was missing.

Rows come as any objects with the attributes of the public rows, so that the library and the file
reader share this loop. Nothing here raises on bad data: a refused row is answered with its code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from scoring.abstraction.evidence import SourceKind
from scoring.abstraction.grammar import is_field_id
from scoring.abstraction.normalize import AbstractionFieldType, is_normalizable, normalize
from scoring.abstraction.tally import COLUMNS, WIDTH, FieldTally, Tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scoring.abstraction.evidence import AbstractionEvidenceChain
    from scoring.abstraction.normalize import Scalar
    from scoring.abstraction.wire import ChainRow


class Sentinel:
    """A cell that holds no value."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


EMPTY: Final = Sentinel("EMPTY")
"""No gold row of this case and field."""
TAKEN: Final = Sentinel("TAKEN")
"""The gold row had its output already."""
BROKEN: Final = Sentinel("BROKEN")
"""A gold row stands here, but it was refused; its output is neither unknown nor counted."""
BROKEN_TAKEN: Final = Sentinel("BROKEN_TAKEN")

_GAP: Final = 16
"""A list may skip so many fields before it is given up for a dict."""

# The exact type that is legal under a field type without looking at the value.
_PLAIN: Final[dict[AbstractionFieldType, type]] = {
    AbstractionFieldType.TEXT: str,
    AbstractionFieldType.CATEGORICAL: str,
    AbstractionFieldType.NUMBER: float,
    AbstractionFieldType.BOOLEAN: bool,
}

_ANSWERABLE, _UNANSWERABLE = COLUMNS.index("gold_answerable"), COLUMNS.index("gold_unanswerable")
_ABSTAINED_ANSWERABLE = COLUMNS.index("abstained_answerable")
_ABSTAINED_UNANSWERABLE = COLUMNS.index("abstained_unanswerable")
_WRONG, _NORMALIZED = COLUMNS.index("wrong"), COLUMNS.index("normalized")
_EXACT, _SPURIOUS = COLUMNS.index("exact"), COLUMNS.index("spurious")


class Join:
    """The state of one run: fields, counters and the gold cells still waiting for an output."""

    def __init__(self) -> None:
        self.field_index: dict[str, int] = {}
        self.field_types: list[AbstractionFieldType] = []
        self._plain: list[type] = []
        self.counts: list[int] = []
        self.cases: dict[str, Any] = {}
        self.gold_rows = 0

    def add_gold(self, rows: Iterator[Any]) -> str | None:
        """Take gold rows until they end (None) or one is refused (its code).

        After a refusal ``rows`` stands behind the refused row, so that the caller may go on.
        Codes: ``invalid_field_id``, ``duplicate_gold_field``, ``inconsistent_field_type``,
        ``invalid_gold_value``.
        """
        index_of, types, plain, counts = self.field_index, self.field_types, self._plain, self.counts
        cases = self.cases
        for row in rows:
            field_id = row.field_id
            index = index_of.get(field_id)
            if index is None:
                index = self._new_field(field_id, row.field_type)
                if index is None:
                    return "invalid_field_id"
            value = row.value
            case = cases.get(row.case_id)
            if case is None:
                case = cases[row.case_id] = []
            if type(case) is list and index == len(case):
                case.append(value)
            elif not self._place(row.case_id, case, index, value):
                return "duplicate_gold_field"
            if types[index] is not row.field_type:
                self._break(row.case_id, index)
                return "inconsistent_field_type"
            if value is None:
                counts[index * WIDTH + _UNANSWERABLE] += 1
            elif type(value) is plain[index] or is_normalizable(value, types[index]):
                counts[index * WIDTH + _ANSWERABLE] += 1
            else:
                self._break(row.case_id, index)
                return "invalid_gold_value"
        return None

    def add_outputs(self, rows: Iterator[Any]) -> str | None:
        """Take output rows until they end (None) or one is refused (its code).

        Codes: ``unknown_prediction_field``, ``duplicate_prediction_field``.
        """
        index_of, cases, counts = self.field_index, self.cases, self.counts
        for row in rows:
            try:
                index = index_of[row.field_id]
                case = cases[row.case_id]
                gold = case[index]
            except LookupError:
                return "unknown_prediction_field"
            if type(gold) is Sentinel:
                if gold is BROKEN:
                    case[index] = BROKEN_TAKEN
                    continue
                return "unknown_prediction_field" if gold is EMPTY else "duplicate_prediction_field"
            case[index] = TAKEN
            value = row.value
            base = index * WIDTH
            if value is None:
                counts[base + (_ABSTAINED_UNANSWERABLE if gold is None else _ABSTAINED_ANSWERABLE)] += 1
                continue
            if gold is None:
                column = base + _SPURIOUS
            elif type(value) is type(gold) and value == gold:
                column = base + _EXACT
            elif same_when_normalized(gold, value, self.field_types[index]):
                column = base + _NORMALIZED
            else:
                column = base + _WRONG
            chain = row.evidence_chain
            if chain and is_supported(row.field_id, row.normalized_fact_digest, chain):
                column += 1
            counts[column] += 1
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

    def tally(self) -> Tally:
        """The counts so far."""
        return Tally(
            {
                name: FieldTally(
                    self.field_types[index], tuple(self.counts[index * WIDTH : (index + 1) * WIDTH])
                )
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
        self.counts.extend([0] * WIDTH)
        return index

    def _place(self, case_id: str, case: Any, index: int, value: Scalar | Sentinel) -> bool:
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


def same_when_normalized(gold: Any, value: Any, field_type: AbstractionFieldType) -> bool:
    """Whether two values that are not the same to the letter are equal once normalized.

    ``gold`` is legal under ``field_type``.
    """
    if type(value) is str and type(gold) is str and field_type is not AbstractionFieldType.NUMBER:
        if value.isascii() and gold.isascii():
            return value.lower().split() == gold.lower().split()
    elif type(value) is int and type(gold) is int:
        return False
    left = normalize(value, field_type)
    return left is not None and left == normalize(gold, field_type)


def is_supported(field_id: str, fact: object, chain: AbstractionEvidenceChain | ChainRow) -> bool:
    """Same field, same fact, and at least one clinical source."""
    if chain.normalized_fact_digest != fact or chain.field_id != field_id:
        return False
    for place in chain.source_locations:  # noqa: SIM110 - a generator would double the cost of the usual one
        if place.kind is SourceKind.CLINICAL_RECORD:
            return True
    return False
