"""Where two values differ, as pieces that a screen can mark; bounded, whatever is compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from scoring.abstraction.normalize import Scalar

MOST_COMPARED: Final = 400
"""Characters of the differing middle that are compared one by one; a longer one is marked as a whole."""
LEAST_ALIKE: Final = 0.5
"""Two middles that share less than this are other words; their common letters would only confuse."""
CONTEXT: Final = 120
"""Characters shown before the first and after the last difference."""
MOST_SHOWN: Final = 600
"""Characters of a value that are shown at once."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a value; ``marked`` where the other one has something else."""

    text: str = field(repr=False)
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """Both values in pieces, cut to what is near the differences.

    Attributes:
        left, right: the pieces.
        left_cut, right_cut: characters left out before and after.
        first: the first characters that differ, one of each; empty where one has ended.
    """

    left: tuple[Piece, ...]
    right: tuple[Piece, ...]
    left_cut: tuple[int, int]
    right_cut: tuple[int, int]
    first: tuple[str, str] = field(repr=False)


def written(value: Scalar) -> str:
    """A value as it is written: text as it is, numbers and booleans as JSON has them; None is empty."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


def difference(left: str, right: str, context: int = CONTEXT) -> Difference:
    """Compare two texts character by character, near where they differ."""
    start = _common(left, right)
    rest = min(len(left), len(right)) - start
    end = _common(left[len(left) - rest :][::-1], right[len(right) - rest :][::-1])
    middles = left[start : len(left) - end], right[start : len(right) - end]
    if max(map(len, middles)) <= MOST_COMPARED:
        pieces = _matched(*middles)
    else:
        pieces = ([Piece(middles[0], True)], [Piece(middles[1], True)])
    shown = []
    for text, inner in zip((left, right), pieces, strict=True):
        before, after = max(0, start - context), min(len(text), len(text) - end + context)
        whole = [Piece(text[before:start]), *inner, Piece(text[len(text) - end : after])]
        kept, used = _bounded([piece for piece in whole if piece.text])
        shown.append((kept, (before, len(text) - before - used)))
    first = tuple(text[start : start + 1] for text in (left, right))
    return Difference(shown[0][0], shown[1][0], shown[0][1], shown[1][1], (first[0], first[1]))


def _common(one: str, other: str) -> int:
    """Length of the common beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _matched(left: str, right: str) -> tuple[list[Piece], list[Piece]]:
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if matcher.ratio() < LEAST_ALIKE:
        return [Piece(left, True)], [Piece(right, True)]
    ours: list[Piece] = []
    theirs: list[Piece] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        ours.append(Piece(left[a:b], tag != "equal"))
        theirs.append(Piece(right[c:d], tag != "equal"))
    return ours, theirs


def _bounded(pieces: list[Piece]) -> tuple[tuple[Piece, ...], int]:
    kept: list[Piece] = []
    used = 0
    for piece in pieces:
        room = MOST_SHOWN - used
        if room <= 0:
            break
        kept.append(Piece(piece.text[:room], piece.marked))
        used += len(kept[-1].text)
    return tuple(kept), used
