"""The file of model outputs, read whole: every line that cannot be scored is named, none is skipped."""

from __future__ import annotations

import difflib
import hashlib
import json
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from scoring import jsonl
from scoring.cases import MAX_ID
from scoring.clinical.interpretation import Interpretation, read_interpretation
from scoring.errors import DataError
from scoring.jsonl import Problem, kind_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

    from scoring.cases import Case
    from scoring.jsonl import Row

_DIGEST_TAG = "predicciones-v1"
SIMULATED = "simulado"
# Looking for a near id is slow, and nobody reads more of them.
_SUGGESTED_AT_MOST = 20


@dataclass(frozen=True, slots=True)
class Predictions:
    """Checked outputs by case id.

    Attributes:
        by_id: case id -> the object under ``interpretacion``, as read.
        outputs: case id -> its scored part.
        digest: SHA-256 (hex) of the outputs, whatever the order of their lines.
        path: where they were read from; None for simulated or given outputs.
        notices: what was left out on request, one problem each.
        simulated: made up by :func:`simulate`; nothing real is scored with them.
    """

    by_id: Mapping[str, Mapping[str, Any]] = field(repr=False)
    outputs: Mapping[str, Interpretation] = field(repr=False)
    digest: str
    path: Path | None = None
    notices: tuple[Problem, ...] = ()
    simulated: bool = False

    @property
    def generator(self) -> str:
        """What the report says the outputs come from."""
        if self.simulated:
            return SIMULATED
        return f"predicciones:{self.path.name}" if self.path is not None else "predicciones"


def digest_of(by_id: Mapping[str, Mapping[str, Any]]) -> str:
    """SHA-256 (hex) over ``predicciones-v1`` and one line per output: id and content, sorted by id."""
    total = hashlib.sha256(f"{_DIGEST_TAG}\n".encode())
    for case_id in sorted(by_id):
        line = json.dumps([case_id, by_id[case_id]], sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        total.update(f"{line}\n".encode())
    return total.hexdigest()


def from_mapping(by_id: Mapping[str, Mapping[str, Any]], *, simulated: bool = False) -> Predictions:
    """Outputs given in memory, case id -> the object under ``interpretacion``.

    Raises:
        DataError: an output has a field of the wrong type.
    """
    problems: list[Problem] = []
    outputs: dict[str, Interpretation] = {}
    for case_id, inner in by_id.items():
        outputs[case_id], found = read_interpretation(inner, case_id=case_id)
        problems += found
    if problems:
        raise DataError("clinical.not_scorable", problems=problems, sentence=problems[0].sentence())
    return Predictions(
        MappingProxyType(dict(by_id)), MappingProxyType(outputs), digest_of(by_id), simulated=simulated
    )


def load_predictions(
    path: Path,
    known_ids: Collection[str] | None,
    *,
    ignore_unknown: bool = False,
    suggestions: Collection[str] = (),
) -> Predictions:
    """Read and check a predictions file.

    Args:
        path: JSONL, one ``{"id": ..., "interpretacion": {...}}`` per line; blank lines are allowed.
        known_ids: ids of the whole data set, of every split; None leaves them unchecked.
        ignore_unknown: an id outside the data set is a notice and not a problem.
        suggestions: ids that may be named as «did you mean».

    Raises:
        UsageError: ``path`` names nothing readable.
        DataError: with every problem: lines that are cut or no JSON object, missing, null or mistyped
            fields, repeated ids, ids the data set does not know.
    """
    document = jsonl.read(path)
    problems = list(document.problems)
    notices: list[Problem] = []
    by_id: dict[str, Mapping[str, Any]] = {}
    outputs: dict[str, Interpretation] = {}
    first_line: dict[str, int] = {}
    for row in document.rows:
        case_id, found = _read_id(row)
        problems += found
        if case_id is None:
            continue
        if case_id in first_line:
            problems.append(_at(row, "clinical.duplicate_prediction", case_id, first=first_line[case_id]))
            continue
        first_line[case_id] = row.line.number
        if known_ids is not None and case_id not in known_ids:
            few = len(problems) + len(notices) < _SUGGESTED_AT_MOST
            unknown = _unknown(row, case_id, suggestions if few else (), left_out=ignore_unknown)
            if ignore_unknown:
                notices.append(unknown)
                continue
            problems.append(unknown)
        inner = row.value.get("interpretacion")
        if not isinstance(inner, dict):
            if "interpretacion" in row.value:
                found = [_at(row, "cases.not_object", case_id, "interpretacion", found=kind_of(inner))]
            else:
                found = [_at(row, "cases.missing", case_id, "interpretacion")]
            problems += found
            continue
        by_id[case_id] = inner
        outputs[case_id], faults = read_interpretation(
            inner, line=row.line.number, case_id=case_id, prefix="interpretacion."
        )
        problems += faults
    if problems:
        problems.sort(key=lambda problem: problem.line or 0)
        raise DataError("clinical.predictions_invalid", problems=problems, path=path, n=len(problems))
    return Predictions(
        MappingProxyType(by_id), MappingProxyType(outputs), digest_of(by_id), path, tuple(notices)
    )


def _at(row: Row, key: str, case_id: str | None, where: str = "id", **fields: object) -> Problem:
    return Problem(key, line=row.line.number, case_id=case_id, where=where, fields=fields)


def _read_id(row: Row) -> tuple[str | None, list[Problem]]:
    if "id" not in row.value:
        return None, [_at(row, "cases.missing", None)]
    value = row.value["id"]
    if not isinstance(value, str):
        return None, [_at(row, "cases.not_text", None, found=kind_of(value))]
    if not value.strip():
        return None, [_at(row, "cases.blank", None)]
    if len(value) > MAX_ID:
        return None, [_at(row, "cases.text_too_long", None, length=len(value), limit=MAX_ID)]
    return value, []


def _unknown(row: Row, case_id: str, suggestions: Collection[str], *, left_out: bool) -> Problem:
    near = difflib.get_close_matches(case_id, suggestions, n=1, cutoff=0.8)
    if near:
        key = "clinical.left_out_prediction_near" if left_out else "clinical.unknown_prediction_near"
        return _at(row, key, case_id, near=near[0])
    return _at(row, "clinical.left_out_prediction" if left_out else "clinical.unknown_prediction", case_id)


def simulate(cases: Iterable[Case]) -> Predictions:
    """Trivially right outputs, to try the pipeline with: nothing real is scored with them."""
    by_id: dict[str, dict[str, Any]] = {}
    for case in cases:
        expected = case.esperado
        by_id[case.id] = {
            "interpretacion": "Interpretación simulada: repite la respuesta esperada y no evalúa nada.",
            "hallazgos_clave": [{"analito": key.replace("_", " ")} for key in expected.hallazgos_clave],
            "diferenciales": [{"nombre": (*expected.diferenciales_aceptables, "sin alteraciones")[0]}],
            "requiere_derivacion": expected.requiere_derivacion,
            "fuera_de_alcance": expected.fuera_de_alcance,
        }
    return from_mapping(by_id, simulated=True)
