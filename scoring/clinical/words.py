"""Where a word stands as a whole word in normalised text."""

from __future__ import annotations

RARE = 4
"""A word of so many letters is seldom part of another and is found faster without its blanks."""


def places_of(word: str, blank: str, start: int = 0) -> list[int]:
    """Where ``word`` stands as a whole word, counted in the text of which ``blank`` is made.

    Args:
        word: normalised.
        blank: the words of the text between blanks, at the same places, one more blank at either end.
        start: where to begin.
    """
    found: list[int] = []
    if len(word) < RARE:
        sought = f" {word} "
        at = blank.find(sought, start)
        while at >= 0:
            found.append(at)
            at = blank.find(sought, at + len(word))
        return found
    at = blank.find(word, start)
    while at >= 0:
        end = at + len(word)
        if blank[at - 1] == " " and blank[end] == " ":
            found.append(at - 1)
        at = blank.find(word, end)
    return found
