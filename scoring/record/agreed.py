"""Which decisions two reviewers took on the same cases without knowing of each other, and how far they agree.

Only pairs of blind reviews of one content enter the figures: a signature from before two reviews were
asked for, a review changed after both were in, an adjudication and a closing signature do not.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from scoring.agreement import Agreement, agreement
from scoring.people import person_key
from scoring.record.opinion import as_read, expected_of
from scoring.record.reviews import BOTH, Review, history, is_review, round_before, target_of
from scoring.strict_json import StrictJSONError, loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scoring.cases import CaseFile
    from scoring.record.entries import CaseItem, Transaction
    from scoring.record.journal import Record


class Decided(StrEnum):
    """What a decision is about."""

    DIFFERENTIAL = "diferenciales"
    REFERRAL = "requiere_derivacion"
    SCOPE = "fuera_de_alcance"


@dataclass(frozen=True, slots=True)
class Difference:
    """One decision that the two did not take alike: about what, and what each of them said."""

    about: Decided
    text: str
    first: bool
    second: bool


@dataclass(frozen=True, slots=True)
class Pair:
    """Two blind reviews of one case.

    Attributes:
        case_id, split: the case.
        first, second: the reviewers, in the order of their names, whoever came first.
        decisions: what was decided, and both answers.
    """

    case_id: str
    split: str
    first: str
    second: str
    decisions: tuple[Difference, ...]

    @property
    def differences(self) -> tuple[Difference, ...]:
        """The decisions that differ."""
        return tuple(one for one in self.decisions if one.first != one.second)


@dataclass(frozen=True, slots=True)
class Agreed:
    """How far the reviews of a data set agree.

    Attributes:
        pairs: the cases with two blind reviews, in file order; of each its latest pair.
        not_blind: cases whose two decisions were not both blind reviews, in file order.
        figures: per kind of decision, over all pairs.
    """

    pairs: tuple[Pair, ...]
    not_blind: tuple[str, ...]
    figures: tuple[tuple[Decided, Agreement], ...]

    @property
    def couples(self) -> int:
        """How many different couples of reviewers there are among the pairs."""
        return len({(person_key(pair.first), person_key(pair.second)) for pair in self.pairs})


def agreed(file: CaseFile, record: Record) -> Agreed:
    """The agreement on the cases of ``file``. Ask only for a record that is whole."""
    pairs: list[Pair] = []
    not_blind: list[str] = []
    places = {entry.digest: place for place, entry in enumerate(record.entries)}
    for row in file.rows:
        case_id = row.case.id
        if case_id not in record.heads:
            continue
        entries = sorted(history(record, case_id), key=lambda one: places[one[0].digest])
        couple = _couple(record, case_id, entries)
        if couple is not None:
            pairs.append(_pair(case_id, row.case.split, couple))
        elif any(_second(record, case_id, entry, item) for entry, item in entries):
            not_blind.append(case_id)
    return Agreed(tuple(pairs), tuple(not_blind), tuple((kind, _figures(kind, pairs)) for kind in Decided))


def _second(record: Record, case_id: str, entry: Transaction, item: CaseItem) -> bool:
    """The entry is a review that another person's signature or review stood beside."""
    if not is_review(entry, item):
        return False
    return bool(round_before(record, case_id, entry).persons - {person_key(entry.reviewer or "")})


def _couple(
    record: Record, case_id: str, entries: Sequence[tuple[Transaction, CaseItem]]
) -> tuple[Review, Review] | None:
    """The latest two reviews of one content by two persons, each blind to the other."""
    blind: dict[str, dict[str, Review]] = {}
    for entry, item in entries:
        if not is_review(entry, item) or len(round_before(record, case_id, entry).persons) >= BOTH:
            continue
        review = Review(entry, item, target_of(item), plain=False, adjudicates=False)
        # What is decided on an earlier content may be decided anew on a later one: the last group wins.
        group = blind.pop(item.after, {})
        group[review.person] = review
        blind[item.after] = group
    for group in reversed(blind.values()):
        if len(group) >= BOTH:
            names = sorted(group)
            return group[names[0]], group[names[1]]
    return None


def _pair(case_id: str, split: str, couple: tuple[Review, Review]) -> Pair:
    first, second = couple
    texts = _texts(first.item)
    ours, theirs = (_answers(review.item) for review in couple)
    added = sorted((ours[0] | theirs[0]) - set(texts))
    decisions = [
        Difference(Decided.DIFFERENTIAL, text, text in ours[0], text in theirs[0])
        for text in (*texts, *added)
    ]
    decisions.append(Difference(Decided.REFERRAL, "", ours[1], theirs[1]))
    decisions.append(Difference(Decided.SCOPE, "", ours[2], theirs[2]))
    return Pair(case_id, split, first.name, second.name, tuple(decisions))


def _content(item: CaseItem) -> dict[str, object]:
    try:
        content = loads((item.text or "{}").encode("utf-8"), exact_numbers=True)
    except StrictJSONError:
        return {}
    return content if isinstance(content, dict) else {}


def _texts(item: CaseItem) -> tuple[str, ...]:
    return tuple(dict.fromkeys(expected_of(_content(item))[0]))


def _answers(item: CaseItem) -> tuple[frozenset[str], bool, bool]:
    """The differentials said to hold, whether the case requires referral, whether it is out of scope."""
    opinion = item.opinion or as_read(_content(item))
    return frozenset((*opinion.accepted, *opinion.added)), opinion.referral, opinion.out_of_scope


def _figures(kind: Decided, pairs: Iterable[Pair]) -> Agreement:
    return agreement((one.first, one.second) for pair in pairs for one in pair.decisions if one.about is kind)
