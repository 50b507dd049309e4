"""The thresholds of a report, judge included, as one list that every format shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoring import messages
from scoring.clinical.gate import Verdict

if TYPE_CHECKING:
    from scoring.clinical.report import GateReport


@dataclass(frozen=True, slots=True)
class Check:
    """One metric as a line of a table.

    Attributes:
        metric: its name.
        figure: as printed.
        count: numerator and denominator, or empty.
        interval: both ends, or empty.
        limit: floor or ceiling in words, or empty.
        binds: it is held against a threshold that counts for the verdict.
        passes: whether it meets the threshold, or None.
        failure: the line of the report that says it fails, or empty.
    """

    metric: str
    figure: str
    count: str
    interval: str
    limit: str
    binds: bool
    passes: bool | None
    failure: str

    @property
    def word(self) -> str:
        """Met or not, in words; empty where nothing is asked."""
        if self.passes is None:
            return ""
        return messages.text("render.met" if self.passes else "render.not_met")


def checks(report: GateReport) -> tuple[Check, ...]:
    """Every metric of ``report``, the judge's behind the others."""
    failed = {line.partition("=")[0]: line for line in report.failures}
    found: list[Check] = []
    for result in report.aggregate.values():
        interval = result.interval
        found.append(
            Check(
                result.metric,
                result.figure,
                result.over,
                f"{interval.low:.2f} - {interval.high:.2f}" if interval and not result.is_count else "",
                _limit(str(result.threshold.kind), result.limit) if result.threshold else "",
                result.threshold is not None,
                result.passes,
                failed.get(result.metric, ""),
            )
        )
    found += [
        Check(
            judged.metric,
            judged.figure,
            f"n={judged.cases}" if not judged.is_count and judged.exact is not None else "",
            f"{sure.low:.2f} - {sure.high:.2f}" if (sure := judged.interval) and not judged.is_count else "",
            _limit(str(judged.threshold.kind), judged.limit) if judged.threshold else "",
            judged.threshold is not None and not report.judge.informative,
            judged.passes,
            failed.get(judged.metric, ""),
        )
        for judged in report.judge.metrics
    ]
    return tuple(found)


def _limit(kind: str, limit: str) -> str:
    return messages.text(f"render.{kind}", limit=limit)


def has_verdict(report: GateReport) -> bool:
    """Whether the gate passes or fails, rather than saying that it cannot tell."""
    return report.verdict in {Verdict.PASSES, Verdict.FAILS, Verdict.SIMULATED}
