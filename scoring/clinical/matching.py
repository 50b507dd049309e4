"""Whole words and word sequences in normalised text.

A phrase is looked for with a plain substring search first and only where it stands is the boundary
checked by a regular expression, because most phrases are absent from most texts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scoring.clinical.lexicon import Rules


@dataclass(frozen=True, slots=True)
class Phrase:
    r"""A literal form and the pattern ``\bform(ending)?\b`` that decides where it stands.

    Letters, digits (subscript and superscript ones too) and the underscore are word characters.
    """

    form: str
    pattern: re.Pattern[str] = field(repr=False)

    def occurs_in(self, text: str) -> bool:
        """Whether the form stands in normalised ``text`` between word boundaries."""
        at = text.find(self.form)
        while at >= 0:
            if self.pattern.match(text, at):
                return True
            at = text.find(self.form, at + 1)
        return False


@lru_cache(maxsize=16384)
def _phrase(form: str, suffixes: tuple[str, ...]) -> Phrase:
    ending = f"(?:{'|'.join(map(re.escape, suffixes))})?" if suffixes else ""
    return Phrase(form, re.compile(rf"\b{re.escape(form)}{ending}\b"))


def differential_phrases(labels: Iterable[str], rules: Rules) -> tuple[Phrase, ...]:
    """The phrases of acceptable differentials; short forms (acronyms) take no ending."""
    forms = dict.fromkeys(form for label in labels for form in rules.forms_of(label))
    return tuple(_phrase(form, rules.suffixes if len(form) >= rules.suffix_from else ()) for form in forms)


@lru_cache(maxsize=4096)
def finding_phrases(terms: tuple[str, ...]) -> tuple[Phrase, ...]:
    """The phrases of the terms of one expected finding, exact words all of them."""
    return tuple(_phrase(term, ()) for term in terms)
