"""A report as lines of text for a person.

Case lines keep the form ``[ok] id split dif=1 cob=1.00~ deriv=1 es=1 alc=1``; the tilde says that the
coverage was measured on prose. Whatever comes from data passes :func:`scoring.plain.plain`.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from scoring import messages
from scoring.clinical import compare_text
from scoring.clinical.gate import MetricResult, Verdict
from scoring.clinical.report import RESERVED_SPLIT
from scoring.clinical.slices import ALTERED, OUT_OF_SCOPE, UNALTERED, UNKNOWN
from scoring.clinical.stored_entries import ids_of
from scoring.clinical.wrapping import wrapped_list
from scoring.plain import plain
from scoring.record import Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scoring.clinical.report import GateReport
    from scoring.clinical.rows import Row

_OK = "[ok]"
_VIOLATION = "[⚠SEG]"
_JUDGE_VIOLATION = "[⚠SEG-JUEZ]"
_WIDTH = 100


def case_line(row: Row, width: int) -> str:
    """One case in one line; ``width`` is that of the id column."""
    score = row.score
    parts = [
        f"{_VIOLATION if score.violacion_seguridad else _OK:<6}",
        f"{plain(row.case_id):<{width}}",
        f"{row.split:<4}",
        f"dif={score.recall_diferenciales:.0f}",
        f"cob={score.cobertura_hallazgos:.2f}{'~' if score.cobertura_por_texto else ' '}",
        f"deriv={score.acierto_derivacion:.0f}",
        f"es={score.idioma_es:.0f}",
        f"alc={score.acierto_fuera_de_alcance:.0f}",
    ]
    if score.derivacion_omitida:
        parts.append(messages.text("render.missed_mark"))
    if not row.state.counts:
        parts.append(f"({_status(row)})")
    if not row.predicted:
        parts.append(messages.text("render.no_prediction_mark"))
    return "  ".join(parts).rstrip()


def _judged(report: GateReport, row: Row) -> str:
    """The judge's word on one case, at the end of its line."""
    rubric = report.judge.rubrics.get(row.case_id)
    if rubric is None:
        return f"  {messages.text('judges.mark_unjudged')}" if row.case_id in report.judge.unjudged else ""
    said = f"  juez: dif={rubric['correccion_diferenciales']:.2f} seg={rubric['seguridad']:.2f}"
    return said + (f"  {_JUDGE_VIOLATION}" if rubric["violacion_seguridad"] else "")


def _status(row: Row) -> str:
    status = row.state.status
    if status is Status.FIRMADO:  # signed, and yet it does not count
        return messages.text("render.not_valid")
    return messages.text(f"render.status_{status}")


def metric_line(result: MetricResult) -> str:
    """One metric: figure, exact count, threshold, and whether it is met, in words."""
    name = f"{result.metric:<25}"
    figure = f"{result.figure:>7}"
    count = f"({result.over})" if result.over and not result.is_count else ""
    limit = messages.text(f"render.{result.threshold.kind}", limit=result.limit) if result.threshold else ""
    word = "" if result.passes is None else messages.text("render.met" if result.passes else "render.not_met")
    interval = result.interval
    sure = f"[{interval.low:.2f}, {interval.high:.2f}]" if interval and not result.is_count else ""
    return f"  {name}{figure}  {count:<12}{sure:<14}{limit:<13}{word}".rstrip()


def lines(report: GateReport) -> list[str]:
    """The whole report as text, the verdict last."""
    return list(each_line(report))


def each_line(report: GateReport) -> Iterator[str]:
    """The lines of the whole report, one after the other."""
    if report.simulated:
        yield from (messages.text("clinical.simulated_banner"), "")
    if report.synthetic:
        yield from (messages.text("render.label", label=messages.text("clinical.demo_label")), "")
    if report.rows:
        width = max(len(plain(case_id)) for case_id in ids_of(report.rows))
        for row in report.rows:
            yield case_line(row, width) + _judged(report, row)
        yield from (*textwrap.wrap(messages.text("render.legend"), width=_WIDTH), "")
    if report.shows_reserved:
        yield from (messages.text("render.reserved_shown"), "")
    elif report.split in {RESERVED_SPLIT, "todos"}:
        yield from (messages.text("render.reserved"), "")
    yield messages.text(
        "render.aggregate", split=_split_name(report), counted=report.counted, total=report.total
    )
    if report.include_pending:
        yield "  " + messages.text("render.pending_included")
    yield from map(metric_line, report.aggregate.values())
    if report.counted:
        yield "  " + messages.text("render.weight", weight=f"{100 / report.counted:.1f}")
    judged = report.judge.lines()
    if judged:
        yield from ("", *judged)
    yield from slice_lines(report)
    if report.advice:
        yield from ("", messages.text("render.advice"))
        for one in report.advice:
            yield from _wrapped(one.sentence())
    if report.comparison is not None:
        yield from ("", *compare_text.lines(report.comparison))
    yield from _left_out(report)
    if report.failures and report.verdict is Verdict.FAILS:
        yield from ("", messages.text("render.failures", n=len(report.failures)))
        yield from (f"  {line}" for line in report.failures)
    yield from ("", *verdict_lines(report))


