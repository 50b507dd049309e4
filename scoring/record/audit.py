"""The audit of a data set: what holds together in data and record, what does not, and who vouches for what.

One function serves ``revision --auditar``, the status and the gate, so that none of them trusts what
another refuses. It is pure: it looks at a snapshot, and at what somebody else found out about the keys.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scoring.problems import Problem
from scoring.record.entry_checks import entry_breaks, entry_notices
from scoring.record.graph_checks import graph_breaks, misplaced, suspects
from scoring.record.intent import steps_under_way
from scoring.record.key_checks import key_findings
from scoring.record.missing import missing_cases
from scoring.record.reviews import is_review, sealed
from scoring.record.states import CaseState, Status
from scoring.record.stored_states import changed_states, may_mismatch
from scoring.record.trust import Trust, signatures_in_force, without_verified_key

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from scoring.record.journal import Record
    from scoring.record.key_checks import KeyCheck
    from scoring.record.snapshot import Snapshot
    from scoring.record.trust import Signature


@dataclass(frozen=True, slots=True)
class DataBreak(Problem):
    """Something in the data that contradicts a record which may itself be sound; ``line`` is of the data."""


@dataclass(frozen=True, slots=True)
class Step:
    """A save that has begun and not ended.

    Attributes:
        reviewer, process, host, utc: who was saving, as far as the intent says.
        case_ids: the cases it still has to write into the data.
        committed: its record line stands, so the next save finishes it; otherwise it never happened.
    """

    reviewer: str | None
    process: int | None
    host: str | None
    utc: str | None
    case_ids: tuple[str, ...]
    committed: bool


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit found.

    Attributes:
        path, record_path: the files looked at.
        exists: there is a record file.
        entries: how many entries it holds.
        tips: digests of its last entries: to be pinned.
        gate_counts: the gate counts what the record holds: nothing is broken in it by itself. Pinned tips
            and keys are this audit's alone.
        record_breaks: what is broken in the record; lines are those of the record.
        data_breaks: what in the data contradicts the record; lines are those of the data.
        notices: what deserves a look and breaks nothing.
        signatures: those in force, in file order.
        step: a save under way, or None.
        problems: how many problems the data have by themselves.
    """

    path: Path
    record_path: Path
    exists: bool
    entries: int
    tips: tuple[str, ...]
    gate_counts: bool
    record_breaks: tuple[Problem, ...]
    data_breaks: tuple[Problem, ...]
    notices: tuple[Problem, ...]
    signatures: tuple[Signature, ...]
    step: Step | None
    problems: int

    @property
    def breaks(self) -> tuple[Problem, ...]:
        """Everything that is broken."""
        return self.record_breaks + self.data_breaks

    def count(self, trust: Trust) -> int:
        """Signatures in force of that kind."""
        return sum(signature.trust is trust for signature in self.signatures)


def audit(
    snapshot: Snapshot,
    *,
    now: datetime,
    pins: Sequence[str] = (),
    keys: Mapping[str, KeyCheck] | None = None,
    require_keys: bool = False,
) -> Audit:
    """Verify record, data and what binds them.

    Args:
        snapshot: data and record of one moment.
        now: aware time, to tell moments that have not come yet.
        pins: digests that the record must still hold, full and in lower case.
        keys: entry digest -> what its key was found to be.
        require_keys: a signature that counts must be by a verified key.
    """
    record = snapshot.record
    signatures = signatures_in_force(snapshot, keys or {})
    faults = record_faults(record)
    by_key = key_findings(record, snapshot.states, keys or {})
    broken = [*faults, *_pins(record, pins), *by_key.breaks]
    if require_keys:
        broken += without_verified_key(signatures, snapshot, keys or {})
    step = _step(snapshot)
    return Audit(
        path=snapshot.path,
        record_path=record.path,
        exists=record.exists,
        entries=len(record.entries),
        tips=record.tips,
        gate_counts=not faults,
        record_breaks=tuple(broken),
        data_breaks=tuple(_data_breaks(snapshot)),
        notices=(*by_key.notices, *_notices(snapshot, step, now)),
        signatures=signatures,
        step=step,
        problems=len(snapshot.file.problems),
    )


def record_faults(record: Record) -> tuple[Problem, ...]:
    """Everything that is broken in the record by itself, by line."""
    found = [*record.breaks]
    for entry in record.entries:
        found += entry_breaks(entry)
    if record.breaks:
        found += suspects(record)
    else:
        found += graph_breaks(record)
        found += misplaced(record)[0]
    return tuple(sorted(found, key=lambda problem: problem.line or 0))


