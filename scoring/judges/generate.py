"""Asking a model for the interpretations, case by case, each saved as it comes.

Every line of the file says which model made it and, by a digest, of which question; taking the file up
again with another model, another template or an edited case is refused, because the outputs would no
longer be those of one system.
"""

from __future__ import annotations

import contextlib
import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scoring import jsonl
from scoring.clinical.interpretation import read_interpretation
from scoring.clinical.report import RESERVED_SPLIT
from scoring.errors import DataError, UsageError
from scoring.judges.errors import ModelError
from scoring.judges.judging import Progress, judge_name, question_key
from scoring.judges.quoting import assistant_input, prompt_text, quoted
from scoring.judges.rubric import answer_object
from scoring.judges.transport import Ask
from scoring.judges.work import Job, ask_all
from scoring.problems import Problem
from scoring.strict_json import StrictJSONError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from scoring.cases import Case
    from scoring.judges.exchange import Cancel
    from scoring.judges.journal import Journal
    from scoring.judges.settings import Settings
    from scoring.judges.transport import Transport
    from scoring.judges.work import Outcome

CARD = "{ficha}"
PASSAGES = "{fragmentos}"
_TEMPLATE = "generar.md"
_SYSTEM = "Respondes solo con el objeto JSON que se te pide."
_ROOM = 4096  # for id and origin on the same line
_MAX_TEMPLATE_BYTES = 1 << 18

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


SCHEMA = _object(
    interpretacion=_TEXT,
    hallazgos_clave={
        "type": "array",
        "items": _object(
            analito=_TEXT, direccion={"type": "string", "enum": ["alto", "bajo"]}, comentario=_TEXT
        ),
    },
    diferenciales={"type": "array", "items": _object(nombre=_TEXT, probabilidad=_TEXT, evidencia=_TEXTS)},
    siguientes_pruebas=_TEXTS,
    confianza={"type": "string", "enum": ["alta", "media", "baja"]},
    requiere_derivacion={"type": "boolean"},
    fuera_de_alcance={"type": "boolean"},
)
"""JSON Schema of an interpretation, for servers that hold a model to one."""


@dataclass(slots=True)
class Generated:
    """What came of a run.

    Attributes:
        saved: outputs that were saved in this run.
        reused: outputs that were there already.
        errors: case id -> sentence of the error that left it without output.
        stopped: the sentence of the error that ended the run early, or nothing.
        seconds: wall time.
    """

    saved: int = 0
    reused: int = 0
    errors: dict[str, str] = field(default_factory=dict)
    stopped: str = ""
    seconds: float = 0.0


