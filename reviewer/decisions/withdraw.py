"""Withdraw: a signature no longer stands, and the record keeps it readable beside the reason."""

from __future__ import annotations

from dataclasses import dataclass, field
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
class Withdraw(Reasoned):
    """Withdraw the signatures of one or several cases, all or none.

    A signature that no longer counts (expired, or of nobody) can be withdrawn too, and so can that of a
    case with problems: only what the line claims has to go. Reviews that were not signed yet go with it.
    Who withdraws need not be who signed.

    Attributes:
        settles: also cases about which record and data contradict one another, whatever they claim.
    """

    settles: bool = field(default=False, kw_only=True)

    kind = Kind.RETIRA

    def outcome(self, rows: Sequence[CaseRow], snapshot: Snapshot) -> Sequence[SignatureKeys]:
        """No signature; refuses cases that have none, and mismatched ones unless it settles them."""
        states = [snapshot.states[row.case.id] for row in rows]
        if not self.settles:
            refuse_mismatched(states)
        without = [
            state
            for row, state in zip(rows, states, strict=True)
            if not row.case.validado and not state.reviews and state.status is not Status.DESCUADRADO
        ]
        if without:
            raise ConflictError(
                "deciding.nothing_to_withdraw",
                n=len(without),
                ids=listed([state.case_id for state in without]),
                why=without[0].sentence(),
            )
        return [UNSIGNED] * len(rows)
