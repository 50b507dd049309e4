"""The live gate behind the screens: what it says now, and what a signature would change. No Textual.

Scoring every case once is slow for large sets and belongs in a thread; after that each question is
answered by adding and removing cases. The reserved split is only computed when a person asks.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from scoring import messages
from scoring.clinical import LiveGate, load_predictions
from scoring.clinical.policy import policy_beside
from scoring.clinical.report import nameable_ids
from scoring.errors import DataError, ProductError
from scoring.record.audit import gate_check

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from reviewer.store import Dataset
    from scoring.cases import Case
    from scoring.clinical import GateReport, MetricResult, Verdict
    from scoring.jsonl import Problem
    from scoring.record import CaseState

MIN_TEST_STEP = 3
"""Signatures of test cases between two computations: one apart would give away that case's score."""
MIN_TEST_CASES = 3
"""Counted cases below which an aggregate of the reserved split would tell of single cases."""
PROBLEMS_SHOWN = 20


class Stage(StrEnum):
    """How far the gate is."""

    NO_PREDICTIONS = "no_predictions"
    WORKING = "working"
    READY = "ready"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Change:
    """One metric before and after a signature."""

    metric: str
    before: MetricResult
    after: MetricResult


@dataclass(frozen=True, slots=True)
class Effect:
    """What signing a case does to the gate.

    Attributes:
        split: of the case; for ``test`` only the counts are told.
        before: cases that count now.
        after: cases that would count.
        verdicts: verdict before and after; None for ``test``.
        changes: metrics whose figure moves; empty for ``test``.
    """

    split: str
    before: int
    after: int
    verdicts: tuple[Verdict, Verdict] | None = None
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Glance:
    """The aggregate of the reserved split as it was when somebody asked."""

    report: GateReport
    at: datetime
    counted: frozenset[str]


class GateBoard:
    """Predictions, live gate and the last look at the reserved split."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.stage = Stage.WORKING if path else Stage.NO_PREDICTIONS
        self.refusal: tuple[str, ...] = ()
        self.dev: GateReport | None = None
        self.glance: Glance | None = None
        self._gate: LiveGate | None = None
        self._states: dict[str, CaseState] = {}
        self._splits: dict[str, str] = {}
        self._lock = threading.Lock()
        self._loads = 0

    def load(self, dataset: Dataset) -> None:
        """Read the predictions and score every case once (slow; for a thread). Never raises ProductError."""
        if self.path is None:
            return
        with self._lock:
            self._loads += 1
            mine = self._loads
        try:
            predictions = load_predictions(self.path, dataset.states)
            breaks, states = gate_check(dataset.snapshot, nameable_ids(dataset.file))
            policy = policy_beside(dataset.path)
            gate = LiveGate(
                dataset.file,
                predictions,
                states,
                rules=policy.rules,
                thresholds=policy.thresholds,
                breaks=breaks,
                min_cases=policy.min_cases,
                language=policy.language,
            )
            report = gate.report("dev")
        except DataError as error:
            self._refuse(mine, str(error), error.problems)
            return
        except ProductError as error:
            self._refuse(mine, str(error), ())
            return
        with self._lock:
            if mine != self._loads:
                return  # a later load, of a newer file, has begun
            self._gate = gate
            self._states = dict(states)
            self._splits = {entry.id: entry.case.split for entry in dataset.entries}
            self.dev = report
            self.refusal = ()
            self.stage = Stage.READY

    def _refuse(self, mine: int, sentence: str, problems: Sequence[Problem]) -> None:
        told = [problem.sentence() for problem in problems[:PROBLEMS_SHOWN]]
        rest = len(problems) - PROBLEMS_SHOWN
        if rest > 0:
            told.append(messages.text("cli.more_problems", n=rest))
        with self._lock:
            if mine != self._loads:
                return
            self.refusal = (sentence, *told)
            self._gate = None
            self.dev = None
            self.stage = Stage.REFUSED

    def follow(self, dataset: Dataset) -> None:
        """Take over the states that changed, without scoring any case again (for a thread)."""
        breaks, states = gate_check(dataset.snapshot, nameable_ids(dataset.file))
        with self._lock:
            if self._gate is None:
                return
            self._gate.set_breaks(breaks)
            for entry in dataset.entries:
                state = states.get(entry.id, entry.state)
                if self._states.get(entry.id) != state and entry.id in self._gate:
                    self._gate.set_state(entry.id, state, validado=entry.case.validado)
                    self._states[entry.id] = state
            self.dev = self._gate.report("dev")

    def counted(self, split: str) -> int:
        """How many cases of a split count now."""
        return len(self._counted_ids(split))

    def _counted_ids(self, split: str) -> frozenset[str]:
        return frozenset(
            case_id
            for case_id, state in self._states.items()
            if state.counts and self._splits.get(case_id) == split
        )

    def effect(self, case_id: str, corrected: Case | None = None) -> Effect | None:
        """What signing this case, perhaps as ``corrected``, would do; None without a gate (for a thread)."""
        with self._lock:
            if self._gate is None or case_id not in self._gate:
                return None
            preview = self._gate.preview_sign(case_id, corrected)
        before, after = preview.before, preview.after
        if before is None or after is None:
            return Effect(preview.split, preview.counted_before, preview.counted_after)
        changes = tuple(
            Change(name, result, after.aggregate[name])
            for name, result in before.aggregate.items()
            if (result.figure, result.passes) != (after.aggregate[name].figure, after.aggregate[name].passes)
        )
        return Effect(
            preview.split,
            preview.counted_before,
            preview.counted_after,
            (before.verdict, after.verdict),
            changes,
        )

    def look_at_test(self, now: datetime) -> str:
        """Compute the aggregate of the reserved split, if that gives away no single case (for a thread).

        Returns:
            Empty when done, else the sentence that says why not.
        """
        with self._lock:
            if self._gate is None:
                return messages.text("app.board_no_gate")
            counted = self._counted_ids("test")
            if len(counted) < MIN_TEST_CASES:
                return messages.text("app.board_test_too_few", n=len(counted), least=MIN_TEST_CASES)
            if self.glance is not None:
                moved = len(counted ^ self.glance.counted)
                if 0 < moved < MIN_TEST_STEP:
                    return messages.text("app.board_test_too_soon", n=moved, step=MIN_TEST_STEP)
            self.glance = Glance(self._gate.report("test"), now, counted)
            return ""
