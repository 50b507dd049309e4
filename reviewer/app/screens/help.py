"""The help screen: made from the registry of actions, so it says exactly the keys that work."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from reviewer.app import theme
from reviewer.app.actions import Place, action, of
from reviewer.app.bindings import bindings
from reviewer.app.glossary import glossary_lines
from reviewer.app.rows import SYMBOLS, state_words
from reviewer.app.screens.reading import ReadingScreen
from reviewer.app.text import Content, indent, join, literal
from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from reviewer.app.actions import Action
    from reviewer.app.board_view import View
    from reviewer.app.gate_board import GateBoard
    from reviewer.app.session import Session

_KEYS_CELLS = 20
SHOWN = (
    Place.MAIN,
    Place.EDIT,
    Place.ADJUDICATE,
    Place.UNSAVED,
    Place.SIGN,
    Place.REPAIR,
    Place.DRAFTS,
    Place.BOARD,
    Place.EXPORT,
    Place.PICK,
    Place.JUDGE,
    Place.HISTORY,
    Place.ABSTRACTION,
    Place.READING,
    Place.GENERAL,
)


class HelpScreen(ReadingScreen):
    """How to work, every key, what the symbols mean."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.HELP)
    PLACES: ClassVar[tuple[Place, ...]] = (Place.HELP,)

    def __init__(self, session: Session, gate: GateBoard, view: View | None = None) -> None:
        """Args: view: that of the dashboard from which help was asked for; its words come first."""
        super().__init__(session, gate)
        self.view = view

    def lines(self, width: int) -> Sequence[Content]:
        """The help for this width."""
        if self.view is None:
            return help_lines(width)
        return [*glossary_lines(self.view, width), Content(""), *help_lines(width)]

    def offered(self) -> tuple[Action, ...]:
        """Help itself is not offered again."""
        return (*of(Place.HELP), action("quit"))


def help_lines(width: int) -> list[Content]:
    """First steps, keys by place, symbols."""
    lines = [_heading("start", width)]
    for number in range(1, 5):
        lines += indent(
            literal(messages.text(f"app.help_step_{number}")), width, literal(f" {number}. ", theme.KEY)
        )
    lines += keys_lines(SHOWN, width)
    lines += [Content(""), _heading("symbols", width)]
    for status in SYMBOLS:
        label = join(Content(" "), state_words(status)).truncate(_KEYS_CELLS, pad=True)
        lines += indent(literal(messages.text(f"app.help_state_{status}")), width, label)
    for symbol, key in (("H / L", "flag"), ("◆", "declared"), ("↳", "moved"), ("⚠", "problem")):
        label = literal(f" {symbol}").truncate(_KEYS_CELLS, pad=True)
        lines += indent(literal(messages.text(f"app.help_mark_{key}")), width, label)
    return lines


def keys_lines(places: Sequence[Place], width: int) -> list[Content]:
    """The keys of these places, each with its sentence, under the heading of its place."""
    lines: list[Content] = []
    for place in places:
        lines += [Content(""), _heading(place.value, width)]
        for entry in of(place):
            keys = literal(" " + "  ".join(entry.shown_keys), theme.KEY).truncate(_KEYS_CELLS, pad=True)
            lines += indent(literal(entry.tip), width, keys)
    return lines


def _heading(key: str, width: int) -> Content:
    words = join(literal(messages.text(f"app.help_{key}"), theme.HEADING), Content(" "))
    return join(words, Content.styled("─" * max(0, width - words.cell_length), theme.RULE)).truncate(width)
