"""The file of model outputs: every line that cannot be scored is named, none is skipped."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from scoring import jsonl
from scoring.by_id import NumberById
from scoring.cases import MAX_ID
from scoring.clinical.interpretation import Interpretation, read_interpretation
from scoring.errors import DataError
from scoring.jsonl import kind_of, parse_object
from scoring.problems import Problem
from scoring.stored import StoredLines, store

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from scoring.cases import Case
    from scoring.jsonl import Line, Row

_DIGEST_TAG = "predicciones-v1"
SIMULATED = "simulado"
_NO_INDEX: Mapping[str, int] = MappingProxyType({})
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
    stored: bool = False,
    index: Mapping[str, int] = _NO_INDEX,
) -> Predictions:
    """Read and check a predictions file.

    Args:
        path: JSONL, one ``{"id": ..., "interpretacion": {...}}`` per line; blank lines are allowed.
        known_ids: ids of the whole data set, of every split; None leaves them unchecked.
        ignore_unknown: an id outside the data set is a notice and not a problem.
        suggestions: ids that may be named as «did you mean».
        stored: hold where the outputs are and not what they say; each is read from the file, which stays
            open, when it is asked for, and a file written meanwhile is a :class:`ConflictError` then.
        index: that of the data set (:meth:`scoring.cases.CaseFile.index`), which spares one of the outputs.

    Raises:
        UsageError: ``path`` names nothing readable.
        DataError: with every problem: lines that are cut or no JSON object, missing, null or mistyped
            fields, repeated ids, ids the data set does not know.
    """
    check = _Check(known_ids, suggestions, index, ignore_unknown=ignore_unknown)
    if stored:
        document = store(StoredLines(path), check.take)
    else:
        document = jsonl.read(path)
        read = {good[0]: good[1:] for row in document.rows if (good := check.take(row)) is not None}
    problems = sorted((*document.problems, *check.problems), key=lambda problem: problem.line or 0)
    if problems:
        raise DataError("clinical.predictions_invalid", problems=problems, path=path, n=len(problems))
    notices = tuple(check.notices)
    if stored:
        by_id = StoredOutputs(document.lines, check.line_of)
        return Predictions(by_id, StoredInterpretations(by_id), digest_of(by_id), path, notices)
    inner = MappingProxyType({case_id: one for case_id, (one, _) in read.items()})
    outputs = MappingProxyType({case_id: scored for case_id, (_, scored) in read.items()})
    return Predictions(inner, outputs, digest_of(inner), path, notices)


class StoredOutputs(Mapping[str, Mapping[str, Any]]):
    """The objects under ``interpretacion`` by case id, each read from the file when it is asked for."""

    def __init__(self, lines: Sequence[Line], line_of: Mapping[str, int]) -> None:
        self._lines = lines
        self._line_of = line_of

    def __getitem__(self, case_id: str) -> Mapping[str, Any]:
        inner: Mapping[str, Any] = parse_object(self._lines[self._line_of[case_id] - 1].raw)["interpretacion"]
        return inner

    def __contains__(self, case_id: object) -> bool:
        return case_id in self._line_of

    def __iter__(self) -> Iterator[str]:
        return iter(self._line_of)

    def __len__(self) -> int:
        return len(self._line_of)


class StoredInterpretations(Mapping[str, Interpretation]):
    """The scored parts of stored outputs, which were checked before."""

    def __init__(self, inner: Mapping[str, Mapping[str, Any]]) -> None:
        self._inner = inner

    def __getitem__(self, case_id: str) -> Interpretation:
        return read_interpretation(self._inner[case_id])[0]

    def __contains__(self, case_id: object) -> bool:
        return case_id in self._inner

    def __iter__(self) -> Iterator[str]:
        return iter(self._inner)

    def __len__(self) -> int:
        return len(self._inner)


class _Check:
    """The check of a predictions file, row by row.

    Attributes:
        problems: of the rows so far.
        notices: what was left out on request.
        line_of: id of each output that can be scored -> number of its line.
    """

    def __init__(
        self,
        known_ids: Collection[str] | None,
        suggestions: Collection[str],
        index: Mapping[str, int],
        *,
        ignore_unknown: bool,
    ) -> None:
        self._known_ids = known_ids
        self._suggestions = suggestions
        self._ignore_unknown = ignore_unknown
        self.problems: list[Problem] = []
        self.notices: list[Problem] = []
        self.line_of = NumberById(index)
        self._first_line = NumberById(index)

    def take(self, row: Row) -> tuple[str, Mapping[str, Any], Interpretation] | None:
        """Check one row; answers with what can be scored of it."""
        found, problems = _read_id(row)
        self.problems += problems
        if found is None:
            return None
        case_id, line = found, row.line.number
        if case_id in self._first_line:
            first = self._first_line[case_id]
            self.problems.append(_at(row, "clinical.duplicate_prediction", case_id, first=first))
            return None
        self._first_line[case_id] = line
        if self._known_ids is not None and case_id not in self._known_ids:
            few = len(self.problems) + len(self.notices) < _SUGGESTED_AT_MOST
            unknown = _unknown(row, case_id, self._suggestions if few else (), left_out=self._ignore_unknown)
            if self._ignore_unknown:
                self.notices.append(unknown)
                return None
            self.problems.append(unknown)
        inner = row.value.get("interpretacion")
        if not isinstance(inner, dict):
            if "interpretacion" in row.value:
                fault = _at(row, "cases.not_object", case_id, "interpretacion", found=kind_of(inner))
            else:
                fault = _at(row, "cases.missing", case_id, "interpretacion")
            self.problems.append(fault)
            return None
        scored, faults = read_interpretation(inner, line=line, case_id=case_id, prefix="interpretacion.")
        self.problems += faults
        self.line_of[case_id] = line
        return case_id, inner, scored


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
