"""Whether two typed names are one person, and whether a new name only looks like a known one.

Double blanks and capitals do not make two people. A name that looks like a known one and is not (letters
of another alphabet, other accents, l for I) is either a slip or a trick, and only a person can say that
it is somebody else; so it is asked about, never corrected.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Iterable


class Likeness(StrEnum):
    """In what a name differs from the known one it looks like; or what is odd about it by itself."""

    CASE = "case"
    ACCENTS = "accents"
    MARKS = "marks"
    HOMOGLYPHS = "homoglyphs"
    MIXED_SCRIPT = "mixed_script"


@dataclass(frozen=True, slots=True)
class Lookalike:
    """A name to ask about.

    Attributes:
        name: as typed.
        known: the name it looks like; empty when the name is odd by itself.
        kind: in what they differ.
        detail: the letters that only look like others, with their alphabets; empty if there are none.
    """

    name: str
    known: str
    kind: Likeness
    detail: str = ""

    def sentence(self) -> str:
        """What is odd, in the language in force."""
        detail = f": {self.detail}" if self.detail else ""
        return messages.text(f"people.{self.kind}", name=self.name, known=self.known, detail=detail)


# Letters of the Cyrillic, Greek and Armenian alphabets, and Latin ones outside Western Europe, that are
# drawn like a letter of ours (after Unicode's confusables.txt, UTS 39; upper and lower case apart).
_LOOKS_LIKE = {
    "A": "АΑᎪ", "B": "ВΒᏴ", "C": "СϹᏟⅭ", "D": "ᎠⅮ", "E": "ЕΕᎬ", "F": "ϜҒ", "G": "Ԍ", "H": "НΗᎻҢ",
    "I": "ІΙӀ", "J": "ЈͿᎫ", "K": "КΚᏦҚ", "L": "ᏞⅬ", "M": "МΜᎷϺⅯ", "N": "ΝⲚ", "O": "ОΟՕ",
    "P": "РΡᏢ", "Q": "Ԛ", "R": "ᎡᏒ", "S": "ЅՏᏚ", "T": "ТΤᎢҬ", "U": "Ս", "V": "ѴᏙⅤ", "W": "ԜᎳ",
    "X": "ХΧⅩҲ", "Y": "ҮΥУЎ", "Z": "ΖᏃ",
    "a": "аαɑ", "b": "Ьᖯ", "c": "сϲⅽᴄ", "d": "ԁⅾ", "e": "еҽ", "f": "ſϝẝ", "g": "ɡց", "h": "һհᏂ",
    "i": "іιıɩ", "j": "јϳ", "k": "кκ", "l": "ӏⅼ", "m": "мⅿ", "n": "ոռп", "o": "оοօσ", "p": "рρ",
    "q": "ԛգ", "r": "гᴦ", "s": "ѕꜱ", "t": "тτ", "u": "υսцᴜ", "v": "ѵνⅴᴠ", "w": "ԝѡա", "x": "хχⅹ",
    "y": "уγүўʏ", "z": "ᴢ", "'": "’‘ʼ´`ʹ′", "-": "‐‑‒–—−", ".": "․·",
}  # fmt: skip
_LATIN = {ord(odd): plain for plain, odds in _LOOKS_LIKE.items() for odd in odds}
# Drawn alike in many fonts: they are told from one another by their place only.
_STROKES = {
    ord(odd): plain for plain, odds in {"l": "I1|", "O": "0", "S": "5", "B": "8"}.items() for odd in odds
}
_ALPHABETS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC")


def person_key(name: str) -> str:
    """Equal for two spellings of one person's name: composed, single blanks, no capitals."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


def similar_names(name: str, known: Iterable[str]) -> tuple[Lookalike, ...]:
    """What has to be asked about ``name`` before it is recorded; empty for a known one or a clear new one.

    Args:
        name: as typed and checked.
        known: the names in the record and in the data.

    Returns:
        At most one finding per known name, those that differ least first; then, if no known name
        explains it, that a word mixes alphabets. Blanks alone make no difference: of spellings that
        differ in nothing else the one with the fewest is held against ``name``.
    """
    spellings: dict[str, str] = {}
    for other in sorted(set(known), key=lambda spelled: (len(spelled), spelled)):
        spellings.setdefault(_single(other), other)
    names = sorted(spellings.values())
    single = _single(name)
    if single in spellings:
        return ()
    found = [
        Lookalike(name, other, kind, _foreign(name) or _foreign(other))
        for other in names
        if (kind := _likeness(name, other)) is not None
    ]
    order = list(Likeness)
    found.sort(key=lambda item: order.index(item.kind))
    if not found and any(len(_alphabets(word)) > 1 for word in name.split()):
        found.append(Lookalike(name, "", Likeness.MIXED_SCRIPT, _foreign(name)))
    return tuple(found)


def _single(name: str) -> str:
    return " ".join(unicodedata.normalize("NFC", name).split())


def _likeness(name: str, other: str) -> Likeness | None:
    if person_key(name) == person_key(other):
        return Likeness.CASE
    if _bare(name) == _bare(other):
        return Likeness.ACCENTS
    if _letters(_bare(name)) == _letters(_bare(other)):
        return Likeness.MARKS
    if _drawn(name) & _drawn(other):
        return Likeness.HOMOGLYPHS
    return None


def _bare(name: str) -> str:
    """Without accents, in compatible form (ﬁ is fi, Ａ is A)."""
    apart = unicodedata.normalize("NFKD", name.casefold())
    return " ".join("".join(char for char in apart if not unicodedata.combining(char)).split())


def _letters(name: str) -> str:
    """Without marks and blanks."""
    return "".join(char for char in name if char.isalnum())


def _drawn(name: str) -> frozenset[str]:
    """What the letters look like, in Latin dress: once as they are, once with strokes alike."""
    dressed = unicodedata.normalize("NFKD", name.translate(_LATIN)).translate(_LATIN)
    return frozenset({_letters(_bare(dressed)), _letters(_bare(dressed.translate(_STROKES)))})


def _alphabets(word: str) -> set[str]:
    return {alphabet for char in word if (alphabet := _alphabet(char))}


def _alphabet(char: str) -> str:
    first = unicodedata.name(char, "").partition(" ")[0]
    return first if char.isalpha() and first in _ALPHABETS else ""


def _foreign(name: str) -> str:
    """The letters that pass for Latin ones, each with its code and alphabet."""
    odd = dict.fromkeys(char for char in name if ord(char) in _LATIN and _alphabet(char) not in {"", "LATIN"})
    return ", ".join(
        f"{char} (U+{ord(char):04X}, {messages.text(f'people.in_{_alphabet(char).lower()}')})" for char in odd
    )
