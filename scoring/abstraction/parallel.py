"""Scoring two files with several processes on one machine.

Every process reads all gold and a part of the outputs; what the parts came to is joined cell by cell,
so that the result is that of one process, duplicates across parts included. Reading gold is the
smaller half of the work, and filtering lines by case would cost more than decoding them (measured in
``docs/abstraction.md``). Should anything be wrong with the files, one process reads them again and
tells it, so that problems and line numbers are always the same.
"""

from __future__ import annotations

import multiprocessing
import sys
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from scoring.abstraction.files import FilesResult, read_files, require_sound, score_files
from scoring.abstraction.grammar import MAX_ITEMS
from scoring.errors import UsageError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from pathlib import Path

    from scoring.abstraction.files import Progress

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
    # A forked process need not import anything again; where that is not safe, it starts afresh.
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    workers: list[tuple[BaseProcess, Connection]] = []
    try:
        for number, span in enumerate(pairwise(edges[1:]), 1):
            mine, theirs = context.Pipe(duplex=False)
            worker = context.Process(
                target=_work, args=(theirs, gold, outputs, span, (number, processes), max_items), daemon=True
            )
            worker.start()
            theirs.close()
            workers.append((worker, mine))
        result = read_files(
            gold,
            outputs,
            max_items=max_items,
            progress=progress,
            outputs_range=(0, edges[1]),
            part=(0, processes),
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
        for worker, connection in workers:
            connection.close()
            worker.terminate()
            worker.join()


def _work(
    connection: Connection,
    gold: Path,
    outputs: Path,
    span: tuple[int, int],
    part: tuple[int, int],
    max_items: int,
) -> None:
    """What another process does; it never raises, since a traceback could show what it read."""
    answer: tuple[int, bytes] | None = None
    try:
        result = read_files(gold, outputs, max_items=max_items, outputs_range=span, part=part)
        if not result.problems:
            answer = result.output_rows, result.join.marks()
    except (Exception, KeyboardInterrupt):  # noqa: BLE001 - the one process that reads again will tell
        answer = None
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
