"""The correction screen: everything of a case that a reviewer may change, with undo until it is saved.

What a key does to a row is decided in :mod:`reviewer.app.editing`; every step is kept as a draft at once.
"""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import work

from reviewer.app import editing, half_typed, theme
from reviewer.app.actions import Place
from reviewer.app.bindings import bindings
from reviewer.app.desk import corrected_entry, correction_changes
from reviewer.app.edit_view import lay_out
from reviewer.app.editing import EditRow, Section, rows_of
from reviewer.app.screens.stepwise import StepwiseScreen
from reviewer.app.screens.typing import TypeDialog
from reviewer.app.screens.unsaved import UnsavedDialog
from reviewer.app.text import Content, indent, join, say, tell
from reviewer.app.widgets.action_bar import ActionBar
from reviewer.app.widgets.sheet_pane import SheetPane
from reviewer.decisions.fields import SIGNS
from reviewer.sheet import build_sheet
from scoring import messages
from scoring.errors import ProductError, UsageError
from scoring.record import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.binding import BindingType

    from reviewer.app.actions import Action
    from reviewer.app.gate_board import GateBoard
    from reviewer.app.row_layout import Laid
    from reviewer.app.session import Session
    from reviewer.signing import EditSession


class EditAnswer(StrEnum):
    """How the screen was left."""

    LEFT = "left"
    SAVE = "save"
    SIGN = "sign"
    THROWN = "thrown"


