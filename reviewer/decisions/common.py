"""What every decision asks before it is carried out: a person, a reason, real cases, lines that were read."""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

from reviewer.store.dataset import unknown_id
from scoring.cases import MAX_TEXT
from scoring.errors import ConflictError, DataError, IntegrityError, UsageError
from scoring.plain import has_stand_in, plain
from scoring.record import SignatureKeys, Status, reads_alike
from scoring.record.entries import MAX_BATCH, WAYS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scoring.cases import CaseRow
    from scoring.problems import Problem
    from scoring.record import CaseState, Snapshot

MAX_NAME = 120
MIN_REASON = 3
"""Letters or digits that a reason has at least; two of them differ."""
# Decomposed accents shrink when composed; beyond this no composition can bring a name under the limit.
_MAX_TYPED = 8 * MAX_NAME
_SHOWN = 5

UNSIGNED = SignatureKeys(validado=False, revisor=None, fecha_validacion=None)
"""What a line without a signature says."""


def check_reviewer(name: str) -> str:
    """The name as the record keeps it: composed (NFC) and without blanks at its ends.

    Raises:
        UsageError: blank, longer than 120 characters, without any letter or digit, or holding a
            character that cannot be seen (control, bidi, zero width, half a character, odd blanks), or
            the stand-in that a line to type in puts in its place.
    """
    if len(name) > _MAX_TYPED:
        raise UsageError("signing.reviewer_too_long", length=len(name), limit=MAX_NAME)
    kept = unicodedata.normalize("NFC", name).strip()
    if not kept:
        raise UsageError("signing.no_reviewer")
    if not kept.isprintable() or plain(kept) != kept or has_stand_in(kept):
        raise UsageError("signing.reviewer_unprintable", found=kept)
    if len(kept) > MAX_NAME:
        raise UsageError("signing.reviewer_too_long", length=len(kept), limit=MAX_NAME)
    if not any(char.isalnum() for char in kept):
        raise UsageError("signing.reviewer_no_name", found=kept)
    return kept


def check_reason(reason: str) -> str:
    """The reason as the record keeps it: composed (NFC), without blanks at its ends; line feeds may stay.

    A real reason has at least three letters or digits, and not all the same: neither blanks nor a dot
    nor «xxx» tells a colleague anything.

    Raises:
        UsageError: blank, too short, longer than 20,000 characters, or holding characters that cannot
            be seen.
    """
    if len(reason) > MAX_TEXT:
        raise UsageError("deciding.reason_too_long", length=len(reason), limit=MAX_TEXT)
    kept = unicodedata.normalize("NFC", reason.replace("\r\n", "\n")).strip()
    if not kept:
        raise UsageError("deciding.no_reason")
    if len(kept) > MAX_TEXT:  # composing makes some characters two or three
        raise UsageError("deciding.reason_too_long", length=len(kept), limit=MAX_TEXT)
    if plain(kept, multiline=True) != kept:
        raise UsageError("deciding.reason_unprintable", found=kept)
    letters = [char for char in kept.casefold() if char.isalnum()]
    if len(letters) < MIN_REASON or len(set(letters)) < 2:
        raise UsageError("deciding.reason_too_short", found=kept, limit=MIN_REASON)
    return kept


def check_role(role: str | None) -> str | None:
    """What the person is, in the form of a name; None stays None."""
    return None if role is None else check_reviewer(role)


def check_ids(ids: Sequence[str], way: str) -> None:
    """Refuse a decision about nothing, about too much at once, or about one case twice."""
    if not ids:
        raise UsageError("signing.no_ids")
    if len(ids) > MAX_BATCH:
        raise UsageError("signing.too_many", n=len(ids), limit=MAX_BATCH)
    twice = [case_id for case_id, times in Counter(ids).items() if times > 1]
    if twice:
        raise UsageError("signing.id_twice", ids=listed(twice))
    if way not in WAYS:
        raise ValueError(f"way must be one of {WAYS}")


def listed(ids: Sequence[str]) -> str:
    """The first ids for a sentence, and how many more there are."""
    more = f" … (+{len(ids) - _SHOWN})" if len(ids) > _SHOWN else ""
    return ", ".join(ids[:_SHOWN]) + more


def find_rows(ids: Sequence[str], snapshot: Snapshot) -> list[CaseRow]:
    """The rows of the ids, in file order, each unique.

    Raises:
        UsageError: an id that no case has.
        DataError: an id on several lines.
    """
    found: dict[str, list[CaseRow]] = {}
    for row in snapshot.file.rows:
        if row.case.id:
            found.setdefault(row.case.id, []).append(row)
    for case_id in ids:
        if case_id not in found:
            if snapshot.file.document.problems:
                n = len(snapshot.file.document.problems)
                raise UsageError("signing.unknown_id_broken_lines", id=case_id, n=n)
            raise unknown_id(case_id, found)
    repeated = [problem for case_id in ids for problem in _repetition(found[case_id])]
    if repeated:
        raise DataError(
            "signing.repeated_id", problems=repeated, n=len(repeated), first=repeated[0].sentence()
        )
    wanted = set(ids)
    return [row for row in snapshot.file.rows if row.case.id in wanted]


def _repetition(rows: Sequence[CaseRow]) -> list[Problem]:
    return [problem for row in rows[1:] for problem in row.problems if problem.key == "cases.duplicate_id"]


def refuse_mismatched(states: Sequence[CaseState], key: str = "deciding.mismatch") -> None:
    """Refuse cases about which record and data contradict one another.

    Raises:
        IntegrityError: names the first of them and why.
    """
    mismatched = [state for state in states if state.status is Status.DESCUADRADO]
    if mismatched:
        raise IntegrityError(key, id=mismatched[0].case_id, why=mismatched[0].sentence())


def require_as_read(rows: Sequence[CaseRow], expected: Mapping[str, bytes], own: Mapping[str, bytes]) -> None:
    """Refuse cases that no longer say what the person read; another order or spelling says the same.

    Args:
        rows: the cases decided about, as they are now.
        expected: id -> line of the data set the decision is applied to.
        own: id -> line that the decision itself says was read, which goes first.

    Raises:
        ConflictError: names them; nothing was written.
    """
    stale: list[str] = []
    for row in rows:
        read = own.get(row.case.id, expected.get(row.case.id))
        if read is not None and not reads_alike(read, row.row.line.raw):
            stale.append(row.case.id)
    if stale:
        raise ConflictError("signing.changed_since_read", n=len(stale), ids=listed(stale))
