"""Integer counts per field: all that a report needs, and all that leaves a shard.

Every row adds one to exactly one column of its field, so tallies of disjoint cases are joined by
adding, in any order. A tally is value-free: field ids, types and counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from scoring.abstraction.grammar import is_field_id
from scoring.abstraction.normalize import AbstractionFieldType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

COLUMNS: Final = (
    "gold_answerable",  # gold rows with an answer
    "gold_unanswerable",  # gold rows without
    "abstained_answerable",
    "abstained_unanswerable",
    "wrong",  # answered and answerable: neither exact nor normalized
    "wrong_supported",
    "normalized",  # equal once normalized, not to the letter
    "normalized_supported",
    "exact",
    "exact_supported",
    "spurious",  # answered where the chart says nothing
    "spurious_supported",
)
"""The columns of one field. The last eight come in pairs: without and with evidence support."""

WIDTH: Final = len(COLUMNS)

MAX_COUNT: Final = 1 << 53
"""Beyond it a count is no longer exact as a float, and intervals mean nothing."""

SCHEMA: Final = "revision-clinica.abstraction-tally.v1"


@dataclass(frozen=True, slots=True)
class FieldTally:
    """The counts of one field, in the order of :data:`COLUMNS`.

    Raises:
        ValueError: ``invalid_tally``: no counts, or more outputs than gold rows.
    """

    field_type: AbstractionFieldType
    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        if (
            type(self.field_type) is not AbstractionFieldType
            or type(self.counts) is not tuple
            or len(self.counts) != WIDTH
            or any(type(count) is not int or not 0 <= count <= MAX_COUNT for count in self.counts)
            or not _fits(self.counts)
        ):
            raise ValueError("invalid_tally")


def _fits(counts: tuple[int, ...]) -> bool:
    """Every output has its gold row: with an answer (columns 2 and 4 to 9) or without (3, 10 and 11)."""
    return counts[2] + sum(counts[4:10]) <= counts[0] and counts[3] + counts[10] + counts[11] <= counts[1]


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts of every field of a gold set, or of a part of it that holds whole cases."""

    fields: Mapping[str, FieldTally]

    def to_dict(self) -> dict[str, Any]:
        """JSON values: ``schema``, ``columns`` and, by field id, ``[type, counts]``."""
        return {
            "schema": SCHEMA,
            "columns": list(COLUMNS),
            "fields": {
                name: [tally.field_type.value, list(tally.counts)]
                for name, tally in sorted(self.fields.items())
            },
        }

    @classmethod
    def from_dict(cls, value: object) -> Tally:
        """The tally that :meth:`to_dict` wrote.

        Raises:
            ValueError: ``invalid_tally``.
        """
        fields = _read_fields(value)
        if fields is None:
            del value
            raise ValueError("invalid_tally")
        return cls(fields)


def merge(tallies: Iterable[Tally]) -> Tally:
    """The sum of tallies over disjoint sets of cases.

    That the cases are disjoint cannot be checked here; whoever splits, splits by case.

    Raises:
        ValueError: ``inconsistent_field_type``, two tallies give one field different types.
    """
    sums: dict[str, tuple[AbstractionFieldType, list[int]]] = {}
    for tally in tallies:
        for name, part in tally.fields.items():
            kind, counts = sums.setdefault(name, (part.field_type, [0] * WIDTH))
            if kind is not part.field_type:
                raise ValueError("inconsistent_field_type")
            for column, count in enumerate(part.counts):
                counts[column] += count
    return Tally({name: FieldTally(kind, tuple(counts)) for name, (kind, counts) in sums.items()})


def _read_fields(value: object) -> dict[str, FieldTally] | None:
    if not isinstance(value, dict) or value.get("schema") != SCHEMA or value.get("columns") != list(COLUMNS):
        return None
    fields = value.get("fields")
    if not isinstance(fields, dict):
        return None
    found: dict[str, FieldTally] = {}
    for name, pair in fields.items():
        if not is_field_id(name) or not isinstance(pair, list) or len(pair) != 2:
            return None
        kind, counts = pair
        try:
            found[name] = FieldTally(AbstractionFieldType(kind), tuple(counts))
        except (ValueError, TypeError):
            return None
    return found
