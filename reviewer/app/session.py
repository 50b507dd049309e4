"""What one sitting of a reviewer holds: the data set, who signs, what is shown. No Textual here.

The slow steps (reading, writing) answer with new values and can run in a thread; the ``adopt`` steps
only change references and belong to the event loop. Nothing signs without the digest of the line
that was on the screen, so a stale screen never writes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from reviewer.review_queue import Filter, Queue
from reviewer.sheet import build_sheet
from reviewer.signing import Sign, check_reviewer, preview
from reviewer.store import Dataset
from scoring.errors import DataError, ProductError
from scoring.record import Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from reviewer.app.settings import Settings
    from reviewer.review_queue import QueueItem
    from reviewer.sheet import ReviewSheet
    from reviewer.store import Applied, Entry

FILTERS = (Filter.PENDING, Filter.SIGNED, Filter.ALL)
DIGEST_SHOWN = 12


@dataclass(frozen=True, slots=True)
class SignPlan:
    """What pressing «firmar» would record, worked out from what is on the screen.

    Attributes:
        case_id: the case.
        reviewer: who signs.
        line_digest: digest of the line the person has read; the store refuses any other.
        split: ``dev`` or ``test``.
        resign: the case does not simply wait for a signature; the store has to be told so.
        signed_by: who signed before, with the date, when that signature would be replaced.
        state_note: what to know about the case's state before signing, or empty.
        date: ISO date that the line will carry.
        digest: beginning of the content digest.
        adopts: signatures already in the data that enter the record with this one.
        refusals: why it cannot be signed; empty when it can.
    """

    case_id: str
    reviewer: str
    line_digest: str
    split: str
    resign: bool = False
    signed_by: tuple[str, str] | None = None
    state_note: str = ""
    date: str = ""
    digest: str = ""
    adopts: int = 0
    refusals: tuple[str, ...] = ()

    def decision(self) -> Sign:
        """The decision as the store takes it."""
        return Sign(
            ids=(self.case_id,),
            reviewer=self.reviewer,
            resign=self.resign,
            way="app",
            expected={self.case_id: self.line_digest},
        )


def problem_sentences(error: ProductError) -> tuple[str, ...]:
    """The problems an error carries, a sentence each; empty when it carries none."""
    return tuple(problem.sentence() for problem in error.problems) if isinstance(error, DataError) else ()


def local_now() -> datetime:
    """The time on the wall, with its offset."""
    return datetime.now().astimezone()


class Session:
    """The state behind the screens; one per run of the app."""

    def __init__(self, settings: Settings, dataset: Dataset) -> None:
        self.settings = settings
        self.dataset = dataset
        self.reviewer = check_reviewer(settings.reviewer) if settings.reviewer is not None else None
        self.filter = Filter.PENDING
        self.search = ""
        self.position: int | None = None
        self.queue = Queue(dataset.entries)
        self.progress = self.queue.progress()
        self.clock: Callable[[], datetime] = local_now
        self._sheets: dict[int, tuple[str, ReviewSheet]] = {}

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
        stamp = f"{entry.line_digest} {entry.state}"
        known = self._sheets.get(self.position)
        if known is None or known[0] != stamp:
            known = (stamp, build_sheet(entry))
            self._sheets[self.position] = known
        return known[1]

    def file_problems(self) -> tuple[str, ...]:
        """Every problem of the file as a sentence, by line."""
        return tuple(problem.sentence() for problem in self.dataset.problems)

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

    def plan(self) -> SignPlan | None:
        """What a signature of the selected case would record, or None when nothing is selected."""
        entry = self.entry
        if entry is None:
            return None
        state = entry.state
        plan = SignPlan(
            case_id=entry.id,
            reviewer=self.reviewer or "",
            line_digest=entry.line_digest,
            split=entry.case.split,
            resign=not state.status.waits,
            signed_by=(state.reviewer or "", state.date or "") if state.status is Status.FIRMADO else None,
            state_note="" if state.status in {Status.FIRMADO, Status.PENDIENTE} else state.sentence(),
        )
        if not entry.id:
            return replace(plan, refusals=tuple(problem.sentence() for problem in entry.problems))
        try:
            shown = preview(self.dataset, plan.decision(), moment=self.clock())
        except ProductError as error:
            return replace(plan, refusals=problem_sentences(error) or (str(error),))
        return replace(
            plan, date=shown.date, digest=shown.cases[0].content_digest[:DIGEST_SHOWN], adopts=shown.adopts
        )

    def commit(self, plan: SignPlan) -> Applied:
        """Write the signature (slow; for a thread).

        Raises:
            ProductError: nothing was written; the sentence says why.
        """
        return self.dataset.apply(plan.decision(), moment=self.clock())

    # -- following the file --------------------------------------------------------------------

    def changed(self) -> bool:
        """Whether the file is no longer what was read (cheap; for a thread)."""
        return self.dataset.changed_on_disk()

    def reread(self) -> Dataset:
        """The file as it is now (slow; for a thread)."""
        return self.dataset.reload()

    def adopt(self, dataset: Dataset) -> bool:
        """Go on with a data set that was read or written meanwhile; the selection stays by id.

        Returns:
            Whether the selected case reads otherwise than before, or is gone.
        """
        before = self.entry
        self.dataset = dataset
        self.queue = Queue(dataset.entries)
        self.progress = self.queue.progress()
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
        return after.line_digest != before.line_digest
