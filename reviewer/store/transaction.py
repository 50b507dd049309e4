"""One save, from the lock to the last flush; and the end of one that was interrupted.

Order: intent, record line, data line, intent removed. Killed anywhere, the data are the old version or
the new one, and the intent tells the next writer (and every reader) which of both is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import scoring
from reviewer.store.journal import (
    Appended,
    append,
    remove_quietly,
    set_aside_torn,
    to_append,
    write_confirmed,
)
from reviewer.store.lock import WAIT_SECONDS, locked, this_process
from scoring.cases import load_cases
from scoring.errors import ConflictError, IntegrityError, ProductError, UsageError, WriteError, system_reason
from scoring.files import (
    prepared,
    remove_leftovers,
    require_writable,
    resolve,
    sync_folder,
    write_error,
)
from scoring.jsonl import read_bytes
from scoring.problems import Problem
from scoring.record import (
    CaseItem,
    Intent,
    IntentLine,
    Snapshot,
    Transaction,
    adopt,
    clock,
    content_digest,
    entry_digest,
    intent_path,
    line_digest,
    load_intent,
    load_record,
    record_path,
    replace_lines,
    steps_under_way,
    take_snapshot,
    torn_path,
    with_signature,
)
from scoring.record.audit import record_faults
from scoring.record.entries import MAX_RECORD_LINE_BYTES
from scoring.record.lines import local_time
from scoring.record.paths import torn_intent_path

if TYPE_CHECKING:
    from pathlib import Path

    from reviewer.store.plan import LineChange, Plan

Planner = Callable[[Snapshot], "Plan"]
_TOLD = "%Y-%m-%d %H:%M:%S"
# How often a key is asked again because somebody else saved while it was signing.
_KEY_TRIES = 5


@dataclass(frozen=True, slots=True)
class Saved:
    """A save that is on the disk: digest of its record line, the cases, what the person should know."""

    transaction: str
    case_ids: tuple[str, ...]
    notices: tuple[Problem, ...]


def save(path: Path, planner: Planner, known: Snapshot, *, wait: float = WAIT_SECONDS) -> Saved:
    """Carry out what ``planner`` makes of the data set as it is under the lock.

    Every refusal comes before the first write: the planner is asked once without the lock, so that a
    wrong request leaves no lock file either, and again under it, because the answer may have changed.

    Args:
        path: the data set.
        planner: makes the plan of a snapshot, or refuses.
        known: an earlier reading, which spares another if nothing was written since. The bytes are
            compared before anything is replaced.
        wait: seconds to wait for the lock.

    Raises:
        ProductError: what the planner refuses.
        IntegrityError: the record is damaged.
        ConflictError: locked, or changed by somebody who does not lock.
        WriteError: the disk refused; the old data stand whole and the record verifies.
        ProductError: what the key's signer refuses; nothing was written then.
    """
    known = take_snapshot(path, known)
    plan = planner(_sound(known))
    target = resolve(path)
    require_writable(target)
    require_writable(record_path(path))
    notices: tuple[Problem, ...] = ()
    for _ in range(_KEY_TRIES):
        # Not under the lock: somebody may be typing a passphrase.
        sealed = _sealed(known, plan)
        with locked(path, wait):
            for written in (target, record_path(path), intent_path(path)):
                remove_leftovers(written)
            notices += finish_interrupted(path)
            snapshot = _sound(take_snapshot(path, known))
            plan = planner(snapshot)
            if snapshot.record.torn:
                set_aside_torn(snapshot.record, torn_path(path), target)
                notices += (Problem("store.torn_set_aside", fields={"path": torn_path(path)}),)
                snapshot = take_snapshot(path)
                plan = planner(snapshot)
            lines, more = _record_lines(snapshot, plan)
            if sealed is None or sealed[0] == lines[-1]:
                if sealed is not None:
                    lines[-1] = with_signature(*sealed)
                return _commit(path, snapshot, plan, lines, notices + more)
        # The key signed a record that somebody else has continued meanwhile.
        known = snapshot
    raise ConflictError("record.never_still", path=path)


def _sealed(snapshot: Snapshot, plan: Plan) -> tuple[bytes, str] | None:
    """The record line as it will be without a key, and the key's signature of it; None without a key."""
    if plan.signer is None:
        return None
    message = _record_lines(snapshot, plan)[0][-1]
    _require_size(message)
    return message, plan.signer(message)


