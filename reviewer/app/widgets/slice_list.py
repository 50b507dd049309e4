"""The slices of a chart-abstraction report as a list; what a row says is the business of the view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from reviewer.app.abstraction_view import slice_row
from reviewer.app.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reviewer.abstraction_board import AbstractionBoard
    from reviewer.abstraction_report import Slice
    from reviewer.app.text import Content


class SliceList(VirtualList):
    """Overall, types and fields, one of them selected."""

    @dataclass
    class Moved(Message):
        """Another slice is selected (by key or mouse)."""

        place: Slice

    @dataclass
    class Opened(Message):
        """The selected slice was clicked again."""

        place: Slice

    def __init__(self, board: AbstractionBoard, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._board = board
        self._places: Sequence[Slice] = ()

    @property
    def count(self) -> int:
        """How many slices are listed."""
        return len(self._places)

    @property
    def selected(self) -> Slice | None:
        """The selected slice, or None when the list is empty."""
        return self._places[self.cursor] if self._places else None

    def show(self, places: Sequence[Slice], selected: Slice | None, empty: Content) -> None:
        """List other slices; ``selected`` is the one to select if it is among them, else the first."""
        self._places = places
        place = places.index(selected) if selected in places else 0
        self.place_at(place, empty)

    def row(self, place: int, width: int, *, chosen: bool) -> Sequence[Content]:
        """The line of one slice."""
        return (slice_row(self._board, self._places[place], width, chosen=chosen),)

    def moved(self, place: int) -> None:
        """Tell which slice is selected now."""
        self.post_message(self.Moved(self._places[place]))

    def opened(self, place: int) -> None:
        """Tell which slice was clicked again."""
        self.post_message(self.Opened(self._places[place]))
