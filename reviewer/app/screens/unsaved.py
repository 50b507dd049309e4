"""Asks what becomes of a correction that is not saved when its screen is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from reviewer.app.actions import Place
from reviewer.app.bindings import bindings
from reviewer.app.screens.dialog import Dialog
from reviewer.app.text import Content, indent, tell

if TYPE_CHECKING:
    from textual.binding import BindingType


class UnsavedDialog(Dialog["str | None"]):
    """Answers ``left``, ``save`` or ``thrown``; None goes on correcting."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.UNSAVED)
    PLACES: ClassVar[tuple[Place, ...]] = (Place.UNSAVED, Place.CANCEL)
    GENERAL: ClassVar[tuple[str, ...]] = ("help",)

    def __init__(self, case_id: str) -> None:
        lines = indent(tell("app_edit.leave_explained", id=case_id), 68, Content(""))
        super().__init__(tell("app_edit.leave_title"), lines)

    def action_keep(self) -> None:
        """Leave it half done."""
        self.dismiss("left")

    def action_save(self) -> None:
        """Save it after all."""
        self.dismiss("save")

    def action_throw(self) -> None:
        """Throw it away."""
        self.dismiss("thrown")
