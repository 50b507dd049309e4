"""What the tests of comparisons share: a report as it was stored, and what changed in one metric."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from scoring.clinical.compare import compare

if TYPE_CHECKING:
    from scoring.clinical import GateReport


def old(report: GateReport) -> dict[str, Any]:
    """The report as it comes back from its file."""
    content: dict[str, Any] = json.loads(report.to_json())
    return content


def change_of(before: GateReport, after: GateReport, metric: str) -> Any:
    """What a comparison of the two says of one metric."""
    return next(one for one in compare(old(before), after).metrics if one.metric == metric)
