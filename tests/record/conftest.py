"""A data set with a record of four entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.record.audit_support import sign
from tests.support import make_case, signed, write_cases

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """«vieja» was signed before there was a record; then Ana signs uno and dos, and Luis signs dos again."""
    folder = tmp_path / "datos"
    folder.mkdir()
    path = write_cases(
        folder / "casos.jsonl",
        signed(make_case("vieja"), "Eva", "2026-01-02"),
        make_case("uno"),
        make_case("dos"),
        make_case("tres", split="test"),
    )
    for minute, (case_id, who, again) in enumerate(
        [("uno", "Ana", False), ("dos", "Ana", False), ("dos", "Luis", True)]
    ):
        sign(path, case_id, who, again=again, minute=minute)
    return path
