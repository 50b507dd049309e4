"""The states of a data set of any length: kept in a spool, each made again when somebody asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scoring.by_id import NumberById
from scoring.record.reviews import Stage
from scoring.record.states import CaseState, Status
from scoring.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator


_STATUS = {str(one): one for one in Status}
_STAGE = {str(one): one for one in Stage}


def packed(state: CaseState) -> list[Any]:
    """``state`` as values of JSON, in the order of its attributes; without the line as it was signed."""
    return [
        state.case_id,
        state.status,
        state.counts,
        state.reviewer,
        state.date,
        state.registered,
        state.reason,
        state.fields,
        state.entry,
        None,
        state.asked,
        state.reviews,
        state.stage,
        state.support,
    ]


def unpacked(case_id: str, values: list[Any], signed_text: str | None = None) -> CaseState:
    """The state that :func:`packed` was given.

    Args:
        case_id: stands for the id in it, which it equals.
        values: what was packed.
        signed_text: the line as it was signed, which is clinical text and was not packed.
    """
    values[0] = case_id
    values[1] = _STATUS[values[1]]
    values[9] = signed_text
    values[-2] = _STAGE[values[-2]]
    values[-1] = tuple(values[-1])
    return CaseState(*values)


class StoredStates(Mapping[str, CaseState]):
    """States by id, in the order of the file.

    Args:
        index: id -> its place in the data set.
        states: what to keep.

    Raises:
        WriteError: the disk refused it.
    """

    def __init__(self, index: Mapping[str, int], states: Iterable[CaseState]) -> None:
        self._spool = Spool()
        self._where = NumberById(index)
        self.mismatched: set[str] = set()
        """The cases about which record and data do not agree."""
        self._signed: dict[str, str] = {}  # the record holds these texts anyway
        for state in states:
            if state.signed_text is not None:
                self._signed[state.case_id] = state.signed_text
            if state.status is Status.DESCUADRADO:
                self.mismatched.add(state.case_id)
            self._where[state.case_id] = self._spool.put(packed(state))

    def __getitem__(self, case_id: str) -> CaseState:
        values = self._spool.get(self._where[case_id])
        return unpacked(case_id, values, self._signed.get(case_id))

    def __contains__(self, case_id: object) -> bool:
        return case_id in self._where

    def __iter__(self) -> Iterator[str]:
        return iter(self._where)

    def __len__(self) -> int:
        return len(self._where)


class _Changed(Mapping[str, CaseState]):
    """States as somebody else sees them, each changed when it is asked for."""

    def __init__(self, states: Mapping[str, CaseState], change: Callable[[CaseState], CaseState]) -> None:
        self._states = states
        self._change = change

    def __getitem__(self, case_id: str) -> CaseState:
        return self._change(self._states[case_id])

    def __iter__(self) -> Iterator[str]:
        return iter(self._states)

    def __len__(self) -> int:
        return len(self._states)


def changed_states(
    states: Mapping[str, CaseState], change: Callable[[CaseState], CaseState]
) -> Mapping[str, CaseState]:
    """``states``, each of them changed; at once where they are held, one by one where they are not."""
    if isinstance(states, StoredStates):
        return _Changed(states, change)
    return {case_id: change(state) for case_id, state in states.items()}


def may_mismatch(states: Mapping[str, CaseState]) -> Container[str]:
    """The cases about which record and data may disagree, told without reading stored states."""
    return states.mismatched if isinstance(states, StoredStates) else states
