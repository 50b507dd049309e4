"""When a chemical symbol names its analyte: «K 5,1», «Ca bajo»; not «vitamina K», «P < 0,05», «Ca. de mama».

A symbol is a letter or two, so it counts only where a result stands at it. Which results, units and
neighbours those are is data (``casos/formas.json``, part ``simbolos``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scoring.clinical.inflection import surfaces
from scoring.clinical.normalize import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_BEHIND, _BEFORE = 60, 40
"""Characters looked at behind and before a symbol."""
_LAST_WORD = re.compile(r"(\w[\w.,]*)\W*$")


@dataclass(frozen=True, slots=True, eq=False)
class Symbol:
    """A chemical symbol and what has to stand at it.

    Attributes:
        low, high: the figures a laboratory gives for it; a unit of its own speaks for itself.
        needs_unit: one of ``units`` has to follow the figure.
        is_unit: behind a figure it is the unit of that.
        units: what the figure may be followed by.
        other_units: what says that the figure is of something else.
        led: what, right before the symbol, says that a result is told («aumento de»).
        not_after: words right before it with which it is something else («vitamina»).
        result: link and figure with its unit, or a direction, perhaps of a whole list of results.
        members: further members of a list, up to the symbol.
    """

    low: float
    high: float
    needs_unit: bool
    is_unit: bool
    units: frozenset[str] = field(repr=False)
    other_units: frozenset[str] = field(repr=False)
    led: tuple[str, ...] = field(repr=False)
    not_after: frozenset[str] = field(repr=False)
    result: re.Pattern[str] = field(repr=False)
    members: re.Pattern[str] = field(repr=False)

    def named(self, text: str, start: int, end: int) -> bool:
        """Whether the symbol at ``start`` to ``end`` of normalised ``text`` names its analyte there."""
        if self.is_unit and text.startswith("/", end):  # «mg/dL»
            return False
        before = text[max(0, start - _BEFORE) : start]
        last = _LAST_WORD.search(before)
        if last is not None and (
            last[1].rstrip(".,") in self.not_after or (self.is_unit and last[1][0].isdigit())
        ):
            return False
        if self.members.sub("", before).rstrip().endswith(self.led):
            return True
        found = self.result.match(text, end, end + _BEHIND)
        if found is None:
            return False
        figure, gap, unit = found.group("figure", "gap", "unit")
        if figure is None:
            return True
        if unit in self.units:
            return True
        if not self.low <= float(figure.replace(",", ".")) <= self.high:
            return False
        of_another = unit and (not gap or unit.partition("/")[0] in self.other_units)
        return not (self.needs_unit or of_another)


def read_symbols(data: Mapping[str, Any]) -> dict[str, Symbol]:
    """The symbols of the table ``formas.json``, part ``simbolos``, by symbol."""
    figures: Mapping[str, list[float]] = data["cifras"]
    one = f"(?:{'|'.join(figures)})"
    between = r"(?:\s*[,/]\s*|\s+[ye]\s+)"
    link = rf"(?:[:=(~<>]|{_any(data['enlaces'])}(?!\w))"
    result = re.compile(
        rf"(?:(?:{between}(?:{one}[+-]?|[a-z]{{3,}})(?!\w))*(?:\s*{link})*\s*{_any(data['seguidos_de'])}(?!\w)"
        rf"|(?:\s*{link})*\s*(?P<figure>\d++(?:[.,]\d++)?)(?![.,]\d|/(?!{one}(?!\w))\w)(?P<gap>\s*)(?P<unit>[a-z%][\w/%]*)?)"
    )
    return {
        symbol: Symbol(
            low=low,
            high=high,
            needs_unit=symbol in data["con_unidad"],
            is_unit=symbol in data["es_unidad"],
            units=frozenset(data["unidades"]),
            other_units=frozenset(map(fold, data["otras_unidades"])),
            led=tuple(map(fold, data["delante"])),
            not_after=frozenset(spelled for word in data["no_tras"] for spelled in surfaces(fold(word))),
            result=result,
            members=re.compile(rf"(?:(?<!\w){one}[+-]?{between})+$"),
        )
        for symbol, (low, high) in figures.items()
    }


def _any(words: Iterable[str]) -> str:
    spelled = {re.escape(one) for word in words for one in surfaces(fold(word).strip())}
    return f"(?:{'|'.join(sorted(spelled, key=lambda one: (-len(one), one)))})"
