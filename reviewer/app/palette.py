"""The command palette: it offers the actions of the registry that can be done now."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.command import DiscoveryHit, Hit, Provider

from reviewer.app.actions import Place, of
from reviewer.app.screens.abstraction import AbstractionScreen
from reviewer.app.screens.adjudicate import AdjudicateScreen
from reviewer.app.screens.board import BoardScreen
from reviewer.app.screens.edit import EditScreen
from reviewer.app.screens.main import MainScreen
from reviewer.app.text import Content
from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.command import Hits

    from reviewer.app.actions import Action

_PLACES = (
    (MainScreen, Place.MAIN),
    (BoardScreen, Place.BOARD),
    (EditScreen, Place.EDIT),
    (AdjudicateScreen, Place.ADJUDICATE),
    (AbstractionScreen, Place.ABSTRACTION),
)
"""The screens with actions of their own to offer."""


class ActionProvider(Provider):
    """Searches the actions of the screen the palette was opened on."""

    def _usable(self) -> Iterator[Action]:
        screen = self.screen
        of_screen, usable = [], None
        for kind, place in _PLACES:
            if isinstance(screen, kind):
                of_screen, usable = [place], screen.usable
        for entry in of(*of_screen, Place.GENERAL):
            if entry.palette and (usable is None or usable(entry)):
                yield entry

    async def discover(self) -> Hits:
        """Everything, before anything is typed."""
        for entry in self._usable():
            yield DiscoveryHit(
                Content(f"{entry.label}  ({entry.shown_keys[0]})"),
                partial(self.app.run_action, entry.command, self.screen),
                text=entry.label,
                help=entry.tip,
            )

    async def search(self, query: str) -> Hits:
        """The actions whose words fit ``query``."""
        matcher = self.matcher(query)
        found = False
        for entry in self._usable():
            # Fuzzy letters are found in almost any sentence; the short names tell actions apart.
            score = matcher.match(entry.label)
            if score > 0:
                found = True
                yield Hit(
                    score,
                    Content(f"{entry.label}  ({entry.shown_keys[0]})"),
                    partial(self.app.run_action, entry.command, self.screen),
                    text=entry.label,
                    help=entry.tip,
                )
        if not found:
            nothing = messages.text("app.palette_nothing")
            yield Hit(0.01, Content(nothing), lambda: None, text=nothing)
