"""The line above the dashboard: its views with their keys; the one shown stands in brackets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.actions import action
from reviewer.app.board_view import View
from reviewer.app.text import Content, join, literal
from reviewer.app.widgets.zones import Zone, ZoneLine
from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Callable


class ViewBar(ZoneLine):
    """A piece per view; where they do not fit, only the one shown is written out."""

    def __init__(self, current: Callable[[], View]) -> None:
        super().__init__()
        self._current = current

    def zones(self, width: int) -> list[Zone]:
        """The pieces from left to right."""
        for loose, short in ((True, False), (False, False), (False, True)):
            zones = self._made(loose=loose, short=short)
            if short or sum(zone.text.cell_length for zone in zones) <= width:
                return zones
        return []

    def _made(self, *, loose: bool, short: bool) -> list[Zone]:
        gap = " " if loose else ""
        zones = [Zone(Content(" "))] if loose else []
        for view in View:
            entry = action(f"view_{view.value}")
            chosen = view is self._current()
            left, right = ("[", f"]{gap}") if chosen else (" ", f" {gap}")
            words = "" if short and not chosen else f" {messages.text(f'board.view_{view.value}')}"
            text = join(
                literal(left),
                literal(entry.shown_keys[0], theme.KEY),
                literal(words, theme.STRONG if chosen else theme.QUIET),
                literal(right),
            )
            zones.append(Zone(text, entry.command, literal(entry.tip)))
        return zones
