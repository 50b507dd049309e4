"""Asks about a name that only looks like a known one."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from reviewer.app import theme
from reviewer.app.actions import Place
from reviewer.app.bindings import bindings
from reviewer.app.screens.dialog import Dialog
from reviewer.app.text import Content, indent, literal, tell
from scoring.people import Likeness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from reviewer.app.actions import Action
    from scoring.people import Lookalike

WIDTH = 68


class AlikeDialog(Dialog["str | None"]):
    """Answers with the name to use; None goes back to correct it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.ALIKE)
    PLACES: ClassVar[tuple[Place, ...]] = (Place.ALIKE, Place.CANCEL)

    def __init__(self, found: Sequence[Lookalike]) -> None:
        self._typed_name, self._known_name = found[0].name, found[0].known
        lines: list[Content] = []
        for alike in found[:3]:
            lines += indent(literal(alike.sentence()), WIDTH, Content.styled("⚠ ", theme.CARE))
        key = "alike_explained" if self._known_name else "alike_explained_odd"
        if found[0].kind is Likeness.CASE:  # they do not make two people
            key = "alike_explained_case"
        lines += [Content(""), *indent(tell(f"app_decide.{key}", style=theme.QUIET), WIDTH, Content(""))]
        super().__init__(tell("app_decide.alike_title"), lines)

    def usable(self, entry: Action) -> bool:
        """The known name can only be used when there is one."""
        return entry.id != "use_known" or bool(self._known_name)

    def action_known(self) -> None:
        """Use the name that is known."""
        if self._known_name:
            self.dismiss(self._known_name)

    def action_typed(self) -> None:
        """Use the name as it was typed."""
        self.dismiss(self._typed_name)
