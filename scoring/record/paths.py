"""Where the files that belong to a data set lie: beside the file behind the name, never beside a link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.access import access_path
from scoring.files import resolve

if TYPE_CHECKING:
    from pathlib import Path

RECORD_END = ".firmas.jsonl"


def _beside(data_path: Path, end: str) -> Path:
    target = resolve(data_path)
    return target.with_name(target.name.removesuffix(".jsonl") + end)


def record_path(data_path: Path) -> Path:
    """``casos.jsonl`` -> ``casos.firmas.jsonl``: the signatures, versioned with the data."""
    return _beside(data_path, RECORD_END)


def intent_path(data_path: Path) -> Path:
    """``casos.jsonl`` -> ``casos.pendiente``: the step under way, never versioned."""
    return _beside(data_path, ".pendiente")


def lock_path(data_path: Path) -> Path:
    """``casos.jsonl`` -> ``casos.lock``: the kernel lock of the writers, never versioned."""
    return _beside(data_path, ".lock")


def torn_path(data_path: Path) -> Path:
    """``casos.jsonl`` -> ``casos.firmas.jsonl.rotas``: what an interrupted write left, set aside."""
    return _beside(data_path, f"{RECORD_END}.rotas")


def torn_intent_path(data_path: Path) -> Path:
    """``casos.jsonl`` -> ``casos.pendiente.rotas``: an intent that could not be understood, set aside."""
    return _beside(data_path, ".pendiente.rotas")


def companions(data_path: Path) -> tuple[Path, ...]:
    """Every file beside a data set that the product keeps for it, there or not.

    Record, what was set aside of it, intent, what was set aside of it, lock, and who looked at single
    reserved cases: nothing else may be written under these names, since a report in the place of the lock
    would let two people save at once.
    """
    return (
        record_path(data_path),
        torn_path(data_path),
        intent_path(data_path),
        torn_intent_path(data_path),
        lock_path(data_path),
        access_path(data_path),
    )
