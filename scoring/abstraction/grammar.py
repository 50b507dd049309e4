"""The closed forms of names, digests and bounds that every part of the abstraction scorer shares.

Everything here answers with a bool or a code and never raises: an exception born inside a helper would
carry that helper's frame, and with it a private value, out of the package.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_CASE_ID: Final = 128
"""Code points of a case id."""

MAX_ITEMS: Final = 50_000_000
"""Rows of one scoring input, unless the caller sets another bound."""

MAX_LOCATIONS: Final = 1024
"""Source locations of one chain."""

MAX_COLLECTION: Final = 10_000
"""Chains, producer issues or required field ids of one finalization."""

MAX_OFFSET: Final = 2**63 - 1

_FIELD_ID: Final = re.compile(r"[a-z][a-z0-9_]{0,63}(?:\.[a-z][a-z0-9_]{0,63}){0,7}")
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")

T = TypeVar("T")


def is_case_id(value: object) -> bool:
    """A ``str`` of 1 to 128 code points, whatever they are."""
    return type(value) is str and 0 < len(value) <= MAX_CASE_ID


def is_field_id(value: object) -> bool:
    """One to eight lower-case segments joined by dots; the only identifiers a report shows."""
    return type(value) is str and _FIELD_ID.fullmatch(value) is not None


def is_digest(value: object) -> bool:
    """``sha256:`` and 64 lower-case hexadecimal digits."""
    return type(value) is str and len(value) == 71 and _DIGEST.fullmatch(value) is not None


def bounded(items: Iterable[T], limit: int) -> tuple[list[T], None] | tuple[None, str]:
    """Read ``items`` whole, or say why not.

    Returns:
        ``(list, None)``, or ``(None, code)`` with ``invalid_collection`` (not iterable, a text, a
        mapping, or it failed while being read) or ``too_many_items`` (reading stops right there).
    """
    if isinstance(items, str | bytes | bytearray) or _is_mapping(items):
        return None, "invalid_collection"
    found: list[T] = []
    code: str | None = None
    try:
        for item in items:
            if len(found) >= limit:
                code = "too_many_items"
                break
            found.append(item)
    except Exception:  # noqa: BLE001 - whatever the caller's iterator raises stays inside
        code = "invalid_collection"
    return (found, None) if code is None else (None, code)


def _is_mapping(value: Any) -> bool:
    from collections.abc import Mapping

    return isinstance(value, Mapping)
