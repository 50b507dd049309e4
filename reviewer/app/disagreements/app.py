"""The app of ``revision --abstraccion``: it puts the desk and its screens together, and leaves in order."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual.binding import Binding
from textual.command import CommandPalette

from reviewer.app import leaving
from reviewer.app.actions import Place, of
from reviewer.app.bindings import bindings_of
from reviewer.app.disagreements.dialog import VerdictDialog
from reviewer.app.disagreements.drafting import Comments
from reviewer.app.disagreements.help import DeskHelp
from reviewer.app.disagreements.list_screen import ListScreen
from reviewer.app.disagreements.screen import DisagreementsScreen
from reviewer.app.in_turn import KeysInTurn
from reviewer.app.palette import ActionProvider
from reviewer.app.text import say
from reviewer.app.theme import DARK, LIGHT, THEMES
from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from textual.binding import BindingType
    from textual.screen import Screen

    from reviewer.adjudication.desk import Desk
    from reviewer.app.actions import Action

GENERAL = ("theme", "help", "help_typing", "palette", "quit", "quit_now")


class DeskActions(ActionProvider):
    """The palette offers what the screen under it can do now."""

    def _usable(self) -> Iterator[Action]:
        screen = self.screen
        places = (screen.PLACE, Place.LISTING) if isinstance(screen, ListScreen) else ()
        for entry in of(*places):
            if entry.palette and isinstance(screen, ListScreen) and screen.usable(entry):
                yield entry
        yield from (entry for entry in of(Place.GENERAL) if entry.id in GENERAL and entry.palette)


class DeskApp(KeysInTurn):
    """Adjudication on a terminal."""

    CSS_PATH = "../styles/app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_of(*GENERAL),
        Binding("ctrl+c", "how_to_leave", show=False, system=True),
    ]
    COMMANDS: ClassVar[set[Any]] = {DeskActions}
    ENABLE_COMMAND_PALETTE = True

    def __init__(self, desk: Desk, drafts_folder: Path | None = None) -> None:
        super().__init__()
        self.desk = desk
        self.comments = Comments(desk.sources.record, drafts_folder)
        self.title = messages.text("disagreements.title")
        self._forget_signals: Callable[[], None] | None = None
        self.on_a_terminal = False
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK.name

    def get_default_screen(self) -> Screen[Any]:
        """The disagreements are the ground floor."""
        return DisagreementsScreen(self.desk, self.comments)

    def on_load(self) -> None:
        """Listen before the terminal is taken: a program that is ended while it opens gives it back too."""
        if self.on_a_terminal:
            leaving.listen(partial(leaving.once_it_stands, self, self.end))

    def on_mount(self) -> None:
        """From here on, being told to end means ending in order."""
        if not self.is_headless:
            self._forget_signals = leaving.install(partial(leaving.once_it_stands, self, self.end))

    def on_unmount(self) -> None:
        """The signals go back to whoever had them; what is half done is left to the next sitting."""
        self.comments.close()
        if self._forget_signals is not None:
            self._forget_signals()

    def end(self, code: int) -> None:
        """End with an exit code; what was typed is kept, and the terminal is restored on the way out."""
        self.comments.keeper.flush()
        self.exit(return_code=code)

    def action_leave(self) -> None:
        """Leave. Typed comments are drafts by then, so there is nothing to ask; a save is waited for."""
        if any(isinstance(screen, VerdictDialog) and screen.busy for screen in self.screen_stack):
            say(self, messages.text("app.wait_saving"), severity="warning")
            return
        self.end(0)

    def action_help(self) -> None:
        """Open the help."""
        if not isinstance(self.screen, DeskHelp):
            self.push_screen(DeskHelp())

    def action_command_palette(self) -> None:
        """Open the palette, in the language of the screens."""
        if not any(isinstance(screen, CommandPalette) for screen in self.screen_stack):
            hint = messages.text("app.palette_placeholder")
            self.push_screen(CommandPalette(placeholder=hint, id="--command-palette"))

    def action_switch_theme(self) -> None:
        """Dark or light."""
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name

    def action_how_to_leave(self) -> None:
        """Ctrl+C does not end the program in the middle of something; it says what does."""
        say(self, messages.text("app.how_to_leave"))

    def _fatal_error(self) -> None:
        """A fault of ours: the kind and the place are told, local variables and data are not."""
        self._return_code = leaving.CRASH_CODE
        self.comments.keeper.flush()
        error = self._exception
        report = leaving.crash_report(error) if error is not None else messages.text("app.crashed", kind="?")
        self._exit_renderables.append(Text(report))
        self._close_messages_no_wait()
