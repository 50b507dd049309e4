"""The adjudication screen: the points of a disagreement, each with what the reviews say and what is decided.

What a key does is decided in :mod:`reviewer.app.adjudicating`; every step is kept as a draft at once.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from reviewer.app import adjudicating, theme
from reviewer.app.actions import Place
from reviewer.app.adjudicating import RowKind, SettleRow, lay_out, rows_of
from reviewer.app.bindings import bindings
from reviewer.app.half_typed import text_of
from reviewer.app.screens.stepwise import StepwiseScreen
from reviewer.app.screens.typing import TypeDialog
from reviewer.app.text import Content, indent, join, say, tell
from reviewer.app.widgets.action_bar import ActionBar
from reviewer.app.widgets.sheet_pane import SheetPane
from scoring import messages
from scoring.errors import ProductError
from scoring.record import Kind, reads_alike

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.binding import BindingType

    from reviewer.app.actions import Action
    from reviewer.app.gate_board import GateBoard
    from reviewer.app.row_layout import Laid
    from reviewer.app.session import Session
    from reviewer.decisions.adjudication import Adjudication

_ALWAYS = frozenset({"settle_leave", "help", "quit", "settle_up", "settle_down"})


class AdjudicateScreen(StepwiseScreen[bool, SettleRow]):
    """Rows to answer, and beside them, where there is room, the sheet with the reviews.

    Answers True when the person wants to see what will be recorded; False when it is left for later.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.ADJUDICATE)
    PLACE = Place.ADJUDICATE
    LINES_PER_ROW = 2

    def __init__(
        self,
        session: Session,
        gate: GateBoard,
        settling: Adjudication,
        half: Mapping[str, Any] | None = None,
    ) -> None:
        """``half``: a line that was being typed the last time."""
        super().__init__(session, gate, settling.case_id)
        self.settling = settling
        self.over = False
        self._half = half

    def on_mount(self) -> None:
        """Show the rows; a line that was half typed is open again."""
        pane = self.pane
        pane.focus()
        rows = rows_of(self.settling)
        first = next((n for n, row in enumerate(rows) if row.point is not None and row.answer is None), 0)
        self.refresh_rows()
        pane.move(first)
        if self._half is not None:
            row = adjudicating.half_row(self._half, rows)
            if row is not None:
                pane.move(rows.index(row) - pane.cursor)
                self._type(row, text_of(self._half))

    @property
    def unsaved(self) -> bool:
        """Leaving would leave something that is not in the data."""
        return self.settling.begun

    def refresh_rows(self) -> None:
        """Paint rows, title and sheet again."""
        self.pane.show(rows_of(self.settling))
        self.show_title()
        if self.session.entry is not None and self.session.entry.id == self.case_id:
            reviews = self.session.reviews
            shown = replace(reviews, under_way=True) if reviews is not None else None
            self.query_one(SheetPane).show(self.session.sheet, reviews=shown)
        self.query_one(ActionBar).refresh()

    def laid_out(self, rows: Sequence[SettleRow], cursor: int, width: int) -> Laid:
        """The points, what the reviews say of each, and the comment."""
        return lay_out(rows, cursor, width)

    def title_line(self) -> Content:
        """Which case, and how many points nobody has decided."""
        n = len(self.settling.open)
        state = (
            tell("app_settle.missing", style=theme.CARE, n=n)
            if n
            else tell("app_settle.all_said", style=theme.GOOD)
        )
        title = join(Content(" "), tell("app_settle.title", style=theme.STRONG, id=self.case_id))
        parts = [title, Content("  "), state]
        problem = self.session.desk.keeper.problem
        if problem:
            parts += [Content(" · "), tell("app_drafts.not_kept", style=theme.BAD, why=problem)]
        elif self.settling.begun:
            parts += [Content(" · "), tell("app_settle.kept", style=theme.QUIET)]
        return join(*parts)

    def usable(self, entry: Action) -> bool:
        """Whether ``entry`` does something now; the footer shows no other."""
        if self.over:
            return entry.id in _ALWAYS
        if entry.id == "settle_sign":
            return not self.settling.open
        if entry.id == "settle_undo":
            return self.settling.can_undo
        return entry.id not in {"help_typing", "quit_now", "board"}

    def data_changed(self) -> None:
        """The file was read again: go on with the reviews as they are now, or say that it is over."""
        entry = next((one for one in self.session.dataset.entries if one.id == self.case_id), None)
        fresh = self.session.begin_adjudication(entry) if entry is not None else None
        if fresh is None:
            self.over = True
            self.banner(messages.text("app_settle.settled_meanwhile", id=self.case_id))
        elif fresh.told != self.settling.told or not reads_alike(fresh.raw, self.settling.raw):
            self.settling = fresh
            self.banner(messages.text("app_settle.read_again", id=self.case_id))
        self.refresh_rows()

    # -- steps ---------------------------------------------------------------------------------

    def _step(self, step: Callable[[Adjudication, SettleRow], object]) -> None:
        row = self.pane.selected
        if row is None or self.over:
            return
        try:
            step(self.settling, row)
        except ProductError as error:
            say(self.app, str(error), severity="warning")
            return
        self._stepped()

    def _stepped(self) -> None:
        desk, settling = self.session.desk, self.settling
        if settling.begun:
            desk.note(
                self.case_id,
                kind=Kind.FIRMA,
                reviewer=self.session.reviewer,
                settling=settling.to_dict(),
                comment=settling.comment,
                opinion=None,
            )
        else:
            desk.note(self.case_id, settling=None, comment="")
            desk.tidy(self.case_id)
        self.refresh_rows()

    def action_follow(self, review: int) -> None:
        """Decide this point as one of the reviews does."""
        self._step(partial(_follow, review))

    def action_accept(self) -> None:
        """The other answer of this row."""
        self._step(adjudicating.toggle)

    def action_remove(self) -> None:
        """The answer «no»."""
        self._step(adjudicating.refuse)

    def action_undo(self) -> None:
        """One step back."""
        if self.settling.undo():
            self._stepped()
        else:
            say(self.app, messages.text("app_settle.nothing_to_undo"))

    def action_redo(self) -> None:
        """The step that was taken back."""
        if self.settling.redo():
            self._stepped()
        else:
            say(self.app, messages.text("app_settle.nothing_to_redo"))

    def action_change(self) -> None:
        """Yes or no at once where there is no other answer; all else by typing."""
        row = self.pane.selected
        if row is None or self.over:
            return
        if row.point is not None and not row.point.text:
            self.action_accept()
        else:
            self._type(row, None)

    def action_add(self) -> None:
        """Add a differential."""
        self._type_in(RowKind.ADD)

    def action_comment(self) -> None:
        """Type the comment."""
        self._type_in(RowKind.COMMENT)

    def _type_in(self, kind: RowKind) -> None:
        if not self.over:
            self._type(next(row for row in rows_of(self.settling) if row.kind is kind), None)

    def _type(self, row: SettleRow, typed: str | None) -> None:
        instead = row.kind is RowKind.POINT
        key = "type_instead" if instead else f"type_{'comment' if row.kind is RowKind.COMMENT else 'add'}"
        explained = "type_explained_instead" if instead else "type_explained"
        dialog = TypeDialog(
            tell(f"app_settle.{key}"),
            indent(tell(f"app_settle.{explained}", style=theme.QUIET), 68, Content("")),
            adjudicating.typed_at_first(row),
            typed=typed,
            check=partial(self._typing, row),
            accept=lambda text: adjudicating.put(self.settling, row, text),
            multiline=row.kind is RowKind.COMMENT,
        )
        # Pushed at once: the next key already belongs to the line that is typed.
        self.app.push_screen(dialog, self._typed)

    def _typed(self, taken: bool | None) -> None:  # noqa: FBT001 - the dialog's answer
        self.session.desk.note(self.case_id, half=None)
        if taken or not self.settling.begun:
            self._stepped()

    def _typing(self, row: SettleRow, typed: str) -> None:
        """What is half typed is kept too; then it is checked."""
        self.session.desk.note(
            self.case_id,
            kind=Kind.FIRMA,
            reviewer=self.session.reviewer,
            settling=self.settling.to_dict(),
            half=adjudicating.keep_half(row, typed),
        )
        adjudicating.check_typed(row, typed)

    # -- leaving -------------------------------------------------------------------------------

    def action_sign(self) -> None:
        """See what will be recorded."""
        if self.over:
            return
        if self.settling.open:
            say(self.app, messages.text("adjudication.open_points", n=len(self.settling.open)))
            rows = rows_of(self.settling)
            first = next(n for n, row in enumerate(rows) if row.point in self.settling.open)
            self.pane.move(first - self.pane.cursor)
        else:
            self.dismiss(True)

    def action_leave(self) -> None:
        """Back to the case; what was said stays as a draft."""
        self.dismiss(False)


def _follow(review: int, settling: Adjudication, row: SettleRow) -> None:
    adjudicating.follow(settling, row, review)
