"""A line made of pieces that can be clicked, each with its own tooltip.

Textual's own links would paint every piece in one link colour; here a piece keeps its styles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.widget import Widget

from reviewer.app.text import Content, join

if TYPE_CHECKING:
    from textual import events


@dataclass(frozen=True, slots=True)
class Zone:
    """One piece: what it shows, the action a click runs (or empty), the sentence of its tooltip (or None)."""

    text: Content
    command: str = ""
    tip: Content | None = None


class ZoneLine(Widget):
    """One line of zones; subclasses say which for the width there is."""

    def zones(self, width: int) -> list[Zone]:
        """The pieces from left to right."""
        raise NotImplementedError

    def render(self) -> Content:
        """The pieces as one line."""
        width = self.size.width
        return join(*(zone.text for zone in self.zones(width))).truncate(width, ellipsis=True)

    def _zone_at(self, x: int) -> Zone | None:
        end = 0
        for zone in self.zones(self.size.width):
            end += zone.text.cell_length
            if x < end:
                return zone
        return None

    async def on_click(self, event: events.Click) -> None:
        """Run the action of the piece under the mouse."""
        zone = self._zone_at(event.x)
        if zone is not None and zone.command:
            await self.app.run_action(zone.command, self.screen)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """The tooltip is that of the piece under the mouse."""
        zone = self._zone_at(event.x)
        self.tooltip = zone.tip if zone is not None else None