# Values of ours among those of the data; in the report they stay as they are.
_PARTS = {
    UNKNOWN: "render.part_unknown",
    OUT_OF_SCOPE: "render.part_out_of_scope",
    UNALTERED: "render.part_unaltered",
    ALTERED: "render.part_altered",
}


def slice_lines(report: GateReport) -> list[str]:
    """The parts of the open split that would not meet a threshold, the worst first."""
    unmet = [part for part in report.slices if part.unmet]
    if not unmet:
        return []
    said = ["", messages.text("render.slices")]
    for part in unmet:
        value = messages.text(_PARTS[part.value]) if part.value in _PARTS else part.value
        name = messages.text(f"render.by_{part.dimension}", value=value)
        worst = ", ".join(
            f"{result.metric} {result.figure}" for result in part.results.values() if result.passes is False
        )
        small = f"  ({messages.text('render.small')})" if part.small else ""
        said.append(f"  {name} ({part.cases}): {worst}{small}")
    return said


def _wrapped(sentence: str) -> list[str]:
    return textwrap.wrap(
        sentence, width=_WIDTH, initial_indent="  - ", subsequent_indent="    ", break_long_words=False
    )


def _split_name(report: GateReport) -> str:
    return messages.text("render.both_splits") if report.split == "todos" else report.split


def _left_out(report: GateReport) -> Iterator[str]:
    """Who did not count, who counted as empty, and why."""
    yield from _named("render.undecided", report.undecided, 0)
    yield from _named("render.left_out", report.pending, report.reserved_pending)
    if report.aside or report.reserved_aside:
        yield from ("", messages.text("render.aside", n=len(report.aside) + report.reserved_aside))
        yield from (f"  {line}" for line in each_aside_line(report))
    yield from _named("render.missing", report.missing, report.reserved_missing)


def _named(key: str, ids: Sequence[str], reserved: int) -> Iterator[str]:
    """A heading, the ids of the open split, and how many there are of the reserved one."""
    if not ids and not reserved:
        return
    yield from ("", messages.text(key, n=len(ids) + reserved))
    yield from wrapped_list(map(plain, ids), width=_WIDTH)
    if reserved:
        yield "  " + messages.text("render.reserved_count", n=reserved)


def each_aside_line(report: GateReport) -> Iterator[str]:
    """One line per case whose signature is not valid: which and why; of the reserved split how many."""
    for state in report.aside:
        yield f"{plain(state.case_id)}: {state.sentence()}"
    if report.reserved_aside:
        yield messages.text("render.reserved_aside", n=report.reserved_aside)


def verdict_lines(report: GateReport) -> list[str]:
    """The verdict in words, with what to do when there is none."""
    verdict = report.verdict
    key = f"render.verdict_{verdict}" if report.reason is None else f"render.reason_{report.reason}"
    said = [
        messages.text(
            key,
            n=report.counted,
            split=_split_name(report),
            total=report.total,
            why=plain(report.judge.why_not),
            least=report.min_cases,
            reserved=report.reserved_counted,
        )
    ]
    if verdict is Verdict.INTEGRITY_BROKEN:
        said += [f"  {line}" for line in report.breaks]
    aside = len(report.aside) + report.reserved_aside
    if aside and verdict in {Verdict.PASSES, Verdict.FAILS}:
        said.append(messages.text("render.aside_verdict", n=aside))
    if report.include_pending and verdict in {Verdict.PASSES, Verdict.FAILS}:
        said.append(messages.text("render.pending_verdict"))
    if report.simulated:
        said.append(messages.text("clinical.simulated_banner"))
    return said
