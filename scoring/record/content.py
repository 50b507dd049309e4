r"""The content of a case as one number: two lines have the same digest when they say the same.

«caso-v1» is fixed for ever, because signatures stand on it; ``docs/data.md`` defines it byte by byte.
Numbers are normalised on their text, never through a float: 24, 24.0 and 2.4e1 are one number,
9007199254740993 and 9007199254740992 are two, and 1e999999999 costs no more than 1.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any

from scoring.cases import SIGNATURE_KEYS
from scoring.jsonl import MAX_LINE_BYTES, kind_of
from scoring.strict_json import Number, StrictJSONError, loads

if TYPE_CHECKING:
    from collections.abc import Mapping

CONTENT_VERSION = "caso-v1"
_PREFIX = CONTENT_VERSION.encode("ascii") + b"\n"


# The same few hundred numbers stand in thousands of cases.
@lru_cache(maxsize=8192)
def number_text(token: str) -> str:
    """The one spelling of the decimal number that a JSON token stands for.

    ``0`` for every zero; else an optional ``-``, the digits without zeros at either end, ``e`` and
    the exponent of ten: ``24.50`` is ``245e-1``, ``2400`` is ``24e2``.
    """
    sign = "-" if token.startswith("-") else ""
    mantissa, _, power = token.removeprefix("-").lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return "0"
    kept = digits.rstrip("0")
    exponent = int(power or "0") - len(fraction) + len(digits) - len(kept)
    return f"{sign}{kept}e{exponent}"


def _write(value: Any, out: list[str]) -> None:
    # Number before str: a number token is a text that is not quoted.
    if isinstance(value, Number):
        out.append(number_text(value))
    elif isinstance(value, str):
        out.append(encode_basestring_ascii(value))
    elif value is None:
        out.append("null")
    elif isinstance(value, bool):
        out.append("true" if value else "false")
    elif isinstance(value, list):
        out.append("[")
        for index, item in enumerate(value):
            if index:
                out.append(",")
            _write(item, out)
        out.append("]")
    else:
        out.append("{")
        for index, key in enumerate(sorted(value)):
            if index:
                out.append(",")
            out.append(encode_basestring_ascii(key))
            out.append(":")
            _write(value[key], out)
        out.append("}")


def canonical(value: Mapping[str, Any]) -> bytes:
    """The ASCII text that is hashed, from an object read with ``loads(raw, exact_numbers=True)``."""
    out: list[str] = []
    _write({key: inner for key, inner in value.items() if key not in SIGNATURE_KEYS}, out)
    return "".join(out).encode("ascii")


def content_digest(raw: bytes) -> str:
    """Digest «caso-v1» of one line, in hexadecimal; the three signature keys do not enter it.

    Args:
        raw: the bytes of the line without its end and without a byte order mark.

    Raises:
        StrictJSONError: the line is not one JSON object, or two readers could read it differently.
    """
    if len(raw) > MAX_LINE_BYTES:
        raise StrictJSONError("line_too_long", size=len(raw), limit=MAX_LINE_BYTES)
    value = loads(raw, exact_numbers=True)
    if not isinstance(value, dict):
        raise StrictJSONError("not_an_object", found=kind_of(value))
    return value_digest(value)


def value_digest(value: Mapping[str, Any]) -> str:
    """Digest «caso-v1» (:func:`content_digest`) of an object read with ``loads(raw, exact_numbers=True)``."""
    return hashlib.sha256(_PREFIX + canonical(value)).hexdigest()


def reads_alike(one: bytes, other: bytes) -> bool:
    """Whether two lines say the same to whoever reads them: one content, and the same of its signature.

    Another order of keys, another spelling of a number, blanks, and a signature key that says nothing
    are no difference. A line that is not one JSON object reads like no other bytes than its own.
    """
    if one == other:
        return True
    try:
        said, again = (loads(raw, exact_numbers=True) for raw in (one, other))
    except StrictJSONError:
        return False
    if not isinstance(said, dict) or not isinstance(again, dict):
        return False
    return canonical(said) == canonical(again) and _claims(said) == _claims(again)


def _claims(value: Mapping[str, Any]) -> list[str]:
    """What a line says of its signature; false and null say what a missing key says."""
    out: list[str] = []
    _write({key: value[key] for key in SIGNATURE_KEYS if value.get(key)}, out)
    return out


def line_digest(raw: bytes) -> str:
    """SHA-256 of the bytes of a line without its end, in hexadecimal: same bytes, not only same content."""
    return hashlib.sha256(raw).hexdigest()
