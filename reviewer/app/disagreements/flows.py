"""Deciding from the screens: who, what it does, the comment, the record, and what to show afterwards."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.background import saved
from reviewer.app.disagreements import view
from reviewer.app.disagreements.dialog import WIDTH, VerdictDialog
from reviewer.app.disagreements.drafting import chain_key, row_key
from reviewer.app.screens.alike import AlikeDialog
from reviewer.app.screens.name import NameDialog
from reviewer.app.text import Content, indent, join, literal, say, spread, tell
from scoring import messages
from scoring.adjudication.content import chain_digest
from scoring.errors import ConflictError, ProductError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from textual.app import App

    from reviewer.adjudication.desk import Desk, Look, Undo
    from reviewer.adjudication.recording import Recorded
    from reviewer.app.disagreements.drafting import Comments
    from scoring.adjudication.chains import ChainReview
    from scoring.adjudication.disagreements import Disagreement
    from scoring.adjudication.entries import Verdict


class WhoDialog(NameDialog):
    """Asks who decides."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._title = tell("disagreements.who_title")
        self._lines = tuple(
            indent(tell("disagreements.who_explained", style=theme.QUIET), WIDTH, Content(""))
        )


class Flows:
    """What both screens do with the desk.

    Attributes:
        app, desk, comments: as given.
        read_again: reads the files again, after a conflict.
    """

    def __init__(
        self, app: App[Any], desk: Desk, comments: Comments, read_again: Callable[[], object]
    ) -> None:
        self.app = app
        self.desk = desk
        self.comments = comments
        self.read_again = read_again
        self._name_asked = False

    def first_line(self, title: str, width: int) -> Content:
        """Title, the mark of what is private, and who decides."""
        chip = join(Content(" "), tell("disagreements.private"), Content(" ")).stylize("$chip-text on $chip")
        left = join(Content(" "), tell(title, style=theme.HEADING), Content("  "), chip)
        if left.cell_length > width - 2:  # the mark may not be cut
            left = join(chip, Content(" "), tell(title, style=theme.HEADING)).truncate(width, ellipsis=True)
        who = self.desk.reviewer
        said = Content("") if who is None else tell("disagreements.decides", style=theme.QUIET, name=who)
        room = width - left.cell_length - 2
        right = said if said.cell_length <= room else said.truncate(max(0, room), ellipsis=True)
        return spread(left, join(right, Content(" ")), width)

    # -- who -----------------------------------------------------------------------------------

    async def ask_name(self) -> bool:
        """Ask who decides; False if that was not answered."""
        name = await self.app.push_screen_wait(WhoDialog(self.desk))
        if name is None:
            return False
        self.desk.reviewer = name
        self._name_asked = True
        return True

    async def _somebody(self) -> bool:
        """There is a person who decides, and the name does not merely look like a known one."""
        if self.desk.reviewer is None:
            return await self.ask_name()
        if self._name_asked:
            return True
        found = self.desk.lookalikes(self.desk.reviewer)
        if found:
            chosen = await self.app.push_screen_wait(AlikeDialog(found))
            if chosen is None:
                return await self.ask_name()
            self.desk.confirm_name(chosen)
            self.desk.reviewer = chosen
        self._name_asked = True
        return True

    # -- what ----------------------------------------------------------------------------------

    async def decide_row(self, look: Look, verdict: Verdict) -> bool:
        """Ask for the comment and record the decision; whether something is recorded."""
        item = look.item
        lines = [
            *indent(literal(item.field_id, theme.STRONG), WIDTH, Content("")),
            *view.values_in_short(look, WIDTH),  # high up: a low terminal shows three lines, and no pane
            *indent(
                tell("disagreements.case", id=item.case_id, kind=item.field_type.value), WIDTH, Content("")
            ),
            Content(""),
            *indent(tell(f"disagreements.effect_{verdict}"), WIDTH, Content("")),
        ]
        return await self._decide(
            row_key(item.place), verdict, lines, partial(self.desk.decide_row, look, verdict), item
        )

    async def decide_chain(self, review: ChainReview, verdict: Verdict) -> bool:
        """Ask for the comment and record the review of a chain; whether something is recorded."""
        lines = [
            *indent(literal(review.chain.field_id, theme.STRONG), WIDTH, Content("")),
            Content(""),
            *indent(tell(f"disagreements.effect_{verdict}"), WIDTH, Content("")),
        ]
        key = chain_key(chain_digest(review.chain))
        return await self._decide(key, verdict, lines, partial(self.desk.decide_chain, review, verdict), None)

    async def _decide(
        self,
        key: str,
        verdict: Verdict,
        lines: Sequence[Content],
        record: Callable[[str], Recorded],
        item: Disagreement | None,
    ) -> bool:
        if not await self._somebody():
            return False
        answer = await self.app.push_screen_wait(
            VerdictDialog(
                verdict,
                tell("disagreements.verdict", name=messages.text(f"adjudicated.verdict_{verdict}")),
                lines,
                comment=self.comments.typed(key),
                on_typed=lambda text: self.comments.keep(key, text, verdict, self.desk.reviewer),
                record=record,
            )
        )
        if answer is None:
            return False
        if isinstance(answer, ConflictError):
            self.read_again()
            return False
        self.comments.discard(key)
        return self._recorded(answer, item, messages.text(f"disagreements.saved_{verdict}"))

    def _recorded(self, done: Recorded, item: Disagreement | None, told: str) -> bool:
        try:
            self.desk.recorded(done, item)
        except ProductError:
            self.read_again()  # recorded, but the files moved on meanwhile
        say(self.app, messages.text("disagreements.already") if done.already else told, timeout=3)
        return True

    async def undo(self) -> Undo | None:
        """Take the last decision of this session back; which one that was, or None."""
        if not self.desk.can_undo:
            say(self.app, messages.text("disagreements.nothing_undone"))
            return None
        try:
            step, done = await saved(self.desk.undo)
        except ProductError as error:
            say(self.app, str(error), severity="warning", timeout=12)
            self.read_again()
            return None
        places = self.desk.reading.found.items
        item = next((item for item in places if item.place == step.place), None)
        self._recorded(done, item, messages.text("disagreements.undone"))
        return step
