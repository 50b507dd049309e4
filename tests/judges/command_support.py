"""What the tests of the command with a judge share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


GIVEN = ("--casos", "casos.jsonl", "--predicciones", "salidas.jsonl", "--informe", "informe.json")


def about(request: dict[str, Any]) -> int:
    text = json.dumps(request["json"])
    return next(n for n in range(100) if f"signo-{n}." in text)


def report_of(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "informe.json").read_text(encoding="utf-8"))
    return content
