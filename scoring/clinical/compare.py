"""Two runs on the same cases: what changed, whether that can be shown, and which cases it was.

Cases are paired by id, so that what is compared is the assistant and not the choice of cases. Only the
open split is paired; of the reserved one a report holds aggregates only, and those are compared as
independent figures, never between runs that counted different cases of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scoring.clinical.compare_judges import judge_changes, judge_of, same_judge
from scoring.clinical.comparison import CaseChange, Change, Comparison, MetricChange
from scoring.clinical.judged import NO_JUDGE
from scoring.clinical.paired import beyond_zero, is_number, rates, yes_or_no
from scoring.clinical.report import RESERVED_SPLIT, SCHEMA_VERSION
from scoring.clinical.score import COUNTS, COVERAGE, MISSED, PRECISION, VIOLATIONS
from scoring.errors import DataError, UsageError, system_reason
from scoring.intervals import independent_difference
from scoring.jsonl import BOM
from scoring.plain import plain
from scoring.strict_json import StrictJSONError, loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from scoring.clinical.gate import MetricResult
    from scoring.clinical.report import GateReport
    from scoring.clinical.rows import Row

_MAX_BYTES = 512 * 1024 * 1024
_ROW_OF = {VIOLATIONS: "violacion_seguridad", MISSED: "derivacion_omitida"}
_NEEDED = (
    "reglas",
    "split",
    "digest_casos",
    "incluye_pendientes",
    "agregado",
    "casos",
    "metricas",
    "simulado",
)


def read_old(path: Path) -> Mapping[str, Any]:
    """The report of an earlier run.

    Raises:
        UsageError: the file cannot be read.
        DataError: it is no report, or one of a version this tool does not know.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise DataError("compare.not_a_report", path=path)
        data = loads(path.read_bytes().removeprefix(BOM))
    except OSError as error:
        raise UsageError("compare.unreadable", path=path, reason=system_reason(error)) from None
    except StrictJSONError:  # also where something stands twice, and one of the two would be passed over
        raise DataError("compare.not_a_report", path=path) from None
    if not isinstance(data, dict) or type(data.get("version_esquema")) is not int:
        raise DataError("compare.not_a_report", path=path)
    if not 1 <= data["version_esquema"] <= SCHEMA_VERSION:
        raise DataError(
            "compare.unknown_version",
            path=path,
            found=str(data["version_esquema"]),
            known=str(SCHEMA_VERSION),
        )
    rows = data.get("casos")
    sound = (
        all(key in data for key in _NEEDED)
        and isinstance(data["agregado"], dict)
        and isinstance(rows, list)
        and all(isinstance(row, dict) and isinstance(row.get("id"), str) for row in rows)
        and len({row["id"] for row in rows}) == len(rows)
        and isinstance(data["metricas"], list)
        and all(value is None or is_number(value) for value in data["agregado"].values())
    )
    if not sound:
        raise DataError("compare.not_a_report", path=path)
    return data


