"""What a text denies or rules out: the stretches in which naming something does not count as finding it.

A cue is looked at only when something stands near it, and once. The rules of scope stand in
``docs/gate.md``; the words in ``casos/lengua.json``, part ``negacion``.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scoring.clinical.answers import antecedent, behind, is_answer, label_of_test, points_back, topic
from scoring.clinical.clauses import (
    BEHIND,
    JOINTS,
    clause_end,
    line_before,
    list_end,
    row_end,
    tokens_of,
    words_before,
)
from scoring.clinical.cues import Cues, read_cues
from scoring.clinical.scope import Stretch, ahead, next_word, past_aside, refers_back
from scoring.clinical.words import places_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from scoring.clinical.templates import Token

_AHEAD, _AHEAD_OF_LIST, _HEADING = 220, 600, 40
"""Characters within which a cue can deny something behind it, as heading of a list too; its own at most."""


_HEADINGS = frozenset({"ruled_out", "behind", "past", "ruling_out"})
"""Kinds of cues that alone are the heading of a list."""
_PARTICIPLE = ("ado", "ada", "ados", "adas", "ido", "ida", "idos", "idas")


@dataclass(frozen=True, slots=True)
class Negation:
    """The reader of denials.

    Attributes:
        cues: the words it goes by.
    """

    cues: Cues = field(repr=False)

    def of(self, text: str, blank: str, words: AbstractSet[str]) -> Denials | None:
        """The denials of normalised ``text``; None when it has no cue at all.

        Args:
            text: normalised.
            blank: its words between blanks, at the same places, with one more blank at either end.
            words: the set of its words.
        """
        places: list[int] = []
        for head in self.cues.names & words:
            found = places_of(head, blank)
            if self.cues.heads[head] == "instead":  # «tal vez» and «tuvo lugar» are no cues
                found = [at for at in found if text[max(0, at - 3) : at] == "en "]
            places += found
        return Denials(self.cues, text, sorted(places)) if places else None


class Denials:
    """What one text denies."""

    def __init__(self, cues: Cues, text: str, places: list[int]) -> None:
        self._cues = cues
        self._text = text
        self._places = places
        self._scopes: dict[int, Stretch | None] = {}
        self._headings = [at for at in places if text.find(":\n", at, at + _HEADING) >= 0]
        self._takes_back: bool | None = None

    def denies(self, start: int, end: int = 0) -> bool:
        """Whether what stands from ``start`` to ``end`` is denied, by a cue that is no part of it."""
        places = self._places
        first, last = bisect_left(places, start - _AHEAD), bisect_right(places, start + BEHIND)
        near = places[first:last]
        if self._headings:
            own = self._headings
            near += own[bisect_left(own, start - _AHEAD_OF_LIST) : bisect_left(own, start - _AHEAD)]
        for at in near:
            if at not in self._scopes:
                self._scopes[at] = self._scope(at)
            scope = self._scopes[at]
            if scope is not None and scope[0] <= start < scope[1] and not start < at < end:
                return True
        return False

    def _scope(self, at: int) -> Stretch | None:
        """The stretch that the cue at ``at`` denies."""
        cues, text = self._cues, self._text
        stop, sign = clause_end(text, at)
        tokens = tokens_of(text, at, stop, cues.longest + 8)
        cue = tokens[0].word
        kind = cues.heads[cue]
        if cues.neutral.match(tokens) or self._taken_back(tokens):
            return None
        if sign in {":", "\n"} and self._heads_list(at, kind, tokens, sign):
            if not text[stop + 1 : stop + _AHEAD].partition("\n")[0].strip() or sign == "\n":
                end = list_end(text, stop, marked=sign == "\n")
                if end > stop:
                    return stop, end
            else:
                tokens = tokens_of(text, at, row_end(text, stop + 1), cues.longest + 8)
        if kind not in {"ni", "instead", "past"} and is_answer(cues, text, tokens, kind):
            asked = topic(
                cues,
                text,
                at,
                alone=all(token.word != "," for token in tokens),
                bare=kind == "sign" or (cue in {"no", "nao"} and self._is_bare(tokens)),
                every=bool(cues.replies.match(tokens)),
            )
            if asked is not None:
                return asked
            if any(points_back(cues, tokens, number) for number in range(1, len(tokens))):
                return antecedent(cues, text, at)
        return self._of_kind(kind, at, tokens)

    def _of_kind(self, kind: str, at: int, tokens: list[Token]) -> Stretch | None:
        cues, text, cue = self._cues, self._text, tokens[0].word
        if kind == "no":
            return self._of_no(at, tokens)
        if kind == "ni":  # within a clause it only continues a denial; at its beginning it denies
            if words_before(text, at) or text[max(0, at - BEHIND) : at].rstrip()[-1:] == ",":
                return None
            if any(token.word.startswith(cues.doubts) for token in tokens):
                return None  # «ni linfoma ni leucemia pueden descartarse»
            for number in range(2, min(8, len(tokens) - 1)):
                if tokens[number].word in cues.being:
                    return ahead(cues, tokens, number + 1)
            return ahead(cues, tokens, 1, each=True)
        if kind == "outside":
            number = cues.outside.match(tokens)
            if words_before(text, at)[-1:] and words_before(text, at)[-1] in cues.put_outside:
                over = refers_back(cues, tokens, 1) or any(
                    word in cues.list_words for word, _, _ in tokens[1:5]
                )
                return behind(cues, text, at, cue) if over else None
            if len(tokens) == 1 and cue == "fuera":  # «serología negativa, toxoplasmosis fuera»
                return topic(cues, text, at, alone=True, bare=True)
            if not 0 < number < len(tokens):
                return None
            return tokens[number].start, tokens[min(number + 3, len(tokens) - 1)].end
        if kind == "remove":
            return self._off_the_list(at, tokens)
        if kind == "instead":
            number = cues.instead.match(tokens)
            return ahead(cues, tokens, number, one=True) if number else None
        if kind == "past":
            number = cues.past.match(tokens)
            again = any(token.word in cues.returns for token in tokens)
            return ahead(cues, tokens, number) if number and not again else None
        if kind in {"before", "behind"}:
            number = cues.before.match(tokens)
            if number and cue not in cues.concord and "no" in words_before(text, at):
                return None
            if number:
                return ahead(cues, tokens, number, one=self._opens_sentence(at, tokens))
            if kind == "before":
                return None
            if len(tokens) > 1 and tokens[1].word in cues.articles and not line_before(text, at):
                return ahead(cues, tokens, 1)  # «negativa la PCR de ehrlichia»
            label = label_of_test(cues, text, at)
            if label >= 0:
                return topic(cues, text, label, alone=True, bare=False)
            return behind(cues, text, at, cue)
        if kind == "sign":  # «✗ linfoma»
            return None if line_before(text, at) else ahead(cues, tokens, 1)
        return self._of_ruling_out(kind, at, tokens)

    def _off_the_list(self, at: int, tokens: list[Token]) -> Stretch | None:
        """«Se elimina del diferencial», «elimino linfoma de la lista»."""
        cues, text = self._cues, self._text
        ends = [number for number in range(1, min(9, len(tokens))) if tokens[number].word in cues.list_words]
        if not ends or any(word in cues.conditions for word in words_before(text, at)):
            return None
        if tokens[1].word in cues.leading:
            return behind(cues, text, at, tokens[0].word)
        return tokens[1].start, tokens[ends[0]].start

    def _of_ruling_out(self, kind: str, at: int, tokens: list[Token]) -> Stretch | None:
        cues, text, cue = self._cues, self._text, tokens[0].word
        if text[tokens[-1].end :].lstrip()[:1] == "?":  # «¿se puede descartar un linfoma?»
            return None
        earlier = words_before(text, at)
        if any(word in cues.conditions for word in earlier) or text.endswith(" ni ", 0, at):
            return None
        if kind == "infinitive" and (cues.licences.isdisjoint(earlier) or "ni" in line_before(text, at)):
            return None
        number = 1 + (len(tokens) > 1 and tokens[1].word == "se")  # «descarta-se»
        if refers_back(cues, tokens, number):
            return behind(cues, text, at, cue)
        # «Descartada la infección, linfoma»: a participle in the singular rules out one thing.
        return ahead(cues, tokens, number, one=kind == "ruled_out" and cue[-1] != "s")

    def _of_no(self, at: int, tokens: list[Token]) -> Stretch | None:
        cues, text = self._cues, self._text
        number = 1
        while number < len(tokens) and tokens[number].word in cues.helpers:
            number += 1
        earlier = words_before(text, at)
        if earlier[-1:] == ["que"] and "no" in earlier and "duda" not in earlier:
            return None  # «no puedo asegurar que no sea un linfoma»
        beyond = cues.subjects.match(tokens, 1)
        verb = number < len(tokens) and tokens[number].word in cues.verbs
        if verb and number == 1 and tokens[1].word.endswith(_PARTICIPLE):
            # «diabetes no diagnosticada» denies no diabetes; «anemia no debida a hemólisis» goes on
            verb = len(tokens) > 2 and tokens[2].word in cues.leading and tokens[1].word in cues.governing
        hay = number > 1 and tokens[number - 1].word in cues.verbs
        shown = number < len(tokens) and tokens[number].word in cues.shows
        said = beyond or (number + verb if verb or hay else 0)
        if said and (said == len(tokens) or tokens[said].word == ","):
            after = past_aside(cues, tokens, said)
            if after > said:  # «no hay, pues, ...»
                return ahead(cues, tokens, after)
            if earlier:
                return behind(cues, text, at, "no")  # «el shunt no procede», «linfoma no hay»
        if not verb and not hay and not shown:
            return None if self._turns_denial(at) else next_word(cues, tokens, number)
        if verb and "sin" in words_before(text, at, beyond_commas=True)[:1]:
            return None  # «sin biopsia no se confirma un linfoma»
        number += verb or shown
        passed = {token.word for token in tokens[1:number]}
        governs = verb and number < len(tokens) and tokens[number].word in cues.leading
        if governs and tokens[number - 1].word in cues.governing:
            return ahead(cues, tokens, number + 1)
        if refers_back(cues, tokens, number) and ("se" in passed or not passed.isdisjoint(cues.objects)):
            return behind(cues, text, at, tokens[number - 1].word)
        one = not cues.subordinate.isdisjoint(earlier)
        return ahead(cues, tokens, number, one=one)

    def _turns_denial(self, at: int) -> bool:
        """Whether a bare «no» sets something against what its sentence denied or explained.

        «Descarto A, pero no B»; «explica A, pero no B», for B is there all the same.
        """
        text = self._text
        if not self._is_against(at):
            return False
        if any(word in self._cues.explaining for word in line_before(text, at)):
            return True
        number = bisect_left(self._places, at) - 1
        before = self._places[number] if number >= 0 else at
        if number < 0 or at - before > _AHEAD or self._is_against(before):
            return False
        if any(sign in text[before:at] for sign in (". ", ";", "\n")):
            return False
        if before not in self._scopes:
            self._scopes[before] = self._scope(before)
        return self._scopes[before] is not None

    def _is_against(self, at: int) -> bool:
        """Whether the «no» there is that of «pero no» or «no así»."""
        return self._text.endswith("pero ", 0, at) or self._text.startswith("no asi ", at)

    def _is_bare(self, tokens: list[Token]) -> bool:
        """Whether a «no» stands alone, or with nothing but a pronoun and its verb."""
        return len(tokens) == 1 or tokens[1].word == "," or tokens[1].word in self._cues.objects

    def _opens_sentence(self, at: int, tokens: list[Token]) -> bool:
        """Whether the cue opens a sentence of which the rest stands behind its only comma.

        «Sin otra causa aparente, linfoma»; not «sin linfoma, leucemia ni mieloma».
        """
        words = [token.word for token in tokens]
        if words.count(",") != 1 or not JOINTS.isdisjoint(words[words.index(",") :]):
            return False
        return line_before(self._text, at) in ([], ["en"], ["ante", "la"])

    def _heads_list(self, at: int, kind: str, tokens: list[Token], sign: str) -> bool:
        """Whether the clause is the heading of what follows its colon or stands below.

        «Descartados:», «No se observan:», «Sin datos de:»; without a colon only «Diagnósticos descartados»
        on a line by itself. Not «linfoma descartado: citología normal» nor «no: pancreatitis».
        """
        cues = self._cues
        last = tokens[-1].word
        if kind in _HEADINGS and len(tokens) == 1:
            opens = sign == ":" or (last[-1] == "s" and kind in {"ruled_out", "behind"})
        else:
            opens = sign == ":" and (
                last in cues.leading or (kind == "no" and last[-1] == "n" and last in cues.verbs)
            )
        if not opens or len(tokens) > 6 or "," in {token.word for token in tokens}:
            return False
        before = line_before(self._text, at)
        if kind == "past":
            return not before
        if kind in {"ruled_out", "behind"}:
            return all(word in cues.titles for word in before)
        return not any(word in cues.conditions for word in before)

    def _taken_back(self, tokens: list[Token]) -> bool:
        """Whether the sentence leaves standing what it has just denied.

        «PCR negativa, lo que no la descarta»; «no hay datos, salvo la citología».
        """
        cues = self._cues
        if self._takes_back is None:
            self._takes_back = any(word in self._text for word in (*cues.doubts, *cues.exceptions))
        if not self._takes_back:
            return False
        evidence = False
        for number, (word, _, _) in enumerate(tokens):
            if word in cues.proofs or word in cues.shows:
                evidence = True
            elif evidence and word in cues.exceptions:
                return True
            elif word.startswith(cues.doubts) and number > 1 and refers_back(cues, tokens, number + 1):
                begin = next(
                    (at for at in range(number - 1, 0, -1) if tokens[at].word in {"no", "sin", "tampoco"}), 0
                )
                if begin > 1 and cues.neutral.match(tokens, begin) and tokens[begin - 1].word in cues.bridges:
                    return True
        return False


def negation(data: Mapping[str, Any]) -> Negation:
    """The reader of denials that goes by the table ``lengua.json``, part ``negacion``."""
    return Negation(read_cues(data))
