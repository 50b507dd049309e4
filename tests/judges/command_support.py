"""What the tests of the command with a judge share."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import jsonschema

if TYPE_CHECKING:
    from pathlib import Path


GIVEN = ("--casos", "casos.jsonl", "--predicciones", "salidas.jsonl", "--informe", "informe.json")


def about(request: dict[str, Any]) -> int:
    text = json.dumps(request["json"])
    return next(n for n in range(100) if f"signo-{n}." in text)


def held_to(schema: str, content: dict[str, Any]) -> dict[str, Any]:
    """``content``, which keeps to the shipped schema of that name."""
    text = files("scoring").joinpath("schemas", f"{schema}.schema.json").read_text(encoding="utf-8")
    jsonschema.validate(content, json.loads(text), jsonschema.Draft202012Validator)
    return content


def report_of(folder: Path) -> dict[str, Any]:
    """The report of a run; whatever it says, it keeps to its schema."""
    return held_to("informe-2", json.loads((folder / "informe.json").read_text(encoding="utf-8")))
