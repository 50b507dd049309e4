"""A small data set of its own for each test; one case was signed before there was a record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

HEAD = '"split": "dev", "paciente": {"especie": "canino"}, "valores": {"hct": 24.50}'
TAIL = (
    '"esperado": {"hallazgos_clave": ["hct"], "diferenciales_aceptables": ["anemia"], '
    '"requiere_derivacion": true, "fuera_de_alcance": false}'
)
KEYS = '"validado": true, "revisor": "Eva", "fecha_validacion": "2026-01-02"'
SIGNED = f'{{"id": "firmado", {KEYS}, {HEAD}, {TAIL}}}'
PENDING = f'{{"id": "uno", "validado": false, {HEAD}, {TAIL}}}'
OTHER = f'{{"id":"dos","validado":false,{HEAD},{TAIL},"nota":"\\u00f1"}}'


@pytest.fixture
def casos(tmp_path: Path) -> Path:
    folder = tmp_path / "datos"
    folder.mkdir()
    path = folder / "casos.jsonl"
    path.write_text("".join(f"{line}\n" for line in (SIGNED, PENDING, OTHER)), encoding="utf-8")
    return path
