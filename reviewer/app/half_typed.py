"""A line that was being typed: what, and in which row, so that it comes back there. No Textual here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reviewer.app.editing import EditRow, Section
from reviewer.decisions.fields import typed_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def keep(row: EditRow, typed: str) -> dict[str, Any]:
    """The row and the text as JSON values, for a draft."""
    return {
        "grupo": str(row.section),
        "campo": list(row.path),
        "alta": row.adds,
        "antes": "" if row.adds else row.value,
        "texto": typed,
    }


def text_of(kept: Mapping[str, Any]) -> str:
    """What was typed; empty if that cannot be read."""
    text = kept.get("texto")
    return text if isinstance(text, str) else ""


def row_of(kept: Mapping[str, Any], rows: Sequence[EditRow]) -> EditRow | None:
    """The row in which it was typed; None when it is not known, or no longer there."""
    try:
        section, path = Section(kept["grupo"]), tuple(kept["campo"])
    except (KeyError, TypeError, ValueError):
        return None
    for row in rows:
        if (row.section, row.path, row.adds) != (section, path, kept.get("alta") is True):
            continue
        if row.index < 0 or row.value == kept.get("antes"):
            return row
    return None


def comment_half(typed: str) -> dict[str, Any]:
    """The comment of a review while it is typed, as JSON values."""
    return {"fila": "comentario", "texto": typed}


def half_comment(kept: Mapping[str, Any] | None) -> str | None:
    """The comment of a review that was half typed; None if it was something else, or nothing."""
    return text_of(kept) if kept is not None and kept.get("fila") == "comentario" else None


def check_comment(typed: str) -> None:
    """Refuse a comment that the record cannot keep; nothing typed is none.

    Raises:
        UsageError: too long, or holding characters that cannot be seen.
    """
    if typed.strip():
        typed_text(typed, multiline=True)