def _require_size(line: bytes) -> None:
    if len(line) > MAX_RECORD_LINE_BYTES:
        raise UsageError("store.batch_too_large", limit=MAX_RECORD_LINE_BYTES)


def _sound(snapshot: Snapshot) -> Snapshot:
    """Refuse a damaged record: nothing is added to what cannot be trusted."""
    breaks = snapshot.record.breaks or record_faults(snapshot.record)
    if breaks:
        raise IntegrityError(
            "store.record_broken", path=snapshot.record.path, n=len(breaks), first=breaks[0].sentence()
        )
    return snapshot


def _commit(
    path: Path, snapshot: Snapshot, plan: Plan, lines: list[bytes], notices: tuple[Problem, ...]
) -> Saved:
    target, record = resolve(path), snapshot.record
    _require_size(lines[-1])
    digest = entry_digest(lines[-1])
    after = {change.case_id: change.after for change in plan.changes}
    data = replace_lines(snapshot.file, after)
    intent = _intent(plan, digest)
    saved = Saved(digest, tuple(change.case_id for change in plan.changes), notices)
    try:
        # The new data are on the disk before anything is promised: a full disk shows here.
        with prepared(target, data) as temporary:
            appended = to_append(record, lines)
            try:
                _require_unchanged(path, snapshot.disk)
                write_confirmed(intent_path(path), intent.encode(), target)
                append(appended, snapshot.identity[1], target)
                _require_unchanged(path, snapshot.disk)
                temporary.replace(target)
            except BaseException:
                # An interruption may come just after the rename: then all is done but the tidying.
                if data == snapshot.disk or not _holds(target, data):
                    _undo(path, appended, digest)
                raise
    except OSError as error:
        raise write_error(path, error) from None
    try:
        sync_folder(target.parent)
    except OSError as error:
        # The intent stays: if the rename did not last, the next writer repeats it.
        raise WriteError("store.unsure", path=path, reason=system_reason(error)) from None
    remove_quietly(intent_path(path))
    return saved


def _holds(target: Path, data: bytes) -> bool:
    try:
        return target.read_bytes() == data
    except OSError:
        return False


def _undo(path: Path, appended: Appended, digest: str) -> None:
    """Take back a save that could not be completed.

    Raises:
        WriteError: the record line stands and could not be removed; the intent stays with it, so that
            the next writer completes the save.
    """
    if not appended.take_back():
        try:
            committed = digest in load_record(path).by_digest
        except ProductError:
            committed = True
        if committed:
            raise WriteError("store.half_saved", path=path) from None
    remove_quietly(intent_path(path))


def _require_unchanged(path: Path, data: bytes) -> None:
    """The last look before a replace: somebody may write without taking the lock (an editor, git)."""
    if read_bytes(path) != data:
        raise ConflictError("store.changed_meanwhile", path=path)


