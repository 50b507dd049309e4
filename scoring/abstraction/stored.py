"""A report read back from its canonical JSON, for comparing with a later run.

Only what was counted is taken over, and it is checked: intervals and derived counts are worked again.
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
    failed: Exception | None = None
    data = b""
    with open_file(path) as stream:
        try:
            data = stream.read(MAX_REPORT_BYTES + 1)
        except OSError as error:
            failed = UsageError(
                "jsonl.file_unreadable", path=path, reason=error.strerror or type(error).__name__
            )
    if failed is not None:
        raise failed
    report = parse_report(data) if len(data) <= MAX_REPORT_BYTES else None
    if report is None:
        raise DataError("abstraction.not_a_report", path=path)
    return report


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
