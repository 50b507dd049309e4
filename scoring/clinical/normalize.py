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


_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u207b\u208b", "-"))
_GREEK = {
    "α": "alfa",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "κ": "kappa",
    "λ": "lambda",
    "μ": "u",
    "×": "x",
}
_OTHER_LETTER = "_"
_ARROWS = {
    "↑": " flechaarriba ",
    "↓": " flechaabajo ",
    "⬆": " flechaarriba ",
    "⬇": " flechaabajo ",
    "→": " -> ",
}
_CROSSES = dict.fromkeys("❌✗✘✖", " signono ")
"""Arrows say a direction and crosses a no; the words for them are of no language (``casos/lengua.json``)."""


@lru_cache(maxsize=4096)
def _folded(char: str) -> str:
    if char.isspace():
        return " "
    if char in _ARROWS or char in _CROSSES:
        return _ARROWS.get(char) or _CROSSES[char]
    if unicodedata.category(char) in {"Cf", "Mn"}:
        return ""
    spelled = unicodedata.normalize("NFKD", char.translate(_DASHES)).lower().translate(_DASHES)
    return "".join(map(_ascii, spelled))


def _ascii(char: str) -> str:
    if char.isascii():
        return char
    if unicodedata.combining(char):
        return ""
    return _GREEK.get(char, _OTHER_LETTER if char.isalnum() else " ")


def _folded_run(match: re.Match[str]) -> str:
    return "".join(map(_folded, match[0]))


def _fold_each(text: str) -> str:
    """``text`` folded run by run."""
    lowered = text.lower().replace("*", "").replace("_", " ").replace("`", "")
    return _BEYOND_ASCII.sub(_folded_run, lowered)


# Most texts are Latin-1 but for a few signs, and those are folded by one pass over their bytes. What does
# not become one character (ß, ½, a soft hyphen) is marked, so that such a text is folded run by run.
_NOT_ONE = 0xFF


def _one_byte(code: int) -> int:
    folded = _fold_each(chr(code))
    return ord(folded) if len(folded) == 1 else _NOT_ONE


_LATIN = bytes(map(_one_byte, range(256)))
_GONE = b"*`"
_BEYOND_LATIN = (*zip("\u03bc\u2083\u2082\u207b\u2013", "u32--", strict=True), *_ARROWS.items())


def _as_latin(text: str) -> bytes | None:
    """``text`` as bytes, its common signs beyond Latin-1 folded; None if it holds others."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        pass
    for sign, plain in _BEYOND_LATIN:
        text = text.replace(sign, plain)
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return None


_WITHOUT = re.compile(r"(?<![\w/])s/(?:(a)(?!\w)|\s?(?=[a-z]{3}))")
_MINUS = re.compile(r"(?<=\w) --?(?=[.,;]|\s*\Z)")


def _spelled_out(match: re.Match[str]) -> str:
    return "sin alteraciones" if match[1] else "sin "


def fold(text: str) -> str:
    """``text`` as rules «2» compare it: like :func:`normalize`, and without typography; always ASCII.

    Subscripts and superscripts become digits (``HCO₃⁻`` gives ``hco3-``), marks of emphasis (``*``,
    ``_``, backtick) go, zero-width characters are left out, Greek letters in use become their names, and a
    letter without Latin spelling is one that no form has. Signs that stand for words are written out: an
    arrow up or down, a cross, `` #`` («abs»), `` (-)`` and a dash that ends a clause («negativo»),
    «s/ signos» and «s/a» («sin signos», «sin alteraciones»).
    """
    data = _as_latin(text)
    folded = None if data is None else data.translate(_LATIN, _GONE)
    return _in_words(folded.decode() if folded is not None and folded.isascii() else _fold_each(text))


def _in_words(lowered: str) -> str:
    """A folded text with its signs for words written out."""
    if " (-)" in lowered:
        lowered = lowered.replace(" (-)", " (negativo)")
    if "s/" in lowered:
        lowered = _WITHOUT.sub(_spelled_out, lowered)
    if " -" in lowered:
        lowered = _MINUS.sub(" negativo", lowered)
    # one rare sign is looked for many times faster than two
    return lowered.replace(" #", " abs") if "#" in lowered else lowered


_PUNCTUATION = str.maketrans(
    {chr(code): " " for code in range(128) if not chr(code).isalnum() and chr(code) != "_"}
)


@lru_cache(maxsize=4096)
def _stand_in(char: str) -> str:
    return "_" if char.isalnum() else " "


def _stand_in_run(match: re.Match[str]) -> str:
    return "".join(map(_stand_in, match[0]))


def words_of(text: str) -> list[str]:
    r"""The words of a normalised text: the runs of ``\w`` in it, in order.

    A letter or digit outside ASCII appears as an underscore: no word that is looked for has one. What is
    left is plain ASCII, which is several times cheaper to split than words are to search for.
    """
    return blanked(text).split()


def blanked(text: str) -> str:
    """A normalised text with a blank for all that is no word, character by character, so that places stay."""
    if not text.isascii():
        text = _BEYOND_ASCII.sub(_stand_in_run, text)
    return text.translate(_PUNCTUATION)
