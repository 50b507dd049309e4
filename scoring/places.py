"""Where each case of a data set stands and whose it is, in a few bytes each."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Place(NamedTuple):
    """Of one row: its line number, and the id and split of its case."""

    line: int
    case_id: str
    split: str


class Places(Sequence[Place]):
    """The places of all rows, in file order; each is made when somebody asks for it."""

    def __init__(self) -> None:
        self._lines = array("Q")
        self._ids: list[str] = []
        self._splits = bytearray()
        self._names: list[str] = []
        self._first: dict[str, int] = {}

    def append(self, line: int, case_id: str, split: str) -> str:
        """Take in the next row; answers with its id, as the one text that stands for all its equals."""
        if split not in self._names:
            self._names.append(split)
        row = len(self._ids)
        if case_id:
            first = self._first.setdefault(case_id, row)
            case_id = case_id if first == row else self._ids[first]
        self._lines.append(line)
        self._ids.append(case_id)
        self._splits.append(self._names.index(split))
        return case_id

    @property
    def first(self) -> Mapping[str, int]:
        """Each id that is not empty -> the row, from 0, that has it first; in file order."""
        return self._first

    def line_of(self, case_id: str) -> int | None:
        """The line that has this id first."""
        row = self._first.get(case_id)
        return None if row is None else self._lines[row]

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, index: int) -> Place: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Place]: ...
    def __getitem__(self, index: int | slice) -> Place | Sequence[Place]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        return Place(self._lines[index], self._ids[index], self._names[self._splits[index]])

    def __iter__(self) -> Iterator[Place]:
        for line, case_id, split in zip(self._lines, self._ids, self._splits, strict=True):
            yield Place(line, case_id, self._names[split])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Places | tuple):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment] # it grows
