"""A session of adjudication without its screen: what there is to decide, how it stands, and deciding.

A :class:`Reading` is a value of one moment; the desk holds the latest, the filter and the person, and never
reads a file by itself but to look at one pair or to write one decision.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from reviewer.adjudication.recording import NewDecision, record_decision
from reviewer.decisions.common import check_reviewer
from scoring import messages
from scoring.abstraction.finalize_files import read_chains
from scoring.adjudication.chains import review_chains, source_name
from scoring.adjudication.content import chain_digest
from scoring.adjudication.disagreements import find_disagreements
from scoring.adjudication.entries import MAX_COMMENT, Kind, Verdict
from scoring.adjudication.record import load_record
from scoring.adjudication.standing import UNDECIDED, State, possible, row_entries, row_standing, standings
from scoring.errors import ConflictError, ProductError, UsageError
from scoring.files import identity
from scoring.people import similar_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from reviewer.adjudication.recording import Recorded
    from scoring.abstraction.evidence import AbstractionEvidenceChain
    from scoring.adjudication.chains import ChainReview
    from scoring.adjudication.disagreements import Disagreement, Disagreements, Identity, Pair
    from scoring.adjudication.entries import Entry, Subject
    from scoring.adjudication.record import AdjudicationRecord
    from scoring.adjudication.standing import Standing
    from scoring.people import Lookalike


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of a session: gold, outputs, the record, and perhaps chains (None: none were named)."""

    gold: Path
    outputs: Path
    record: Path
    evidence: Path | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """All files at one moment.

    Attributes:
        found: the disagreements.
        record: the record, whatever is wrong with it.
        standing: the rows it knows; nothing counts while it is broken.
        chains: the chains with what the record says of them.
        evidence_identity: what the file of chains was.
        record_identity: what the record was.
    """

    found: Disagreements
    record: AdjudicationRecord
    standing: dict[tuple[str, str], Standing] = field(repr=False)
    chains: tuple[ChainReview, ...] = field(repr=False)
    evidence_identity: Identity
    record_identity: Identity


def read(sources: Sources, known: Reading | None = None) -> Reading:
    """Read everything; what ``known`` holds and has not changed is taken over.

    Raises:
        ProductError: a file cannot be read, has problems, or changed while it was read.
    """
    found = known.found if known is not None and not known.found.changed else None
    if found is None:
        found = find_disagreements(sources.gold, sources.outputs)
    record_identity = identity(sources.record)
    record = load_record(sources.record, known.record if known is not None else None)
    evidence_identity: Identity = None
    chains: tuple[AbstractionEvidenceChain, ...] = ()
    if sources.evidence is not None:
        evidence_identity = identity(sources.evidence)
        chains = read_chains(sources.evidence)
    sound = not record.breaks
    trusted = record if sound else type(record)(record.path)
    source = source_name(sources.evidence) if sources.evidence is not None else ""
    return Reading(
        found,
        record,
        standings(trusted, found),
        review_chains(trusted, chains, source),
        evidence_identity,
        record_identity,
    )


class Show(StrEnum):
    """Which disagreements the list shows."""

    WAITING = "pendientes"
    DECIDED = "decididos"
    ALL = "todos"


@dataclass(frozen=True, slots=True)
class Look:
    """One disagreement as a person reads it now; its rows are private.

    Attributes:
        item: which one.
        pair: its rows.
        standing: how it stands.
        entries: the decisions about this row, earlier ones first, whatever it said then.
        verdicts: what can be said of it.
    """

    item: Disagreement
    pair: Pair
    standing: Standing
    entries: tuple[Entry, ...]
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Undo:
    """A decision of this session that can be taken back: what it was about and what stood before it."""

    kind: Kind
    subject: Subject
    place: tuple[str, str] = field(repr=False)
    source: str | None
    before: tuple[Verdict, str] = field(repr=False)


