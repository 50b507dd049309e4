"""The full run: data set and outputs in, report out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scoring.clinical.live import LiveGate
from scoring.clinical.policy import shipped_policy
from scoring.clinical.score import score_case
from scoring.clinical.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scoring.cases import Case, CaseFile
    from scoring.clinical.gate import Threshold
    from scoring.clinical.predictions import Predictions
    from scoring.clinical.report import GateReport
    from scoring.problems import Problem
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


def score_stream(
    pairs: Iterable[tuple[Case | Mapping[str, Any], Mapping[str, Any] | None]], *, rules: str | None = None
) -> Tally:
    """The exact sums over cases that come one by one, in memory that their number does not raise.

    Nothing of a case is kept, so there are no rows, no check for repeated ids and no verdict; hold the
    tally against thresholds with :func:`scoring.clinical.gate.measure`.

    Args:
        pairs: each case with the object under ``interpretacion``, or None for no prediction.
        rules: name of the scoring rules; None for those in force.

    Raises:
        DataError: a case or an output cannot be scored.
        UsageError: there are no such rules.
    """
    name = shipped_policy().rules if rules is None else rules
    tally = Tally()
    for case, output in pairs:
        tally.add(score_case(case, output or {}, name), predicted=output is not None)
    return tally
