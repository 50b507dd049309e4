"""Which language a text is in: told by one character (rules «1») or decided from its words (rules «2»).

The words decide between Spanish, another language and *not to be told*. A short list of values has no
language, and what cannot be told never makes a case fail.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from scoring.errors import UsageError

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet


class Language(StrEnum):
    """What is said of the prose of one output."""

    SPANISH = "es"
    OTHER = "no_es"
    UNDECIDED = "indeterminado"
    NO_TEXT = "sin_texto"

    @property
    def fails(self) -> bool:
        """Whether the case loses the point of the language."""
        return self in {Language.OTHER, Language.NO_TEXT}


@dataclass(frozen=True, slots=True)
class CharacterTest:
    """Spanish is what holds one of some characters; anything else is not (rules «1»)."""

    method: ClassVar[str] = "caracteres"
    pattern: re.Pattern[str]

    def decide(self, prose: str, words: AbstractSet[str]) -> Language:
        """The language of ``prose``."""
        del words
        return Language.SPANISH if self.pattern.search(prose) is not None else Language.OTHER


@dataclass(frozen=True, slots=True)
class WordTest:
    """The language of which a text holds the most different words and signs.

    Attributes:
        pointers: normalised word -> the languages it points to.
        names: the keys of ``pointers``.
        others: those among them that point to more or other languages than Spanish.
        signs: a language and a piece of text as written that points to it, composed and decomposed.
        ratio: how many times the others Spanish has to have, and the other way round.
        least_against: fewest pointers to another language for a text to be told not Spanish.
    """

    method: ClassVar[str] = "palabras"
    pointers: Mapping[str, tuple[str, ...]] = field(repr=False)
    names: frozenset[str] = field(repr=False)
    others: frozenset[str] = field(repr=False)
    signs: tuple[tuple[str, str, str], ...] = field(repr=False)
    ratio: float = 1.5
    least_against: int = 2

    def decide(self, prose: str, words: AbstractSet[str]) -> Language:
        """The language of ``prose``; ``words`` is the set of its normalised words."""
        if not any(map(str.isalnum, prose)):
            return Language.NO_TEXT
        hits = self.names & words
        mixed = hits & self.others
        own = len(hits) - len(mixed)
        points: dict[str, int] = {}
        for word in mixed:
            for language in self.pointers[word]:
                points[language] = points.get(language, 0) + 1
        own += points.pop("es", 0)
        if own and own >= self.ratio * max(points.values(), default=0):
            return Language.SPANISH
        # What the words leave open or give to another language, the signs of writing may still turn.
        if not prose.isascii():
            for language, sign, decomposed in self.signs:
                if sign not in prose and decomposed not in prose:
                    continue
                if language == "es":
                    own += 1
                else:
                    points[language] = points.get(language, 0) + 1
        other = max(points.values(), default=0)
        if own and own >= self.ratio * other:
            return Language.SPANISH
        if other >= self.least_against and other >= self.ratio * own:
            return Language.OTHER
        return Language.OTHER if not own and _foreign_script(prose) else Language.UNDECIDED


def _foreign_script(prose: str) -> bool:
    """Whether most letters are of no Latin alphabet."""
    letters = [char for char in prose if char.isalpha()]
    return 2 * sum(ord(char) > 0x24F for char in letters) > len(letters)


def word_test(data: Mapping[str, Any]) -> WordTest:
    """The test of the table ``lengua.json``, part ``idioma``."""
    pointers: dict[str, tuple[str, ...]] = {}
    for language, words in data["palabras"].items():
        for word in dict.fromkeys(words):
            pointers[word] = (*pointers.get(word, ()), language)
    return WordTest(
        pointers,
        frozenset(pointers),
        frozenset(word for word, pointed in pointers.items() if pointed != ("es",)),
        tuple(
            (language, sign, unicodedata.normalize("NFD", sign))
            for language, signs in data["signos"].items()
            for sign in signs
        ),
        float(data["razon"]),
        data["minimo_en_contra"],
    )


@dataclass(frozen=True, slots=True)
class LinguaTest:
    """The word test, and the library lingua for what it leaves open.

    Attributes:
        words: asked first.
        spanish: text -> whether lingua takes it for Spanish, None where it cannot tell.
    """

    method: ClassVar[str] = "lingua"
    words: WordTest
    spanish: Callable[[str], bool | None] = field(repr=False)

    def decide(self, prose: str, words: AbstractSet[str]) -> Language:
        """The language of ``prose``; ``words`` is the set of its normalised words."""
        first = self.words.decide(prose, words)
        if first is not Language.UNDECIDED:
            return first
        told = self.spanish(prose)
        return first if told is None else Language.SPANISH if told else Language.OTHER


_LINGUA_LANGUAGES = ("SPANISH", "PORTUGUESE", "ENGLISH", "FRENCH", "ITALIAN", "CATALAN", "GERMAN")
_LINGUA_DISTANCE = 0.25
"""Least lead of the first language over the second; short texts of loan words do not reach it."""


def lingua_test(words: WordTest) -> LinguaTest:
    """The test that asks lingua, with the languages of the word test and its full models.

    Raises:
        UsageError: the library is not installed.
    """
    try:
        from lingua import Language as Known
        from lingua import LanguageDetectorBuilder
    except ImportError:
        raise UsageError("clinical.lingua_missing") from None
    chosen = [getattr(Known, name) for name in _LINGUA_LANGUAGES]
    builder = LanguageDetectorBuilder.from_languages(*chosen)
    detector = builder.with_minimum_relative_distance(_LINGUA_DISTANCE).build()

    def spanish(prose: str) -> bool | None:
        found = detector.detect_language_of(prose)
        return None if found is None else bool(found == Known.SPANISH)

    return LinguaTest(words, spanish)
