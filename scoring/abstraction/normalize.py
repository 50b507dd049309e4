"""Normalization: what two scalars are compared by when they are not the same to the letter.

Text: NFKC, then full case folding, then white space collapsed, once each and in that order. Numbers:
the exact decimal value, however it is written; no tolerance, no units. Booleans: only booleans.

Two bounds keep hostile input cheap. A text beyond :data:`MAX_TEXT` code points is not normalizable. A
long run of combining marks is put in canonical order by a sort before NFKC sees it, because the
insertion sort inside CPython's NFKC is quadratic in such a run; the result is the same (Unicode
Standard, section 3.11, Canonical Ordering Algorithm).
"""

from __future__ import annotations

import decimal
import re
import unicodedata
from enum import Enum
from itertools import compress
from typing import Final, TypeAlias

Scalar: TypeAlias = str | int | float | bool | None
Normal: TypeAlias = str | bool | decimal.Decimal | None

MAX_TEXT: Final = 1 << 20
"""Code points of a text or of a number written as text."""

MAX_INT_DIGITS: Final = 4300
"""Decimal digits of an int; CPython's own default bound on writing one, fixed here for every process."""

_MAX_INT: Final = 10**MAX_INT_DIGITS
# Up to here every int is a float, so an int and a float are equal in decimals just when they are equal.
_EXACT_FLOAT: Final = 2**53
# So few code points are cheap however they are ordered.
_PIECE: Final = 32
# Classes of so many marks in a row that ordering them by insertion is felt. A class is below 256.
_LONG_RUN: Final = re.compile(rb"[^\0]{33,}")
# Picking the marks of each class in turn is faster than a sort while there are few classes.
_FEW_CLASSES: Final = 4
# A context of our own: the caller's may trap or round otherwise. Constructing a Decimal is exact; the
# context only says that malformed or out-of-range text is signalled.
_EXACT: Final = decimal.Context(traps=[decimal.InvalidOperation])


class AbstractionFieldType(str, Enum):  # noqa: UP042 - `str(member)` as in the compatible library
    """The closed set of field types."""

    TEXT = "text"
    CATEGORICAL = "categorical"
    NUMBER = "number"
    BOOLEAN = "boolean"


def normalize(value: Scalar, field_type: AbstractionFieldType) -> Normal:
    """The comparable form of ``value`` under ``field_type``, or None if it has none there.

    A value of another type than the field's is not an error: it simply has no form.
    """
    kind = type(value)
    if field_type is AbstractionFieldType.NUMBER:
        if kind is str or kind is int or kind is float:
            return number(value)  # type: ignore[arg-type]  # the exact type was just checked
        return None
    if field_type is AbstractionFieldType.BOOLEAN:
        return value if kind is bool else None  # type: ignore[return-value]  # exact type checked
    return text(value) if kind is str else None  # type: ignore[arg-type]  # exact type checked


def is_normalizable(value: Scalar, field_type: AbstractionFieldType) -> bool:
    """Whether ``value`` has a form under ``field_type``; cheaper than making it."""
    kind = type(value)
    if field_type is AbstractionFieldType.NUMBER:
        if kind is float:
            return True
        if kind is int:
            return -_MAX_INT < value < _MAX_INT  # type: ignore[operator]  # exact type checked
        return kind is str and number(value) is not None  # type: ignore[arg-type]  # str
    if field_type is AbstractionFieldType.BOOLEAN:
        return kind is bool
    return kind is str and len(value) <= MAX_TEXT  # type: ignore[arg-type]  # exact type checked


def is_too_long(value: Scalar) -> bool:
    """An int of more digits than are ever written out; it has no form and equals no legal gold value."""
    return type(value) is int and not -_MAX_INT < value < _MAX_INT


