"""Retrieved passages by case: ``{"id": ..., "fragmentos": [...]}``, one case per line."""

from __future__ import annotations

import difflib
import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scoring import jsonl
from scoring.cases import MAX_ID, MAX_TEXT
from scoring.errors import DataError
from scoring.jsonl import kind_of
from scoring.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from scoring.jsonl import Row

MAX_PASSAGES = 200
_SUGGESTED_AT_MOST = 20


@dataclass(frozen=True, slots=True)
class Passages:
    """Checked passages.

    Attributes:
        path: where they were read from.
        by_id: case id -> its passages, in retrieval order; citation mark ``[1]`` means the first.
    """

    path: Path
    by_id: Mapping[str, tuple[str, ...]]


def load_passages(
    path: Path, known_ids: Collection[str] | None, *, suggestions: Collection[str] = ()
) -> Passages:
    """Read and check a file of passages.

    A passage is a text, or an object with a ``texto``; other fields of it are left alone. A case may have
    no passage at all.

    Args:
        path: the file.
        known_ids: ids of the whole data set; None leaves them unchecked.
        suggestions: ids that may be named as «did you mean».

    Raises:
        UsageError: ``path`` names nothing readable.
        DataError: with every problem of the file.
    """
    document = jsonl.read(path)
    problems = list(document.problems)
    by_id: dict[str, tuple[str, ...]] = {}
    first: dict[str, int] = {}
    for row in document.rows:
        case_id = row.value.get("id")
        if not isinstance(case_id, str) or not case_id.strip() or len(case_id) > MAX_ID:
            key = "cases.missing" if "id" not in row.value else "judges.no_id"
            problems.append(Problem(key, line=row.line.number, where="id"))
            continue
        if case_id in first:
            problems.append(_at(row, "judges.repeated_id", case_id, "id", first=first[case_id]))
            continue
        first[case_id] = row.line.number
        if known_ids is not None and case_id not in known_ids:
            few = len(problems) < _SUGGESTED_AT_MOST
            near = difflib.get_close_matches(case_id, suggestions, n=1, cutoff=0.8) if few else []
            key = "judges.unknown_id_near" if near else "judges.unknown_id"
            problems.append(_at(row, key, case_id, "id", near="".join(near)))
            continue
        found = _texts(row, case_id, problems)
        if found is not None:
            by_id[case_id] = found
    if problems:
        problems.sort(key=lambda problem: problem.line or 0)
        raise DataError("judges.passages_invalid", path=path, n=len(problems), problems=problems)
    return Passages(path, by_id)


def digest_of(by_id: Mapping[str, Sequence[str]]) -> str:
    """SHA-256 (hex) over ``fragmentos-v1`` and one line per case: id and passages, sorted by id."""
    total = hashlib.sha256(b"fragmentos-v1\n")
    for case_id in sorted(by_id):
        total.update(json.dumps([case_id, list(by_id[case_id])], separators=(",", ":")).encode() + b"\n")
    return total.hexdigest()


def _at(row: Row, key: str, case_id: str, where: str, **fields: object) -> Problem:
    return Problem(key, line=row.line.number, case_id=case_id, where=where, fields=fields)


def _texts(row: Row, case_id: str, problems: list[Problem]) -> tuple[str, ...] | None:
    if "fragmentos" not in row.value:
        problems.append(_at(row, "cases.missing", case_id, "fragmentos"))
        return None
    value = row.value["fragmentos"]
    if not isinstance(value, list):
        problems.append(_at(row, "cases.not_list", case_id, "fragmentos", found=kind_of(value)))
        return None
    if len(value) > MAX_PASSAGES:
        fields = {"found": len(value), "limit": MAX_PASSAGES}
        problems.append(_at(row, "judges.too_many_passages", case_id, "fragmentos", **fields))
        return None
    texts: list[str] = []
    for index, item in enumerate(value):
        where = f"fragmentos[{index}]"
        text: Any = item
        if isinstance(item, dict):
            where += ".texto"
            if "texto" not in item:
                problems.append(_at(row, "cases.missing", case_id, where))
                continue
            text = item["texto"]
        if not isinstance(text, str):
            problems.append(_at(row, "cases.not_text", case_id, where, found=kind_of(text)))
        elif not text.strip():
            problems.append(_at(row, "cases.blank", case_id, where))
        elif len(text) > MAX_TEXT:
            fields = {"length": len(text), "limit": MAX_TEXT}
            problems.append(_at(row, "cases.text_too_long", case_id, where, **fields))
        else:
            texts.append(text)
    return tuple(texts)
