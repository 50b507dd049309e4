"""How many reviews a data set asks for before a case counts: the table ``[firmas]`` of ``umbrales.toml``.

The number belongs to the data set, so it is read beside it. Several answers (a link to the data, a file
named on the command line) are joined to the stricter one: nothing loosens it from outside.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from scoring.errors import DataError
from scoring.files import resolve
from scoring.sources import find_thresholds
from scoring.tables import THRESHOLDS, thresholds_table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

TABLE = "firmas"
SPLITS = ("dev", "test")
ONE_OF_BOTH = "adjudica_uno_de_los_dos"
_NUMBERS = (1, 2)


@dataclass(frozen=True, slots=True)
class SignatureRule:
    """What a set asks of its reviews.

    Attributes:
        dev, test: reviews by different persons that a case of the split needs, 1 or 2.
        one_of_both: a disagreement may be settled by one of the two who disagree.
    """

    dev: int = 1
    test: int = 1
    one_of_both: bool = False

    def required(self, split: str) -> int:
        """Reviews that a case of ``split`` needs; an unknown split is held to the stricter number."""
        return {"dev": self.dev, "test": self.test}.get(split, max(self.dev, self.test))

    def stricter(self, other: SignatureRule) -> SignatureRule:
        """The more demanding of both, item by item."""
        return SignatureRule(
            max(self.dev, other.dev), max(self.test, other.test), self.one_of_both and other.one_of_both
        )


ONE_SIGNATURE = SignatureRule()


def read_rule(data: Mapping[str, Any], *, name: str = THRESHOLDS) -> SignatureRule:
    """The rule of ``data``, as :func:`scoring.tables.thresholds_table` gives it.

    Args:
        data: the table.
        name: what errors call it.

    Raises:
        DataError: something else than 1 or 2 (or true or false), or an unknown name.
    """
    table = data[TABLE]
    known = (*SPLITS, ONE_OF_BOTH)
    for key, value in table.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
            raise DataError("second.rule_unknown", path=name, field=str(key), known=", ".join(near or known))
        if key == ONE_OF_BOTH:
            if not isinstance(value, bool):
                raise DataError("second.rule_truth", path=name, field=key, found=str(value))
        elif isinstance(value, bool) or not isinstance(value, int) or value not in _NUMBERS:
            raise DataError("second.rule_number", path=name, field=key, found=str(value))
    return SignatureRule(table["dev"], table["test"], table[ONE_OF_BOTH])


def rule_beside(data_path: Path) -> SignatureRule:
    """The rule of a data set: that of the ``umbrales.toml`` beside it, or beside what it is a link to.

    Raises:
        UsageError: the file cannot be read.
        DataError: it has a mistake.
    """
    places = dict.fromkeys((data_path, resolve(data_path)))
    files = [own for place in places if (own := find_thresholds(None, place)) is not None]
    rules = [read_rule(thresholds_table(own), name=str(own)) for own in files]
    return reduce(SignatureRule.stricter, rules) if rules else ONE_SIGNATURE
