"""What was left half done, offered: go on with it, discard it, or later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from reviewer.app import theme
from reviewer.app.actions import Place
from reviewer.app.bindings import bindings
from reviewer.app.offers import offer_lines
from reviewer.app.screens.dialog import ChoiceDialog
from reviewer.app.text import Content, indent, join, literal, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from reviewer.drafts import Draft

WIDTH = 68


@dataclass(frozen=True, slots=True)
class DraftAnswer:
    """Which draft, and whether it is to be discarded rather than gone on with."""

    draft: Draft
    discard: bool = False


class DraftsDialog(ChoiceDialog["DraftAnswer | None"]):
    """A list with one selected draft."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.DRAFTS)
    PLACES: ClassVar[tuple[Place, ...]] = (Place.DRAFTS,)

    def __init__(self, drafts: Sequence[Draft], present: frozenset[str]) -> None:
        self._drafts = tuple(drafts)
        self._offers = offer_lines(self._drafts, present)
        super().__init__(tell("app_drafts.title", n=len(self._drafts)))

    def count(self) -> int:
        """The drafts that are offered."""
        return len(self._drafts)

    def laid_out(self) -> list[Content]:
        """Each draft with what is known of it."""
        lines = [*indent(tell("app_drafts.explained", style=theme.QUIET), WIDTH, Content("")), Content("")]
        for number, (offer, details) in enumerate(self._offers):
            chosen = number == self._cursor
            edge = self.edge(chosen=chosen)
            lines += [
                join(edge, line)
                for line in indent(literal(offer, theme.STRONG if chosen else ""), WIDTH - 2, Content(""))
            ]
            if details:
                lines += [
                    join(edge, line)
                    for line in indent(literal(details, theme.QUIET), WIDTH - 2, Content("  "))
                ]
        return lines

    def action_choose(self) -> None:
        """Go on with the selected one."""
        self.dismiss(DraftAnswer(self._drafts[self._cursor]))

    def action_discard(self) -> None:
        """Discard the selected one."""
        self.dismiss(DraftAnswer(self._drafts[self._cursor], discard=True))
