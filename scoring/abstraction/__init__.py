"""Chart-abstraction scoring: gold fields against outputs, a value-free report, a finalization gate.

The names here are those of ``openmed.eval.suites.chart_abstraction`` and
``openmed.agent.workflows.abstraction_evidence`` (openmed 3.1.0), with the same signatures, error codes
and canonical bytes; a program written for them runs after its imports are changed. What is done
otherwise on purpose stands in ``docs/abstraction.md``.

Nothing imported here reads or writes a file. Files are the business of
``scoring.abstraction.files``, which has to be imported by name.
"""

from scoring.abstraction.benchmark import run_chart_abstraction_benchmark, synthetic_chart_abstraction_gold
from scoring.abstraction.evidence import (
    AbstractionEvidenceChain,
    ReviewerState,
    SourceKind,
    SourceLocation,
    TransformationKind,
)
from scoring.abstraction.evidence_report import (
    ABSTRACTION_EVIDENCE_SCHEMA,
    AbstractionEvidenceError,
    AbstractionEvidenceIssue,
    AbstractionEvidenceReport,
    FinalizedAbstractionEvidence,
)
from scoring.abstraction.finalization import ChartAbstractionEvidence
from scoring.abstraction.normalize import AbstractionFieldType
from scoring.abstraction.report import (
    AbstractionMetric,
    AbstractionScores,
    ChartAbstractionBenchmarkReport,
)
from scoring.abstraction.rows import ChartAbstractionGoldField, ChartAbstractionPrediction

__all__ = [
    "ABSTRACTION_EVIDENCE_SCHEMA",
    "AbstractionEvidenceChain",
    "AbstractionEvidenceError",
    "AbstractionEvidenceIssue",
    "AbstractionEvidenceReport",
    "AbstractionFieldType",
    "AbstractionMetric",
    "AbstractionScores",
    "ChartAbstractionBenchmarkReport",
    "ChartAbstractionEvidence",
    "ChartAbstractionGoldField",
    "ChartAbstractionPrediction",
    "FinalizedAbstractionEvidence",
    "ReviewerState",
    "SourceKind",
    "SourceLocation",
    "TransformationKind",
    "run_chart_abstraction_benchmark",
    "synthetic_chart_abstraction_gold",
]
