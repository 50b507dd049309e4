"""Comments that were typed and not recorded yet, kept as drafts in the user's state folder. No Textual."""

from __future__ import annotations

from dataclasses import replace
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
    """The drafts of one record as one sitting keeps them.

    Attributes:
        keeper: writes them in the background.
    """

    def __init__(self, record: Path, folder: Path | None = None) -> None:
        self._drafts = Drafts(record, folder)
        self.keeper = Keeper(self._drafts)
        self._typed: dict[str, str] = {}
        self._slots: dict[str, str] = {}

    def load(self) -> int:
        """Take over what sittings that have ended left; how many comments there are.

        Two texts about one thing (two windows had it open) become one text, in the order of their time.
        """
        left: dict[str, list[Draft]] = {}
        for draft in self._drafts.take_over().drafts:
            if draft.comment.strip() and draft.case_id not in self._typed:
                left.setdefault(draft.case_id, []).append(draft)
        for key, drafts in left.items():
            texts = list(dict.fromkeys(draft.comment for draft in drafts))
            self._typed[key] = "\n".join(texts)
            self._slots[key] = drafts[-1].slot
            if len(drafts) > 1:
                self.keeper.keep(replace(drafts[-1], comment=self._typed[key]))
                for draft in drafts[:-1]:
                    self.keeper.discard(key, draft.slot)
        return len(self._typed)

    def typed(self, key: str) -> str:
        """What was typed there, or nothing."""
        return self._typed.get(key, "")

    def has(self, key: str) -> bool:
        """Something was typed there and not recorded."""
        return key in self._typed

    def keep(self, key: str, comment: str, verdict: Verdict, reviewer: str | None) -> None:
        """Keep what was typed; returns at once."""
        blank = not comment.strip()
        if blank:
            self._typed.pop(key, None)
        else:
            self._typed[key] = comment
        verdict_kept = None if blank else {"dictamen": str(verdict)}
        self.keeper.keep(
            Draft(key, reviewer=reviewer, comment=comment, edit=verdict_kept, slot=self._slot(key))
        )

    def discard(self, key: str) -> None:
        """Forget it: it was recorded, or nobody wants it."""
        if self._typed.pop(key, None) is not None:
            self.keeper.discard(key, self._slot(key))

    def close(self) -> None:
        """This sitting ends: what is left is offered to the next one."""
        self.keeper.flush()
        self._drafts.close()

    def _slot(self, key: str) -> str:
        if key not in self._slots:
            self._slots[key] = self._drafts.new_slot()
        return self._slots[key]
