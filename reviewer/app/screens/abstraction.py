"""The dashboard of a chart-abstraction report: summary, list of slices, all of one; live.

It shows what the board holds and tells the board what the person does; reading happens off the event loop.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, Static

from reviewer.abstraction_report import OVERALL, follow, prepare
from reviewer.app import theme
from reviewer.app.abstraction_detail import detail_lines
from reviewer.app.abstraction_view import (
    WIDE_FROM,
    empty_text,
    header_lines,
    metric_at,
    summary_lines,
    trouble_text,
)
from reviewer.app.actions import Place, action, of
from reviewer.app.background import in_background
from reviewer.app.bindings import bindings
from reviewer.app.text import Content, lines_of, literal, tell
from reviewer.app.widgets.action_bar import ActionBar
from reviewer.app.widgets.safe_input import SafeInput
from reviewer.app.widgets.slice_list import SliceList
from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from reviewer.abstraction_board import AbstractionBoard
    from reviewer.abstraction_report import ReportState
    from reviewer.app.actions import Action

POLL_SECONDS = 1.0


class ReportBar(Widget):
    """The two lines at the top: what this is, which file, of when."""

    def __init__(self, board: AbstractionBoard, clock: Callable[[], datetime]) -> None:
        super().__init__()
        self._board = board
        self._clock = clock

    def render(self) -> Content:
        """The lines that fit the height given."""
        lines = header_lines(self._board, self.size.width, self._clock())
        return lines_of(lines[-1:] if self.size.height < len(lines) else lines)


class Summary(Widget):
    """Overall by every metric; a click on a metric chooses it."""

    def __init__(self, board: AbstractionBoard) -> None:
        super().__init__()
        self._board = board

    def render(self) -> Content:
        """As many lines as there is something to say."""
        return lines_of(self._lines(self.size.width))

    def _lines(self, width: int) -> list[Content]:
        return summary_lines(self._board, width, short=self.screen.has_class("-short"))

    def get_content_height(self, container: object, viewport: object, width: int) -> int:  # noqa: ARG002 - Textual's
        """One line where the terminal is low."""
        return len(self._lines(width))

    async def on_click(self, event: events.Click) -> None:
        """Choose the metric of the line."""
        number = metric_at(self._board, event.y, short=self.screen.has_class("-short"))
        if number is not None:
            await self.app.run_action(f"screen.metric({number})", self.screen)


class AbstractionScreen(Screen[None]):
    """List on the left and one slice on the right on a wide terminal; one at a time on a narrow one."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.ABSTRACTION)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE_FROM, "-wide")]  # noqa: RUF012 - the type is Textual's
    VERTICAL_BREAKPOINTS = [(0, "-short"), (18, "-tall")]  # noqa: RUF012 - the type is Textual's

    def __init__(self, board: AbstractionBoard, clock: Callable[[], datetime]) -> None:
        super().__init__()
        self.board = board
        self.clock = clock
        self._polling = False

    def compose(self) -> ComposeResult:
        """Header, notice, summary, list and detail, footer."""
        yield ReportBar(self.board, self.clock)
        yield Static(Content(""), id="banner")
        yield Summary(self.board)
        with Horizontal(id="search-row"):
            yield Static(tell("informe.search_label", style=theme.KEY), id="search-label")
            hint = messages.text("informe.search_placeholder")
            yield SafeInput(placeholder=hint, id="search", compact=True, value=self.board.search)
        with Container(id="report-body"):
            with Vertical(id="slices-side"):
                yield SliceList(self.board, id="slices")
            with VerticalScroll(id="slice-detail", can_focus=True):
                yield Static(Content(""), id="slice-text")
        yield ActionBar((*of(Place.ABSTRACTION), action("help"), action("quit")), self.usable)

    def on_mount(self) -> None:
        """Show what was read before, if anything, and begin to follow the files."""
        if self.board.search:
            self.add_class("-searching")
        self.show()
        self.query_one(SliceList).focus()
        self.begin()
        self.set_interval(POLL_SECONDS, self.poll)

    # -- following the files -------------------------------------------------------------------

    @work(exclusive=True, group="report")
    async def begin(self) -> None:
        """Read at once, without waiting for the first look."""
        await self.poll()

    async def poll(self) -> None:
        """Are the files still what the screen shows?"""
        if self._polling:
            return
        self._polling = True
        try:
            before = self.board.state
            state = await in_background(partial(self._read, before))
            if state is not before and self.board.state is before:
                self.board.adopt(state)
                self.show()
        finally:
            self._polling = False

    def _read(self, before: ReportState) -> ReportState:
        return prepare(follow(self.board.files, before, self.clock()))

    # -- showing -------------------------------------------------------------------------------

    def show(self) -> None:
        """Paint everything again from the board; the selected slice stays selected."""
        board = self.board
        places = board.places()
        # While nothing can be listed the choice waits for its slice to come back.
        self.query_one(SliceList).show(
            places, board.selected, empty_text(board, short=self.has_class("-short"))
        )
        if places and board.selected not in places and not board.search:
            board.selected = places[0]
        told = trouble_text(board, self.clock())
        banner = self.query_one("#banner", Static)
        banner.update(literal(f" {told}", multiline=True))
        banner.set_class(bool(told), "-shown")
        self.query_one(Summary).refresh(layout=True)
        self.query_one(ReportBar).refresh()
        self._show_slice()

    def _show_slice(self) -> None:
        pane = self.query_one("#slice-detail", VerticalScroll)
        place = self.query_one(SliceList).selected
        width = pane.size.width - 2 if pane.size.width else self.size.width - 2
        lines = detail_lines(self.board, place, width) if place is not None else []
        self.query_one("#slice-text", Static).update(lines_of(lines))
        self.query_one(ActionBar).refresh()

    def on_resize(self) -> None:
        """Lay everything out for the new size."""
        self.call_after_refresh(self.show)

    def usable(self, entry: Action) -> bool:
        """Whether ``entry`` does something now; the footer shows no other."""
        board = self.board
        if entry.id == "report_show":
            return len(board.shows) > 1
        if entry.id == "report_open":
            return bool(board.places()) and not self._reading()
        if entry.id in {"report_metric", "report_order", "report_search"}:
            return board.state.report.value is not None
        if entry.id == "report_back":
            return self._reading() or bool(board.search) or self.has_class("-searching")
        if entry.id == "report_leave":
            return not self.usable(action("report_back"))
        return True

    def _reading(self) -> bool:
        return self.query_one("#slice-detail").has_focus

    # -- moving --------------------------------------------------------------------------------

    @on(SliceList.Moved)
    def _moved(self) -> None:
        self._follow()

    def _follow(self) -> None:
        place = self.query_one(SliceList).selected
        if place is not None and place != self.board.selected:
            self.board.selected = place
            self.query_one("#slice-detail", VerticalScroll).scroll_home(animate=False)
            self._show_slice()

    @on(SliceList.Opened)
    def _opened(self) -> None:
        self.action_open()

    def action_move(self, rows: int) -> None:
        """Rows of the list, or lines of the slice when it has the keys."""
        if self._reading():
            self.query_one("#slice-detail", VerticalScroll).scroll_relative(y=rows, animate=False)
        else:
            self.query_one(SliceList).move(rows)
            self._follow()

    def action_page(self, direction: int) -> None:
        """Pages of the list, or of the slice when it has the keys."""
        if self._reading():
            pane = self.query_one("#slice-detail", VerticalScroll)
            (pane.scroll_page_down if direction > 0 else pane.scroll_page_up)(animate=False)
        else:
            rows = self.query_one(SliceList)
            rows.move(direction * max(1, rows.size.height - 1))
            self._follow()

    def action_edge(self, direction: int) -> None:
        """First and last row, or beginning and end of the slice."""
        if self._reading():
            pane = self.query_one("#slice-detail", VerticalScroll)
            (pane.scroll_end if direction > 0 else pane.scroll_home)(animate=False)
        else:
            self.query_one(SliceList).edge(direction)
            self._follow()

    def action_open(self) -> None:
        """Give the slice the keys, and on a narrow terminal the place."""
        if self.query_one(SliceList).selected is not None:
            self._follow()
            self.add_class("-reading")
            self.query_one("#slice-detail").focus()
            self.call_after_refresh(self._show_slice)

    def action_swap(self) -> None:
        """List and slice take turns with the keys."""
        if self._reading():
            self._to_list()
        else:
            self.action_open()

    def _to_list(self) -> None:
        self.remove_class("-reading")
        self.query_one(SliceList).focus()
        self.call_after_refresh(self._show_slice)

    def action_back(self) -> None:
        """Step back: from the slice to the list, then clear the search, then leave."""
        if self._reading() or self.has_class("-reading"):
            self._to_list()
        elif self.board.search or self.has_class("-searching"):
            self.query_one("#search", Input).value = ""
            self.remove_class("-searching")
            self._search("")
            self.query_one(SliceList).focus()
        else:
            self.action_leave()

    def action_leave(self) -> None:
        """Back to the screen below; what was chosen here is found again."""
        self.dismiss(None)

    # -- choosing ------------------------------------------------------------------------------

    def action_metric(self, number: int) -> None:
        """The metric of that number."""
        self.board.choose_metric(number)
        self.show()

    def action_next_metric(self, step: int) -> None:
        """The next metric, or the one before."""
        self.board.next_metric(step)
        self.show()

    def action_next_order(self) -> None:
        """Sort otherwise, from the first row."""
        self.board.next_order()
        self._from_the_top()

    def action_next_show(self) -> None:
        """List other fields."""
        self.board.next_show()
        self._from_the_top()

    def _from_the_top(self) -> None:
        self.board.selected = OVERALL
        self.show()

    @work(exclusive=True, group="report")
    async def action_reread(self) -> None:
        """Look at the files now, because the person asks."""
        await self.poll()

    def action_search(self) -> None:
        """Type what to search for; the list follows."""
        self.remove_class("-reading")
        self.add_class("-searching")
        self.query_one("#search", Input).focus()
        self.query_one(ActionBar).refresh()

    @on(Input.Changed, "#search")
    def _search_changed(self, event: Input.Changed) -> None:
        self._search(event.value)

    @on(Input.Submitted, "#search")
    def _search_done(self) -> None:
        if not self.board.search:
            self.remove_class("-searching")
        self.query_one(SliceList).focus()
        self.query_one(ActionBar).refresh()

    def _search(self, text: str) -> None:
        if text != self.board.search:
            self.board.search = text
            self.show()
