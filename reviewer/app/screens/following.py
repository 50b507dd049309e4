"""The part of the reviewing screen that follows the disk: the file, the drafts, and the gate over them.

Reading and scoring happen off the event loop; what comes back is shown only if it is still the latest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import work
from textual.screen import Screen

from reviewer.app.background import in_background
from reviewer.app.gate_board import Stage
from reviewer.app.rebased import rebased_text
from reviewer.app.screens.adjudicate import AdjudicateScreen
from reviewer.app.screens.board import BoardScreen
from reviewer.app.screens.edit import EditScreen
from reviewer.app.screens.history import HistoryScreen
from reviewer.app.screens.saving import saving
from reviewer.app.text import say
from scoring import messages
from scoring.errors import ProductError

if TYPE_CHECKING:
    from reviewer.app.gate_board import GateBoard
    from reviewer.app.rebased import Rebased
    from reviewer.app.session import Session
    from reviewer.store import Dataset


class FollowingScreen(Screen[None]):
    """What it shows is the business of its subclass."""

    def __init__(self, session: Session, gate: GateBoard) -> None:
        super().__init__()
        self.session = session
        self.gate = gate
        self._polling = False
        self._unreadable = ""
        self._unkept = ""
        self._refused = False
        self._news_of: str | None = None

    def refresh_all(self) -> None:
        """Paint everything again from the session."""
        raise NotImplementedError

    def refresh_bars(self) -> None:
        """Paint header and footer again."""
        raise NotImplementedError

    def banner(self, text: str) -> None:
        """Show a line that stays until it is dismissed, or none."""
        raise NotImplementedError

    async def ask_at_the_beginning(self) -> None:
        """What has to be asked once everything was read."""
        raise NotImplementedError

    @work(group="beginning")
    async def begin(self) -> None:
        """Complete an interrupted save, read the drafts, and ask what has to be asked."""
        try:
            reading, notices = await in_background(self.session.settle)
        except ProductError as error:
            self.banner(messages.text("app_decide.not_settled", why=str(error)))
            reading, notices = None, ()
        if reading is not None:
            self.session.adopt(reading)
            self.refresh_all()
            for notice in notices:
                told = messages.text("app_decide.settled", sentence=notice.sentence())
                say(self.app, told, timeout=12)
        self.load_gate()
        await in_background(self.session.desk.load)
        aside = self.session.desk.set_aside
        if aside:
            told = messages.text("app_drafts.set_aside", n=len(aside), folder=str(aside[0].parent))
            say(self.app, told, severity="warning", timeout=12)
        self.refresh_bars()
        if self.app.screen is not self:
            return  # the person is deciding something already; the footer offers what is half done
        await self.ask_at_the_beginning()

    @work(exclusive=True, group="gate")
    async def load_gate(self) -> None:
        """Score every case once, off the event loop."""
        dataset = self.session.dataset
        await in_background(lambda: self.gate.load(dataset))
        if self.session.dataset is not dataset:
            current = self.session.dataset
            await in_background(lambda: self.gate.follow(current))
        self.refresh_bars()
        for screen in self.app.screen_stack:
            if isinstance(screen, BoardScreen):
                screen.follow()
        refused, self._refused = self._refused, self.gate.stage is Stage.REFUSED
        if self._refused and not refused:  # not again with every save
            say(self.app, messages.text("app.gate_refused_toast"), severity="warning")

    async def poll(self) -> None:
        """Every two seconds: is the file still what the screen shows?"""
        if self._polling or saving(self.app):
            return
        self._tell_of_drafts()
        self._polling = True
        try:
            seen = self.session.dataset
            if await in_background(self.session.changed) and self.session.dataset is seen:
                await self._read_again(seen, asked=False)
        finally:
            self._polling = False

    def _tell_of_drafts(self) -> None:
        """What is typed cannot be kept: say so once, not at every key."""
        problem = self.session.desk.keeper.problem
        if problem and problem != self._unkept:
            told = messages.text("app_drafts.not_kept", why=problem)
            say(self.app, told, severity="warning", timeout=12)
        self._unkept = problem

    async def _read_again(self, seen: Dataset, *, asked: bool = True) -> None:
        try:
            fresh = await in_background(self.session.reread)
        except ProductError as error:
            sentence = str(error)
            if sentence != self._unreadable:
                self._unreadable = sentence
                self.banner(messages.text("app.banner_unreadable", sentence=sentence))
            return
        if self.session.dataset is not seen or saving(self.app):
            return
        was_readable, self._unreadable = not self._unreadable, ""
        before, problems = self.session.entry, len(self.session.file_problems())
        changed_case = self.session.adopt(fresh)
        rebased = self.session.follow_corrections()
        self.refresh_all()
        told = [rebased_text(found) for found in rebased]
        if not told:
            told = [self._reread_text(seen, before.id if changed_case and before is not None else None)]
        worse = self._worse_news(seen, problems)
        unmoved = was_readable and not rebased and not worse and seen.entries == self.session.dataset.entries
        if unmoved and not asked:
            return  # what stands above may be the news of a moment ago
        if worse and not rebased and not changed_case:
            told = []  # that the file was read again is understood, and there is little room
        self.banner("\n ".join([*worse, *told]))
        named = {found.case_id for found in rebased} or ({before.id} if changed_case and before else set())
        self._news_of = named.pop() if len(named) == 1 and not worse else None
        self._tell_screens(rebased)
        self.load_gate()

    def forget_news_of(self, case_id: str) -> None:
        """What stands above asked to read this case again before deciding, and it is decided."""
        if self._news_of == case_id:
            self._news_of = None
            self.banner("\n ".join(self.standing_news()))

    def standing_news(self) -> list[str]:
        """What is wrong with record and file as they are now, if anything."""
        if self.session.record_damaged:
            return [messages.text("app.banner_record")]
        problems = len(self.session.file_problems())
        return [messages.text("app.banner_problems", n=problems)] if problems else []

    def _worse_news(self, seen: Dataset, problems: int) -> list[str]:
        """What went wrong with record and file since ``seen`` was read, with so many problems."""
        now = self.session.dataset
        lost = len(seen.record.by_digest.keys() - now.record.by_digest.keys())
        news = [messages.text("app.banner_record_shorter", n=lost)] if lost else []
        if len(self.session.file_problems()) > problems:
            news = [*self.standing_news(), *news]
        return news

    def _reread_text(self, seen: Dataset, changed: str | None) -> str:
        """What is said when the file was read again; ``changed`` is the case on the screen, if it moved."""
        if changed is None:
            same = seen.entries == self.session.dataset.entries
            return messages.text("app.banner_reread_same" if same else "app.banner_reread")
        gone = bool(changed) and changed not in self.session.dataset.states
        name = changed or messages.text("app.no_id")
        return messages.text("app.banner_reread_gone" if gone else "app.banner_reread_case", id=name)

    def _tell_screens(self, rebased: tuple[Rebased, ...]) -> None:
        """Screens above this one show the same data."""
        for screen in self.app.screen_stack:
            if isinstance(screen, HistoryScreen):
                screen.read()
            if isinstance(screen, AdjudicateScreen):
                screen.data_changed()
            if not isinstance(screen, EditScreen):
                continue
            screen.refresh_rows()
            mine = [found for found in rebased if found.case_id == screen.case_id]
            if mine:
                screen.banner(rebased_text(mine[0]))
            elif screen.case_id not in self.session.dataset.states:
                screen.banner(messages.text("app_edit.case_gone", id=screen.case_id))

    @work(exclusive=True, group="reload")
    async def action_reload(self) -> None:
        """Read the file again because the person asks."""
        await self._read_again(self.session.dataset)

    @work(exclusive=True, group="reload")
    async def read_after_refusal(self) -> None:
        """Read the file again because a decision was refused; nothing is said if it was read already."""
        await self._read_again(self.session.dataset, asked=False)
