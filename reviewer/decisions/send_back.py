"""Return: a case goes back to its author, with the reason, and out of the queue of those who sign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reviewer.decisions.common import UNSIGNED, listed, refuse_mismatched
from reviewer.decisions.reasoned import Reasoned
from scoring.errors import ConflictError
from scoring.record import Kind, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scoring.cases import CaseRow
    from scoring.record import SignatureKeys, Snapshot


@dataclass(frozen=True, slots=True)
class Return(Reasoned):
    """Send one or several pending cases back to their author, all or none.

    The reason says what their author should do. The line stays as it is; a signature that has expired is
    taken off it. The author's next change of content brings the case back to the queue. Signed cases have
    to be withdrawn first.
    """

    kind = Kind.DEVUELVE

    def outcome(self, rows: Sequence[CaseRow], snapshot: Snapshot) -> Sequence[SignatureKeys | None]:
        """Each line as it is, or unsigned; refuses mismatched cases, signed and returned ones."""
        states = [snapshot.states[row.case.id] for row in rows]
        refuse_mismatched(states)
        signed = [state for state in states if state.status is Status.FIRMADO]
        if signed:
            raise ConflictError(
                "deciding.return_signed",
                n=len(signed),
                ids=listed([state.case_id for state in signed]),
                reviewer=signed[0].reviewer or "?",
            )
        returned = [state for state in states if state.status is Status.DEVUELTO]
        if returned:
            raise ConflictError(
                "deciding.already_returned",
                n=len(returned),
                ids=listed([state.case_id for state in returned]),
                why=returned[0].sentence(),
            )
        # One entry says one thing of all its lines, so one expired signature clears the keys of each.
        return [UNSIGNED if any(row.case.validado for row in rows) else None] * len(rows)
