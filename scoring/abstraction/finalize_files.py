"""The finalization gate over files: chains, producer issues and required fields, with line numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scoring.abstraction import strict
from scoring.abstraction.chunks import BLANKS, TOO_LONG, chunks, lines_of
from scoring.abstraction.evidence_report import AbstractionEvidenceError
from scoring.abstraction.files import MAX_PROBLEMS, FileProblem, FilesError
from scoring.abstraction.finalization import ChartAbstractionEvidence
from scoring.abstraction.grammar import MAX_COLLECTION, is_field_id
from scoring.abstraction.strict import Fault
from scoring.errors import NothingToJudgeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from scoring.abstraction.evidence import AbstractionEvidenceChain
    from scoring.abstraction.evidence_report import AbstractionEvidenceIssue, AbstractionEvidenceReport

    Review = Callable[[Sequence[AbstractionEvidenceChain]], Iterable[AbstractionEvidenceChain]]

EVIDENCE = "evidence"
REQUIRED = "required"
ISSUES = "issues"


def evaluate_files(
    evidence: Path, required: Path, issues: Path | None = None, *, review: Review | None = None
) -> AbstractionEvidenceReport:
    """Judge the chains of a JSONL file against the field ids of a text file.

    Args:
        evidence: one chain a line.
        required: one field id a line; blank lines and lines that begin with ``#`` do not count.
        issues: one issue of the producer a line, or None.
        review: gives the chains the state that a review outside the file came to; None leaves them.

    Raises:
        UsageError: a file cannot be read.
        FilesError: problems, each with its file and line.
        NothingToJudgeError: no required field.
    """
    problems: list[FileProblem] = []
    chains: list[AbstractionEvidenceChain] = _read(evidence, EVIDENCE, strict.evidence_chain, problems)
    _refuse_repeats(evidence, chains, problems)
    blocking: list[AbstractionEvidenceIssue] = (
        [] if issues is None else _read(issues, ISSUES, strict.issue_row, problems)
    )
    names = _read(required, REQUIRED, _field_id, problems)
    _refuse_repeated_names(required, names, problems)
    if problems:
        raise FilesError(problems[:MAX_PROBLEMS], limited=len(problems) > MAX_PROBLEMS)
    if not names:
        raise NothingToJudgeError("abstraction.no_required")
    failed: AbstractionEvidenceError
    try:
        reviewed = chains if review is None else review(chains)
        return ChartAbstractionEvidence(reviewed, blocking_issues=blocking).evaluate(names)
    except AbstractionEvidenceError as error:
        failed = error
    sources = {"chains": EVIDENCE, "blocking_issues": ISSUES}
    source = sources.get(failed.field_name or "", REQUIRED)
    raise FilesError([FileProblem(source, None, failed.code)], limited=False)


def read_chains(evidence: Path) -> tuple[AbstractionEvidenceChain, ...]:
    """The chains of a JSONL file, in its order; at most one for a field.

    Raises:
        UsageError: the file cannot be read.
        FilesError: problems, each with its line.
    """
    problems: list[FileProblem] = []
    chains: list[AbstractionEvidenceChain] = _read(evidence, EVIDENCE, strict.evidence_chain, problems)
    _refuse_repeats(evidence, chains, problems)
    if problems:
        raise FilesError(problems[:MAX_PROBLEMS], limited=len(problems) > MAX_PROBLEMS)
    return tuple(chains)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    for chunk in chunks(path):
        for number, line in enumerate(lines_of(chunk.data), chunk.first_line):
            if line.strip(BLANKS):
                yield number, line


def _read(path: Path, source: str, read: Callable[[bytes], Any], problems: list[FileProblem]) -> list[Any]:
    found: list[Any] = []
    for number, line in _lines(path):
        row = read(line)
        if isinstance(row, Fault):
            problems.append(FileProblem(source, number, row.code, row.attribute))
        elif row is not None:
            found.append(row)
        if len(found) > MAX_COLLECTION:
            problems.append(FileProblem(source, number, "too_many_items"))
        if len(problems) > MAX_PROBLEMS or len(found) > MAX_COLLECTION:
            break
    return found


def _field_id(line: bytes) -> str | Fault | None:
    if line == TOO_LONG:
        return Fault("line_too_long")
    if line.lstrip().startswith(b"#"):
        return None
    name = line.strip().decode("ascii", "replace")
    return name if is_field_id(name) else Fault("invalid_field_id")


def _refuse_repeats(path: Path, chains: list[AbstractionEvidenceChain], problems: list[FileProblem]) -> None:
    if problems or len({chain.field_id for chain in chains}) == len(chains):
        return
    seen: set[str] = set()
    for (number, _), chain in zip(_lines(path), chains, strict=False):
        if chain.field_id in seen:
            problems.append(FileProblem(EVIDENCE, number, "duplicate_field"))
        seen.add(chain.field_id)


def _refuse_repeated_names(path: Path, names: list[str], problems: list[FileProblem]) -> None:
    if problems or len(set(names)) == len(names):
        return
    seen: set[str] = set()
    for number, line in _lines(path):
        name = _field_id(line)
        if not isinstance(name, str):
            continue
        if name in seen:
            problems.append(FileProblem(REQUIRED, number, "duplicate_field"))
        seen.add(name)
