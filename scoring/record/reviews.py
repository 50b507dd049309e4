"""The reviews of a case where a set asks for two: how many are in, whether they agree, what is sealed.

A review is an entry of kind ``firma`` that carries an opinion, or leaves the data line alone. An earlier
signature (without an opinion) counts as one review that takes the case as it stands. A *round* is what
the entries in front of a case hold for one content: it ends at a withdrawal, a return, or such a
signature; after a correction only those reviews hold that had asked for exactly it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from scoring.people import person_key
from scoring.record.entries import CaseItem, Kind, Meaning, Transaction
from scoring.record.opinion import target_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scoring.record.journal import Record

BOTH = 2
"""Reviews by different persons after which nothing is hidden any more."""


class Stage(StrEnum):
    """How far a round has come."""

    NONE = "ninguna"
    PARTIAL = "incompleta"
    SPLIT = "desacuerdo"
    CORRECT = "por_corregir"
    CLOSE = "por_cerrar"


@dataclass(frozen=True, slots=True)
class Review:
    """One review of a case.

    Attributes:
        entry: its record line.
        item: what it says of the case.
        target: content digest of the case as the reviewer would have it; None if that makes no sense.
        plain: a signature without an opinion.
        adjudicates: it settles a disagreement.
    """

    entry: Transaction
    item: CaseItem
    target: str | None
    plain: bool
    adjudicates: bool

    @property
    def name(self) -> str:
        """Who reviewed, as typed."""
        return self.entry.reviewer or "?"

    @property
    def person(self) -> str:
        """Who reviewed, one key per person."""
        return person_key(self.name)


@dataclass(frozen=True, slots=True)
class Round:
    """The reviews that hold for one content.

    Attributes:
        content: its digest.
        reviews: each person's last one (several of a person only if two branches had them).
        adjudications: the last decisions about a disagreement.
    """

    content: str
    reviews: tuple[Review, ...]
    adjudications: tuple[Review, ...]

    @property
    def persons(self) -> frozenset[str]:
        """Who has reviewed."""
        return frozenset(review.person for review in self.reviews)

    @property
    def target(self) -> str | None:
        """What the case has to say by those who decided; None while they do not say the same."""
        targets = {review.target for review in self.adjudications or self.reviews}
        return targets.pop() if len(targets) == 1 else None

    @property
    def supporters(self) -> tuple[Review, ...]:
        """Those whose decision holds: adjudicators, or else all reviewers."""
        return self.adjudications or self.reviews

    def stage(self, required: int) -> Stage:
        """How far it has come where ``required`` persons are asked for."""
        if not self.supporters:
            return Stage.NONE
        if not self.adjudications and len(self.persons) < BOTH:
            if len(self.persons) < required or self.target is None:
                return Stage.PARTIAL
        elif self.target is None:
            return Stage.SPLIT
        return Stage.CLOSE if self.target == self.content else Stage.CORRECT


def is_review(entry: Transaction, item: CaseItem | None) -> bool:
    """The entry is a review of the case: a signature with an opinion, or in the record only."""
    return entry.kind is Kind.FIRMA and item is not None and (item.opinion is not None or not entry.writes)


def target_of(item: CaseItem) -> str | None:
    """Content digest of the case as a review or signature would have it."""
    if item.opinion is None:
        return item.after
    return None if item.text is None else target_digest(item.text, item.opinion)


def current_round(record: Record, case_id: str, content: str, *, one_of_both: bool = False) -> Round:
    """What the entries in front of a case hold for ``content``.

    Args:
        record: the record.
        case_id: the case.
        content: content digest of its line now.
        one_of_both: a disagreement may be settled by one of those who disagree.
    """
    heads = record.heads.get(case_id, ())
    return _round(record, case_id, heads, content, one_of_both=one_of_both)


def round_before(record: Record, case_id: str, entry: Transaction) -> Round:
    """The round that ``entry`` found when it was written, for the content it was about."""
    item = entry.item(case_id)
    if item is None:
        raise KeyError(case_id)
    return _round(record, case_id, _named(record, item.previous), item.after, one_of_both=True)


def _round(
    record: Record, case_id: str, heads: Iterable[Transaction], content: str, *, one_of_both: bool
) -> Round:
    found = _held(record, case_id, heads)
    reviews: list[Review] = []
    adjudications: list[Review] = []
    for entry, _ in found.values():
        item = entry.item(case_id)
        if item is None:
            continue
        plain = not is_review(entry, item)
        adjudicates = not plain and entry.meaning == Meaning.ADJUDICADO
        review = Review(entry, item, target_of(item), plain, adjudicates)
        (adjudications if adjudicates else reviews).append(review)
    older = {digest: _ancestors(record, case_id, digest) for digest in found}
    last = [
        review
        for review in reviews
        if not any(
            review.entry.digest in older[other.entry.digest] and other.person == review.person
            for other in reviews
        )
    ]
    last_word = [
        review
        for review in adjudications
        if not any(review.entry.digest in older[other.entry.digest] for other in adjudications)
        and _may_settle(record, case_id, review, one_of_both=one_of_both)
    ]

    def holding(ones: list[Review]) -> tuple[Review, ...]:
        return tuple(one for one in ones if _holds(one, content, edited=found[one.entry.digest][1]))

    return Round(content, holding(last), holding(last_word))


def _holds(review: Review, content: str, *, edited: bool) -> bool:
    """The review is about that content, or asked for it."""
    asked_for = review.target == content and review.target != review.item.after
    return asked_for or (not edited and review.item.after == content)


def _may_settle(record: Record, case_id: str, review: Review, *, one_of_both: bool) -> bool:
    """A disagreement was there to be settled, by somebody who may."""
    before = round_before(record, case_id, review.entry)
    there = len(before.persons) >= BOTH or bool(before.adjudications)
    return there and (one_of_both or review.person not in disputants(record, case_id, before))


def disputants(record: Record, case_id: str, found: Round) -> frozenset[str]:
    """Whoever reviewed the case in this round, those included whose review a settlement left behind."""
    persons = found.persons
    for settled in found.adjudications:
        persons |= disputants(record, case_id, round_before(record, case_id, settled.entry))
    return persons


def _held(record: Record, case_id: str, heads: Iterable[Transaction]) -> dict[str, tuple[Transaction, bool]]:
    """Reviews and signatures from ``heads`` to the end of the round: digest -> (entry, corrected since)."""
    found: dict[str, tuple[Transaction, bool]] = {}
    waiting = [(entry, False) for entry in heads]
    seen: set[tuple[str, bool]] = set()
    while waiting:
        entry, edited = waiting.pop()
        item = entry.item(case_id)
        if item is None or (entry.digest, edited) in seen:
            continue
        seen.add((entry.digest, edited))
        if entry.kind in {Kind.FIRMA, Kind.ADOPTA}:
            before = found.get(entry.digest)
            found[entry.digest] = (entry, edited or (before is not None and before[1]))
            if not is_review(entry, item):
                continue
        elif entry.kind in {Kind.RETIRA, Kind.DEVUELVE}:
            continue
        after_edit = edited or entry.kind is Kind.EDITA
        waiting += [(other, after_edit) for other in _named(record, item.previous)]
    return found


def _named(record: Record, digests: Iterable[str]) -> list[Transaction]:
    return [record.by_digest[digest] for digest in digests if digest in record.by_digest]


def _ancestors(record: Record, case_id: str, digest: str) -> frozenset[str]:
    """The entries of the case that ``digest`` follows, directly or not."""
    found: set[str] = set()
    waiting = [digest]
    while waiting:
        entry = record.by_digest.get(waiting.pop())
        item = entry.item(case_id) if entry is not None else None
        fresh = [d for d in (item.previous if item is not None else ()) if d not in found]
        found.update(fresh)
        waiting += fresh
    return frozenset(found)


def standing(record: Record, case_id: str) -> tuple[Transaction, ...]:
    """The entries in force for the data line: reviews that leave it alone are looked through, like notes."""
    effective = record.effective(case_id)
    if all(entry.kind is not Kind.FIRMA or entry.writes for entry in effective):
        return effective
    found: dict[str, Transaction] = {}
    seen: set[str] = set()
    waiting = list(effective)
    while waiting:
        entry = waiting.pop()
        if entry.digest in seen:
            continue
        seen.add(entry.digest)
        item = entry.item(case_id)
        if entry.kind is Kind.NOTA or (entry.kind is Kind.FIRMA and not entry.writes):
            waiting += _named(record, item.previous if item is not None else ())
        else:
            found[entry.digest] = entry
    passed = {d for digest in found for d in _ancestors(record, case_id, digest)}
    return tuple(found[digest] for digest in sorted(found) if digest not in passed)


def history(record: Record, case_id: str) -> Iterator[tuple[Transaction, CaseItem]]:
    """Every entry of a case, however long ago, in no particular order."""
    seen: set[str] = set()
    waiting = list(record.heads.get(case_id, ()))
    while waiting:
        entry = waiting.pop()
        item = entry.item(case_id)
        if item is None or entry.digest in seen:
            continue
        seen.add(entry.digest)
        waiting += _named(record, item.previous)
        yield entry, item


def sealed(record: Record, case_id: str) -> frozenset[str]:
    """Digests of the reviews of a case of which nothing may be shown: no second one stands beside them.

    A review stays sealed when its round is broken off (by an edit, a withdrawal, a return); it opens
    with the first signature of the case, or when two persons have reviewed one content.
    """
    entries = list(history(record, case_id))
    reviews = {entry.digest for entry, item in entries if is_review(entry, item)}
    if not reviews:
        return frozenset()
    opened: set[str] = set()
    fronts = [record.heads.get(case_id, ()), *(tuple(_named(record, i.previous)) for _, i in entries)]
    fronts += [(entry,) for entry, _ in entries]
    for front in fronts:
        if _opens(record, case_id, front):
            for entry in front:
                opened.add(entry.digest)
                opened |= _ancestors(record, case_id, entry.digest)
    return frozenset(reviews - opened)


def _opens(record: Record, case_id: str, front: tuple[Transaction, ...]) -> bool:
    if any(entry.kind is Kind.FIRMA and entry.writes for entry in front):
        return True
    contents = {item.after for entry in front if (item := entry.item(case_id)) is not None}
    return any(
        len(_round(record, case_id, front, content, one_of_both=True).persons) >= BOTH for content in contents
    )


def sealed_everywhere(record: Record) -> frozenset[tuple[str, str]]:
    """``(digest, case id)`` of every review of which nothing may be shown."""
    cases = {item.case_id for entry in record.entries for item in entry.items if is_review(entry, item)}
    return frozenset((digest, case_id) for case_id in cases for digest in sealed(record, case_id))
