"""What the dashboard shows besides the report: stored reports, the trend, a comparison, previews. No Textual.

:meth:`BoardDesk.look` reads files and works things out, so it belongs in a thread; what it answers with is a
value that the views paint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reviewer.app.what_if import pending_groups
from scoring.clinical.compare import compare
from scoring.errors import ProductError
from scoring.reports.stored import Reports, Shelf, StoredReport, read_any, read_report
from scoring.reports.trend import trend, why_apart

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from reviewer.app.gate_board import GateBoard
    from reviewer.app.session import Session
    from reviewer.app.what_if import Preview
    from scoring.clinical import GateReport
    from scoring.clinical.comparison import Comparison
    from scoring.reports.trend import Trend

NO_SHELF = Shelf()
REPORTS_NAME = "informes"
"""The folder of stored reports, beside the data set unless a setting names another one."""


@dataclass(frozen=True, slots=True)
class Beside:
    """An earlier run beside today's.

    Attributes:
        stored: which.
        comparison: what changed; None where the two are not comparable.
        refusal: why not, in a sentence; empty otherwise.
    """

    stored: StoredReport
    comparison: Comparison | None
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Extras:
    """What the views show besides the report.

    Attributes:
        previews: what signing the pending cases would do.
        shelf: the stored reports.
        trend: their figures in a row; None without figures of now.
        beside: the comparison that is shown; None where there is nothing to compare with.
        looked: the folder has been read.
    """

    previews: tuple[Preview, ...] = ()
    shelf: Shelf = NO_SHELF
    trend: Trend | None = None
    beside: Beside | None = None
    looked: bool = False


NOTHING_YET = Extras()


def reports_folder(session: Session) -> Path:
    """Where reports are stored and looked for."""
    return session.settings.reports_folder or session.settings.dataset_path.parent / REPORTS_NAME


class BoardDesk:
    """Keeps what was read and chosen while the app is open."""

    def __init__(self, session: Session, gate: GateBoard) -> None:
        self._session = session
        self._gate = gate
        self.reports = Reports(reports_folder(session))
        self.chosen: Path | None = None

    @property
    def folder(self) -> Path:
        """Where reports are stored."""
        return reports_folder(self._session)

    def calibration(self, shelf: Shelf, judge: str) -> Path | None:
        """The newest stored calibration of that judge on these cases; of any cases where there is no such."""
        report = self._gate.report
        mine = [one for one in reversed(shelf.calibrations) if one.judge == judge]
        here = [one for one in mine if report is not None and one.cases_digest == report.cases_digest]
        return next((one.path for one in here or mine), None)

    def look(self, shown: Sequence[str]) -> Extras:
        """Work everything out anew (slow; for a thread). Never raises ProductError.

        Args:
            shown: ids of the list on the screen of cases.
        """
        previews = self._gate.previews(pending_groups(self._session.dataset.entries, shown))
        shelf = self.reports.read()
        report = self._gate.report
        if report is None:
            return Extras(previews, shelf, looked=True)
        return Extras(previews, shelf, trend(shelf.reports, report), self._beside(shelf, report), looked=True)

    def _beside(self, shelf: Shelf, report: GateReport) -> Beside | None:
        stored = self._wanted(shelf, report)
        if stored is None:
            return None
        try:
            return Beside(stored, compare(read_report(stored.path), report))
        except ProductError as error:
            return Beside(stored, None, str(error))

    def _wanted(self, shelf: Shelf, report: GateReport) -> StoredReport | None:
        """The report that was chosen, else the newest comparable one, of other outputs if there is one."""
        if self.chosen is not None:
            stored = next((one for one in shelf.reports if one.path == self.chosen), None)
            found = read_any(self.chosen) if stored is None else stored
            if isinstance(found, StoredReport):
                return found
        fitting = [stored for stored in reversed(shelf.reports) if why_apart(stored, report) is None]
        others = [stored for stored in fitting if stored.predictions_digest != report.predictions_digest]
        return next(iter(others or fitting), None)
