"""A small data set of its own for each test: one case signed, two pending, one of them hard to spell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reviewer.store import Dataset

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TAIL = (
    '"esperado": {"hallazgos_clave": ["hct"], "diferenciales_aceptables": ["anemia", "ferropenia"], '
    '"requiere_derivacion": true, "fuera_de_alcance": false}'
)
HEAD = '"paciente": {"especie": "canino"}, "valores": {"hct": 24.50, "alt": 45}'
KEYS = '"validado": true, "revisor": "Eva", "fecha_validacion": "2026-01-02"'
LINES = (
    f'{{"id": "firmado", {KEYS}, {HEAD}, {TAIL}}}',
    f'{{"id": "uno", "validado": false, {HEAD}, "signos_clinicos": "Letargia", {TAIL}}}',
    '{"id":"dos","validado":false,"paciente":{},"valores":{"hct":2.40e1},'
    '"esperado":{"hallazgos_clave":[],"diferenciales_aceptables":["h\\u00edgado" , "ri\\u00f1\\u00f3n"],'
    '"requiere_derivacion":false}}',
)


@pytest.fixture
def casos(tmp_path: Path) -> Path:
    folder = tmp_path / "datos"
    folder.mkdir()
    path = folder / "casos.jsonl"
    path.write_text("".join(f"{line}\n" for line in LINES), encoding="utf-8")
    return path


@pytest.fixture
def lines(casos: Path) -> Callable[[], list[bytes]]:
    """The lines of the data file as they are now."""
    return lambda: casos.read_bytes().splitlines()


@pytest.fixture
def dataset(casos: Path) -> Dataset:
    return Dataset.open(casos)
