"""Verifying a record of adjudications: every break by its line, what deserves a look, and the tips to pin."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from scoring.adjudication.entries import Verdict
from scoring.people import similar_names
from scoring.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from scoring.adjudication.record import AdjudicationRecord

# A clock may be wrong; more than a day ahead is no difference of zones.
_AHEAD = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class RecordAudit:
    """What was found; without case ids, comments or values.

    Attributes:
        exists: there is a record.
        entries: its decisions, those superseded and taken back included.
        in_force: verdict -> decisions in force, whatever the rows say by now.
        conflicts: contents on which two branches decided differently.
        people: name -> decisions.
        tips: what ``--cabeza`` pins.
        breaks, notices: by line.
    """

    exists: bool
    entries: int
    in_force: Mapping[Verdict, int]
    conflicts: int
    people: Mapping[str, int]
    tips: tuple[str, ...]
    breaks: tuple[Problem, ...]
    notices: tuple[Problem, ...] = field(default=())


def audit(record: AdjudicationRecord, *, now: datetime, pins: Sequence[str] = ()) -> RecordAudit:
    """Verify a record.

    Args:
        record: the record, whatever is wrong with it.
        now: aware; decisions from the future are named.
        pins: digests that the record has to hold.
    """
    people: dict[str, int] = {}
    notices = list(record.notices)
    for entry in record.entries:
        people[entry.reviewer] = people.get(entry.reviewer, 0) + 1
        if entry.local_time() > now + _AHEAD:
            fields = {"moment": entry.utc}
            notices.append(Problem("audit.from_the_future", line=entry.line_number, fields=fields))
    names = sorted(people)
    for place, name in enumerate(names):
        notices += [
            Problem("adjudicated.alike", fields={"why": found.sentence()})
            for found in similar_names(name, names[:place])
        ]
    mode = _mode(record)
    if mode & 0o077:
        fields = {"path": str(record.path), "mode": f"{mode:04o}"}
        notices.append(Problem("adjudicated.readable_by_others", fields=fields))
    force: dict[Verdict, int] = dict.fromkeys(Verdict, 0)
    del force[Verdict.NONE]
    for subject in record.heads:
        found_entry = record.in_force(subject)
        if found_entry is not None:
            force[found_entry.verdict] += 1
    return RecordAudit(
        exists=record.exists,
        entries=len(record.entries),
        in_force=force,
        conflicts=sum(record.in_conflict(subject) for subject in record.heads),
        people=dict(sorted(people.items())),
        tips=record.tips,
        breaks=(*record.breaks, *_pins(record, pins)),
        notices=tuple(notices),
    )


def _mode(record: AdjudicationRecord) -> int:
    if not record.exists or os.name == "nt":
        return 0
    try:
        return stat.S_IMODE(record.path.stat().st_mode)
    except OSError:
        return 0


def _pins(record: AdjudicationRecord, pins: Sequence[str]) -> list[Problem]:
    missing = [pin for pin in dict.fromkeys(pins) if pin not in record.by_digest]
    if missing and not record.exists:
        return [Problem("audit.record_gone", fields={"digest": missing[0][:12], "n": len(missing)})]
    return [Problem("audit.pin_gone", fields={"digest": pin[:12]}) for pin in missing]
