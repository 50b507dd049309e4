"""Evidence chains under review: what the record says of each, and the gate over what it says.

With a record its approvals and rejections alone are the review; whatever state the file of chains claims
is left aside, also an approval. A rejected chain is not approved, so the gate finds an issue in it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scoring.abstraction.evidence import AbstractionEvidenceChain, ReviewerState
from scoring.adjudication.content import chain_digest, with_state
from scoring.adjudication.entries import Kind, Verdict
from scoring.adjudication.standing import State, subject_standing
from scoring.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from scoring.adjudication.entries import Entry
    from scoring.adjudication.record import AdjudicationRecord
    from scoring.adjudication.standing import Standing

_STATES = {Verdict.APPROVE: ReviewerState.APPROVED, Verdict.REJECT: ReviewerState.REJECTED}
_OTHER = (State.EXPIRED, State.CONFLICT, State.UNDECIDED)


@dataclass(frozen=True, slots=True)
class ChainReview:
    """One chain and what the record says of it.

    Attributes:
        chain: as the file has it.
        standing: by the record.
        entries: the decisions on this content, and those on what the same field of the same file said
            earlier; earlier ones first.
    """

    chain: AbstractionEvidenceChain
    standing: Standing
    entries: tuple[Entry, ...] = field(repr=False)

    @property
    def state(self) -> ReviewerState:
        """The review state by the record; pending unless a decision counts."""
        verdict = self.standing.verdict
        return ReviewerState.PENDING if verdict is None else _STATES[verdict]

    @property
    def reviewed(self) -> AbstractionEvidenceChain:
        """The chain in the state of the record."""
        return with_state(self.chain, self.state)

    @property
    def issues(self) -> tuple[str, ...]:
        """The codes that the gate finds in it."""
        found = []
        if not self.chain.source_locations:
            found.append("missing_source_evidence")
        elif not self.chain.has_clinical_source:
            found.append("generated_only_evidence")
        if self.state is not ReviewerState.APPROVED:
            found.append("review_not_approved")
        return tuple(found)


def source_name(path: Path) -> str:
    """The name of a file of chains as decisions keep it: without its folder, as text that can be written."""
    name = plain(path.name)
    return name if name.strip() else "?"


def review_chains(
    record: AdjudicationRecord, chains: Iterable[AbstractionEvidenceChain], source: str
) -> tuple[ChainReview, ...]:
    """What the record says of each chain, in the order given.

    A decision holds for the content wherever it stands. That a chain changed after a decision can only
    be told of the file that the decision was made on, which is known by its name.

    Args:
        record: a sound record.
        chains: the chains of one file.
        source: the :func:`source_name` of that file.
    """
    of_content: dict[str, list[Entry]] = {}
    of_field: dict[str, list[Entry]] = {}
    for entry in record.entries:
        if entry.kind is Kind.CHAIN:
            of_content.setdefault(entry.chain or "", []).append(entry)
            if entry.source == source:
                of_field.setdefault(entry.field_id, []).append(entry)
    place = {entry.digest: number for number, entry in enumerate(record.entries)}
    found = []
    for chain in chains:
        digest = chain_digest(chain)
        mine = {e.digest: e for e in (*of_content.get(digest, ()), *of_field.get(chain.field_id, ()))}
        entries = tuple(sorted(mine.values(), key=lambda entry: place[entry.digest]))
        found.append(ChainReview(chain, subject_standing(record, (digest,), entries), entries))
    return tuple(found)


def chain_counts(found: Iterable[ChainReview]) -> Mapping[str, int]:
    """How many were approved or rejected (by verdict), or stand otherwise (by state)."""
    counts: Counter[str] = Counter(dict.fromkeys((*_STATES, *_OTHER), 0))
    for review in found:
        counts[review.standing.verdict or review.standing.state] += 1
    return counts