class Desk:
    """What a session knows and does.

    Attributes:
        sources: the files.
        reading: the latest reading.
        show, only_field: the filter; ``only_field`` None shows all fields.
        reviewer: who decides; None until it is known.
        clock: the moment of a decision, aware.
    """

    def __init__(self, sources: Sources, reading: Reading, reviewer: str | None = None) -> None:
        self.sources = sources
        self.reading = reading
        self.reviewer = None if reviewer is None else check_reviewer(reviewer)
        self.show = Show.WAITING
        self.only_field: str | None = None
        self.clock: Callable[[], datetime] = lambda: datetime.now().astimezone()
        self._confirmed: set[str] = set()
        self._undo: list[Undo] = []
        self._mine: set[str] = set()
        self._entries: Mapping[tuple[str, str], tuple[Entry, ...]] | None = None

    # -- looking -------------------------------------------------------------------------------

    def standing(self, item: Disagreement) -> Standing:
        """How a disagreement stands."""
        return self.reading.standing.get(item.place, UNDECIDED)

    def listed(self) -> list[int]:
        """Places in ``reading.found.items`` of those that the filter shows, in their order."""
        standing = self.reading.standing
        found = []
        for place, item in enumerate(self.reading.found.items):
            if self.only_field is not None and item.field_id != self.only_field:
                continue
            if self.show is not Show.ALL:
                waits = standing.get(item.place, UNDECIDED).state.waits
                if waits != (self.show is Show.WAITING):
                    continue
            found.append(place)
        return found

    def states(self) -> Mapping[State, int]:
        """How many disagreements stand how."""
        counts = Counter(standing.state for standing in self.reading.standing.values())
        counts[State.UNDECIDED] += len(self.reading.found.items) - sum(counts.values())
        return counts

    @property
    def decided(self) -> int:
        """Disagreements with a decision that counts."""
        return self.states()[State.DECIDED]

    def look(self, item: Disagreement) -> Look:
        """Read one disagreement from the files.

        Raises:
            ConflictError: a file changed since it was listed.
            UsageError: a file cannot be read any more.
        """
        if self._entries is None:
            self._entries = row_entries(self.reading.record)
        pair = self.reading.found.pair(item)
        entries = self._entries.get(item.place, ())
        return Look(item, pair, self.standing(item), entries, possible(pair, item.sort))

    def changed(self) -> bool:
        """Whether a file is no longer what was read."""
        reading = self.reading
        evidence = self.sources.evidence
        return (
            reading.found.changed
            or identity(self.sources.record) != reading.record_identity
            or (evidence is not None and identity(evidence) != reading.evidence_identity)
        )

    def adopt(self, reading: Reading) -> None:
        """Go on with a later reading."""
        self.reading = reading
        self._entries = None
        if self.only_field not in reading.found.by_field:
            self.only_field = None

    # -- names ---------------------------------------------------------------------------------

    def lookalikes(self, name: str) -> tuple[Lookalike, ...]:
        """What has to be asked about a name, unless the person was asked already."""
        if name in self._confirmed:
            return ()
        return similar_names(name, self.reading.record.people())

    def confirm_name(self, name: str) -> None:
        """The person says that this name is right."""
        self._confirmed.add(name)

    # -- deciding ------------------------------------------------------------------------------

    def decide_row(self, look: Look, verdict: Verdict, comment: str) -> Recorded:
        """Record a decision on what ``look`` shows.

        Raises:
            UsageError: no reviewer, a verdict that cannot be said of these rows, a comment that is none.
            ConflictError: the rows changed since they were read, or somebody was faster.
            IntegrityError: the record was altered.
            WriteError: the disk refused.
        """
        if verdict not in look.verdicts and verdict is not Verdict.NONE:
            del comment
            raise refusal(look, verdict)
        # Read once more: what is decided on has to be what stands there.
        subject = look.pair.subject
        if not self._stands(look):
            del comment
            raise ConflictError("adjudicated.files_changed")
        seen = tuple(entry.digest for entry in look.entries)
        return self._record(Kind.ROW, subject, look.item.place, None, verdict, comment, seen)

    def _stands(self, look: Look) -> bool:
        """The two rows are still those that were read."""
        try:
            return self.reading.found.pair(look.item).subject == look.pair.subject
        except ProductError:
            return False

    def decide_chain(self, review: ChainReview, verdict: Verdict, comment: str) -> Recorded:
        """Record the approval or rejection of a chain; as :meth:`decide_row`."""
        evidence = self.sources.evidence
        if evidence is None or identity(evidence) != self.reading.evidence_identity:
            del comment
            raise ConflictError("adjudicated.files_changed")
        subject = (chain_digest(review.chain),)
        place = ("", review.chain.field_id)
        seen = tuple(entry.digest for entry in review.entries)
        return self._record(Kind.CHAIN, subject, place, source_name(evidence), verdict, comment, seen)

    @property
    def can_undo(self) -> bool:
        """A decision of this session can be taken back."""
        return bool(self._undo)

    def undo(self) -> tuple[Undo, Recorded]:
        """Take the last decision of this session back: a new decision puts what stood before in force.

        Raises:
            ConflictError: there is none, or somebody has decided on it since.
        """
        if not self._undo:
            raise ConflictError("adjudicating.nothing_to_undo")
        step = self._undo[-1]
        done = self._record(step.kind, step.subject, step.place, step.source, *step.before, tuple(self._mine))
        del self._undo[-2:]  # the step, and the one that undoing it added
        return step, done

    def _record(
        self,
        kind: Kind,
        subject: Subject,
        place: tuple[str, str],
        source: str | None,
        verdict: Verdict,
        comment: str,
        seen: tuple[str, ...],
    ) -> Recorded:
        if self.reviewer is None:
            del comment
            raise UsageError("signing.no_reviewer")
        before = self.reading.record.in_force(subject)
        done = record_decision(
            self.sources.record,
            NewDecision(
                kind=kind,
                subject=subject,
                case_id=place[0] if kind is Kind.ROW else None,
                field_id=place[1],
                verdict=verdict,
                comment=comment,
                reviewer=self.reviewer,
                moment=self.clock(),
                source=source,
                seen=seen,
            ),
            self.reading.record,
        )
        self._mine.add(done.entry.digest)
        if not done.already:
            self._undo.append(Undo(kind, subject, place, source, _to_stand_again(before, self.reviewer)))
        return done

    def recorded(self, done: Recorded, item: Disagreement | None = None) -> None:
        """Take over what a decision did to the reading, without reading the other files again.

        ``item`` is the row that was decided; other decisions that came with the record are taken over at
        the next reading of the files.
        """
        old = self.reading
        record = done.record
        others = len(record.entries) - len(old.record.entries) > (0 if done.already else 1)
        standing = dict(old.standing) if item is not None else old.standing
        if item is not None:
            entries = tuple(entry for entry in record.entries if entry.place == item.place)
            standing[item.place] = row_standing(record, entries, item, old.found.pair(item))
        evidence = self.sources.evidence
        source = source_name(evidence) if evidence is not None else ""
        self.adopt(
            Reading(
                old.found,
                record,
                standing,
                review_chains(record, [review.chain for review in old.chains], source),
                old.evidence_identity,
                None if others else identity(self.sources.record),
            )
        )


def _to_stand_again(before: Entry | None, reviewer: str) -> tuple[Verdict, str]:
    """Verdict and comment that put an earlier decision back; a colleague's is not passed off as one's own."""
    if before is None:
        return Verdict.NONE, ""
    if before.reviewer == reviewer:
        return before.verdict, before.comment
    key = "back_to_why" if before.comment else "back_to"
    said = messages.text(f"adjudicating.{key}", reviewer=before.reviewer, comment=before.comment)
    return before.verdict, said[:MAX_COMMENT]


def refusal(look: Look, verdict: Verdict) -> UsageError:
    """Why a verdict cannot be said of a pair."""
    if verdict is Verdict.OUTPUT:
        return UsageError("adjudicating.output_no_gold_value", kind=look.item.field_type.value)
    if verdict is Verdict.BOTH:
        return UsageError("adjudicating.one_side_silent")
    return UsageError("adjudicating.cannot_be_said", verdict=str(verdict))