def gate_check(
    snapshot: Snapshot, nameable: Container[str]
) -> tuple[tuple[Problem, ...], Mapping[str, CaseState]]:
    """What withholds a verdict, and the states that the gate may go by.

    With a broken record no registered signature counts. Of a case that is not ``nameable`` (the reserved
    split) only the number is told. What is wrong with the data alone is a :class:`DataBreak`.
    """
    faults = record_faults(snapshot.record)
    states = snapshot.states
    if faults:
        states = changed_states(states, _not_counted)
    found = [*faults, *_data_breaks(snapshot)]
    open_ones = [problem for problem in found if problem.case_id is None or problem.case_id in nameable]
    hidden = len(found) - len(open_ones)
    if hidden:
        kind = Problem if faults else DataBreak
        open_ones.append(kind("audit.reserved", fields={"n": hidden}))
    return tuple(open_ones), states


def _not_counted(state: CaseState) -> CaseState:
    if state.status is not Status.FIRMADO or not state.registered:
        return state
    return replace(state, status=Status.DESCUADRADO, counts=False, reason="record.broken", fields={})


def _pins(record: Record, pins: Sequence[str]) -> list[Problem]:
    """Pinned entries that the record no longer holds."""
    missing = [pin for pin in dict.fromkeys(pins) if pin not in record.by_digest]
    if not missing:
        return []
    if not record.exists:
        return [Problem("audit.record_gone", fields={"digest": missing[0][:12], "n": len(missing)})]
    return [Problem("audit.pin_gone", fields={"digest": pin[:12]}) for pin in missing]


def _data_breaks(snapshot: Snapshot) -> list[Problem]:
    """Cases about which data and record contradict one another, and signed cases that are gone."""
    found: list[Problem] = []
    told: set[str] = set()
    candidates = may_mismatch(snapshot.states)
    for line, case_id, _ in snapshot.file.places:
        if case_id not in candidates or case_id in told:
            continue
        state = snapshot.states[case_id]
        # What a broken record takes with it is told once, by its breaks.
        if state.status is Status.DESCUADRADO and state.reason != "record.broken":
            told.add(case_id)
            found.append(DataBreak(state.reason, line=line, case_id=case_id, fields=state.fields))
    found += [
        DataBreak(gone.key, case_id=gone.case_id, fields=gone.fields) for gone in missing_cases(snapshot)
    ]
    return found


def _notices(snapshot: Snapshot, step: Step | None, now: datetime) -> list[Problem]:
    record = snapshot.record
    found = [*record.notices]
    for entry in record.entries:
        found += entry_notices(entry, now)
    if not record.breaks:
        found += misplaced(record)[1]
        found += _same_twice(record)
    found.sort(key=lambda problem: problem.line or 0)
    found += [
        Problem(state.reason, case_id=case_id, fields=state.fields)
        for case_id, state in snapshot.states.items()
        if state.status is Status.CADUCADO
    ]
    if step is not None:
        fields = {
            "reviewer": step.reviewer or "?",
            "utc": step.utc or "?",
            "ids": ", ".join(step.case_ids[:5]),
            "n": len(step.case_ids),
        }
        found.append(Problem(_step_key(step), fields=fields))
    if snapshot.file.problems:
        found.append(Problem("audit.data_problems", fields={"n": len(snapshot.file.problems)}))
    return found


def _same_twice(record: Record) -> list[Problem]:
    """Cases with one decision on two branches: a merge brought it twice, and it counts once."""
    return [
        Problem(
            "audit.same_decision_twice",
            line=heads[-1].line_number,
            case_id=case_id,
            fields={"other": heads[0].line_number},
        )
        for case_id, heads in record.heads.items()
        if len(heads) > 1 and len({(head.kind, head.writes) for head in heads}) == 1
        and not any(is_review(head, head.item(case_id)) for head in heads)
        and len({item.after for head in heads if (item := head.item(case_id))}) == 1
    ]  # fmt: skip


def _step(snapshot: Snapshot) -> Step | None:
    intent = snapshot.intent
    if intent is None:
        return None
    # In the snapshot the lines are already as they will be; on the disk they may not be.
    waiting = _waiting(snapshot)
    entry = snapshot.record.by_digest.get(intent.transaction)
    blind = entry is not None and any(
        entry.digest in sealed(snapshot.record, item.case_id) for item in entry.items
    )
    return Step(
        None if blind else intent.reviewer,
        None if blind else intent.process,
        None if blind else intent.host,
        None if blind else intent.utc,
        waiting,
        committed=intent.transaction in snapshot.record.by_digest,
    )


def _waiting(snapshot: Snapshot) -> tuple[str, ...]:
    from scoring.cases import case_file

    on_disk = case_file(snapshot.on_disk)
    return tuple(steps_under_way(on_disk, snapshot.record, snapshot.intent))


def _step_key(step: Step) -> str:
    if not step.committed:
        return "audit.step_never_was"
    return "audit.step_under_way" if step.case_ids else "audit.step_done"
