"""What changed in a case, field by field, in the words of the sheet rather than the keys of the file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.text import Content, indent, join, literal, tell
from scoring import messages
from scoring.tables import SPECIES, analytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reviewer.changes import Change

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
TEXT_SHOWN = 400


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


def change_lines(changes: Sequence[Change], width: int, shown: int = 200) -> list[Content]:
    """Old and new of each field; a symbol says whether it is new, gone or changed."""
    lines: list[Content] = []
    for change in changes[:shown]:
        old, new = (_shown(change.path, value) for value in (change.old, change.new))
        if change.old is None:
            mark, said = "+", tell("app_edit.is_new", new=new)
        elif change.new is None:
            mark, said = "−", tell("app_edit.is_gone", old=old)
        else:
            mark, said = "≠", tell("app_edit.is_changed", old=old, new=new)
        text = join(literal(f"{field_words(change.path)}: ", theme.QUIET), said)
        lines += indent(text, width, Content.styled(f" {mark} ", theme.CARE))
    if len(changes) > shown:
        lines += indent(tell("app_edit.more_changes", n=len(changes) - shown), width, Content("   "))
    return lines


def _shown(path: str, value: str | None) -> str:
    text = value or ""
    if _ELEMENT.sub("", path) == _FINDINGS:
        text = _analyte(text) or text
    return text if len(text) <= TEXT_SHOWN else f"{text[:TEXT_SHOWN]}…"
