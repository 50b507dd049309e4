"""One thing wrong in a file: what every error about data carries, and nothing that reads a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in a file, addressed so that a person can go and mend it.

    Attributes:
        key: catalogue key of the sentence (``area.code``).
        line: 1-based line number, or None when it concerns the whole file.
        column: 1-based character column, or None.
        case_id: id of the case or prediction on that line, when it could be read.
        where: dotted path of the field (``esperado.hallazgos_clave[2]``), or None.
        fields: what the sentence names.
    """

    key: str
    line: int | None = None
    column: int | None = None
    case_id: str | None = None
    where: str | None = None
    fields: Mapping[str, object] = field(default_factory=dict)

    @property
    def code(self) -> str:
        """Stable name of the problem."""
        return self.key.rpartition(".")[2]

    def sentence(self) -> str:
        """«línea 3, columna 7, caso x, campo y: what was found and what to do»."""
        place = [
            messages.text(f"jsonl.at_{name}", value=value)
            for name, value in (
                ("line", self.line),
                ("column", self.column),
                ("case", self.case_id),
                ("field", self.where),
            )
            if value is not None
        ]
        said = messages.text(self.key, **self.fields)
        return f"{', '.join(place)}: {said}" if place else said

    def to_dict(self) -> dict[str, object]:
        """For JSON outputs: ``linea, columna, id, campo, codigo, mensaje``."""
        return {
            "linea": self.line,
            "columna": self.column,
            "id": self.case_id,
            "campo": self.where,
            "codigo": self.code,
            "mensaje": messages.text(self.key, **self.fields),
        }
