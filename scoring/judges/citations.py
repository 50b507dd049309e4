"""Citations checked without any model.

Marks that point to no passage, statements without a mark, passages nobody cites. Whether a passage says
what it is cited for is not seen here; that is what a judge and ``run-ragas`` are for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scoring.clinical.normalize import normalize

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FEWEST_WORDS = 5
"""A shorter piece of prose is a heading or a label and no statement."""

# [3], [1, 2], [2; 5], [1-3], [1 a 3], [1 y 4], [^1], 【3】; at most three digits, so that a year is none.
_DASH = "-\u2010-\u2015\u2212"
_TO = rf"(?:\s*[{_DASH}]\s*|\s+a\s+)"
_NUMBER = r"\^?\d{1,3}"
_MARK = re.compile(rf"[\[【]\s*{_NUMBER}(?:(?:{_TO}|\s*[,;]\s*|\s+(?:y|e|and)\s+){_NUMBER})*\s*[\]】]")
_RANGE = re.compile(rf"(\d{{1,3}}){_TO}(\d{{1,3}})")
_LIST_SIGN = re.compile(r"^\s*(?:[-*+•·]|\d{1,2}[.)])\s+")
# The end of a sentence takes along the marks that follow it.
_END = re.compile(rf"[.!?…]+[\"»”')*_]*(?:\s*{_MARK.pattern})*(?=\s+[\"«“(¿¡*_]*[A-ZÁÉÍÓÚÑÜ0-9¿¡]|\s*$)")
_ABBREVIATIONS = (
    "aprox", "art", "cf", "dr", "dra", "ej", "etc", "fig", "max", "min", "num", "p", "pag", "prof", "ref",
    "resp", "sr", "sra", "tab", "vs",
)  # fmt: skip
_ABBREVIATED = re.compile(rf"(?:^|[\s(])(?:{'|'.join(_ABBREVIATIONS)}|[a-z])\.$")
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class CitationCheck:
    """What one output cites.

    Attributes:
        passages: how many passages there were.
        marks: citations, each number of a mark counted.
        dangling: cited numbers that are no passage, ascending, each once.
        dangling_marks: citations of such a number.
        statements: statements of the prose.
        unmarked: statements without any mark.
        uncited: numbers of the passages that nothing cites, ascending.
    """

    passages: int
    marks: int
    dangling: tuple[int, ...]
    dangling_marks: int
    statements: int
    unmarked: tuple[str, ...]
    uncited: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CitationTally:
    """The checks of several outputs, added up."""

    cases: int = 0
    passages: int = 0
    marks: int = 0
    dangling_marks: int = 0
    cases_with_dangling: int = 0
    statements: int = 0
    unmarked: int = 0
    uncited: int = 0

    def to_dict(self) -> dict[str, int]:
        """For JSON outputs."""
        return {
            "casos": self.cases,
            "fragmentos": self.passages,
            "marcas": self.marks,
            "citas_sin_fragmento": self.dangling_marks,
            "casos_con_citas_sin_fragmento": self.cases_with_dangling,
            "afirmaciones": self.statements,
            "afirmaciones_sin_marca": self.unmarked,
            "fragmentos_sin_citar": self.uncited,
        }


def check_citations(output: Mapping[str, Any], passages: int) -> CitationCheck:
    """Hold the marks of an output against the number of its passages.

    Args:
        output: the object under ``interpretacion``; marks are looked for in all its texts, statements in
            the prose only.
        passages: how many were retrieved; ``[1]`` is the first.
    """
    cited = [number for text in _texts(output) for number in cited_numbers(text, passages)]
    dangling = [number for number in cited if not 1 <= number <= passages]
    prose = output.get("interpretacion", "")
    stated = list(statements(prose)) if isinstance(prose, str) else []
    return CitationCheck(
        passages=passages,
        marks=len(cited),
        dangling=tuple(sorted(set(dangling))),
        dangling_marks=len(dangling),
        statements=len(stated),
        unmarked=tuple(said for said in stated if not cited_numbers(said, passages)),
        uncited=tuple(sorted(set(range(1, passages + 1)) - set(cited))),
    )


def add_up(checks: Sequence[CitationCheck]) -> CitationTally:
    """The sum of several checks."""
    return CitationTally(
        cases=len(checks),
        passages=sum(check.passages for check in checks),
        marks=sum(check.marks for check in checks),
        dangling_marks=sum(check.dangling_marks for check in checks),
        cases_with_dangling=sum(bool(check.dangling) for check in checks),
        statements=sum(check.statements for check in checks),
        unmarked=sum(len(check.unmarked) for check in checks),
        uncited=sum(len(check.uncited) for check in checks),
    )


def cited_numbers(text: str, passages: int) -> list[int]:
    """The numbers that the marks of ``text`` cite, in order, repetitions included.

    ``[1-3]`` cites three passages. A range that begins beyond the passages and stands alone, ``[70-110]``
    after a glucose, is taken for a reference interval and cites nothing; in a list it cites. One that runs
    backwards cites its two ends.
    """
    numbers: list[int] = []
    for mark in _MARK.finditer(text):
        parts = re.split(r"[,;]", mark.group()[1:-1].replace("^", ""))
        for part in parts:
            spread = _RANGE.fullmatch(part.strip())
            if spread is None:
                numbers += [int(found) for found in re.findall(r"\d+", part)]
                continue
            low, high = int(spread.group(1)), int(spread.group(2))
            if low > high:
                numbers += [low, high]
            elif 1 <= low <= passages or len(parts) > 1:
                numbers += range(low, high + 1)
    return numbers


def statements(prose: str) -> Iterator[str]:
    """The statements of a prose: its sentences, without headings, questions and labels.

    A line that ends in a colon or is wholly bold introduces others; fewer than five words state nothing.
    Marks after the full stop belong to the sentence before them.
    """
    for line in prose.splitlines():
        bare = _LIST_SIGN.sub("", line).strip()
        if not bare or bare.startswith("#") or bare.rstrip("*_ ").endswith(":"):
            continue
        for sentence in _sentences(bare):
            if sentence.rstrip("*_ ").endswith("?"):
                continue
            if len(_WORD.findall(_MARK.sub("", sentence))) >= FEWEST_WORDS:
                yield sentence


def _sentences(line: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(line):
        said = line[start : end.start() + 1]
        if _ABBREVIATED.search(normalize(said)):
            continue
        yield line[start : end.end()].strip()
        start = end.end()
    if line[start:].strip():
        yield line[start:].strip()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
