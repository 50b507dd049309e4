"""The dashboard: what the gate says and why. Dev always; the reserved split only when asked for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import work

from reviewer.app.actions import Place
from reviewer.app.background import in_background
from reviewer.app.bindings import bindings
from reviewer.app.board_view import board_lines
from reviewer.app.gate_board import Stage
from reviewer.app.screens.reading import ReadingScreen
from reviewer.app.text import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from reviewer.app.actions import Action
    from reviewer.app.text import Content


class BoardScreen(ReadingScreen):
    """Shows :func:`reviewer.app.board_view.board_lines`."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.BOARD)
    PLACES: ClassVar[tuple[Place, ...]] = (Place.BOARD,)

    def lines(self, width: int) -> Sequence[Content]:
        """The dashboard for this width."""
        return board_lines(self.gate, width)

    def usable(self, entry: Action) -> bool:
        """The reserved split can only be computed when there is a gate."""
        return entry.id != "test_figures" or self.gate.stage is Stage.READY

    @work(exclusive=True, group="test")
    async def action_test_figures(self) -> None:
        """Compute the aggregate of the reserved split, because somebody asks."""
        now = self.session.clock()
        refusal = await in_background(partial(self.gate.look_at_test, now))
        if refusal:
            say(self.app, refusal, severity="warning")
        self.lay_out()
