"""Writing a decision into the record of adjudications: one line, one flush, or nothing.

The append is the commit. Under the lock the record is read again, so that a decision supersedes exactly
what stands, and one that somebody else has overtaken is refused instead of winning by being late.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import scoring
from reviewer.decisions.common import check_reason, check_reviewer
from reviewer.store.journal import append, set_aside_torn, to_append
from reviewer.store.lock import WAIT_SECONDS, holding
from scoring.adjudication.entries import NEEDS_COMMENT, Entry, Kind, Verdict, parse_entry
from scoring.adjudication.record import AdjudicationRecord, load_record, lock_path, require_sound, torn_path
from scoring.errors import ConflictError, IntegrityError, ProductError, UsageError, WriteError
from scoring.files import identity, remove_leftovers, require_writable, resolve
from scoring.record import clock, entry_digest
from scoring.record.lines import EntryError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from scoring.adjudication.entries import Subject


@dataclass(frozen=True, slots=True)
class NewDecision:
    """What a person decided, before it is written.

    Attributes:
        kind, subject: what it is about: the digests of what the person read.
        case_id: of the row; None for a chain.
        field_id: the field.
        verdict, comment: the decision.
        reviewer: the person.
        moment: aware local time.
        source: name of the file of chains; None for a row.
        seen: the decisions on this content that the person knew of, by digest.
        way: ``app`` or ``cli``.
    """

    kind: Kind
    subject: Subject = field(repr=False)
    field_id: str
    verdict: Verdict
    reviewer: str
    moment: datetime
    case_id: str | None = field(default=None, repr=False)
    comment: str = field(default="", repr=False)
    source: str | None = field(default=None, repr=False)
    seen: tuple[str, ...] = ()
    way: str = "app"


@dataclass(frozen=True, slots=True)
class Recorded:
    """The entry on the disk, the record with it, and whether it had been there already."""

    entry: Entry
    record: AdjudicationRecord
    already: bool = False


def check_comment(verdict: Verdict, comment: str) -> str:
    """The comment as it is recorded.

    A decision against the gold or against a chain needs a reason; the others may have one.

    Raises:
        UsageError: as :func:`reviewer.decisions.common.check_reason`.
    """
    if verdict in NEEDS_COMMENT or comment.strip():
        return check_reason(comment)
    return ""


def record_decision(
    path: Path,
    decision: NewDecision,
    known: AdjudicationRecord | None = None,
    *,
    wait: float = WAIT_SECONDS,
) -> Recorded:
    """Append a decision; on the disk when this returns.

    The same decision by the same person on the same content is recorded once, however often it is sent.

    Args:
        path: the record; made, for its owner alone, if it is not there.
        decision: what to write.
        known: an earlier reading. A record that lacks an entry of it was cut or replaced.
        wait: seconds to wait for the lock.

    Raises:
        UsageError: the name or the comment cannot be recorded.
        IntegrityError: the record was altered; nothing was added.
        ConflictError: locked, or somebody decided on this content meanwhile.
        WriteError: the disk refused; the record is as it was.
    """
    decision = replace(
        decision,
        reviewer=check_reviewer(decision.reviewer),
        comment=check_comment(decision.verdict, decision.comment),
    )
    path = resolve(path)
    require_writable(path)
    with holding(lock_path(path), 0o600, wait, lambda: ConflictError("adjudicating.locked", path=path)):
        remove_leftovers(path)
        record = _read(path, known)
        heads = record.heads.get(decision.subject, ())
        said = (decision.verdict, decision.comment, decision.reviewer)
        if len(heads) == 1 and heads[0].says == said:
            return Recorded(heads[0], record, already=True)
        _refuse_overtaken(decision, heads)
        if record.torn:
            set_aside_torn(record, torn_path(path), None)
            record = _read(path, record)
        line = _readable(_entry(decision, heads, record.tips))
        return _append(path, record, line)


def _refuse_overtaken(decision: NewDecision, heads: Sequence[Entry]) -> None:
    """Refuse what the record as it stands leaves no room for.

    Raises:
        ConflictError: nothing is left to take back, or somebody decided on this content meanwhile.
    """
    if decision.verdict is Verdict.NONE and not any(head.verdict is not Verdict.NONE for head in heads):
        raise ConflictError("adjudicating.nothing_to_undo")
    overtaken = [head for head in heads if head.digest not in decision.seen]
    if overtaken:
        raise ConflictError(
            "adjudicating.overtaken",
            reviewer=overtaken[0].reviewer,
            moment=f"{overtaken[0].local_time():%Y-%m-%d %H:%M}",
        )


def _entry(decision: NewDecision, heads: Sequence[Entry], tips: tuple[str, ...]) -> Entry:
    """The entry of a decision that supersedes ``heads`` and follows ``tips``."""
    utc, offset = clock(decision.moment)
    is_row = decision.kind is Kind.ROW
    return Entry(
        kind=decision.kind,
        case_id=decision.case_id,
        field_id=decision.field_id,
        gold=decision.subject[0] if is_row else None,
        output=decision.subject[1] if is_row else None,
        chain=None if is_row else decision.subject[0],
        source=decision.source,
        verdict=decision.verdict,
        comment=decision.comment,
        previous=tuple(sorted(head.digest for head in heads)),
        tips=tips,
        reviewer=decision.reviewer,
        utc=utc,
        offset=offset,
        tool=scoring.__version__,
        way=decision.way,
    )


def _append(path: Path, record: AdjudicationRecord, line: bytes) -> Recorded:
    """Put ``line`` at the end of ``record``, or leave the record as it was. Call it under the lock.

    Raises:
        ConflictError: somebody wrote the record without taking the lock.
        WriteError: the disk refused; says so where the line may be on the disk all the same.
    """
    seen = identity(path)
    appended = to_append(record, [line])
    try:
        append(appended, seen, None)
    except BaseException as error:
        if not appended.take_back() and _may_hold(path, entry_digest(line)):
            raise WriteError("adjudicating.unsure", path=path) from error
        raise
    try:
        after = _read(path, record)
        return Recorded(after.by_digest[entry_digest(line)], after)
    except (ProductError, KeyError):
        raise WriteError("adjudicating.unsure", path=path) from None


def _read(path: Path, known: AdjudicationRecord | None) -> AdjudicationRecord:
    record = load_record(path, known)
    require_sound(record)
    if known is not None and not known.by_digest.keys() <= record.by_digest.keys():
        raise IntegrityError("adjudicating.record_cut", path=path)
    return record


def _readable(entry: Entry) -> bytes:
    """The line of an entry; one that could not be read back would take the whole record with it."""
    line = b""
    wrong = "?"
    try:
        line = entry.encode()
        parse_entry(line, 0)
        wrong = ""
    except UnicodeEncodeError:
        pass
    except EntryError as error:
        wrong = str(error.fields.get("field", wrong))
    if wrong:
        del entry, line
        raise UsageError("adjudicating.not_recordable", field=wrong)
    return line


def _may_hold(path: Path, digest: str) -> bool:
    try:
        return digest in load_record(path).by_digest
    except ProductError:
        return True
