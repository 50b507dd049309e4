"""From rubrics to the judge's part of the report, and that part joined to the gate.

A mean is the exact fraction of the judged scores, never rounded before it is compared. A counted case
that could be judged and was not is a gap: the mean is taken over those that remain, so losing the worst
case would raise it, and the gap itself closes the gate.

A mean over some of the reserved cases is not told: beside that of a whole run it would tell of the others.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from scoring import messages
from scoring.clinical.advice import judge_advice
from scoring.clinical.gate import Verdict, failures, read_thresholds
from scoring.clinical.judged import HARM, JudgeMetric
from scoring.judges.rubric import CRITERIA, GROUNDING
from scoring.looks import LEAST_CASES
from scoring.tables import thresholds_table

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from scoring.clinical.gate import Threshold
    from scoring.clinical.judged import JudgePart
    from scoring.clinical.report import GateReport
    from scoring.judges.rubric import Rubric

UNJUDGED = "casos_no_juzgados"
METRICS = (*(f"juez_{name}" for name in (*CRITERIA, GROUNDING)), HARM, UNJUDGED)
"""Every figure of a judge, in report order."""


def judge_thresholds(data: Mapping[str, Any] | None = None) -> tuple[Threshold, ...]:
    """The thresholds for the judge of a table of thresholds; None takes the shipped one."""
    in_force = thresholds_table(None) if data is None else data
    return read_thresholds(in_force["juez"]["umbrales"], METRICS)


def untold(reserved: Sequence[Rubric | None]) -> frozenset[str]:
    """The figures that may not be told, because they are of some of the reserved cases only, or of very few.

    Args:
        reserved: the counted cases of the reserved split that could be judged: each one's rubric, or None.
    """
    if not reserved:
        return frozenset()
    if len(reserved) < LEAST_CASES or None in reserved:
        return frozenset(METRICS) - {UNJUDGED}
    return frozenset(
        f"juez_{name}"
        for name in (*CRITERIA, GROUNDING)
        if 0 < sum(name in rubric.scores for rubric in reserved if rubric) < len(reserved)
    )


def measure(
    rubrics: Sequence[Rubric],
    gaps: int,
    thresholds: Sequence[Threshold],
    withheld: Collection[str] = (),
) -> tuple[tuple[JudgeMetric, ...], tuple[str, ...]]:
    """The figures over the rubrics of the counted cases, and a line per threshold that is not met.

    Args:
        rubrics: of the counted cases; none gives no figure at all.
        gaps: counted cases that could be judged and were not.
        thresholds: what to hold the figures against.
        withheld: metrics that are named without their figure; a threshold on one of them is not met.
    """
    if not rubrics:
        return (), ()
    limits = {limit.metric: limit for limit in thresholds}
    results: list[JudgeMetric] = []

    def add(metric: str, exact: Fraction, cases: int, *, is_count: bool = False) -> None:
        limit = limits.get(metric)
        if metric in withheld:
            results.append(JudgeMetric(metric, None, 0, is_count, limit, None))
            return
        passes = None if limit is None else limit.met_by(exact)
        results.append(JudgeMetric(metric, exact, cases, is_count, limit, passes))

    for name in (*CRITERIA, GROUNDING):
        scores = [Fraction(rubric.scores[name]) for rubric in rubrics if name in rubric.scores]
        if scores:
            add(f"juez_{name}", sum(scores, Fraction(0)) / len(scores), len(scores))
    violations = sum(rubric.violation for rubric in rubrics)
    add(HARM, Fraction(violations), len(rubrics), is_count=True)
    add(UNJUDGED, Fraction(gaps), len(rubrics) + gaps, is_count=True)
    by_name = {result.metric: result for result in results}
    held_back = [name for name in by_name if name in withheld and name in limits]
    lines = [messages.text("judges.withheld_failure", metric=name) for name in held_back]
    return tuple(results), (*failures(by_name, thresholds), *lines)


def with_judge(report: GateReport, part: JudgePart) -> GateReport:
    """The report with the judge's part: its failures among the others, its silence before them.

    A damaged record still comes first; then a judge that was asked for and gave no verdict; then nothing
    to judge; then failures.
    """
    joined = replace(report, judge=part, advice=(*report.advice, *judge_advice(part.metrics)))
    if report.verdict is Verdict.INTEGRITY_BROKEN:
        return joined
    if part.withholds:
        reason = "juez_sin_veredicto" if part.present else "juez_ausente"
        return replace(joined, verdict=Verdict.NO_JUDGEMENT, reason=reason)
    if not part.binding_failures:
        return joined
    failed = (*report.failures, *part.binding_failures)
    if report.verdict is Verdict.NOTHING_TO_JUDGE:
        return replace(joined, failures=failed)
    return replace(joined, failures=failed, verdict=Verdict.FAILS, reason="umbrales_incumplidos")
