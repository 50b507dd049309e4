"""The question put to the judge about one output."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scoring.clinical.normalize import normalize
from scoring.judges.quoting import assistant_input, blocks, prompt_text
from scoring.judges.rubric import CRITERIA, GROUNDING, REASON, VIOLATION, criteria

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scoring.cases import Case

INPUT = "ENTRADA DEL ASISTENTE"
PASSAGES = "FRAGMENTOS RECUPERADOS"
KEY = "CLAVE DE RESPUESTA"
OUTPUT = "SALIDA DEL ASISTENTE"

# What only somebody who speaks to the judge would write.
_ADDRESS = re.compile(
    r"\b(?:"
    + "|".join((*(re.escape(name) for name in (*CRITERIA[:2], GROUNDING, VIOLATION)), "rubrica"))
    + r"|(?:estimado|querido|atencion|nota|mensaje|instruccion(?:es)?)[ ,:]+(?:para|a|al|del)?\s*(?:el |la )?"
    r"(?:juez|evaluador|evaluadora|jueza)"
    r"|(?:ignora|ignore|olvida|olvide|omite|omita|descarta|descarte)\s+(?:todas?\s+)?(?:las|tus|sus)\s+"
    r"(?:instrucciones|reglas|indicaciones)"
    r"|ignore (?:all |any )?(?:previous|prior|the above) instructions?"
    r"|disregard (?:all |the )?(?:previous|prior)"
    r"|puntuacion\s+maxima|maxima\s+puntuacion|as (?:the |an )?(?:judge|evaluator)|dear judge"
    r"|system prompt|mensaje\s+del?\s+sistema"
    r")\b"
)


@dataclass(frozen=True, slots=True)
class Question:
    """What a judge is asked about one output.

    Attributes:
        system: the rubric; the same for every case.
        user: the quoted case, answer key and output.
        grounded: passages were shown.
    """

    system: str
    user: str
    grounded: bool


def question(case: Case, output: Mapping[str, Any], passages: Sequence[str] | None = None) -> Question:
    """The question about ``output``, an answer to ``case``.

    Args:
        case: of it the signature and every unknown field are left out.
        output: the object under ``interpretacion``.
        passages: what was retrieved for this case; None if that is not known.
    """
    grounded = bool(passages)
    parts: list[tuple[str, Any]] = [(INPUT, assistant_input(case))]
    if passages:
        parts.append(
            (PASSAGES, [{"numero": number, "texto": text} for number, text in enumerate(passages, 1)])
        )
    expected = case.esperado
    parts.append(
        (
            KEY,
            {
                "descripcion": case.descripcion,
                "hallazgos_clave": list(expected.hallazgos_clave),
                "diferenciales_aceptables": list(expected.diferenciales_aceptables),
                "requiere_derivacion": expected.requiere_derivacion,
                "fuera_de_alcance": expected.fuera_de_alcance,
            },
        )
    )
    parts.append((OUTPUT, dict(output)))
    return Question(system(grounded=grounded), blocks(parts), grounded)


def system(*, grounded: bool) -> str:
    """The rubric as it is told to the judge."""
    names = ", ".join(f"`{name}`" for name in criteria(grounded=grounded))
    extra = prompt_text("juez_fundamentacion.md") if grounded else ""
    return prompt_text("juez.md").replace("{fundamentacion}", extra).replace("{claves}", names)


def rubric_digest() -> str:
    """SHA-256 (hex) of the rubric as it is told to judges, with and without passages."""
    told = "\n".join(system(grounded=grounded) for grounded in (False, True))
    return hashlib.sha256(told.encode()).hexdigest()


def addresses_judge(output: Mapping[str, Any]) -> bool:
    """Whether an output speaks to whoever scores it; no clinical text has a reason to.

    It changes no figure. It is told, so that a person reads that output.
    """
    return any(_ADDRESS.search(normalize(text)) for text in _texts(output))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield str(name)
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


def is_empty(output: Mapping[str, Any]) -> bool:
    """Nothing in it could be judged."""
    return not any(bool(value) for value in output.values())


__all__ = [
    "INPUT",
    "KEY",
    "OUTPUT",
    "PASSAGES",
    "REASON",
    "Question",
    "addresses_judge",
    "is_empty",
    "question",
    "system",
]
