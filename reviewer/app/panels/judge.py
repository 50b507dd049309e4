"""What a judge and the grounding found, with what they left open; and how far a run is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.panels.common import (
    judge_measure,
    measure_lines,
    paragraph,
    rule,
    some,
)
from reviewer.app.text import Content, indent, join, literal, tell
from scoring import messages
from scoring.reports.trend import why_apart

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime

    from reviewer.app.board_desk import Extras
    from reviewer.app.gate_board import GateBoard
    from reviewer.judging import Status
    from scoring.clinical import GateReport
    from scoring.clinical.judged import GroundingMetric, JudgePart
    from scoring.reports.grounded import StoredGrounding
    from scoring.reports.stored import Shelf, StoredReport

_BAR_CELLS = 24
_GROUNDING_VERDICTS = frozenset({"pasa", "falla", "sin_medir", "nada_que_medir", "solo_citas"})


def lines(board: GateBoard, report: GateReport, extras: Extras, width: int) -> list[Content]:
    """The view for a width."""
    open_ids = {row.case_id for row in report.rows}
    status = status_lines(board.judge_status, width)
    said = [rule(messages.text("board_judge.title"), width), *status]
    stored = newest_judged(extras.shelf)
    if board.judged is not None:
        said += paragraph("board_judge.of_now", width, theme.QUIET)
        said += _part(report.judge, open_ids, width)
    elif board.judge_running:
        pass  # figures of an earlier report below the progress would be taken for those of this run
    elif stored is not None and stored.judge is not None:
        said += _of_then(stored, report, width)
        said += _part(stored.judge, open_ids, width)
    elif status:
        pass  # what is known of this session's run is above
    elif extras.looked:
        said += paragraph("board_judge.none", width)
    else:
        said += paragraph("board.looking", width, theme.QUIET)
    return [*said, Content(""), *_grounding(extras, report, open_ids, width)]


def newest_judged(shelf: Shelf) -> StoredReport | None:
    """The newest stored report of the open split in which a judge gave figures."""
    judged = [one for one in shelf.reports if one.judge is not None and one.judge.metrics]
    return judged[-1] if judged else None


def status_lines(status: Status | None, width: int) -> list[Content]:
    """How far the run is, or how the last one ended; nothing before there was one."""
    if status is None or status.stage.value == "idle":
        return []
    if status.stage.value != "running":
        gaps = status.stage.value == "done" and status.failed > 0
        key = "board_judge.ended_gaps" if gaps else f"board_judge.ended_{status.stage}"
        style = "" if status.stage.value == "done" and not gaps else theme.CARE
        return paragraph(
            key,
            width,
            style,
            done=status.done - status.failed,
            total=status.total,
            n=status.failed,
            seconds=duration(status.seconds),
            why=status.error,
        )
    filled = status.done * _BAR_CELLS // status.total if status.total else 0
    head = join(
        Content(" "),
        Content.styled("━" * filled, theme.LINK),
        Content.styled("·" * (_BAR_CELLS - filled), theme.RULE),
        Content("  "),
        tell("board_judge.progress", done=status.done, total=status.total),
    )
    said = [head.truncate(width)]
    seconds = duration(status.seconds)
    if status.left is None:
        said += paragraph("board_judge.time_unknown", width, theme.QUIET, seconds=seconds)
    else:
        left = duration(status.left)
        said += paragraph("board_judge.time", width, theme.QUIET, seconds=seconds, left=left)
    if status.reused:
        said += paragraph("board_judge.reused", width, theme.QUIET, n=status.reused)
    if status.case_id is not None:
        said += paragraph("board_judge.last", width, theme.QUIET, id=status.case_id)
    if status.error:
        said += paragraph("board_judge.error", width, theme.CARE, n=status.failed, why=status.error)
    return said


def duration(seconds: float) -> str:
    """«42 s», «3 min 5 s»."""
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60} s"


def _day(at: datetime | None) -> str:
    return messages.text("board.no_date") if at is None else f"{at.astimezone():%Y-%m-%d %H:%M}"


def _of_then(stored: StoredReport, report: GateReport, width: int) -> list[Content]:
    said = paragraph("board_judge.of_then", width, theme.QUIET, at=_day(stored.at), name=stored.path.name)
    reason = why_apart(stored, report)
    if reason is not None:
        said += paragraph(f"board_judge.apart_{reason}", width, theme.CARE)
    elif stored.predictions_digest != report.predictions_digest:
        said += paragraph("board_judge.other_outputs", width, theme.CARE)
    return said


def _part(part: JudgePart, open_ids: Collection[str], width: int) -> list[Content]:
    where = "judges.title_local" if part.local else "judges.title_remote"
    said = paragraph(where, width, name=part.name, address=part.destination)
    if known := part.calibration.sentence():
        style = theme.QUIET if part.calibration.calibrated else theme.CARE
        said += indent(literal(known, style), width, Content(" "))
    if part.informative:
        said += paragraph("judges.informative", width)
    said += measure_lines([judge_measure(metric) for metric in part.metrics], width)
    said += paragraph("judges.judged", width, judged=part.judged, judgeable=part.judgeable)
    if part.why_not:
        said += indent(literal(part.why_not), width, Content.styled(" ! ", theme.CARE))
    unjudged = len(part.unjudged) + part.reserved_unjudged
    if unjudged:
        said += _named("judges.unjudged", unjudged, part.unjudged, open_ids, width)
        said += _reasons("judges", part.reasons, width)
    addressed = len(part.addressed) + part.reserved_addressed
    if addressed:
        said += _named("judges.addressed", addressed, part.addressed, open_ids, width)
    return said


def _named(key: str, n: int, ids: tuple[str, ...], open_ids: Collection[str], width: int) -> list[Content]:
    """A count with the ids that belong to the open split; a stored file may name what it should not."""
    named = [case_id for case_id in ids if case_id in open_ids]
    text = join(tell(key, n=n), literal(f" {some(named, 12)}" if named else ""))
    return indent(text, width, Content.styled(" ! ", theme.BAD))


def _reasons(area: str, reasons: Mapping[str, int], width: int) -> list[Content]:
    said: list[Content] = []
    for code, n in sorted(reasons.items()):
        known = f"reason_{code}" in messages.catalogue(area)
        words = messages.text(f"{area}.reason_{code}") if known else code
        said += indent(literal(f"{words}: {n}", theme.QUIET), width, Content("   "))
    return said


def _grounding(extras: Extras, report: GateReport, open_ids: Collection[str], width: int) -> list[Content]:
    said = [rule(messages.text("board_judge.grounding"), width)]
    stored = [one for one in extras.shelf.groundings if one.split == "dev"]
    if not stored:
        return said + paragraph("board_judge.no_grounding", width)
    found = stored[-1]
    said += paragraph("board_judge.of_file", width, theme.QUIET, at=_day(found.at), name=found.path.name)
    if found.predictions_digest != report.predictions_digest:
        said += paragraph("board_judge.other_outputs", width, theme.CARE)
    said += _grounding_verdict(found, width)
    said += measure_lines(
        [judge_measure(m.figure, f"{m.measured}/{m.samples}") for m in found.metrics], width
    )
    for metric in found.metrics:
        said += _gaps(metric, open_ids, width)
    if found.no_passages or found.no_output:
        said += paragraph("ragas.left_out", width, theme.QUIET, a=found.no_passages, b=found.no_output)
    if found.marks or found.statements:
        said += paragraph(
            "board_judge.citations",
            width,
            theme.BAD if found.dangling else theme.QUIET,
            marks=found.marks,
            dangling=found.dangling,
            statements=found.statements,
            unmarked=found.unmarked,
        )
    return said


def _grounding_verdict(found: StoredGrounding, width: int) -> list[Content]:
    if found.verdict not in _GROUNDING_VERDICTS:
        return indent(literal(found.verdict), width, Content(" – "))
    mark, style = {"pasa": ("✓", theme.GOOD), "falla": ("✗", theme.BAD)}.get(found.verdict, ("–", theme.CARE))
    text = tell(f"board_judge.grounding_{found.verdict}", style=style, why=found.why_not)
    return indent(text, width, literal(f" {mark} ", style))


def _gaps(metric: GroundingMetric, open_ids: Collection[str], width: int) -> list[Content]:
    """What a metric left unmeasured, and that too little was measured to say anything."""
    said: list[Content] = []
    missing = metric.samples - metric.measured
    if missing > 0:
        figure = judge_measure(metric.figure)
        text = messages.text("board_judge.unmeasured", metric=figure.name, n=missing)
        named = [case_id for case_id in metric.unmeasured if case_id in open_ids]
        said += indent(
            literal(text + (f" {some(named, 12)}" if named else "")), width, Content.styled(" ! ", theme.CARE)
        )
        said += _reasons("ragas", metric.reasons, width)
    if not metric.enough:
        said += paragraph("board_judge.too_few", width, theme.CARE, metric=judge_measure(metric.figure).name)
    return said
