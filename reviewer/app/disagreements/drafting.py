"""Comments that were typed and not recorded yet, kept as drafts in the user's state folder. No Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.app.keeper import Keeper
from reviewer.drafts import Draft, Drafts

if TYPE_CHECKING:
    from pathlib import Path

    from scoring.adjudication.entries import Verdict

_CHAIN = "cadena\n"


def row_key(place: tuple[str, str]) -> str:
    """What a row's draft is kept under."""
    return "\n".join(place)


def chain_key(digest: str) -> str:
    """What a chain's draft is kept under; no field id holds a line feed, so it is no row's."""
    return _CHAIN + digest


class Comments:
    """The drafts of one record.

    Attributes:
        keeper: writes them in the background.
    """

    def __init__(self, record: Path, folder: Path | None = None) -> None:
        self._drafts = Drafts(record, folder)
        self.keeper = Keeper(self._drafts)
        self._typed: dict[str, str] = {}

    def load(self) -> int:
        """Read what an earlier session left; how many there are."""
        for draft in self._drafts.all().drafts:
            if draft.comment.strip():
                self._typed.setdefault(draft.case_id, draft.comment)
        return len(self._typed)

    def typed(self, key: str) -> str:
        """What was typed there, or nothing."""
        return self._typed.get(key, "")

    def has(self, key: str) -> bool:
        """Something was typed there and not recorded."""
        return key in self._typed

    def __len__(self) -> int:
        return len(self._typed)

    def keep(self, key: str, comment: str, verdict: Verdict, reviewer: str | None) -> None:
        """Keep what was typed; returns at once."""
        if comment.strip():
            self._typed[key] = comment
        else:
            self._typed.pop(key, None)
        self.keeper.keep(
            Draft(
                key,
                reviewer=reviewer,
                comment=comment,
                edit={"dictamen": str(verdict)} if comment.strip() else None,
            )
        )

    def discard(self, key: str) -> None:
        """Forget it: it was recorded, or nobody wants it."""
        if self._typed.pop(key, None) is not None:
            self.keeper.discard(key)
