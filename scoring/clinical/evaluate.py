"""The full run: data set and outputs in, report out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scoring.clinical.live import LiveGate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scoring.cases import Case, CaseFile
    from scoring.clinical.gate import Threshold
    from scoring.clinical.predictions import Predictions
    from scoring.clinical.report import GateReport
    from scoring.jsonl import Problem
    from scoring.record import CaseState


def evaluate(
    casos: CaseFile | Iterable[Case | Mapping[str, Any]],
    predicciones: Predictions | Mapping[str, Mapping[str, Any]],
    *,
    split: str = "dev",
    include_pending: bool = False,
    rules: str | None = None,
    thresholds: Sequence[Threshold] | None = None,
    states: Mapping[str, CaseState] | None = None,
    breaks: Sequence[Problem] = (),
    min_cases: int | None = None,
    language: str | None = None,
) -> GateReport:
    """Score every case and hold the counted ones against the thresholds.

    Args:
        casos: the data set, or its cases, in file order.
        predicciones: checked predictions, or case id -> the object under ``interpretacion``.
        split: ``dev``, ``test`` (figures only) or ``todos``.
        include_pending: unsigned cases count too.
        rules: name of the scoring rules; None for those in force.
        thresholds: None for those in force.
        states: state of each signature (:func:`scoring.record.case_states`); None goes by the lines.
        breaks: what is broken in the record.
        min_cases: with fewer counted cases there is no verdict; None for the number in force.
        language: ``palabras`` or ``lingua``; None for the method in force.

    Raises:
        DataError: the data set or an output cannot be trusted as it is.
        UsageError: unknown split or rules.
    """
    live = LiveGate(
        casos,
        predicciones,
        states,
        rules=rules,
        thresholds=thresholds,
        breaks=breaks,
        min_cases=min_cases,
        language=language,
    )
    return live.report(split, include_pending=include_pending)
