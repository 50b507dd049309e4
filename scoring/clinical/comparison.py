"""What a comparison of two runs found, as a value and as a part of the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from scoring.clinical.score import COUNTS
from scoring.plain import plain

if TYPE_CHECKING:
    from scoring.intervals import Difference


class Change(StrEnum):
    """What can be said of one figure, or of the whole."""

    WORSE = "peor"
    NOT_SHOWN = "sin_cambio_demostrable"
    BETTER = "mejor"


@dataclass(frozen=True, slots=True)
class MetricChange:
    """One metric in both runs.

    Attributes:
        metric: its name.
        old: the old figure.
        new: the new figure.
        difference: new minus old with interval; None where it cannot be had.
        p: exact McNemar, None where the figures are not paired yes/no figures.
        worse: paired cases that got worse; None without pairs.
        better: paired cases that got better; None without pairs.
        change: what can be said.
        is_count: a number of cases and no rate.
    """

    metric: str
    old: float | None
    new: float | None
    difference: Difference | None
    p: float | None
    worse: int | None
    better: int | None
    change: Change
    is_count: bool = False


@dataclass(frozen=True, slots=True)
class CaseChange:
    """What one case of the open split lost or gained.

    Attributes:
        case_id: the case.
        lost: metrics that got worse; for the coverage with the findings no longer named.
        gained: metrics that got better; for the coverage with the findings now named.
    """

    case_id: str
    lost: tuple[str, ...]
    gained: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs side by side.

    Attributes:
        old_generator: where the old outputs came from.
        old_date: when the old report was written, or None.
        paired: cases of the open split that counted in both runs.
        only_old: ids that counted in the old run only.
        only_new: ids that counted in the new run only.
        same_outputs: both runs scored the very same outputs.
        metrics: the figures, in report order.
        cases: the cases that changed, in file order.
        change: worse if any figure is, else better if any is.
        other_thresholds: metrics whose threshold was another one; the figures compare all the same, the
            two verdicts do not.
        judges: the names of both judges where their figures do not compare, or None.
    """

    old_generator: str
    old_date: str | None
    paired: int
    only_old: tuple[str, ...]
    only_new: tuple[str, ...]
    same_outputs: bool
    metrics: tuple[MetricChange, ...]
    cases: tuple[CaseChange, ...] = field(repr=False)
    change: Change
    other_thresholds: tuple[str, ...] = ()
    judges: tuple[str, str] | None = None

    @property
    def new_faults(self) -> dict[str, int]:
        """New safety violations, those of a judge too, and missed referrals: metric -> patients, none with 0.

        Without pairs it is how many more there are, the least that must be new.
        """
        found: dict[str, int] = {}
        for one in self.metrics:
            if one.metric in COUNTS or one.is_count:
                more = one.worse if one.worse is not None else round((one.new or 0) - (one.old or 0))
                if more > 0 and (one.worse is not None or one.old is not None):
                    found[one.metric] = more
        return found

    def to_dict(self) -> dict[str, Any]:
        """The comparison as the report has it under ``comparacion``."""
        return {
            "con": plain(self.old_generator),
            "con_fecha": self.old_date,
            "pareados": self.paired,
            "solo_antes": list(self.only_old),
            "solo_ahora": list(self.only_new),
            "mismas_salidas": self.same_outputs,
            "veredicto": str(self.change),
            "metricas": [
                {
                    "metrica": one.metric,
                    "antes": one.old,
                    "ahora": one.new,
                    "diferencia": None if one.difference is None else round(one.difference.value, 6),
                    "intervalo": None
                    if one.difference is None
                    else [round(one.difference.low, 6), round(one.difference.high, 6)],
                    "p_mcnemar": None if one.p is None else round(one.p, 6),
                    "empeoran": one.worse,
                    "mejoran": one.better,
                    "veredicto": str(one.change),
                }
                for one in self.metrics
            ],
            "casos": [
                {"id": one.case_id, "pierde": list(one.lost), "gana": list(one.gained)} for one in self.cases
            ],
        }
