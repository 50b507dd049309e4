"""Signed cases that the record knows and the data do not hold any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.problems import Problem
from scoring.record.reviews import standing

if TYPE_CHECKING:
    from scoring.record.snapshot import Snapshot


def missing_cases(snapshot: Snapshot) -> tuple[Problem, ...]:
    """A problem, with its case, for each signature in force whose case has no line in the data.

    A line that cannot be read may be that of such a case; the sentence says so then.
    """
    record = snapshot.record
    gone = set(record.heads)
    if gone:
        gone.difference_update(place.case_id for place in snapshot.file.places)
    unreadable = len(snapshot.file.document.problems)
    key = "audit.case_gone_or_unreadable" if unreadable else "audit.case_gone"
    found: list[Problem] = []
    for case_id in sorted(gone):
        signed = [entry for entry in standing(record, case_id) if entry.writes and entry.writes.validado]
        if signed and signed[0].writes is not None:
            fields = {"reviewer": signed[0].writes.revisor or "?", "n": unreadable}
            found.append(Problem(key, case_id=case_id, fields=fields))
    return tuple(found)
