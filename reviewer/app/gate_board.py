"""The live gate behind the screens: what it says now, and what a signature would change. No Textual.

Scoring every case once is slow for large sets and belongs in a thread; after that each question is
answered by adding and removing cases. The reserved split is only computed when a person asks.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from reviewer.app.what_if import Preview
from reviewer.review_queue import AWAITING
from scoring import looks, messages
from scoring.clinical import LiveGate, Verdict, load_predictions
from scoring.clinical.policy import policy_beside
from scoring.clinical.report import nameable_ids
from scoring.errors import DataError, ProductError, system_reason
from scoring.record.audit import gate_check

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from reviewer.app.what_if import Group
    from reviewer.judging import JudgeRun, Status
    from reviewer.store import Dataset
    from scoring.cases import Case
    from scoring.clinical import GateReport, MetricResult, Predictions
    from scoring.judges.judging import Candidate
    from scoring.problems import Problem
    from scoring.record import CaseState

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
    """The aggregate of the reserved split as it was when somebody asked.

    Attributes:
        report: its figures.
        at: when.
        counted: the cases that counted.
        not_noted: why the next sitting will not know of it, in a sentence; empty otherwise.
    """

    report: GateReport
    at: datetime
    counted: frozenset[str]
    not_noted: str = ""


class GateBoard:
    """Predictions, live gate and the last look at the reserved split."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.stage = Stage.WORKING if path else Stage.NO_PREDICTIONS
        self.refusal: tuple[str, ...] = ()
        self.dev: GateReport | None = None
        self.judged: GateReport | None = None
        self.glance: Glance | None = None
        self._gate: LiveGate | None = None
        self._states: dict[str, CaseState] = {}
        self._splits: dict[str, str] = {}
        self._lock = threading.Lock()
        self._loads = 0
        self._shown: list[looks.Look] = []
        self._predictions: Predictions | None = None
        self._dataset: Dataset | None = None
        self._judge: JudgeRun | None = None

    @property
    def report(self) -> GateReport | None:
        """What the gate says of the open split: with the judge's part once one has judged."""
        return self.judged if self.judged is not None else self.dev

    @property
    def damaged(self) -> bool:
        """The record is damaged, or the data do not agree with it: who counts is not known."""
        return self.dev is not None and self.dev.verdict is Verdict.INTEGRITY_BROKEN

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
            self._predictions, self._dataset = predictions, dataset
            self._states = dict(states)
            self._splits = {entry.id: entry.case.split for entry in dataset.entries}
            self.dev = report
            self.refusal = ()
            self.stage = Stage.READY
        self.join_judge()

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
            self.dev = self.judged = None
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
            self._dataset = dataset
        self.join_judge()

    # -- the judge -----------------------------------------------------------------------------

    @property
    def judge(self) -> JudgeRun:
        """The judge's run; what it needs is loaded when somebody asks for it first."""
        if self._judge is None:
            from reviewer.judging import JudgeRun

            self._judge = JudgeRun()
        return self._judge

    @property
    def judge_status(self) -> Status | None:
        """Where the judge's run is; None while nobody has asked for one."""
        return self._judge.status if self._judge is not None else None

    @property
    def judge_running(self) -> bool:
        """A judge is at work."""
        return self._judge is not None and self._judge.running

    def candidates(self) -> list[Candidate]:
        """The cases of the open split with their outputs, as a judge is asked about them."""
        from scoring.judges.keeping import candidates_of

        with self._lock:
            dataset, predictions = self._dataset, self._predictions
        if dataset is None or predictions is None:
            return []
        return candidates_of(dataset.snapshot, predictions, "dev", {}, everyone=False)

    def join_judge(self) -> None:
        """Join what the judge found to the report of now (for a thread)."""
        part = self._judge.part(self.candidates()) if self._judge is not None else None
        if part is None:
            return
        from scoring.judges.aggregate import with_judge

        with self._lock:
            if self.dev is not None:
                self.judged = with_judge(self.dev, part)

    # -- what would be -------------------------------------------------------------------------

    def counted(self, split: str) -> int:
        """How many cases of a split count now."""
        return len(self._counted_ids(split))

    def waiting(self, split: str) -> int:
        """How many cases of a split wait for a signature."""
        return sum(
            state.status in AWAITING and self._splits.get(case_id) == split
            for case_id, state in self._states.items()
        )

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

    def previews(self, groups: Sequence[Group]) -> tuple[Preview, ...]:
        """What signing each group of pending cases would do; nothing is counted (for a thread)."""
        with self._lock:
            gate = self._gate
            if gate is None:
                return ()
            before = gate.standing("dev")
            rows = self.dev.rows if self.dev is not None else ()
            missing = {row.case_id for row in rows if not row.predicted}
            return tuple(
                Preview(group, before, gate.what_if(group.ids), len(missing.intersection(group.ids)))
                for group in groups
                if all(case_id in gate for case_id in group.ids)
            )

    def look_at_test(self, now: datetime) -> str:
        """Compute the aggregate of the reserved split, if that gives away no single case (for a thread).

        Returns:
            Empty when done, else the sentence that says why not.
        """
        with self._lock:
            if self._gate is None:
                refused = self.stage is Stage.REFUSED
                return messages.text("board.test_refused" if refused else "app.board_no_gate")
            if self.damaged:
                return messages.text("board.test_damaged")
            counted = self._counted_ids("test")
            if not counted:
                return messages.text("board.test_nobody", least=looks.LEAST_CASES)
            if len(counted) < looks.LEAST_CASES:
                return messages.text("app.board_test_too_few", n=len(counted), least=looks.LEAST_CASES)
            answered = self._gate.answered(counted)
            if 0 < answered < looks.LEAST_CASES:
                return messages.text("app.board_test_few_outputs", n=answered, least=looks.LEAST_CASES)
            earlier, now_marks = self._looks(), looks.marks(counted)
            near = looks.too_near(earlier, now_marks)
            if near is not None:
                return messages.text("app.board_test_too_soon", n=near[0], step=looks.LEAST_STEP)
            problem = self._note_look(earlier, now_marks, now)
            self.glance = Glance(self._gate.report("test"), now, counted, problem)
            return ""

    def _looks(self) -> list[looks.Look]:
        """Every aggregate of the reserved split that was shown of these data, here or by ``run-evals``."""
        noted = looks.earlier_looks(self._looks_path()) if self._dataset is not None else ()
        return [*self._shown, *noted]

    def _looks_path(self) -> Path:
        assert self._dataset is not None  # noqa: S101 - there is a gate
        return looks.looks_path(self._dataset.path)

    def _note_look(self, earlier: list[looks.Look], cases: frozenset[str], now: datetime) -> str:
        """Note an aggregate before it is shown; why the disk did not take it, or nothing."""
        self._shown.append(looks.Look(now.isoformat(timespec="seconds"), cases))
        path = self._looks_path()
        try:
            looks.note(path, earlier, cases, now)
        except OSError as error:
            return messages.text("access.not_noted", path=path, reason=system_reason(error))
        return ""
