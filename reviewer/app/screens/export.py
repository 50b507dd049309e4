"""Asks in which form the report is saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from reviewer.app import theme
from reviewer.app.actions import Place, of
from reviewer.app.bindings import bindings
from reviewer.app.exporting import FORMATS
from reviewer.app.screens.dialog import Dialog
from reviewer.app.text import Content, indent, literal, tell
from scoring import messages

if TYPE_CHECKING:
    from textual.binding import BindingType

WIDTH = 68


class ExportDialog(Dialog["str | None"]):
    """Answers with the name of a form, or None.

    Args:
        compared: name of the report whose comparison goes with it; empty without one.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.EXPORT)
    PLACES: ClassVar[tuple[Place, ...]] = (Place.EXPORT, Place.CANCEL)

    def __init__(self, compared: str = "") -> None:
        lines = [*indent(tell("board_export.explained", style=theme.QUIET), WIDTH, Content(""))]
        if compared:
            text = tell("board_export.with_comparison", name=compared, style=theme.QUIET)
            lines += indent(text, WIDTH, Content(""))
        lines.append(Content(""))
        for entry, name in zip(of(Place.EXPORT), FORMATS, strict=True):
            words = literal(messages.text(f"board_export.form_{name}"))
            lines += indent(words, WIDTH, literal(f" {entry.shown_keys[0]}  ", theme.KEY))
        super().__init__(tell("board_export.title"), lines)

    def action_form(self, name: str) -> None:
        """This form."""
        self.dismiss(name)
