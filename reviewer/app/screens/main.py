"""The reviewing screen: the queue of cases and the sheet of the selected one.

It shows what the session holds and tells the session what the person does; it decides nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.containers import Container, Horizontal, Vertical
from textual.widgets import Input, Static

from reviewer.app import theme
from reviewer.app.actions import Place, of
from reviewer.app.bindings import bindings
from reviewer.app.reviews import to_settle
from reviewer.app.screens.dialog import MessageDialog
from reviewer.app.screens.flows import Flows
from reviewer.app.screens.following import FollowingScreen
from reviewer.app.screens.history import HistoryScreen
from reviewer.app.session import FILTERS
from reviewer.app.text import Content, indent, literal, say, tell
from reviewer.app.widgets.action_bar import ActionBar
from reviewer.app.widgets.filter_bar import FilterBar
from reviewer.app.widgets.header import TopBar
from reviewer.app.widgets.queue_list import QueueList
from reviewer.app.widgets.safe_input import SafeInput
from reviewer.app.widgets.sheet_pane import SheetPane
from reviewer.review_queue import Filter
from scoring import messages
from scoring.record import Status

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from reviewer.app.actions import Action
    from reviewer.app.gate_board import GateBoard
    from reviewer.app.session import Session

POLL_SECONDS = 2.0
WIDE_FROM = 100


class MainScreen(FollowingScreen):
    """Queue beside the sheet on a wide terminal, above it on a narrow one."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.MAIN)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE_FROM, "-wide")]  # noqa: RUF012 - the type is Textual's
    VERTICAL_BREAKPOINTS = [(0, "-short"), (16, "-tall")]  # noqa: RUF012 - the type is Textual's

    def __init__(self, session: Session, gate: GateBoard) -> None:
        super().__init__(session, gate)
        self.flows = Flows(self)

    def compose(self) -> ComposeResult:
        """Header, banner, queue and sheet, footer."""
        yield TopBar(self.session, self.gate)
        yield Static(Content(""), id="banner")
        with Container(id="body"):
            with Vertical(id="queue-side"):
                yield FilterBar(self.session)
                with Horizontal(id="search-row"):
                    yield Static(tell("search_label", style=theme.KEY), id="search-label")
                    hint = messages.text("app.search_placeholder")
                    yield SafeInput(placeholder=hint, id="search", compact=True)
                yield QueueList(id="queue")
            yield SheetPane(id="sheet")
        yield ActionBar((*of(Place.MAIN), *of(Place.GENERAL)), self._in_footer)

    def on_mount(self) -> None:
        """Show the first case, start scoring and watching the file."""
        self.refresh_all()
        self.query_one(QueueList).focus()
        news = self.standing_news()
        if news:
            self.banner(news[0])
        self.begin()
        self.set_interval(POLL_SECONDS, self.poll)

    # -- showing -------------------------------------------------------------------------------

    def refresh_all(self) -> None:
        """Paint everything again from the session."""
        session = self.session
        items = session.items()
        if items and not any(item.position == session.position for item in items):
            near = self.query_one(QueueList).cursor
            session.position = items[min(near, len(items) - 1)].position
        elif not items:
            session.position = None
        self.query_one(QueueList).show(items, session.position, self._empty_text())
        self.show_case()
        self.refresh_bars()

    def refresh_bars(self) -> None:
        """Paint the header, the filters and the footer again."""
        for bar in (TopBar, FilterBar, ActionBar):
            self.query_one(bar).refresh()

    def show_case(self) -> None:
        """Show the sheet of the selected case."""
        sheet = self.session.sheet
        instead = () if sheet else (Content(" ") + tell("sheet_none"),)
        self.query_one(SheetPane).show(sheet, instead, self.session.corrected, self.session.reviews)

    def _empty_text(self) -> Content:
        if self.session.search:
            return tell("queue_no_match", text=self.session.search)
        if not self.session.progress.total:
            return tell("queue_no_cases")
        return literal(messages.text(f"app.queue_empty_{self.session.filter.value}"))

    def banner(self, text: str) -> None:
        """Show a line that stays until Escape, or none."""
        bar = self.query_one("#banner", Static)
        bar.update(literal(f" {text}", multiline=True))
        bar.set_class(bool(text), "-shown")

    def _in_footer(self, entry: Action) -> bool:
        """Who has no report of chart abstraction is not told of it all the time."""
        report = self.session.settings.abstraction.report
        return self.usable(entry) and (entry.id != "abstraction" or report is not None)

    def usable(self, entry: Action) -> bool:
        """Whether ``entry`` does something now; the footer shows no other."""
        case = self.session.entry
        if entry.id == "repair":
            return case is not None and (case.state.status is Status.DESCUADRADO or to_settle(case.state))
        if entry.id == "withdraw":
            return case is not None and case.case.validado
        if entry.id == "return":
            return case is not None and bool(case.id) and case.state.status.waits
        if entry.id == "drafts":
            return bool(self.session.desk.waiting)
        if entry.id in {"sign", "edit", "history"}:
            return case is not None
        if entry.id == "read":
            return self.session.position is not None and not self.query_one(SheetPane).has_focus
        if entry.id == "back":
            away = self._sheet_has_keys() or self.has_class("-searching") or bool(self.session.search)
            return away or self.query_one("#banner", Static).has_class("-shown")
        # While typing these two would be keys of the text; the footer shows them in dialogs instead.
        return entry.id not in {"help_typing", "quit_now"}

    # -- moving --------------------------------------------------------------------------------

    @on(QueueList.Moved)
    def _moved(self) -> None:
        self._follow()

    def _follow(self) -> None:
        """The session follows the selected row at once: the next key may already be «firmar»."""
        row = self.query_one(QueueList).selected
        position = row.position if row is not None else None
        if position != self.session.position:
            self.session.position = position
            self.show_case()
            self.refresh_bars()

    @on(QueueList.Opened)
    def _opened(self) -> None:
        self.action_read()

    def _sheet_has_keys(self) -> bool:
        return self.query_one(SheetPane).has_focus

    def action_move(self, rows: int) -> None:
        """Up and down: rows of the queue, or lines of the sheet when it has the keys."""
        if self._sheet_has_keys():
            self.query_one(SheetPane).scroll_relative(y=rows, animate=False)
        else:
            self.action_step(rows)

    def action_page(self, direction: int) -> None:
        """Pages of the sheet, wherever the keys are: reading goes on while choosing."""
        pane = self.query_one(SheetPane)
        (pane.scroll_page_down if direction > 0 else pane.scroll_page_up)(animate=False)

    def action_edge(self, direction: int) -> None:
        """First and last row, or beginning and end of the sheet."""
        if self._sheet_has_keys():
            pane = self.query_one(SheetPane)
            (pane.scroll_end if direction > 0 else pane.scroll_home)(animate=False)
        else:
            self.query_one(QueueList).edge(direction)
            self._follow()

    def action_step(self, rows: int) -> None:
        """Next and previous case, wherever the keys are."""
        self.query_one(QueueList).move(rows)
        self._follow()

    def action_swap(self) -> None:
        """Queue and sheet take turns with the keys."""
        target = QueueList if self._sheet_has_keys() else SheetPane
        if target is QueueList:
            self.remove_class("-reading")
        self.query_one(target).focus()
        self.refresh_bars()

    def action_read(self) -> None:
        """Give the sheet the keys, and on a narrow terminal the whole screen."""
        if self.session.position is not None:
            self.add_class("-reading")
            self.query_one(SheetPane).focus()
            self.refresh_bars()

    def action_back(self) -> None:
        """Step back: from the sheet to the queue, then clear the search, then the banner."""
        self.query_one("#banner", Static).remove_class("-shown")
        if self._sheet_has_keys() or self.has_class("-reading"):
            self.remove_class("-reading")
        elif self.session.search or self.has_class("-searching"):
            self.query_one("#search", Input).value = ""
            self.remove_class("-searching")
            self._search("")
        self.query_one(QueueList).focus()
        self.refresh_bars()

    # -- filters and search --------------------------------------------------------------------

    def action_show(self, name: str) -> None:
        """Show pending, signed or all cases."""
        self.session.filter = Filter(name)
        self.refresh_all()

    def action_show_next(self) -> None:
        """The next of the three filters."""
        place = FILTERS.index(self.session.filter) if self.session.filter in FILTERS else -1
        self.action_show(FILTERS[(place + 1) % len(FILTERS)].value)

    def action_search(self) -> None:
        """Type what to search for; the list follows."""
        self.remove_class("-reading")
        self.add_class("-searching")
        self.query_one("#search", Input).focus()

    @on(Input.Changed, "#search")
    def _search_changed(self, event: Input.Changed) -> None:
        self._search(event.value)

    @on(Input.Submitted, "#search")
    def _search_done(self) -> None:
        if not self.session.search:
            self.remove_class("-searching")
        self.query_one(QueueList).focus()

    def _search(self, text: str) -> None:
        if text != self.session.search:
            self.session.search = text
            self.refresh_all()

    # -- deciding ------------------------------------------------------------------------------

    @work(exclusive=True, group="deciding")
    async def action_sign(self) -> None:
        """Sign the selected case: who, what, what it does to the gate, then the next pending one."""
        self._follow()
        await self.flows.sign(stay_reading=self.has_class("-reading"))

    @work(exclusive=True, group="deciding")
    async def action_edit(self) -> None:
        """Correct the selected case."""
        self._follow()
        await self.flows.correct()

    @work(exclusive=True, group="deciding")
    async def action_withdraw(self) -> None:
        """Withdraw a signature, with the reason."""
        self._follow()
        await self.flows.withdraw()

    @work(exclusive=True, group="deciding")
    async def action_send_back(self) -> None:
        """Return a case to its author, with the reason."""
        self._follow()
        await self.flows.send_back()

    @work(exclusive=True, group="deciding")
    async def action_repair(self) -> None:
        """Settle the case: a mismatch, a disagreement, or what is decided already."""
        self._follow()
        await self.flows.repair()

    @work(exclusive=True, group="deciding")
    async def action_drafts(self) -> None:
        """What was left half done."""
        await self.flows.offer_drafts(asked=True)

    @work(exclusive=True, group="deciding")
    async def action_reviewer(self) -> None:
        """Say who signs from now on."""
        await self.flows.ask_name()

    def action_history(self) -> None:
        """The history of the selected case."""
        self._follow()
        entry = self.session.entry
        if entry is not None and entry.id:
            self.app.push_screen(HistoryScreen(self.session, self.gate, entry.id))
        else:
            say(self.app, messages.text("app_decide.history_none"))

    async def ask_at_the_beginning(self) -> None:
        """A name that only looks like a known one, then what was left half done."""
        await self.flows.confirm_given_name()
        await self.flows.offer_drafts()

    def select_case(self, case_id: str) -> bool:
        """Select a case by its id, showing all cases if the list in force lacks it; False if it is gone."""
        position = self.session.position_of(case_id)
        if position is None:
            return False
        if not any(item.position == position for item in self.session.items()):
            self.session.search = ""
            self.session.filter = Filter.ALL
        self.session.position = position
        self.refresh_all()
        return True

    def decided(self, case_id: str, *, stay_reading: bool) -> None:
        """Something about a case was saved: show the case selected now, in the sheet or in the list."""
        self.forget_news_of(case_id)
        if not stay_reading:
            self.remove_class("-reading")
            self.query_one(QueueList).focus()
        self.refresh_all()

    def action_problems(self) -> None:
        """Every problem of the file, line by line."""
        problems = self.session.file_problems()
        width = 68
        lines = [line for text in problems for line in indent(literal(text), width, literal("⚠ "))]
        title = tell("problems_title", n=len(problems)) if problems else tell("problems_none_title")
        self.app.push_screen(MessageDialog(title, lines or indent(tell("problems_none"), width, Content(""))))