def compare(old: Mapping[str, Any], new: GateReport) -> Comparison:
    """Set ``new`` beside the report ``old``.

    Raises:
        UsageError: they are not comparable; the sentence says why.
    """
    _refuse(old, new)
    _check_aggregate(old, new)
    for row in old["casos"]:
        if not isinstance(row.get("cuenta"), bool):
            raise DataError("compare.bad_row", case=plain(row["id"]), field="cuenta")
    before = {row["id"]: row for row in old["casos"] if row["cuenta"] and row.get("split") != RESERVED_SPLIT}
    after = {row.case_id: row for row in new.rows if row.counted and row.split != RESERVED_SPLIT}
    pairs = [(before[case_id], row) for case_id, row in after.items() if case_id in before]
    for earlier, _ in pairs:
        _check_row(earlier, new.aggregate)
    whole = new.split == "dev"
    if whole and not pairs:
        raise UsageError("compare.no_pairs")
    metrics = tuple(_metric(result, old, pairs if whole else ()) for result in new.aggregate.values())
    judged, harmed = _judges(old, new, frozenset(row.case_id for _, row in pairs) if whole else frozenset())
    binding = metrics if new.judge.informative else (*metrics, *judged)
    changes = [one.change for one in binding]
    overall = (
        Change.WORSE
        if Change.WORSE in changes
        else Change.BETTER
        if Change.BETTER in changes
        else Change.NOT_SHOWN
    )
    cases = [_with_harm(_case(earlier, row, tuple(new.aggregate)), harmed) for earlier, row in pairs]
    return Comparison(
        old_generator=str(old.get("generador", "")),
        old_date=str(old["generado"]) if isinstance(old.get("generado"), str) else None,
        paired=len(pairs),
        only_old=tuple(case_id for case_id in before if case_id not in after),
        only_new=tuple(case_id for case_id in after if case_id not in before),
        same_outputs=old.get("digest_predicciones") == new.predictions_digest,
        metrics=(*metrics, *judged),
        cases=tuple(one for one in cases if one.lost or one.gained),
        change=overall,
        other_thresholds=_other_thresholds(old, new),
        judges=_other_judges(old, new),
    )


def _judges(
    old: Mapping[str, Any], new: GateReport, paired: frozenset[str]
) -> tuple[tuple[MetricChange, ...], Mapping[str, CaseChange]]:
    return judge_changes(old, new.judge, paired) if same_judge(old, new.judge) else ((), {})


def _with_harm(change: CaseChange, harmed: Mapping[str, CaseChange]) -> CaseChange:
    more = harmed.get(change.case_id)
    if more is None:
        return change
    return CaseChange(change.case_id, (*change.lost, *more.lost), (*change.gained, *more.gained))


def _other_judges(old: Mapping[str, Any], new: GateReport) -> tuple[str, str] | None:
    """The names of both judges, where their figures do not compare; None where they do, or there is none."""
    then = judge_of(old)[0]
    if same_judge(old, new.judge) or (then == NO_JUDGE and not new.judge.present):
        return None
    return then, new.judge.name


def _refuse(old: Mapping[str, Any], new: GateReport) -> None:
    """Refuse what cannot be compared, the first reason named."""
    for key, ours in (
        ("reglas", new.rules),
        ("split", new.split),
        ("digest_casos", new.cases_digest),
        ("incluye_pendientes", new.include_pending),
        ("simulado", new.simulated),
    ):
        if old[key] != ours:
            raise UsageError(f"compare.other_{key}", old=plain(str(old[key])), new=plain(str(ours)))
    # Reports of earlier versions do not say these.
    for key, ours in (("idioma_por", new.language_method), ("digest_reglas", new.rules_digest)):
        if old.get(key, ours) != ours:
            raise UsageError(f"compare.other_{key}", old=plain(str(old[key])), new=plain(str(ours)))
    if not new.counted:
        raise UsageError("compare.nothing_counted")
    if new.split != "dev" and old.get("digest_cuentan") != new.counted_digest:
        raise UsageError("compare.other_reserved_cases")


def _other_thresholds(old: Mapping[str, Any], new: GateReport) -> tuple[str, ...]:
    """Metrics of the gate whose threshold is not what it was; none where the old report has none."""
    was = old.get("umbrales")
    if not isinstance(was, dict):
        return ()
    now = {one.metric: {"tipo": str(one.kind), "valor": f"{one.value:f}"} for one in new.thresholds}
    return tuple(metric for metric in new.aggregate if was.get(metric) != now.get(metric))


