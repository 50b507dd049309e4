"""A mismatch explained, and each way out told with its effect before anybody takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from reviewer.app import theme
from reviewer.app.actions import Place
from reviewer.app.bindings import bindings
from reviewer.app.changes_view import change_lines
from reviewer.app.screens.dialog import Dialog
from reviewer.app.text import Content, indent, literal, tell
from reviewer.repair import Way

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from reviewer.app.actions import Action
    from reviewer.repair import Mismatch

WIDTH = 68
CHANGES_SHOWN = 10
_WAYS = {"follow_record": Way.RECORD, "sign_anew": Way.SIGN, "withdraw_it": Way.WITHDRAW}


class RepairDialog(Dialog["Way | None"]):
    """Answers with the way out that was chosen; it is confirmed in a dialog of its own."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.REPAIR)
    PLACES: ClassVar[tuple[Place, ...]] = (Place.REPAIR, Place.CANCEL)

    def __init__(self, mismatch: Mismatch) -> None:
        super().__init__(tell("app_decide.repair_title"), mismatch_lines(mismatch))
        self._mismatch = mismatch

    def usable(self, entry: Action) -> bool:
        """A way that is closed cannot be chosen."""
        return entry.id not in _WAYS or self._mismatch.way(_WAYS[entry.id]).open

    def action_way(self, name: str) -> None:
        """Choose a way, if it is open."""
        way = Way(name)
        if self._mismatch.way(way).open:
            self.dismiss(way)


def mismatch_lines(mismatch: Mismatch) -> Sequence[Content]:
    """What the data say, what the record says, how it may have come, and the ways out."""
    lines = indent(literal(mismatch.case_id, theme.STRONG), WIDTH, Content(""))
    for said in (mismatch.data, *mismatch.record):
        lines += indent(literal(said), WIDTH, Content("• "))
    lines += indent(literal(mismatch.how, theme.QUIET), WIDTH, Content(""))
    if mismatch.changes:
        lines += indent(tell("app_decide.repair_changes"), WIDTH, Content(""))
        lines += change_lines(mismatch.changes, WIDTH, CHANGES_SHOWN)
    lines += [Content(""), *indent(tell("app_decide.repair_ways", style=theme.HEADING), WIDTH, Content(""))]
    for number, way in enumerate(mismatch.ways, start=1):
        text = (
            literal(way.text)
            if way.open
            else tell("app_decide.repair_closed", style=theme.QUIET, text=way.text)
        )
        lines += indent(text, WIDTH, literal(f"{number}. ", theme.KEY if way.open else theme.QUIET))
    return lines
