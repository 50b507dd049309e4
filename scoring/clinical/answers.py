"""What a denial answers or refers back to: a label, a question, a name just before it, a relative clause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.clinical.clauses import BEHIND, JOINTS, WORD, tokens_of

if TYPE_CHECKING:
    from scoring.clinical.cues import Cues
    from scoring.clinical.templates import Token

_BACK_STOPS = JOINTS | {"con", "por", "pero", "aunque", "tras", "si"}
_LABEL_SIGNS = frozenset(":?|>=")
_LONGEST_QUESTION, _QUESTIONS = 12, 6
"""Most words of a question, and most questions in a row, that one «ninguno» answers."""


def is_answer(cues: Cues, text: str, tokens: list[Token], kind: str) -> bool:
    """Whether the cue says all there is to say: «no», «descartado», «no hay datos», «ninguno de los dos»."""
    if text[tokens[-1].end :].lstrip()[:1] == "?":  # «..., ¿no?»
        return False
    number = cues.replies.match(tokens)
    if not number:
        number = 1
        if kind in {"no", "before"}:
            while number < len(tokens) and (
                tokens[number].word in cues.helpers
                or tokens[number].word in cues.verbs
                or tokens[number].word in cues.proofs
            ):
                number += 1
            said_back = number > 2 and number == len(tokens) and tokens[1].word in cues.objects
            if number > 1 and tokens[number - 1].word not in cues.proofs:
                return said_back  # «linfoma no lo veo»
            if kind == "before" and number == 1:
                return False
    return number == len(tokens) or tokens[number].word == "," or points_back(cues, tokens, number)


def points_back(cues: Cues, tokens: list[Token], number: int) -> bool:
    """Whether token ``number`` begins a relative clause about what was named before: «que lo apoyen»."""
    if number + 2 >= len(tokens) or tokens[number].word != "que":
        return False
    if tokens[number + 1].word not in cues.pronouns:
        return False
    return any(
        at == len(tokens) or tokens[at].word == "," for at in (number + 3, number + 4) if at <= len(tokens)
    )


def topic(
    cues: Cues, text: str, at: int, *, alone: bool, bare: bool, every: bool = False
) -> tuple[int, int] | None:
    """What a label or question just before ``at`` is about («linfoma: no», «¿linfoma? no», «linfoma no»).

    None where it says more than a name, for then the answer is about something else: «tratamiento del
    linfoma: no», «¿tiene curación el linfoma? no».

    Args:
        cues: the words of negation.
        text: normalised.
        at: where the answer begins.
        alone: nothing follows the answer; needed in a parenthesis: not «linfoma (no, no se ha tratado)».
        bare: the answer is a plain «no», which also answers a name without any sign between.
        every: the answer is about all that was asked: «¿linfoma? ¿leucemia o mieloma? ninguno».
    """
    low = max(0, at - BEHIND)
    before = text[low:at].rstrip(" (")
    opened = "(" in text[low + len(before) : at]
    labelled = before[-1:] in _LABEL_SIGNS or before.endswith(" -")
    if not labelled and not (opened and alone):
        if not bare or opened:
            return None
        return _name_before(cues, text, low, low + len(_without_aside(cues, before)))
    asked = before[-1:] == "?"
    end = low + len(before.rstrip(":?|>=- "))
    stops = ".;:!?\n()¿|" if every and asked else ".;:!?\n(),¿|"
    begin = max(text.rfind(stop, 0, end) for stop in stops) + 1
    name = _name(cues, text, begin, end, _LONGEST_QUESTION if every else cues.longest_back)
    if name is None or not every:
        return name
    for _ in range(_QUESTIONS):
        stop = begin - 1
        while stop > 0 and text[stop] in " ¿":
            stop -= 1
        if stop < 0 or text[stop] != "?":
            break
        begin = max(text.rfind(sign, 0, stop) for sign in ".;:!?\n()¿|") + 1
        further = _name(cues, text, begin, stop, _LONGEST_QUESTION)
        if further is None:
            break
        name = further[0], name[1]
    return name


def _without_aside(cues: Cues, before: str) -> str:
    """``before`` without its last comma and an aside in front of that: «linfoma, de momento, (no)»."""
    head, comma, aside = before.removesuffix(",").rpartition(",")
    if before.endswith(",") and comma and all(word in cues.helpers | cues.empty for word in aside.split()):
        return head.rstrip()
    return before.removesuffix(",").rstrip()


def _name_before(cues: Cues, text: str, low: int, end: int) -> tuple[int, int] | None:
    """The name right before a plain «no»: «linfoma no, pancreatitis sí»."""
    begin = max(text.rfind(stop, low, end) for stop in ".;:!?\n(),¿|") + 1
    tokens = tokens_of(text, max(begin, low), end)
    answered = [number for number, token in enumerate(tokens) if token.word in {"si", "que"}]
    if answered:  # «pancreatitis sí y linfoma no», «de modo que linfoma no»
        tokens = tokens[answered[-1] + 1 :]
        if tokens and tokens[0].word in cues.bridges | JOINTS:
            del tokens[0]
    return None if not tokens else _name(cues, text, tokens[0].start, end, cues.longest_back)


def _name(cues: Cues, text: str, begin: int, end: int, longest: int) -> tuple[int, int] | None:
    """The name that the stretch consists of, perhaps led by «hay», «sospecha de» and the like."""
    tokens = tokens_of(text, begin, end)
    tokens = tokens[cues.leads.match(tokens) :]
    if tokens and tokens[0].word in cues.articles:
        del tokens[0]
    if not tokens or len(tokens) > longest or tokens[-1].word in JOINTS:
        return None
    for word, _, _ in tokens:
        if word in cues.articles or word in cues.joins or word in cues.verbs or word in cues.closers:
            return None
    return tokens[0].start, end


def label_of_test(cues: Cues, text: str, at: int) -> int:
    """Where a label ends that only a test parts from ``at`` («ehrlichiosis: PCR negativa»); or -1."""
    low = max(0, at - BEHIND)
    colon = max(text.rfind(":", low, at), text.rfind("(", low, at))
    between = text[colon + 1 : at].split()
    said = 0 < len(between) <= 3 and all(word in cues.tests for word in between)
    return colon + 1 if colon >= 0 and said else -1


def behind(cues: Cues, text: str, at: int, cue: str) -> tuple[int, int] | None:
    """The few words before a cue."""
    plural = cue[-1] in "sn"
    if text.endswith("(", 0, at):
        at -= 1  # «linfoma (descartado)»
    begin = max(0, at - BEHIND)
    before = text[begin:at]
    own = before[max(before.rfind(stop) for stop in ".;:,!?\n()|") + 1 :].split()
    if own and (own[-1] in cues.objects or all(word in cues.empty for word in own)):
        back = antecedent(
            cues, text, at, plural=plural
        )  # «la citología lo descarta», «pero se descartó», «que descarto»
        if back is not None or own[-1] in cues.objects:
            return back
    before = before.rstrip()
    if before.endswith(")") and "(" in before:  # «neoplasias (linfoma, leucemia) descartadas»
        return _words_back(text, begin, begin + before.rfind("("), cues.longest_back, over=at)
    before = _without_aside(cues, before)  # «linfoma, descartado», «linfoma, por tanto, descartado»
    cut = max(before.rfind(stop) for stop in ".;!?\n()|")
    colon = before.rfind(":")
    if before[colon + 1 :].strip():
        cut = max(cut, colon)
    comma = before.rfind(",")
    if not plural or JOINTS.isdisjoint(before[comma + 1 :].split()):  # «glucosa alta, cetonas negativas»
        cut = max(cut, comma)
    at = begin + len(before)
    most = cues.longest_back * (2 if plural else 1)
    return _words_back(text, begin + cut + 1, at, most, plural=plural, free=cues.empty)


def antecedent(cues: Cues, text: str, at: int, *, plural: bool = False) -> tuple[int, int] | None:
    """The last words of the clause before that of ``at``: what a pronoun there stands for."""
    begin = max(0, at - BEHIND)
    before = text[begin:at]
    cuts = [before.rfind(sign) for sign in (",", ";", ":", "(", " pero ", " aunque ", " y ")]
    if max(cuts) < 0:
        return None
    end = begin + max(cuts)
    words = text[begin:end].rstrip(" ,;")
    end = begin + len(words)
    low = begin + max(words.rfind(stop) for stop in (".;:!?\n(" if plural else ".;:!?\n(,")) + 1
    return _words_back(text, low, end, cues.longest_back * (2 if plural else 1), plural=plural)


def _words_back(
    text: str,
    begin: int,
    at: int,
    most: int,
    *,
    plural: bool = False,
    over: int = 0,
    free: frozenset[str] = frozenset(),
) -> tuple[int, int] | None:
    """From up to ``most`` words before ``at``, none of them one that parts, to ``at`` or ``over``."""
    start: int | None = None
    left = most
    for match in reversed(list(WORD.finditer(text, begin, at))):
        word = match[0]
        if (word in _BACK_STOPS or word in "()") and not (plural and word in JOINTS):
            break
        start = match.start()
        left -= word != "," and word not in free
        if not left:
            break
    return None if start is None else (start, over or at)
