"""What one row of the queue says: state as symbol and word, then split, species and batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.text import Content, join, literal, spread
from scoring import messages
from scoring.record import Status
from scoring.record.reviews import BOTH

if TYPE_CHECKING:
    from reviewer.review_queue import QueueItem

SYMBOLS = {
    "pendiente": "○",
    "firmado": "●",
    "devuelto": "↩",
    "retirado": "⊘",
    "caducado": "!",
    "descuadrado": "≠",
    "desacuerdo": "⇄",
}
_STYLES = {
    "pendiente": theme.CARE,
    "firmado": theme.GOOD,
    "devuelto": theme.LINK,
    "retirado": theme.CARE,
    "caducado": theme.BAD,
    "descuadrado": theme.BAD,
    "desacuerdo": theme.CARE,
}
STATE_CELLS = 13
SPLIT_CELLS = 6
SPECIES_CELLS = 8
BATCH_CELLS = 12


def state_words(status: str) -> Content:
    """Symbol and word of a state."""
    return join(
        literal(SYMBOLS.get(status, "?"), _STYLES.get(status, "")),
        Content(" "),
        literal(status, _STYLES.get(status, "")),
    )


def _item_words(item: QueueItem) -> Content:
    """The state of a row; of a pending case that has been reviewed, how far that is."""
    status = str(item.status)
    if item.status is not Status.PENDIENTE or not item.reviews or item.asked < BOTH:
        return state_words(status)
    if item.reviews < item.asked:
        words = messages.text("app_review.row", n=item.reviews, asked=item.asked)
    else:  # decided, and the last step is missing: it would be lost among the pending ones
        words = messages.text("app_review.row_close")
    return join(literal(SYMBOLS[status], _STYLES[status]), Content(" "), literal(words, _STYLES[status]))


def row_lines(item: QueueItem, width: int, *, chosen: bool, two_lines: bool) -> tuple[Content, ...]:
    """The lines of a row in ``width`` cells: one with columns, or two where it is narrow."""
    edge = Content.styled("▌", theme.KEY) if chosen else Content(" ")
    status = str(item.status)
    name = literal(item.case_id or messages.text("app.no_id"), "bold" if chosen else "")
    mark = literal("⚠ ", theme.BAD) if item.faulty else Content("")
    species = item.species or messages.text("app.unknown_species")
    if two_lines:
        details = " · ".join(part for part in (item.split, species, item.batch) if part)
        first = join(
            edge, literal(SYMBOLS.get(status, "?"), _STYLES.get(status, "")), Content(" "), mark, name
        )
        second = spread(
            join(edge, Content("  "), _item_words(item)[2:]),
            join(literal(details, theme.QUIET), Content(" ")),
            width,
        )
        return first.truncate(width, ellipsis=True), second
    columns = join(
        _item_words(item).truncate(STATE_CELLS, pad=True),
        Content(" "),
        literal(item.split).truncate(SPLIT_CELLS, pad=True),
        literal(species).truncate(SPECIES_CELLS, pad=True, ellipsis=True),
        Content(" "),
        literal(item.batch, theme.QUIET).truncate(BATCH_CELLS, pad=True, ellipsis=True),
    )
    return (spread(join(edge, Content(" "), mark, name), columns, width),)
