"""Chooses an earlier report to compare with, from the stored ones or from another folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from reviewer.app import theme
from reviewer.app.actions import Place
from reviewer.app.bindings import bindings
from reviewer.app.panels.common import outputs_name
from reviewer.app.screens.dialog import ChoiceDialog
from reviewer.app.text import Content, indent, join, literal, tell
from scoring import messages
from scoring.clinical.gate import Verdict
from scoring.reports.trend import why_apart

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from textual.binding import BindingType

    from reviewer.app.actions import Action
    from scoring.clinical import GateReport
    from scoring.reports.stored import Shelf, StoredReport

WIDTH = 68
_SHOWN = 7
_VERDICTS = frozenset(verdict.value for verdict in Verdict)


@dataclass(frozen=True, slots=True)
class PickAnswer:
    """The report that was chosen; no path where it is in another folder and has to be named."""

    path: Path | None


class PickDialog(ChoiceDialog["PickAnswer | None"]):
    """A list with one selected report."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.PICK)
    PLACES: ClassVar[tuple[Place, ...]] = (Place.PICK, Place.CANCEL)

    def __init__(self, shelf: Shelf, report: GateReport) -> None:
        self._folder = shelf.folder
        self._reports: Sequence[StoredReport] = tuple(reversed(shelf.reports))
        self._report = report
        super().__init__(tell("board_export.pick_title"))

    def usable(self, entry: Action) -> bool:
        """Without reports there is nothing to choose among."""
        return entry.id not in {"pick_this", "pick_up", "pick_down"} or bool(self._reports)

    def count(self) -> int:
        """The stored reports, the latest first."""
        return len(self._reports)

    def laid_out(self) -> list[Content]:
        """The reports around the chosen one."""
        if not self._reports:
            return indent(tell("board_export.pick_none", folder=str(self._folder)), WIDTH, Content(""))
        first = max(0, min(self._cursor - _SHOWN // 2, len(self._reports) - _SHOWN))
        lines: list[Content] = []
        for number in range(first, min(first + _SHOWN, len(self._reports))):
            stored, chosen = self._reports[number], number == self._cursor
            edge = self.edge(chosen=chosen)
            head, below = _described(stored, self._report)
            lines.append(join(edge, literal(head, theme.STRONG if chosen else "")).truncate(WIDTH))
            lines += [join(edge, line) for line in indent(below, WIDTH - 2, Content("  "))]
        if len(self._reports) > _SHOWN:
            count = tell(
                "board_export.pick_more", style=theme.QUIET, at=self._cursor + 1, total=len(self._reports)
            )
            lines += [Content(""), count]
        return lines

    def action_choose(self) -> None:
        """Compare with the selected one."""
        if self._reports:
            self.dismiss(PickAnswer(self._reports[self._cursor].path))

    def action_other(self) -> None:
        """Compare with a file of another folder."""
        self.dismiss(PickAnswer(None))


def _described(stored: StoredReport, report: GateReport) -> tuple[str, Content]:
    """When, what verdict and on how many cases; then from where, or why it is not comparable."""
    at = messages.text("board.no_date") if stored.at is None else f"{stored.at.astimezone():%Y-%m-%d %H:%M}"
    known = stored.verdict in _VERDICTS
    verdict = messages.text(f"app.verdict_{stored.verdict}") if known else stored.verdict[:20]
    counted = messages.text("board.trend_counted", n=stored.counted)
    reason = why_apart(stored, report)
    if reason is not None:
        return f"{at}  {stored.path.name}", tell(f"board_judge.apart_{reason}", style=theme.CARE)
    where = f"{outputs_name(stored.generator)} · {stored.path.name}"
    return f"{at}  {verdict}  {counted}", literal(where, theme.QUIET).truncate(WIDTH - 4, ellipsis=True)
