"""Forms of several words in normalised text.

A phrase is looked for by what is cheap first (the literal form, or the words of the text) and only where
that is found is the boundary checked by a regular expression, because most phrases are absent from most
texts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from scoring.clinical.inflection import form_pattern, heads_of
from scoring.clinical.words import places_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from scoring.clinical.lexicon import Rules


@dataclass(frozen=True, slots=True)
class Phrase:
    r"""A form and the pattern that decides where it stands.

    Letters, digits (subscript and superscript ones too) and the underscore are word characters.

    Attributes:
        form: the form, normalised.
        pattern: ``\bform(ending)?\b``, or with each word inflected.
        heads: words one of which the text must have; empty when the form is looked for literally.
    """

    form: str
    pattern: re.Pattern[str] = field(repr=False)
    heads: frozenset[str] = field(default=frozenset(), repr=False)

    def spans(self, text: str, blank: str, words: AbstractSet[str]) -> Iterator[tuple[int, int]]:
        """Where the form stands in normalised ``text``.

        Args:
            text: normalised.
            blank: its words between blanks, at the same places, with one more blank at either end.
            words: the set of its words.
        """
        if self.heads:
            if self.heads.isdisjoint(words):
                return
            for head in self.heads & words:
                for at in places_of(head, blank):
                    found = self.pattern.match(text, at)
                    if found is not None:
                        yield found.span()
            return
        at = text.find(self.form)
        while at >= 0:
            found = self.pattern.match(text, at)
            if found is not None:
                yield found.span()
            at = text.find(self.form, at + 1)


@lru_cache(maxsize=16384)
def _phrase(form: str, suffixes: tuple[str, ...]) -> Phrase:
    ending = f"(?:{'|'.join(map(re.escape, suffixes))})?" if suffixes else ""
    return Phrase(form, re.compile(rf"\b{re.escape(form)}{ending}\b"))


@lru_cache(maxsize=16384)
def _inflected(form: str) -> Phrase:
    heads = frozenset(heads_of(form))
    if not heads:
        return Phrase(form, re.compile(rf"(?<!\w){re.escape(form)}(?!\w)"))
    return Phrase(form, re.compile(rf"{form_pattern(form)}(?!\w)"), heads)


def differential_phrases(labels: Iterable[str], rules: Rules) -> tuple[Phrase, ...]:
    """The phrases of acceptable differentials; short forms (acronyms) take no ending."""
    forms = dict.fromkeys(form for label in labels for form in rules.forms_of(label))
    if rules.inflected:
        return tuple(map(_inflected, forms))
    return tuple(_phrase(form, rules.suffixes if len(form) >= rules.suffix_from else ()) for form in forms)
