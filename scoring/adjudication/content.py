"""The digests a decision is made on: of what a row or a chain says, whatever way its line is written.

Key order, blanks and spelled-out defaults do not make another row; ``1`` and ``1.0`` do, as in the scorer.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final

from scoring.abstraction.canonical import canonical_json
from scoring.abstraction.evidence import AbstractionEvidenceChain, ReviewerState
from scoring.abstraction.normalize import is_too_long

if TYPE_CHECKING:
    from scoring.abstraction.rows import ChartAbstractionGoldField, ChartAbstractionPrediction

_VERSION: Final = "fila-v1\n"


def gold_digest(row: ChartAbstractionGoldField) -> str:
    """Hexadecimal SHA-256 of a gold row's content."""
    return _digest(
        {
            "case_id": row.case_id,
            "field_id": row.field_id,
            "field_type": row.field_type.value,
            "value": row.value,
        }
    )


def output_digest(row: ChartAbstractionPrediction, raw: bytes) -> str:
    """Hexadecimal SHA-256 of an output row's content, its evidence included.

    Args:
        row: as read.
        raw: its line, which stands in for an integer that is too long to be written out.
    """
    chain = row.evidence_chain
    return _digest(
        {
            "case_id": row.case_id,
            "field_id": row.field_id,
            "value": {"line": hashlib.sha256(raw).hexdigest()} if is_too_long(row.value) else row.value,
            "normalized_fact_digest": row.normalized_fact_digest,
            "evidence_chain": None if chain is None else chain.to_dict(),
        }
    )


def chain_digest(chain: AbstractionEvidenceChain) -> str:
    """Hexadecimal digest of a chain without its review state, which is what the review decides."""
    return with_state(chain, ReviewerState.PENDING).chain_digest.removeprefix("sha256:")


def with_state(chain: AbstractionEvidenceChain, state: ReviewerState) -> AbstractionEvidenceChain:
    """The same chain in another review state."""
    return AbstractionEvidenceChain(
        chain.field_id,
        chain.source_locations,
        chain.normalized_fact_digest,
        chain.transformation_kind,
        chain.transformation_digest,
        chain.uncertainty,
        state,
    )


def _digest(value: dict[str, Any]) -> str:
    return hashlib.sha256((_VERSION + canonical_json(value)).encode("ascii")).hexdigest()
