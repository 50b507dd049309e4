"""Aggregates of the reserved split that were shown: two that differ by one or two cases tell how those did.

Which cases an aggregate was of is noted in the user's own data folder, so that a look changes nothing beside
the data and works on a read-only checkout; it is a memory of one user on one machine and no lock.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.errors import ProductError, UsageError
from scoring.files import resolve
from scoring.jsonl import read

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

LEAST_STEP = 3
"""Cases by which two aggregates have to differ, if they differ at all."""
LEAST_CASES = 3
"""Counted cases of the reserved split below which no figure is given."""
_APPLICATION = "revision-clinica"
_MARK = 12


@dataclass(frozen=True, slots=True)
class Look:
    """One aggregate that was shown.

    Attributes:
        when: date and time, as written.
        cases: short digests of the ids that counted.
    """

    when: str
    cases: frozenset[str]


def looks_path(cases: Path, kind: str = "") -> Path:
    """Where the aggregates of a data set are noted: in the user's data folder, by the path of the set.

    Args:
        cases: the data set.
        kind: of the figures; those of one kind say nothing beside those of another.
    """
    import platformdirs

    named = hashlib.sha256(str(resolve(cases).absolute()).encode("utf-8", "surrogateescape")).hexdigest()
    folder = Path(platformdirs.user_data_path(_APPLICATION, appauthor=False)) / "test"
    return folder / f"{named[:16]}{f'-{kind}' if kind else ''}.jsonl"


def marks(ids: Iterable[str]) -> frozenset[str]:
    """Short digests of ids: what a look keeps of them."""
    return frozenset(hashlib.sha256(f"test-v1\n{one}".encode()).hexdigest()[:_MARK] for one in ids)


def earlier_looks(path: Path) -> tuple[Look, ...]:
    """The aggregates noted so far; a line that is no look is passed over, as is a file that is not there."""
    try:
        rows = read(path).rows
    except ProductError:
        return ()
    return tuple(
        Look(str(row.value.get("fecha", "")), frozenset(map(str, row.value["casos"])))
        for row in rows
        if isinstance(row.value.get("casos"), list)
    )


def too_near(looks: Iterable[Look], now: frozenset[str]) -> tuple[int, Look] | None:
    """The nearest earlier aggregate beside which this one would tell of single cases, and by how many.

    Every look counts and not only the last: two that lie far apart in time can be neighbours. An aggregate
    of the same cases was shown already and tells nothing new.

    Args:
        looks: what was shown so far.
        now: :func:`marks` of the cases that count now.
    """
    apart = ((len(look.cases ^ now), look) for look in looks)
    return min((one for one in apart if 0 < one[0] < LEAST_STEP), key=lambda one: one[0], default=None)


def check_step(looks: Iterable[Look], now: frozenset[str]) -> None:
    """Refuse an aggregate that differs by one or two cases from one that was shown.

    Raises:
        UsageError: which one, by how many, and what to do.
    """
    near = too_near(looks, now)
    if near is not None:
        raise UsageError("access.too_near", n=near[0], date=near[1].when or "?", step=LEAST_STEP)


def note(path: Path, looks: Iterable[Look], now: frozenset[str], when: datetime) -> None:
    """Note an aggregate, unless one of the same cases is there.

    Raises:
        OSError: it cannot be written.
    """
    if any(look.cases == now for look in looks):
        return
    entry: dict[str, Any] = {"fecha": when.isoformat(timespec="seconds"), "casos": sorted(now)}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as stream:
        size = stream.seek(0, 2)
        if size:
            stream.seek(size - 1)
            if stream.read(1) != b"\n":  # a line that an interruption left open
                stream.write(b"\n")
        stream.write(json.dumps(entry).encode() + b"\n")
