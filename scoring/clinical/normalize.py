"""The form in which texts are compared: lower case, without accents.

``normalize`` equals lower-casing, canonical decomposition (NFD) and removal of the combining marks.
It decomposes character by character, which gives the same text, because NFD beyond that only reorders
marks that are removed anyway; so a long run of marks costs no more than other text.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# The precomposed letters of Spanish first: replacing them one by one is several times cheaper than
# decomposing a whole text, and most texts hold nothing else outside ASCII.
_SPANISH = (("á", "a"), ("é", "e"), ("í", "i"), ("ó", "o"), ("ú", "u"), ("ñ", "n"), ("ü", "u"))
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")


@lru_cache(maxsize=4096)
def _bare(char: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", char) if not unicodedata.combining(c))


def _bare_run(match: re.Match[str]) -> str:
    return "".join(map(_bare, match[0]))


def normalize(text: str) -> str:
    """``text`` in lower case, decomposed, without combining marks: ``ñ`` gives ``n``; ``₃``, ``²`` stay."""
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    for accented, plain in _SPANISH:
        lowered = lowered.replace(accented, plain)
    if lowered.isascii():
        return lowered
    return _BEYOND_ASCII.sub(_bare_run, lowered)


_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−⁻₋", "-"))


@lru_cache(maxsize=4096)
def _folded(char: str) -> str:
    if char.isspace() or unicodedata.category(char) == "Cf":
        return " " if char.isspace() else ""
    spelled = unicodedata.normalize("NFKD", char.translate(_DASHES))
    return "".join(c for c in spelled if not unicodedata.combining(c)).translate(_DASHES).lower()


def _folded_run(match: re.Match[str]) -> str:
    return "".join(map(_folded, match[0]))


def fold(text: str) -> str:
    """``text`` as rules «2» compare it: like :func:`normalize`, and without typography.

    Subscripts and superscripts become digits (``HCO₃⁻`` gives ``hco3-``), marks of emphasis (``*``,
    ``_``, backtick) go, `` #`` becomes the word ``abs``, and zero-width characters are left out.
    """
    lowered = text.lower()
    if not lowered.isascii():
        for accented, plain in _SPANISH:
            lowered = lowered.replace(accented, plain)
        if not lowered.isascii():
            lowered = _BEYOND_ASCII.sub(_folded_run, lowered)
    lowered = lowered.replace("*", "").replace("_", " ").replace("`", "")
    return lowered.replace(" #", " abs") if " #" in lowered else lowered


_PUNCTUATION = str.maketrans(
    {chr(code): " " for code in range(128) if not chr(code).isalnum() and chr(code) != "_"}
)
_MARKS = ("¿", "¡", "«", "»", "“", "”", "…", "·", "→", "≥", "≤", "±", "°", "×")
_WORD = re.compile(r"\w+")


def words_of(text: str) -> list[str]:
    r"""The words of a normalised text: the runs of ``\w`` in it, in order.

    Marks that are no word characters are blanked first, because splitting plain ASCII is several times
    cheaper than searching for words.
    """
    if not text.isascii():
        for mark in _MARKS:
            text = text.replace(mark, " ")
        if not text.isascii():
            return _WORD.findall(text)
    return text.translate(_PUNCTUATION).split()
