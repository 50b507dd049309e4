"""The way through the decisions that end a review in pairs: adjudicate, close, and what is asked before."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from reviewer.app import plans, theme
from reviewer.app.background import in_background
from reviewer.app.board_view import effect_lines
from reviewer.app.half_typed import check_comment, comment_half, half_comment
from reviewer.app.refusals import refusal_text
from reviewer.app.screens.adjudicate import AdjudicateScreen
from reviewer.app.screens.deciding import Deciding
from reviewer.app.screens.dialog import ConfirmDialog, MessageDialog
from reviewer.app.screens.saving import WIDTH
from reviewer.app.screens.sign import SignDialog
from reviewer.app.screens.typing import TypeDialog
from reviewer.app.text import Content, indent, literal, say, tell
from scoring import messages
from scoring.record import Kind, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reviewer.app.plans import SignPlan
    from reviewer.decisions.adjudication import Adjudication
    from reviewer.store import Entry

_QUESTIONS = {
    "review.already_yours": "again",
    "review.name_alike": "apart",
    "review.name_alike_hidden": "apart",
}
"""Refusals that a person may have an answer to."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What the person has answered already: it replaces their own review; they are somebody else."""

    again: bool = False
    apart: bool = False


class Settling(Deciding):
    """Shared with the flow of a signature: what is asked, and what it does to the gate."""

    async def adjudicate(self) -> None:
        """Settle the disagreement of the selected case."""
        entry, session = self._session.entry, self._session
        if entry is None or not await self.require_name():
            return
        apart = False
        while True:
            refusal = await in_background(
                partial(plans.adjudication_refusal, session.dataset, entry, session.reviewer or "", apart)
            )
            if refusal is None:
                break
            if refusal.key not in _QUESTIONS:
                lines = indent(literal(refusal_text(refusal)), WIDTH, Content(""))
                if refusal.key == "review.third_person":
                    lines += [Content(""), *indent(tell("app_settle.not_you"), WIDTH, Content(""))]
                self._screen.app.push_screen(MessageDialog(tell("app_settle.sign_title"), lines))
                return
            if not await self._ask("apart", refusal_text(refusal)):
                return
            apart = True
        draft = session.desk.draft(entry.id)
        settling = session.begin_adjudication(entry)
        if settling is None:
            say(self._screen.app, messages.text("app_settle.gone", id=entry.id))
            return
        half = draft.half if draft is not None else None
        while True:
            screen = AdjudicateScreen(session, self._screen.gate, settling, half)
            wanted = await self._screen.app.push_screen_wait(screen)
            self._screen.refresh_bars()
            if not wanted:
                return
            settling, half = screen.settling, None
            now = self._still(entry)
            if now is None or await self._confirm(now, settling, apart=apart):
                return

    async def _confirm(self, entry: Entry, settling: Adjudication, *, apart: bool) -> bool:
        """Show what will be recorded and save it; False goes back to the points."""
        make = partial(self._session.plan, None, entry, adjudication=settling, apart=apart)
        plan = await in_background(make)
        if plan is None:
            return True
        refused = self._keeper(entry, Kind.FIRMA)
        dialog = SignDialog(self._session, plan, await self.effect_of(plan), on_refused=refused)
        answer = await self._screen.app.push_screen_wait(dialog)
        if answer is not None and answer.other_reviewer:
            await self.ask_name()
            return False
        if answer is None:
            return False
        await self._after(answer, entry.id, Kind.FIRMA, next_case=True)
        return True

    async def effect_of(self, plan: SignPlan) -> Sequence[Content]:
        """What a plan does to the gate, as far as it may be told."""
        decides = plan.adjudicates or plan.closes
        if plan.one_of_two and not decides:
            return [tell("app_decide.effect_review", style=theme.QUIET)]
        gate = self._screen.gate
        found = await in_background(partial(gate.effect, plan.case_id, plan.result))
        return effect_lines(found, gate, corrected=plan.result is not None)

    async def ask_about(self, plan: SignPlan, before: Answers) -> Answers | None:
        """A refusal that the person may have an answer to; None when there is none, or the answer is no."""
        question = _QUESTIONS.get(plan.refused_by)
        if question is None or getattr(before, question):
            return None
        if not await self._ask(question, plan.refusals[0]):
            return None
        return Answers(before.again or question == "again", before.apart or question == "apart")

    async def _ask(self, question: str, why: str) -> bool:
        lines = [
            *indent(literal(why), WIDTH, Content("")),
            Content(""),
            *indent(tell(f"app_settle.ask_{question}"), WIDTH, Content("")),
        ]
        dialog = ConfirmDialog(tell(f"app_settle.ask_{question}_title"), lines)
        return await self._screen.app.push_screen_wait(dialog) is True

    def half_commented(self, entry: Entry) -> bool:
        """Whether the comment of a review was being typed when the program ended."""
        draft = self._session.desk.draft(entry.id)
        return draft is not None and half_comment(draft.half) is not None

    async def comment(self, entry: Entry) -> None:
        """Type what a review adds in words; kept as a draft at every key."""
        desk, session = self._session.desk, self._session
        draft = desk.draft(entry.id)
        kind = draft.kind if draft is not None and draft.kind is not None else Kind.FIRMA
        half = half_comment(draft.half) if draft is not None else None

        def typing(text: str) -> None:
            desk.note(entry.id, kind=kind, reviewer=session.reviewer, half=comment_half(text))
            check_comment(text)

        def accept(text: str) -> None:
            check_comment(text)
            desk.note(entry.id, kind=kind, reviewer=session.reviewer, comment=text.strip())

        dialog = TypeDialog(
            tell("app_settle.comment_title"),
            indent(tell("app_settle.type_explained", style=theme.QUIET), WIDTH, Content("")),
            draft.comment if draft is not None else "",
            typed=half,
            check=typing,
            accept=accept,
            multiline=True,
        )
        await self._screen.app.push_screen_wait(dialog)
        desk.note(entry.id, half=None)
        desk.tidy(entry.id)

    def refuse_opinion_in_file(self, entry: Entry) -> bool:
        """Whether a correction may not be saved into the file, because it is what a blind review decides."""
        session = self._session
        correction = session.desk.correction(entry.id)
        if correction is None or entry.state.status is Status.DESCUADRADO:
            return False
        if not session.desk.is_blind(entry.id) or not plans.opinion_in(correction):
            return False
        lines = indent(tell("app_settle.beside_only"), WIDTH, Content(""))
        self._screen.app.push_screen(MessageDialog(tell("app_edit.save_title"), lines))
        return True
