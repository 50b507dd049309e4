"""What the fields of a case are called: the words of the sheet rather than the keys of the file."""

from __future__ import annotations

import re

from scoring import messages
from scoring.tables import SPECIES, analytes

_ELEMENT = re.compile(r"\[\d+\]$")
_FIELDS = frozenset(
    {
        "descripcion",
        "signos_clinicos",
        "split",
        "tanda",
        "paciente.especie",
        "paciente.raza",
        "paciente.sexo",
        "paciente.edad_meses",
        "esperado.diferenciales_aceptables",
        "esperado.hallazgos_clave",
        "esperado.requiere_derivacion",
        "esperado.fuera_de_alcance",
    }
)
_FINDINGS = "esperado.hallazgos_clave"


def field_words(path: str) -> str:
    """The name of a field as the sheet calls it; the path itself for what the sheet does not know."""
    bare = _ELEMENT.sub("", path)
    if bare in _FIELDS:
        return messages.text(f"app_edit.field_{bare.rpartition('.')[2]}")
    head, _, rest = bare.partition(".")
    if head == "valores" and rest:
        return _analyte(rest) or messages.text("app_edit.field_value", key=rest)
    return path


def _analyte(key: str) -> str | None:
    """The name of an analyte as the sheet writes it; None for a key that no table knows."""
    for species in SPECIES:
        table = analytes(species)
        if key in table:
            return table[key].name
    return None


def value_words(path: str, value: str) -> str:
    """A value as the sheet writes it: a key finding by the name of its analyte, all else as it is."""
    return (_analyte(value) or value) if _ELEMENT.sub("", path) == _FINDINGS else value
