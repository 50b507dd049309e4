"""The history of one case: every decision about it, and what its content did in between.

A value that any view can show; it reads what ``Dataset`` holds and decides nothing. The record keeps the
line each decision was about, so an old signature can be read, and compared, for ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reviewer.changes import changes_between
from reviewer.store.dataset import unknown_id
from scoring.record import Kind, content_digest
from scoring.record.reviews import is_review, sealed, standing
from scoring.record.trust import Trust, trust_of
from scoring.strict_json import StrictJSONError

if TYPE_CHECKING:
    from reviewer.changes import Change
    from reviewer.store import Dataset
    from scoring.problems import Problem
    from scoring.record import CaseItem, CaseState, Record, Transaction


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One decision about the case.

    Attributes:
        entry: the record line; its ``digest`` is its name.
        item: what it says of this case.
        trust: by name, by key, or adopted.
        in_force: no later decision of this case stands over it.
        moved_before: the content was edited, outside any decision, since the entry it follows.
        moved: the fields that were edited so; empty when a line was not kept.
        changes: the fields that the decision itself changed; empty when it changed none, or when a line
            was not kept.
        clock_back: its time is before that of a decision it follows; the order is known all the same.
        voids_review: a withdrawal of reviews that had signed nothing yet.
    """

    entry: Transaction
    item: CaseItem
    trust: Trust
    in_force: bool
    moved_before: bool
    moved: tuple[Change, ...]
    changes: tuple[Change, ...]
    clock_back: bool = False
    voids_review: bool = False


@dataclass(frozen=True, slots=True)
class History:
    """Everything the record knows about one case.

    Attributes:
        case_id: the case.
        state: where it stands now; None if it is no longer in the data.
        entries: earlier ones first; the order comes from the graph.
        moved_since: the content of the data is no longer that of the decision in force.
        changes_since: the fields that differ.
        record_exists: there is a record at all.
        sealed: blind reviews that are left out, because no second one stands beside them yet.
        breaks: what is broken in the record: part of the history may be missing.
        notices: a line that was left unfinished, say.
    """

    case_id: str
    state: CaseState | None
    entries: tuple[HistoryEntry, ...]
    moved_since: bool
    changes_since: tuple[Change, ...]
    record_exists: bool
    breaks: tuple[Problem, ...]
    notices: tuple[Problem, ...]
    sealed: int = 0


def history_of(dataset: Dataset, case_id: str) -> History:
    """The history of a case of the data or, if it was removed from them, of the record.

    Raises:
        UsageError: neither knows the id.
    """
    record = dataset.record
    entries = record.of_case(case_id)
    state = dataset.states.get(case_id)
    if state is None and not entries:
        raise unknown_id(case_id, {**dataset.states, **record.heads})
    in_force = {entry.digest for entry in (*record.effective(case_id), *standing(record, case_id))}
    hidden = sealed(record, case_id)
    kept: dict[str, CaseItem] = {}
    times: dict[str, str] = {}
    found: list[HistoryEntry] = []
    for entry in entries:
        item = entry.item(case_id)
        if item is None or entry.digest in hidden:
            continue
        earlier = [kept[digest] for digest in item.previous if digest in kept]
        kept[entry.digest] = item
        before = max((times[digest] for digest in item.previous if digest in times), default="")
        times[entry.digest] = entry.utc or ""
        moved_before = bool(earlier) and item.before not in {before.after for before in earlier}
        found.append(
            HistoryEntry(
                entry,
                item,
                trust_of(entry),
                entry.digest in in_force,
                moved_before,
                _moved(earlier[0], item) if moved_before else (),
                _changes(earlier, item),
                bool(entry.utc) and times[entry.digest] < before,
                entry.kind is Kind.RETIRA and _only_reviewed(record, item),
            )
        )
    moved, changes = _since(dataset, case_id, [e.item for e in found if e.in_force])
    return History(
        case_id,
        state,
        tuple(found),
        moved,
        changes,
        record.exists,
        record.breaks,
        tuple(notice for notice in record.notices if notice.code == "torn_line"),
        len(hidden),
    )


def _only_reviewed(record: Record, item: CaseItem) -> bool:
    found = [record.by_digest[digest] for digest in item.previous if digest in record.by_digest]
    return bool(found) and all(one.writes is None and is_review(one, one.item(item.case_id)) for one in found)


def _since(dataset: Dataset, case_id: str, items: list[CaseItem]) -> tuple[bool, tuple[Change, ...]]:
    if case_id not in dataset.states or not items:
        return False, ()
    raw = dataset.entry(case_id).row.row.line.raw
    if content_digest(raw) in {item.after for item in items}:
        return False, ()
    return True, _between(items[0].text, raw.decode("utf-8"))


def _moved(earlier: CaseItem, item: CaseItem) -> tuple[Change, ...]:
    """What was edited between both; a decision that leaves the content alone holds it as it found it."""
    return _between(earlier.text, item.text if item.before == item.after else item.text_before)


def _changes(earlier: list[CaseItem], item: CaseItem) -> tuple[Change, ...]:
    if item.before is None or item.before == item.after:
        return ()
    found = [one.text for one in earlier if one.after == item.before]
    return _between(item.text_before or (found[0] if found else None), item.text)


def _between(before: str | None, after: str | None) -> tuple[Change, ...]:
    if before is None or after is None:
        return ()
    try:
        return changes_between(before.encode("utf-8"), after.encode("utf-8"))
    except StrictJSONError:
        # A forged entry; the audit names it.
        return ()
