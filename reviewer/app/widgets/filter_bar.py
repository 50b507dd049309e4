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

_ACTIONS = {
    Filter.PENDING: "pending",
    Filter.SIGNED: "signed",
    Filter.ALL: "all",
    Filter.RETURNED: "returned",
}


class FilterBar(ZoneLine):
    """The filters with their keys and counts; the one in force stands in brackets."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session

    def zones(self, width: int) -> list[Zone]:
        """A piece per filter that has cases; where they do not fit, the one in force is shortened last."""
        zones = self._made(short=False)
        for whole in (True, False):
            if sum(zone.text.cell_length for zone in zones) <= width:
                break
            zones = self._made(short=True, whole=whole)
        return zones

    def _made(self, *, short: bool, whole: bool = True) -> list[Zone]:
        session = self._session
        zones = [] if short else [Zone(Content(" "))]
        for which in FILTERS:
            entry = action(_ACTIONS[which])
            chosen = which is session.filter
            if which is Filter.RETURNED and not chosen and not session.count(which):
                continue  # nothing to list: the line stays short where nobody returns cases
            left, right = ("[", "]") if chosen else (" ", "" if short else " ")
            key = (
                f"filter_short_{which.value}" if short and not (chosen and whole) else f"filter_{which.value}"
            )
            words = f"{messages.text(f'app.{key}')} {session.count(which)}"
            text = join(
                literal(left),
                literal(f"{entry.shown_keys[0]} ", theme.KEY),
                literal(words, theme.STRONG if chosen else theme.QUIET),
                literal(right),
            )
            zones.append(Zone(text, entry.command, literal(entry.tip)))
        return zones
