"""A list beside (or above) the text of what is selected in it: the frame of both screens here."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Container, Vertical
from textual.screen import Screen
from textual.widgets import Static

from reviewer.app.actions import Place, of
from reviewer.app.bindings import bindings
from reviewer.app.disagreements.widgets import HeadBar, LinesPane, PickedList, ShowBar
from reviewer.app.text import Content, literal
from reviewer.app.widgets.action_bar import ActionBar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from reviewer.app.actions import Action
    from reviewer.app.widgets.zones import Zone

WIDE_FROM = 100
_GENERAL = ("help", "quit")


class ListScreen(Screen[None]):
    """What is listed and shown is the business of its subclasses."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.LISTING)
    PLACE: ClassVar[Place]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE_FROM, "-wide")]  # noqa: RUF012 - the type is Textual's
    VERTICAL_BREAKPOINTS = [(0, "-short"), (16, "-tall")]  # noqa: RUF012 - the type is Textual's

    def compose(self) -> ComposeResult:
        """Header, banner, list and text, footer."""
        yield HeadBar(self.head)
        yield Static(Content(""), id="banner")
        with Container(id="body"):
            with Vertical(id="queue-side"):
                yield ShowBar(self.shown)
                yield PickedList(self.row, id="queue")
            yield LinesPane(self.detail, id="sheet")
        offered = (*of(self.PLACE, Place.LISTING), *(e for e in of(Place.GENERAL) if e.id in _GENERAL))
        yield ActionBar(offered, self.usable)

    # -- for subclasses ------------------------------------------------------------------------

    def head(self, width: int) -> Sequence[Content]:
        """The lines at the top."""
        raise NotImplementedError

    def shown(self, width: int) -> list[Zone]:
        """The line above the list."""
        raise NotImplementedError

    def row(self, number: int, width: int, chosen: bool) -> Content:  # noqa: FBT001 - a callback
        """One line of the list."""
        raise NotImplementedError

    def detail(self, width: int) -> Sequence[Content]:
        """The text of what is selected."""
        raise NotImplementedError

    def follow(self) -> None:
        """Another row is selected."""
        raise NotImplementedError

    def usable(self, entry: Action) -> bool:
        """Whether ``entry`` does something now."""
        if entry.id == "list_read":
            return self.picked.selected is not None and not self.pane.has_focus
        if entry.id == "list_back":
            return self._away() or self.app.screen_stack[0] is not self
        return True

    def leave(self) -> None:
        """Escape with nothing to step back from."""

    # -- showing -------------------------------------------------------------------------------

    @property
    def picked(self) -> PickedList:
        """The list."""
        return self.query_one(PickedList)

    @property
    def pane(self) -> LinesPane:
        """The text."""
        return self.query_one(LinesPane)

    def banner(self, text: str) -> None:
        """Show a line that stays until Escape, or none."""
        bar = self.query_one("#banner", Static)
        bar.update(literal(f" {text}", multiline=True))
        bar.set_class(bool(text), "-shown")

    def refresh_bars(self) -> None:
        """Paint header, filters and footer again."""
        for kind in (HeadBar, ShowBar, ActionBar):
            self.query_one(kind).refresh()

    # -- moving --------------------------------------------------------------------------------

    @on(PickedList.Moved)
    def _moved(self) -> None:
        self.follow()

    @on(PickedList.Opened)
    def _opened(self) -> None:
        self.action_read()

    def action_move(self, rows: int) -> None:
        """Up and down: rows of the list, or lines of the text when it has the keys."""
        if self.pane.has_focus:
            self.pane.scroll_relative(y=rows, animate=False)
        else:
            self.picked.move(rows)
            self.follow()

    def action_page(self, direction: int) -> None:
        """Pages of the text, wherever the keys are."""
        (self.pane.scroll_page_down if direction > 0 else self.pane.scroll_page_up)(animate=False)

    def action_edge(self, direction: int) -> None:
        """First and last row, or beginning and end of the text."""
        if self.pane.has_focus:
            (self.pane.scroll_end if direction > 0 else self.pane.scroll_home)(animate=False)
        else:
            self.picked.edge(direction)
            self.follow()

    def action_swap(self) -> None:
        """List and text take turns with the keys."""
        if self.pane.has_focus:
            self.remove_class("-reading")
            self.picked.focus()
        else:
            self.pane.focus()
        self.refresh_bars()

    def action_read(self) -> None:
        """Give the text the keys, and on a narrow terminal the whole screen."""
        if self.picked.selected is not None:
            self.add_class("-reading")
            self.pane.focus()
            self.refresh_bars()

    def action_back(self) -> None:
        """Step back: from the text to the list, then the banner, then out of here."""
        if not self._away():
            self.leave()
            return
        self.query_one("#banner", Static).remove_class("-shown")
        self.remove_class("-reading")
        self.picked.focus()
        self.refresh_bars()

    def _away(self) -> bool:
        reading = self.pane.has_focus or self.has_class("-reading")
        return reading or self.query_one("#banner", Static).has_class("-shown")
