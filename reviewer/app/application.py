"""The Textual application: it puts session, gate and screens together, and leaves in order."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual.binding import Binding
from textual.command import CommandPalette

from reviewer.abstraction_board import AbstractionBoard
from reviewer.app import leaving
from reviewer.app.actions import Place
from reviewer.app.bindings import bindings
from reviewer.app.board_desk import BoardDesk
from reviewer.app.gate_board import GateBoard
from reviewer.app.in_turn import KeysInTurn
from reviewer.app.palette import ActionProvider
from reviewer.app.screens.abstraction import AbstractionScreen
from reviewer.app.screens.board import BoardScreen
from reviewer.app.screens.dialog import ConfirmDialog
from reviewer.app.screens.help import HelpScreen
from reviewer.app.screens.main import MainScreen
from reviewer.app.screens.saving import saving
from reviewer.app.text import Content, indent, say, tell
from reviewer.app.theme import DARK, LIGHT, THEMES
from reviewer.app.widgets.header import TopBar
from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.binding import BindingType
    from textual.screen import Screen
    from textual.timer import Timer

    from reviewer.app.session import Session

LAST_KEYS_SECONDS = 0.5
"""How long a program that is told to end works off the keys that are in."""
LOOK_SECONDS = 0.01
WATCH_SECONDS = 0.25
STOP_SECONDS = 1.5
"""How long leaving waits for a judge that was told to stop; what it judged is on the disk already."""


class LeaveDialog(ConfirmDialog):
    """Asks before leaving with something half done."""


class ReviewApp(KeysInTurn):
    """``revision`` on a terminal."""

    CSS_PATH = "styles/app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(Place.GENERAL),
        Binding("ctrl+c", "how_to_leave", show=False, system=True),
    ]
    COMMANDS: ClassVar[set[Any]] = {ActionProvider}
    ENABLE_COMMAND_PALETTE = True

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.gate = GateBoard(session.settings.predictions_path)
        self.abstraction = AbstractionBoard(session.settings.abstraction)
        self.board_desk = BoardDesk(session, self.gate)
        self._judge_timer: Timer | None = None
        self.title = messages.text("app.title")
        self._forget_signals: Callable[[], None] | None = None
        self.on_a_terminal = False
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK.name

    def get_default_screen(self) -> Screen[Any]:
        """The reviewing screen is the ground floor."""
        return MainScreen(self.session, self.gate)

    def on_load(self) -> None:
        """Listen before the terminal is taken: a program that is ended while it opens gives it back too."""
        if self.on_a_terminal:
            leaving.listen(partial(leaving.once_it_stands, self, self.told_to_end))

    def on_mount(self) -> None:
        """From here on, being told to end means ending in order; the screen that was asked for is opened."""
        if not self.is_headless:
            self._forget_signals = leaving.install(partial(leaving.once_it_stands, self, self.told_to_end))
        if self.session.settings.begin_with_abstraction:
            self.action_abstraction()

    def on_unmount(self) -> None:
        """The signals go back to whoever had them; what is half done is left to the next sitting."""
        self.session.desk.close()
        if self._forget_signals is not None:
            self._forget_signals()

    def told_to_end(self, code: int) -> None:
        """Told to from outside: what was typed until then is kept too, if that takes no time."""
        self._end_when_typed(code, time.monotonic() + LAST_KEYS_SECONDS)

    def _end_when_typed(self, code: int, until: float) -> None:
        if self.keys_in_hand and time.monotonic() < until:
            self.set_timer(LOOK_SECONDS, partial(self._end_when_typed, code, until))
        else:
            self.end(code)

    def end(self, code: int) -> None:
        """End with an exit code; what was typed is kept, and the terminal is restored on the way out."""
        self.session.desk.keeper.flush()
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

    def action_command_palette(self) -> None:
        """Open the palette, in the language of the screens."""
        if not any(isinstance(screen, CommandPalette) for screen in self.screen_stack):
            hint = messages.text("app.palette_placeholder")
            self.push_screen(CommandPalette(placeholder=hint, id="--command-palette"))

    def action_help(self) -> None:
        """Open the help."""
        if not isinstance(self.screen, HelpScreen):
            view = self.screen.view if isinstance(self.screen, BoardScreen) else None
            self.push_screen(HelpScreen(self.session, self.gate, view))

    def action_switch_theme(self) -> None:
        """Dark or light."""
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name

    def action_how_to_leave(self) -> None:
        """Ctrl+C does not end the program in the middle of something; it says what does."""
        say(self, messages.text("app.how_to_leave"))

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

    # -- faults --------------------------------------------------------------------------------

    def _fatal_error(self) -> None:
        """A fault of ours: the kind and the place are told, local variables and data are not."""
        self._return_code = leaving.CRASH_CODE
        self.session.desk.keeper.flush()
        error = self._exception
        report = leaving.crash_report(error) if error is not None else messages.text("app.crashed", kind="?")
        self._exit_renderables.append(Text(report))
        self._close_messages_no_wait()
