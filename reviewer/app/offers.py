"""What was left half done, as sentences to be offered. No Textual here."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from reviewer.app.half_typed import half_comment
from scoring import messages
from scoring.record import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reviewer.drafts import Draft

REASON_SHOWN = 120


def offer_lines(drafts: Sequence[Draft], present: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """What is offered for each draft: a sentence, and a second one with details (or empty)."""
    return tuple((_offer(draft), _details(draft, gone=draft.case_id not in present)) for draft in drafts)


def _offer(draft: Draft) -> str:
    when = _when(draft)
    if draft.kind is Kind.RETIRA:
        key = "withdraw"
    elif draft.kind is Kind.DEVUELVE:
        key = "return"
    elif draft.settling is not None or draft.adjudicates:
        key = "adjudicate"
    elif draft.opinion is not None:
        key = "review"
    elif draft.edit is None and (half_comment(draft.half) is not None or draft.comment):
        key = "comment"
    elif draft.edit is not None or draft.half is not None:
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
    half = str((draft.half or {}).get("texto", ""))
    typed = " ".join((draft.reason or half or draft.comment).split())
    if typed:
        said.append(messages.text("app_drafts.typed", text=_cut(typed)))
    if draft.kind is Kind.FIRMA and draft.reviewer and draft.bare:
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
