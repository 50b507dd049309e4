"""What the scorer recognises words by: the tables of words as a frozen value per set of rules.

There is one scoring code path; what differs between sets of rules is data of :class:`Rules`.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from scoring.clinical.direction import Directions, directions
from scoring.clinical.language import CharacterTest, LinguaTest, WordTest, lingua_test, word_test
from scoring.clinical.mentions import Form, FormIndex, build_index, read_forms, with_further
from scoring.clinical.negation import Negation, negation
from scoring.clinical.normalize import fold, normalize
from scoring.errors import UsageError
from scoring.tables import table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_TABLE = "lexico.json"
_FORMS = "formas.json"
_SPEECH = "lengua.json"
_RANGES = "valores_referencia.json"
_NOT_A_TOKEN = re.compile(r"[^a-z0-9]+")
_SHORTEST_TOKEN = 2
_NAME = 60
_folded_name = lru_cache(maxsize=8192)(fold)


@dataclass(frozen=True, slots=True)
class Rules:
    """One set of scoring rules.

    Attributes:
        name: how the command line and the reports call it.
        metrics: what it measures, in report order.
        suffixes: endings that may follow a long enough form.
        suffix_from: fewest characters of a form that may take an ending.
        language: decides whether a prose is Spanish.
        generic_words: words of a key that identify nothing.
        terms: analyte key -> single words that name it or its alteration.
        synonyms: normalised diagnosis -> further normalised forms.
        inflected: every word of a form is looked for in singular and plural, and typography is undone.
        index: the forms that name analytes.
        negation: what a text denies; None: a denied mention counts like any other.
        directions: which way a text says a result moves; None: that is not looked at.
        prose_always: the prose is searched for findings even where the output declares some.
    """

    name: str
    metrics: tuple[str, ...]
    suffixes: tuple[str, ...]
    suffix_from: int
    language: CharacterTest | WordTest | LinguaTest
    generic_words: frozenset[str]
    terms: Mapping[str, tuple[str, ...]] = field(repr=False)
    synonyms: Mapping[str, tuple[str, ...]] = field(repr=False)
    inflected: bool
    index: FormIndex = field(repr=False)
    negation: Negation | None = field(repr=False)
    directions: Directions | None = field(repr=False)
    prose_always: bool

    @property
    def language_method(self) -> str:
        """How language is decided: ``caracteres``, ``palabras`` or ``lingua``."""
        return self.language.method

    def comparable(self, text: str) -> str:
        """``text`` in the form in which these rules compare."""
        return fold(text) if self.inflected else normalize(text)

    def comparable_name(self, text: str) -> str:
        """What :meth:`comparable` gives; remembered, because many outputs share it (a name of an analyte)."""
        return _folded_name(text) if self.inflected and len(text) <= _NAME else self.comparable(text)

    def terms_of(self, key: str) -> tuple[str, ...]:
        """The terms of an expected finding; those of a key outside the table are the words of the key."""
        known = self.terms.get(key)
        if known is not None:
            return known
        words = _NOT_A_TOKEN.split(self.comparable(key))
        return tuple(
            dict.fromkeys(w for w in words if len(w) >= _SHORTEST_TOKEN and w not in self.generic_words)
        )

    def index_with(self, keys: Iterable[str]) -> FormIndex:
        """The index that also finds those of ``keys`` that the tables do not have."""
        further: list[Form] = []
        for key in keys:
            if key in self.terms:
                continue
            words = self.terms_of(key)
            further += [Form(" ".join(words), (key,))] if words else []
        return with_further(self.index, tuple(further)) if further else self.index

    def forms_of(self, label: str) -> tuple[str, ...]:
        """The normalised forms of an acceptable differential, itself first; an empty label has none."""
        own = self.comparable(label).strip()
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
    inflected: bool = own["flexion"]
    synonyms: dict[str, tuple[str, ...]] = {}
    for row in _synonyms(name):
        diagnosis = normalize(row["diagnostico"]).strip()
        forms = tuple(normalize(form).strip() for form in row["formas"])
        synonyms[diagnosis] = (*synonyms.get(diagnosis, ()), *forms)
    terms = {
        key: tuple(dict.fromkeys(normalize(term) for term in (*row["nombre"], *row["alteracion"])))
        for key, row in data["analitos"].items()
    }
    speech, forms = table(_SPEECH), table(_FORMS)
    return Rules(
        name=name,
        metrics=tuple(own["metricas"]),
        suffixes=tuple(own["sufijos"]),
        suffix_from=own["sufijo_desde"],
        language=_language(own["idioma"], speech["idioma"]),
        generic_words=frozenset(own["palabras_genericas"]),
        terms=MappingProxyType(terms),
        synonyms=MappingProxyType(synonyms),
        inflected=inflected,
        index=build_index(read_forms(forms) if inflected else (), inflected=inflected),
        negation=negation(speech["negacion"]) if own["negacion"] else None,
        directions=directions(speech["direccion"], forms["simbolos"]["cifras"]) if own["direccion"] else None,
        prose_always=own["prosa_siempre"],
    )


def _synonyms(name: str) -> Iterator[Mapping[str, Any]]:
    """The rows of synonyms that the rules called ``name`` know."""
    return (row for row in table(_TABLE)["sinonimos"] if int(row.get("desde_reglas", 1)) <= int(name))


@cache
def tables_digest(name: str) -> str:
    """SHA-256 (hex) of all that the rules called ``name`` read; with another one, figures do not compare."""
    data = table(_TABLE)
    own = data["reglas"][name]
    read = [name, own, list(_synonyms(name)), data["analitos"], table(_RANGES)]
    read += [table(_FORMS)] if own["flexion"] else []
    read += [table(_SPEECH)] if own["negacion"] else []
    return hashlib.sha256(json.dumps(read, sort_keys=True).encode()).hexdigest()


def _language(own: Mapping[str, Any], words: Mapping[str, Any]) -> CharacterTest | WordTest:
    if own["metodo"] == "palabras":
        return word_test(words)
    characters: str = own["caracteres"]
    return CharacterTest(re.compile(f"[{re.escape(characters + characters.upper())}]"))


@cache
def _with_lingua(name: str) -> Rules:
    own = rules_named(name)
    assert isinstance(own.language, WordTest)  # noqa: S101 - asked by the caller
    return replace(own, language=lingua_test(own.language))


def decided_by(rules: Rules, method: str) -> Rules:
    """``rules`` with language decided by ``method`` («palabras» or «lingua»).

    Only rules that decide language from words can be helped by that library; others stay as they are.

    Raises:
        UsageError: the library was asked for and is not installed.
    """
    if method == "palabras" or not isinstance(rules.language, WordTest):
        return rules
    return _with_lingua(rules.name)
