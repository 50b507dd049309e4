"""A report or a tally read back from JSON, for showing, comparing or adding up.

Of a report only what was counted is taken over, and it is checked against itself: what stands twice or
does not add up was not written by this program. Intervals are worked again. What is refused is told by
the place, never by its content: the wrong file may be a private one.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from scoring.abstraction.chunks import open_file
from scoring.abstraction.grammar import is_field_id
from scoring.abstraction.normalize import AbstractionFieldType
from scoring.abstraction.report import (
    COUNTS,
    METRICS,
    AbstractionMetric,
    AbstractionScores,
    ChartAbstractionBenchmarkReport,
)
from scoring.abstraction.tally import MAX_COUNT, Tally
from scoring.errors import DataError, UsageError, system_reason

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MAX_REPORT_BYTES: Final = 64 << 20


class _NotAReportError(Exception):
    """Why; never leaves this module."""

    def __init__(self, key: str, **fields: str | int) -> None:
        super().__init__(key)
        self.key = key
        self.fields = fields


def load_report(path: Path) -> ChartAbstractionBenchmarkReport:
    """The report of a file that ``--json`` or ``--informe`` wrote.

    Raises:
        UsageError: the file cannot be read.
        DataError: it is not such a report, or its counts contradict one another.
    """
    return read_report(_read(path), path)


def read_report(data: bytes, path: Path) -> ChartAbstractionBenchmarkReport:
    """The report written as JSON in ``data``; ``path`` names its file in errors.

    Raises:
        DataError: it is no report, is cut, or its counts contradict one another.
    """
    try:
        return _report(data)
    except _NotAReportError as refused:
        failed = DataError(refused.key, problems=(), path=path, **refused.fields)
    raise failed


def load_tally(path: Path) -> Tally:
    """The tally of a file that ``--recuento`` wrote.

    Raises:
        UsageError: the file cannot be read.
        DataError: it is not such a tally.
    """
    try:
        return Tally.from_dict(json.loads(_read(path), object_pairs_hook=_members))
    except (ValueError, RecursionError, _NotAReportError):
        failed = DataError("abstraction.not_a_tally", path=path)
    raise failed


def _read(path: Path) -> bytes:
    """The bytes of a file, at most one more than are allowed."""
    with open_file(path) as stream:
        try:
            data = stream.read(MAX_REPORT_BYTES + 1)
        except OSError as error:
            failed = UsageError("jsonl.file_unreadable", path=path, reason=system_reason(error))
        else:
            return data
    raise failed


def _report(data: bytes) -> ChartAbstractionBenchmarkReport:
    if len(data) > MAX_REPORT_BYTES:
        raise _NotAReportError("abstraction.report_too_large", limit=MAX_REPORT_BYTES >> 20)
    if not data.strip():
        raise _NotAReportError("abstraction.report_empty")
    try:
        value = json.loads(data, object_pairs_hook=_members)
    except json.JSONDecodeError as error:
        key = "abstraction.report_cut" if _is_cut(error) else "abstraction.not_a_report"
        refused = _NotAReportError(key)
    except (ValueError, RecursionError):  # not UTF-8, an endless number, brackets without end
        refused = _NotAReportError("abstraction.not_a_report")
    else:
        return _built(value)
    raise refused


def _is_cut(error: json.JSONDecodeError) -> bool:
    """The text begins as an object and ends before its end, as a file does that is being written."""
    text = error.doc.strip()
    return text[:1] == "{" and (text[-1:] != "}" or error.pos >= len(error.doc.rstrip()))


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _NotAReportError("abstraction.report_repeats")
    return found


def _built(value: Any) -> ChartAbstractionBenchmarkReport:
    if not isinstance(value, dict):
        raise _NotAReportError("abstraction.not_a_report")
    fields, kinds = value.get("by_field"), value.get("by_field_type")
    if not isinstance(fields, dict) or not isinstance(kinds, dict):
        raise _NotAReportError("abstraction.not_a_report")
    if not all(map(is_field_id, fields)) or not set(kinds) <= {kind.value for kind in AbstractionFieldType}:
        raise _NotAReportError("abstraction.not_a_report")
    report = ChartAbstractionBenchmarkReport(
        _scores(value.get("overall"), "overall"),
        tuple((name, _scores(part, name)) for name, part in sorted(fields.items())),
        tuple((AbstractionFieldType(kind), _scores(part, kind)) for kind, part in sorted(kinds.items())),
    )
    _require_sum(report.overall, (scores for _, scores in report.by_field), "by_field")
    _require_sum(report.overall, (scores for _, scores in report.by_field_type), "by_field_type")
    return report


def _scores(value: Any, place: str) -> AbstractionScores:
    """One slice; its counts have to be counts and to agree with one another."""
    if not isinstance(value, dict) or not all(isinstance(value.get(name), dict) for name in METRICS):
        raise _NotAReportError("abstraction.not_a_report")
    pairs = [(value[name].get("success_count"), value[name].get("total_count")) for name in METRICS]
    counts = [value.get(name) for name in COUNTS]
    for count in (*counts, *(count for pair in pairs for count in pair)):
        if type(count) is not int or not 0 <= count <= MAX_COUNT:
            raise _NotAReportError("abstraction.report_count", place=place)
    rows, answerable, unanswerable, missing, answered, abstained = (int(count or 0) for count in counts)
    trials = (answerable, answerable, rows, answerable, unanswerable, answered)
    if (
        rows != answerable + unanswerable
        or rows != missing + answered + abstained
        or tuple(total for _, total in pairs) != trials
        or any(successes > total for successes, total in pairs)
    ):
        raise _NotAReportError("abstraction.report_contradicts", place=place)
    metrics = [AbstractionMetric(successes, total) for successes, total in pairs]
    return AbstractionScores(rows, answerable, unanswerable, missing, answered, abstained, *metrics)


def _require_sum(overall: AbstractionScores, parts: Iterable[AbstractionScores], place: str) -> None:
    sums = [0] * (len(COUNTS) + len(METRICS))
    for part in parts:
        for column, count in enumerate(_columns(part)):
            sums[column] += count
    if sums != list(_columns(overall)):
        raise _NotAReportError("abstraction.report_contradicts", place=place)


def _columns(scores: AbstractionScores) -> tuple[int, ...]:
    """Every count that adds up over slices; the trials of the metrics follow from the first six."""
    return (
        scores.field_count,
        scores.answerable_count,
        scores.unanswerable_count,
        scores.missing_count,
        scores.answered_count,
        scores.abstained_count,
        *(scores.metric(name).success_count for name in METRICS),
    )
