"""Where a text names analytes, and which expected findings those mentions cover.

A text is asked once for every form that stands in it; where two overlap the longer one holds, so that
«calcio iónico» says nothing of total calcium. A form that serves several analytes vouches for one of
them only: the first in its list that the case expects and that nothing more specific has named.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from scoring.clinical.direction import LOW
from scoring.clinical.inflection import heads_of, rest_pattern
from scoring.clinical.normalize import fold
from scoring.clinical.symbols import Symbol, read_symbols
from scoring.clinical.words import RARE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

_UNITS_WITHIN = 48
_SUFFIX = "_abs"
_PLACE = itemgetter(0)


@dataclass(frozen=True, slots=True)
class Form:
    """One way of naming analytes.

    Attributes:
        text: the form, normalised.
        owners: the analytes it may name, in order of preference; none for an expression that contains a
            form and names nothing.
        every: it names all its owners at once.
        direction: the direction it says by itself, or None.
        group: number of the group of shared forms, or -1.
        turned: words that, right before it, turn a high form into a low one («no regenerativa»).
        symbol: what has to stand at it, if it is a chemical symbol.
        ratio: it tells of several results at once, so a direction said of it is none of theirs.
        only: its owner, if there is but one.
    """

    text: str
    owners: tuple[str, ...]
    every: bool = True
    direction: str | None = None
    group: int = -1
    turned: frozenset[str] = frozenset()
    symbol: Symbol | None = None
    ratio: bool = False
    only: str | None = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "only", self.owners[0] if len(self.owners) == 1 else None)


Mention = tuple[int, int, Form]
"""A form at a place of a text: where it begins, where it ends, which it is."""


class Head:
    """The forms that begin with one word in one spelling, the longest first.

    Attributes:
        forms: in the order in which they are tried.
        alone: the form that is nothing but that word, when no longer one begins with it; else None.
    """

    __slots__ = ("_pattern", "alone", "forms")

    def __init__(self, forms: Iterable[Form]) -> None:
        self.forms = tuple(
            sorted(forms, key=lambda form: (-len(form.text.split()), -len(form.text), form.text))
        )
        single = len(self.forms) == 1 and not rest_pattern(self.forms[0].text) and not self.forms[0].symbol
        self.alone = self.forms[0] if single else None
        self._pattern: re.Pattern[str] | None = None

    @property
    def rest(self) -> re.Pattern[str]:
        """What may follow the word, one group per form; most are never needed, so they are made late."""
        if self._pattern is None:
            body = "|".join(f"({rest_pattern(form.text)})" for form in self.forms)
            self._pattern = re.compile(rf"(?:{body})(?!\w)")
        return self._pattern


@dataclass(frozen=True, slots=True, eq=False)
class FormIndex:
    """All forms, found by their first word.

    Attributes:
        heads: first word, in any spelling -> the forms that may begin there.
        alone: word -> the form that is just that word, in any spelling.
        alone_words: the keys of ``alone``.
        symbol_forms: the forms that are chemical symbols.
        symbols: those symbols.
        units: those that are units too.
        symbol_heads: the first words to look for so that they are found, and longer forms over them.
        inflected: forms are looked for in singular and plural, and places matter.
    """

    forms: tuple[Form, ...] = field(repr=False)
    inflected: bool
    heads: Mapping[str, Head] = field(repr=False)
    alone: Mapping[str, Form] = field(repr=False)
    alone_words: frozenset[str] = field(repr=False)
    symbol_forms: tuple[Form, ...] = field(repr=False)
    symbols: frozenset[str] = field(repr=False)
    units: frozenset[str] = field(repr=False)
    symbol_heads: frozenset[str] = field(repr=False)

    def heads_for(self, keys: Iterable[str]) -> frozenset[str]:
        """The first words to look for so that mentions of ``keys`` are found, and longer forms over them."""
        wanted = set(keys)
        own = [form for form in self.forms if not wanted.isdisjoint(form.owners)]
        inside = {word for form in own for word in heads_of(form.text)}
        over = [form for form in self.forms if not inside.isdisjoint(_spellings(form.text))]
        return frozenset(head for form in (*own, *over) for head in heads_of(form.text))

    def find(
        self, text: str, blank: str, words: AbstractSet[str], heads: frozenset[str], start: int = 0
    ) -> list[Mention]:
        """The mentions in ``text`` from ``start`` on, in order, none overlapping another.

        Args:
            text: normalised.
            blank: its words between blanks, at the same places (:func:`scoring.clinical.normalize.blanked`),
                with one more blank at either end.
            words: the set of its words.
            heads: the first words to look for (:meth:`heads_for`).
            start: where to begin.
        """
        found: list[Mention] = []
        seek = blank.find
        for word in heads & words:
            head, size = self.heads[word], len(word)
            alone = head.alone
            # :func:`places_of`, written out: this is where most of the time of a search goes
            short = size < RARE
            sought = f" {word} " if short else word
            step = size + 1 if short else size
            at = seek(sought, start)
            while at >= 0:
                if short or (blank[at - 1] == " " == blank[at + size]):
                    begin = at if short else at - 1
                    if alone is not None:
                        found.append((begin, begin + size, alone))
                    else:
                        match = head.rest.match(text, begin + size)
                        if match is not None:
                            form, end = head.forms[(match.lastindex or 1) - 1], match.end()
                            if form.symbol is None or form.symbol.named(text, begin, end):
                                found.append((begin, end, form))
                at = seek(sought, at + step)
        found.sort(key=_PLACE)  # one word begins at one place, so no two are equal
        mentions: list[Mention] = []
        taken = start
        for mention in found:
            begin, end, form = mention
            if begin >= taken:
                taken = end
                mentions.append(_turned(text, mention) if form.turned else mention)
        return mentions

    def symbols_named(self, text: str, blank: str, words: AbstractSet[str], start: int = 0) -> Iterator[Form]:
        """The forms in :meth:`find` of ``text`` that chemical symbols are part of."""
        near = self.symbols & words
        # nearly every text has «mg/dL»
        if near - self.units or any(f"{unit} " in text or f"{unit}:" in text for unit in near):
            for _, _, form in self.find(text, blank, words, self.symbol_heads, start):
                yield form


def _turned(text: str, mention: Mention) -> Mention:
    """``mention``, as the low form with its turning word if there is one."""
    start, end, form = mention
    head, _, last = text[:start].rstrip().rpartition(" ")
    if last not in form.turned:
        return mention
    return len(head) + 1 if head else 0, end, replace(form, direction=LOW, turned=frozenset())


def build_index(forms: Iterable[Form], *, inflected: bool) -> FormIndex:
    """The index of ``forms``."""
    listed = tuple(forms)
    by_head: dict[str, list[Form]] = defaultdict(list)
    for form in listed if inflected else ():
        for word in dict.fromkeys(heads_of(form.text)):
            by_head[word].append(form)
    heads = {word: Head(own) for word, own in by_head.items()}
    alone = {
        spelled: form
        for form in listed
        if form.owners and form.text.isalnum() and form.symbol is None
        for spelled in heads_of(form.text)
    }
    signs = tuple(form for form in listed if form.symbol is not None)
    symbols = frozenset(form.text for form in signs)
    units = frozenset(form.text for form in listed if form.symbol is not None and form.symbol.is_unit)
    over = [form for form in listed if not symbols.isdisjoint(_spellings(form.text))]
    symbol_heads = frozenset(head for form in over for head in heads_of(form.text))
    return FormIndex(listed, inflected, heads, alone, frozenset(alone), signs, symbols, units, symbol_heads)


@lru_cache(maxsize=2048)
def _spellings(form: str) -> frozenset[str]:
    """Every word of a form, in any spelling."""
    return frozenset(spelled for word in form.split() for spelled in heads_of(word))


@lru_cache(maxsize=4096)
def relevant_heads(index: FormIndex, keys: tuple[str, ...]) -> frozenset[str]:
    """:meth:`FormIndex.heads_for`, remembered: cases that expect the same findings share it."""
    return index.heads_for(keys)


@lru_cache(maxsize=4096)
def words_alone(index: FormIndex, keys: tuple[str, ...]) -> frozenset[str]:
    """The single words that name one of ``keys``, remembered likewise."""
    wanted = set(keys)
    return frozenset(word for word, form in index.alone.items() if not wanted.isdisjoint(form.owners))


@lru_cache(maxsize=1024)
def with_further(index: FormIndex, further: tuple[Form, ...]) -> FormIndex:
    """``index`` with the forms of analytes that the table does not have."""
    return build_index((*index.forms, *further), inflected=index.inflected)


def read_forms(data: Mapping[str, Any]) -> tuple[Form, ...]:
    """The forms of the table ``formas.json``."""
    forms: list[Form] = []
    symbols = read_symbols(data["simbolos"])

    def add(row: Mapping[str, Any], owners: Sequence[str], *, every: bool, group: int) -> None:
        for name, direction in (("formas", None), ("alto", "alto"), ("bajo", "bajo"), ("normal", "normal")):
            turned = frozenset(row.get("giran", ())) if name == "alto" else frozenset()
            ratio = row.get("cociente", False)
            forms.extend(
                Form(fold(text), tuple(owners), every, direction, group, turned, ratio=ratio)
                for text in row.get(name, ())
            )
        forms.extend(
            Form(text, tuple(owners), every, group=group, symbol=symbols[text])
            for text in row.get("simbolos", ())
        )

    for key, row in data["analitos"].items():
        add(row, (key,), every=True, group=-1)
    for number, row in enumerate(data["compartidas"]):
        add(row, row["analitos"], every=row.get("nombra_todos", False), group=number)
    forms.extend(Form(fold(text), ()) for text in data["no_nombran"])
    return tuple(forms)


def named_by_units(text: str, end: int, owners: Sequence[str]) -> tuple[str, ...]:
    """Which of a percentage and an absolute count the figures behind a mention are of, if they tell."""
    if len(owners) != 2 or not any(owner.endswith(_SUFFIX) for owner in owners):
        return ()
    behind = text[end : end + _UNITS_WITHIN].partition("\n")[0].partition(";")[0]
    percentage = "%" in behind
    count = "x10" in behind or "/ul" in behind or "/μl" in behind or "/mm3" in behind
    return tuple(owner for owner in owners if (count if owner.endswith(_SUFFIX) else percentage))
