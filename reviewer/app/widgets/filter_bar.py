"""The line above the queue: which cases it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.actions import action
from reviewer.app.session import FILTERS
from reviewer.app.text import Content, join, literal
from reviewer.app.widgets.zones import Zone, ZoneLine
from reviewer.review_queue import Filter
from scoring import messages

if TYPE_CHECKING:
    from reviewer.app.session import Session

_ACTIONS = {Filter.PENDING: "pending", Filter.SIGNED: "signed", Filter.ALL: "all"}


class FilterBar(ZoneLine):
    """The filters with their keys and counts; the one in force stands in brackets."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session

    def zones(self, width: int) -> list[Zone]:  # noqa: ARG002 - cut where it is painted
        """A piece per filter."""
        session = self._session
        zones = [Zone(Content(" "))]
        for which in FILTERS:
            entry = action(_ACTIONS[which])
            chosen = which is session.filter
            left, right = ("[", "]") if chosen else (" ", " ")
            words = f"{messages.text(f'app.filter_{which.value}')} {session.count(which)}"
            text = join(
                literal(left),
                literal(f"{entry.shown_keys[0]} ", theme.KEY),
                literal(words, theme.STRONG if chosen else theme.QUIET),
                literal(right),
            )
            zones.append(Zone(text, entry.command, literal(entry.tip)))
        return zones
