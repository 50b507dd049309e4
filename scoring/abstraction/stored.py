"""A report or a tally read back from JSON, for comparing or adding up.

Of a report only what was counted is taken over, and it is checked; intervals are worked again.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

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
from scoring.abstraction.tally import Tally
from scoring.errors import DataError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

MAX_REPORT_BYTES = 64 << 20


def load_report(path: Path) -> ChartAbstractionBenchmarkReport:
    """The report of a file that ``--json`` or ``--informe`` wrote.

    Raises:
        UsageError: the file cannot be read.
        DataError: it is not such a report.
    """
    report = parse_report(_read(path))
    if report is None:
        raise DataError("abstraction.not_a_report", path=path)
    return report


def load_tally(path: Path) -> Tally:
    """The tally of a file that ``--recuento`` wrote.

    Raises:
        UsageError: the file cannot be read.
        DataError: it is not such a tally.
    """
    try:
        return Tally.from_dict(json.loads(_read(path)))
    except (ValueError, RecursionError):
        failed = DataError("abstraction.not_a_tally", path=path)
    raise failed


def _read(path: Path) -> bytes:
    """The bytes of a file; of one that is too large none, which is neither report nor tally."""
    with open_file(path) as stream:
        try:
            data = stream.read(MAX_REPORT_BYTES + 1)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            failed = UsageError("jsonl.file_unreadable", path=path, reason=reason)
        else:
            return data if len(data) <= MAX_REPORT_BYTES else b""
    raise failed


def parse_report(data: bytes) -> ChartAbstractionBenchmarkReport | None:
    """The report written as JSON, or None if it is none."""
    try:
        value = json.loads(data)
        return ChartAbstractionBenchmarkReport(
            _scores(value["overall"]),
            tuple((_name(name), _scores(part)) for name, part in sorted(value["by_field"].items())),
            tuple(
                (AbstractionFieldType(kind), _scores(part))
                for kind, part in sorted(value["by_field_type"].items())
            ),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _name(value: str) -> str:
    if not is_field_id(value):
        raise ValueError("invalid_field_id")
    return value


def _scores(value: Any) -> AbstractionScores:
    counts = [value[name] for name in COUNTS]
    if any(type(count) is not int or count < 0 for count in counts):
        raise ValueError("invalid_report")
    metrics = [
        AbstractionMetric(value[name]["success_count"], value[name]["total_count"]) for name in METRICS
    ]
    return AbstractionScores(*counts, *metrics)
