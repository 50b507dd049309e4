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
from typing import TYPE_CHECKING, Any, NamedTuple

from scoring.clinical.direction import LOW
from scoring.clinical.inflection import form_pattern, heads_of
from scoring.clinical.matching import places_of
from scoring.clinical.normalize import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
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
    """

    text: str
    owners: tuple[str, ...]
    every: bool = True
    direction: str | None = None
    group: int = -1
    turned: frozenset[str] = frozenset()


class Mention(NamedTuple):
    """A form at a place of a text."""

    start: int
    end: int
    form: Form


class Head(NamedTuple):
    """The forms that begin with one word, longest first; no pattern when that word is the only one."""

    pattern: re.Pattern[str] | None
    forms: tuple[Form, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FormIndex:
    """All forms, found by their first word.

    Attributes:
        heads: first word, in any spelling -> the forms that may begin there.
        alone: word -> the form that is just that word, in any spelling.
        alone_words: the keys of ``alone``.
        inflected: forms are looked for in singular and plural, and places matter.
    """

    forms: tuple[Form, ...] = field(repr=False)
    inflected: bool
    heads: Mapping[str, Head] = field(repr=False)
    alone: Mapping[str, Form] = field(repr=False)
    alone_words: frozenset[str] = field(repr=False)

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
        for word in heads & words:
            pattern, forms = self.heads[word]
            for at in places_of(word, blank, start):
                if pattern is None:
                    found.append(Mention(at, at + len(word), forms[0]))
                else:
                    match = pattern.match(text, at)
                    if match is not None:
                        found.append(Mention(at, match.end(), forms[(match.lastindex or 1) - 1]))
        found.sort(key=_PLACE)  # one word begins at one place, so no two are equal
        mentions: list[Mention] = []
        taken = start
        for mention in found:
            begin, end, form = mention
            if begin >= taken:
                taken = end
                mentions.append(_turned(text, mention) if form.turned else mention)
        return mentions


def _turned(text: str, mention: Mention) -> Mention:
    """``mention``, as the low form with its turning word if there is one."""
    head, _, last = text[: mention.start].rstrip().rpartition(" ")
    if last not in mention.form.turned:
        return mention
    low = replace(mention.form, direction=LOW, turned=frozenset())
    return Mention(len(head) + 1 if head else 0, mention.end, low)


def build_index(forms: Iterable[Form], *, inflected: bool) -> FormIndex:
    """The index of ``forms``."""
    listed = tuple(forms)
    by_heads: dict[tuple[str, ...], list[Form]] = defaultdict(list)
    for form in listed:
        by_heads[heads_of(form.text)].append(form)
    heads: dict[str, Head] = {}
    if inflected:
        # Heads of one stem share spellings («calcio», «calcica»), and then they share a pattern as well.
        merged: list[tuple[set[str], list[Form]]] = []
        for spelled, own in by_heads.items():
            joined = [one for one in merged if not one[0].isdisjoint(spelled)]
            rest = [one for one in merged if one[0].isdisjoint(spelled)]
            spellings = set(spelled).union(*(one[0] for one in joined))
            merged = [*rest, (spellings, [*own, *(form for one in joined for form in one[1])])]
        for spellings, own in merged:
            ordered = sorted(own, key=lambda form: (-len(form.text.split()), -len(form.text), form.text))
            single = len(ordered) == 1 and ordered[0].text in spellings
            body = "|".join(f"({form_pattern(form.text)})" for form in ordered)
            head = Head(None if single else re.compile(rf"(?:{body})(?!\w)"), tuple(ordered))
            heads.update(dict.fromkeys(spellings, head))
    alone = {
        spelled: form
        for form in listed
        if form.owners and form.text.isalnum()
        for spelled in heads_of(form.text)
    }
    return FormIndex(listed, inflected, heads, alone, frozenset(alone))


@lru_cache(maxsize=2048)
def _spellings(form: str) -> frozenset[str]:
    """Every word of a form, in any spelling."""
    return frozenset(spelled for word in form.split() for spelled in heads_of(word))


@lru_cache(maxsize=4096)
def relevant_heads(index: FormIndex, keys: tuple[str, ...]) -> frozenset[str]:
    """:meth:`FormIndex.heads_for`, remembered: cases that expect the same findings share it."""
    return index.heads_for(keys)


@lru_cache(maxsize=1024)
def with_further(index: FormIndex, further: tuple[Form, ...]) -> FormIndex:
    """``index`` with the forms of analytes that the table does not have."""
    return build_index((*index.forms, *further), inflected=index.inflected)


def read_forms(data: Mapping[str, Any]) -> tuple[Form, ...]:
    """The forms of the table ``formas.json``."""
    forms: list[Form] = []

    def add(row: Mapping[str, Any], owners: Sequence[str], *, every: bool, group: int) -> None:
        for name, direction in (("formas", None), ("alto", "alto"), ("bajo", "bajo"), ("normal", "normal")):
            turned = frozenset(row.get("giran", ())) if name == "alto" else frozenset()
            forms.extend(
                Form(fold(text), tuple(owners), every, direction, group, turned) for text in row.get(name, ())
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
