"""What one sitting of a reviewer holds: the data set, who signs, what is shown. No Textual here.

The slow steps (reading, writing) answer with new values and can run in a thread; the ``adopt`` steps
only change references and belong to the event loop. Nothing signs without the line that was on
the screen, so a stale screen never writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from reviewer.app import plans
from reviewer.app.desk import Desk, corrected_entry, correction_changes
from reviewer.app.reviews import open_reviews, resume, under_blind_review
from reviewer.decisions.adjudication import Adjudication
from reviewer.names import known_names
from reviewer.review_queue import Filter, Progress, Queue
from reviewer.sheet import build_sheet
from reviewer.signing import check_reviewer
from reviewer.store import Dataset
from scoring import messages
from scoring.people import similar_names
from scoring.record import Status, reads_alike
from scoring.record.audit import record_faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from reviewer.app.rebased import Rebased
    from reviewer.app.reviews import OpenReviews
    from reviewer.app.settings import Settings
    from reviewer.changes import Change
    from reviewer.review_queue import QueueItem
    from reviewer.sheet import ReviewSheet
    from reviewer.store import Decision, Entry
    from reviewer.store.plan import Signer
    from scoring.people import Lookalike
    from scoring.problems import Problem

FILTERS = (Filter.PENDING, Filter.SIGNED, Filter.ALL, Filter.RETURNED)


@dataclass(frozen=True, slots=True)
class Reading:
    """A data set with its queue, ready to be shown; made off the event loop, because both take time."""

    dataset: Dataset
    queue: Queue
    progress: Progress

    @classmethod
    def of(cls, dataset: Dataset) -> Reading:
        """Put the cases of ``dataset`` in order and count them."""
        queue = Queue(dataset.entries)
        return cls(dataset, queue, queue.progress())


def local_now() -> datetime:
    """The time on the wall, with its offset."""
    return datetime.now().astimezone()


class Session:
    """The state behind the screens; one per run of the app."""

    def __init__(self, settings: Settings, dataset: Dataset) -> None:
        self.settings = settings
        self.dataset = dataset
        self.desk = Desk(dataset.path, settings.drafts_folder)
        self._reviewer = check_reviewer(settings.reviewer) if settings.reviewer is not None else None
        self.filter = Filter.PENDING
        self.search = ""
        self.position: int | None = None
        self.queue = Queue(dataset.entries)
        self.progress = self.queue.progress()
        self.clock: Callable[[], datetime] = local_now
        self._sheets: dict[int, tuple[object, ReviewSheet]] = {}
        self._confirmed: set[str] = set()
        self._attend()

    @classmethod
    def open(cls, settings: Settings) -> Session:
        """Read the data set and check the reviewer; writes nothing.

        Raises:
            ProductError: the file or the name cannot be used.
        """
        session = cls(settings, Dataset.open(settings.dataset_path))
        if not session.progress.awaiting:
            session.filter = Filter.ALL
        items = session.items()
        session.position = items[0].position if items else None
        return session

    @property
    def reviewer(self) -> str | None:
        """Who decides; None while that is not known."""
        return self._reviewer

    @reviewer.setter
    def reviewer(self, name: str | None) -> None:
        self._reviewer = name
        self._attend()

    def _attend(self) -> None:
        """What another person has begun about a case under blind review is out of sight."""
        blind = (name for name, state in self.dataset.states.items() if under_blind_review(state))
        self.desk.attend(self._reviewer, frozenset(blind))

    # -- what is shown -------------------------------------------------------------------------

    @property
    def file_name(self) -> str:
        """The data set as the header names it."""
        return self.settings.label or self.settings.dataset_path.name

    @property
    def synthetic(self) -> bool:
        """The set says its data were invented; the screens must say it too."""
        return self.dataset.synthetic

    def items(self) -> tuple[QueueItem, ...]:
        """The rows of the queue under the filter and search in force."""
        return self.queue.view(self.filter, self.search)

    def count(self, which: Filter) -> int:
        """How many cases a filter shows, whatever the search."""
        counts = {
            Filter.PENDING: self.progress.awaiting,
            Filter.SIGNED: self.progress.signed,
            Filter.RETURNED: self.progress.returned,
            Filter.ALL: self.progress.total,
        }
        return counts[which]

    @property
    def entry(self) -> Entry | None:
        """The selected case as last read, or None when nothing is selected."""
        entries = self.dataset.entries
        if self.position is None or self.position >= len(entries):
            return None
        return entries[self.position]

    @property
    def sheet(self) -> ReviewSheet | None:
        """The review sheet of the selected case, built once for each content and state of its line."""
        entry = self.entry
        if entry is None or self.position is None:
            return None
        correction = self.desk.correction(entry.id)
        changes = correction.changes() if correction is not None else ()
        stamp = (entry.raw, entry.state, changes)
        known = self._sheets.get(self.position)
        if known is None or known[0] != stamp:
            shown = corrected_entry(entry, correction) if correction is not None and changes else entry
            known = (stamp, build_sheet(shown))
            self._sheets[self.position] = known
        return known[1]

    @property
    def corrected(self) -> tuple[Change, ...]:
        """What the correction in progress of the selected case changes, field by field; not saved yet."""
        entry = self.entry
        correction = self.desk.correction(entry.id) if entry is not None else None
        return correction_changes(correction) if correction is not None and correction.changes() else ()

    @property
    def reviews(self) -> OpenReviews | None:
        """The reviews of the selected case, once nothing of them has to be hidden and until it is signed."""
        entry = self.entry
        return None if entry is None else open_reviews(self.dataset, entry)

    @property
    def record_damaged(self) -> bool:
        """The record of signatures cannot be trusted: no signature counts and none is added."""
        return bool(record_faults(self.dataset.record))

    def file_problems(self) -> tuple[str, ...]:
        """Every problem of the record and of the file as a sentence, by line; damage of the record first."""
        damage = record_faults(self.dataset.record)
        return (
            *(messages.text("app.record_problem", sentence=fault.sentence()) for fault in damage),
            *(problem.sentence() for problem in self.dataset.problems),
        )

    def position_of(self, case_id: str) -> int | None:
        """Where the (first) case of that id stands in the file, or None."""
        for position, entry in enumerate(self.dataset.entries):
            if entry.case.id == case_id:
                return position
        return None

    def go_to_next(self, after: str) -> bool:
        """Select the case that waits for a signature after ``after``; False when none waits."""
        case_id = self.queue.next_awaiting(after)
        if case_id is None:
            return False
        self.position = self.position_of(case_id)
        return True

    # -- deciding ------------------------------------------------------------------------------

    def name(self, reviewer: str) -> None:
        """Remember who signs for the rest of the session."""
        self.reviewer = check_reviewer(reviewer)

    def lookalikes(self, reviewer: str) -> tuple[Lookalike, ...]:
        """What has to be asked about a name before it is used; empty once the person has answered."""
        if reviewer in self._confirmed:
            return ()
        return similar_names(reviewer, known_names(self.dataset))

    def confirm_name(self, reviewer: str) -> None:
        """The person says that the name is right, though it looks like another one."""
        self._confirmed.add(reviewer)

    def plan(
        self,
        reason: str | None = None,
        entry: Entry | None = None,
        *,
        adjudication: Adjudication | None = None,
        resign: bool = False,
        apart: bool = False,
    ) -> plans.SignPlan | None:
        """What a signature of ``entry`` (the selected case if None) would record; None without a case.

        Args:
            reason: why a signed case is corrected.
            entry: the case.
            adjudication: what settles a disagreement; None for any other signature.
            resign: the person replaces their own review.
            apart: the person is not the colleague whose name theirs looks like.
        """
        entry = entry or self.entry
        if entry is None:
            return None
        draft = self.desk.draft(entry.id)
        wish = plans.Wish(
            self.reviewer or "",
            correction=self.desk.correction(entry.id) if adjudication is None else None,
            adjudication=adjudication,
            reason=reason,
            comment=draft.comment if draft is not None else "",
            resign=resign,
            apart=apart or (self.reviewer or "") in self._confirmed,
        )
        return plans.sign_plan(self.dataset, entry, self.clock(), wish)

    def begin_adjudication(self, entry: Entry) -> Adjudication | None:
        """The adjudication of a case, that of its draft or a new one; None with nothing to settle."""
        reviews = open_reviews(self.dataset, entry)
        if reviews is None or entry.state.status is not Status.DESACUERDO:
            return None
        begun = Adjudication(entry.row, reviews.told)
        draft = self.desk.draft(entry.id)
        if draft is not None:
            resume(begun, draft)
        return begun

    def commit(self, plan: plans.SignPlan, signer: Signer | None = None) -> plans.Done:
        """Write the corrections and the signature of a plan (slow; for a thread)."""
        return plans.carry_out(self.dataset, plan, self.clock(), signer)

    def decide(self, decision: Decision, signer: Signer | None = None) -> plans.Done:
        """Write another decision (slow; for a thread)."""
        return plans.decide(self.dataset, decision, self.clock(), signer)

    # -- following the file --------------------------------------------------------------------

    def changed(self) -> bool:
        """Whether the file is no longer what was read (cheap; for a thread)."""
        return self.dataset.changed_on_disk()

    def reread(self) -> Reading:
        """The file as it is now (slow; for a thread)."""
        return Reading.of(self.dataset.reload())

    def settle(self) -> tuple[Reading | None, tuple[Problem, ...]]:
        """Complete a save that was interrupted, if there is one (slow; for a thread).

        Returns:
            The file as it is then (None if there was nothing to complete), and what to tell.

        Raises:
            ProductError: it could not be completed now; everything is as it was.
        """
        dataset, notices = self.dataset.settle()
        return (None if dataset is self.dataset else Reading.of(dataset)), notices

    def adopt(self, reading: Reading) -> bool:
        """Go on with a data set that was read or written meanwhile; the selection stays by id.

        Returns:
            Whether the selected case reads otherwise than before, or is gone.
        """
        before = self.entry
        self.dataset, self.queue, self.progress = reading.dataset, reading.queue, reading.progress
        self._attend()
        if before is None:
            items = self.items()
            self.position = items[0].position if items else None
            return self.position is not None
        after = self.entry
        if after is None or after.case.id != before.case.id:
            self.position = self.position_of(before.case.id)
            after = self.entry
        if after is None:
            items = self.items()
            self.position = items[0].position if items else None
            return True
        return not reads_alike(after.raw, before.raw)

    def follow_corrections(self) -> tuple[Rebased, ...]:
        """Carry the corrections in progress over to the lines as they are now."""
        return self.desk.follow(self.dataset, self.reviewer)
