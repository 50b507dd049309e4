"""What the way through every decision has in common: who decides, what is kept, and what follows."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

from reviewer.app.background import in_background
from reviewer.app.refusals import refusal_text
from reviewer.app.refused import keep_refused
from reviewer.app.reviews import state_sentence
from reviewer.app.screens.alike import AlikeDialog
from reviewer.app.screens.dialog import MessageDialog
from reviewer.app.screens.name import NameDialog
from reviewer.app.screens.saving import WIDTH, SaveAnswer
from reviewer.app.session import Reading
from reviewer.app.text import Content, indent, say, tell
from reviewer.keys import stranger_notice
from scoring import messages
from scoring.errors import ProductError
from scoring.record import Kind, Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App

    from reviewer.app.gate_board import GateBoard
    from reviewer.app.session import Session
    from reviewer.store import Entry
    from reviewer.store.dataset import Applied


class Reviewing(Protocol):
    """What the flows need of the reviewing screen: what it shows, and to show what has changed."""

    session: Session
    gate: GateBoard

    @property
    def app(self) -> App[object]:
        """The app the screen belongs to."""
        ...

    def show_case(self) -> None:
        """Paint the sheet of the selected case again."""
        ...

    def refresh_bars(self) -> None:
        """Paint header, filters and footer again."""
        ...

    def refresh_all(self) -> None:
        """Paint everything again."""
        ...

    def select_case(self, case_id: str) -> bool:
        """Select a case by its id; False if it is gone."""
        ...

    def decided(self, case_id: str, *, stay_reading: bool) -> None:
        """Something was saved: show the case that is selected now."""
        ...

    def load_gate(self) -> object:
        """Begin to work the gate out anew."""
        ...

    def read_after_refusal(self) -> object:
        """Begin to read the file again: a save was refused because it had changed."""
        ...


class Deciding:
    """Shared by the flows of the reviewing screen."""

    def __init__(self, screen: Reviewing) -> None:
        self._screen = screen
        self._session = screen.session

    # -- who -----------------------------------------------------------------------------------

    async def ask_name(self, typed: str | None = None) -> bool:
        """Ask who signs; whether somebody said so."""
        session, entry = self._session, self._session.entry
        case_id = entry.id if entry is not None else ""
        before = session.desk.draft(case_id)

        def typing(text: str) -> None:
            if session.desk.is_blind(case_id):
                return  # a draft would say who is about to review
            draft = session.desk.draft(case_id)
            if draft is None or draft.kind in {None, Kind.FIRMA}:
                session.desk.note(case_id, kind=Kind.FIRMA, reviewer=text)

        dialog = NameDialog(session, typed, typing)
        name = await self._screen.app.push_screen_wait(dialog)
        session.desk.tidy(case_id)  # the name alone; what else is kept of the case stays
        draft = session.desk.draft(case_id)
        if draft is not None and before is not None and draft.reviewer != before.reviewer:
            session.desk.note(case_id, reviewer=name or before.reviewer)
        if name:
            session.name(name)
            self._screen.show_case()
            self._screen.refresh_bars()
        return bool(name)

    async def require_name(self, typed: str | None = None) -> bool:
        """Somebody has to decide: ask if it is not known who."""
        return self._session.reviewer is not None or await self.ask_name(typed)

    async def confirm_given_name(self) -> None:
        """Ask about the name given on opening, if it only looks like a known one."""
        session = self._session
        if session.reviewer is None:
            return
        found = session.lookalikes(session.reviewer)
        if not found:
            return
        chosen = await self._screen.app.push_screen_wait(AlikeDialog(found))
        session.reviewer = chosen
        if chosen is not None:
            session.confirm_name(chosen)
        self._screen.refresh_bars()

    def _still(self, entry: Entry) -> Entry | None:
        """The case as it is now, selected again: a list read anew may have moved the selection."""
        session = self._session
        now = session.entry
        if now is not None and now.id == entry.id:
            return now
        if entry.id and self._screen.select_case(entry.id):
            return session.entry
        say(self._screen.app, messages.text("app_drafts.gone_toast", id=entry.id), severity="warning")
        return None

    # -- after ---------------------------------------------------------------------------------

    def _reason_noter(self, case_id: str, kind: Kind) -> Callable[[str], None]:
        desk, session = self._session.desk, self._session

        def note(text: str) -> None:
            desk.note(case_id, kind=kind if text.strip() else None, reason=text, reviewer=session.reviewer)

        def note_correction(text: str) -> None:
            desk.note(case_id, reason=text, reviewer=session.reviewer)

        return note_correction if kind is Kind.EDITA else note

    def _keeper(self, entry: Entry, kind: Kind, *, resign: bool = False) -> Callable[..., bool]:
        return partial(keep_refused, self._session, entry, kind, resign=resign)

    async def _after(
        self,
        answer: SaveAnswer | None,
        case_id: str,
        kind: Kind,
        *,
        next_case: bool = False,
        stay_reading: bool = False,
    ) -> None:
        """Take over what was written, say it, and go on."""
        if answer is None:
            self._screen.refresh_bars()
            return
        if answer.conflict:
            self._screen.read_after_refusal()
            return
        done = answer.done
        if done is None or done.applied is None:
            return
        session, applied = self._session, done.applied
        session.adopt(await in_background(partial(Reading.of, applied.dataset)))
        said: list[str] = []
        if done.corrected or kind is Kind.EDITA:
            session.desk.decided(case_id, Kind.EDITA)
            said.append(messages.text("app_edit.saved", id=case_id, reviewer=session.reviewer or ""))
        if done.signed:
            session.desk.decided(case_id, Kind.FIRMA)
        if done.refusal is not None:
            # A toast passes by; that the signature is missing must not.
            key = "app_settle.half_done" if done.signed else "app_decide.half_done"
            title = "app_settle.half_done_title" if done.signed else "app_decide.half_done_title"
            why = tell(key, why=refusal_text(done.refusal))
            dialog = MessageDialog(tell(title), indent(why, WIDTH, Content("")))
            self._screen.app.push_screen(dialog)
        elif kind is not Kind.EDITA:
            session.desk.decided(case_id, kind)
            said.append(self._saved_text(case_id, kind))
        said += [notice.sentence() for notice in applied.notices]
        said += await in_background(partial(_about_key, session, applied))
        if next_case and done.refusal is None and not session.go_to_next(case_id):
            said.append(messages.text("app.all_signed"))
            stay_reading = False
        self._screen.decided(case_id, stay_reading=stay_reading)
        say(self._screen.app, "\n".join(said))
        if done.corrected or kind is Kind.EDITA:
            self._screen.load_gate()
        else:
            await in_background(partial(self._screen.gate.follow, session.dataset))
            self._screen.refresh_bars()

    def _saved_text(self, case_id: str, kind: Kind) -> str:
        session = self._session
        who = session.reviewer or ""
        if kind is Kind.RETIRA:
            return messages.text("app_decide.withdrawn", id=case_id, reviewer=who)
        if kind is Kind.DEVUELVE:
            return messages.text("app_decide.returned", id=case_id, reviewer=who)
        if kind is Kind.NOTA:
            return messages.text("app_decide.repaired", id=case_id)
        state = session.dataset.states[case_id]
        if state.status is not Status.FIRMADO:
            why = state_sentence(state)
            return messages.text("app_decide.reviewed", id=case_id, why=why[:1].upper() + why[1:])
        return messages.text("app.signed", id=case_id, reviewer=state.reviewer or "", date=state.date or "")


def _about_key(session: Session, applied: Applied) -> list[str]:
    """That the key is not the person's, if it is not: the audit would say it too late."""
    entry = applied.dataset.record.by_digest[applied.transaction]
    try:
        said = stranger_notice(entry, session.settings.allowed_signers)
    except ProductError:
        return []
    return [said] if said else []