def _figure(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and is_number(value) else None


def _check_aggregate(old: Mapping[str, Any], new: GateReport) -> None:
    """Refuse an old report whose aggregate lacks a metric of these rules or says what cannot be.

    Raises:
        DataError: the metric.
    """
    figures = old["agregado"]
    for metric in new.aggregate:
        found = figures.get(metric)
        sound = found is None or (found >= 0 and found == int(found) if metric in COUNTS else 0 <= found <= 1)
        # The first version of the format may know fewer metrics.
        if not sound or (metric not in figures and old.get("version_esquema") == SCHEMA_VERSION):
            raise DataError("compare.bad_aggregate", field=metric)


def _check_row(row: Mapping[str, Any], metrics: Iterable[str]) -> None:
    """Refuse a row of the old report in which a figure is missing or none: it would be read as 0.

    Raises:
        DataError: the case and the field.
    """
    for metric in metrics:
        name = _ROW_OF.get(metric, metric)
        found = row.get(name)
        # A report of other rules or without this metric is refused or shown without pairs elsewhere.
        if metric in COUNTS:
            sound = isinstance(found, bool)
        else:
            number = _figure(found)
            sound = number is not None and (0 <= number <= 1 if metric == COVERAGE else number in {0, 1})
        if metric != PRECISION and not sound:
            raise DataError("compare.bad_row", case=plain(row["id"]), field=name)


def _metric(
    result: MetricResult,
    old: Mapping[str, Any],
    pairs: Sequence[tuple[Mapping[str, Any], Row]],
) -> MetricChange:
    """One metric, paired where there are pairs."""
    metric = result.metric
    was = _figure(old["agregado"].get(metric))
    bad = metric in COUNTS
    if metric == PRECISION or not pairs:
        return _independent(result, old, was)
    if metric == COVERAGE:
        found = rates([row.score.rate(metric) - earlier[metric] for earlier, row in pairs])
    else:
        name = _ROW_OF.get(metric, metric)
        seen = [(bool(earlier.get(name)), bool(getattr(row.score, name))) for earlier, row in pairs]
        found = yes_or_no(seen, bad=bad)
    return MetricChange(metric, was, result.value, *found, is_count=bad)


def _independent(result: MetricResult, old: Mapping[str, Any], was: float | None) -> MetricChange:
    """A metric of which only the aggregates are known."""
    # A name that is no text is of no metric that is asked for here.
    named = [row for row in old["metricas"] if isinstance(row, dict) and isinstance(row.get("metrica"), str)]
    rows = {row["metrica"]: row for row in named}
    cases = rows.get(result.metric, {}).get("denominador" if result.metric == PRECISION else "casos")
    difference = None
    now = result.denominator if result.metric == PRECISION else result.cases
    if was is not None and result.exact is not None and isinstance(cases, int) and cases > 0 and now:
        count = result.metric in COUNTS
        old_total = was if count else was * cases
        new_total = float(result.exact) if count else float(result.exact) * now
        difference = independent_difference(min(old_total, cases), cases, min(new_total, now), now)
    bad = result.metric in COUNTS
    change = Change.NOT_SHOWN
    if bad and was is not None and (result.value or 0) > was:
        change = Change.WORSE
    elif difference is not None:
        change = beyond_zero(difference, bad=bad)
    return MetricChange(result.metric, was, result.value, difference, None, None, None, change, bad)


def _case(earlier: Mapping[str, Any], row: Row, metrics: Sequence[str]) -> CaseChange:
    lost: list[str] = []
    gained: list[str] = []
    for metric in metrics:
        if metric == PRECISION:
            continue
        if metric == COVERAGE:
            absent = earlier.get("hallazgos_ausentes")
            before = {str(key) for key in absent} if isinstance(absent, list) else set()
            after = set(row.score.hallazgos_ausentes)
            lost += [f"{metric}: {key}" for key in row.score.hallazgos_ausentes if key not in before]
            gained += [f"{metric}: {key}" for key in sorted(before - after)]
            continue
        name = _ROW_OF.get(metric, metric)
        was, now = bool(earlier.get(name)), bool(getattr(row.score, name))
        if was != now:
            (gained if now != (metric in COUNTS) else lost).append(metric)
    return CaseChange(row.case_id, tuple(lost), tuple(gained))
