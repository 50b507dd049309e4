"""Reading what several commands read, and refusing to write over it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from scoring.cases import require_valid
from scoring.cli import console
from scoring.clinical import load_predictions
from scoring.clinical.report import nameable_ids
from scoring.errors import DataError, IntegrityError, UsageError
from scoring.files import resolve
from scoring.judges.passages import load_passages
from scoring.record import companions
from scoring.record.audit import DataBreak

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from scoring.cases import CaseFile
    from scoring.clinical import Predictions
    from scoring.problems import Problem


def protect(cases: Path, *, read: Iterable[Path | None], written: Mapping[str, Path | None]) -> None:
    """Refuse a path to write that names a file the run reads, or two that are one; nothing is written yet.

    Args:
        cases: the data set.
        read: the other files that are read.
        written: option -> the file it writes.

    Raises:
        UsageError: naming the option.
    """
    taken = {resolve(path) for path in (cases, *companions(cases))}
    taken |= {resolve(path) for path in read if path is not None}
    for option, path in written.items():
        if path is None:
            continue
        if resolve(path) in taken:
            raise UsageError("run_evals.written_over_input", option=option, path=path)
        taken.add(resolve(path))


def read_outputs(path: Path, file: CaseFile, *, ignore_unknown: bool) -> Predictions:
    """The outputs to score, after both files were found to be in order.

    Problems of the data set and of the outputs are told in one go, so that whoever mends them does not
    have to come twice.

    Raises:
        UsageError: ``path`` names nothing readable.
        DataError: either file has problems.
    """
    refused: list[DataError] = []
    try:
        require_valid(file)
    except DataError as refusal:
        refused.append(refusal)
    try:
        predictions = load_predictions(
            path,
            known_ids(file),
            ignore_unknown=ignore_unknown,
            suggestions=nameable_ids(file),
            stored=True,
            index=file.index(),
        )
        if not refused:
            return predictions
    except DataError as refusal:
        refused.append(refusal)
    for earlier in refused[:-1]:
        console.report(earlier)
    raise refused[-1]


def read_passages(path: Path | None, file: CaseFile) -> Mapping[str, tuple[str, ...]]:
    """Case id -> retrieved passages; nothing without a file.

    Raises:
        ProductError: the file is not there or not in order.
    """
    if path is None:
        return {}
    return load_passages(path, known_ids(file), suggestions=nameable_ids(file)).by_id


def known_ids(file: CaseFile) -> Collection[str] | None:
    """Every id of the data set; None where unreadable lines or faulty ids leave it unknown."""
    in_doubt = file.document.problems or any(problem.where == "id" for problem in file.problems)
    return None if in_doubt else file.known_ids()


@contextlib.contextmanager
def record_first(breaks: Sequence[Problem]) -> Iterator[None]:
    """Data or outputs with problems are told, and a damaged record besides, which comes first (exit 5).

    Args:
        breaks: what is broken in the record, or in the data against it. A line that cannot be read is a case
            that the record misses, so of the data the first error is enough.

    Raises:
        IntegrityError: in place of a DataError, where the record itself is damaged.
    """
    damaged = [problem for problem in breaks if not isinstance(problem, DataBreak)]
    try:
        yield
    except DataError as error:
        if not damaged:
            raise
        console.report(error)
        raise IntegrityError(
            "run_evals.broken_besides", n=len(damaged), first=damaged[0].sentence()
        ) from None
