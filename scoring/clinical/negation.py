"""What a text denies or rules out: the stretches in which naming something does not count as finding it.

A cue is looked at only when something stands near it, and once. The rules of scope stand in
``docs/gate.md``; the words in ``casos/lengua.json``, part ``negacion``.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from scoring.clinical.words import places_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

_TOKEN = re.compile(r"[^\W_]+|[,()]")
# A dot inside a number or after an abbreviation ends nothing.
_END = re.compile(r"(?<!\bp)(?<!\bej)(?<!\bspp)(?<!\bsp)(?<!\bvs)\.(?=\s|$)|[;:!?\n]|\.\.")
_AHEAD, _BEHIND = 220, 100
"""Characters within which a cue can deny something, behind and before it."""
_JOINTS = frozenset({"y", "e", "o", "u", "ni"})
_BACK_STOPS = _JOINTS | {"con", "por", "pero", "aunque", "tras", "si"}
_MEMORY = 20_000


class Token(NamedTuple):
    """A word, a comma or a parenthesis with its place."""

    word: str
    start: int
    end: int


class WordClass:
    """A set of words in which ``*`` stands for any ending; what was asked once is remembered."""

    def __init__(self, words: Iterable[str]) -> None:
        listed = tuple(words)
        self.exact = frozenset(word for word in listed if not word.endswith("*"))
        self.stems = tuple(word[:-1] for word in listed if word.endswith("*"))
        self._known: dict[str, bool] = {}

    def __contains__(self, word: str) -> bool:
        known = self._known.get(word)
        if known is None:
            known = word in self.exact or (bool(self.stems) and word.startswith(self.stems))
            if len(self._known) < _MEMORY:
                self._known[word] = known
        return known


class _Node:
    """One word of the templates, with the words that may come next."""

    __slots__ = ("ends", "exact", "stems")

    def __init__(self) -> None:
        self.exact: dict[str, _Node] = {}
        self.stems: list[tuple[str, _Node]] = []
        self.ends = False

    def grow(self, word: str) -> _Node:
        if not word.endswith("*"):
            return self.exact.setdefault(word, _Node())
        for stem, node in self.stems:
            if stem == word[:-1]:
                return node
        node = _Node()
        self.stems.append((word[:-1], node))
        return node

    def after(self, word: str) -> _Node | None:
        found = self.exact.get(word)
        if found is None and self.stems:
            for stem, node in self.stems:
                if word.startswith(stem):
                    return node
        return found


class Templates:
    """Sequences of words, found at the beginning of a row of tokens; ``skip`` may stand in between."""

    def __init__(self, templates: Iterable[str], skip: frozenset[str] = frozenset()) -> None:
        self._root = _Node()
        self._skip = skip
        for template in templates:
            node = self._root
            for word in template.split():
                node = node.grow(word)
            node.ends = True

    def match(self, tokens: list[Token], at: int = 0) -> int:
        """Number of the token after the longest template that begins at token ``at``; 0 for none."""
        node: _Node | None = self._root
        found = 0
        while at < len(tokens):
            word = tokens[at].word
            after = node.after(word) if node is not None else None
            at += 1
            if after is not None:
                node = after
                if node.ends:
                    found = at
            elif node is self._root or word not in self._skip:
                break
        return found


@dataclass(frozen=True, slots=True)
class Negation:
    """The cues of negation.

    Attributes:
        heads: first word of a cue -> its kind.
        names: the keys of ``heads``.
        neutral: looks like a cue and denies nothing («no se puede descartar»).
        before: denies what follows («sin», «ausencia de»).
        outside: «fuera de», which denies the few words of its object.
        verbs: verbs with which «no» denies that something is there.
        helpers: what may stand between «no» and such a verb.
        licences: «permite», «puede»: with them an infinitive rules out («permite descartar»).
        conditions: with them before it, ruling out is a condition or denied itself.
        links: what joins «datos», «signos» and the like to what they would show («compatibles con»).
        closers: ends the scope.
        follows: after a cue, shows that what it denies stands before it.
        articles: a new article after a joint opens a new clause.
        longest: most words in a scope.
        longest_back: most words denied before a cue.
    """

    heads: Mapping[str, str] = field(repr=False)
    names: frozenset[str] = field(repr=False)
    neutral: Templates = field(repr=False)
    before: Templates = field(repr=False)
    outside: Templates = field(repr=False)
    verbs: WordClass = field(repr=False)
    helpers: frozenset[str] = field(repr=False)
    licences: frozenset[str] = field(repr=False)
    conditions: frozenset[str] = field(repr=False)
    links: Templates = field(repr=False)
    closers: WordClass = field(repr=False)
    follows: frozenset[str] = field(repr=False)
    articles: frozenset[str] = field(repr=False)
    longest: int = 18
    longest_back: int = 4

    def of(self, text: str, blank: str, words: AbstractSet[str]) -> Denials | None:
        """The denials of normalised ``text``; None when it has no cue at all.

        Args:
            text: normalised.
            blank: its words between blanks, at the same places, with one more blank at either end.
            words: the set of its words.
        """
        cues: list[int] = []
        for head in self.names & words:
            cues += places_of(head, blank)
        return Denials(self, text, sorted(cues)) if cues else None


class Denials:
    """What one text denies."""

    def __init__(self, negation: Negation, text: str, cues: list[int]) -> None:
        self._negation = negation
        self._text = text
        self._cues = cues
        self._scopes: dict[int, tuple[int, int] | None] = {}

    def denies(self, start: int, end: int = 0) -> bool:
        """Whether what stands from ``start`` to ``end`` is denied, by a cue that is no part of it."""
        cues = self._cues
        first, last = bisect_left(cues, start - _AHEAD), bisect_right(cues, start + _BEHIND)
        for at in cues[first:last]:
            if at not in self._scopes:
                self._scopes[at] = self._scope(at)
            scope = self._scopes[at]
            if scope is not None and scope[0] <= start < scope[1] and not start < at < end:
                return True
        return False

    def _scope(self, at: int) -> tuple[int, int] | None:
        """The stretch that the cue at ``at`` denies."""
        rules = self._negation
        tokens = self._tokens(at)
        kind = rules.heads[tokens[0].word]
        if rules.neutral.match(tokens):
            return None
        if kind == "no":
            return self._of_no(at, tokens)
        if kind == "ni":  # within a clause it only continues a denial; at its beginning it denies
            return (
                None if self._earlier(at) or self._text[:at].rstrip()[-1:] == "," else self._ahead(tokens, 1)
            )
        if kind == "outside":
            number = rules.outside.match(tokens)
            return (
                (tokens[number].start, tokens[min(number + 3, len(tokens) - 1)].end)
                if 0 < number < len(tokens)
                else None
            )
        if kind in {"before", "behind"}:
            number = rules.before.match(tokens)
            if number:
                return self._ahead(tokens, number)
            return self._back(at, tokens[0].word) if kind == "behind" else None
        earlier = self._earlier(at)
        if not rules.conditions.isdisjoint(earlier):
            return None
        if kind == "infinitive" and rules.licences.isdisjoint(earlier):
            return None
        if self._refers_back(tokens, 1):
            return self._back(at, tokens[0].word)
        # «Descartada la infección, linfoma»: a participle in the singular rules out one thing.
        return self._ahead(tokens, 1, one=tokens[0].word.endswith(("ado", "ada", "ido", "ida")))

    def _of_no(self, at: int, tokens: list[Token]) -> tuple[int, int] | None:
        rules = self._negation
        number = 1
        while number < len(tokens) and tokens[number].word in rules.helpers:
            number += 1
        verb = number < len(tokens) and tokens[number].word in rules.verbs
        hay = number > 1 and tokens[number - 1].word in rules.verbs
        if not verb and not hay:
            number = 1 + (len(tokens) > 2 and tokens[1].word in rules.articles)
            return tokens[number][1:] if number < len(tokens) else None
        number += verb
        if "se" in {token.word for token in tokens[1:number]} and self._refers_back(tokens, number):
            return self._back(at, tokens[number - 1].word)
        return self._ahead(tokens, number)

    def _tokens(self, at: int) -> list[Token]:
        """The cue and what follows it, up to the end of its clause."""
        text = self._text
        limit = min(len(text), at + _AHEAD)
        over = _END.search(text, at, limit)
        if over is not None and over[0] == ":" and len(text[at : over.start()].split()) <= 2:
            over = _END.search(text, over.end(), limit)  # «Se descartan: linfoma y leucemia»
        stop = over.start() if over is not None else limit
        tokens: list[Token] = []
        depth = 0
        for match in _TOKEN.finditer(text, at, stop):
            start, end = match.span()
            word = text[start:end]
            depth += (word == "(") - (word == ")")
            if depth < 0 or len(tokens) > self._negation.longest + 8:
                break
            if word not in "()":
                tokens.append(Token(word, start, end))
        return tokens

    def _earlier(self, at: int) -> list[str]:
        """The few words before ``at`` in its clause."""
        before = self._text[max(0, at - 45) : at]
        for end in ".;:!?\n,":
            before = before.rpartition(end)[2]
        words = before.split()[-4:]
        joints = [number for number, word in enumerate(words) if word in _JOINTS]
        return words[joints[-1] + 1 :] if joints else words

    def _refers_back(self, tokens: list[Token], number: int) -> bool:
        """Whether nothing follows that the cue could deny."""
        if number >= len(tokens):
            return True
        word = tokens[number].word
        return word == "," or word in self._negation.follows

    def _ahead(self, tokens: list[Token], number: int, *, one: bool = False) -> tuple[int, int] | None:
        """From token ``number`` to the end of what the cue denies; with ``one``, to a comma."""
        rules = self._negation
        for skipped in range(number - 1, min(number + 6, len(tokens))):
            linked = rules.links.match(tokens, skipped)
            if linked:
                number = linked
                break
            if tokens[skipped].word == ",":
                break
        if number >= len(tokens):
            return None
        start, end = tokens[number].start, tokens[number].start
        had_article = tokens[number].word in rules.articles
        joint: int | None = None  # where the scope ends if the member under way turns out to be a clause
        last = min(len(tokens), number + rules.longest)
        while number < last:
            word, _, stop = tokens[number]
            if one and word == ",":
                return start, end
            if word == "," or word in _JOINTS:
                continued = word == "ni"
                while number + 1 < last and (
                    tokens[number + 1].word == "," or tokens[number + 1].word in _JOINTS
                ):
                    number += 1
                    continued = continued or tokens[number].word == "ni"
                if (
                    not continued
                    and not had_article
                    and number + 1 < last
                    and tokens[number + 1].word in rules.articles
                ):
                    return start, end
                joint = None if continued else end
            elif word in rules.closers:
                return start, (end if joint is None else joint)
            else:
                end = stop
            number += 1
        return start, end

    def _back(self, at: int, cue: str) -> tuple[int, int] | None:
        """The few words before a cue."""
        rules = self._negation
        plural = cue[-1] in "sn"
        if self._text[:at].endswith("("):
            at -= 1  # «linfoma (descartado)»
        begin = max(0, at - _BEHIND)
        before = self._text[begin:at]
        cut = max(before.rfind(stop) for stop in (".", ";", "!", "?", "\n", "(", ")"))
        colon = before.rfind(":")
        if before[colon + 1 :].strip():
            cut = max(cut, colon)
        if not plural:
            cut = max(cut, before.rfind(","))
        left = rules.longest_back * (2 if plural else 1)
        start: int | None = None
        for match in reversed(list(_TOKEN.finditer(self._text, begin + cut + 1, at))):
            word = match[0]
            if word in _BACK_STOPS and not (plural and word in _JOINTS):
                break
            start = match.start()
            left -= word != ","
            if not left:
                break
        return None if start is None else (start, at)


def negation(data: Mapping[str, Any]) -> Negation:
    """The cues of the table ``lengua.json``, part ``negacion``."""
    heads: dict[str, str] = {"no": "no", "tampoco": "no", "ni": "ni"}
    for kind, words in (
        ("outside", data["fuera"]),
        ("infinitive", data["descartar"]),
        ("ruling_out", (*data["descartes"], *data["descartados"])),
        ("before", data["delante"]),
        ("behind", data["detras"]),
    ):
        for template in words:
            head = template.split()[0]
            stem = head.rstrip("*")
            endings = ("", "a", "o", "as", "os", "s", "n") if head.endswith("*") else ("",)
            heads.update(dict.fromkeys((stem + ending for ending in endings), kind))
    return Negation(
        heads=heads,
        names=frozenset(heads),
        neutral=Templates(data["no_niegan"], frozenset(data["adverbios"])),
        before=Templates(data["delante"]),
        outside=Templates(data["fuera"]),
        verbs=WordClass(data["verbos"]),
        helpers=frozenset(data["auxiliares"]) | frozenset(data["adverbios"]),
        licences=frozenset(data["licencias"]),
        conditions=frozenset(data["condiciones"]),
        links=Templates(data["enlaces"]),
        closers=WordClass(data["cierran"]),
        follows=frozenset(data["siguen_detras"]),
        articles=frozenset(data["articulos"]),
        longest=data["palabras_como_mucho"],
        longest_back=data["palabras_hacia_atras"],
    )
