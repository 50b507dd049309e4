"""Reading the recorded cases of ``../shared``, for the tests that use them when they are there."""

from __future__ import annotations

import json
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

RECORDED = Path(__file__).resolve().parents[2] / "../shared/real/abstraction_cases.jsonl"
needs_recorded = pytest.mark.skipif(not RECORDED.exists(), reason="the recorded cases are not here")


class StrSubclass(str):
    """A text that is not exactly a ``str``."""

    __slots__ = ()


_OBJECTS: dict[str, Any] = {
    "list": ["x"],
    "dict": {"x": 1},
    "bytes": b"x",
    "tuple": ("x",),
    "decimal": Decimal(1),
    "complex": 1j,
    "set": {"x"},
    "object": object(),
    "str_subclass": StrSubclass("x"),
}


class NotInJsonError(Exception):
    """The case holds something a JSONL file cannot say."""


def recorded(operation: str) -> list[dict[str, Any]]:
    """The recorded cases of one operation; nothing when they are not here."""
    if not RECORDED.exists():
        return []
    with RECORDED.open(encoding="utf-8") as stream:
        return [case for case in map(json.loads, stream) if case["op"] == operation]


def decoded(value: Any, *, json_only: bool = False) -> Any:
    """``value`` with the stand-ins of the recorded format replaced by what they stand for."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    ((kind, inner),) = value.items()
    if kind == "$int":
        return int(inner)
    if kind == "$pow10":
        return 10**inner
    if kind == "$float":
        return float(inner)
    if kind == "$repeat":
        return inner[0] + inner[1] * inner[2]
    if kind == "$py":
        if json_only and inner not in {"list", "dict"}:
            raise NotInJsonError
        return _OBJECTS[inner]
    return value


def deep(value: Any) -> Any:
    """A row of the recorded format as the JSON value a file would hold."""
    if isinstance(value, dict):
        plain = decoded(value, json_only=True)
        if plain is not value:
            return plain
        return {key: deep(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [deep(inner) for inner in value]
    return value


def dump(value: Any) -> str:
    """One JSON line; ints of any length and NaN as the standard writer spells them."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return json.dumps(value)
    finally:
        sys.set_int_max_str_digits(limit)
