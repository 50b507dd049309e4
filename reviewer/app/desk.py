"""What lies half done on the reviewer's desk: corrections, reasons and names that were not saved yet.

Each case has at most one draft; whatever is typed about it changes that draft, which is written in the
background (:mod:`reviewer.app.keeper`). A correction is also kept as an ``EditSession`` with its undo.
No Textual here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from reviewer.app.keeper import Keeper
from reviewer.changes import changes_between
from reviewer.drafts import Draft, Drafts
from reviewer.signing import EditSession
from reviewer.store.edit import edit_members
from scoring import messages
from scoring.cases import CaseRow, parse_case
from scoring.jsonl import Row, parse_object
from scoring.record import Kind, line_digest
from scoring.strict_json import StrictJSONError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from reviewer.changes import Change
    from reviewer.store import Dataset, Entry

REASON_SHOWN = 120


@dataclass(frozen=True, slots=True)
class Rebased:
    """A correction that was carried over to a line that somebody else changed.

    Attributes:
        case_id: the case.
        asked: dotted fields that both changed; the other side's value stands there now.
    """

    case_id: str
    asked: tuple[str, ...]


def raw_of(entry: Entry) -> bytes:
    """The line of a case as it was read."""
    return entry.row.row.line.raw


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
    return replace(entry, row=CaseRow(Row(line, parsed), case, problems), line_digest=line_digest(raw))


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
        self._corrections: dict[str, EditSession] = {}

    def load(self) -> None:
        """Read the drafts of earlier sittings (slow; for a thread, before anything is typed)."""
        found = self.drafts.all()
        self.set_aside = found.set_aside
        for draft in found.drafts:
            self._kept.setdefault(draft.case_id, draft)

    # -- drafts --------------------------------------------------------------------------------

    @property
    def waiting(self) -> tuple[Draft, ...]:
        """Every draft, older ones first."""
        return tuple(sorted(self._kept.values(), key=lambda draft: (draft.utc, draft.case_id)))

    def draft(self, case_id: str) -> Draft | None:
        """The draft of a case, or None."""
        return self._kept.get(case_id)

    def note(self, case_id: str, **changes: Any) -> None:
        """Change fields of the draft of a case (``reason``, ``kind``, ``reviewer``, ``refused``...)."""
        if not case_id:
            return
        before = self._kept.get(case_id) or Draft(case_id)
        draft = replace(before, **changes, utc=datetime.now(UTC).isoformat(timespec="milliseconds"))
        if draft.empty:
            self._kept.pop(case_id, None)
        else:
            self._kept[case_id] = draft
        self.keeper.keep(draft)

    def decided(self, case_id: str, kind: Kind) -> None:
        """A decision of that kind is saved: forget what led to it, and nothing else that was typed."""
        draft = self._kept.get(case_id)
        if kind in {Kind.EDITA, Kind.FIRMA}:
            self._corrections.pop(case_id, None)
        if draft is None:
            return
        if kind in {Kind.RETIRA, Kind.DEVUELVE} and draft.edit is not None:
            self.note(case_id, kind=Kind.EDITA, reason="", refused="", resign=False)
        else:
            self.discard(case_id)

    def discard(self, case_id: str) -> None:
        """Forget everything about a case that is not saved."""
        self._kept.pop(case_id, None)
        self._corrections.pop(case_id, None)
        self.keeper.discard(case_id)

    # -- corrections ---------------------------------------------------------------------------

    @property
    def correcting(self) -> tuple[str, ...]:
        """The cases with a correction that would change something, sorted."""
        return tuple(sorted(name for name, session in self._corrections.items() if session.changes()))

    def correction(self, case_id: str) -> EditSession | None:
        """The correction in progress of a case, or None."""
        return self._corrections.get(case_id)

    def begin(self, entry: Entry) -> tuple[EditSession, tuple[str, ...]]:
        """The correction of a case: the one in progress, the one of its draft, or a new one.

        Returns:
            The session, and the dotted fields that changed on the disk too since the draft was kept.
        """
        session = self._corrections.get(entry.id)
        asked: tuple[str, ...] = ()
        if session is None:
            session = EditSession(entry.id, raw_of(entry))
            draft = self._kept.get(entry.id)
            if draft is not None and draft.edit is not None:
                line = draft.line.encode("utf-8", "surrogatepass") or session.raw
                try:
                    session = EditSession.restore(entry.id, line, draft.edit)
                except (ValueError, StrictJSONError):
                    return self._start(session), ()
        if session.raw != raw_of(entry):
            session, asked = session.onto(raw_of(entry))
        return self._start(session), asked

    def _start(self, session: EditSession) -> EditSession:
        self._corrections[session.case_id] = session
        return session

    def touched(self, session: EditSession, reviewer: str | None) -> None:
        """A step was taken in a correction: keep it as a draft (or forget it, if nothing is left of it)."""
        draft = self._kept.get(session.case_id)
        if session.changes() or session.accepted:
            self.note(
                session.case_id,
                kind=draft.kind if draft and draft.kind not in {None, Kind.EDITA} else Kind.EDITA,
                reviewer=reviewer,
                line=session.raw.decode("utf-8", "surrogatepass"),
                edit=session.to_dict(),
            )
        elif draft is not None and draft.kind is Kind.EDITA:
            self._kept.pop(session.case_id)
            self.keeper.discard(session.case_id)
        elif draft is not None:
            self.note(session.case_id, edit=None, line="")

    def put_down(self, session: EditSession) -> None:
        """The person left a correction; one without any step leaves no trace."""
        if not session.changes() and not session.accepted:
            self._corrections.pop(session.case_id, None)

    def follow(self, dataset: Dataset, reviewer: str | None) -> tuple[Rebased, ...]:
        """Carry the corrections over to a data set that was read again.

        Returns:
            Those whose line was changed by somebody else. A case that is gone keeps its draft.
        """
        found: list[Rebased] = []
        if not self._corrections:
            return ()
        entries = {entry.id: entry for entry in dataset.entries if entry.id in self._corrections}
        for case_id, session in list(self._corrections.items()):
            entry = entries.get(case_id)
            if entry is None or raw_of(entry) == session.raw:
                continue
            fresh, asked = session.onto(raw_of(entry))
            self._corrections[case_id] = fresh
            self.touched(fresh, reviewer)
            found.append(Rebased(case_id, asked))
        return tuple(found)


def offer_lines(drafts: Sequence[Draft], present: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """What is offered for each draft: a sentence, and a second one with details (or empty)."""
    return tuple((_offer(draft), _details(draft, gone=draft.case_id not in present)) for draft in drafts)


def _offer(draft: Draft) -> str:
    when = _when(draft)
    if draft.kind is Kind.RETIRA:
        key = "withdraw"
    elif draft.kind is Kind.DEVUELVE:
        key = "return"
    elif draft.edit is not None:
        key = "edit"
    elif draft.kind is Kind.FIRMA:
        key = "sign" if draft.refused else "name"
    else:
        key = "note"
    return messages.text(f"app_drafts.offer_{key}", id=draft.case_id, when=when)


def _details(draft: Draft, *, gone: bool) -> str:
    said: list[str] = []
    if draft.refused:
        said.append(messages.text("app_drafts.refused", why=draft.refused))
    typed = " ".join((draft.reason or draft.comment).split())
    if typed:
        said.append(messages.text("app_drafts.typed", text=_cut(typed)))
    if draft.kind is Kind.FIRMA and draft.reviewer and not draft.refused:
        said.append(messages.text("app_drafts.typed_name", name=draft.reviewer))
    if gone:
        said.append(messages.text("app_drafts.gone"))
    return " ".join(said)


def _cut(text: str) -> str:
    return text if len(text) <= REASON_SHOWN else f"{text[:REASON_SHOWN]}…"


def _when(draft: Draft) -> str:
    try:
        moment = datetime.fromisoformat(draft.utc).astimezone()
    except ValueError:
        return "?"
    return f"{moment:%Y-%m-%d %H:%M}"
