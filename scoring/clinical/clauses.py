"""The clauses and lists of a normalised text: where they end and which words stand in them."""

from __future__ import annotations

import re

from scoring.clinical.templates import Token

WORD = re.compile(r"[^\W_]+|[,;()]")
JOINTS = frozenset({"y", "e", "o", "u", "ni"})
BEHIND = 100
"""Characters that a cue looks back at most."""
_AHEAD = 220
_LIST = 600
# A dot inside a number or after an abbreviation ends nothing; nor does the end of a line in mid-phrase, as
# where a text was wrapped («sin evidencia de / linfoma»).
_END = re.compile(
    r"\.(?=\s|$)(?<!\bp\.)(?<!\bej\.)(?<!\bspp\.)(?<!\bsp\.)(?<!\bvs\.)(?!(?<=\bneg\.)\s+(?:a|para|frente)\b)"
    r"|\.\.|[:;!?|]"
    r"|\n(?<! de\n)(?<! del\n)(?<! ni\n)(?<! con\n)(?<! un\n)(?<! una\n)(?<! el\n)(?<! la\n)"
    r"(?!(?:del?|ni|que) )"
)
_ITEM = re.compile(r"[ \t]*(?:[-+>]|\d{1,2}[.)]|[a-z][.)])[ \t]|[ \t]+\S")
_SENTENCE_END = re.compile(r"\.(?=\s|$)|[;!?\n]")


def tokens_of(text: str, start: int, stop: int, most: int = 1000) -> list[Token]:
    """The words and commas of a stretch, up to the parenthesis that closes around it.

    A semicolon counts as a comma, an enumerator («1)») not at all.
    """
    found: list[Token] = []
    depth = 0
    for match in WORD.finditer(text, start, stop):
        word = match[0]
        if word == "(":
            depth += 1
        elif word == ")":
            if depth:
                depth -= 1
            elif found and found[-1].word.isdigit() and _begins_member(text, found[-1].start):
                del found[-1]
            else:
                break
        else:
            found.append(Token("," if word == ";" else word, *match.span()))
            if len(found) > most:
                break
    return found


def _begins_member(text: str, at: int) -> bool:
    return text[max(0, at - 3) : at].rstrip(" ")[-1:] in {"", ":", ";", ",", "\n"}


def clause_end(text: str, at: int) -> tuple[int, str]:
    """Where the clause of ``at`` ends, and the sign that ends it (empty at the limit of the text)."""
    limit = min(len(text), at + _AHEAD)
    over = _END.search(text, at, limit)
    return (limit, "") if over is None else (over.start(), over[0])


def row_end(text: str, at: int) -> int:
    """Where a list on one line ends that begins at ``at``: semicolons and «1.» only part its members."""
    limit = min(len(text), at + _AHEAD)
    while True:
        over = _END.search(text, at, limit)
        if over is None or over[0] != ";":
            return limit if over is None else over.start()
        at = over.end()


def list_end(text: str, at: int, *, marked: bool) -> int:
    """Where the list ends whose heading ends at ``at``, with lines of their own; ``at`` if there is none.

    It goes on while its lines look alike: marked as items, or a few words without a mark, and not further
    to the left than its first. With ``marked`` only marked lines make a list.
    """
    end, place, first, blanks = at, text.find("\n", at), -1, 0
    stop = min(len(text), at + _LIST)
    alike: bool | None = None
    while 0 <= place < stop:
        line_stop = text.find("\n", place + 1)
        line_stop = len(text) if line_stop < 0 else line_stop
        line = text[place + 1 : line_stop]
        words = line.strip()
        if not words:
            blanks += 1
            if blanks > 1 or alike is False:
                break
        else:
            item = _ITEM.match(line) is not None
            if alike is None:
                alike, first = item, len(line) - len(line.lstrip())
            indent = len(line) - len(line.lstrip())
            if item is not alike or (marked and not item) or indent < first or words.endswith(":"):
                break
            if not item and (":" in words or words.count(" ") > 5):
                break
            end, blanks = line_stop, 0
        place = line_stop if line_stop < len(text) else -1
    return end


def words_before(text: str, at: int, *, beyond_commas: bool = False) -> list[str]:
    """The few words before ``at`` in its clause."""
    before = text[max(0, at - 45) : at]
    for end in ".;:!?\n" if beyond_commas else ".;:!?\n,":
        before = before.rpartition(end)[2]
    words = before.split()[-4:]
    joints = [number for number, word in enumerate(words) if word in JOINTS]
    return words[joints[-1] + 1 :] if joints else words


def line_before(text: str, at: int) -> list[str]:
    """The words before ``at`` on its line, back to the end of a sentence."""
    before = text[max(0, at - BEHIND) : at]
    ends = [match.end() for match in _SENTENCE_END.finditer(before)]
    return [token.word for token in tokens_of(before, ends[-1] if ends else 0, len(before))]
