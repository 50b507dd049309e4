"""A folder with cases and outputs for a judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.clinical.samples import case, line, pending, write

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six signed dev cases, a pending one and three reserved ones, with good outputs for all."""
    here = tmp_path / "trabajo"
    here.mkdir()
    cases = [case(f"c{n}", signos_clinicos=f"signo-{n}.") for n in range(6)]
    cases += [pending("p0", signos_clinicos="signo-90.")]
    cases += [case(f"secreto{n}", split="test", signos_clinicos=f"signo-{80 + n}.") for n in range(3)]
    write(here / "casos.jsonl", *cases)
    write(here / "salidas.jsonl", *(line(one["id"]) for one in cases))
    return here
