"""The frame of a screen that decides row by row, beside the sheet: a correction, an adjudication."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Static

from reviewer.app.actions import Place, of
from reviewer.app.text import Content, literal
from reviewer.app.widgets.action_bar import ActionBar
from reviewer.app.widgets.header import TopBar
from reviewer.app.widgets.row_pane import RowPane
from reviewer.app.widgets.sheet_pane import SheetPane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from reviewer.app.actions import Action
    from reviewer.app.gate_board import GateBoard
    from reviewer.app.row_layout import Laid
    from reviewer.app.session import Session

WIDE_FROM = 100

Answer = TypeVar("Answer")
Row = TypeVar("Row")


class StepwiseScreen(Screen[Answer], Generic[Answer, Row]):
    """Header, a line that tells something, title, rows beside the sheet, keys.

    Subclasses say how rows and title read, and what the keys do. ``PLACE`` names their actions,
    ``LINES_PER_ROW`` about how many lines a row takes, which is how far a page goes.
    """

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE_FROM, "-wide")]  # noqa: RUF012 - the type is Textual's
    VERTICAL_BREAKPOINTS = [(0, "-short"), (16, "-tall")]  # noqa: RUF012 - the type is Textual's
    PLACE: ClassVar[Place]
    LINES_PER_ROW: ClassVar[int] = 1

    def __init__(self, session: Session, gate: GateBoard, case_id: str) -> None:
        super().__init__()
        self.session = session
        self.gate = gate
        self.case_id = case_id

    def compose(self) -> ComposeResult:
        """Header, title, rows beside the sheet, keys."""
        yield TopBar(self.session, self.gate)
        yield Static(Content(""), id="banner")
        yield Static(Content(""), id="edit-title")
        with Horizontal(id="edit-body"):
            yield RowPane(self.laid_out, id="edit-rows")
            yield SheetPane(id="edit-sheet")
        yield ActionBar((*of(self.PLACE), *of(Place.GENERAL)), self.usable)

    def laid_out(self, rows: Sequence[Row], cursor: int, width: int) -> Laid:
        """The rows in ``width`` cells, the one at ``cursor`` selected."""
        raise NotImplementedError

    def title_line(self) -> Content:
        """What is being done, to which case, and how far it is."""
        raise NotImplementedError

    def usable(self, entry: Action) -> bool:
        """Whether ``entry`` does something now; the footer shows no other."""
        raise NotImplementedError

    @property
    def pane(self) -> RowPane[Row]:
        """The rows."""
        return self.query_one("#edit-rows", RowPane)

    def banner(self, text: str) -> None:
        """Show a line above the rows, or none."""
        bar = self.query_one("#banner", Static)
        bar.update(literal(f" {text}", multiline=True))
        bar.set_class(bool(text), "-shown")

    def on_resize(self) -> None:
        """The title is cut to the width there is."""
        self.show_title()

    def show_title(self) -> None:
        """Write the title again."""
        title = self.title_line().truncate(max(1, self.size.width), ellipsis=True)
        self.query_one("#edit-title", Static).update(title)

    def action_move(self, rows: int) -> None:
        """Another row."""
        self.pane.move(rows)

    def action_page(self, direction: int) -> None:
        """Some rows further."""
        self.pane.move(direction * max(1, (self.size.height - 8) // self.LINES_PER_ROW))

    def action_edge(self, direction: int) -> None:
        """The first or the last row."""
        self.pane.move(direction * 100_000)
