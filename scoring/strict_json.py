"""JSON read strictly: what two readers could understand differently is refused, not guessed.

Refused: bytes that are not UTF-8, duplicate keys at any depth, NaN and Infinity, lone surrogates,
number tokens beyond 100 characters, nesting beyond 64. (orjson keeps the last duplicate and rounds
large integers; the standard reader accepts NaN.)
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

from scoring import messages

MAX_NUMBER_CHARACTERS = 100
MAX_DEPTH = 64


class StrictJSONError(ValueError):
    """Why a text is not acceptable.

    Attributes:
        code: stable name of the fault, also the catalogue key ``json.<code>``.
        column: 1-based character column where it was seen, or None.
        fields: what the sentence names.
    """

    def __init__(self, code: str, *, column: int | None = None, **fields: object) -> None:
        super().__init__(code)
        self.code = code
        self.column = column
        self.fields = fields


class Number(str):
    """A number as it was written; keeps ``24.50`` and ``9007199254740993`` as they are."""

    __slots__ = ()


def loads(raw: bytes, *, exact_numbers: bool = False) -> Any:
    """Parse one JSON text strictly.

    Args:
        raw: UTF-8 bytes of the text, without a byte order mark.
        exact_numbers: give numbers as :class:`Number` (their spelling) and not as int or float.

    Raises:
        StrictJSONError: with code and, where known, column.
    """
    try:
        source = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        column = len(raw[: error.start].decode("utf-8", "replace")) + 1
        raise StrictJSONError("not_utf8", column=column, byte=f"0x{raw[error.start]:02X}") from None
    number = _exact if exact_numbers else None
    try:
        value = json.loads(
            source,
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_int=number or _int,
            parse_float=number or _float,
        )
    except StrictJSONError:
        raise
    except json.JSONDecodeError as error:
        code = "cut_short" if error.pos >= len(source.rstrip()) or "Unterminated" in error.msg else "syntax"
        raise StrictJSONError(code, column=error.pos + 1, reason=_reason(error.msg)) from None
    except RecursionError:
        raise StrictJSONError("too_deep", limit=MAX_DEPTH) from None
    _check(value, source)
    return value


# What the standard decoder says, by how it begins (the wording differs a little between its versions).
_REASONS = (
    ("Expecting value", "expecting_value"),
    ("Expecting property name", "expecting_name"),
    ("Expecting ':'", "expecting_colon"),
    ("Expecting ','", "expecting_comma"),
    ("Illegal trailing comma", "trailing_comma"),
    ("Extra data", "extra_data"),
    ("Invalid control character", "control_character"),
    ("Invalid \\u", "bad_unicode_escape"),
    ("Invalid \\", "bad_escape"),
    ("Unexpected UTF-8 BOM", "inner_bom"),
)


def _reason(said: str) -> str:
    """Why a text is no JSON, in the language in force."""
    for beginning, key in _REASONS:
        if said.startswith(beginning):
            return messages.text(f"json.why_{key}")
    return messages.text("json.why_other")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise StrictJSONError("duplicate_key", name=key)
            seen.add(key)
    return result


def _constant(token: str) -> NoReturn:
    raise StrictJSONError("not_a_number", found=token)


def _bounded(token: str) -> str:
    if len(token) > MAX_NUMBER_CHARACTERS:
        raise StrictJSONError("number_too_long", length=len(token), limit=MAX_NUMBER_CHARACTERS)
    return token


def _int(token: str) -> int:
    return int(_bounded(token))


def _float(token: str) -> float:
    return float(_bounded(token))


def _exact(token: str) -> Number:
    return Number(_bounded(token))


def _check(value: Any, source: str) -> None:
    """Depth and lone surrogates; walks only when the text could hold either."""
    surrogates = "\\u" in source or "\\U" in source
    if not surrogates and source.count("[") + source.count("{") <= MAX_DEPTH:
        return
    stack: list[tuple[Any, int]] = [(value, 1)]
    while stack:
        item, depth = stack.pop()
        if isinstance(item, str):
            _check_text(item)
        elif isinstance(item, dict):
            if depth > MAX_DEPTH:
                raise StrictJSONError("too_deep", limit=MAX_DEPTH)
            for key, inner in item.items():
                _check_text(key)
                stack.append((inner, depth + 1))
        elif isinstance(item, list):
            if depth > MAX_DEPTH:
                raise StrictJSONError("too_deep", limit=MAX_DEPTH)
            stack.extend((inner, depth + 1) for inner in item)


def _check_text(value: str) -> None:
    for char in value:
        if "\ud800" <= char <= "\udfff":
            raise StrictJSONError("lone_surrogate", found=f"\\u{ord(char):04x}")