def read_template(path: Path | None) -> str:
    """The question as a file says it; None takes the one that ships with the tool.

    Raises:
        UsageError: the file is not readable, too large, no UTF-8, or has no ``{ficha}``.
    """
    if path is None:
        return prompt_text(_TEMPLATE)
    data = jsonl.read_bytes(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError("generate.template_not_text", path=path) from None
    if CARD not in text or len(data) > _MAX_TEMPLATE_BYTES:
        raise UsageError("generate.template_without_card", path=path, limit=_MAX_TEMPLATE_BYTES)
    return text


def fill(template: str, case: Case, passages: Sequence[str] | None) -> str:
    """The question about one case: what the assistant is given and, if retrieved, the passages."""
    shown = ""
    if passages:
        numbered = "\n".join(f"[{number}] {quoted(text)}" for number, text in enumerate(passages, 1))
        shown = f"Fragmentos de la bibliografía; cítelos con su número, como [1]:\n\n{numbered}\n\n"
    head, _, tail = template.partition(CARD)
    # One after the other, so that a case that spells a placeholder does not get it filled in.
    return head.replace(PASSAGES, shown) + quoted(assistant_input(case)) + tail.replace(PASSAGES, shown)


def generate(
    cases: Sequence[Case],
    everyone: Sequence[Case],
    transport: Transport,
    settings: Settings,
    journal: Journal,
    *,
    template: str,
    passages: Mapping[str, tuple[str, ...]] | None = None,
    cancel: Cancel,
    progress: Callable[[Progress], None] | None = None,
) -> Generated:
    """Ask for the outputs that are missing in ``journal``.

    Args:
        cases: the cases to ask about.
        everyone: all cases of the data set; the file may hold outputs for others of them.
        transport: the way to the model.
        settings: how it is asked.
        journal: the file of outputs.
        template: see :func:`read_template`.
        passages: case id -> retrieved passages.
        cancel: ends the run from another thread.
        progress: told of every step, in the caller's thread.

    Raises:
        DataError: the file holds outputs of another model, template or state of a case.
        KeyboardInterrupt: after everything that came was saved.
    """
    start = time.monotonic()
    retrieved = passages or {}
    asks = {
        case.id: Ask(
            _SYSTEM,
            fill(template, case, retrieved.get(case.id)),
            SCHEMA,
            settings.seconds,
            settings.tokens,
        )
        for case in everyone
    }
    keys = {case_id: question_key(transport, ask) for case_id, ask in asks.items()}
    reserved = {case.id for case in everyone if case.split == RESERVED_SPLIT}
    present = _present(journal, keys, reserved)
    wanted = [case.id for case in cases]
    result = Generated(reused=sum(case_id in present for case_id in wanted))
    jobs = [Job(case_id, asks[case_id]) for case_id in wanted if case_id not in present]

    def keep(outcome: Outcome[dict[str, Any]]) -> None:
        if outcome.value is not None:
            origin = {"modelo": judge_name(transport), "clave": keys[outcome.case_id]}
            journal.add({"id": outcome.case_id, "interpretacion": outcome.value, "generacion": origin})
            result.saved += 1
        elif outcome.error is not None:
            result.errors[outcome.case_id] = str(outcome.error)
            if outcome.stop:
                result.stopped = str(outcome.error)

    try:
        with contextlib.closing(ask_all(jobs, transport, settings, _read, cancel, keep)) as outcomes:
            for done, outcome in enumerate(outcomes if jobs else (), result.reused + 1):
                if progress is not None:
                    named = None if outcome.case_id in reserved else outcome.case_id
                    said = str(outcome.error) if outcome.error is not None else None
                    progress(Progress(done, len(wanted), named, outcome.seconds, said))
    finally:
        result.seconds = time.monotonic() - start
    return result


def _read(job: Job, text: str) -> dict[str, Any]:
    value = answer_object(text, exact_numbers=False)
    _, problems = read_interpretation(value)
    if problems:
        raise ModelError("judges.not_an_interpretation", sentence=problems[0].sentence())
    try:
        line = json.dumps({"id": job.case_id, "interpretacion": value}, ensure_ascii=False, allow_nan=False)
        raw = line.encode()
        if len(raw) > jsonl.MAX_LINE_BYTES - _ROOM:
            raise ModelError("judges.answer_too_long", limit=jsonl.MAX_LINE_BYTES - _ROOM)
        jsonl.parse_object(raw)  # what is saved must be readable again
    except StrictJSONError as error:
        raise ModelError("judges.not_json", reason=error.code) from None
    except ValueError:
        raise ModelError("judges.not_json", reason="syntax") from None
    return value


def _present(journal: Journal, keys: Mapping[str, str], reserved: set[str]) -> set[str]:
    present: set[str] = set()
    problems: list[Problem] = []
    for number, row in journal.rows:
        case_id = row.get("id")
        origin = row.get("generacion")
        key = origin.get("clave") if isinstance(origin, dict) else None
        named = case_id if isinstance(case_id, str) and case_id not in reserved else None
        if not isinstance(case_id, str) or case_id not in keys:
            problems.append(Problem("generate.unknown_case", line=number))
        elif key is None:
            problems.append(Problem("generate.no_origin", line=number, case_id=named))
        elif key != keys[case_id]:
            problems.append(Problem("generate.other_origin", line=number, case_id=named))
        elif case_id in present:
            problems.append(Problem("generate.repeated", line=number, case_id=named))
        else:
            present.add(case_id)
    if problems:
        raise DataError("generate.not_the_same", path=journal.path, n=len(problems), problems=problems)
    return present
