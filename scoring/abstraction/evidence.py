"""Where an answer came from: source locations and the evidence chain of one field.

Both are values that check themselves when made. Whatever they refuse is named by a code and a public
attribute; the constructors drop their arguments before they raise, so that a traceback printed with
local variables shows neither offsets nor digests.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from scoring.abstraction.canonical import digest
from scoring.abstraction.evidence_report import AbstractionEvidenceError
from scoring.abstraction.grammar import MAX_LOCATIONS, MAX_OFFSET, bounded, is_digest, is_field_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scoring.abstraction.evidence_report import Refusal

_set: Final = object.__setattr__


class SourceKind(str, Enum):  # noqa: UP042 - `str(member)` as in the compatible library
    """What a location points into."""

    CLINICAL_RECORD = "clinical_record"
    GENERATED_TEXT = "generated_text"


class TransformationKind(str, Enum):  # noqa: UP042 - `str(member)` as in the compatible library
    """What made the normalized fact out of its sources."""

    RULE = "rule"
    MODEL = "model"


class ReviewerState(str, Enum):  # noqa: UP042 - `str(member)` as in the compatible library
    """What a reviewer said about the chain."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, init=False)
class SourceLocation:
    """A span of one source document.

    Args:
        source_digest: digest of the document.
        start_offset: first character, from 0.
        end_offset: one past the last character; beyond ``start_offset``.
        kind: clinical record or generated text.

    Raises:
        AbstractionEvidenceError: ``invalid_digest``, ``invalid_offset``, ``invalid_span`` or
            ``invalid_source_kind``, with the attribute's name.
    """

    source_digest: str
    start_offset: int
    end_offset: int
    kind: SourceKind = SourceKind.CLINICAL_RECORD

    def __init__(
        self,
        source_digest: str,
        start_offset: int,
        end_offset: int,
        kind: SourceKind = SourceKind.CLINICAL_RECORD,
    ) -> None:
        refused = _location_refusal(source_digest, start_offset, end_offset, kind)
        if refused is not None:
            del self, source_digest, start_offset, end_offset, kind
            raise AbstractionEvidenceError(*refused)
        _set(self, "source_digest", source_digest)
        _set(self, "start_offset", start_offset)
        _set(self, "end_offset", end_offset)
        _set(self, "kind", kind)

    @property
    def location_digest(self) -> str:
        """Digest of the canonical JSON of :meth:`to_dict`."""
        return digest(self.to_dict())

    def to_dict(self) -> dict[str, str | int]:
        """The four attributes as JSON values."""
        return {
            "source_digest": self.source_digest,
            "start_offset": self.start_offset,
            "end_offset": self.end_offset,
            "kind": self.kind.value,
        }

    def sort_key(self) -> tuple[str, int, int, str]:
        """Digest, start, end, kind: the order of locations in a chain."""
        return self.source_digest, self.start_offset, self.end_offset, self.kind.value


