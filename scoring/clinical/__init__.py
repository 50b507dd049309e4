"""Gold-case scoring: one case against one output, and the gate over all that count.

``score_case`` and ``evaluate`` are the two calls most users need; :class:`LiveGate` is the same gate
for a screen that follows signatures as they are made.
"""

from scoring.clinical.evaluate import evaluate, score_stream
from scoring.clinical.gate import (
    METRICS,
    Kind,
    MetricResult,
    Threshold,
    Verdict,
    read_thresholds,
)
from scoring.clinical.lexicon import known_rules
from scoring.clinical.live import LiveGate
from scoring.clinical.policy import Policy, read_policy, shipped_policy
from scoring.clinical.predictions import Predictions, load_predictions, simulate
from scoring.clinical.report import SPLIT_CHOICES, GateReport
from scoring.clinical.rows import Row
from scoring.clinical.score import RATES, VIOLATIONS, CaseScore, score_case
from scoring.clinical.standing import SignPreview, Standing
from scoring.clinical.tally import Tally

__all__ = [
    "METRICS",
    "RATES",
    "SPLIT_CHOICES",
    "VIOLATIONS",
    "CaseScore",
    "GateReport",
    "Kind",
    "LiveGate",
    "MetricResult",
    "Policy",
    "Predictions",
    "Row",
    "SignPreview",
    "Standing",
    "Tally",
    "Threshold",
    "Verdict",
    "evaluate",
    "known_rules",
    "load_predictions",
    "read_policy",
    "read_thresholds",
    "score_case",
    "score_stream",
    "shipped_policy",
    "simulate",
]
