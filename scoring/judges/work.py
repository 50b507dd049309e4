"""Many questions put to one model: several at once, one retry each, stopped at once when somebody asks.

An answer is kept in the thread that got it, before that thread puts its next question: a Control-C, which
only ever reaches the main thread, can neither lose an answer that had come nor keep it twice. The caller's
thread shows progress, and a Control-C reaches it within a moment however slow the server is.
"""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from scoring.judges.errors import CancelledError, ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from scoring.judges.exchange import Cancel
    from scoring.judges.settings import Settings
    from scoring.judges.transport import Answer, Ask, Transport

T = TypeVar("T")

_FAILURES_IN_A_ROW = 3
_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Job:
    """One question, by the id of its case."""

    case_id: str
    ask: Ask


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """What came of one question.

    Attributes:
        case_id: whose question it was.
        value: the answer as it was read, or None.
        error: why there is none, or None.
        seconds: what it took, the retry and the pause before it included.
        tokens_in: tokens of all its questions, or None if the server does not count.
        tokens_out: tokens of all its answers, or None.
        stop: the run was given up because of this one.
    """

    case_id: str
    value: T | None
    error: ModelError | None
    seconds: float
    tokens_in: int | None = None
    tokens_out: int | None = None
    stop: bool = False


def ask_all(
    jobs: Sequence[Job],
    transport: Transport,
    settings: Settings,
    read: Callable[[Job, str], T],
    cancel: Cancel,
    keep: Callable[[Outcome[T]], None],
) -> Generator[Outcome[T]]:
    """Put every question; yield each outcome once it is kept.

    A failed question is put once more after a pause. An error that would meet every case alike (no right,
    no quota, a redirect) ends the run, and so do three failures in a row (three per thread when several
    are at work); the questions that were not put then yield nothing.

    Args:
        jobs: the questions, in the order they are to be put.
        transport: the way to the model.
        settings: how many at once, pauses.
        read: turns the words of an answer into the value, or raises :class:`ModelError`.
        cancel: ends everything from another thread.
        keep: takes each outcome exactly once, also those that are not yielded because the run was left
            early; called in the threads that ask, never in two at a time. An error it raises ends the run
            and is raised here.

    Close the generator when leaving early (``contextlib.closing``), so that it ends there and then.

    Raises:
        KeyboardInterrupt: as it reached this thread, after every exchange was hung up and what had come
            was kept.
    """
    threads = max(1, min(settings.concurrency, len(jobs)))
    waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
    for job in jobs:
        waiting.put(job)
    done: queue.SimpleQueue[Outcome[T] | BaseException | None] = queue.SimpleQueue()
    enough = threading.Event()
    settling = threading.Lock()
    in_a_row = 0

    def settle(outcome: Outcome[T]) -> None:
        # Decided where the answer arrives: the caller's thread may be busy while the next question is put.
        nonlocal in_a_row
        with settling:
            in_a_row = in_a_row + 1 if outcome.error else 0
            if outcome.stop or in_a_row >= _FAILURES_IN_A_ROW * threads:
                enough.set()
            keep(outcome)

    def work() -> None:
        try:
            while not enough.is_set() and not cancel.cancelled:
                try:
                    job = waiting.get_nowait()
                except queue.Empty:
                    break
                outcome = _one(job, transport, settings, read, cancel)
                settle(outcome)
                done.put(outcome)
        except CancelledError:
            pass
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            done.put(error)
        finally:
            done.put(None)

    workers = [threading.Thread(target=work, daemon=True) for _ in range(threads)]
    for worker in workers:
        worker.start()
    running = threads
    try:
        while running:
            try:
                outcome = done.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                continue
            if outcome is None:
                running -= 1
                continue
            if isinstance(outcome, BaseException):
                raise outcome
            yield outcome
    finally:
        enough.set()
        if running:  # left early: by Control-C, by an error, or by a caller that has seen enough
            cancel.cancel()
        for worker in workers:
            worker.join()


def _one(
    job: Job, transport: Transport, settings: Settings, read: Callable[[Job, str], T], cancel: Cancel
) -> Outcome[T]:
    start = time.monotonic()
    used: list[Answer] = []

    def outcome(value: T | None, error: ModelError | None) -> Outcome[T]:
        return Outcome(
            job.case_id,
            value,
            error,
            time.monotonic() - start,
            _sum([answer.tokens_in for answer in used]),
            _sum([answer.tokens_out for answer in used]),
            stop=error is not None and error.stop,
        )

    for attempt in (1, 2):
        try:
            answer = transport.ask(job.ask, cancel)
            used.append(answer)
            return outcome(read(job, answer.text), None)
        except ModelError as error:
            pause = settings.pause if error.wait is None else max(error.wait, settings.pause)
            if attempt == 2 or not error.retry or pause > settings.longest_pause:
                return outcome(None, error)
            cancel.pause(pause)
    raise AssertionError("both attempts answered")


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
