"""The figures of a judge in two runs: paired where both were judged, and only if it is the same judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scoring.clinical.comparison import CaseChange, Change, MetricChange
from scoring.clinical.judged import NO_JUDGE
from scoring.clinical.paired import is_number, rates, yes_or_no
from scoring.errors import DataError
from scoring.plain import plain

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from scoring.clinical.judged import JudgeMetric, JudgePart

_PREFIX = "juez_"
_HARM = "violaciones_seguridad_juez"
_HARM_OF_CASE = "violacion_seguridad"
_GAPS = "casos_no_juzgados"


def judge_of(old: Mapping[str, Any]) -> tuple[str, str]:
    """Name of the judge of a report, and digest of its rubric (empty where the report does not say)."""
    name, part = old.get("juez", NO_JUDGE), old.get("juez_detalle")
    rubric = part.get("rubrica") if isinstance(part, dict) else None
    return str(name), rubric if isinstance(rubric, str) else ""


def same_judge(old: Mapping[str, Any], part: JudgePart) -> bool:
    """The figures of both runs are of one judge, asked in the same words."""
    name, rubric = judge_of(old)
    return part.present and name == part.name and rubric in {"", part.rubric}


def judge_changes(
    old: Mapping[str, Any], part: JudgePart, paired: Collection[str]
) -> tuple[tuple[MetricChange, ...], Mapping[str, CaseChange]]:
    """What changed in the judge's figures, and the cases of the open split in which the harm it sees did.

    Args:
        old: the earlier report, of the same judge.
        part: the judge's part of this run.
        paired: ids that counted in both runs; none where only aggregates may be compared.

    Raises:
        DataError: a rubric of the old report holds no possible figure.
    """
    then = {row["id"]: _rubric(row) for row in old["casos"] if row["id"] in paired and row.get("rubrica")}
    both = [(i, then[i], part.rubrics[i]) for i in part.rubrics if i in then]
    metrics = tuple(
        _metric(one, old, [(before, after) for _, before, after in both])
        for one in part.metrics
        if one.metric != _GAPS
    )
    cases: dict[str, CaseChange] = {}
    for case_id, before, after in both:
        was, now = before[_HARM_OF_CASE], after[_HARM_OF_CASE]
        if was != now:
            cases[case_id] = CaseChange(case_id, (_HARM,) if now else (), () if now else (_HARM,))
    return metrics, cases


def _rubric(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The rubric of a row, its figures checked: a missing one would be read as 0."""
    found = row["rubrica"]
    if (
        isinstance(found, dict)
        and isinstance(found.get(_HARM_OF_CASE), bool)
        and all(isinstance(one, str | bool) or (is_number(one) and 0 <= one <= 1) for one in found.values())
    ):
        return found
    raise DataError("compare.bad_row", case=plain(row["id"]), field="rubrica")


def _metric(
    one: JudgeMetric, old: Mapping[str, Any], pairs: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]
) -> MetricChange:
    was = old["agregado"].get(one.metric)
    if not pairs:
        more = one.is_count and was is not None and one.value is not None and one.value > was
        change = Change.WORSE if more else Change.NOT_SHOWN
        return MetricChange(one.metric, was, one.value, None, None, None, None, change, one.is_count)
    if one.is_count:
        harm = [(before[_HARM_OF_CASE], after[_HARM_OF_CASE]) for before, after in pairs]
        return MetricChange(one.metric, was, one.value, *yes_or_no(harm, bad=True), is_count=True)
    name = one.metric.removeprefix(_PREFIX)
    steps = [after[name] - before[name] for before, after in pairs if name in before and name in after]
    return MetricChange(one.metric, was, one.value, *rates(steps))
