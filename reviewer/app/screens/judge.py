"""Before a judge begins: which one, where the texts go, how many cases. Nothing is sent until then."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import work

from reviewer.app import theme
from reviewer.app.actions import Place
from reviewer.app.background import in_background
from reviewer.app.bindings import bindings
from reviewer.app.screens.dialog import Dialog
from reviewer.app.screens.typing import TypeDialog
from reviewer.app.text import Content, indent, literal, tell
from scoring.errors import ProductError
from scoring.judges.choose import AUTO, NONE, judge_option
from scoring.judges.errors import CancelledError
from scoring.judges.exchange import Cancel

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.binding import BindingType

    from reviewer.app.actions import Action
    from reviewer.judging import Found

WIDTH = 68


class JudgeDialog(Dialog["Found | None"]):
    """Answers with the judge to begin with, or None.

    Args:
        find: looks for the judge that a word names; slow.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.JUDGE)
    PLACES: ClassVar[tuple[Place, ...]] = (Place.JUDGE, Place.CANCEL)

    def __init__(self, find: Callable[[str, Cancel], Found]) -> None:
        super().__init__(tell("board_judge.ask_title"), [])
        self._find = find
        self._asked = AUTO
        self._found: Found | None = None
        self._cancel = Cancel()

    def on_mount(self) -> None:
        """Look for a server on this machine."""
        self.search(AUTO)

    def on_unmount(self) -> None:
        """Nobody waits for the answer any more."""
        self._cancel.cancel()

    def usable(self, entry: Action) -> bool:
        """There must be a judge and something to judge before anything begins."""
        return entry.id != "judge_start" or self._ready

    @property
    def _ready(self) -> bool:
        found = self._found
        return found is not None and found.chosen.transport is not None and found.judgeable > 0

    def search(self, asked: str) -> None:
        """Look for another judge; the search before is given up."""
        self._cancel.cancel()
        self._cancel = Cancel()
        self._asked, self._found = asked, None
        self.set_lines(indent(tell("board_judge.searching", asked=asked), WIDTH, Content("")))
        self._search(asked, self._cancel)

    @work(exclusive=True, group="search")
    async def _search(self, asked: str, cancel: Cancel) -> None:
        try:
            found = await in_background(partial(self._find, asked, cancel))
        except CancelledError:
            return
        except ProductError as error:
            self.set_lines(self._absent(str(error)))
            return
        if cancel is not self._cancel:
            return
        self._found = found
        self.set_lines(self._told(found))

    def _told(self, found: Found) -> list[Content]:
        if found.chosen.transport is None:
            return self._absent(found.chosen.why_not)
        style = "" if found.local else theme.BAD
        lines = indent(literal(found.goes_to, style), WIDTH, Content(""))
        lines.append(Content(""))
        key = "board_judge.cases_all" if found.counted == found.judgeable else "board_judge.cases"
        lines += indent(tell(key, n=found.judgeable, counted=found.counted), WIDTH, Content(""))
        if found.interrupted:
            lines += indent(tell("board_judge.takes_up"), WIDTH, Content(""))
        calibrated = theme.QUIET if found.calibration.calibrated else theme.CARE
        lines += indent(literal(found.calibration.sentence(), calibrated), WIDTH, Content(""))
        lines.append(Content(""))
        lines += indent(tell("board_judge.meanwhile", style=theme.QUIET), WIDTH, Content(""))
        return lines

    def _absent(self, why: str) -> list[Content]:
        lines = indent(literal(why), WIDTH, Content.styled("! ", theme.CARE))
        lines.append(Content(""))
        lines += indent(tell("board_judge.optional"), WIDTH, Content(""))
        lines += indent(tell("board_judge.name_one", style=theme.QUIET), WIDTH, Content(""))
        return lines

    def action_start(self) -> None:
        """Begin, if there is a judge."""
        if self._ready:
            self.dismiss(self._found)

    @work(exclusive=True, group="other")
    async def action_other(self) -> None:
        """Name another judge."""
        typed = [self._asked]

        def accept(text: str) -> None:
            typed[0] = _option(text)

        lines = indent(tell("board_judge.other_explained", style=theme.QUIET), WIDTH, Content(""))
        dialog = TypeDialog(tell("board_judge.other_title"), lines, self._asked, check=_option, accept=accept)
        if await self.app.push_screen_wait(dialog):
            self.search(typed[0])


def _option(text: str) -> str:
    """The judge that was typed; «ninguno» is none, so it finds nobody."""
    found = judge_option(text.strip())
    return AUTO if found == NONE else found
