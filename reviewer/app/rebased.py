"""What is told of a correction carried over to a line that somebody else changed. No Textual here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reviewer.app.editing import shown
from reviewer.field_names import field_words
from scoring import messages

if TYPE_CHECKING:
    from reviewer.signing import EditSession
    from reviewer.store.edit import Scalar

VALUE_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Rebased:
    """A correction that was carried over.

    Attributes:
        case_id: the case.
        asked: dotted fields that both changed; the other side's value stands there now.
        mine: what the person had put there and can take up again, «field: value».
    """

    case_id: str
    asked: tuple[str, ...]
    mine: tuple[str, ...] = ()


def rebased(correction: EditSession, asked: tuple[str, ...]) -> Rebased:
    """What there is to tell of a correction, with the fields that both sides changed."""
    mine = tuple(f"{field_words('.'.join(path))}: {_cut(value)}" for path, value in correction.overruled)
    return Rebased(correction.case_id, asked, mine)


def rebased_text(found: Rebased) -> str:
    """What is said about it, in a sentence or two."""
    if not found.asked:
        return messages.text("app_edit.rebased", id=found.case_id)
    names = ", ".join(dict.fromkeys(field_words(field) for field in found.asked))
    if not found.mine:
        return messages.text("app_edit.rebased_asked", id=found.case_id, fields=names)
    mine = "; ".join(found.mine)
    return messages.text("app_edit.rebased_redo", id=found.case_id, fields=names, mine=mine)


def _cut(value: Scalar) -> str:
    text = " ".join(shown(value).split())
    return text if len(text) <= VALUE_SHOWN else f"{text[:VALUE_SHOWN]}…"
