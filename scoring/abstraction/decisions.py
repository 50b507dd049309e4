"""The decision about every single row: private, for the people who may see it.

It is what the report is the sum of. It never enters the report; the command writes it only to a file
that its owner alone can read.
"""

from __future__ import annotations

import decimal
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from scoring.abstraction import strict
from scoring.abstraction.chunks import BLANKS, chunks, lines_of
from scoring.abstraction.join import has_clinical
from scoring.abstraction.normalize import AbstractionFieldType, Normal, Scalar, is_too_long, normalize
from scoring.abstraction.strict import Fault
from scoring.abstraction.wire import OutputReader, read_gold
from scoring.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

MISSING: Final = "missing"
ABSTAINED: Final = "abstained"
ANSWERED: Final = "answered"


@dataclass(frozen=True, slots=True)
class Decision:
    """One gold row and what its output came to.

    Attributes:
        case_id: private.
        field_id: the field.
        field_type: its type.
        state: ``missing``, ``abstained`` or ``answered``.
        gold: the gold value, private; None if the chart says nothing.
        output: the output value, private; None unless answered.
        agreement: ``exact``, ``normalized`` or ``none``; None unless answered and answerable.
        evidence: ``supported``, ``no_chain``, ``other_field``, ``other_fact`` or
            ``no_clinical_source``; None unless answered.
    """

    case_id: str = field(repr=False)
    field_id: str
    field_type: AbstractionFieldType
    state: str
    gold: Scalar = field(repr=False)
    output: Scalar = field(repr=False)
    agreement: str | None
    evidence: str | None

    @property
    def is_right(self) -> bool:
        """Equal once normalized, or silent where the chart is silent."""
        if self.gold is None:
            return self.state == ABSTAINED
        return self.agreement in {"exact", "normalized"}

    def to_dict(self) -> dict[str, Any]:
        """JSON values, with the normalized forms that were compared (None: there is none).

        An output that is an int of more than 4300 digits is told by ``output_too_long`` and null instead.
        """
        too_long = is_too_long(self.output)
        return {
            "case_id": self.case_id,
            "field_id": self.field_id,
            "field_type": self.field_type.value,
            "state": self.state,
            "gold": self.gold,
            "output": None if too_long else self.output,
            **({"output_too_long": True} if too_long else {}),
            "gold_normalized": shown_form(normalize(self.gold, self.field_type)),
            "output_normalized": shown_form(normalize(self.output, self.field_type)),
            "agreement": self.agreement,
            "evidence": self.evidence,
        }


def decide(case_id: str, field_id: str, kind: AbstractionFieldType, gold: Scalar, row: Any) -> Decision:
    """The decision about a gold row and its output row (None: there is none)."""
    if row is None:
        return Decision(case_id, field_id, kind, MISSING, gold, None, None, None)
    if row.value is None:
        return Decision(case_id, field_id, kind, ABSTAINED, gold, None, None, None)
    agreement: str | None = None
    if gold is not None:
        if type(gold) is type(row.value) and gold == row.value:
            agreement = "exact"
        else:
            form = normalize(row.value, kind)
            agreement = "normalized" if form is not None and form == normalize(gold, kind) else "none"
    return Decision(case_id, field_id, kind, ANSWERED, gold, row.value, agreement, _evidence(row))


def decisions(gold: Path, outputs: Path) -> Iterator[Decision]:
    """Every decision: first those with an output, in the order of the outputs, then the missing ones.

    The files must have been scored without problems before.

    Raises:
        UsageError: a file cannot be read.
        DataError: a file is no longer what it was when it was scored.
    """
    waiting: dict[tuple[str, str], tuple[AbstractionFieldType, Scalar]] = {}
    for row in _rows(gold, read_gold, strict.gold_row):
        waiting[row.case_id, row.field_id] = row.field_type, row.value
    for row in _rows(outputs, OutputReader().read, strict.output_row):
        found = waiting.pop((row.case_id, row.field_id), None)
        if found is None:
            del row, waiting
            raise DataError("abstraction.changed_meanwhile")
        yield decide(row.case_id, row.field_id, *found, row)
    for (case_id, field_id), (kind, value) in waiting.items():
        yield decide(case_id, field_id, kind, value, None)


def shown_form(form: Normal) -> str | bool | None:
    """A normalized form as JSON: a number as ``<digits>e<exponent>`` without trailing zeros."""
    if not isinstance(form, decimal.Decimal):
        return form
    sign, digits, exponent = form.as_tuple()
    written = "".join(map(str, digits)).lstrip("0")
    kept = written.rstrip("0")
    if not kept or not isinstance(exponent, int):
        return "0"
    exponent += len(written) - len(kept)
    return f"{'-' if sign else ''}{kept}{f'e{exponent}' if exponent else ''}"


def _evidence(row: Any) -> str:
    chain = row.evidence_chain
    if not chain:
        return "no_chain"
    if chain.field_id != row.field_id:
        return "other_field"
    if chain.normalized_fact_digest != row.normalized_fact_digest:
        return "other_fact"
    return "supported" if has_clinical(chain.source_locations) else "no_clinical_source"


def _rows(
    path: Path, read: Callable[[bytes, int], list[Any] | None], read_line: Callable[[bytes], Any]
) -> Iterator[Any]:
    for chunk in chunks(path):
        rows = read(chunk.data, chunk.lines)
        if rows is None:
            rows = [read_line(line) for line in lines_of(chunk.data) if line.strip(BLANKS)]
            if any(isinstance(row, Fault) for row in rows):
                del rows, chunk
                raise DataError("abstraction.changed_meanwhile")
        yield from rows
