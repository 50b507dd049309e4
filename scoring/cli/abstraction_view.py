"""The abstraction report as text for people: value-free, the same on a terminal and in a pipe.

A rate of exactly 0 or 1 is shown as 0 or 1 and no other rate is; nothing is rounded up to perfection.
"""

from __future__ import annotations

import unicodedata
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from scoring import messages
from scoring.abstraction.clustered import OVERALL
from scoring.abstraction.intervals import shown
from scoring.abstraction.report import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scoring.abstraction.clustered import ClusterSums
    from scoring.abstraction.compare import Change, Comparison
    from scoring.abstraction.evidence_report import AbstractionEvidenceReport
    from scoring.abstraction.intervals import Interval
    from scoring.abstraction.minimums import Bound, Finding
    from scoring.abstraction.report import (
        AbstractionMetric,
        AbstractionScores,
        ChartAbstractionBenchmarkReport,
    )

    Clusters = Mapping[str, Mapping[str, ClusterSums]]

WORST_SHOWN: Final = 20
_DIGITS: Final = 3


def report_lines(
    report: ChartAbstractionBenchmarkReport, *, clusters: Clusters | None = None, all_fields: bool = False
) -> Iterator[str]:
    """The whole report: overall, by type, by field with the worst first."""
    yield messages.text("abstraction.title_overall")
    yield "  " + counts_text(report.overall)
    yield from _metrics(report.overall, None if clusters is None else clusters.get(OVERALL))
    yield ""
    yield messages.text("abstraction.title_types")
    for kind, scores in report.by_field_type:
        yield f"  {kind.value} · {_short_counts(scores)}"
        yield from _metrics(scores, None if clusters is None else clusters.get(kind.value))
    yield ""
    yield messages.text("abstraction.title_fields")
    fields = sorted(report.by_field, key=lambda item: (_badness(item[1]), item[0]))
    kept = fields if all_fields else fields[:WORST_SHOWN]
    for name, scores in kept:
        yield f"  {name} · {_short_counts(scores)}"
        yield from _metrics(scores, None)
    if len(kept) < len(fields):
        yield messages.text("abstraction.fields_shown", shown=len(kept), n=len(fields))
    yield ""
    yield messages.text("abstraction.footer", unicode=unicodedata.unidata_version)


def comparison_lines(comparison: Comparison, *, all_fields: bool = False) -> Iterator[str]:
    """Overall always; then the types and fields that moved, the worse first, twenty fields at most."""
    yield messages.text("abstraction.title_compare")
    moved = comparison.moved
    fields = [change for change in moved if change.scope == "field"]
    kept = fields if all_fields else fields[:WORST_SHOWN]
    for change in (
        *(change for change in comparison.changes if change.scope == "overall"),
        *(change for change in moved if change.scope == "type"),
        *kept,
    ):
        line = _change(change)
        if line is not None:
            yield line
    if len(kept) < len(fields):
        yield messages.text("abstraction.changes_shown", shown=len(kept), n=len(fields))
    yield messages.text("abstraction.moved_count", n=len(moved), total=len(comparison.changes))
    if comparison.added:
        yield messages.text("abstraction.fields_added", names=", ".join(comparison.added))
    if comparison.removed:
        yield messages.text("abstraction.fields_removed", names=", ".join(comparison.removed))


def minimums_lines(findings: Sequence[Finding]) -> Iterator[str]:
    """Every bound with what it met, then the sum of it in a sentence."""
    yield messages.text("abstraction.title_minimums")
    for finding in findings:
        key = {True: "bound_holds", False: "bound_fails", None: "bound_no_data"}[finding.holds]
        rate = finding.rate
        yield "  " + messages.text(
            f"abstraction.{key}",
            place=_place(finding.bound.scope, finding.bound.name),
            metric=metric_name(finding.bound.metric),
            rate="" if rate is None else decimal_text(rate),
            sense=messages.text(f"abstraction.sense_{finding.bound.sense}"),
            limit=limit_text(finding.bound),
        )
    failed = sum(finding.holds is False for finding in findings)
    empty = sum(finding.holds is None for finding in findings)
    if empty:
        yield messages.text("abstraction.minimums_no_data", n=empty)
    if failed:
        yield messages.text("abstraction.minimums_fail", n=failed)
    if not failed and not empty:
        yield messages.text("abstraction.minimums_hold", n=len(findings))


