"""A judge at work behind the screens: found, started in a thread, followed, stopped at once. No Textual.

The thread that asks is the only one that writes, one line per judgement as it comes, so whatever ends the
program loses at most the answer that was under way; the next run takes up from there. What a run found
follows the signatures afterwards, and drops what no longer answers the question of today.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring import messages
from scoring.clinical.calibration_state import CalibrationState
from scoring.errors import ProductError
from scoring.judges.aggregate import judge_thresholds
from scoring.judges.calibration import standing
from scoring.judges.choose import AUTO, Chosen, choose, destination
from scoring.judges.errors import CancelledError
from scoring.judges.exchange import Cancel
from scoring.judges.journal import Journal
from scoring.judges.judging import Judgement, judge, judge_name, part_of
from scoring.judges.keeping import forget, own_path
from scoring.judges.question import question

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scoring.cases import Case
    from scoring.clinical.judged import JudgePart
    from scoring.judges.judging import Candidate, Progress

CALIBRATION_VARIABLE = "REVISION_JUEZ_CALIBRACION"
_ABANDONED = "abandoned"
_CHANGED = "changed"


class Stage(StrEnum):
    """How far a run is."""

    IDLE = "idle"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Found:
    """What asking for a judge came to, before anything is sent.

    Attributes:
        chosen: the judge, or why there is none.
        data: the thresholds and settings it goes by.
        goes_to: the sentence that says where the texts go; empty without a judge.
        local: they stay on this machine.
        calibration: what is known of its agreement with the vets on these cases.
        candidates: the cases it would be asked about.
        interrupted: a run of it on these cases was interrupted; what it judged is taken up.
    """

    chosen: Chosen
    data: Mapping[str, Any] = field(repr=False)
    goes_to: str
    local: bool
    calibration: CalibrationState
    candidates: tuple[Candidate, ...] = field(repr=False)
    interrupted: bool

    @property
    def judgeable(self) -> int:
        """Cases with something to judge."""
        return sum(candidate.judgeable for candidate in self.candidates)

    @property
    def counted(self) -> int:
        """How many of those count."""
        return sum(candidate.judgeable and candidate.counted for candidate in self.candidates)


@dataclass(frozen=True, slots=True)
class Status:
    """Where a run is, as a value for the screen.

    Attributes:
        stage: how far.
        done: questions that are settled.
        total: questions of the run.
        reused: of those settled, taken from an interrupted run.
        failed: of those settled, without an answer that could be used.
        case_id: the last one settled, or None.
        error: the last error in words, or empty; why it ended, where it failed.
        seconds: since it began.
        left: estimate of the seconds that remain; None while nothing can be said.
    """

    stage: Stage = Stage.IDLE
    done: int = 0
    total: int = 0
    reused: int = 0
    failed: int = 0
    case_id: str | None = None
    error: str = ""
    seconds: float = 0.0
    left: float | None = None


def find(
    asked: str,
    candidates: Sequence[Candidate],
    *,
    data: Mapping[str, Any],
    cases_digest: str,
    calibration_of: Callable[[str], Path | None],
    cancel: Cancel,
) -> Found:
    """Look for the judge that ``asked`` names; one short request, without any case (slow; for a thread).

    Args:
        asked: ``auto`` (only a server on this machine), a kind of server, or an address.
        candidates: the cases of the open split.
        data: thresholds and settings in force.
        cases_digest: of the data set.
        calibration_of: name of a judge -> the file of its calibration, where the environment names none.
        cancel: ends the search.

    Raises:
        ProductError: an address, a setting or a calibration that is none.
        CancelledError: the search was ended.
    """
    chosen = choose(asked, os.environ, cancel, data=data)
    calibration, goes_to, local, interrupted = CalibrationState(), "", True, False
    if chosen.transport is not None:
        name = judge_name(chosen.transport)
        named = os.environ.get(CALIBRATION_VARIABLE, "").strip()
        path = Path(named) if named else calibration_of(name)
        calibration = standing(path, judge=name, cases_digest=cases_digest)
        goes_to, local = destination(chosen.transport), chosen.transport.server.local
        interrupted = own_path(candidates, chosen.transport).exists()
    return Found(chosen, data, goes_to, local, calibration, tuple(candidates), interrupted)


class JudgeRun:
    """At most one run at a time, and what the last whole one found."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._status = Status()
        self._start = 0.0
        self._cancel = Cancel()
        self._thread: threading.Thread | None = None
        self._found: Found | None = None
        self._judgement: Judgement | None = None
        self._asked: dict[str, str] = {}
        self._prints: dict[str, tuple[Case, Mapping[str, Any] | None, str]] = {}

    @property
    def running(self) -> bool:
        """Questions are being put right now."""
        return self._status.stage is Stage.RUNNING

    @property
    def status(self) -> Status:
        """Where the run is now."""
        with self._lock:
            status, start = self._status, self._start
        if status.stage is not Stage.RUNNING:
            return status
        seconds = time.monotonic() - start
        asked = status.done - status.reused
        left = seconds / asked * (status.total - status.done) if asked > 0 else None
        return replace(status, seconds=seconds, left=left)

    def start(self, found: Found, on_done: Callable[[], None]) -> bool:
        """Begin to judge; False when a run is under way or ``found`` has no judge.

        Args:
            found: the judge and the cases.
            on_done: called in the run's own thread when everything that could be judged was.
        """
        with self._lock:
            if self._status.stage is Stage.RUNNING or found.chosen.transport is None:
                return False
            self._status = Status(Stage.RUNNING, total=found.judgeable)
            self._start = time.monotonic()
            self._cancel = Cancel()
            self._thread = threading.Thread(
                target=self._work, args=(found, self._cancel, on_done), daemon=True, name="revision-juez"
            )
        self._thread.start()
        return True

    def stop(self, wait: float = 0.0) -> None:
        """End the run at once; what was judged is kept.

        Args:
            wait: seconds to wait for it to have ended.
        """
        thread = self._thread
        self._cancel.cancel()
        if thread is not None and wait:
            thread.join(wait)

    def part(self, candidates: Sequence[Candidate]) -> JudgePart | None:
        """What the last whole run says of the cases as they are now; None before there was one.

        A judgement of a case or an output that has changed since is dropped, and its case is a gap.
        """
        with self._lock:
            found, judgement, asked = self._found, self._judgement, self._asked
        if found is None or judgement is None:
            return None
        now = {c.case.id: self._print_of(c) for c in candidates if c.judgeable}
        kept = {i: rubric for i, rubric in judgement.rubrics.items() if now.get(i) == asked.get(i)}
        errors = {i: judgement.errors.get(i, _CHANGED) for i in now if i not in kept}
        return part_of(
            candidates,
            found.chosen,
            replace(judgement, rubrics=kept, errors=errors),
            informative=False,
            calibration=found.calibration,
            thresholds=judge_thresholds(found.data),
        )

    def _print_of(self, candidate: Candidate) -> str:
        """The fingerprint of a candidate; worked out once for each case and output, not at each signature."""
        known = self._prints.get(candidate.case.id)
        if known is None or known[0] is not candidate.case or known[1] != candidate.output:
            known = (candidate.case, candidate.output, _fingerprint(candidate))
            self._prints[candidate.case.id] = known
        return known[2]

    def _work(self, found: Found, cancel: Cancel, on_done: Callable[[], None]) -> None:
        try:
            stage, error = self._judged(found, cancel)
            if stage is Stage.DONE:
                on_done()  # before the run says that it has ended: whoever sees that finds the figures joined
        except CancelledError:
            stage, error = Stage.STOPPED, ""
        except ProductError as refusal:
            stage, error = Stage.FAILED, str(refusal)
        except Exception as fault:  # noqa: BLE001 - told on the screen; the text could hold case data
            stage, error = Stage.FAILED, messages.text("board_judge.fault", kind=type(fault).__name__)
        with self._lock:
            seconds = time.monotonic() - self._start
            self._status = replace(
                self._status, stage=stage, error=error or self._status.error, seconds=seconds, left=None
            )

    def _judged(self, found: Found, cancel: Cancel) -> tuple[Stage, str]:
        transport, settings = found.chosen.transport, found.chosen.settings
        assert transport is not None  # noqa: S101 - the caller has looked
        assert settings is not None  # noqa: S101 - likewise
        asked = {c.case.id: self._print_of(c) for c in found.candidates if c.judgeable}
        path = own_path(found.candidates, transport)
        with Journal(path, resume=True, private=True) as journal:
            judgement = judge(
                found.candidates,
                transport,
                settings,
                cancel=cancel,
                journal=journal,
                progress=self._note,
            )
        if cancel.cancelled and _ABANDONED in judgement.errors.values():
            return Stage.STOPPED, ""
        if not judgement.errors:
            forget(path)
        with self._lock:
            self._found, self._judgement, self._asked = found, judgement, asked
        return Stage.DONE, ""

    def _note(self, step: Progress) -> None:
        with self._lock:
            status = self._status
            self._status = replace(
                status,
                done=step.done,
                total=step.total,
                reused=status.reused + (step.error is None and not step.seconds),
                failed=status.failed + (step.error is not None),
                case_id=step.case_id,
                error=step.error or status.error,
            )


def _fingerprint(candidate: Candidate) -> str:
    """Digest of what the judge is asked about a case; signatures and batches are no part of it."""
    asked = question(candidate.case, candidate.output or {}, candidate.passages)
    return hashlib.sha256(f"{asked.system}\n{asked.user}".encode()).hexdigest()


__all__ = ["AUTO", "Found", "JudgeRun", "Stage", "Status", "find"]
