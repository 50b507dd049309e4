"""Canonical JSON and the digest over it: equal content, equal bytes.

Keys sorted by code point, no blanks, ASCII only, floats in their shortest round-trip form. (orjson is
faster, but writes ``1e-6`` where this form has ``1e-06``.)
"""

from __future__ import annotations

import hashlib
import json


def canonical_json(value: object) -> str:
    """``value`` (plain dicts, lists, text, ints, finite floats, bools, None) as canonical JSON."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def digest(value: object) -> str:
    """``sha256:`` and the hexadecimal SHA-256 of the canonical JSON of ``value``."""
    return "sha256:" + hashlib.sha256(canonical_json(value).encode("ascii")).hexdigest()
