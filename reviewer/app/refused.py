"""A decision that was refused and is worth keeping stays as a draft, to be offered again. No Textual here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reviewer.commands.deciding import lost
from scoring.errors import WriteError
from scoring.record import Kind

if TYPE_CHECKING:
    from reviewer.app.session import Session
    from reviewer.store import Entry
    from scoring.errors import ProductError


def keep_refused(
    session: Session, entry: Entry, kind: Kind, error: ProductError, *, resign: bool = False
) -> bool:
    """Keep what could not be saved; a plain signature only if the disk refused it, because nothing was typed.

    Returns:
        Whether there is a draft to be offered again.
    """
    draft = session.desk.draft(entry.id)
    typed = draft is not None and bool(draft.edit or draft.settling or draft.opinion or draft.comment)
    if not lost(error) or (kind is Kind.FIRMA and not typed and not isinstance(error, WriteError)):
        return False
    changes: dict[str, Any] = {
        "refused": str(error),
        "reviewer": session.reviewer,
        "resign": resign,
        "line": entry.raw.decode("utf-8", "surrogatepass"),
    }
    if draft is None or draft.edit is None:
        changes["kind"] = kind
    else:
        # The correction in progress was made on a line of its own; it stays the one it restores on.
        del changes["line"]
    session.desk.note(entry.id, **changes)
    return True
