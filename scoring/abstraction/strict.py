"""One JSONL line at a time, slowly, with the exact code of what is wrong with it.

What JSON readers take differently is decided here: integers keep all their digits, ``1`` and ``1.0``
stay apart, ``NaN`` and ``1e400`` are numbers that are not finite (so they get the code of the attribute
they stand in), a repeated key, an unknown key or half a surrogate pair is refused.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from scoring.abstraction.evidence import (
    AbstractionEvidenceChain,
    ReviewerState,
    SourceKind,
    SourceLocation,
    TransformationKind,
)
from scoring.abstraction.evidence_report import AbstractionEvidenceError, AbstractionEvidenceIssue
from scoring.abstraction.grammar import is_case_id, is_field_id
from scoring.abstraction.normalize import MAX_INT_DIGITS, AbstractionFieldType
from scoring.abstraction.rows import ChartAbstractionGoldField, ChartAbstractionPrediction

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from enum import Enum

MAX_LINE_BYTES: Final = 1 << 20
_TOO_LARGE: Final[int] = 10**MAX_INT_DIGITS
GOLD_KEYS: Final = ("case_id", "field_id", "field_type", "value")
OUTPUT_KEYS: Final = ("case_id", "field_id", "value")
OUTPUT_OPTIONAL: Final = ("normalized_fact_digest", "evidence_chain")
CHAIN_KEYS: Final = (
    "field_id",
    "source_locations",
    "normalized_fact_digest",
    "transformation_kind",
    "transformation_digest",
    "uncertainty",
    "reviewer_state",
)
LOCATION_KEYS: Final = ("source_digest", "start_offset", "end_offset")
LOCATION_OPTIONAL: Final = ("kind",)
ISSUE_KEYS: Final = ("code", "field_id")


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a line was refused: a code and, where there is one, the public name of the attribute.

    ``key`` holds case id and field id when both could be read; it is private and never shown.
    """

    code: str
    attribute: str | None = None
    key: tuple[str, str] | None = None

    def __repr__(self) -> str:
        return f"Fault(code={self.code!r}, attribute={self.attribute!r})"


Row = TypeVar("Row")


class _RefusedError(Exception):
    """Carries a fault up to the function that answers with it; never leaves this module."""

    def __init__(self, code: str, attribute: str | None = None) -> None:
        super().__init__(code)
        self.fault = Fault(code, attribute)


def gold_row(raw: bytes) -> ChartAbstractionGoldField | Fault:
    """The gold row of one line without its line end."""
    return _answer(_gold, raw)


def output_row(raw: bytes) -> ChartAbstractionPrediction | Fault:
    """The output row of one line without its line end."""
    return _answer(_output, raw)


def evidence_chain(raw: bytes) -> AbstractionEvidenceChain | Fault:
    """The evidence chain of one line without its line end."""
    return _answer(_chain, raw)


def issue_row(raw: bytes) -> AbstractionEvidenceIssue | Fault:
    """A producer's issue (``code``, ``field_id``) of one line without its line end."""
    return _answer(_issue, raw)


def _answer(build: Callable[[dict[str, Any]], Row], raw: bytes) -> Row | Fault:
    value: dict[str, Any] = {}
    try:
        value = _parse(raw)
        return build(value)
    except _RefusedError as refused:
        fault = refused.fault
    except AbstractionEvidenceError as error:
        fault = Fault(error.code, error.field_name)
    except ValueError as error:
        fault = Fault(str(error))
    case_id, field_id = value.get("case_id"), value.get("field_id")
    if is_case_id(case_id) and is_field_id(field_id):
        return Fault(fault.code, fault.attribute, (str(case_id), str(field_id)))
    return fault


def _parse(raw: bytes) -> dict[str, Any]:
    if len(raw) > MAX_LINE_BYTES:
        raise _RefusedError("line_too_long")
    try:
        value = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_constant=float,
        )
    except UnicodeDecodeError:
        raise _RefusedError("not_utf8") from None
    except RecursionError:
        raise _RefusedError("too_deep") from None
    except ValueError:
        raise _RefusedError("invalid_json") from None
    if not isinstance(value, dict):
        raise _RefusedError("not_an_object")
    if b"\\u" in raw:
        _refuse_lone_surrogates(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _RefusedError("duplicate_key")
    return found


def _integer(token: str) -> int:
    digits = token.removeprefix("-")
    if len(digits) > MAX_INT_DIGITS:
        # Whatever it is, it is not normalizable and equals no legal gold value; converting it would
        # take time that grows with the square of its length.
        return -_TOO_LARGE if token != digits else _TOO_LARGE
    return int(token)


def _refuse_lone_surrogates(value: dict[str, Any]) -> None:
    stack: list[Any] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            if not item.isascii() and any("\ud800" <= char <= "\udfff" for char in item):
                raise _RefusedError("lone_surrogate")
        elif isinstance(item, dict):
            stack.extend(item)
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)


def _require(value: dict[str, Any], required: Sequence[str], optional: Sequence[str] = ()) -> None:
    for name in required:
        if name not in value:
            raise _RefusedError("missing_key", name)
    if len(value) > len(required) and not value.keys() <= {*required, *optional}:
        raise _RefusedError("unknown_key")


def _label(kind: type[Enum], value: Any) -> Any:
    """The member of that label; anything else as it is, for the row to refuse in its turn."""
    if isinstance(value, str):
        for member in kind:
            if member.value == value:
                return member
    return value


def _gold(value: dict[str, Any]) -> ChartAbstractionGoldField:
    _require(value, GOLD_KEYS)
    return ChartAbstractionGoldField(
        value["case_id"],
        value["field_id"],
        _label(AbstractionFieldType, value["field_type"]),
        value["value"],
    )


def _output(value: dict[str, Any]) -> ChartAbstractionPrediction:
    _require(value, OUTPUT_KEYS, OUTPUT_OPTIONAL)
    chain = value.get("evidence_chain")
    return ChartAbstractionPrediction(
        value["case_id"],
        value["field_id"],
        value["value"],
        value.get("normalized_fact_digest"),
        _chain(chain) if isinstance(chain, dict) else chain,
    )


def _chain(value: dict[str, Any]) -> AbstractionEvidenceChain:
    _require(value, CHAIN_KEYS)
    places = value["source_locations"]
    if isinstance(places, list):
        places = [_location(place) for place in places]
    return AbstractionEvidenceChain(
        value["field_id"],
        places,
        value["normalized_fact_digest"],
        _label(TransformationKind, value["transformation_kind"]),
        value["transformation_digest"],
        value["uncertainty"],
        _label(ReviewerState, value["reviewer_state"]),
    )


def _location(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    _require(value, LOCATION_KEYS, LOCATION_OPTIONAL)
    return SourceLocation(
        value["source_digest"],
        value["start_offset"],
        value["end_offset"],
        _label(SourceKind, value.get("kind", SourceKind.CLINICAL_RECORD.value)),
    )


def _issue(value: dict[str, Any]) -> AbstractionEvidenceIssue:
    _require(value, ISSUE_KEYS)
    return AbstractionEvidenceIssue(value["code"], value["field_id"])
