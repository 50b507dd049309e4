"""What the gate says without any case: figures and verdict, and what a signature would do to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.clinical.gate import MetricResult, Verdict


@dataclass(frozen=True, slots=True)
class Standing:
    """What the gate says of a split, without any case: worked out from the tally alone.

    Attributes:
        split: ``dev``, ``test`` or ``todos``.
        total: cases of the split.
        counted: how many of them count.
        aggregate: metric -> result, in report order.
        failures: one line per threshold that is not met.
        verdict: what the gate says.
        reason: stable name of why, or None for a pass.
    """

    split: str
    total: int
    counted: int
    aggregate: Mapping[str, MetricResult]
    failures: tuple[str, ...]
    verdict: Verdict
    reason: str | None


@dataclass(frozen=True, slots=True)
class SignPreview:
    """What signing one case would do.

    Attributes:
        case_id: the case.
        split: its split.
        counted_before: cases of that split that count now.
        counted_after: cases of that split that would count.
        before: the figures now; None for a case of the reserved split, of which only counts are told.
        after: the figures with the case counted; None likewise.
    """

    case_id: str
    split: str
    counted_before: int
    counted_after: int
    before: Standing | None
    after: Standing | None
