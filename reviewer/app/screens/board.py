"""The dashboard: what the gate says and why. Dev always; the reserved split only when asked for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.containers import VerticalScroll

from reviewer.app.actions import Place
from reviewer.app.background import in_background
from reviewer.app.bindings import bindings
from reviewer.app.board_desk import NOTHING_YET, Extras
from reviewer.app.board_view import View, board_lines
from reviewer.app.gate_board import Stage
from reviewer.app.screens.board_flows import BoardFlows
from reviewer.app.screens.reading import ReadingScreen
from reviewer.app.text import say
from reviewer.app.widgets.header import TopBar
from reviewer.app.widgets.view_bar import ViewBar
from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual.binding import BindingType
    from textual.widget import Widget

    from reviewer.app.actions import Action
    from reviewer.app.board_desk import BoardDesk
    from reviewer.app.gate_board import GateBoard
    from reviewer.app.session import Session
    from reviewer.app.text import Content


class BoardScreen(ReadingScreen):
    """Shows :func:`reviewer.app.board_view.board_lines`, one view at a time."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.BOARD)
    PLACES: ClassVar[tuple[Place, ...]] = (Place.BOARD,)

    def __init__(self, session: Session, gate: GateBoard, desk: BoardDesk) -> None:
        super().__init__(session, gate)
        self.desk = desk
        self.view = View.FIGURES
        self.extras: Extras = NOTHING_YET
        self._flows = BoardFlows(self)

    def above(self) -> Iterable[Widget]:
        """The views."""
        yield ViewBar(lambda: self.view)

    def on_mount(self) -> None:
        """Work out what takes a moment."""
        self.look()

    def lines(self, width: int) -> Sequence[Content]:
        """The view for this width."""
        return board_lines(self.gate, width, self.view, self.extras)

    def usable(self, entry: Action) -> bool:
        """What needs a gate is offered when there is one."""
        running = self.gate.judge_running
        if entry.id == "judge_stop":
            return running
        if entry.id == "judge_run":
            return self.gate.stage is Stage.READY and not running
        return entry.id not in {"test_figures", "pick_report", "export"} or self.gate.stage is Stage.READY

    def follow(self) -> None:
        """The gate has moved: paint it, and work out anew what hangs on it."""
        self.lay_out()
        self.look()

    def follow_judge(self, *, ended: bool) -> None:
        """The judge has gone on, or has ended."""
        if ended:
            self.follow()
        elif self.view is View.JUDGE:
            self.lay_out()

    @work(exclusive=True, group="look")
    async def look(self) -> None:
        """Work out what the views show besides the report, off the event loop."""
        shown = [item.case_id for item in self.session.items()]
        self.extras = await in_background(partial(self.desk.look, shown))
        self.lay_out()

    def action_view(self, name: str) -> None:
        """Show another view, from its beginning."""
        self.view = View(name)
        self.query_one(ViewBar).refresh()
        self.query_one(TopBar).refresh()
        self.lay_out()
        self.action_scroll_edge(-1)

    def action_turn(self, steps: int) -> None:
        """Show the next view, or the one before; after the last comes the first."""
        views = list(View)
        self.action_view(views[(views.index(self.view) + steps) % len(views)].value)

    @work(exclusive=True, group="test")
    async def action_test_figures(self) -> None:
        """Compute the aggregate of the reserved split, because somebody asks."""
        now = self.session.clock()
        refusal = await in_background(partial(self.gate.look_at_test, now))
        if refusal:
            say(self.app, refusal, severity="warning")
        self.action_view(View.FIGURES.value)
        # What was asked for stands below the figures of dev, on most screens out of sight.
        self.call_after_refresh(self._show_heading, messages.text("app.board_test"))

    def _show_heading(self, heading: str) -> None:
        """Bring the line that begins with ``heading`` to the top, as far as the text goes."""
        lines = self.lines(self.text_width)
        at = next((n for n, line in enumerate(lines) if line.plain.strip().startswith(heading)), 0)
        self.query_one("#reading", VerticalScroll).scroll_to(y=at, animate=False)

    @work(exclusive=True, group="flow")
    async def action_pick_report(self) -> None:
        """Choose the report to compare with."""
        if self.gate.stage is Stage.READY and await self._flows.pick():
            self.action_view(View.COMPARISON.value)
            self.look()

    @work(exclusive=True, group="flow")
    async def action_export(self) -> None:
        """Save the report."""
        if self.gate.stage is Stage.READY and await self._flows.export():
            self.look()

    @work(exclusive=True, group="flow")
    async def action_judge_run(self) -> None:
        """Run the judge, after asking."""
        ready = self.gate.stage is Stage.READY and not self.gate.judge_running
        if ready and await self._flows.judge():
            self.action_view(View.JUDGE.value)

    def action_judge_stop(self) -> None:
        """Interrupt the judge at once."""
        if self.gate.judge_running:
            self.gate.judge.stop()
