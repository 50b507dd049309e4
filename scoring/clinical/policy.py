"""What a team asks of a run: rules, thresholds, how few cases are too few, how language is decided."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from scoring.clinical.gate import Threshold, read_thresholds
from scoring.clinical.lexicon import known_rules
from scoring.errors import DataError
from scoring.sources import find_thresholds
from scoring.tables import THRESHOLDS, thresholds_table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

BY_WORDS, BY_LINGUA = "palabras", "lingua"
_METHODS = (BY_WORDS, BY_LINGUA)


@dataclass(frozen=True, slots=True)
class Policy:
    """The part of ``umbrales.toml`` that the gate goes by.

    Attributes:
        rules: name of the scoring rules in force.
        thresholds: in the order in which failures are told.
        min_cases: with fewer counted cases there is no verdict.
        language: ``palabras``, or ``lingua`` to let that library decide what the words leave open.
    """

    rules: str
    thresholds: tuple[Threshold, ...] = field(repr=False)
    min_cases: int
    language: str = BY_WORDS


def read_policy(data: Mapping[str, Any], *, name: str = THRESHOLDS) -> Policy:
    """The policy of ``data``, as :func:`scoring.tables.thresholds_table` gives it.

    Args:
        data: the table.
        name: what errors call it.

    Raises:
        DataError: an unknown metric, kind, set of rules or method, or a value of the wrong type.
    """
    rules, fewest, language = data["reglas"], data["minimo_casos"], data["idioma"]
    for key, found, known in (("reglas", rules, known_rules()), ("idioma", language, _METHODS)):
        if found not in known:
            raise DataError(
                "clinical.policy_value", path=name, field=key, found=str(found), known=", ".join(known)
            )
    if not isinstance(fewest, int) or isinstance(fewest, bool) or fewest < 1:
        raise DataError("clinical.policy_min_cases", path=name, found=str(fewest))
    return Policy(rules, read_thresholds(data["puerta"], name=name), fewest, language)


def policy_beside(cases: Path) -> Policy:
    """The policy for a data set: that of the ``umbrales.toml`` beside it, else the shipped one.

    Raises:
        ProductError: that file cannot be read or has a mistake.
    """
    own = find_thresholds(None, cases)
    return shipped_policy() if own is None else read_policy(thresholds_table(own), name=str(own))


@cache
def shipped_policy() -> Policy:
    """The policy of ``casos/umbrales.toml``."""
    return read_policy(thresholds_table(None))
