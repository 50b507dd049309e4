"""Gold rows and output rows: values that check themselves and keep their content out of ``repr``.

The constructors drop their arguments before they raise, so that a traceback printed with local
variables shows neither a value nor a case id.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

from scoring.abstraction.evidence import AbstractionEvidenceChain
from scoring.abstraction.grammar import is_case_id, is_digest, is_field_id
from scoring.abstraction.normalize import AbstractionFieldType, Scalar, is_normalizable

_set: Final = object.__setattr__
_SCALARS: Final = frozenset({type(None), str, int, float, bool})


@dataclass(frozen=True, slots=True, init=False)
class ChartAbstractionGoldField:
    """What the chart says about one field of one case; ``value`` None: it says nothing.

    Args:
        case_id: 1 to 128 code points, private.
        field_id: name of the schema's field; the only identifier that reports show.
        field_type: a member of :class:`AbstractionFieldType`.
        value: text, int, float, bool or None, of exactly these types; private.

    Raises:
        ValueError: ``invalid_case_id``, ``invalid_field_id``, ``invalid_value``,
            ``invalid_field_type`` or ``invalid_gold_value`` (not normalizable under its type), the
            first that applies.
    """

    case_id: str = field(repr=False)
    field_id: str
    field_type: AbstractionFieldType
    value: Scalar = field(repr=False)

    def __init__(self, case_id: str, field_id: str, field_type: AbstractionFieldType, value: Scalar) -> None:
        code = _gold_refusal(case_id, field_id, field_type, value)
        if code is not None:
            del self, case_id, field_id, field_type, value
            raise ValueError(code)
        _set(self, "case_id", case_id)
        _set(self, "field_id", field_id)
        _set(self, "field_type", field_type)
        _set(self, "value", value)


@dataclass(frozen=True, slots=True, init=False)
class ChartAbstractionPrediction:
    """What the system under test answered; ``value`` None: it abstained.

    Args:
        case_id: as in the gold row; private.
        field_id: as in the gold row.
        value: as in the gold row, but free to be of another type than the field's.
        normalized_fact_digest: the producer's digest of the normalized fact, or None.
        evidence_chain: where the answer came from, or None.

    Raises:
        ValueError: ``invalid_case_id``, ``invalid_field_id``, ``invalid_value``,
            ``invalid_fact_digest`` or ``invalid_evidence_chain``, the first that applies.
    """

    case_id: str = field(repr=False)
    field_id: str
    value: Scalar = field(repr=False)
    normalized_fact_digest: str | None = field(default=None, repr=False)
    evidence_chain: AbstractionEvidenceChain | None = field(default=None, repr=False)

    def __init__(
        self,
        case_id: str,
        field_id: str,
        value: Scalar,
        normalized_fact_digest: str | None = None,
        evidence_chain: AbstractionEvidenceChain | None = None,
    ) -> None:
        code = _prediction_refusal(case_id, field_id, value, normalized_fact_digest, evidence_chain)
        if code is not None:
            del self, case_id, field_id, value, normalized_fact_digest, evidence_chain
            raise ValueError(code)
        _set(self, "case_id", case_id)
        _set(self, "field_id", field_id)
        _set(self, "value", value)
        _set(self, "normalized_fact_digest", normalized_fact_digest)
        _set(self, "evidence_chain", evidence_chain)


def is_scalar(value: object) -> bool:
    """None, or exactly text, int, bool or a finite float."""
    return type(value) in _SCALARS and (type(value) is not float or math.isfinite(value))


def _key_refusal(case_id: object, field_id: object, value: object) -> str | None:
    if not is_case_id(case_id):
        return "invalid_case_id"
    if not is_field_id(field_id):
        return "invalid_field_id"
    return None if is_scalar(value) else "invalid_value"


def _gold_refusal(case_id: object, field_id: object, field_type: object, value: Scalar) -> str | None:
    code = _key_refusal(case_id, field_id, value)
    if code is not None:
        return code
    if type(field_type) is not AbstractionFieldType:
        return "invalid_field_type"
    if value is not None and not is_normalizable(value, field_type):
        return "invalid_gold_value"
    return None


def _prediction_refusal(
    case_id: object, field_id: object, value: object, fact: object, chain: object
) -> str | None:
    code = _key_refusal(case_id, field_id, value)
    if code is not None:
        return code
    if fact is not None and not is_digest(fact):
        return "invalid_fact_digest"
    if chain is not None and type(chain) is not AbstractionEvidenceChain:
        return "invalid_evidence_chain"
    return None
