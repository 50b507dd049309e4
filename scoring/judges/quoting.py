"""Data shown to a model: JSON on one line, between marks that the data cannot have foreseen.

The mark is a digest of everything that is quoted, so no quoted text can contain it. Characters with which
chat templates begin their own commands (``<|im_start|>``, ``[INST]``) and every invisible character are
written as JSON escapes: the value stays the same, and no tokenizer takes it for a command.
"""

from __future__ import annotations

import hashlib
import json
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from scoring.plain import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scoring.cases import Case

# The template commands of common model families start with one of these.
_COMMANDS = re.compile(r"<|\[(?=/?[A-Z][A-Z_]+\])")


def _escaped(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def quoted(value: Any) -> str:
    """``value`` as JSON on one line, with nothing in it that a reader of text would obey."""
    text = _COMMANDS.sub(
        lambda match: _escaped(match.group()), json.dumps(value, ensure_ascii=False, allow_nan=False)
    )
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char.isprintable() and plain(char) == char else _escaped(char) for char in text)


def blocks(parts: Sequence[tuple[str, Any]]) -> str:
    """Titled blocks, each a value quoted between two lines with the mark of this message."""
    said = [(title, quoted(value)) for title, value in parts]
    mark = hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]
    return "\n\n".join(
        f"=== {title} ({mark}) ===\n{body}\n=== FIN DE {title} ({mark}) ===" for title, body in said
    )


def assistant_input(case: Case) -> dict[str, Any]:
    """What the assistant is given of a case: patient, values and signs, and nothing else.

    The id is left out because it often names the diagnosis, the description because it does.
    """
    patient = case.paciente
    return {
        "paciente": {
            "especie": patient.especie,
            "raza": patient.raza,
            "edad_meses": patient.edad_meses,
            "sexo": patient.sexo,
        },
        "valores": dict(case.valores),
        "signos_clinicos": case.signos_clinicos,
    }


def prompt_text(name: str) -> str:
    """A prompt that ships with the tool."""
    return files("scoring.judges").joinpath("prompts", name).read_text(encoding="utf-8")