class EditScreen(StepwiseScreen[EditAnswer, EditRow]):
    """Rows to change, and beside them, where there is room, the sheet as it would read."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.EDIT)
    PLACE = Place.EDIT

    def __init__(
        self,
        session: Session,
        gate: GateBoard,
        correction: EditSession,
        notice: str = "",
        half: Mapping[str, Any] | None = None,
    ) -> None:
        """``half``: a line that was being typed the last time."""
        super().__init__(session, gate, correction.case_id)
        self._half = half
        self._correction = correction
        self._notice = notice

    def on_mount(self) -> None:
        """Show the rows; the keys are theirs."""
        self.pane.focus()
        self.refresh_rows()
        self.banner(self._notice)
        if self._half is not None:
            self._go_on_typing(self._half)

    def _go_on_typing(self, half: Mapping[str, Any]) -> None:
        """A line that was half typed is open again, where it was typed; or it is told."""
        rows = rows_of(self.correction)
        row = half_typed.row_of(half, rows)
        if row is None:
            told = messages.text("app_edit.half_typed", text=" ".join(half_typed.text_of(half).split()))
            self.banner("\n ".join(text for text in (self._notice, told) if text))
            return
        pane = self.pane
        pane.move(rows.index(row) - pane.cursor)
        self._type(row, half_typed.text_of(half))

    @property
    def correction(self) -> EditSession:
        """The correction as it is now; somebody else's save may have put it on another line."""
        return self.session.desk.correction(self.case_id) or self._correction

    @property
    def unsaved(self) -> bool:
        """Leaving would leave something that is not in the data."""
        return self.correction.unsaved

    @property
    def _changed(self) -> bool:
        """There is something to save."""
        return bool(self.correction.changes())

    def refresh_rows(self) -> None:
        """Paint rows, title and sheet again from the correction."""
        self.pane.show(rows_of(self.correction))
        self.show_title()
        entry = next((found for found in self.session.dataset.entries if found.id == self.case_id), None)
        if entry is not None:
            shown = build_sheet(corrected_entry(entry, self.correction))
            self.query_one(SheetPane).show(shown, corrected=correction_changes(self.correction))
        self.query_one(ActionBar).refresh()

    def laid_out(self, rows: Sequence[EditRow], cursor: int, width: int) -> Laid:
        """What may be changed, group by group."""
        return lay_out(rows, cursor, width)

    def title_line(self) -> Content:
        """Which case, and how much of it is changed and not saved."""
        n = len(correction_changes(self.correction))
        state = (
            join(tell("app_edit.unsaved", style=theme.CARE, n=n), Content(" · "), _kept(self.session))
            if n
            else tell("app_edit.nothing_yet", style=theme.QUIET)
        )
        title = join(Content(" "), tell("app_edit.title", style=theme.STRONG, id=self.case_id))
        return join(title, Content("  "), state)

    def usable(self, entry: Action) -> bool:
        """Whether ``entry`` does something now; the footer shows no other."""
        if entry.id in {"edit_save", "edit_sign"}:
            return self._changed
        if entry.id == "edit_undo":
            return self.correction.can_undo
        if entry.id == "edit_redo":
            return self.correction.can_redo
        return entry.id not in {"help_typing", "quit_now", "board"}

    # -- steps ---------------------------------------------------------------------------------

    @property
    def _row(self) -> EditRow | None:
        return self.pane.selected

    def _step(self, step: Callable[[], object]) -> None:
        try:
            step()
        except ProductError as error:
            say(self.app, str(error), severity="warning")
            return
        self._stepped()

    def _stepped(self) -> None:
        self.session.desk.touched(self.correction, self.session.reviewer)
        self.refresh_rows()

    def action_accept(self) -> None:
        """The other answer of this row."""
        row = self._row
        if row is not None and not row.adds:
            self._step(partial(editing.toggle, self.correction, row))

    def action_remove(self) -> None:
        """Take out, or bring back."""
        row = self._row
        if row is not None and not row.adds:
            self._step(partial(editing.remove, self.correction, row))

    def action_undo(self) -> None:
        """One step back."""
        if self.correction.undo():
            self._stepped()
        else:
            say(self.app, messages.text("app_edit.nothing_to_undo"))

    def action_redo(self) -> None:
        """The step that was taken back, or what somebody else's save took over."""
        overruled = self.correction.overruled
        if self.correction.redo():
            if overruled and not self.correction.overruled:
                self.banner("")
            self._stepped()
        else:
            say(self.app, messages.text("app_edit.nothing_to_redo"))

    def action_change(self) -> None:
        """Change this row: yes or no at once, all else by typing."""
        row = self._row
        if row is None:
            return
        if row.truth:
            self.action_accept()
        else:
            self._type(row)

    def action_add(self) -> None:
        """Add a value where the values are, else a differential."""
        row = self._row
        section = (
            Section.VALUES if row is not None and row.section is Section.VALUES else Section.DIFFERENTIALS
        )
        place = next(found for found in rows_of(self.correction) if found.adds and found.section is section)
        self._type(place)

    def _type(self, row: EditRow, typed: str | None = None) -> None:
        explained = "type_explained"
        if row.adds and row.section is Section.VALUES:
            explained = "type_explained_add"
        elif row.analyte:
            explained = "type_explained_value"
        dialog = TypeDialog(
            _title_of(row),
            indent(tell(f"app_edit.{explained}", style=theme.QUIET), 68, Content("")),
            editing.typed_at_first(self.correction, row),
            typed=typed,
            check=partial(self._typing, row),
            accept=partial(self._put, row),
            multiline=row.path == SIGNS,
        )
        # Pushed at once: the next key already belongs to the line that is typed.
        self.app.push_screen(dialog, self._typed)

    def _typed(self, taken: bool | None) -> None:  # noqa: FBT001 - the dialog's answer
        self._forget_half()
        if taken:
            self._stepped()

    def _forget_half(self) -> None:
        """Nothing is half typed any more; a draft that held nothing else goes with it."""
        desk = self.session.desk
        desk.note(self.case_id, half=None)
        desk.touched(self.correction, self.session.reviewer)

    def _typing(self, row: EditRow, typed: str) -> None:
        """What is half typed is kept too; then it is checked."""
        kind = self.session.desk.draft(self.case_id)
        self.session.desk.note(
            self.case_id,
            kind=Kind.EDITA if kind is None or kind.kind is None else kind.kind,
            half=half_typed.keep(row, typed),
            reviewer=self.session.reviewer,
        )
        editing.check_typed(row, typed)

    def _put(self, row: EditRow, typed: str) -> None:
        """Change the row, wherever it stands by now."""
        rows = rows_of(self.correction)
        same = [
            found
            for found in rows
            if (found.section, found.path, found.adds) == (row.section, row.path, row.adds)
            and (row.index < 0 or found.value == row.value)
        ]
        if not same:
            raise UsageError("app_edit.row_moved")
        editing.put(self.correction, same[0], typed)

    # -- leaving -------------------------------------------------------------------------------

    def action_save(self) -> None:
        """Save without signing."""
        if self._changed:
            self.dismiss(EditAnswer.SAVE)
        else:
            say(self.app, messages.text("app_edit.nothing_to_save"))

    def action_sign(self) -> None:
        """Save and sign."""
        self.dismiss(EditAnswer.SIGN)

    @work(exclusive=True, group="typing")
    async def action_leave(self) -> None:
        """Back to the case; asks when something is not saved."""
        if not self._changed:
            self.dismiss(EditAnswer.LEFT)
            return
        answer = await self.app.push_screen_wait(UnsavedDialog(self.case_id))
        if answer is not None:
            self.dismiss(EditAnswer(answer))


def _title_of(row: EditRow) -> Content:
    if row.section is Section.DIFFERENTIALS:
        return tell("app_edit.type_add_differential" if row.adds else "app_edit.type_differential")
    if row.adds:
        return tell("app_edit.type_add_value")
    return tell("app_edit.type_field", label=row.label)


def _kept(session: Session) -> Content:
    problem = session.desk.keeper.problem
    if problem:
        return tell("app_drafts.not_kept", style=theme.BAD, why=problem)
    return tell("app_edit.kept", style=theme.QUIET)
