"""The app of ``revision --abstraccion``: it puts the desk and its screens together, and leaves in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from reviewer.app.actions import Place, of
from reviewer.app.base import TerminalApp
from reviewer.app.bindings import bindings_of
from reviewer.app.disagreements.dialog import VerdictDialog
from reviewer.app.disagreements.drafting import Comments
from reviewer.app.disagreements.help import DeskHelp
from reviewer.app.disagreements.list_screen import ListScreen
from reviewer.app.disagreements.screen import DisagreementsScreen
from reviewer.app.palette import ActionProvider
from reviewer.app.text import say
from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Iterator
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


class DeskApp(TerminalApp):
    """Adjudication on a terminal."""

    CSS_PATH = "../styles/app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of(*GENERAL)
    COMMANDS: ClassVar[set[Any]] = {DeskActions}

    def __init__(self, desk: Desk, drafts_folder: Path | None = None) -> None:
        super().__init__(messages.text("disagreements.title"))
        self.desk = desk
        self.comments = Comments(desk.sources.record, drafts_folder)

    def get_default_screen(self) -> Screen[Any]:
        """The disagreements are the ground floor."""
        return DisagreementsScreen(self.desk, self.comments)

    def keep(self) -> None:
        """Put the typed comments on the disk."""
        self.comments.keeper.flush()

    def close(self) -> None:
        """Comments that were not recorded are left to the next sitting."""
        self.comments.close()

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