def issue_lines(report: AbstractionEvidenceReport) -> Iterator[str]:
    """The issues of a finalization, one a line."""
    yield messages.text("abstraction.not_finalizable", n=len(report.issues))
    for issue in report.issues:
        sentence = messages.text(f"abstraction.issue_{issue.code}")
        yield f"  {issue.field_id} [{issue.code}]: {sentence}"


def metric_name(metric: str) -> str:
    """What people call a metric."""
    return messages.text(f"abstraction.metric_{metric}")


def decimal_text(rate: Fraction | float, *, signed: bool = False) -> str:
    """A rate or a difference of rates with three decimals; 0, 1 and -1 only if it is exactly that."""
    mark = "," if messages.language() == "es" else "."
    sign = "-" if rate < 0 else "+" if signed and rate > 0 else ""
    if rate in {-1, 0, 1}:
        return f"{sign}{abs(int(rate))}"
    size = abs(float(rate))
    smallest = 10**-_DIGITS
    if size < smallest:
        return f"<{sign}{smallest:.{_DIGITS}f}".replace(".", mark)
    if size > 1 - smallest:
        return f">{sign}{1 - smallest:.{_DIGITS}f}".replace(".", mark)
    return f"{sign}{size:.{_DIGITS}f}".replace(".", mark)


def interval_text(interval: Interval, *, signed: bool = False) -> str:
    """Both bounds in brackets."""
    low, high = (decimal_text(bound, signed=signed) for bound in interval)
    return f"[{low}; {high}]"


def _metrics(scores: AbstractionScores, clusters: Mapping[str, ClusterSums] | None) -> Iterator[str]:
    width = max(len(metric_name(name)) for name in METRICS)
    for name in METRICS:
        yield f"    {metric_name(name):<{width}}  {_metric(scores.metric(name))}"
        sums = None if clusters is None else clusters.get(name)
        if sums is not None and sums.cases:
            label = "  " + messages.text("abstraction.by_patient", n=sums.cases)
            interval = sums.interval
            yield f"    {label:<{width}}          {'—' if interval is None else interval_text(interval)}"


def _metric(metric: AbstractionMetric) -> str:
    interval = shown(metric.success_count, metric.total_count)
    if interval is None:
        return messages.text("abstraction.no_trials")
    rate = Fraction(metric.success_count, metric.total_count)
    return (
        f"{decimal_text(rate):>6}  {interval_text(interval):<16}  "
        f"{whole(metric.success_count)}/{whole(metric.total_count)}"
    )


def counts_text(scores: AbstractionScores) -> str:
    """How many rows there are, and what became of them."""
    return messages.text(
        "abstraction.counts",
        rows=whole(scores.field_count),
        answerable=whole(scores.answerable_count),
        unanswerable=whole(scores.unanswerable_count),
        answered=whole(scores.answered_count),
        abstained=whole(scores.abstained_count),
        missing=whole(scores.missing_count),
    )


def _short_counts(scores: AbstractionScores) -> str:
    return messages.text(
        "abstraction.counts_short", rows=whole(scores.field_count), missing=whole(scores.missing_count)
    )


def whole(count: int) -> str:
    """A count with a mark between thousands."""
    mark = "." if messages.language() == "es" else ","
    return f"{count:,}".replace(",", mark)


def _badness(scores: AbstractionScores) -> tuple[Fraction, Fraction]:
    """Small is bad: the share of agreement, then that of right abstention; without trials they are good."""
    return tuple(
        Fraction(metric.success_count, metric.total_count) if metric.total_count else Fraction(1)
        for metric in (scores.normalized_agreement, scores.abstention_correctness)
    )  # type: ignore[return-value]  # two metrics, two fractions


def _change(change: Change) -> str | None:
    difference, interval = change.difference, change.interval
    if difference is None or interval is None:
        return None
    verdict = "same" if not change.moved else "worse" if change.worse else "better"
    return "  " + messages.text(
        "abstraction.change",
        verdict=messages.text(f"abstraction.verdict_{verdict}"),
        place=_place(change.scope, change.name),
        metric=metric_name(change.metric),
        before=decimal_text(Fraction(change.before.success_count, change.before.total_count)),
        after=decimal_text(Fraction(change.after.success_count, change.after.total_count)),
        difference=decimal_text(difference, signed=True),
        interval=interval_text(interval, signed=True),
    )


def _place(scope: str, name: str) -> str:
    return "" if scope == "overall" else f"{name} · "


def limit_text(bound: Bound) -> str:
    """The rate of a bound, as it was written."""
    mark = "," if messages.language() == "es" else "."
    return str(bound.limit).replace(".", mark)
