"""What one entry must fulfil by itself: that its members tell one story.

The program writes name, date, content and line of a signature from the same values. Whoever alters the
last entry of a record by hand, where no later one misses it, has to alter all of them alike.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from scoring.problems import Problem
from scoring.record.content import content_digest
from scoring.record.entries import Kind, signed_bytes
from scoring.record.lines import EntryError
from scoring.record.opinion import target_digest
from scoring.strict_json import StrictJSONError, loads

if TYPE_CHECKING:
    from datetime import datetime

    from scoring.record.entries import CaseItem, SignatureKeys, Transaction

_KEEP_CONTENT = frozenset({Kind.FIRMA, Kind.RETIRA, Kind.DEVUELVE, Kind.NOTA})
# A clock may be wrong; more than a day ahead is no difference of zones.
_AHEAD = timedelta(days=1)


# Entries found in order, by digest: the digest is that of every byte, so they stay so.
_in_order: set[str] = set()
_MAX_REMEMBERED = 1 << 18


def entry_breaks(entry: Transaction) -> list[Problem]:
    """What in this entry the program can never have written."""
    if entry.digest in _in_order:
        return []
    found = _all_breaks(entry)
    if not found and entry.digest:
        if len(_in_order) >= _MAX_REMEMBERED:
            _in_order.clear()
        _in_order.add(entry.digest)
    return found


def _all_breaks(entry: Transaction) -> list[Problem]:
    found = _adoption(entry) if entry.kind is Kind.ADOPTA else _decision(entry)
    for item in entry.items:
        found += _item(entry, item)
    if entry.has_key:
        try:
            signed_bytes(entry.raw)
        except EntryError as error:
            found.append(Problem(error.key, line=entry.line_number, fields=error.fields))
    return found


def entry_notices(entry: Transaction, now: datetime) -> list[Problem]:
    """What deserves a look: a moment that has not come yet."""
    moment = entry.local_time()
    if moment is None or moment <= now + _AHEAD:
        return []
    return [Problem("audit.from_the_future", line=entry.line_number, fields={"moment": entry.utc or ""})]


def _decision(entry: Transaction) -> list[Problem]:
    found: list[Problem] = []
    if not (entry.reviewer or "").strip():
        found.append(Problem("audit.nobody", line=entry.line_number))
    keys = entry.writes
    if entry.kind is Kind.FIRMA and keys is not None:
        if keys.revisor != entry.reviewer:
            fields = {"reviewer": entry.reviewer or "", "other": keys.revisor or ""}
            found.append(Problem("audit.other_name", line=entry.line_number, fields=fields))
        moment = entry.local_time()
        date = moment.date().isoformat() if moment else ""
        if keys.fecha_validacion != date:
            fields = {"date": date, "other": keys.fecha_validacion or ""}
            found.append(Problem("audit.other_date", line=entry.line_number, fields=fields))
    if keys is not None and not keys.validado and (keys.revisor or keys.fecha_validacion):
        found.append(Problem("record.bad_entry", line=entry.line_number, fields={"field": "escribe"}))
    return found


def _adoption(entry: Transaction) -> list[Problem]:
    """Adoptions have no clock, no history and one case, or gather others and have none."""
    keys = entry.writes
    timeless = (entry.utc, entry.offset, entry.tool, entry.way, entry.role, entry.meaning, entry.reason)
    if entry.items:
        item = entry.items[0]
        proper = (
            len(entry.items) == 1
            and not entry.tips
            and not item.previous
            and item.before is None
            and item.line_before is None
            and keys is not None
            and keys.revisor == entry.reviewer
        )
    else:
        proper = bool(entry.tips) and entry.reviewer is None and keys is None
    if proper and not any(timeless) and not entry.has_key:
        return []
    return [Problem("audit.strange_adoption", line=entry.line_number)]


def _item(entry: Transaction, item: CaseItem) -> list[Problem]:
    def at(key: str, **fields: object) -> Problem:
        return Problem(key, line=entry.line_number, case_id=item.case_id, fields=fields)

    found: list[Problem] = []
    if entry.kind in _KEEP_CONTENT and item.before != item.after:
        found.append(at("audit.content_moved"))
    if item.text_before is not None and not _is_content(item.text_before, item.before):
        found.append(at("audit.other_content"))
    if item.text is None:
        return found
    try:
        line = loads(item.text.encode("utf-8"))
        same = isinstance(line, dict) and content_digest(item.text.encode("utf-8")) == item.after
    except StrictJSONError:
        return [*found, at("audit.text_unreadable")]
    if not same:
        return [*found, at("audit.other_content")]
    if line.get("id") != item.case_id:
        return [*found, at("audit.copied", other=str(line.get("id")))]
    if entry.writes is not None and not _same_keys(line, entry.writes):
        found.append(at("audit.other_keys"))
    if item.opinion is not None:
        target = target_digest(item.text, item.opinion)
        if target is None or (entry.writes is not None and target != item.after):
            found.append(at("second.opinion_strange"))
    return found


def _is_content(text: str, digest: str | None) -> bool:
    try:
        return content_digest(text.encode("utf-8")) == digest
    except StrictJSONError:
        return False


def _same_keys(line: dict[str, object], keys: SignatureKeys) -> bool:
    return (
        line.get("validado") is keys.validado
        and line.get("revisor") == keys.revisor
        and line.get("fecha_validacion") == keys.fecha_validacion
    )
