"""Text made safe for a stream: what comes from a file is shown, never obeyed.

A control character could move the cursor, a bidi override could reverse a name, a zero-width space
could hide a difference. They are replaced by visible stand-ins; everything else stays as it is.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Cc: C0, DEL and C1. Cf: bidi, zero width, soft hyphen, BOM, tags. Zl/Zp: line and paragraph
# separators. Cs: lone surrogates, which no stream can encode. Co/Cn: no agreed meaning, often
# no glyph. Variation selectors and the Hangul fillers are invisible too.
_UNSAFE_CATEGORIES = frozenset({"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"})
_INVISIBLE = frozenset("\u115f\u1160\u3164\uffa0\u034f\u17b4\u17b5\u180b\u180c\u180d\u2800") | frozenset(
    chr(c) for c in range(0xFE00, 0xFE10)
)
# Combining marks pile up on one another and paint over the neighbouring lines.
_MAX_MARKS = 4
_FAST_SAFE = re.compile(r"[ -~¡-¬®-ͯͰ-ͷΑ-ΡΣ-ω–—‘’“”…•€₀-₉⁰-⁹⁻₂→≥≤]*\Z")
_STAND_IN = re.compile("‹U\\+[0-9A-F]{4,6}›|[\u2400-\u2421⏎]")


@lru_cache(maxsize=4096)
def _stand_in(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"‹U+{code:04X}›"


@lru_cache(maxsize=4096)
def _is_unsafe(char: str) -> bool:
    return unicodedata.category(char) in _UNSAFE_CATEGORIES or char in _INVISIBLE


def plain(value: str, *, multiline: bool = False) -> str:
    """``value`` with every control, bidi and invisible character replaced by a visible stand-in.

    Args:
        value: any text, lone surrogates included.
        multiline: keep line feeds (a carriage return before one is dropped) and turn tabs into
            spaces; otherwise they are shown as ``⏎`` and a blank.

    Returns:
        Text that holds no character of the categories Cc, Cf, Zl, Zp, Cs, Co or Cn except, with
        ``multiline``, the line feed.
    """
    if _FAST_SAFE.match(value) and not any(0x300 <= ord(c) < 0x370 for c in value):
        return value
    if multiline:
        value = value.replace("\r\n", "\n")
    out: list[str] = []
    marks = 0
    for char in value:
        if unicodedata.combining(char):
            marks += 1
            out.append(char if marks <= _MAX_MARKS else _stand_in(char))
            continue
        marks = 0
        if char == "\n":
            out.append("\n" if multiline else "⏎")
        elif char == "\t":
            out.append(" ")
        elif _is_unsafe(char):
            out.append(_stand_in(char))
        else:
            out.append(char)
    return "".join(out)


def has_stand_in(value: str) -> bool:
    """Some character of ``value`` was, or looks as if it had been, replaced by :func:`plain`."""
    return _STAND_IN.search(value) is not None
