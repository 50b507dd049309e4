"""The way through the dialogs of each decision: what is asked, in which order, and what follows.

Rules live in ``reviewer.signing`` and :mod:`reviewer.app.plans`; dialogs write; this module leads from one
to the next and tells the reviewing screen what has changed.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.background import in_background
from reviewer.app.changes_view import change_lines
from reviewer.app.desk import correction_changes
from reviewer.app.half_typed import half_comment
from reviewer.app.rebased import rebased, rebased_text
from reviewer.app.reviews import state_sentence, to_settle
from reviewer.app.screens.decide import DecideDialog
from reviewer.app.screens.dialog import ConfirmDialog
from reviewer.app.screens.drafts import DraftsDialog
from reviewer.app.screens.edit import EditAnswer, EditScreen
from reviewer.app.screens.repair import RepairDialog
from reviewer.app.screens.saving import WIDTH
from reviewer.app.screens.settling import Answers, Settling
from reviewer.app.screens.sign import SignDialog
from reviewer.app.text import Content, indent, literal, say, tell
from reviewer.repair import Way, decision_for, explain
from reviewer.signing import Return, Withdraw
from scoring import messages
from scoring.record import Kind, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reviewer.drafts import Draft
    from reviewer.store import Decision, Entry

CHANGES_SHOWN = 12


def _paragraph(key: str, style: str = "", **fields: object) -> list[Content]:
    return indent(tell(f"app_decide.{key}", style=style, **fields), WIDTH, Content(""))


class Flows(Settling):
    """The decisions of the reviewing screen."""

    # -- sign ----------------------------------------------------------------------------------

    async def sign(self, *, typed_name: str | None = None, stay_reading: bool = False) -> None:
        """Sign the selected case, corrections first; one whose reviews differ is adjudicated."""
        entry = self._session.entry
        if entry is None or not await self.require_name(typed_name) or await self._resume(entry):
            return
        reason: str | None = None
        answers = Answers()
        while True:
            entry = self._still(entry)
            if entry is None:
                return
            if entry.state.status is Status.DESACUERDO:
                await self.adjudicate()
                return
            if self.half_commented(entry):  # it was cut off; a signature must not pass over it
                await self.comment(entry)
            correction = self._session.desk.correction(entry.id)
            if correction is not None and correction.changes() and entry.state.status is Status.FIRMADO:
                reason = await self._reason_of_correction(entry)
                if reason is None:
                    return
            made = partial(self._session.plan, reason, entry, resign=answers.again, apart=answers.apart)
            plan = await in_background(made)
            if plan is None:
                return
            more = await self.ask_about(plan, answers)
            if more is not None:
                answers = more
                continue
            effect = await self.effect_of(plan)
            refused = self._keeper(entry, Kind.FIRMA, resign=plan.resign)
            dialog = SignDialog(self._session, plan, effect, on_refused=refused)
            answer = await self._screen.app.push_screen_wait(dialog)
            if answer is not None and answer.other_reviewer:
                answers = Answers()
                await self.ask_name()
                continue
            if answer is not None and answer.comment:
                await self.comment(entry)
                continue
            await self._after(answer, entry.id, Kind.FIRMA, next_case=True, stay_reading=stay_reading)
            return

    async def _resume(self, entry: Entry) -> bool:
        """Open a correction that was left half done: a signature would pass over it and forget it."""
        desk = self._session.desk
        draft = desk.draft(entry.id)
        if draft is None or desk.correction(entry.id) is not None or entry.state.status is Status.DESACUERDO:
            return False
        if draft.opinion is not None and draft.edit is None:
            self._take_up(draft)
            return False
        if draft.edit is None and (draft.half is None or half_comment(draft.half) is not None):
            return False
        say(self._screen.app, messages.text("app_drafts.first", id=entry.id), severity="warning")
        await self.correct()
        return True

    async def _reason_of_correction(self, entry: Entry) -> str | None:
        state, session = entry.state, self._session
        draft = session.desk.draft(entry.id)
        dialog = DecideDialog(
            session,
            tell("app_edit.reason_title"),
            indent(
                tell("app_edit.reason_then_sign", reviewer=state.reviewer or "?", date=state.date or "?"),
                WIDTH,
                Content(""),
            ),
            reason=draft.reason if draft is not None else "",
            on_typed=self._reason_noter(entry.id, Kind.EDITA),
        )
        answer = await self._screen.app.push_screen_wait(dialog)
        return answer.reason if answer is not None else None

    # -- correct -------------------------------------------------------------------------------

    async def correct(self) -> None:
        """Correct the selected case; a signed one only after saying what that does."""
        entry = self._session.entry
        if entry is None or not entry.id:
            return
        state, desk = entry.state, self._session.desk
        if desk.is_blind(entry.id) and not await self.require_name():
            return  # whose opinion it is decides who may see it
        if state.status is Status.DESCUADRADO:
            say(self._screen.app, refusal_of_mismatch(entry), severity="warning")
            return
        if state.status is Status.FIRMADO and desk.correction(entry.id) is None:
            fields = {"reviewer": state.reviewer or "?", "date": state.date or "?"}
            lines = [
                *indent(tell("app_edit.withdraws_first", **fields), WIDTH, Content("")),
                Content(""),
                *indent(tell("app_edit.withdraws_go_on"), WIDTH, Content("")),
            ]
            question = ConfirmDialog(tell("app_edit.withdraws_title"), lines)
            if not await self._screen.app.push_screen_wait(question):
                return
        if self.half_commented(entry):  # a draft keeps one half-typed line: the next one would replace it
            await self.comment(entry)
        draft = desk.draft(entry.id)
        correction, asked = desk.begin(entry)
        notice = rebased_text(rebased(correction, asked)) if asked else ""
        half = draft.half if draft is not None else None
        screen = EditScreen(self._session, self._screen.gate, correction, notice, half)
        answer = await self._screen.app.push_screen_wait(screen)
        desk.put_down(screen.correction)
        self._screen.show_case()
        self._screen.refresh_bars()
        if answer in {EditAnswer.SAVE, EditAnswer.SIGN} and self._still(entry) is None:
            return
        if answer is EditAnswer.SAVE:
            await self._save_correction(entry.id)
        elif answer is EditAnswer.SIGN:
            await self.sign()
        elif answer is EditAnswer.THROWN:
            desk.discard(entry.id)
            self._screen.show_case()
            self._screen.refresh_bars()
            say(self._screen.app, messages.text("app_edit.thrown", id=entry.id))

    async def _save_correction(self, case_id: str) -> None:
        session = self._session
        correction, entry = session.desk.correction(case_id), session.entry
        if correction is None or entry is None or entry.id != case_id or not await self.require_name():
            return
        if self.refuse_opinion_in_file(entry):
            return
        signed = entry.state.status is Status.FIRMADO
        draft = session.desk.draft(case_id)
        fields = {"reviewer": entry.state.reviewer or "?", "date": entry.state.date or "?"}
        lines = [
            *_paragraph("deciding_who", theme.STRONG, reviewer=session.reviewer or ""),
            *indent(tell("app_edit.save_explained"), WIDTH, Content("")),
            *change_lines(correction_changes(correction), WIDTH, CHANGES_SHOWN),
        ]
        if entry.state.reviews and not signed:
            voids = tell("app_review.voids", style=theme.CARE, n=entry.state.reviews)
            lines += [Content(""), *indent(voids, WIDTH, Content(""))]
        if signed:
            warning = tell("app_edit.save_withdraws", style=theme.CARE, **fields)
            lines += [Content(""), *indent(warning, WIDTH, Content(""))]
        dialog = DecideDialog(
            session,
            tell("app_edit.save_title"),
            lines,
            make=lambda reason: correction.decision(session.reviewer or "", reason),
            reason=(draft.reason if draft is not None else "") if signed else None,
            on_typed=self._reason_noter(case_id, Kind.EDITA),
            on_refused=self._keeper(entry, Kind.EDITA),
        )
        answer = await self._screen.app.push_screen_wait(dialog)
        await self._after(answer, case_id, Kind.EDITA)

    # -- withdraw and return -------------------------------------------------------------------

    async def withdraw(self, *, settles: bool = False) -> None:
        """Withdraw the signature of the selected case, with the reason."""
        entry = self._session.entry
        if entry is None or not entry.id:
            return
        state = entry.state
        if not entry.case.validado and state.status is not Status.DESCUADRADO:
            say(self._screen.app, messages.text("app_decide.withdraw_nothing"), severity="warning")
            return
        if state.status is Status.DESCUADRADO and not settles:
            await self.repair()
            return
        if state.status is Status.FIRMADO:
            who = {"reviewer": state.reviewer or "?", "date": state.date or "?"}
            lines = _paragraph("withdraw_explained", id=entry.id, **who)
        else:
            lines = _paragraph("withdraw_now", id=entry.id, why=state_sentence(state))
        key = "repair_withdraw_title" if settles else "withdraw_title"
        await self._with_reason(
            entry,
            Kind.RETIRA,
            key,
            [*lines, Content(""), *_paragraph("withdraw_why", theme.STRONG)],
            lambda reason: Withdraw(
                (entry.id,),
                self._session.reviewer or "",
                reason or "",
                settles=settles,
                expected={entry.id: entry.raw},
            ),
            resign=settles,
        )

    async def send_back(self) -> None:
        """Return the selected case to its author, with the reason."""
        entry = self._session.entry
        if entry is None or not entry.id:
            return
        state = entry.state
        if state.status is Status.FIRMADO:
            say(self._screen.app, messages.text("app_decide.return_first_withdraw"), severity="warning")
            return
        if state.status is Status.DESCUADRADO or not state.status.waits:
            told = messages.text("app_decide.return_not", why=state_sentence(state))
            say(self._screen.app, told, severity="warning")
            return
        lines = _paragraph("return_explained", id=entry.id)
        if state.reviews:
            voids = tell("app_review.return_voids", style=theme.CARE, n=state.reviews)
            lines += [Content(""), *indent(voids, WIDTH, Content(""))]
        await self._with_reason(
            entry,
            Kind.DEVUELVE,
            "return_title",
            [*lines, Content(""), *_paragraph("return_why", theme.STRONG)],
            lambda reason: Return(
                (entry.id,),
                self._session.reviewer or "",
                reason or "",
                expected={entry.id: entry.raw},
            ),
        )

    async def _with_reason(
        self,
        entry: Entry,
        kind: Kind,
        title: str,
        lines: Sequence[Content],
        make: Callable[[str | None], Decision],
        *,
        resign: bool = False,
    ) -> None:
        if not await self.require_name():
            return
        draft = self._session.desk.draft(entry.id)
        dialog = DecideDialog(
            self._session,
            tell(f"app_decide.{title}"),
            [*_paragraph("deciding_who", theme.STRONG, reviewer=self._session.reviewer or ""), *lines],
            make=make,
            reason=draft.reason if draft is not None and draft.kind is kind else "",
            on_typed=self._reason_noter(entry.id, kind),
            on_refused=self._keeper(entry, kind, resign=resign),
        )
        answer = await self._screen.app.push_screen_wait(dialog)
        await self._after(answer, entry.id, kind, next_case=kind is Kind.DEVUELVE)

    # -- mismatch ------------------------------------------------------------------------------

    async def repair(self) -> None:
        """Explain a mismatch and take the way out that is chosen; or settle what the reviews left."""
        entry, session = self._session.entry, self._session
        if entry is None:
            return
        if entry.state.status is Status.DESACUERDO or to_settle(entry.state):
            await self.sign()
            return
        if entry.state.status is not Status.DESCUADRADO:
            say(self._screen.app, messages.text("app_decide.repair_none"))
            return
        mismatch = await in_background(partial(explain, session.dataset, entry))
        way = await self._screen.app.push_screen_wait(RepairDialog(mismatch))
        if way is Way.SIGN:
            await self.sign()
        elif way is Way.WITHDRAW:
            await self.withdraw(settles=True)
        elif way is Way.RECORD and await self.require_name():
            lines = [
                *_paragraph("deciding_who", theme.STRONG, reviewer=session.reviewer or ""),
                *indent(literal(mismatch.way(way).text), WIDTH, Content("")),
            ]
            dialog = DecideDialog(
                session,
                tell("app_decide.repair_follow_title"),
                lines,
                make=lambda _: decision_for(mismatch, Way.RECORD, session.reviewer or "", None, via="app"),
            )
            answer = await self._screen.app.push_screen_wait(dialog)
            await self._after(answer, entry.id, Kind.NOTA)

    # -- drafts --------------------------------------------------------------------------------

    async def offer_drafts(self, *, asked: bool = False) -> None:
        """Offer what was left half done; ``asked``: the person wants to see it, even if it is nothing."""
        session = self._session
        while True:
            waiting = session.desk.waiting
            if not waiting:
                if asked:
                    say(self._screen.app, messages.text("app_drafts.none"))
                return
            present = frozenset(session.dataset.states)
            answer = await self._screen.app.push_screen_wait(DraftsDialog(waiting, present))
            if answer is None:
                return
            if not answer.discard:
                await self._go_on(answer.draft)
                return
            case_id = answer.draft.case_id
            lines = indent(tell("app_drafts.discard_explained", id=case_id), WIDTH, Content(""))
            question = ConfirmDialog(tell("app_drafts.discard_title"), lines)
            if await self._screen.app.push_screen_wait(question):
                session.desk.discard_draft(answer.draft)
                self._screen.refresh_all()
                say(self._screen.app, messages.text("app_drafts.discarded", id=case_id))

    async def _go_on(self, draft: Draft) -> None:
        if not self._screen.select_case(draft.case_id):
            say(
                self._screen.app, messages.text("app_drafts.gone_toast", id=draft.case_id), severity="warning"
            )
            return
        self._session.desk.choose(draft)
        self._screen.show_case()
        if draft.settling is not None or draft.adjudicates:
            entry = self._session.entry
            if entry is not None and to_settle(entry.state):
                await self.sign()  # it is in the record already; what was cut off is the last step
            else:
                await self.adjudicate()
        elif draft.kind is Kind.RETIRA:
            await self.withdraw(settles=draft.resign)
        elif draft.kind is Kind.DEVUELVE:
            await self.send_back()
        elif draft.kind is Kind.FIRMA and draft.edit is None:
            if draft.opinion is not None:
                self._take_up(draft)
            if draft.bare and not await self.ask_name(draft.reviewer):
                return  # what was cut off is the name; the one given on opening may be another
            await self.sign(typed_name=draft.reviewer)
        else:
            await self.correct()

    def _take_up(self, draft: Draft) -> None:
        """A review that could not be saved: its corrections and its comment are there again."""
        entry = self._session.entry
        if entry is not None and entry.id == draft.case_id:
            self._session.desk.begin(entry)
            comment = (draft.opinion or {}).get("comentario")
            if isinstance(comment, str) and not draft.comment:
                self._session.desk.note(draft.case_id, comment=comment)
            self._screen.show_case()


def refusal_of_mismatch(entry: Entry) -> str:
    """Why a mismatched case is not corrected, and what to do first."""
    return messages.text("app_decide.mismatch", id=entry.id, why=state_sentence(entry.state))
