"""Which way a text says that a result moves: up, down, or not at all.

Only a word that stands at the mention counts, before or behind it, with nothing between but fillers,
figures and units. Where the text leaves it open, nothing is held against the output.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import length_hint
from typing import TYPE_CHECKING, Any, NamedTuple

from scoring.clinical.normalize import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

HIGH, LOW, NORMAL = "alto", "bajo", "normal"
_NOT = {HIGH: "no_alto", LOW: "no_bajo", NORMAL: "no_normal"}
_AHEAD, _BEHIND = 110, 80
"""Characters looked at behind and before a mention."""
_STOPS = frozenset(".;:!?")
_NEW_MEMBER = frozenset({"los", "las"})
"""A plural article in a list begins a member that may have an adjective of its own."""
_FIGURE = frozenset("0123456789<>=~+-±%/°^")


_MEMORY = 20_000
"""So many words are remembered with what they do."""
_FILLS, _BEGINS_MEMBER, _SHARED, _OWN, _DENIES, _JOINS, _PASSES, _OTHER, _NOUN, _WITHOUT, _UNIT = range(11)


class _Role(NamedTuple):
    """What a word does behind a mention, and what the signs written at it do."""

    role: int
    said: str | None = None
    stops: bool = False
    opens: bool = False
    closes: bool = False
    lists: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Directions:
    """The words of direction.

    Attributes:
        words: normalised word -> ``alto``, ``bajo`` or ``normal``.
        before: those, and the nouns that tell a direction only before a mention.
        unshared: adjectives that a list does not share out: they are of times, not of quantities.
        fillers: words that may stand between a mention and its direction.
        glue: what joins the members of a list.
        changes: nouns that with «sin» before them say that nothing moves («sin alteraciones»).
        noteworthy: adjectives that may follow those.
        quoted: words that may stand between «normal» or «rango» and the limits they announce.
        abbreviations: words whose dot ends nothing («ref.»).
        symbols: chemical symbols; some of them are fillers too, as units («250 K»).
        declared: what a structured finding may say under ``direccion`` -> the same.
        longest: most words looked at on either side.
        known: what words were found to do, remembered.
    """

    words: Mapping[str, str]
    before: Mapping[str, str]
    unshared: frozenset[str]
    fillers: frozenset[str]
    glue: frozenset[str]
    changes: frozenset[str]
    noteworthy: frozenset[str]
    quoted: frozenset[str]
    abbreviations: frozenset[str]
    symbols: frozenset[str]
    declared: Mapping[str, str]
    longest: int
    known: dict[str, _Role] = field(default_factory=dict, compare=False)

    def around(self, text: str, start: int, end: int) -> str | None:
        """The direction said of the mention at ``start`` to ``end`` of normalised ``text``, or None.

        A direction may be denied («no está baja»): then it is open whether the result is high (:func:`fits`).
        """
        return self._behind(text, end) or self._before(text, start)

    def _behind(self, text: str, end: int) -> str | None:
        if text[end : end + 1] in _STOPS and text[end : end + 2] != ": ":
            return None
        denied = in_list = in_brackets = False
        known = self.known
        row = text[end : end + _AHEAD].partition("\n")[0].split(None, self.longest)[: self.longest]
        left = iter(row)
        for raw in left:
            role, said, stops, opens, closes, lists = known.get(raw) or self._read(raw)
            if role == _FILLS:
                continue
            if role == _UNIT:
                if not in_list and self._next_symbol(row, len(row) - length_hint(left) - 1):
                    return None
                continue
            if role == _BEGINS_MEMBER:
                if in_list:
                    return None
                continue
            if said is not None:
                if in_list and role != _SHARED:
                    return None
                if said != NORMAL:
                    return (self._instead(left) or _NOT[said]) if denied else said
                if denied:
                    return None
                if not self._announces_limits(row, len(row) - length_hint(left) - 1):
                    return NORMAL
            elif role > _OTHER:
                if role == _WITHOUT:
                    return NORMAL if self._unchanged(row, len(row) - length_hint(left) - 1) else None
                if denied and role == _NOUN:  # «no muestran elevación»
                    return _NOT[self.before[raw.strip("(),.;:!?[]")]]
            if role == _DENIES:
                denied = True
            elif role == _JOINS:
                in_list = True
            elif role >= _OTHER and not (in_brackets or in_list or opens):
                return None
            if stops:
                return None
            in_brackets = (in_brackets or opens) and not closes
            in_list = in_list or lists
        return None

    def _next_symbol(self, row: list[str], number: int) -> bool:
        """Whether the «K» or «mg» there is no unit but another analyte: «Na 129, K 5,1 (alto)»."""
        before, after = row[number - 1] if number else "", "".join(row[number + 1 : number + 2])
        return before[-1:] == "," or before in self.glue or after[:1].isdigit() or after[:1] in ":="

    def _instead(self, left: Iterator[str]) -> str | None:
        """The direction put in the place of the one that was denied: «no es baja, sino alta»."""
        if next(left, "") != "sino":
            return None
        for raw in left:
            said = self.words.get(raw.strip("(),.;:!?[]"))
            if said is not None:
                return said
            if raw not in self.fillers:
                break
        return None

    def _announces_limits(self, row: list[str], number: int) -> bool:
        """Whether the «normal» or «rango» there only quotes the limits: «(rango: 0,5-1,8)», «(normal < 1,8)».

        One figure alone is the result itself («normal, 1,2»), as are limits in brackets of their own («normal
        (0,5-1,8)») and those a result lies within («en el rango 0,5-1,8»).
        """
        for before in reversed(row[:number]):
            if before == "en":
                return False
            if before not in {"el", "los", "la"}:
                break
        for at in range(number + 1, len(row)):
            word = row[at]
            if word[0].isdigit() or word[0] in "<>":
                limits = word.rstrip("),.;")
                dash = limits.find("-", 1)
                return word[0] in "<>" or dash > 0 or row[at + 1 : at + 2] in (["-"], ["a"], ["y"])
            if word.rstrip(":=") not in self.quoted:
                return False
        return False

    def _unchanged(self, row: list[str], number: int) -> bool:
        """Whether the «sin» there has only «alteraciones» and the like behind it, and no comma before."""
        behind = row[number + 1 : number + 3]
        if number and row[number - 1][-1] == ",":
            measured = any(map(_is_figure, row[:number]))  # «4,5 mEq/L, sin alteraciones.»
            if not measured or not behind or behind[0][-1] not in ".;":
                return False
        if not behind or behind[0].strip("(),.;:") not in self.changes:
            return False
        over = behind[0][-1] in ",.;:)" or len(behind) == 1
        return over or behind[1] in self.glue or behind[1].strip("(),.;:") in self.noteworthy

    def _read(self, raw: str) -> _Role:
        """What a word, with the signs written at it, does behind a mention; remembered."""
        role = self._role(raw)
        if len(self.known) < _MEMORY:
            self.known[raw] = role
        return role

    def _role(self, raw: str) -> _Role:
        word, said = raw, self.words.get(raw)
        if said is None:
            if raw in self.fillers:
                if raw in self.symbols:
                    return _Role(_UNIT)
                return _Role(_BEGINS_MEMBER if raw in _NEW_MEMBER else _FILLS)
            word = raw.strip("(),.;:!?[]")
            said = self.words.get(word)
        figure, colon = _is_figure(word), raw[-1] == ":"
        if said is not None:
            role = _SHARED if _plural(word) and word not in self.unshared else _OWN
        elif word in {"no", "ni", "fuera"}:
            role = _DENIES
        elif word == "sin":
            role = _WITHOUT
        elif word in self.before:
            role = _NOUN
        elif word in self.glue:
            role = _JOINS
        else:
            passes = not word or word in self.fillers or figure or word in self.abbreviations
            role = _PASSES if passes else _OTHER
        return _Role(
            role,
            said,
            stops=raw[-1] in _STOPS
            and word not in self.abbreviations
            and not (colon and (figure or not word)),
            opens="(" in raw,
            closes=")" in raw,
            lists=raw[-1] == "," and not figure,
        )

    def _before(self, text: str, start: int) -> str | None:
        head = text[max(0, start - _BEHIND) : start]
        if not head or not head[-1].isspace():
            return None
        found: str | None = None
        for word in reversed(head.rpartition("\n")[2].rsplit(None, self.longest)):
            if found is None:
                found = self.before.get(word)
                if found is not None:
                    continue
            elif word == "no":
                return None if found == NORMAL else NORMAL  # «no es normal la creatinina»
            if word not in self.fillers:
                break
        return found


def fits(said: str | None, wanted: str) -> bool | None:
    """Whether what is said of a result is what it is; None where that is left open.

    Args:
        said: as :meth:`Directions.around` tells it.
        wanted: ``alto``, ``bajo`` or ``normal``.
    """
    if said is None or said in {HIGH, LOW, NORMAL}:
        return None if said is None else said == wanted
    if said == _NOT[wanted]:
        return False
    return True if wanted == NORMAL else None


def _plural(word: str) -> bool:
    return word[-1:] == "s" or word in {"encima", "debajo", "dentro", "rango"}


def _is_figure(word: str) -> bool:
    return word[:1] in _FIGURE or "/" in word or "%" in word


def directions(data: Mapping[str, Any], symbols: Iterable[str]) -> Directions:
    """The words of the table ``lengua.json``, part ``direccion``, and the chemical symbols."""
    words = {word: way for way in (HIGH, LOW, NORMAL) for word in data[way]}
    nouns = {word: way for way in (HIGH, LOW) for word in data[f"{way}_delante"]}
    return Directions(
        words=words,
        before=words | nouns,
        unshared=frozenset(data["no_se_reparten"]),
        fillers=frozenset(data["relleno"]) - words.keys() - nouns.keys(),
        glue=frozenset(data["nexos"]),
        changes=frozenset(data["cambios"]),
        noteworthy=frozenset(data["de_nota"]),
        abbreviations=frozenset(data["abreviaturas"]),
        symbols=frozenset(symbols),
        quoted=frozenset(data["de_los_limites"]),
        declared={fold(said).strip(): way for way, words in data["declaradas"].items() for said in words},
        longest=data["palabras_como_mucho"],
    )
