"""Bars and sparklines made of characters, so that they say the same without colour."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.text import Content, join

if TYPE_CHECKING:
    from collections.abc import Sequence

SURE, LIKELY, OPEN, NOTHING = "━", "╍", "┄", "·"
"""Up to the lower end of the interval; on to the figure; on to the upper end; the rest."""
MARK = "┃"
"""Where the threshold is."""
LEVELS = "▁▂▃▄▅▆▇█"
GAP = "·"
"""A point of a series without figure."""


def share_cells(
    share: float | None,
    cells: int,
    *,
    interval: tuple[float, float] | None = None,
    limit: float | None = None,
    ceiling: bool = False,
    passes: bool | None = None,
) -> str:
    """A share between 0 and 1 as ``cells`` characters, and one more where the threshold stands.

    The filled part touches the mark of a floor, or stays before that of a ceiling, exactly when the
    threshold is met, however coarse the cells are; it fills the bar only when the share is 1.

    Args:
        share: what is shown; None leaves the bar empty.
        cells: length of the scale; the answer is one character longer.
        interval: both ends, or None.
        limit: the threshold as a share, or None.
        ceiling: the threshold is one from above.
        passes: whether it is met, or None.
    """
    place = None if limit is None else math.floor(min(max(limit, 0.0), 1.0) * cells)
    filled = 0 if share is None else math.floor(min(max(share, 0.0), 1.0) * cells)
    if place is not None and passes is False:
        filled = max(filled, min(cells, place + 1)) if ceiling else min(filled, max(0, place - 1))
    elif place is not None and passes and ceiling:
        filled = min(filled, place)
    low = high = filled
    if interval is not None and share is not None:
        low = min(filled, math.floor(interval[0] * cells))
        high = max(filled, math.ceil(interval[1] * cells))
    scale = SURE * low + LIKELY * (filled - low) + OPEN * (high - filled) + NOTHING * (cells - high)
    if place is None:
        return scale + " "
    return scale[:place] + MARK + scale[place:]


def styled(scale: str, tone: str) -> Content:
    """The characters of a bar in their colours; the mark stands out from both."""
    parts: list[Content] = []
    run = ""
    styles = {SURE: tone, LIKELY: tone, OPEN: tone, NOTHING: theme.RULE, MARK: theme.STRONG, " ": ""}
    for char in scale:
        if run and styles[run[-1]] != styles[char]:
            parts.append(Content.styled(run, styles[run[-1]]))
            run = ""
        run += char
    if run:
        parts.append(Content.styled(run, styles[run[-1]]))
    return join(*parts)


def spark(values: Sequence[float | None], cells: int) -> str:
    """A series as one character per point, the last ``cells`` of them, between its least and greatest value.

    A series that does not move is a line in the middle; a point without figure is a dot.
    """
    shown = list(values)[-cells:]
    known = [value for value in shown if value is not None]
    if not known:
        return GAP * len(shown)
    low, high = min(known), max(known)
    if low == high:
        return "".join(GAP if value is None else LEVELS[3] for value in shown)
    step = (high - low) / (len(LEVELS) - 1)
    return "".join(GAP if value is None else LEVELS[round((value - low) / step)] for value in shown)
