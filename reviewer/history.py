"""The history of one case: every decision about it, and what its content did in between.

A value that any view can show; it reads what ``Dataset`` holds and decides nothing. The record keeps the
line each decision was about, so an old signature can be read, and compared, for ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reviewer.store.dataset import unknown_id
from scoring.cases import SIGNATURE_KEYS
from scoring.record import Kind, content_digest, number_text
from scoring.record.audit import Trust, trust_of
from scoring.strict_json import Number, StrictJSONError, loads

if TYPE_CHECKING:
    from reviewer.store import Dataset
    from scoring.jsonl import Problem
    from scoring.record import CaseItem, CaseState, Transaction

_ABSENT = object()


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field that two contents of a case have differently; texts as JSON would write them.

    ``old`` or ``new`` is None when the field was not there.
    """

    path: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One decision about the case.

    Attributes:
        entry: the record line; its ``digest`` is its name.
        item: what it says of this case.
        trust: by name or by key.
        in_force: no later decision of this case stands over it.
        moved_before: the content was edited, outside any decision, since the entry it follows.
        changes: the fields in which the content it left differs from that of the entry it follows;
            empty when they are the same, or when a line was not kept.
    """

    entry: Transaction
    item: CaseItem
    trust: Trust
    in_force: bool
    moved_before: bool
    changes: tuple[FieldChange, ...]


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
        breaks: what is broken in the record: part of the history may be missing.
        notices: a line that was left unfinished, say.
    """

    case_id: str
    state: CaseState | None
    entries: tuple[HistoryEntry, ...]
    moved_since: bool
    changes_since: tuple[FieldChange, ...]
    record_exists: bool
    breaks: tuple[Problem, ...]
    notices: tuple[Problem, ...]


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
    in_force = {entry.digest for entry in record.effective(case_id)}
    kept: dict[str, CaseItem] = {}
    found: list[HistoryEntry] = []
    for entry in entries:
        item = entry.item(case_id)
        if item is None:
            continue
        earlier = [kept[digest] for digest in item.previous if digest in kept]
        kept[entry.digest] = item
        found.append(
            HistoryEntry(
                entry,
                item,
                trust_of(entry),
                entry.digest in in_force,
                moved_before=bool(earlier) and item.before not in {before.after for before in earlier},
                changes=_between(earlier[0], item.text) if earlier else (),
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
    )


def _since(dataset: Dataset, case_id: str, items: list[CaseItem]) -> tuple[bool, tuple[FieldChange, ...]]:
    if case_id not in dataset.states or not items:
        return False, ()
    raw = dataset.entry(case_id).row.row.line.raw
    if content_digest(raw) in {item.after for item in items}:
        return False, ()
    return True, _between(items[0], raw.decode("utf-8"))


def _between(earlier: CaseItem, text: str | None) -> tuple[FieldChange, ...]:
    if earlier.text is None or text is None:
        return ()
    return changed_fields(earlier.text, text)


def changed_fields(old: str, new: str) -> tuple[FieldChange, ...]:
    """The fields in which two lines differ in content, the signature keys aside, in the order of the lines.

    Objects are entered, lists are compared whole; another spelling of a number is no difference.
    Lines that cannot be read have no fields.
    """
    try:
        before, after = (loads(line.encode("utf-8"), exact_numbers=True) for line in (old, new))
    except StrictJSONError:
        return ()
    if not isinstance(before, dict) or not isinstance(after, dict):
        return ()
    found: list[FieldChange] = []
    _compare("", _content(before), _content(after), found)
    return tuple(found)


def _content(line: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in line.items() if key not in SIGNATURE_KEYS}


def _compare(path: str, old: Any, new: Any, found: list[FieldChange]) -> None:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            inner = f"{path}.{key}" if path else key
            _compare(inner, old.get(key, _ABSENT), new.get(key, _ABSENT), found)
    elif _same(old) != _same(new):
        found.append(FieldChange(path, _shown(old), _shown(new)))


def _same(value: Any) -> object:
    """Equal for equal contents: numbers by their value, texts apart from numbers."""
    if isinstance(value, Number):
        return "number", number_text(value)
    if isinstance(value, list):
        return "list", tuple(_same(item) for item in value)
    if isinstance(value, dict):
        return "object", frozenset((key, _same(item)) for key, item in value.items())
    return type(value).__name__, value


def _shown(value: Any) -> str | None:
    if value is _ABSENT:
        return None
    return _json(value)


def _json(value: Any) -> str:
    """JSON with numbers as they were written."""
    import json

    if isinstance(value, Number):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(_json(item) for item in value) + "]"
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{json.dumps(k, ensure_ascii=False)}: {_json(v)}" for k, v in value.items())
            + "}"
        )
    return json.dumps(value, ensure_ascii=False)


def is_adoption(entry: Transaction) -> bool:
    """It stands for a signature that was there before the record."""
    return entry.kind is Kind.ADOPTA
