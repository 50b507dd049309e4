"""The deterministic engine: laboratory values of one patient -> findings and clinical patterns.

It knows no diagnosis and no threshold of its own: every number stands in the tables of ``casos/``.
The same input always gives the same answer, bit for bit.
"""

from scoring.engine.analysis import analyse
from scoring.engine.model import (
    Analysis,
    Direction,
    Finding,
    LimitMove,
    MeasuredRange,
    Notice,
    Pattern,
    Severity,
)
from scoring.engine.numbers import Number, shown

__all__ = [
    "Analysis",
    "Direction",
    "Finding",
    "LimitMove",
    "MeasuredRange",
    "Notice",
    "Number",
    "Pattern",
    "Severity",
    "analyse",
    "shown",
]
