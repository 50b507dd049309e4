"""What the scorer recognises words by: ``casos/lexico.json`` as a frozen value per set of rules.

There is one scoring code path; what differs between sets of rules is data of :class:`Rules`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from scoring.clinical.normalize import normalize
from scoring.errors import UsageError
from scoring.tables import table

if TYPE_CHECKING:
    from collections.abc import Mapping

_TABLE = "lexico.json"
_NOT_A_TOKEN = re.compile(r"[^a-z0-9]+")
_SHORTEST_TOKEN = 2


@dataclass(frozen=True, slots=True)
class Rules:
    """One set of scoring rules.

    Attributes:
        name: how the command line and the reports call it.
        suffixes: endings that may follow a long enough form.
        suffix_from: fewest characters of a form that may take an ending.
        language: the prose is taken for Spanish where this is found.
        generic_words: words of a key that identify nothing.
        terms: analyte key -> words that name it or its alteration.
        synonyms: normalised diagnosis -> further normalised forms.
    """

    name: str
    suffixes: tuple[str, ...]
    suffix_from: int
    language: re.Pattern[str]
    generic_words: frozenset[str]
    terms: Mapping[str, tuple[str, ...]] = field(repr=False)
    synonyms: Mapping[str, tuple[str, ...]] = field(repr=False)

    def terms_of(self, key: str) -> tuple[str, ...]:
        """The terms of an expected finding; those of a key outside the table are the words of the key."""
        known = self.terms.get(key)
        if known is not None:
            return known
        words = _NOT_A_TOKEN.split(normalize(key))
        return tuple(
            dict.fromkeys(w for w in words if len(w) >= _SHORTEST_TOKEN and w not in self.generic_words)
        )

    def forms_of(self, label: str) -> tuple[str, ...]:
        """The normalised forms of an acceptable differential, itself first; an empty label has none."""
        own = normalize(label).strip()
        return (own, *self.synonyms.get(own, ())) if own else ()


def known_rules() -> tuple[str, ...]:
    """The names of the sets of rules that exist."""
    return tuple(table(_TABLE)["reglas"])


@cache
def rules_named(name: str) -> Rules:
    """The set of rules called ``name``.

    Raises:
        UsageError: there is no such set.
    """
    data = table(_TABLE)
    if name not in data["reglas"]:
        raise UsageError("clinical.unknown_rules", found=str(name), known=", ".join(data["reglas"]))
    own: dict[str, Any] = data["reglas"][name]
    synonyms = {
        normalize(row["diagnostico"]).strip(): tuple(normalize(form).strip() for form in row["formas"])
        for row in data["sinonimos"]
        if int(row.get("desde_reglas", 1)) <= int(name)
    }
    terms = {
        key: tuple(dict.fromkeys(normalize(term) for term in (*row["nombre"], *row["alteracion"])))
        for key, row in data["analitos"].items()
    }
    characters: str = own["idioma"]["caracteres"]
    return Rules(
        name=name,
        suffixes=tuple(own["sufijos"]),
        suffix_from=own["sufijo_desde"],
        language=re.compile(f"[{re.escape(characters + characters.upper())}]"),
        generic_words=frozenset(own["palabras_genericas"]),
        terms=MappingProxyType(terms),
        synonyms=MappingProxyType(synonyms),
    )
