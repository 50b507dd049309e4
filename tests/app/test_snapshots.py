"""Pictures of the main screens at two sizes. Look at each picture before accepting a new one.

Dates are frozen, animations and the blinking cursor are off. ``pytest --snapshot-update`` accepts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from textual.widgets import Input

from reviewer.app.application import ReviewApp
from reviewer.app.theme import LIGHT
from tests.app.support import picture_predictions, picture_set, session_on, until
from tests.support import make_case, write_cases

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot

    Compare = Callable[..., bool]

SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=lambda s: f"{s[0]}x{s[1]}")


def picture(folder: Path, *, predictions: bool = True, reviewer: str | None = "Ana Ruiz") -> ReviewApp:
    cases = picture_set(folder)
    # A set with a faulty line has no gate; the pictures of the gate need a sound one.
    if predictions:
        sound = [
            line for line in cases.read_text(encoding="utf-8").splitlines() if "sin-derivacion" not in line
        ]
        cases.write_text("\n".join(sound) + "\n", encoding="utf-8")
    app = ReviewApp(session_on(cases, picture_predictions(folder) if predictions else None, reviewer))
    app.animation_level = "none"
    return app


def after(*keys: str) -> Callable[[Pilot[Any]], Any]:
    async def press(pilot: Pilot[Any]) -> None:
        app = pilot.app
        assert isinstance(app, ReviewApp)
        await until(pilot, lambda: app.gate.stage.value != "working")
        for key in keys:
            await pilot.press(key)
            await pilot.pause(0.1)
        for box in app.screen.query(Input):
            box.cursor_blink = False
        await pilot.pause(0.1)

    return press


@SIZES
def test_main_screen(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(picture(tmp_path), terminal_size=size, run_before=after())


@SIZES
def test_reading_a_sheet_with_notices(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    app = picture(tmp_path, predictions=False)
    assert snap_compare(app, terminal_size=size, run_before=after("escape", "n", "n", "enter"))


@SIZES
def test_a_faulty_case(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    app = picture(tmp_path, predictions=False)
    assert snap_compare(app, terminal_size=size, run_before=after("n", "n", "n"))


@SIZES
def test_asking_for_the_reviewer(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(picture(tmp_path, reviewer=None), terminal_size=size, run_before=after("f"))


@SIZES
def test_sign_dialog(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(picture(tmp_path), terminal_size=size, run_before=after("f"))


@SIZES
def test_dashboard(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(picture(tmp_path), terminal_size=size, run_before=after("t", "a"))


@SIZES
def test_help(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(picture(tmp_path), terminal_size=size, run_before=after("question_mark"))


@SIZES
def test_light_theme(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    app = picture(tmp_path)
    app.theme = LIGHT.name
    assert snap_compare(app, terminal_size=size, run_before=after("slash", "r", "e", "n"))


def test_a_very_small_terminal(snap_compare: Compare, tmp_path: Path) -> None:
    assert snap_compare(picture(tmp_path), terminal_size=(40, 12), run_before=after())


def test_hostile_text(snap_compare: Compare, tmp_path: Path) -> None:
    evil = "[URGENTE] ALT [H] 120 \x1b[31m [/]"
    case = make_case("[b]id[/b]", descripcion=evil, tanda="[/]", signos_clinicos=evil, valores={"alt": evil})
    app = ReviewApp(session_on(write_cases(tmp_path / "casos.jsonl", case), reviewer="[B] Ana"))
    assert snap_compare(app, terminal_size=(80, 24), run_before=after())