def differ_by_spelling_only(gold: Scalar, output: Scalar, field_type: AbstractionFieldType) -> bool:
    """Whether two values that are not the same to the letter are equal once normalized.

    Most comparisons end before anything is normalized: two values of one type other than text can no
    longer be equal, nor can an int and a float that binary arithmetic tells apart exactly.

    Args:
        gold: legal under ``field_type``, not None.
        output: anything but None; not the same as ``gold`` in type and value.
        field_type: what both are compared under.
    """
    kind, gold_kind = type(output), type(gold)
    if kind is gold_kind:
        if kind is not str:
            return False
        if field_type is not AbstractionFieldType.NUMBER:
            return _same_words(output, gold)  # type: ignore[arg-type]  # both are str
    elif kind is str:
        if output == repr(gold):
            return field_type is AbstractionFieldType.NUMBER
    elif kind is bool or gold_kind is bool:
        return False
    elif gold_kind is not str and abs(output) <= _EXACT_FLOAT and abs(gold) <= _EXACT_FLOAT:  # type: ignore[arg-type]  # numbers
        return output == gold
    left = normalize(output, field_type)
    return left is not None and left == normalize(gold, field_type)


def text(value: str) -> str | None:
    """NFKC, case folding and white space collapsed; None beyond :data:`MAX_TEXT` code points."""
    return " ".join(_words(value)) if len(value) <= MAX_TEXT else None


def number(value: str | float) -> decimal.Decimal | None:
    """The exact decimal value of an int, of a float's shortest round-trip form, or of decimal text.

    None for what is no finite decimal number of at most 64-bit exponent, and for an int of more than
    4300 digits. The result is compared with ``==`` only, which is exact and never expands an exponent.
    """
    if type(value) is int:
        return decimal.Decimal(value) if -_MAX_INT < value < _MAX_INT else None
    written = value if type(value) is str else repr(value)
    if len(written) > MAX_TEXT:
        return None
    try:
        found = decimal.Decimal(written, _EXACT)
    except (decimal.InvalidOperation, ValueError):
        return None
    return found if found.is_finite() else None


def _same_words(one: str, other: str) -> bool:
    if one.isascii() and other.isascii() and len(one) <= MAX_TEXT:
        one, other = one.lower(), other.lower()
        return one == other or one.split() == other.split()
    return len(one) <= MAX_TEXT and _words(one) == _words(other)


def _words(value: str) -> list[str]:
    if value.isascii():  # NFKC changes no ASCII character, and folding one is lowering it
        return value.lower().split()
    return unicodedata.normalize("NFKC", _ordered(value)).casefold().split()


def _ordered(value: str) -> str:
    """``value``; if it is long enough to hold a costly run of combining marks, decomposed and in order.

    A stable sort by combining class within each long run of non-starters yields a canonically equivalent
    text, so NFKC gives the same for both. Decomposing in short pieces keeps each piece cheap; what a
    piece could not order across its end is ordered here.
    """
    if len(value) <= _PIECE:
        return value
    parts = "".join(
        unicodedata.normalize("NFKD", value[start : start + _PIECE]) for start in range(0, len(value), _PIECE)
    )
    classes = bytes(map(unicodedata.combining, parts))
    out: list[str] = []
    done = 0
    for run in _LONG_RUN.finditer(classes):
        start, end = run.span()
        out.append(parts[done:start])
        out.append(_sorted_marks(parts[start:end], run[0]))
        done = end
    return "".join((*out, parts[done:])) if done else parts


def _sorted_marks(marks: str, classes: bytes) -> str:
    """The marks by class, those of one class in the order they came; neither way has a loop of ours."""
    present = sorted(set(classes))
    if len(present) == 1:
        return marks
    if len(present) > _FEW_CLASSES:
        return "".join(map(marks.__getitem__, sorted(range(len(marks)), key=classes.__getitem__)))
    ordered = []
    for combining in present:
        chosen = bytearray(256)
        chosen[combining] = True
        ordered.append("".join(compress(marks, classes.translate(chosen))))
    return "".join(ordered)
