"""The history of one case; reading it may call ``ssh-keygen``, so it is read off the event loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import work

from reviewer.app import theme
from reviewer.app.actions import Place
from reviewer.app.background import in_background
from reviewer.app.bindings import bindings
from reviewer.app.history_view import history_lines
from reviewer.app.screens.reading import ReadingScreen
from reviewer.app.text import Content, literal, tell
from reviewer.history import history_of
from reviewer.keys import available, check_keys
from scoring.errors import ProductError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.binding import BindingType

    from reviewer.app.gate_board import GateBoard
    from reviewer.app.session import Session
    from reviewer.history import History
    from scoring.record.key_checks import KeyCheck


class HistoryScreen(ReadingScreen):
    """Every decision about a case."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.HISTORY)
    PLACES: ClassVar[tuple[Place, ...]] = (Place.HISTORY,)

    def __init__(self, session: Session, gate: GateBoard, case_id: str) -> None:
        super().__init__(session, gate)
        self.case_id = case_id
        self._history: History | None = None
        self._keys: Mapping[str, KeyCheck] = {}
        self._refusal = ""

    def on_mount(self) -> None:
        """Begin to read."""
        self.read()

    @work(exclusive=True, group="history")
    async def read(self) -> None:
        """Read the record's entries of the case and verify their keys."""
        try:
            self._history, self._keys = await in_background(self._read)
            self._refusal = ""
        except ProductError as error:
            self._refusal = str(error)
        self.lay_out()

    def _read(self) -> tuple[History, Mapping[str, KeyCheck]]:
        history = history_of(self.session.dataset, self.case_id)
        signers = self.session.settings.allowed_signers if available() else None
        return history, check_keys([step.entry for step in history.entries], signers)

    def lines(self, width: int) -> Sequence[Content]:
        """The history for this width."""
        if self._refusal:
            return [literal(self._refusal, theme.BAD, multiline=True)]
        if self._history is None:
            return [tell("app_decide.history_working", style=theme.QUIET)]
        return history_lines(self._history, self._keys, width)