@dataclass(frozen=True, slots=True, init=False)
class AbstractionEvidenceChain:
    """The provenance of one field: sources, the normalized fact made from them, and its review.

    Args:
        field_id: the field it speaks of.
        source_locations: any iterable of at most 1024 distinct locations; kept sorted. May be empty.
        normalized_fact_digest: the producer's digest of the fact.
        transformation_kind: rule or model.
        transformation_digest: digest of the rule or model.
        uncertainty: 0 to 1, kept as float.
        reviewer_state: pending, approved or rejected.

    Raises:
        AbstractionEvidenceError: with the attribute's name.
    """

    field_id: str
    source_locations: tuple[SourceLocation, ...] = field(repr=False)
    normalized_fact_digest: str
    transformation_kind: TransformationKind
    transformation_digest: str
    uncertainty: float
    reviewer_state: ReviewerState

    def __init__(
        self,
        field_id: str,
        source_locations: Iterable[SourceLocation],
        normalized_fact_digest: str,
        transformation_kind: TransformationKind,
        transformation_digest: str,
        uncertainty: float,
        reviewer_state: ReviewerState,
    ) -> None:
        refused: Refusal | None
        locations: tuple[SourceLocation, ...] = ()
        if not is_field_id(field_id):
            refused = "invalid_field_id", "field_id"
        else:
            locations, refused = _locations(source_locations)
        if refused is None:
            refused = _chain_refusal(
                normalized_fact_digest,
                transformation_kind,
                transformation_digest,
                uncertainty,
                reviewer_state,
            )
        if refused is not None:
            del self, field_id, source_locations, normalized_fact_digest, transformation_kind
            del transformation_digest, uncertainty, reviewer_state, locations
            raise AbstractionEvidenceError(*refused)
        _set(self, "field_id", field_id)
        _set(self, "source_locations", locations)
        _set(self, "normalized_fact_digest", normalized_fact_digest)
        _set(self, "transformation_kind", transformation_kind)
        _set(self, "transformation_digest", transformation_digest)
        _set(self, "uncertainty", float(uncertainty))
        _set(self, "reviewer_state", reviewer_state)

    @property
    def has_clinical_source(self) -> bool:
        """At least one location lies in a clinical record."""
        return any(place.kind is SourceKind.CLINICAL_RECORD for place in self.source_locations)

    @property
    def chain_digest(self) -> str:
        """Digest of the canonical JSON of :meth:`to_dict`."""
        return digest(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """The seven attributes as JSON values, locations in order."""
        return {
            "field_id": self.field_id,
            "source_locations": [place.to_dict() for place in self.source_locations],
            "normalized_fact_digest": self.normalized_fact_digest,
            "transformation_kind": self.transformation_kind.value,
            "transformation_digest": self.transformation_digest,
            "uncertainty": self.uncertainty,
            "reviewer_state": self.reviewer_state.value,
        }


def _location_refusal(source: object, start: object, end: object, kind: object) -> Refusal | None:
    if not is_digest(source):
        return "invalid_digest", "source_digest"
    if not is_offset(start):
        return "invalid_offset", "start_offset"
    if not is_offset(end):
        return "invalid_offset", "end_offset"
    if end <= start:  # type: ignore[operator]  # both are ints by now
        return "invalid_span", "end_offset"
    if type(kind) is not SourceKind:
        return "invalid_source_kind", "kind"
    return None


def is_offset(value: object) -> bool:
    """An ``int`` from 0 to 2**63 - 1."""
    return type(value) is int and 0 <= value <= MAX_OFFSET


def is_uncertainty(value: object) -> bool:
    """An ``int`` or ``float`` from 0 to 1; an int is compared before it is made a float."""
    return (type(value) is int and 0 <= value <= 1) or (
        type(value) is float and math.isfinite(value) and 0 <= value <= 1
    )


def _locations(items: Iterable[SourceLocation]) -> tuple[tuple[SourceLocation, ...], Refusal | None]:
    found, code = bounded(items, MAX_LOCATIONS)
    if found is None:
        return (), (str(code), "source_locations")
    if any(type(item) is not SourceLocation for item in found):
        return (), ("invalid_source", "source_locations")
    found.sort(key=SourceLocation.sort_key)
    if any(one == other for one, other in pairwise(found)):
        return (), ("duplicate_source", "source_locations")
    return tuple(found), None


def _chain_refusal(
    fact: object, kind: object, transformation: object, uncertainty: object, state: object
) -> Refusal | None:
    if not is_digest(fact):
        return "invalid_digest", "normalized_fact_digest"
    if type(kind) is not TransformationKind:
        return "invalid_transformation_kind", "transformation_kind"
    if not is_digest(transformation):
        return "invalid_digest", "transformation_digest"
    if not is_uncertainty(uncertainty):
        return "invalid_uncertainty", "uncertainty"
    if type(state) is not ReviewerState:
        return "invalid_reviewer_state", "reviewer_state"
    return None
