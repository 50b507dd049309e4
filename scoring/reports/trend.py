"""The figures of earlier runs in a row, today's last: only runs on the same cases under the same rules.

A run on other cases is a figure about other cases; it is left out and said to be, never drawn into the line.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scoring.clinical.report import GateReport
    from scoring.reports.stored import StoredReport


@dataclass(frozen=True, slots=True)
class Series:
    """One metric over the runs; the last value is that of now. None stands where a run had no figure."""

    metric: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Trend:
    """The runs in a row.

    Attributes:
        runs: the stored reports in the line, the oldest first.
        series: the metrics of the gate, in report order.
        judge: the figures of the judge of the newest run that had one, in the runs that it judged by the same
            rubric; no value of now unless it has judged now.
        judge_name: that judge; empty without one.
        left_out: why -> how many stored reports are not in the line.
    """

    runs: tuple[StoredReport, ...]
    series: tuple[Series, ...]
    judge: tuple[Series, ...]
    judge_name: str
    left_out: Mapping[str, int]


def why_apart(stored: StoredReport, now: GateReport) -> str | None:
    """Why ``stored`` does not belong in a line with ``now``; None where it does."""
    if stored.split != now.split:
        return "split"
    if stored.simulated != now.simulated:
        return "simulated"
    if stored.include_pending != now.include_pending:
        return "pending"
    tables = {stored.rules_digest, now.rules_digest} - {""}
    methods = {stored.language_method, now.language_method} - {""}
    if stored.rules != now.rules or len(tables) > 1 or len(methods) > 1:
        return "rules"
    if stored.cases_digest != now.cases_digest:
        return "cases"
    return None


def trend(stored: Iterable[StoredReport], now: GateReport) -> Trend:
    """Put the stored reports that belong together in a row, with ``now`` at its end.

    Args:
        stored: reports, the oldest first.
        now: what the gate says now, of the open split.
    """
    runs: list[StoredReport] = []
    left_out: Counter[str] = Counter()
    for one in stored:
        reason = why_apart(one, now) or ("undated" if one.at is None else None)
        if reason is None:
            runs.append(one)
        else:
            left_out[reason] += 1
    series = tuple(
        Series(metric, (*(run.figures.get(metric) for run in runs), result.value))
        for metric, result in now.aggregate.items()
    )
    judged = [run.judge for run in runs if run.judge is not None]
    if now.judge.present:
        judged.append(now.judge)
    name, rubric = (judged[-1].name, judged[-1].rubric) if judged else ("", "")
    # As in a comparison: another rubric is another question; a report that does not say which is let in.
    alike = [
        one for one in judged if one.name == name and (one.rubric == rubric or "" in {one.rubric, rubric})
    ]
    mine = [{metric.metric: metric.value for metric in part.metrics} for part in alike]
    names = dict.fromkeys(metric for figures in mine for metric in figures)
    judge = tuple(Series(metric, tuple(figures.get(metric) for figures in mine)) for metric in names)
    return Trend(tuple(runs), series, judge, name, dict(left_out))
