"""The nearest legal word for one that is not: «Hematocrito» -> ``hct``, «Perro» -> ``canino``.

Suggestions are only ever shown; the engine never acts on one.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from scoring import tables

if TYPE_CHECKING:
    from collections.abc import Mapping

_MAX_LENGTH = 60
_SPECIES = {
    "perro": "canino",
    "perra": "canino",
    "can": "canino",
    "canina": "canino",
    "canis familiaris": "canino",
    "dog": "canino",
    "canine": "canino",
    "gato": "felino",
    "gata": "felino",
    "felina": "felino",
    "felis catus": "felino",
    "cat": "felino",
    "feline": "felino",
}


def species(written: str) -> str | None:
    """The species somebody most likely meant, or None."""
    word = _folded(written)
    if word in _SPECIES:
        return _SPECIES[word]
    near = difflib.get_close_matches(word, tables.SPECIES, n=1, cutoff=0.8)
    return near[0] if near else None


def analyte_keys(written: str) -> tuple[str, ...]:
    """At most two keys somebody most likely meant, best first; empty when none is near."""
    word = _folded(written)
    names = _names()
    if word in names:
        return names[word][:2]
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.8)
    return names[near[0]][:2] if near else ()


@cache
def _names() -> Mapping[str, tuple[str, ...]]:
    """Everything an analyte is called, folded -> its keys in table order; keys before names."""
    found: dict[str, tuple[str, ...]] = {_folded(key): (key,) for key in tables.ANALYTE_KEYS}
    for kind in tables.SPECIES:
        for key, analyte in tables.analytes(kind).items():
            for name in (analyte.name, *re.split(r"[()/#]", analyte.name)):
                word = _folded(name)
                keys = found.get(word, ())
                if len(word) > 1 and word not in tables.ANALYTE_KEYS and key not in keys:
                    found[word] = (*keys, key)
    return found


def _folded(written: str) -> str:
    """Lower case, no accents, subscripts as digits, blanks for every separator."""
    spread = unicodedata.normalize("NFKD", written[:_MAX_LENGTH]).casefold()
    bare = "".join(c for c in spread if not unicodedata.combining(c))
    return " ".join(re.split(r"[\s_.\-]+", bare)).strip()
