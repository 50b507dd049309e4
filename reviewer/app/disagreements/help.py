"""The help of adjudication: first steps, every key that works there, what the symbols mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from reviewer.app import theme
from reviewer.app.actions import Place, action, of
from reviewer.app.bindings import bindings
from reviewer.app.disagreements.view import SYMBOLS, symbol
from reviewer.app.disagreements.widgets import LinesPane
from reviewer.app.screens.help import keys_lines
from reviewer.app.screens.reading import ScrolledScreen
from reviewer.app.text import Content, indent, join, literal, tell
from reviewer.app.widgets.action_bar import ActionBar
from scoring import messages

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

PLACES = (Place.DISAGREEMENTS, Place.CHAINS, Place.LISTING)
_MARGIN = 2
_LABEL_CELLS = 20


class DeskHelp(ScrolledScreen):
    """How to work, every key, the symbols."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.HELP)

    def compose(self) -> ComposeResult:
        """The text and its keys."""
        yield LinesPane(help_lines, id="reading")
        yield ActionBar((*of(Place.HELP), action("quit")))

    def on_mount(self) -> None:
        """From the top."""
        self.query_one(LinesPane).show("help")


def help_lines(width: int) -> list[Content]:
    """The text of the help."""
    width = min(width - _MARGIN, 108)
    lines = [tell("disagreements.help_title", style=theme.HEADING)]
    for number in range(1, 6):
        step = literal(messages.text(f"disagreements.help_step_{number}"))
        lines += indent(step, width, literal(f" {number}. ", theme.KEY))
    lines += keys_lines(PLACES, width)
    lines += [Content(""), tell("disagreements.help_symbols", style=theme.HEADING)]
    for state in SYMBOLS:
        words = join(Content(" "), symbol(state), Content(" "), tell(f"adjudicated.state_{state}"))
        said = literal(messages.text(f"disagreements.state_{state}"))
        lines += indent(said, width, words.truncate(_LABEL_CELLS, pad=True))
    for sign, key in (("✎", "draft"), ("⟦ ⟧", "marked")):
        said = tell(f"disagreements.help_{key}")
        lines += indent(said, width, literal(f" {sign}").truncate(_LABEL_CELLS, pad=True))
    return lines
