"""What a decision asks of the store: the lines to change and what to write about it in the record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from scoring.record import Kind, SignatureKeys, Snapshot
    from scoring.record.opinion import Opinion


Signer = Callable[[bytes], str]
"""Makes the armoured SSH signature of a record line, or raises a named error."""


@dataclass(frozen=True, slots=True)
class LineChange:
    """One data line: the bytes it must still have and those it gets (no line ends); a review's opinion."""

    case_id: str
    before: bytes
    after: bytes
    opinion: Opinion | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """One transaction before it is written.

    Attributes:
        kind: what it does.
        changes: the cases it concerns, in file order.
        writes: the signature keys it sets in each of their lines, or None.
        reviewer, role, meaning, reason, way: for the record.
        moment: aware local time.
        signer: signs the record line with the reviewer's key; None for a signature by name.
    """

    kind: Kind
    changes: tuple[LineChange, ...]
    writes: SignatureKeys | None
    reviewer: str
    moment: datetime
    way: str
    role: str | None = None
    meaning: str | None = None
    reason: str | None = None
    signer: Signer | None = field(default=None, repr=False, compare=False)


class Decision(Protocol):
    """What a person decided; it knows its own rules."""

    def plan(self, snapshot: Snapshot, expected: Mapping[str, bytes], moment: datetime) -> Plan:
        """The plan on ``snapshot``, or the named error that says why not.

        Args:
            snapshot: the data set as it is now.
            expected: id -> line that the person read; one that says something else there is a conflict.
            moment: aware local time of the decision.
        """
        ...
