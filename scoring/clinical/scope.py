"""How far a denial reaches forward from its cue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.clinical.clauses import JOINTS

if TYPE_CHECKING:
    from scoring.clinical.cues import Cues
    from scoring.clinical.templates import Token

Stretch = tuple[int, int]
"""Where something begins and ends in a text."""


def ahead(
    cues: Cues, tokens: list[Token], number: int, *, one: bool = False, each: bool = False
) -> Stretch | None:
    """From token ``number`` to the end of what the cue denies; with ``one``, to a comma.

    With ``each`` every member bears its «ni», once a second one does: «ni leucemia ni mieloma, linfoma».
    """
    several = False
    first = number
    for skipped in range(number - 1, min(number + 6, len(tokens))):
        linked = cues.links.match(tokens, skipped)
        if linked:
            number = linked
            break
        if tokens[skipped].word == ",":
            break
    if number >= len(tokens):
        return None
    start, end = tokens[min(first, number)].start, tokens[number].start
    had_article = tokens[number].word in cues.articles
    joint: int | None = None  # where the scope ends if the member under way turns out to be a clause
    last = min(len(tokens), number + cues.longest)
    while number < last:
        word, _, stop = tokens[number]
        if one and word == ",":
            return start, end
        if word == "," or word in JOINTS:
            continued = word == "ni"
            while number + 1 < last and (tokens[number + 1].word == "," or tokens[number + 1].word in JOINTS):
                number += 1
                continued = continued or tokens[number].word == "ni"
            if each and several and word == "," and not continued:
                return start, end
            several = several or continued
            if (
                not continued
                and not had_article
                and number + 1 < last
                and tokens[number + 1].word in cues.articles
            ):
                return start, end
            joint = None if continued else end
        elif word in {"de", "del"} and not cues.presumed.isdisjoint(
            (tokens[number - 1].word, tokens[max(number - 2, 0)].word)
        ):
            return start, end
        elif word in cues.closers or (word == "no" and _has_verb(cues, tokens, number)):
            return start, (end if joint is None or word in cues.turns else joint)
        else:
            end = stop
        number += 1
    return start, end


def next_word(cues: Cues, tokens: list[Token], number: int) -> Stretch | None:
    """What a bare «no» denies: the next name, and those that «ni» adds to it."""
    while number < len(tokens) - 1 and (
        tokens[number].word in cues.leading or tokens[number].word in cues.articles
    ):
        number += 1
    if number >= len(tokens) or tokens[number].word == ",":
        return None
    start, end = tokens[number].start, tokens[number].end
    for further in range(number + 1, min(number + 5, len(tokens))):
        word = tokens[further].word
        if word == "ni":
            return start, (ahead(cues, tokens, further + 1) or (start, end))[1]
        if word in cues.closers:
            break
    return start, end


def past_aside(cues: Cues, tokens: list[Token], number: int) -> int:
    """Number of the token behind an aside between commas that begins at ``number``; else ``number``."""
    if not 0 < number < len(tokens) or tokens[number].word != ",":
        return number
    for at in range(number + 1, min(number + 5, len(tokens) - 1)):
        word = tokens[at].word
        if word == ",":
            return at + 1
        if word not in cues.empty and word not in cues.helpers:
            break
    return number


def refers_back(cues: Cues, tokens: list[Token], number: int) -> bool:
    """Whether nothing follows that the cue could deny."""
    if number >= len(tokens):
        return True
    word = tokens[number].word
    return word == "," or word in cues.follows


def _has_verb(cues: Cues, tokens: list[Token], number: int) -> bool:
    """Whether the «no» there denies a verb and is no part of a name («anemia no regenerativa»)."""
    behind_it = tokens[number + 1].word if number + 1 < len(tokens) else ""
    return behind_it in cues.helpers or behind_it in cues.verbs
