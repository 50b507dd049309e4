"""One measured value, from whatever the data hold to the number the engine works with.

A text is read as its longest leading decimal number and the rest is left aside, because that is how
the values of the data set have always been understood; what was left aside is kept, so that it can be
told. Nothing here guesses: a decimal comma ends the number.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from scoring import jsonl
from scoring.plain import plain

Number: TypeAlias = int | float
Kind = Literal["absent", "number", "text", "unreadable", "not_a_number", "wrong_type"]

# The white space of ECMAScript, where this way of reading numbers comes from: it differs from
# str.isspace() in U+FEFF (blank) and in U+001C..U+001F and U+0085 (not blank).
BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_LEADING = re.compile(r"[+-]?(?:Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
_WHOLE = re.compile(r"[+-]?[0-9]{1,15}")  # every such number is an exact double
_EXCERPT = 40


@dataclass(frozen=True, slots=True)
class Reading:
    """What one raw value was read as.

    Attributes:
        kind: ``absent`` (null, nothing or blanks), ``number`` (a JSON number), ``text`` (a text that
            begins with a number), ``unreadable`` (a text that does not), ``not_a_number`` (NaN) or
            ``wrong_type`` (true/false, a list, an object, anything else).
        value: the number, or None for every kind but ``number`` and ``text``; infinite on overflow.
        rest: of a ``text``, what followed the number, without the blanks around it.
    """

    kind: Kind
    value: Number | None = None
    rest: str = ""


def read(raw: object) -> Reading:
    """Read one raw value; never fails, whatever it is given."""
    if raw is None:
        return Reading("absent")
    if isinstance(raw, bool):
        return Reading("wrong_type")
    if isinstance(raw, int):
        double = as_double(raw)
        return Reading("number", raw if math.isfinite(double) else double)
    if isinstance(raw, float):
        return Reading("not_a_number") if math.isnan(raw) else Reading("number", raw)
    if isinstance(raw, str):
        return _read_text(raw)
    return Reading("wrong_type")


def _read_text(raw: str) -> Reading:
    content = raw.strip(BLANKS)
    if not content:
        return Reading("absent")
    match = _LEADING.match(content)
    if match is None:
        return Reading("unreadable")
    token = match[0]
    value: Number = int(token) if _WHOLE.fullmatch(token) else float(token)
    return Reading("text", value, content[match.end() :].lstrip(BLANKS))


def whole_number(raw: str) -> Number | None:
    """The number ``raw`` is, blanks around it apart, or None when it is anything more or less."""
    reading = _read_text(raw)
    return reading.value if not reading.rest else None


def as_double(value: Number) -> float:
    """``value`` as an IEEE double; an integer beyond its reach becomes infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def shown(value: Number) -> str:
    """``value`` for a sentence: the shortest spelling that reads back the same, ``60`` and not ``60.0``."""
    double = as_double(value)
    if math.isinf(double):
        return "∞" if double > 0 else "-∞"
    if abs(double) < 1e15 and double == int(double):
        return str(int(double))
    return repr(double)


def excerpt(raw: object) -> str:
    """What the data held, for a sentence: one line, safe to show, cut after 40 characters.

    Lists, objects and true/false are named by their kind; their content is not copied.
    """
    if isinstance(raw, str):
        visible = plain(raw[:_EXCERPT])
        whole = len(raw) <= _EXCERPT and len(visible) <= 2 * _EXCERPT
        return visible if whole else visible[: 2 * _EXCERPT] + "…"
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        return shown(raw)
    return jsonl.kind_of(raw)
