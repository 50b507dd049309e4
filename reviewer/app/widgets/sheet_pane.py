"""The sheet on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.app.sheet_view import sheet_lines
from reviewer.app.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reviewer.app.reviews import OpenReviews
    from reviewer.app.text import Content
    from reviewer.changes import Change
    from reviewer.sheet import ReviewSheet

BESIDE_FROM = 100
"""Columns of the terminal from which reviews stand side by side."""


class SheetPane(TextPane):
    """Shows one sheet; another case starts at its top, the same case stays where it was."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._sheet: ReviewSheet | None = None
        self._instead: Sequence[Content] = ()
        self._corrected: Sequence[Change] = ()
        self._reviews: OpenReviews | None = None

    def show(
        self,
        sheet: ReviewSheet | None,
        instead: Sequence[Content] = (),
        corrected: Sequence[Change] = (),
        reviews: OpenReviews | None = None,
    ) -> None:
        """Show ``sheet`` with what a correction in progress changes and its reviews, or lines ``instead``."""
        same = sheet is not None and self._sheet is not None and sheet.case_id == self._sheet.case_id
        self._sheet = sheet
        self._instead = instead
        self._corrected = corrected
        self._reviews = reviews
        self.lay_out(from_top=not same)

    def text_lines(self, width: int) -> Sequence[Content]:
        """The sheet for a width, or what stands there instead."""
        if self._sheet is None:
            return self._instead
        beside = self.app.size.width >= BESIDE_FROM
        return sheet_lines(self._sheet, width, self._corrected, self._reviews, beside=beside)
