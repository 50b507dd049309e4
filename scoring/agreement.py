"""Agreement of two reviewers on the same yes/no decisions: raw, Cohen, Krippendorff, Gwet.

Closed forms in exact fractions. Each figure is None where its own formula divides by zero; that is a
property of the table, told as such, and neither a zero nor a NaN.

Sources: Cohen 1960 (kappa); Krippendorff, Content Analysis (alpha for nominal data); Gwet 2008 (AC1).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_CATEGORIES = 2


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two reviewers agree on ``n`` decisions.

    Attributes:
        n: decisions that both took.
        both_yes: decisions both answered with yes.
        both_no: decisions both answered with no.
        first_yes: decisions the first answered with yes.
        second_yes: decisions the second answered with yes.
    """

    n: int
    both_yes: int
    both_no: int
    first_yes: int
    second_yes: int

    @property
    def single_category(self) -> bool:
        """Every answer of both is the same word: chance-corrected figures say nothing then."""
        return self.n > 0 and self.n in {self.both_yes, self.both_no}

    @property
    def raw(self) -> Fraction | None:
        """Share of decisions with the same answer, 0 to 1; None without decisions."""
        return Fraction(self.both_yes + self.both_no, self.n) if self.n else None

    @property
    def base_rate(self) -> Fraction | None:
        """Share of yes among all answers of both, 0 to 1; None without decisions."""
        return Fraction(self.first_yes + self.second_yes, 2 * self.n) if self.n else None

    @property
    def kappa(self) -> Fraction | None:
        """Cohen's kappa, at most 1; chance from each reviewer's own rates. None when chance is 1."""
        if self.raw is None:
            return None
        first, second = Fraction(self.first_yes, self.n), Fraction(self.second_yes, self.n)
        return _corrected(self.raw, first * second + (1 - first) * (1 - second))

    @property
    def alpha(self) -> Fraction | None:
        """Krippendorff's alpha for nominal data, two reviewers, nothing missing, at most 1.

        None when no two different answers could be paired.
        """
        if self.raw is None:
            return None
        answers = 2 * self.n
        yes = self.first_yes + self.second_yes
        no = answers - yes
        by_chance = Fraction(yes * (yes - 1) + no * (no - 1), answers * (answers - 1))
        return _corrected(self.raw, by_chance)

    @property
    def ac1(self) -> Fraction | None:
        """Gwet's AC1 for two categories, at most 1; chance is 2p(1-p) with the base rate p.

        Chance is at most 1/2, so AC1 also exists for a table with a single category (it is 1 there).
        """
        if self.raw is None or self.base_rate is None:
            return None
        by_chance = Fraction(_CATEGORIES, _CATEGORIES - 1) * self.base_rate * (1 - self.base_rate)
        return _corrected(self.raw, by_chance)


def _corrected(observed: Fraction, by_chance: Fraction) -> Fraction | None:
    return None if by_chance == 1 else (observed - by_chance) / (1 - by_chance)


def agreement(pairs: Iterable[tuple[bool, bool]]) -> Agreement:
    """Count the decisions of two reviewers; ``pairs`` holds (first, second) per decision, in any order."""
    n = both_yes = both_no = first_yes = second_yes = 0
    for first, second in pairs:
        n += 1
        both_yes += first and second
        both_no += not first and not second
        first_yes += first
        second_yes += second
    return Agreement(n, both_yes, both_no, first_yes, second_yes)
