"""Spanish inflection of normalised words, as regular expressions.

A word of a form is looked for in singular and plural, masculine and feminine. That is coarse on purpose:
a form that does not exist («linfomo») costs nothing, because nobody writes it.
"""

from __future__ import annotations

import re
from functools import lru_cache

_SHORTEST = 5
"""Shorter words are acronyms or connectives and are only found as they are."""

_GENDER = ("o", "a", "os", "as")
_WORD = re.compile(r"[a-z0-9]+")
GAP = r"[\s/-]+"
"""What may stand between the words of a form: blanks, a line break, a hyphen, a slash."""


@lru_cache(maxsize=8192)
def surfaces(word: str) -> tuple[str, ...]:
    """The spellings under which a normalised ``word`` is found, itself among them."""
    if not word.isalpha() or not word.isascii() or len(word) < _SHORTEST - 1:
        return (word,)
    if len(word) < _SHORTEST:
        return (word, f"{word}s") if word[-1] in "aeo" else (word,)
    if word[-1] in "oa":
        return tuple(word[:-1] + ending for ending in _GENDER)
    if word[-2:] in {"os", "as"}:
        return tuple(word[:-2] + ending for ending in _GENDER)
    if word[-2:] == "es":
        return (word, word[:-2], word[:-1])
    if word[-1] == "e":
        return (word, f"{word}s")
    if word[-1] == "z":
        return (word, f"{word[:-1]}ces")
    if word[-1] in "siuxy":
        return (word,)
    return (word, *(word + ending for ending in ("s", "es", *_GENDER)))


def form_pattern(form: str) -> str:
    """A regular expression for a normalised ``form``, each of its words inflected."""
    return GAP.join(_token(token) for token in form.split())


def _token(token: str) -> str:
    match = _WORD.match(token)
    if match is None:
        return re.escape(token)
    options = sorted(surfaces(match[0]), key=len, reverse=True)
    body = options[0] if len(options) == 1 else f"(?:{'|'.join(options)})"
    return body + re.escape(token[match.end() :])


def heads_of(form: str) -> tuple[str, ...]:
    """The words one of which has to be in a text for ``form`` to be; empty when that cannot be told."""
    match = _WORD.match(form)
    if match is None:
        return ()
    word = match[0]
    rest = form[match.end() :]
    return surfaces(word) if not rest or not rest[0].isalnum() else ()


def rest_pattern(form: str) -> str:
    """The pattern of what follows the word of :func:`heads_of`; empty when nothing does."""
    match = _WORD.match(form)
    first, *others = form[match.end() if match is not None else 0 :].split(" ")
    return re.escape(first) + "".join(GAP + _token(token) for token in others)