def _record_lines(snapshot: Snapshot, plan: Plan) -> tuple[list[bytes], tuple[Problem, ...]]:
    """The stored lines of this save, adoption first, the transaction last; and what to tell about them."""
    record = snapshot.record
    notices: list[Problem] = []
    lines: list[bytes] = []
    heads = dict(record.heads)
    tips = record.tips
    if not record.exists:
        adoption = adopt(snapshot.file)
        lines.extend(adoption.lines)
        heads = {case_id: (entry,) for case_id, entry in adoption.entries.items()}
        tips = adoption.tips
        if adoption.entries:
            notices.append(Problem("store.adopted", fields={"n": len(adoption.entries)}))
        signing_now = {change.case_id for change in plan.changes}
        left_out = [case_id for case_id in adoption.left_out if case_id not in signing_now]
        if left_out:
            ids = ", ".join(left_out[:5])
            notices.append(Problem("store.left_out", fields={"n": len(left_out), "ids": ids}))
    utc, offset = clock(plan.moment)
    last = max((entry.utc or "" for entry in record.entries), default="")
    if utc < last:
        here, there = plan.moment, local_time(last, offset)
        told = {"moment": f"{here:{_TOLD}}", "before": f"{there:{_TOLD}}"}
        notices.append(Problem("store.clock_behind", fields=told))
    items = tuple(
        CaseItem(
            case_id=change.case_id,
            before=content_digest(change.before),
            after=content_digest(change.after),
            line_before=line_digest(change.before),
            line=line_digest(change.after),
            previous=tuple(entry.digest for entry in heads.get(change.case_id, ())),
            text=change.after.decode("utf-8"),
            text_before=_text_before(change, heads.get(change.case_id, ())),
            opinion=change.opinion,
        )
        for change in plan.changes
    )
    entry = Transaction(
        kind=plan.kind,
        items=items,
        tips=tips,
        writes=plan.writes,
        reviewer=plan.reviewer,
        role=plan.role,
        meaning=plan.meaning,
        reason=plan.reason,
        utc=utc,
        offset=offset,
        tool=scoring.__version__,
        way=plan.way,
    )
    return [*lines, entry.encode()], tuple(notices)


def _text_before(change: LineChange, follows: Sequence[Transaction]) -> str | None:
    """The line as it was before a correction, unless an entry that this one follows holds that content."""
    before = content_digest(change.before)
    if before == content_digest(change.after):
        return None
    items = [entry.item(change.case_id) for entry in follows]
    if any(item is not None and item.text is not None and item.after == before for item in items):
        return None
    return change.before.decode("utf-8")


def _intent(plan: Plan, digest: str) -> Intent:
    process, host = this_process()
    return Intent(
        transaction=digest,
        lines=tuple(
            IntentLine(change.case_id, line_digest(change.before), line_digest(change.after), change.after)
            for change in plan.changes
        ),
        reviewer=plan.reviewer,
        process=process,
        host=host,
        utc=clock(plan.moment)[0],
    )


def finish_interrupted(path: Path) -> tuple[Problem, ...]:
    """Finish or drop a save that was interrupted. Call it under the lock.

    The data line is written only if the record holds the transaction that the intent names and the line
    still has the digest from before it; other lines are left for a person («descuadrado»). A save whose
    record line is missing never happened. A damaged record is left alone, with the intent.

    Raises:
        WriteError: the data could not be written; the intent stays.
        ConflictError: the data changed at that moment; the intent stays.
    """
    intent = load_intent(path)
    if intent is None:
        return ()
    record = load_record(path)
    if record.breaks:
        return ()
    place = intent_path(path)
    if not intent.transaction:
        try:
            place.replace(torn_intent_path(path))
        except OSError as error:
            raise write_error(place, error) from None
        return (Problem("store.strange_intent", fields={"path": place}),)
    file = load_cases(path)
    steps = steps_under_way(file, record, intent)
    notices: tuple[Problem, ...] = ()
    if steps:
        target = resolve(path)
        try:
            with prepared(target, replace_lines(file, steps)) as temporary:
                _require_unchanged(path, file.document.data)
                temporary.replace(target)
            sync_folder(target.parent)
        except OSError as error:
            raise write_error(path, error) from None
        fields = {"ids": ", ".join(list(steps)[:5]), "n": len(steps), "reviewer": intent.reviewer or "?"}
        notices = (Problem("store.finished", fields=fields),)
    remove_quietly(place)
    return notices
