"""Which expected findings an output names, which it names the wrong way round, and what else it lists.

A finding is covered by a mention that is not denied and does not say the opposite direction; a mention that
leaves the direction open covers it unless every mention that tells one tells the opposite.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scoring.clinical.direction import fits
from scoring.clinical.mentions import named_by_units

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from scoring.clinical.lexicon import Rules
    from scoring.clinical.mentions import FormIndex, Mention
    from scoring.clinical.negation import Denials


@dataclass(frozen=True, slots=True)
class Source:
    """A normalised text in which findings are looked for.

    Attributes:
        text: normalised.
        blank: its words between blanks, one more blank at either end.
        words: the set of its words.
        start: where to begin.
        denials: what it denies; None for nothing.
        entries: for a list of declared findings where each begins, else empty.
        declared: the direction each of them declares, or None.
    """

    text: str = field(repr=False)
    blank: str = field(repr=False)
    words: AbstractSet[str] = field(repr=False)
    start: int = 0
    denials: Denials | None = None
    entries: tuple[int, ...] = ()
    declared: tuple[str | None, ...] = ()

    @property
    def is_prose(self) -> bool:
        """It is running text and no list of declared findings."""
        return not self.entries

    def entry_at(self, start: int) -> int:
        """Number of the declared finding that stands at ``start``."""
        return bisect_right(self.entries, start) - 1


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was found.

    Attributes:
        found: the covered findings.
        contrary: findings that were named, with the wrong direction only.
        by_prose: some finding was covered by prose and by no declared finding.
        listed: findings the output lists (declared entries, or analytes that words of the prose name).
        listed_expected: how many of them the case expects.
    """

    found: frozenset[str]
    contrary: frozenset[str] = frozenset()
    by_prose: bool = False
    listed: int = 0
    listed_expected: int = 0


class _Search:
    """One search for the expected findings of a case."""

    def __init__(self, expected: Mapping[str, str | None], rules: Rules) -> None:
        self.expected = expected
        self.rules = rules
        self.agree: set[str] = set()
        self.neutral: set[str] = set()
        self.contrary: set[str] = set()
        self.declared: set[str] = set()
        self.shared: dict[int, list[tuple[Source, Mention]]] = defaultdict(list)
        self.settled: set[str] = set()
        self.entries: set[int] = set()

    def look(self, source: Source, index: FormIndex, heads: frozenset[str]) -> None:
        """Search one source."""
        expected, settled, is_prose = self.expected, self.settled, source.is_prose
        denials = source.denials
        for mention in index.find(source.text, source.blank, source.words, heads, source.start):
            start, end, form = mention
            owner = form.only
            if owner is not None and is_prose:
                if owner in settled or owner not in expected:
                    continue
                wanted = form.owners
            else:
                wanted = tuple(own for own in form.owners if own in expected and own not in settled)
                if not wanted:
                    if not is_prose and any(own in expected for own in form.owners):
                        self.entries.add(source.entry_at(start))
                    continue
            if denials is not None and denials.denies(start, end):
                if form.direction is not None:  # «plaquetas de 250.000, sin trombocitopenia»
                    self.contrary.update(own for own in wanted if expected[own] == form.direction)
                continue
            if not is_prose:
                self.entries.add(source.entry_at(start))
            if not form.every:
                self.shared[form.group].append((source, mention))
                continue
            for owner in wanted:
                self.vote(owner, source, mention)
                if owner in self.agree or (expected[owner] is None and owner in self.neutral):
                    settled.add(owner)

    def vote(self, owner: str, source: Source, mention: Mention) -> None:
        """Take a mention for or against a finding, or as one that leaves its direction open."""
        wanted = self.expected[owner]
        agrees = None if wanted is None else fits(self.direction(source, mention), wanted)
        if agrees is None:
            self.neutral.add(owner)
        elif agrees:
            self.agree.add(owner)
        else:
            self.contrary.add(owner)
            return
        if not source.is_prose:
            self.declared.add(owner)

    def direction(self, source: Source, mention: Mention) -> str | None:
        """The direction that is said of a mention, or None."""
        start, end, form = mention
        if self.rules.directions is None or form.ratio:
            return None
        if not source.is_prose:
            return source.declared[source.entry_at(start)] or form.direction
        if form.direction is not None:
            return form.direction
        return self.rules.directions.around(source.text, start, end)

    def found(self) -> set[str]:
        return self.agree | (self.neutral - self.contrary)

    def settle_shared(self) -> None:
        """Let each group of shared forms vouch for one analyte, or for those its figures tell."""
        for group in sorted(self.shared):
            mentions = self.shared[group]
            owners = mentions[0][1][2].owners
            told: set[str] = set()
            for source, (_, end, _) in mentions:
                if source.is_prose:
                    told.update(named_by_units(source.text, end, owners))
            targets = [owner for owner in owners if owner in self.expected and owner in told]
            if not targets:
                covered = self.found()
                free = [owner for owner in owners if owner in self.expected and owner not in covered]
                targets = free[:1]
            for owner in targets:
                for source, mention in mentions:
                    if owner in self.agree and source.is_prose:
                        break  # prose comes last, and can add nothing to an agreement
                    self.vote(owner, source, mention)


def named(terms: Sequence[tuple[str, frozenset[str]]], sources: Sequence[Source]) -> Coverage:
    """The keys of which some term is a word of a source; places, directions and denials do not matter."""
    words = sources[0].words
    return Coverage(frozenset(key for key, own in terms if not own.isdisjoint(words)))


def cover(
    expected: Mapping[str, str | None],
    exact: Mapping[str, str],
    sources: Sequence[Source],
    index: FormIndex,
    heads: frozenset[str],
    own_words: frozenset[str],
    rules: Rules,
) -> Coverage:
    """Search ``sources`` for the expected findings.

    Args:
        expected: analyte key -> the direction of its result, or None where that does not matter.
        exact: an entry that is nothing but this text -> the expected key it names.
        sources: declared findings first, then prose.
        index: the forms to look for.
        heads: the first words of those that matter.
        own_words: the single words that name an expected finding.
        rules: what applies to mentions.
    """
    search = _Search(expected, rules)
    declared = next((source for source in sources if not source.is_prose), None)
    for source in sources:
        search.look(source, index, heads)
    search.settle_shared()
    if declared is not None:
        for number, begin in enumerate(declared.entries):
            end = declared.entries[number + 1] if number + 1 < len(declared.entries) else None
            key = exact.get(declared.text[begin:end].strip(" ;"))
            if key is not None:
                search.entries.add(number)
                said = declared.declared[number]
                agrees = said is None or expected[key] in {None, said}
                (search.agree if agrees else search.contrary).add(key)
                search.declared.add(key)
    found = search.found()
    contrary = search.contrary - found
    if declared is not None:
        listed, good = len(declared.entries), len(search.entries)
    else:
        prose = sources[-1]
        beside = (index.alone_words & prose.words) - own_words
        named_too = {index.alone[word].owners[0] for word in beside}
        for form in index.symbols_named(prose.text, prose.blank, prose.words, prose.start):
            if expected.keys().isdisjoint(form.owners):
                named_too.update(form.owners[:1])
        good = len(found | contrary)
        listed = good + len(named_too)
    return Coverage(frozenset(found), frozenset(contrary), bool(found - search.declared), listed, good)
