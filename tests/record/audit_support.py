"""A data set whose record the tests look at, and change."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from reviewer.signing import Sign
from reviewer.store import Dataset
from scoring.record import (
    record_path,
    take_snapshot,
)
from scoring.record.audit import Audit, audit

if TYPE_CHECKING:
    from pathlib import Path


NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
Line = bytes


def sign(path: Path, case_id: str, who: str, *, again: bool = False, minute: int = 0) -> None:
    moment = NOW - timedelta(hours=2) + timedelta(minutes=minute)
    Dataset.open(path).apply(Sign((case_id,), who, resign=again, way="cli"), moment=moment)


def look(path: Path, pins: tuple[str, ...] = ()) -> Audit:
    """An audit; it wrote nothing."""
    before = {p.name: p.read_bytes() for p in path.parent.iterdir() if p.is_file()}
    found = audit(take_snapshot(path), now=NOW, pins=pins)
    assert {p.name: p.read_bytes() for p in path.parent.iterdir() if p.is_file()} == before
    for problem in (*found.breaks, *found.notices):
        assert problem.sentence()
    return found


def lines_of(path: Path) -> list[Line]:
    return record_path(path).read_bytes().splitlines()


def put(path: Path, lines: list[Line]) -> None:
    record_path(path).write_bytes(b"".join(line + b"\n" for line in lines))


def codes(found: Audit) -> set[str]:
    return {problem.code for problem in found.breaks}


def dump(value: dict[str, object]) -> Line:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
