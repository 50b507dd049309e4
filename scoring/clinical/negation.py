"""What a text denies or rules out: the stretches in which naming something does not count as finding it.

A cue is looked at only when something stands near it, and once. The rules of scope stand in
``docs/gate.md``; the words in ``casos/lengua.json``, part ``negacion``.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scoring.clinical.templates import Templates, Token, WordClass
from scoring.clinical.words import places_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

_TOKEN = re.compile(r"[^\W_]+|[,()]")
# A dot inside a number or after an abbreviation ends nothing.
_END = re.compile(r"(?<!\bp)(?<!\bej)(?<!\bspp)(?<!\bsp)(?<!\bvs)\.(?=\s|$)|[;:!?\n]|\.\.")
_AHEAD, _BEHIND = 220, 100
"""Characters within which a cue can deny something, behind and before it."""
_JOINTS = frozenset({"y", "e", "o", "u", "ni"})
_BACK_STOPS = _JOINTS | {"con", "por", "pero", "aunque", "tras", "si"}


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
        leads: what may lead to the thing asked about («¿podría ser...?», «sospecha de ...:»).
        joins: words with which a label or question says more than what it asks about.
        proofs: «datos», «evidencia»: with nothing behind them they answer what stands before.
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
    leads: Templates = field(repr=False)
    joins: frozenset[str] = field(repr=False)
    proofs: frozenset[str] = field(repr=False)
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
        if kind != "ni" and self._answers(tokens, kind):
            topic = self._topic(at, alone=all(token.word != "," for token in tokens))
            if topic is not None:
                return topic
        if kind == "no":
            return self._of_no(at, tokens)
        if kind == "ni":  # within a clause it only continues a denial; at its beginning it denies
            return (
                None
                if self._earlier(at) or self._text[:at].rstrip()[-1:] == ","
                else self._ahead(tokens, 1, each=True)
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
        if self._text[tokens[-1].end :].lstrip()[:1] == "?":  # «¿se puede descartar un linfoma?»
            return None
        earlier = self._earlier(at)
        if not rules.conditions.isdisjoint(earlier):
            return None
        if kind == "infinitive" and rules.licences.isdisjoint(earlier):
            return None
        if self._refers_back(tokens, 1):
            return self._back(at, tokens[0].word)
        # «Descartada la infección, linfoma»: a participle in the singular rules out one thing.
        return self._ahead(tokens, 1, one=tokens[0].word.endswith(("ado", "ada", "ido", "ida")))

    def _answers(self, tokens: list[Token], kind: str) -> bool:
        """Whether the cue says all there is to say: «no», «descartado», «no hay datos», «sin evidencia»."""
        rules = self._negation
        over = self._text[tokens[-1].end :].lstrip()[:1]
        if over == "?":  # «..., ¿no?»
            return False
        words = [token.word for token in tokens]
        number = 1
        if kind in {"no", "before"}:
            while number < len(words) and (
                words[number] in rules.helpers
                or words[number] in rules.verbs
                or words[number] in rules.proofs
            ):
                number += 1
            if number > 1 and words[number - 1] not in rules.proofs:
                return False
            if kind == "before" and number == 1:
                return False
        return number == len(words) or words[number] == ","

    def _topic(self, at: int, *, alone: bool) -> tuple[int, int] | None:
        """What a label or question just before ``at`` is about («linfoma: no», «¿linfoma? no»).

        None where it says more than a name, for then the answer is about something else: «tratamiento del
        linfoma: no», «¿tiene curación el linfoma? no». In a parenthesis it has to stand ``alone``: not
        «linfoma (no, no se ha tratado)».
        """
        rules = self._negation
        before = self._text[max(0, at - _BEHIND) : at].rstrip(" (")
        opened = "(" in self._text[len(before) + max(0, at - _BEHIND) : at]
        if not (opened and alone) and before[-1:] not in {":", "?"}:
            return None
        end = max(0, at - _BEHIND) + len(before.rstrip(":? "))
        begin = max(self._text.rfind(stop, 0, end) for stop in ".;:!?\n(),¿") + 1
        tokens = [Token(match[0], *match.span()) for match in _TOKEN.finditer(self._text, begin, end)]
        tokens = tokens[rules.leads.match(tokens) :]
        if tokens and tokens[0].word in rules.articles:
            del tokens[0]
        said_more = any(
            word in rules.articles or word in rules.joins or word in rules.verbs or word in rules.closers
            for word, _, _ in tokens
        )
        if not tokens or said_more or len(tokens) > rules.longest_back:
            return None
        return tokens[0].start, end

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
        said = text[at : over.start()].split() if over is not None and over[0] == ":" else []
        if over is not None and 0 < len(said) <= 2 and said != ["no"]:
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

    def _ahead(
        self, tokens: list[Token], number: int, *, one: bool = False, each: bool = False
    ) -> tuple[int, int] | None:
        """From token ``number`` to the end of what the cue denies; with ``one``, to a comma.

        With ``each`` every member bears its «ni», once a second one does: «ni leucemia ni mieloma, linfoma».
        """
        several = False
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
                if each and several and word == "," and not continued:
                    return start, end
                several = several or continued
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
        leads=Templates(data["encabezan"]),
        joins=frozenset(data["amplian"]),
        proofs=frozenset(data["pruebas"]),
        articles=frozenset(data["articulos"]),
        longest=data["palabras_como_mucho"],
        longest_back=data["palabras_hacia_atras"],
    )
