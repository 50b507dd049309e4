"""A line that was being typed into a correction: what, and in which row, so that it comes back there. No Textual here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reviewer.app.editing import EditRow, Section

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
