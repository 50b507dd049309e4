"""What changed in a case, field by field, in the words of the sheet rather than the keys of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.text import Content, indent, join, literal, tell
from reviewer.field_names import field_words, value_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reviewer.changes import Change

TEXT_SHOWN = 400


def change_lines(changes: Sequence[Change], width: int, shown: int = 200) -> list[Content]:
    """Old and new of each field; a symbol says whether it is new, gone or changed."""
    lines: list[Content] = []
    for change in changes[:shown]:
        old, new = (_shown(change.path, value) for value in (change.old, change.new))
        if change.old is None:
            mark, said = "+", tell("app_edit.is_new", new=new)
        elif change.new is None:
            mark, said = "−", tell("app_edit.is_gone", old=old)
        elif change.moved:
            mark, said = "↕", tell("app_edit.is_moved", new=new)
        else:
            mark, said = "≠", tell("app_edit.is_changed", old=old, new=new)
        text = join(literal(f"{field_words(change.path)}: ", theme.QUIET), said)
        lines += indent(text, width, Content.styled(f" {mark} ", theme.CARE))
    if len(changes) > shown:
        lines += indent(tell("app_edit.more_changes", n=len(changes) - shown), width, Content("   "))
    return lines


def _shown(path: str, value: str | None) -> str:
    text = value_words(path, value or "")
    return text if len(text) <= TEXT_SHOWN else f"{text[:TEXT_SHOWN]}…"
