"""What is put to the grounding metrics: question, passages, answer and reference of each case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scoring.clinical.report import RESERVED_SPLIT
from scoring.engine import analyse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.cases import Case


@dataclass(frozen=True, slots=True)
class Sample:
    """One case for the grounding metrics.

    Attributes:
        case_id: its id.
        reserved: it may not be named.
        question: names of the engine's patterns and findings, as a retrieval would ask.
        passages: what was retrieved.
        answer: prose and differentials of the output.
        reference: the acceptable differentials, or the description if there are none.
    """

    case_id: str
    reserved: bool
    question: str
    passages: tuple[str, ...]
    answer: str
    reference: str


def sample(case: Case, output: Mapping[str, Any], passages: tuple[str, ...]) -> Sample:
    """The sample of one case; ``passages`` must not be empty."""
    return Sample(
        case_id=case.id,
        reserved=case.split == RESERVED_SPLIT,
        question=question_of(case),
        passages=passages,
        answer=answer_of(output),
        reference="; ".join(case.esperado.diferenciales_aceptables) or case.descripcion,
    )


def question_of(case: Case) -> str:
    """The retrieval question: patterns first, then findings; without either, species and signs."""
    patient = case.paciente
    analysis = analyse(
        case.valores,
        {
            "especie": patient.especie,
            "raza": patient.raza,
            "edad_meses": patient.edad_meses,
            "sexo": patient.sexo,
        },
    )
    names = [pattern.nombre for pattern in analysis.patterns]
    names += [f"{finding.nombre} {finding.direccion}" for finding in analysis.findings]
    if names:
        return "; ".join(dict.fromkeys(names))
    return " ".join(part for part in (patient.especie, case.signos_clinicos) if part) or case.descripcion


def answer_of(output: Mapping[str, Any]) -> str:
    """The prose, and one line ``name: evidence; evidence`` per differential."""
    lines = [str(output.get("interpretacion") or "")]
    for differential in output.get("diferenciales") or ():
        name = differential.get("nombre") or ""
        evidence = differential.get("evidencia")
        told = [evidence] if isinstance(evidence, str) else evidence if isinstance(evidence, list) else []
        told = [item for item in told if isinstance(item, str) and item.strip()]
        lines.append(f"{name}: {'; '.join(told)}" if told else name)
    return "\n".join(line for line in lines if line.strip())
