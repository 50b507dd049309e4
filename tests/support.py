"""Small builders that several test folders share."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"

CASE: dict[str, Any] = {
    "id": "anemia-canino",
    "descripcion": "Anemia por pérdida crónica",
    "split": "dev",
    "tanda": "prueba",
    "validado": False,
    "paciente": {"especie": "canino", "raza": "Mestizo", "edad_meses": 54, "sexo": "Hembra"},
    "valores": {"hct": 24, "hgb": 7.5, "alt": 45},
    "signos_clinicos": "Letargia",
    "esperado": {
        "hallazgos_clave": ["hct", "hgb"],
        "diferenciales_aceptables": ["ferropenia", "hemorragia crónica"],
        "requiere_derivacion": True,
        "fuera_de_alcance": False,
    },
}


def make_case(case_id: str = "anemia-canino", **changes: Any) -> dict[str, Any]:
    """A whole pending case; ``changes`` replace its top-level keys."""
    return copy.deepcopy(CASE) | {"id": case_id} | changes


def signed(case: dict[str, Any], reviewer: str = "Ana Ruiz", date: str = "2026-08-01") -> dict[str, Any]:
    """The same case with the three signature keys set, as an older data set without record has them."""
    return case | {"validado": True, "revisor": reviewer, "fecha_validacion": date}


def write_cases(path: Path, *cases: dict[str, Any]) -> Path:
    """Write the cases one per line and answer with the path."""
    lines = [json.dumps(case, ensure_ascii=False) + "\n" for case in cases]
    path.write_text("".join(lines), encoding="utf-8")
    return path


HOSTILE = (
    "ALT [H] 120",
    "[/]",
    "[URGENTE]",
    "[bold red]x[/bold red]",
    "\x1b[31mrojo\x1b[0m",
    "\x1b]0;titulo\x07",
    "\x9b2J",
    "a\u202eb\u200bc\ufeff",
    "uno\ndos\r\ntres\ttab",
    "# título\n- [x] hecho",
    "<script>alert(1)</script> ![x](http://e.example/i.png) https://e.example www.e.example",
    "| a | b |",
    "`code` *b* _i_ ~~s~~ $x$ @ana",
)
"""Texts that try to be markup, a control sequence or document structure."""
