"""What lies half done on the reviewer's desk: corrections, reasons and names that were not saved yet.

Of each case one draft is at work; whatever is typed about the case changes that draft, which is written in
the background (:mod:`reviewer.app.keeper`). Others may wait beside it: of earlier sittings, or of a colleague
on the same computer. A correction is also kept as an ``EditSession`` with its undo. No Textual here.

While a case is reviewed blind, what another person has half done about it does not exist for this one.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from reviewer.app.keeper import Keeper
from reviewer.app.rebased import rebased
from reviewer.app.reviews import follow_opinion
from reviewer.changes import changes_between
from reviewer.drafts import Draft, Drafts
from reviewer.signing import EditSession
from reviewer.store.edit import edit_members
from scoring.cases import CaseRow, parse_case
from scoring.jsonl import Row, parse_object
from scoring.people import person_key
from scoring.record import Kind
from scoring.record.opinion import parse_opinion
from scoring.strict_json import StrictJSONError

if TYPE_CHECKING:
    from pathlib import Path

    from reviewer.app.rebased import Rebased
    from reviewer.changes import Change
    from reviewer.store import Dataset, Entry


def corrected_line(session: EditSession) -> bytes | None:
    """The line as the correction would leave it; None if the line cannot be edited at all."""
    try:
        return edit_members(session.raw, {change.path: change.value for change in session.changes()})
    except StrictJSONError:
        return None


def corrected_entry(entry: Entry, session: EditSession) -> Entry:
    """The case as it would be with the correction, checked anew; the state stays that of the data."""
    raw = corrected_line(session)
    if raw is None:
        return entry
    try:
        parsed = parse_object(raw)
    except StrictJSONError:
        return entry
    line = replace(entry.row.row.line, raw=raw)
    case, problems = parse_case(parsed, line=line.number)
    return replace(entry, row=CaseRow(Row(line, parsed), case, problems))


def correction_changes(session: EditSession) -> tuple[Change, ...]:
    """Old and new, field by field, of a correction in progress."""
    raw = corrected_line(session)
    return () if raw is None else changes_between(session.raw, raw)


class Desk:
    """The drafts and corrections of one data set."""

    def __init__(self, data_path: Path, folder: Path | None = None) -> None:
        self.drafts = Drafts(data_path, folder)
        self.keeper = Keeper(self.drafts)
        self.set_aside: tuple[Path, ...] = ()
        self._kept: dict[str, Draft] = {}
        self._sessions: dict[str, EditSession] = {}
        self._owners: dict[str, str | None] = {}
        self._cases: dict[str, str] = {}
        self._at_work: dict[str, str] = {}
        self._person: str | None = None
        self._blind: frozenset[str] = frozenset()

    def load(self) -> None:
        """Take over the drafts of earlier sittings (slow; for a thread)."""
        found = self.drafts.take_over()
        self.set_aside = found.set_aside
        for draft in found.drafts:
            slot = draft.slot or self.drafts.new_slot()
            if slot in self._kept or slot in self._cases:
                continue  # of this sitting: what is in memory is later than what is on the disk
            self._own(slot, draft.case_id, draft.reviewer)
            self._kept[slot] = replace(draft, slot=slot)

    def close(self) -> None:
        """The sitting ends; everything is on the disk, and the next sitting will be offered it."""
        self.keeper.flush()
        self.drafts.close()

    # -- whose they are ------------------------------------------------------------------------

    def attend(self, reviewer: str | None, blind: frozenset[str]) -> None:
        """Say who works from now on, and on which cases nobody may see what another person has begun."""
        self._person = None if reviewer is None else person_key(reviewer)
        self._blind = blind
        for case_id, slot in list(self._at_work.items()):
            if self._hidden(slot):
                del self._at_work[case_id]

    def is_blind(self, case_id: str) -> bool:
        """Nobody may see what another person has begun about the case."""
        return case_id in self._blind

    def _hidden(self, slot: str) -> bool:
        if self._cases[slot] not in self._blind:
            return False
        owner = self._owners.get(slot)
        return owner is None or owner != self._person

    def _own(self, slot: str, case_id: str, reviewer: str | None) -> None:
        self._cases[slot] = case_id
        self._owners[slot] = None if reviewer is None else person_key(reviewer)

    def _slot(self, case_id: str) -> str | None:
        """Where the work on a case is kept; None when there is none yet."""
        at_work = self._at_work.get(case_id)
        if at_work is not None:
            return at_work
        there = [draft.slot for draft in self.waiting if draft.case_id == case_id]
        return there[-1] if there else None

    def _slot_or_new(self, case_id: str) -> str:
        slot = self._slot(case_id)
        if slot is None:
            slot = self.drafts.new_slot()
            self._cases[slot] = case_id
            self._owners[slot] = self._person
        self._at_work[case_id] = slot
        return slot

    # -- drafts --------------------------------------------------------------------------------

    @property
    def waiting(self) -> tuple[Draft, ...]:
        """Every draft that this person may see, older ones first."""
        seen = [draft for slot, draft in self._kept.items() if not self._hidden(slot)]
        return tuple(sorted(seen, key=lambda draft: (draft.utc, draft.case_id)))

    def draft(self, case_id: str) -> Draft | None:
        """The draft of a case that is at work, or the latest one; None if there is none."""
        slot = self._slot(case_id)
        return self._kept.get(slot) if slot is not None else None

    def choose(self, draft: Draft) -> None:
        """Go on with this draft of its case, and no other."""
        self._at_work[draft.case_id] = draft.slot

    def note(self, case_id: str, **changes: Any) -> None:
        """Change fields of the draft of a case (``reason``, ``kind``, ``reviewer``, ``refused``...)."""
        if case_id:
            self._note(self._slot_or_new(case_id), changes)

    def _note(self, slot: str, changes: dict[str, Any]) -> None:
        case_id = self._cases[slot]
        before = self._kept.get(slot) or Draft(case_id, slot=slot)
        draft = replace(before, **changes, utc=datetime.now(UTC).isoformat(timespec="milliseconds"))
        if draft.reviewer is not None:
            self._owners[slot] = person_key(draft.reviewer)
        if draft.empty:
            self._kept.pop(slot, None)
        else:
            self._kept[slot] = draft
        self.keeper.keep(draft)

    def decided(self, case_id: str, kind: Kind) -> None:
        """A decision of that kind is saved: forget what led to it, and nothing else that was typed."""
        draft, slot = self.draft(case_id), self._slot(case_id)
        if kind is Kind.FIRMA and draft is not None and draft.settling and draft.edit:
            # An adjudication decides on the case as it stands; a correction of it is another matter.
            self.note(case_id, kind=Kind.EDITA, settling=None, comment="", half=None, refused="")
            return
        if slot is not None and kind in {Kind.EDITA, Kind.FIRMA}:
            self._sessions.pop(slot, None)
        if draft is None:
            self._at_work.pop(case_id, None)
            return
        if kind in {Kind.RETIRA, Kind.DEVUELVE} and draft.edit is not None:
            self.note(case_id, kind=Kind.EDITA, reason="", refused="", resign=False)
        else:
            self.discard(case_id)

    def tidy(self, case_id: str) -> None:
        """Forget a draft that holds no more than which decision it was to become."""
        draft = self.draft(case_id)
        if draft is not None and draft.bare:
            self.discard(case_id)

    def discard(self, case_id: str) -> None:
        """Forget what is at work about a case and not saved."""
        slot = self._slot(case_id)
        if slot is not None:
            self._forget(slot)

    def discard_draft(self, draft: Draft) -> None:
        """Forget one draft."""
        if draft.slot in self._cases:
            self._forget(draft.slot)

    def _forget(self, slot: str) -> None:
        case_id = self._cases[slot]
        if self._at_work.get(case_id) == slot:
            del self._at_work[case_id]
        self._kept.pop(slot, None)
        self._sessions.pop(slot, None)
        self.keeper.discard(case_id, slot)

    # -- corrections ---------------------------------------------------------------------------

    @property
    def correcting(self) -> tuple[str, ...]:
        """The cases with a correction that would change something, sorted."""
        seen = [slot for slot in self._sessions if not self._hidden(slot)]
        return tuple(sorted({self._cases[slot] for slot in seen if self._sessions[slot].unsaved}))

    def correction(self, case_id: str) -> EditSession | None:
        """The correction in progress of a case, or None."""
        slot = self._slot(case_id)
        return self._sessions.get(slot) if slot is not None else None

    def begin(self, entry: Entry) -> tuple[EditSession, tuple[str, ...]]:
        """The correction of a case: the one in progress, the one of its draft, or a new one.

        Returns:
            The session, and the dotted fields that somebody else has changed too, in which what this person
            had put does not stand.
        """
        slot = self._slot_or_new(entry.id)
        session = self._sessions.get(slot)
        asked: tuple[str, ...] = ()
        if session is None:
            session = EditSession(entry.id, entry.raw)
            draft = self._kept.get(slot)
            if draft is not None and draft.edit is None and draft.opinion is not None:
                with contextlib.suppress(ValueError):
                    follow_opinion(session, parse_opinion(draft.opinion))
            elif draft is not None and draft.edit is not None:
                line = draft.line.encode("utf-8", "surrogatepass") or session.raw
                # What was kept may be no correction that this version reads; the case as it stands is.
                with contextlib.suppress(ValueError, StrictJSONError):
                    session = EditSession.restore(entry.id, line, draft.edit)
        if not session.respelled(entry.raw):
            session, asked = session.onto(entry.raw)
        self._sessions[slot] = session
        return session, tuple(dict.fromkeys((*asked, *(".".join(path) for path, _ in session.overruled))))

    def touched(self, session: EditSession, reviewer: str | None) -> None:
        """A step was taken in a correction: keep it as a draft (or forget it, if nothing is left of it)."""
        self._touched(self._slot_or_new(session.case_id), session, reviewer)

    def _touched(self, slot: str, session: EditSession, reviewer: str | None) -> None:
        draft = self._kept.get(slot)
        if not session.idle:
            changes: dict[str, Any] = {
                "kind": draft.kind if draft and draft.kind not in {None, Kind.EDITA} else Kind.EDITA,
                "reviewer": reviewer,
                "line": session.raw.decode("utf-8", "surrogatepass"),
                "edit": session.to_dict(),
            }
            self._note(slot, changes)
        elif draft is not None and draft.kind is Kind.EDITA and not draft.comment.strip():
            self._kept.pop(slot)
            self.keeper.discard(session.case_id, slot)
        elif draft is not None:
            self._note(slot, {"edit": None, "line": ""})

    def put_down(self, session: EditSession) -> None:
        """The person left a correction; one without any step leaves no trace."""
        if session.idle:
            slot = self._at_work.get(session.case_id)
            if slot is not None:
                self._sessions.pop(slot, None)

    def follow(self, dataset: Dataset, reviewer: str | None) -> tuple[Rebased, ...]:
        """Carry the corrections over to a data set that was read again.

        Returns:
            Those whose line was changed by somebody else. A case that is gone keeps its draft.
        """
        found: list[Rebased] = []
        if not self._sessions:
            return ()
        wanted = {self._cases[slot] for slot in self._sessions}
        entries = {entry.id: entry for entry in dataset.entries if entry.id in wanted}
        for slot, session in list(self._sessions.items()):
            entry = entries.get(self._cases[slot])
            if entry is None or session.respelled(entry.raw):
                continue
            fresh, asked = session.onto(entry.raw)
            self._sessions[slot] = fresh
            if self._hidden(slot):
                kept = self._kept.get(slot)
                self._touched(slot, fresh, kept.reviewer if kept is not None else None)
            else:
                self._touched(slot, fresh, reviewer)
                found.append(rebased(fresh, asked))
        return tuple(found)
