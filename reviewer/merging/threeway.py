"""The three-way merge by case id.

A line is taken, byte for byte, from the side that changed it; the order is that of ours, and what only
theirs added stands after the line it followed there. Both sides changed one case in different ways: a
conflict, never a choice. A repeated id has no single line before, so it is merged as the whole group of
its lines or not at all; this also holds for the unfinished ancestors that git makes of criss-cross merges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from reviewer.merging.decisions import Conflict, meaning
from reviewer.merging.versions import BROKEN, CASE, Item, Reader, Version
from reviewer.store.edit import edit_line
from scoring import messages
from scoring.cases import SIGNATURE_KEYS
from scoring.strict_json import StrictJSONError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reviewer.merging.versions import Key

MARKER_SIZE = 7
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Merged:
    """The outcome of a merge.

    Attributes:
        data: the merged file; each conflict stands in it between markers.
        conflicts: the cases that a person has to look at, in file order.
        cases: how many cases the file holds, those in conflict included.
        broken: lines outside conflicts that are no case, kept as they were.
        repeated: ids that stand on several lines outside conflicts, because a side brought them so.
    """

    data: bytes
    conflicts: tuple[Conflict, ...]
    cases: int
    broken: int
    repeated: tuple[str, ...]


Outcome = tuple[Item, ...] | Conflict


def merge(base: bytes, ours: bytes, theirs: bytes) -> Merged:
    """Merge two versions of a data set that come from ``base``.

    Args:
        base: the common ancestor; empty if each side made the file by itself.
        ours: this side; its order and its line ends are kept unless only the other side changed them.
        theirs: the other side.
    """
    reader = Reader()
    versions = reader.read(base), reader.read(ours), reader.read(theirs)
    if theirs in (ours, base):
        return _told(ours, versions[1].items)
    if ours == base:
        return _told(theirs, versions[2].items)
    return _Merge(*versions).run()


def _told(data: bytes, chunks: Sequence[Item | Conflict]) -> Merged:
    conflicts = tuple(chunk for chunk in chunks if isinstance(chunk, Conflict))
    items = [chunk for chunk in chunks if isinstance(chunk, Item)]
    times: dict[str, int] = {}
    for item in items:
        if item.case_id is not None:
            times[item.case_id] = times.get(item.case_id, 0) + 1
    return Merged(
        data,
        conflicts,
        cases=len(times) + len(conflicts),
        broken=sum(item.key[0] == BROKEN for item in items),
        repeated=tuple(case_id for case_id, n in times.items() if n > 1),
    )


class _Merge:
    """One merge of three versions that all differ."""

    def __init__(self, base: Version, ours: Version, theirs: Version) -> None:
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.style = _pick(base.style, ours.style, theirs.style)

    def run(self) -> Merged:
        chunks = list(self._ordered())
        data = _pick(self.base.bom, self.ours.bom, self.theirs.bom)
        data += b"".join(self._render(chunk) for chunk in chunks)
        whole = _pick(self.base.ends_whole, self.ours.ends_whole, self.theirs.ends_whole)
        if not whole and chunks and isinstance(chunks[-1], Item):
            data = data.removesuffix(self._end(chunks[-1]))
        return _told(data, chunks)

    # What becomes of each key.

    def _outcome(self, key: Key) -> Outcome:
        base, ours, theirs = self.base.get(key), self.ours.get(key), self.theirs.get(key)
        if key[0] != CASE:
            # Alike but for their number: what one side removed goes, what a side added stays.
            kept = _pick(len(base), len(ours), len(theirs), both=max(len(ours), len(theirs)))
            return (*ours, *theirs[len(ours) :])[:kept]
        before, here, there = (tuple(item.raw for item in side) for side in (base, ours, theirs))
        if there in (here, before):
            return ours
        if here == before:
            return theirs
        conflict = Conflict(str(key[1]), base, ours, theirs)
        if len(ours) != 1 or len(theirs) != 1 or len(base) > 1:
            return conflict
        agreed = _agreed(base[0] if base else None, ours[0], theirs[0])
        return conflict if agreed is None else (agreed,)

    # Where it stands.

    def _ordered(self) -> Iterable[Item | Conflict]:
        """The order of ours, with the additions of theirs behind those that ours made at the same place."""
        added = self._added_by_theirs()
        waiting = list(added.get(None, ()))
        seen: dict[Key, int] = {}
        for item in self.ours.items:
            place = seen.get(item.key, 0)
            seen[item.key] = place + 1
            if not self._only_ours(item.key):
                yield from waiting
                waiting = []
            yield from self._emitted(item, place)
            waiting += added.get((item.key, place), ())
        yield from waiting

    def _only_ours(self, key: Key) -> bool:
        return not self.base.get(key) and not self.theirs.get(key)

    def _emitted(self, item: Item, place: int) -> Iterable[Item | Conflict]:
        """What stands at the ``place``-th line of a key in ours; a group from theirs stands at the first."""
        outcome = self._outcome(item.key)
        if isinstance(outcome, Conflict):
            return (outcome,) if place == 0 else ()
        last = place == len(self.ours.get(item.key)) - 1
        if outcome == self.ours.get(item.key):
            return (item,)
        if item.key[0] == CASE:
            return outcome if place == 0 else ()
        return outcome[place:] if last else outcome[place : place + 1]

    def _added_by_theirs(self) -> dict[tuple[Key, int] | None, list[Item | Conflict]]:
        """What ours lacks, by the line of ours that it follows in theirs (None: the beginning)."""
        found: dict[tuple[Key, int] | None, list[Item | Conflict]] = {}
        anchor: tuple[Key, int] | None = None
        seen: dict[Key, int] = {}
        for item in self.theirs.items:
            place = seen.get(item.key, 0)
            seen[item.key] = place + 1
            here = len(self.ours.get(item.key))
            if here:
                anchor = item.key, min(place, here - 1)
                continue
            outcome = self._outcome(item.key)
            if isinstance(outcome, Conflict):
                found.setdefault(anchor, []).extend([outcome] if place == 0 else [])
            elif place < len(outcome):
                found.setdefault(anchor, []).append(outcome[place])
        return found

    # How it is written.

    def _end(self, item: Item) -> bytes:
        if self.style:
            return self.style
        base, ours, theirs = (_first(side.get(item.key)) for side in (self.base, self.ours, self.theirs))
        if ours is None or theirs is None:
            return item.end
        return _pick(ours.end if base is None else base.end, ours.end, theirs.end)

    def _render(self, chunk: Item | Conflict) -> bytes:
        if isinstance(chunk, Item):
            return chunk.raw + self._end(chunk)
        sides = [[item.raw + self._end(item) for item in side] for side in (chunk.ours, chunk.theirs)]
        end = self._end((*chunk.ours, *chunk.theirs)[0])
        head = _marker("<", messages.text("merge.this_side")) + end
        middle = _marker("=") + end
        foot = _marker(">", messages.text("merge.other_side")) + end
        return b"".join([head, *sides[0], middle, *sides[1], foot])


def _marker(sign: str, label: str = "") -> bytes:
    return f"{sign * MARKER_SIZE} {label}".rstrip().encode("utf-8")


def _first(items: tuple[Item, ...]) -> Item | None:
    return items[0] if items else None


def _pick(base: _T, ours: _T, theirs: _T, *, both: _T | None = None) -> _T:
    """The value of the side that changed it; ours (or ``both``) if both did."""
    if ours == base:
        return theirs
    return ours if theirs == base or both is None else both


def _agreed(base: Item | None, ours: Item, theirs: Item) -> Item | None:
    """The one line that two differently spelled lines stand for, or None if they say different things.

    A side that changed the spelling alone gives way to the one that changed the meaning; if that was the
    signature, it is set in the new spelling, so that both changes are kept.
    """
    here, there = meaning(ours), meaning(theirs)
    if here == there:
        return ours
    before = None if base is None else meaning(base)
    if here == before:
        return _signed_like(ours, theirs) if there.content == here.content else theirs
    if there == before:
        return _signed_like(theirs, ours) if there.content == here.content else ours
    return None


def _signed_like(spelled: Item, signed: Item) -> Item | None:
    """The line ``spelled`` with the signature keys of ``signed``; None if they are no such keys."""
    old, new = spelled.value or {}, signed.value or {}
    changes = {name: new.get(name) for name in SIGNATURE_KEYS if old.get(name) != new.get(name)}
    if not all(value is None or isinstance(value, str | bool) for value in changes.values()):
        return None
    try:
        raw = edit_line(spelled.raw, changes)
    except StrictJSONError:
        return None
    return Item(spelled.key, raw, spelled.end, {**old, **changes})
