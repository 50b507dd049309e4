"""Scoring two files with several processes on one machine.

One process reads the gold; then it forks, and each reads a part of the outputs. What the parts came to is
joined cell by cell, so that the result is that of one process, duplicates across parts included. Filtering
lines by case would cost more than decoding them, and looking at the form of the gold in a process beside
gains nothing (measured in ``docs/abstraction.md``). Where forking is not safe every process reads all gold.
Should anything be wrong with the files, one process reads them again and tells it, so that problems and line
numbers are always the same.
"""

from __future__ import annotations

import gc
import multiprocessing
import sys
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from scoring.abstraction.files import FilesResult, read_files, require_sound, score_files
from scoring.abstraction.grammar import MAX_ITEMS
from scoring.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from pathlib import Path

    from scoring.abstraction.files import OutputsOf, Progress

MAX_PROCESSES = 64


def score_files_in_parallel(
    gold: Path,
    outputs: Path,
    processes: int,
    *,
    max_items: int = MAX_ITEMS,
    progress: Progress | None = None,
) -> FilesResult:
    """As :func:`scoring.abstraction.files.score_files`, with ``processes`` processes.

    Args:
        gold: gold rows.
        outputs: output rows.
        processes: 1 to 64; each holds all gold in memory.
        max_items: bound on the rows of either file.
        progress: told the bytes read so far, of both files together, as far as this process can tell.

    Raises:
        UsageError: a file cannot be read, or ``processes`` is out of bounds.
        FilesError: there are problems.
        NothingToJudgeError: no gold row.
    """
    if not 1 <= processes <= MAX_PROCESSES:
        raise UsageError("abstraction.processes_out_of_bounds", limit=MAX_PROCESSES)
    if processes == 1 or not (gold.is_file() and outputs.is_file()):  # a pipe can be read only once
        return score_files(gold, outputs, max_items=max_items, progress=progress)
    result = _together(gold, outputs, processes, max_items, progress)
    if result is None:
        return score_files(gold, outputs, max_items=max_items)
    require_sound(result)
    return result


def _together(
    gold: Path, outputs: Path, processes: int, max_items: int, progress: Progress | None
) -> FilesResult | None:
    """The joined result, or None if one process has to look at the files."""
    try:
        size = outputs.stat().st_size
    except OSError:
        return None
    edges = [size * part // processes for part in range(processes + 1)]
    others = list(enumerate(pairwise(edges[1:]), 1))
    workers: list[tuple[BaseProcess, Connection]] = []

    def start(context: Any, work: Callable[..., None], *arguments: object) -> None:
        mine, theirs = context.Pipe(duplex=False)
        worker = context.Process(target=work, args=(theirs, *arguments), daemon=True)
        worker.start()
        theirs.close()
        workers.append((worker, mine))

    def fork(outputs_of: OutputsOf) -> None:
        # Nothing of the gold is to be looked through by a collector that would copy the pages it is on.
        gc.freeze()
        for _, span in others:
            start(multiprocessing.get_context("fork"), _rest, outputs_of, span)

    # A forked process need not import anything again; where forking is not safe, it starts afresh.
    forks = sys.platform == "linux"
    try:
        if not forks:
            for number, span in others:
                context = multiprocessing.get_context("spawn")
                start(context, _whole, gold, outputs, span, (number, processes), max_items)
        result = read_files(
            gold,
            outputs,
            max_items=max_items,
            progress=progress,
            outputs_range=(0, edges[1]),
            part=(0, 1 if forks else processes),
            gold_is_read=fork if forks else None,
        )
        rows = result.output_rows
        if result.problems:
            return None
        for _, connection in workers:
            answer = _receive(connection)
            if answer is None or not result.join.absorb(answer[1]):
                return None
            rows += answer[0]
        if rows > max_items:
            return None
        return FilesResult(result.join, result.gold_rows, rows, (), limited=False)
    finally:
        if forks:
            gc.unfreeze()
        for worker, connection in workers:
            connection.close()
            worker.terminate()
            worker.join()


def _whole(
    connection: Connection,
    gold: Path,
    outputs: Path,
    span: tuple[int, int],
    part: tuple[int, int],
    max_items: int,
) -> None:
    """What another process does that begins afresh: gold, and its part of the outputs."""
    _answer(connection, lambda: read_files(gold, outputs, max_items=max_items, outputs_range=span, part=part))


def _rest(connection: Connection, outputs_of: OutputsOf, span: tuple[int, int]) -> None:
    """What a forked process does: its part of the outputs; the gold is there."""
    gc.disable()
    _answer(connection, lambda: outputs_of(span))


def _answer(connection: Connection, read: Callable[[], FilesResult]) -> None:
    """Send what ``read`` came to; it never raises, since a traceback could show what it read."""
    answer: tuple[int, bytes] | None = None
    try:
        result = read()
        if not result.problems:
            answer = result.output_rows, result.join.marks()
    except (Exception, KeyboardInterrupt):  # noqa: BLE001 - the one process that reads again will tell
        answer = None
    _send(connection, answer)


def _send(connection: Connection, answer: tuple[int, bytes] | None) -> None:
    try:
        connection.send(answer)
        connection.close()
    except (OSError, KeyboardInterrupt):
        pass


def _receive(connection: Connection) -> tuple[int, bytes] | None:
    try:
        answer: tuple[int, bytes] | None = connection.recv()
    except (EOFError, OSError):
        return None
    return answer
