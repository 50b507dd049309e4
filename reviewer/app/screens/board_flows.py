"""The way through the dialogs of the dashboard: exporting, choosing a report, running the judge.

What they do lives in :mod:`reviewer.app.exporting`, :mod:`reviewer.app.board_desk` and
:mod:`reviewer.judging`; this module leads from one question to the next.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from reviewer.app import exporting, theme
from reviewer.app.background import in_background, saved
from reviewer.app.screens.dialog import ConfirmDialog, MessageDialog
from reviewer.app.screens.export import ExportDialog
from reviewer.app.screens.pick import PickDialog
from reviewer.app.screens.typing import TypeDialog
from reviewer.app.text import Content, indent, literal, say, tell
from scoring import messages
from scoring.errors import ProductError
from scoring.reports.stored import StoredReport, Unreadable, read_any
from scoring.sources import find_thresholds
from scoring.tables import thresholds_table

if TYPE_CHECKING:
    from pathlib import Path

    from textual.app import App

    from reviewer.app.board_desk import BoardDesk, Extras
    from reviewer.app.exporting import Target
    from reviewer.app.gate_board import GateBoard
    from reviewer.app.session import Session
    from reviewer.judging import Found
    from scoring.clinical import GateReport
    from scoring.judges.exchange import Cancel

WIDTH = 68


class FollowsJudge(Protocol):
    """An app that shows how far a judge is."""

    def watch_judge(self) -> None:
        """Look from now on."""
        ...


class Board(Protocol):
    """What the flows need of the dashboard's screen."""

    session: Session
    gate: GateBoard
    desk: BoardDesk
    extras: Extras

    @property
    def app(self) -> App[object]:
        """The app the screen belongs to."""
        ...


class BoardFlows:
    """The dialogs that the dashboard's screen leads through."""

    def __init__(self, screen: Board) -> None:
        self._screen = screen

    # -- export --------------------------------------------------------------------------------

    async def export(self) -> bool:
        """Ask for form and file and write the report; whether it was written."""
        screen = self._screen
        report = screen.gate.report
        if report is None:
            return False
        beside = screen.extras.beside if screen.desk.chosen is not None else None
        compared = beside if beside is not None and beside.comparison is not None else None
        name = await screen.app.push_screen_wait(
            ExportDialog(compared.stored.path.name if compared is not None else "")
        )
        if name is None:
            return False
        to = await self._target(name)
        if to is None:
            return False
        if compared is not None:
            report = replace(report, comparison=compared.comparison)
        return await self._write(report, name, to)

    async def _target(self, name: str) -> Target | None:
        """The file, agreed with the person where one is there already."""
        session, desk = self._screen.session, self._screen.desk
        folder = desk.folder
        typed: list[Target] = []

        def read(text: str) -> Target:
            return exporting.target(text, session.dataset.path, [session.settings.predictions_path])

        key = "board_export.where_json" if name == "json" else "board_export.where_other"
        lines = indent(tell(key, style=theme.QUIET, folder=str(folder)), WIDTH, Content(""))
        initial = str(exporting.proposed(folder, name, session.clock()))
        dialog = TypeDialog(
            tell("board_export.where"),
            lines,
            initial,
            check=read,
            accept=lambda text: typed.append(read(text)),
        )
        if not await self._screen.app.push_screen_wait(dialog):
            return None
        to = typed[-1]
        if to.exists:
            asked = indent(tell("board_export.exists", path=str(to.path)), WIDTH, Content(""))
            if not await self._screen.app.push_screen_wait(
                ConfirmDialog(tell("board_export.exists_title"), asked)
            ):
                return None
        return to

    async def _write(self, report: GateReport, name: str, to: Target) -> bool:
        try:
            written = await saved(partial(exporting.write, report, name, to))
        except ProductError as error:
            await self._tell("board_export.failed_title", str(error))
            return False
        if not written:
            await self._tell(
                "board_export.failed_title", messages.text("board_export.moved", path=str(to.path))
            )
            return False
        say(self._screen.app, messages.text("board_export.done", path=str(to.path)))
        return True

    # -- comparison ----------------------------------------------------------------------------

    async def pick(self) -> bool:
        """Ask which report to compare with; whether one was chosen."""
        screen = self._screen
        report = screen.gate.report
        if report is None:
            return False
        answer = await screen.app.push_screen_wait(PickDialog(screen.extras.shelf, report))
        if answer is None:
            return False
        path = await self._other_file() if answer.path is None else answer.path
        if path is None:
            return False
        screen.desk.chosen = path
        return True

    async def _other_file(self) -> Path | None:
        typed: list[Path] = []
        lines = indent(tell("board_export.pick_other_explained", style=theme.QUIET), WIDTH, Content(""))
        dialog = TypeDialog(
            tell("board_export.pick_other"),
            lines,
            "",
            check=exporting.named,
            accept=lambda text: typed.append(exporting.named(text)),
        )
        if not await self._screen.app.push_screen_wait(dialog):
            return None
        found = await in_background(partial(read_any, typed[-1]))
        if isinstance(found, StoredReport):
            return found.path
        why = (
            found.sentence
            if isinstance(found, Unreadable)
            else messages.text("reports.other", name=found.path.name)
        )
        await self._tell("board_export.pick_refused", why)
        return None

    async def _tell(self, title: str, sentence: str) -> None:
        lines = indent(literal(sentence, multiline=True), WIDTH, Content(""))
        await self._screen.app.push_screen_wait(MessageDialog(tell(title), lines))

    # -- judge ---------------------------------------------------------------------------------

    async def judge(self) -> bool:
        """Ask before the judge begins, and begin; whether it has begun."""
        from reviewer.app.screens.judge import JudgeDialog

        screen = self._screen
        found = await screen.app.push_screen_wait(JudgeDialog(self._find))
        if found is None:
            return False
        app: FollowsJudge = screen.app  # type: ignore[assignment]  # our app
        if not screen.gate.judge.start(found, screen.gate.join_judge):
            return False
        app.watch_judge()
        return True

    def _find(self, asked: str, cancel: Cancel) -> Found:
        """Look for a judge (slow; in a thread)."""
        from reviewer.judging import find

        gate, dataset = self._screen.gate, self._screen.session.dataset
        report = gate.report
        return find(
            asked,
            gate.candidates(),
            data=thresholds_table(find_thresholds(None, dataset.path)),
            cases_digest=report.cases_digest if report is not None else "",
            calibration_of=partial(self._screen.desk.calibration, self._screen.extras.shelf),
            cancel=cancel,
        )
