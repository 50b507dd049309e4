"""What the gate keeps of a case once it is scored: its row, its parts, the digest of its content."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from scoring.cases import Case, CaseFile, parse_case, require_valid
from scoring.clinical.slices import parts_of
from scoring.errors import DataError
from scoring.problems import Problem
from scoring.record import CaseState, Status, content_digest
from scoring.stored_cases import StoredCaseRows
from scoring.strict_json import StrictJSONError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from scoring.clinical.rows import Row


@lru_cache(maxsize=1024)
def _shared(parts: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """``parts``, as one value for all the cases that have the same."""
    return parts


@dataclass(slots=True)
class Entry:
    """One case with its row, counted as its state says.

    Attributes:
        row: the scored case.
        synthetic: its line says that its data were invented.
        signed_by: reviewer and date as its line has them.
        case: the case, as long as parts or digest may still be worked out from it; else None.
        raw: the bytes of its line, likewise, where there is one.
    """

    row: Row
    synthetic: bool
    signed_by: tuple[str | None, str | None]
    case: Case | None
    raw: bytes | None
    _digest: str | None = None
    _parts: tuple[tuple[str, str], ...] | None = None

    def slices(self) -> tuple[tuple[str, str], ...]:
        """The parts of the data set that the case belongs to, worked out once."""
        if self._parts is None and self.case is not None:
            self._parts = _shared(parts_of(self.case))
        return self._parts or ()

    def content(self) -> str:
        """The digest of the content, worked out once.

        Raises:
            DataError: a case made by hand that no file could hold.
        """
        if self._digest is None and self.case is not None:
            try:
                raw = self.raw if self.raw is not None else json.dumps(self.case.raw).encode()
                self._digest = content_digest(raw)
            except StrictJSONError as error:
                fault = Problem(f"json.{error.code}", case_id=self.case.id, fields=error.fields)
                raise DataError(
                    "clinical.not_scorable", problems=[fault], sentence=fault.sentence()
                ) from None
        return self._digest or ""

    def known(self, digest: str, parts: tuple[tuple[str, str], ...]) -> None:
        """Take over what was worked out of the case before."""
        self._digest, self._parts = digest, parts

    def let_go(self) -> None:
        """Work out what is needed of the case, and hold it no longer."""
        self.slices()
        self.content()
        self.case = self.raw = None


def state_from_data(case: Case) -> CaseState:
    """The state of a case where there is no record: its own line is all there is to go by."""
    signed = case.validado and bool((case.revisor or "").strip())
    status = Status.FIRMADO if signed else Status.PENDIENTE
    if signed:
        reason = "record.signed_unregistered"
    else:
        reason = "record.signed_by_nobody" if case.validado else "record.pending"
    return CaseState(
        case.id,
        status,
        counts=signed,
        reviewer=case.revisor,
        date=case.fecha_validacion,
        registered=False,
        reason=reason,
        fields={"reviewer": case.revisor or "", "date": case.fecha_validacion or ""},
    )


def is_stored(casos: CaseFile | Iterable[Case | Mapping[str, Any]]) -> bool:
    """The cases are read from a file one by one, and none is to be held."""
    return isinstance(casos, CaseFile) and isinstance(casos.rows, StoredCaseRows)


def checked_cases(
    casos: CaseFile | Iterable[Case | Mapping[str, Any]],
) -> Iterator[tuple[Case, bytes | None]]:
    """The cases with the bytes of their line where there is one.

    Raises:
        DataError: the data set has problems, repeated ids included.
    """
    if isinstance(casos, CaseFile):
        require_valid(casos)
        yield from ((row.case, row.row.line.raw) for row in casos.rows)
        return
    found: dict[str, Case] = {}
    problems: list[Problem] = []
    for item in casos:
        case, faults = (item, ()) if isinstance(item, Case) else parse_case(item)
        problems += faults
        if case.id in found:
            raise DataError("clinical.repeated_case", found=case.id)
        found[case.id] = case
    if problems:
        raise DataError("clinical.not_scorable", problems=problems, sentence=problems[0].sentence())
    yield from ((case, None) for case in found.values())
