"""Numbers by case id without a dictionary for each table: all of them share one index of the ids."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class NumberById(Mapping[str, int]):
    """Case id -> a number from 0; eight bytes are held for each id of the index.

    Args:
        index: id -> its own place from 0, with no place twice. Ids it does not have are kept apart.
    """

    def __init__(self, index: Mapping[str, int]) -> None:
        self._index = index
        self._numbers = array("Q")  # each one more than the number, so that 0 says there is none
        self._others: dict[str, int] = {}
        self._count = 0

    def __setitem__(self, case_id: str, number: int) -> None:
        place = self._index.get(case_id)
        if place is None:
            self._others[case_id] = number
            return
        missing = place + 1 - len(self._numbers)
        if missing > 0:
            self._numbers.frombytes(bytes(8 * missing))
        self._count += not self._numbers[place]
        self._numbers[place] = number + 1

    def __getitem__(self, case_id: str) -> int:
        place = self._index.get(case_id)
        if place is None:
            return self._others[case_id]
        if place >= len(self._numbers) or not self._numbers[place]:
            raise KeyError(case_id)
        return self._numbers[place] - 1

    def __contains__(self, case_id: object) -> bool:
        place = self._index.get(case_id) if isinstance(case_id, str) else None
        if place is None:
            return case_id in self._others
        return place < len(self._numbers) and self._numbers[place] > 0

    def __iter__(self) -> Iterator[str]:
        """The ids of the index in its order, then the others."""
        for case_id, place in self._index.items():
            if place < len(self._numbers) and self._numbers[place]:
                yield case_id
        yield from self._others

    def __len__(self) -> int:
        return self._count + len(self._others)
