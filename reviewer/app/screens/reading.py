"""A whole-screen text that scrolls: the frame of dashboard and help."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from reviewer.app.actions import Place, action, of
from reviewer.app.bindings import bindings
from reviewer.app.text import Content, lines_of
from reviewer.app.widgets.action_bar import ActionBar
from reviewer.app.widgets.header import TopBar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.widget import Widget

    from reviewer.app.actions import Action
    from reviewer.app.gate_board import GateBoard
    from reviewer.app.session import Session

MARGIN = 2
WIDEST = 108


class ScrolledScreen(Screen[None]):
    """A screen whose keys scroll what has the id ``reading``."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.READING)

    def action_scroll(self, lines: int) -> None:
        """Scroll by lines."""
        self.query_one("#reading", VerticalScroll).scroll_relative(y=lines, animate=False)

    def action_scroll_page(self, direction: int) -> None:
        """Scroll by pages."""
        area = self.query_one("#reading", VerticalScroll)
        (area.scroll_page_down if direction > 0 else area.scroll_page_up)(animate=False)

    def action_scroll_edge(self, direction: int) -> None:
        """Scroll to the beginning or the end."""
        area = self.query_one("#reading", VerticalScroll)
        (area.scroll_end if direction > 0 else area.scroll_home)(animate=False)

    def action_leave(self) -> None:
        """Back to the screen below."""
        self.dismiss(None)


class ReadingScreen(ScrolledScreen):
    """Header, text, keys. Subclasses say which lines; they are laid out again for each width."""

    VERTICAL_BREAKPOINTS = [(0, "-short"), (16, "-tall")]  # noqa: RUF012 - the type is Textual's
    PLACES: ClassVar[tuple[Place, ...]] = ()

    def __init__(self, session: Session, gate: GateBoard) -> None:
        super().__init__()
        self.session = session
        self.gate = gate

    def compose(self) -> ComposeResult:
        """Header, scrolling text, footer."""
        yield TopBar(self.session, self.gate)
        yield from self.above()
        with VerticalScroll(id="reading", can_focus=False):
            yield Static(Content(""), id="reading-text")
        yield ActionBar(self.offered(), self.usable)

    def above(self) -> Iterable[Widget]:
        """Widgets between the header and the text."""
        return ()

    def lines(self, width: int) -> Sequence[Content]:
        """The text for a width."""
        raise NotImplementedError

    def offered(self) -> tuple[Action, ...]:
        """The actions of the footer."""
        return (*of(*self.PLACES), action("help"), action("quit"))

    def usable(self, entry: Action) -> bool:
        """Whether ``entry`` does something now."""
        return bool(entry)

    def on_resize(self) -> None:
        """Lay the text out for the new width."""
        self.lay_out()

    @property
    def text_width(self) -> int:
        """Cells that a line of the text may take."""
        return min(WIDEST, max(24, self.size.width - 2 * MARGIN - 2))

    def lay_out(self) -> None:
        """Write the text again; the place read stays."""
        if not self.is_mounted:
            return
        self.query_one("#reading-text", Static).update(lines_of(self.lines(self.text_width)))
        self.query_one(TopBar).refresh()
        self.query_one(ActionBar).refresh()
