"""What the gate keeps of cases that nobody holds: a spool of rows, each made again when it is asked for.

Ids, figures, states, digests and the parts of the data set go there; of clinical text only the keys of
findings and the reasons that people gave. The line as it was signed, which a state may have, does not.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

from scoring.by_id import NumberById
from scoring.clinical.entries import Entry
from scoring.clinical.language import Language
from scoring.clinical.report import RESERVED_SPLIT, set_aside
from scoring.clinical.rows import Row
from scoring.clinical.score import CaseScore
from scoring.record.stored_states import packed, unpacked
from scoring.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scoring.record import CaseState

Value = TypeVar("Value")

_LISTS = tuple(
    n for n, one in enumerate(fields(CaseScore)) if one.name in {"hallazgos_ausentes", "hallazgos_contrarios"}
)
_LANGUAGE = {str(one): one for one in Language}


class Traits(NamedTuple):
    """What decides in which lists of a report a case stands.

    Attributes:
        reserved: it is of the reserved split.
        counted: it counts.
        predicted: it has an output.
        undecided: the language of that cannot be told.
        aside: its signature is not valid (any more).
    """

    reserved: bool
    counted: bool
    predicted: bool
    undecided: bool
    aside: bool


TRAITS = tuple(Traits(*(bool(number >> bit & 1) for bit in range(5))) for number in range(32))
"""Each combination at its number."""


def traits_of(row: Row) -> int:
    """The number of the traits of ``row``."""
    return (
        (row.split == RESERVED_SPLIT)
        | row.counted << 1
        | row.predicted << 2
        | (row.score.idioma is Language.UNDECIDED) << 3
        | set_aside(row.state) << 4
    )


class StoredEntries(Mapping[str, Entry]):
    """Entries by id, in the order of the ids.

    Args:
        index: id -> its place in the data set.
    """

    def __init__(self, index: Mapping[str, int]) -> None:
        self._spool = Spool()
        self._where = NumberById(index)
        self._traits = NumberById(index)
        self._sorted: list[str] | None = None

    def __setitem__(self, case_id: str, entry: Entry) -> None:
        """Keep ``entry``, which was let go of its case; an earlier one stays where it was."""
        if case_id not in self._where:
            self._sorted = None
        self._where[case_id] = self._spool.put(_packed(entry))
        self._traits[case_id] = traits_of(entry.row)

    def __getitem__(self, case_id: str) -> Entry:
        return self.at(case_id, self._where[case_id])

    def at(self, case_id: str, place: int) -> Entry:
        """The entry that was put at ``place``."""
        return _unpacked(case_id, self._spool.get(place))

    def traits(self, case_id: str) -> Traits:
        """What is known of its row without reading it."""
        return TRAITS[self._traits[case_id]]

    def place(self, case_id: str) -> int:
        """Where the entry stands now."""
        return self._where[case_id]

    def __contains__(self, case_id: object) -> bool:
        return case_id in self._where

    def __iter__(self) -> Iterator[str]:
        if self._sorted is None:
            self._sorted = sorted(self._where)
        return iter(self._sorted)

    def __len__(self) -> int:
        return len(self._where)


class StoredList(Sequence[Value]):
    """Something of each of some stored entries, as they were when the list was made.

    Args:
        entries: where they are.
        ids: whose.
        make: what to show of an entry.
    """

    def __init__(self, entries: StoredEntries, ids: Iterable[str], make: Callable[[Entry], Value]) -> None:
        self._entries = entries
        self._make = make
        self.ids = tuple(ids)
        self._places = array("Q", map(entries.place, self.ids))

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, index: int) -> Value: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Value]: ...
    def __getitem__(self, index: int | slice) -> Value | Sequence[Value]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        return self._make(self._entries.at(self.ids[index], self._places[index]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StoredList | tuple):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment] # equal to a tuple, and no key of anything


def ids_of(rows: Sequence[Row]) -> Iterable[str]:
    """The ids of a list of rows; nothing is read for them."""
    return rows.ids if isinstance(rows, StoredList) else (row.case_id for row in rows)


def row_of(entry: Entry) -> Row:
    """The row of an entry."""
    return entry.row


def counted_row_of(entry: Entry) -> Row:
    """The row of an entry where every case counts."""
    return entry.row if entry.row.counted else replace(entry.row, counted=True)


def state_of(entry: Entry) -> CaseState:
    """The state of the signature of an entry."""
    return entry.row.state


def _packed(entry: Entry) -> list[Any]:
    row, score = entry.row, entry.row.score
    return [
        row.split,
        row.validado,
        row.counted,
        packed(row.state),
        row.predicted,
        [
            score.recall_diferenciales,
            score.cobertura_hallazgos,
            score.cobertura_por_texto,
            score.acierto_derivacion,
            score.acierto_fuera_de_alcance,
            score.idioma_es,
            score.violacion_seguridad,
            score.hallazgos_encontrados,
            score.hallazgos_esperados,
            score.hallazgos_ausentes,
            score.hallazgos_contrarios,
            score.hallazgos_citados,
            score.hallazgos_citados_esperados,
            score.derivacion_omitida,
            score.idioma,
        ],
        entry.synthetic,
        entry.signed_by,
        entry.content(),
        entry.slices(),
    ]


def _unpacked(case_id: str, values: list[Any]) -> Entry:
    split, validado, counted, state, predicted, score, synthetic, signed_by, digest, parts = values
    row = Row(case_id, split, validado, counted, unpacked(case_id, state), predicted, _score(score))
    found = Entry(row, synthetic, tuple(signed_by), None, None)
    found.known(digest, tuple(map(tuple, parts)))
    return found


def _score(values: list[Any]) -> CaseScore:
    for place in _LISTS:
        values[place] = tuple(values[place])
    values[-1] = _LANGUAGE[values[-1]]
    return CaseScore(*values)
