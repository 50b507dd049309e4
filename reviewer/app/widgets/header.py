"""The two lines at the top of every screen: what this is, how far it is, what the gate says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widget import Widget

from reviewer.app import theme
from reviewer.app.board_view import headline
from reviewer.app.text import Content, join, lines_of, literal, spread, tell

if TYPE_CHECKING:
    from reviewer.app.gate_board import GateBoard
    from reviewer.app.session import Session

BAR_CELLS = 12
BAR_FROM_WIDTH = 100
_FEWEST_NAME_CELLS = 18


class TopBar(Widget):
    """Name, label of honesty and reviewer; file, progress and gate. Reads the session when painted."""

    def __init__(self, session: Session, gate: GateBoard) -> None:
        super().__init__()
        self._session = session
        self._gate = gate

    def render(self) -> Content:
        """The lines that fit the height given."""
        width = self.size.width
        lines = [self._first(width), self._second(width)]
        return lines_of(lines[: max(1, self.size.height)])

    def _first(self, width: int) -> Content:
        session = self._session
        title = join(Content(" "), tell("title", style=theme.HEADING), Content("  "))
        right = (
            tell("signs_as", name=session.reviewer, style=theme.QUIET) if session.reviewer else Content("")
        )
        if session.synthetic:
            label = _chip(tell("clinical.demo_label"))
            # The label may never be cut: title and name give way, then its long form.
            if title.cell_length + label.cell_length > width:
                title = Content("")
                if label.cell_length > width:
                    label = _chip(tell("synthetic_short"))
            title = join(title, label)
        room = width - title.cell_length - 2
        if right.cell_length > room:
            right = right.truncate(room, ellipsis=True) if room >= _FEWEST_NAME_CELLS else Content("")
        return spread(title, join(right, Content(" ")), width)

    def _second(self, width: int) -> Content:
        session = self._session
        signed, total = session.progress.signed, session.progress.total
        left = [
            Content(" "),
            literal(session.file_name, theme.STRONG),
            Content("  "),
            tell("progress", signed=signed, total=total, n=total),
        ]
        if width >= BAR_FROM_WIDTH and total:
            left += [Content("  "), bar(signed, total)]
        words = join(*left)
        # A space at the right edge, and one between both halves.
        gate = headline(self._gate, width - words.cell_length - 2)
        return spread(words, join(gate, Content(" ")), width)


def _chip(text: Content) -> Content:
    return join(Content(" "), text, Content(" ")).stylize("$chip-text on $chip")


def bar(part: int, whole: int, cells: int = BAR_CELLS) -> Content:
    """A progress bar; full only when everything is done."""
    done = part * cells // whole
    return join(
        Content.styled("━" * done, theme.GOOD),
        Content.styled("─" * (cells - done), theme.RULE),
    )
