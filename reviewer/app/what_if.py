"""What the gate would say if pending cases were signed: a preview, never counted. No Textual.

Case by case only for the open split. Of the reserved one there is a single figure, all its cases together,
and only beside an aggregate that somebody asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from reviewer.review_queue import AWAITING
from scoring.clinical.report import RESERVED_SPLIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reviewer.store import Entry
    from scoring.clinical.standing import Standing


class Which(StrEnum):
    """Which pending cases a preview is about; the value is the catalogue key of its words."""

    ALL = "all"
    SHOWN = "shown"
    BATCH = "batch"


@dataclass(frozen=True, slots=True)
class Group:
    """Pending cases of the open split.

    Attributes:
        which: how they were chosen.
        ids: the cases, in file order.
        name: of the batch; empty otherwise.
    """

    which: Which
    ids: tuple[str, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """What the gate says of the open split now, and would say with the cases of ``group`` signed.

    Attributes:
        group: which cases.
        before: now.
        after: with them signed.
        unpredicted: how many of them have no prediction and would score as empty.
    """

    group: Group
    before: Standing
    after: Standing
    unpredicted: int = 0


def pending_groups(entries: Sequence[Entry], shown: Iterable[str]) -> tuple[Group, ...]:
    """All pending cases of the open split, those of the list on the screen, and each batch.

    The list on the screen and the batches are left out where they would say nothing else than «all».

    Args:
        entries: of the data set, in file order.
        shown: ids of the list on the screen.
    """
    pending = [
        entry
        for entry in entries
        if entry.id and entry.case.split != RESERVED_SPLIT and entry.state.status in AWAITING
    ]
    if not pending:
        return ()
    ids = tuple(entry.id for entry in pending)
    groups = [Group(Which.ALL, ids)]
    on_screen = set(shown)
    listed = tuple(case_id for case_id in ids if case_id in on_screen)
    if listed and listed != ids:
        groups.append(Group(Which.SHOWN, listed))
    batches: dict[str, list[str]] = {}
    for entry in pending:
        batches.setdefault((entry.case.tanda or "").strip(), []).append(entry.id)
    if len(batches) > 1:
        groups += [Group(Which.BATCH, tuple(mine), name) for name, mine in sorted(batches.items())]
    return tuple(groups)
