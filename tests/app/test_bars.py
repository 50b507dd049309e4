"""Bars and sparklines: figures by hand, the mark never lies, and no colour is needed to read them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.app import theme
from reviewer.app.panels.bars import LIKELY, MARK, NOTHING, OPEN, SURE, share_cells, spark, styled


@pytest.mark.parametrize(
    ("share", "interval", "limit", "ceiling", "passes", "wanted"),
    [
        # Ten cells: 0.8 is eight of them, and the mark of 0.8 stands behind the eighth.
        (0.8, None, 0.8, False, True, "━━━━━━━━┃··"),
        # 0.79 is seven cells, one short of the mark.
        (0.79, None, 0.8, False, False, "━━━━━━━·┃··"),
        # 0.85 in an interval from 0.55 (5 cells, rounded down) to 0.95 (10, rounded up).
        (0.85, (0.55, 0.95), 0.8, False, True, "━━━━━╍╍╍┃┄┄"),
        (1.0, (0.7, 1.0), 1.0, False, True, "━━━━━━━╍╍╍┃"),
        (None, None, 0.8, False, None, "········┃··"),
        (0.5, None, None, False, None, "━━━━━····· "),
        # No violation where none is allowed: nothing is filled, the interval is open to 0.22 (3 cells).
        (0.0, (0.0, 0.22), 0.0, True, True, "┃┄┄┄·······"),
        # One in thirty is less than a cell, and yet it is beyond the mark.
        (1 / 30, None, 0.0, True, False, "┃━·········"),
    ],
)
def test_a_bar_shows_figure_interval_and_threshold(
    share: float | None,
    interval: tuple[float, float] | None,
    limit: float | None,
    ceiling: bool,
    passes: bool | None,
    wanted: str,
) -> None:
    said = share_cells(share, 10, interval=interval, limit=limit, ceiling=ceiling, passes=passes)
    assert said == wanted
    assert styled(said, theme.GOOD).plain == said, "the colours change no character"


@given(st.integers(0, 40), st.integers(1, 40), st.integers(0, 100), st.booleans(), st.integers(4, 40))
def test_a_bar_reaches_its_mark_exactly_when_the_threshold_is_met(
    part: int, whole: int, limit: int, ceiling: bool, cells: int
) -> None:
    share, at = Fraction(min(part, whole), whole), Fraction(limit, 100)
    passes = share <= at if ceiling else share >= at
    said = share_cells(float(share), cells, limit=float(at), ceiling=ceiling, passes=passes)
    place, filled = said.index(MARK), said.count(SURE)
    assert len(said) == cells + 1
    assert set(said) <= {SURE, LIKELY, OPEN, NOTHING, MARK}
    if ceiling:
        assert (filled > place) == (not passes)
    elif place:
        assert (filled >= place) == passes
    if cells == filled and passes and not ceiling:
        assert share == 1, "only a share of one fills the bar"


def test_a_sparkline_runs_between_its_own_least_and_greatest_value() -> None:
    # 0.6 and 0.8 are the ends, 0.75 three quarters of the way: level 5 of 0 to 7.
    assert spark([0.6, 0.75, 0.8], 10) == "▁▆█"
    assert spark([0.5, 0.5], 10) == "▄▄"
    assert spark([0.0, None, 1.0], 10) == "▁·█"
    assert spark([0.0, 0.2, 0.4, 0.9], 2) == "▁█", "the newest stay"
    assert spark([None, None], 5) == "··"
    assert spark([], 5) == ""
