"""The vets' own scores, one line per vet and case: ``id``, ``revisor``, criteria, ``violacion_seguridad``."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from scoring import jsonl
from scoring.cases import MAX_ID
from scoring.errors import DataError
from scoring.jsonl import kind_of
from scoring.judges.errors import ModelError
from scoring.judges.rubric import CRITERIA, GROUNDING, VIOLATION, exact_score
from scoring.people import person_key
from scoring.problems import Problem
from scoring.strict_json import Number, StrictJSONError, loads

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from decimal import Decimal
    from pathlib import Path

    from scoring.jsonl import Row


@dataclass(frozen=True, slots=True)
class HumanScore:
    """What one vet says of one output.

    Attributes:
        case_id: the case.
        reviewer: the vet; empty when the line does not say.
        scores: criterion -> exact score; a criterion the vet did not score is absent.
        violation: the vet's word on the harm, or None if not given.
    """

    case_id: str
    reviewer: str
    scores: Mapping[str, Decimal]
    violation: bool | None


def load_human(
    path: Path, known_ids: Collection[str], *, reserved: Collection[str]
) -> tuple[HumanScore, ...]:
    """Read and check the vets' scores.

    Args:
        path: the file.
        known_ids: ids of the whole data set.
        reserved: ids that no message may name.

    Raises:
        UsageError: ``path`` names nothing readable.
        DataError: with every problem of the file.
    """
    document = jsonl.read(path)
    problems = list(document.problems)
    scores: list[HumanScore] = []
    first: dict[tuple[str, str], int] = {}
    for row in document.rows:
        read = _read(row, known_ids, reserved, problems)
        if read is None:
            continue
        who = (read.case_id, person_key(read.reviewer))
        if who in first:
            fields = {"reviewer": read.reviewer or "-", "first": first[who]}
            named = None if read.case_id in reserved else read.case_id
            problems.append(
                Problem("judges.human_repeated", line=row.line.number, case_id=named, fields=fields)
            )
            continue
        first[who] = row.line.number
        scores.append(read)
    if problems:
        problems.sort(key=lambda problem: problem.line or 0)
        raise DataError("judges.human_invalid", path=path, n=len(problems), problems=problems)
    return tuple(scores)


def _read(
    row: Row, known_ids: Collection[str], reserved: Collection[str], problems: list[Problem]
) -> HumanScore | None:
    before = len(problems)
    case_id = row.value.get("id")
    named = case_id if isinstance(case_id, str) and case_id not in reserved else None

    def add(key: str, where: str, **fields: object) -> None:
        problems.append(Problem(key, line=row.line.number, case_id=named, where=where, fields=fields))

    if not isinstance(case_id, str) or not case_id.strip() or len(case_id) > MAX_ID:
        add("cases.missing" if "id" not in row.value else "judges.no_id", "id")
        return None
    if case_id not in known_ids:
        add("judges.unknown_id", "id")
        return None
    reviewer = row.value.get("revisor", "")
    if not isinstance(reviewer, str):
        add("cases.not_text", "revisor", found=kind_of(reviewer))
        reviewer = ""
    # Once more, to have the numbers as they were written.
    try:
        exact = loads(row.line.raw, exact_numbers=True)
    except StrictJSONError:  # the document already told
        return None
    scores: dict[str, Decimal] = {}
    for name in (*CRITERIA, GROUNDING):
        if name not in exact:
            continue
        written = exact[name]
        try:
            # Whatever is no number is spelled in a way that is none either.
            scores[name] = exact_score(written if isinstance(written, Number) else "", name)
        except ModelError:
            add("judges.human_not_score", name)
    violation = exact.get(VIOLATION)
    if violation is not None and not isinstance(violation, bool):
        add("cases.not_boolean", VIOLATION, found=kind_of(row.value[VIOLATION]))
    if not scores and VIOLATION not in exact and len(problems) == before:
        add("judges.human_no_criterion", CRITERIA[0], criterion=CRITERIA[0])
    if len(problems) > before:
        return None
    return HumanScore(case_id, " ".join(reviewer.split()), scores, violation)


def by_case(scores: Collection[HumanScore]) -> dict[str, dict[str, Fraction]]:
    """Case id -> criterion -> the vets' exact mean; a harm counts (as 1) if any of them saw one."""
    gathered: dict[str, dict[str, list[Fraction]]] = {}
    for score in scores:
        own = gathered.setdefault(score.case_id, {})
        for name, value in score.scores.items():
            own.setdefault(name, []).append(Fraction(value))
        if score.violation is not None:
            own.setdefault(VIOLATION, []).append(Fraction(int(score.violation)))
    return {
        case_id: {
            name: max(values) if name == VIOLATION else sum(values, Fraction(0)) / len(values)
            for name, values in own.items()
        }
        for case_id, own in gathered.items()
    }


def between_vets(scores: Collection[HumanScore]) -> dict[str, list[Fraction]]:
    """Criterion -> absolute differences of every two vets who scored the same case."""
    differences: dict[str, list[Fraction]] = {}
    seen: dict[str, list[HumanScore]] = {}
    for score in scores:
        for other in seen.get(score.case_id, []):
            for name in score.scores.keys() & other.scores.keys():
                gap = abs(Fraction(score.scores[name]) - Fraction(other.scores[name]))
                differences.setdefault(name, []).append(gap)
        seen.setdefault(score.case_id, []).append(score)
    return differences
