"""Asks in which form the report is saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from reviewer.app import theme
from reviewer.app.actions import Place, of
from reviewer.app.bindings import bindings
from reviewer.app.exporting import FORMATS
from reviewer.app.screens.dialog import ChoiceDialog
from reviewer.app.text import Content, indent, join, literal, tell
from scoring import messages

if TYPE_CHECKING:
    from textual.binding import BindingType

WIDTH = 68
_NAMES = tuple(FORMATS)
"""The forms in the order of their keys, 1 to 5."""


class ExportDialog(ChoiceDialog["str | None"]):
    """Answers with the name of a form, or None.

    Args:
        compared: name of the report whose comparison goes with it; empty without one.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.EXPORT)
    PLACES: ClassVar[tuple[Place, ...]] = (Place.EXPORT, Place.CANCEL)

    def __init__(self, compared: str = "") -> None:
        self._compared = compared
        super().__init__(tell("board_export.title"))

    def count(self) -> int:
        """The forms."""
        return len(_NAMES)

    def laid_out(self) -> list[Content]:
        """What is saved, and the forms with their keys."""
        lines = [*indent(tell("board_export.explained", style=theme.QUIET), WIDTH, Content(""))]
        if self._compared:
            text = tell("board_export.with_comparison", name=self._compared, style=theme.QUIET)
            lines += indent(text, WIDTH, Content(""))
        lines.append(Content(""))
        numbered = [entry for entry in of(Place.EXPORT) if entry.run.startswith("form")]
        for place, (name, entry) in enumerate(zip(_NAMES, numbered, strict=True)):
            chosen = place == self._cursor
            edge = self.edge(chosen=chosen)
            words = literal(messages.text(f"board_export.form_{name}"), theme.STRONG if chosen else "")
            number = literal(f"{entry.shown_keys[0]}  ", theme.KEY)
            lines += [join(edge, line) for line in indent(words, WIDTH - 2, number)]
        return lines

    def action_form(self, name: str) -> None:
        """This form."""
        self.dismiss(name)

    def action_choose(self) -> None:
        """The form under the cursor."""
        self.dismiss(_NAMES[self._cursor])
