"""Two runs on the same cases: what changed, whether that can be shown, and which cases it was.

Cases are paired by id, so that what is compared is the assistant and not the choice of cases. Only the
open split is paired; of the reserved one a report holds aggregates only, and those are compared as
independent figures, never between runs that counted different cases of it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from scoring import messages
from scoring.clinical.comparison import CaseChange, Change, Comparison, MetricChange
from scoring.clinical.report import RESERVED_SPLIT, SCHEMA_VERSION
from scoring.clinical.score import COUNTS, COVERAGE, MISSED, PRECISION, VIOLATIONS
from scoring.errors import DataError, UsageError
from scoring.intervals import (
    Difference,
    independent_difference,
    mcnemar,
    mean_difference,
    paired_difference,
)
from scoring.plain import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from scoring.clinical.gate import MetricResult
    from scoring.clinical.report import GateReport
    from scoring.clinical.rows import Row

_P = 0.05
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
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise UsageError("compare.unreadable", path=path, reason=error.strerror or "") from None
    except (ValueError, RecursionError):
        raise DataError("compare.not_a_report", path=path) from None
    if not isinstance(data, dict) or not isinstance(data.get("version_esquema"), int):
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
    before = {
        row["id"]: row for row in old["casos"] if row.get("cuenta") and row.get("split") != RESERVED_SPLIT
    }
    after = {row.case_id: row for row in new.rows if row.counted and row.split != RESERVED_SPLIT}
    pairs = [(before[case_id], row) for case_id, row in after.items() if case_id in before]
    whole = new.split == "dev"
    if whole and not pairs:
        raise UsageError("compare.no_pairs")
    metrics = tuple(_metric(result, old, pairs if whole else ()) for result in new.aggregate.values())
    changes = [one.change for one in metrics]
    overall = (
        Change.WORSE
        if Change.WORSE in changes
        else Change.BETTER
        if Change.BETTER in changes
        else Change.NOT_SHOWN
    )
    cases = [_case(earlier, row, tuple(new.aggregate)) for earlier, row in pairs]
    return Comparison(
        old_generator=str(old.get("generador", "")),
        old_date=str(old["generado"]) if isinstance(old.get("generado"), str) else None,
        paired=len(pairs),
        only_old=tuple(case_id for case_id in before if case_id not in after),
        only_new=tuple(case_id for case_id in after if case_id not in before),
        same_outputs=old.get("digest_predicciones") == new.predictions_digest,
        metrics=metrics,
        cases=tuple(one for one in cases if one.lost or one.gained),
        change=overall,
    )


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
    if not new.counted:
        raise UsageError("compare.nothing_counted")
    if new.split != "dev" and old.get("digest_cuentan") != new.counted_digest:
        raise UsageError("compare.other_reserved_cases")


def _figure(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


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
        steps = [row.score.rate(metric) - (_figure(earlier.get(metric)) or 0.0) for earlier, row in pairs]
        difference = mean_difference(steps)
        change = Change.NOT_SHOWN if difference is None else _beyond_zero(difference)
        worse, better = sum(step < 0 for step in steps), sum(step > 0 for step in steps)
        return MetricChange(metric, was, result.value, difference, None, worse, better, change)
    name = _ROW_OF.get(metric, metric)
    counts = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    for earlier, row in pairs:
        now = getattr(row.score, name)
        counts[bool(earlier.get(name)), bool(now)] += 1
    lost, won = counts[True, False], counts[False, True]
    difference = paired_difference(counts[True, True], lost, won, counts[False, False])
    worse, better = (won, lost) if bad else (lost, won)
    p = float(mcnemar(worse, better))
    if bad and worse > better:
        change = Change.WORSE  # a new violation is a fact about a case and needs no significance
    elif p < _P:
        change = Change.WORSE if worse > better else Change.BETTER
    else:
        change = Change.NOT_SHOWN
    return MetricChange(metric, was, result.value, difference, p, worse, better, change)


def _independent(result: MetricResult, old: Mapping[str, Any], was: float | None) -> MetricChange:
    """A metric of which only the aggregates are known."""
    rows = {row.get("metrica"): row for row in old["metricas"] if isinstance(row, dict)}
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
        change = _beyond_zero(difference, bad=bad)
    return MetricChange(result.metric, was, result.value, difference, None, None, None, change)


def _beyond_zero(difference: Difference, *, bad: bool = False) -> Change:
    """What an interval says that may or may not hold zero."""
    if difference.low > 0:
        return Change.WORSE if bad else Change.BETTER
    if difference.high < 0:
        return Change.BETTER if bad else Change.WORSE
    return Change.NOT_SHOWN


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


def lines(comparison: Comparison) -> list[str]:
    """The comparison as text for a person."""
    say = messages.text
    said = [say("compare.title", name=comparison.old_generator, date=comparison.old_date or "-")]
    if comparison.same_outputs:
        said.append("  " + say("compare.same_outputs"))
    if comparison.paired:
        said.append("  " + say("compare.paired", n=comparison.paired))
    for key, ids in (("only_old", comparison.only_old), ("only_new", comparison.only_new)):
        if ids:
            said.append("  " + say(f"compare.{key}", n=len(ids), ids=", ".join(ids)))
    for one in comparison.metrics:
        old = "-" if one.old is None else f"{one.old:.2f}"
        new = "-" if one.new is None else f"{one.new:.2f}"
        gap = one.difference
        sure = f"{gap.value:+.2f} [{gap.low:+.2f}, {gap.high:+.2f}]" if gap is not None else "-"
        p = "" if one.p is None else f"p={one.p:.3f}"
        said.append(
            f"  {one.metric:<25}{old:>5} -> {new:<5} {sure:<24} {p:<9}{say(f'compare.{one.change}')}".rstrip()
        )
    for key, pick in (("broken", "lost"), ("mended", "gained")):
        changed = [(one.case_id, getattr(one, pick)) for one in comparison.cases if getattr(one, pick)]
        if changed:
            said.append("  " + say(f"compare.{key}", n=len(changed)))
            said += [f"    {plain(case_id)}: {plain(', '.join(what))}" for case_id, what in changed]
    said.append("  " + say(f"compare.verdict_{comparison.change}"))
    return said
