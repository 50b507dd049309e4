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
