"""The list of cases paints its visible rows only, whatever their number, and moves by keys and mouse."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from textual.app import App, ComposeResult

from reviewer.app import rows as rows_module
from reviewer.app.session import FILTERS
from reviewer.app.text import Content
from reviewer.app.widgets import queue_list
from reviewer.app.widgets.filter_bar import FilterBar
from reviewer.app.widgets.queue_list import QueueList
from reviewer.review_queue import Filter, QueueItem
from scoring.record import Status
from tests.app.support import painted, running, session_on, small_set, until

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from reviewer.app.session import Session


def items(count: int) -> tuple[QueueItem, ...]:
    return tuple(
        QueueItem(n, f"caso-{n}", Status.PENDIENTE, "dev", "canino", "t", "", faulty=False)
        for n in range(count)
    )


class OnlyList(App[None]):
    CSS = "QueueList { height: 1fr; }"

    def compose(self) -> ComposeResult:
        yield QueueList()


async def test_a_hundred_thousand_rows_build_only_what_is_painted(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[str] = []
    row_lines = rows_module.row_lines

    def counted(item: QueueItem, *args: object, **kwargs: object) -> tuple[Content, ...]:
        built.append(item.case_id)
        return row_lines(item, *args, **kwargs)  # type: ignore[arg-type]  # passed on as it came

    monkeypatch.setattr(queue_list, "row_lines", counted)
    app = OnlyList()
    async with app.run_test(size=(80, 24)) as pilot:
        rows = app.query_one(QueueList)
        many = items(100_000)
        start = time.thread_time()  # other programs do not count in it
        rows.show(many, 99_000, Content("vacía"))
        shown = time.thread_time() - start
        await pilot.pause()
        assert len(set(built)) <= 60
        assert "caso-99000" in built
        # Counting to a hundred thousand is what showing them may cost; building them would be far more.
        start = time.thread_time()
        assert sum(len(item.case_id) for item in many)
        assert shown < 50 * (time.thread_time() - start)


async def test_the_mouse_selects_and_a_second_click_reads(tmp_path: Path) -> None:
    async with running(session_on(small_set(tmp_path)), (80, 24)) as (app, pilot):
        await pilot.click("#queue", offset=(5, 1))
        await until(
            pilot, lambda: app.session.entry is not None and app.session.entry.id == "pendiente-flojo"
        )
        await pilot.click("#queue", offset=(5, 1))
        await until(pilot, lambda: app.screen.has_class("-reading"))
        await pilot.press("escape")
        assert not app.screen.has_class("-reading")
        await pilot.click("FilterBar", offset=(22, 0))
        await until(pilot, lambda: "[2 Firmados 3]" in painted(app))


def test_the_filter_in_force_is_never_cut_off_beside_the_sheet() -> None:
    """A column of 46 cells at 120: four filters with their counts, the last one in force."""
    counts = {Filter.PENDING: 25, Filter.SIGNED: 17, Filter.ALL: 43, Filter.RETURNED: 1}
    for chosen in FILTERS:
        session = SimpleNamespace(filter=chosen, count=counts.__getitem__)
        zones = FilterBar(cast("Session", session)).zones(46)
        line = "".join(zone.text.plain for zone in zones)
        assert len(line) <= 46, line
        assert line.count("[") == line.count("]") == 1
    # 1 Pend. 25  2 Firm. 17  3 Todos 43 [4 Dev. 1]
    assert line.endswith("[4 Dev. 1]")
