"""The Textual application: it puts session, gate and screens together, and leaves in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from reviewer.abstraction_board import AbstractionBoard
from reviewer.app.actions import Place
from reviewer.app.base import TerminalApp
from reviewer.app.bindings import bindings
from reviewer.app.board_desk import BoardDesk
from reviewer.app.gate_board import GateBoard
from reviewer.app.palette import ActionProvider
from reviewer.app.screens.abstraction import AbstractionScreen
from reviewer.app.screens.board import BoardScreen
from reviewer.app.screens.dialog import ConfirmDialog
from reviewer.app.screens.help import HelpScreen
from reviewer.app.screens.main import MainScreen
from reviewer.app.screens.saving import saving
from reviewer.app.text import Content, indent, say, tell
from reviewer.app.widgets.header import TopBar
from scoring import messages

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.screen import Screen
    from textual.timer import Timer

    from reviewer.app.session import Session

WATCH_SECONDS = 0.25
STOP_SECONDS = 1.5
"""How long leaving waits for a judge that was told to stop; what it judged is on the disk already."""


class LeaveDialog(ConfirmDialog):
    """Asks before leaving with something half done."""


class ReviewApp(TerminalApp):
    """``revision`` on a terminal."""

    CSS_PATH = "styles/app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.GENERAL)
    COMMANDS: ClassVar[set[Any]] = {ActionProvider}

    def __init__(self, session: Session) -> None:
        super().__init__(messages.text("app.title"))
        self.session = session
        self.gate = GateBoard(session.settings.predictions_path)
        self.abstraction = AbstractionBoard(session.settings.abstraction)
        self.board_desk = BoardDesk(session, self.gate)
        self._judge_timer: Timer | None = None

    def get_default_screen(self) -> Screen[Any]:
        """The reviewing screen is the ground floor."""
        return MainScreen(self.session, self.gate)

    def keep(self) -> None:
        """Put the drafts on the disk."""
        self.session.desk.keeper.flush()

    def close(self) -> None:
        """What is half done is left to the next sitting."""
        self.session.desk.close()

    def begin(self) -> None:
        """Open the screen that was asked for."""
        if self.session.settings.begin_with_abstraction:
            self.action_abstraction()

    def end(self, code: int) -> None:
        """End with an exit code; what was typed is kept, and a judge at work is stopped."""
        self.keep()
        if self.gate.judge_running:
            self.gate.judge.stop(wait=STOP_SECONDS)
        self.exit(return_code=code)

    def watch_judge(self) -> None:
        """Show how far the judge is, on whatever screen, until it has ended."""
        if self._judge_timer is None:
            self._judge_timer = self.set_interval(WATCH_SECONDS, self._show_judge)

    def _show_judge(self) -> None:
        running = self.gate.judge_running
        if not running and self._judge_timer is not None:
            self._judge_timer.stop()
            self._judge_timer = None
        for screen in self.screen_stack:
            for bar in screen.query(TopBar):
                bar.refresh()
            if isinstance(screen, BoardScreen):
                screen.follow_judge(ended=not running)
        if not running and not isinstance(self.screen, BoardScreen):
            say(self, messages.text("board_judge.ended_toast"))

    # -- actions -------------------------------------------------------------------------------

    def action_board(self) -> None:
        """Open the dashboard."""
        if not isinstance(self.screen, BoardScreen):
            self.push_screen(BoardScreen(self.session, self.gate, self.board_desk))

    def action_abstraction(self) -> None:
        """Open the report of chart abstraction; what was chosen there is kept."""
        if not any(isinstance(screen, AbstractionScreen) for screen in self.screen_stack):
            self.push_screen(AbstractionScreen(self.abstraction, self.session.clock))

    def action_help(self) -> None:
        """Open the help."""
        if not isinstance(self.screen, HelpScreen):
            view = self.screen.view if isinstance(self.screen, BoardScreen) else None
            self.push_screen(HelpScreen(self.session, self.gate, view))

    def action_leave(self) -> None:
        """Leave; asks when something typed is not saved, and waits for a decision being saved."""
        if saving(self):
            say(self, messages.text("app.wait_saving"), severity="warning")
            return
        said = self._unsaved_text()
        if said is None:
            self.end(0)
            return
        if isinstance(self.screen, LeaveDialog):
            return  # asked already
        title = "board_judge.leave_title" if self.gate.judge_running else "leave_title"
        self.push_screen(
            LeaveDialog(tell(title), indent(said, 68, Content(""))),
            lambda yes: self.end(0) if yes else None,
        )

    def _unsaved_text(self) -> Content | None:
        """What leaving would leave half done; None when it is nothing."""
        correcting = self.session.desk.correcting
        status = self.gate.judge_status
        said: list[Content] = []
        if status is not None and self.gate.judge_running:
            said.append(tell("board_judge.leave", done=status.done, total=status.total))
        if correcting:
            said.append(tell("app_drafts.leave", n=len(correcting), ids=", ".join(correcting[:5])))
        elif any(getattr(screen, "unsaved", False) for screen in self.screen_stack):
            said.append(tell("app_drafts.leave_typed"))
        return Content(" ").join(said) if said else None
