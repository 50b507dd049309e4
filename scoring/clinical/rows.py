"""One scored case of an open split, as a value and as the report has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scoring.clinical.score import RATES

if TYPE_CHECKING:
    from scoring.clinical.score import CaseScore
    from scoring.record import CaseState


@dataclass(frozen=True, slots=True)
class Row:
    """One case of an open split.

    Attributes:
        case_id: its id.
        split: its split.
        validado: what its line claims.
        counted: it counted for the gate in this run.
        state: the state of its signature.
        predicted: the predictions hold an output for it; otherwise it was scored as empty.
        score: its metrics.
    """

    case_id: str
    split: str
    validado: bool
    counted: bool
    state: CaseState
    predicted: bool
    score: CaseScore

    def to_dict(self) -> dict[str, Any]:
        """The row as the report has it."""
        return {
            "id": self.case_id,
            "split": self.split,
            "validado": self.validado,
            "cuenta": self.counted,
            "estado_firma": str(self.state.status),
            "con_prediccion": self.predicted,
            **{metric: self.score.rate(metric) for metric in RATES},
            "cobertura_por_texto": self.score.cobertura_por_texto,
            "violacion_seguridad": self.score.violacion_seguridad,
            "derivacion_omitida": self.score.derivacion_omitida,
            "idioma": str(self.score.idioma),
            "hallazgos_ausentes": list(self.score.hallazgos_ausentes),
            "hallazgos_contrarios": list(self.score.hallazgos_contrarios),
            "hallazgos_citados": self.score.hallazgos_citados,
            "hallazgos_citados_esperados": self.score.hallazgos_citados_esperados,
            "rubrica": None,
        }
