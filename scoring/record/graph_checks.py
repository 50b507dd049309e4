"""What the graph of a record must fulfil beyond having no loose ends.

At the moment it was written, an entry named every tip there was. So the record as its writer saw it is
exactly the entry's ancestors, and whatever the entry says of that record can be held against them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from scoring.problems import Problem
from scoring.record.entries import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.record.entries import Transaction
    from scoring.record.journal import Record

_View = dict[str, frozenset[str]]


def graph_breaks(record: Record) -> list[Problem]:
    """Entries that contradict the history they name. Ask only for a record without loose ends."""
    return [*_wrong_previous(record), *_late_adoptions(record)]


def suspects(record: Record) -> list[Problem]:
    """Where to look: lines named by nobody that stand before an entry which misses somebody.

    Such a line was altered, or the one that named it was taken out; the graph alone cannot tell which.
    """
    named = {digest for entry in record.entries for digest in entry.tips}
    missing = [
        entry.line_number
        for entry in record.entries
        if any(digest not in record.by_digest for digest in entry.tips)
    ]
    last = max(missing, default=0)
    return [
        Problem("audit.suspect", line=entry.line_number)
        for entry in sorted(record.entries, key=lambda entry: entry.line_number)
        if entry.digest not in named and entry.line_number < last
    ]


def misplaced(record: Record) -> tuple[list[Problem], list[Problem]]:
    """Lines that stand before one they follow: those no merge can have moved, and the others.

    Git's union merge keeps the order that either side had, so it can move a line only past lines of
    another branch, and may repeat it. A line that every other entry precedes or follows was never on a
    branch of its own: if it stands in the wrong place, somebody moved it.
    """
    merged = any(notice.code == "repeated_line" for notice in record.notices)
    alone = set() if merged else _never_beside_another(record)
    moved: list[Problem] = []
    merge: list[Problem] = []
    for entry in sorted(record.entries, key=lambda entry: entry.line_number):
        behind = [
            record.by_digest[digest]
            for digest in entry.tips
            if digest in record.by_digest and record.by_digest[digest].line_number > entry.line_number
        ]
        for other in behind:
            fields = {"other": other.line_number}
            if entry.digest in alone and other.digest in alone:
                moved.append(Problem("audit.moved", line=entry.line_number, fields=fields))
            else:
                merge.append(Problem("audit.moved_by_merge", line=entry.line_number, fields=fields))
    return moved, merge


def _never_beside_another(record: Record) -> set[str]:
    """Entries that each other entry comes before or after, in the graph."""
    place = {entry.digest: index for index, entry in enumerate(record.entries)}
    # Latest entry that each one follows; -1 for a first one.
    latest = [max((place[d] for d in entry.tips if d in place), default=-1) for entry in record.entries]
    lowest = len(latest)
    all_follow: list[bool] = [False] * len(latest)
    for index in range(len(latest) - 1, -1, -1):
        all_follow[index] = lowest >= index
        lowest = min(lowest, latest[index])
    found: set[str] = set()
    open_tips: set[str] = set()
    for index, entry in enumerate(record.entries):
        if all_follow[index] and open_tips <= set(entry.tips):
            found.add(entry.digest)
        open_tips.difference_update(entry.tips)
        open_tips.add(entry.digest)
    return found


def _wrong_previous(record: Record) -> list[Problem]:
    """Entries that pass over a decision on their case, or follow one that was already followed."""
    found: list[Problem] = []
    uses = Counter(digest for entry in record.entries for digest in entry.tips)
    views: dict[str, _View] = {}
    for entry in record.entries:
        view = _view_of(entry, views, uses, record.by_digest)
        for item in entry.items:
            heads = view.get(item.case_id, frozenset())
            if frozenset(item.previous) != heads:
                names = ", ".join(sorted({record.by_digest[d].reviewer or "?" for d in heads})) or "—"
                found.append(
                    Problem(
                        "audit.passes_over",
                        line=entry.line_number,
                        case_id=item.case_id,
                        fields={"names": names},
                    )
                )
        for item in entry.items:
            view[item.case_id] = frozenset((entry.digest,))
        if uses[entry.digest]:
            views[entry.digest] = view
    return found


def _view_of(
    entry: Transaction,
    views: dict[str, _View],
    uses: Counter[str],
    by_digest: Mapping[str, Transaction],
) -> _View:
    """Per case, the entries in front when ``entry`` was written; takes over what no later entry needs."""
    gathered: list[_View] = []
    for digest in entry.tips:
        view = views[digest]
        uses[digest] -= 1
        if not uses[digest]:
            del views[digest]
        else:
            view = dict(view)
        gathered.append(view)
    gathered.sort(key=len)
    result = gathered.pop() if gathered else {}
    for other in gathered:
        for case_id, heads in other.items():
            mine = result.get(case_id)
            if mine is None or mine == heads:
                result[case_id] = heads
            else:
                result[case_id] = _in_front(mine | heads, case_id, by_digest)
    return result


def _in_front(digests: frozenset[str], case_id: str, by_digest: Mapping[str, Transaction]) -> frozenset[str]:
    """Those that none of the others follows."""
    followed: set[str] = set()
    waiting = list(digests)
    while waiting:
        item = by_digest[waiting.pop()].item(case_id)
        fresh = [d for d in (item.previous if item else ()) if d not in followed and d in by_digest]
        followed.update(fresh)
        waiting.extend(fresh)
    return digests - followed


def _late_adoptions(record: Record) -> list[Problem]:
    """Adoptions that no first decision knew of: an existing record never adopts again."""
    adopted_only: set[str] = set()
    known: set[str] = set()
    decided = False
    for entry in record.entries:
        before_any = adopted_only.issuperset(entry.tips)
        if entry.kind is Kind.ADOPTA:
            if before_any:
                adopted_only.add(entry.digest)
            continue
        decided = True
        if before_any:
            waiting = list(entry.tips)
            while waiting:
                digest = waiting.pop()
                if digest not in known:
                    known.add(digest)
                    waiting.extend(record.by_digest[digest].tips)
    if not decided:
        return []
    return [
        Problem("audit.late_adoption", line=entry.line_number, case_id=entry.items[0].case_id)
        for entry in record.entries
        if entry.kind is Kind.ADOPTA and entry.items and entry.digest not in known
    ]
