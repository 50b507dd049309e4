"""Pictures of the main screens at two sizes. Look at each picture before accepting a new one.

Dates are frozen, animations and the blinking cursor are off. ``pytest --snapshot-update`` accepts.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from textual.widgets import Input, TextArea

from reviewer.app.actions import action
from reviewer.app.application import ReviewApp
from reviewer.app.session import Reading
from reviewer.app.theme import LIGHT
from reviewer.decisions.review import build_opinion
from reviewer.drafts import Draft
from reviewer.review_queue import Filter
from reviewer.signing import Edit, FieldEdit, Sign, Withdraw
from reviewer.store import Dataset
from scoring.record import Kind
from tests.app.support import (
    MOMENT,
    painted,
    picture_predictions,
    picture_reports,
    picture_set,
    reading,
    session_on,
    until,
)
from tests.support import make_case, write_cases

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot

    Compare = Callable[..., bool]

TYPED = "="
"""What begins like this is typed at once, letter by letter."""
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


async def settled(pilot: Pilot[Any], app: ReviewApp) -> None:
    """Wait until nothing moves on the screen any more: a dialog may be a thread's answer away."""
    seen, quiet = "", 0
    while quiet < 4:
        await pilot.pause(0.01)
        await pilot.pause()
        now = f"{app.screen} {painted(app)}"
        seen, quiet = now, quiet + 1 if now == seen and not reading() else 0


def after(*keys: str) -> Callable[[Pilot[Any]], Any]:
    async def press(pilot: Pilot[Any]) -> None:
        app = pilot.app
        assert isinstance(app, ReviewApp)
        await until(pilot, lambda: app.gate.stage.value != "working")
        for key in keys:
            await pilot.press(*(key[1:] if key.startswith(TYPED) else [key]))
            await settled(pilot, app)
        for box in (*app.screen.query(Input), *app.screen.query(TextArea)):
            box.cursor_blink = False
        await settled(pilot, app)

    return press


@SIZES
def test_main_screen(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(picture(tmp_path), terminal_size=size, run_before=after())


@SIZES
def test_reading_a_sheet_with_notices(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    app = picture(tmp_path, predictions=False)
    assert snap_compare(app, terminal_size=size, run_before=after("escape", "n", "n", "enter"))


def test_a_faulty_case(snap_compare: Compare, tmp_path: Path) -> None:
    app = picture(tmp_path, predictions=False)
    assert snap_compare(app, terminal_size=(80, 24), run_before=after("n", "n", "n"))


def test_asking_for_the_reviewer(snap_compare: Compare, tmp_path: Path) -> None:
    assert snap_compare(picture(tmp_path, reviewer=None), terminal_size=(80, 24), run_before=after("f"))


@SIZES
def test_sign_dialog(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(picture(tmp_path), terminal_size=size, run_before=after("f"))


@SIZES
def test_dashboard(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(picture(tmp_path), terminal_size=size, run_before=after("t", "a"))


@pytest.mark.lento
@pytest.mark.parametrize(
    ("view", "size"),
    [
        ("parts", (120, 40)),
        ("what_if", (80, 24)),
        ("comparison", (120, 40)),
        ("comparison", (80, 24)),
        ("trend", (120, 40)),
        ("trend", (80, 24)),
        ("judge", (80, 24)),
        ("cases", (80, 24)),
    ],
    ids=lambda part: part if isinstance(part, str) else f"{part[0]}x{part[1]}",
)
def test_dashboard_views(snap_compare: Compare, tmp_path: Path, view: str, size: tuple[int, int]) -> None:
    app = picture(tmp_path)
    picture_reports(tmp_path)
    key = action(f"view_{view}").keys[0]
    assert snap_compare(app, terminal_size=size, run_before=after("t", key))


@pytest.mark.lento
def test_choosing_a_report(snap_compare: Compare, tmp_path: Path) -> None:
    app = picture(tmp_path)
    picture_reports(tmp_path)
    assert snap_compare(app, terminal_size=(80, 24), run_before=after("t", "o"))


@pytest.mark.lento
def test_a_very_small_dashboard(snap_compare: Compare, tmp_path: Path) -> None:
    assert snap_compare(picture(tmp_path), terminal_size=(40, 12), run_before=after("t"))


@SIZES
def test_help(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(picture(tmp_path), terminal_size=size, run_before=after("question_mark"))


@SIZES
def test_correcting(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    keys = (
        "e",
        "space",
        "down",
        "x",
        "down",
        "enter",
        "=lepto",
        "enter",
        "down",
        "down",
        "enter",
        "down",
        "down",
    )
    assert snap_compare(picture(tmp_path), terminal_size=size, run_before=after(*keys))


def test_a_corrected_sheet(snap_compare: Compare, tmp_path: Path) -> None:
    keys = ("e", "down", "x", "escape", "enter", "enter")
    assert snap_compare(picture(tmp_path), terminal_size=(80, 24), run_before=after(*keys))


def test_signing_a_correction(snap_compare: Compare, tmp_path: Path) -> None:
    assert snap_compare(picture(tmp_path), terminal_size=(80, 24), run_before=after("e", "down", "x", "f"))


def test_returning_with_a_reason(snap_compare: Compare, tmp_path: Path) -> None:
    assert snap_compare(picture(tmp_path), terminal_size=(80, 24), run_before=after("v", "=Falta la edad"))


def test_history(snap_compare: Compare, tmp_path: Path) -> None:
    app = picture(tmp_path)
    moment = iter(MOMENT + timedelta(hours=number) for number in range(9))
    case_id = "anemia-ferropenica-canino"
    change = FieldEdit(("signos_clinicos",), "Letargia y mucosas pálidas")
    for decision in (
        Withdraw((case_id,), "Eva Sanz", "Faltaba mirar el frotis", way="cli"),
        Edit(case_id, (change,), "Eva Sanz"),
        Sign((case_id,), "Eva Sanz"),
    ):
        reading = Reading.of(app.session.dataset.apply(decision, moment=next(moment)).dataset)
        app.session.adopt(reading)
    app.session.position = 0
    app.session.filter = Filter.ALL
    assert snap_compare(app, terminal_size=(80, 24), run_before=after("h"))


def test_a_mismatch_and_its_ways_out(snap_compare: Compare, tmp_path: Path) -> None:
    app = picture(tmp_path)
    path = app.session.dataset.path
    before = path.read_bytes()
    Dataset.open(path).apply(Sign(("erc-canino-senior",), "Eva Sanz"), moment=MOMENT)
    path.write_bytes(before)
    app.session.adopt(app.session.reread())
    app.session.position = 3
    app.session.filter = Filter.ALL
    assert snap_compare(app, terminal_size=(80, 24), run_before=after("a"))


@SIZES
def test_adjudicating(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    app = picture(tmp_path, reviewer="Luis Gil")
    path = app.session.dataset.path
    rule = path.with_name("umbrales.toml")
    rule.write_text(f"{rule.read_text(encoding='utf-8')}[firmas]\ndev = 2\n", encoding="utf-8")
    row = Dataset.open(path).entry("erc-canino-senior").row
    first = build_opinion(
        row, reject=["insuficiencia renal crónica"], comment="Es el mismo diagnóstico, dicho dos veces."
    )
    second = build_opinion(row, add=["pielonefritis"], referral=False)
    for who, opinion in (("Ana Ruiz", first), ("Eva Sanz", second)):
        decision = Sign(("erc-canino-senior",), who, opinions={"erc-canino-senior": opinion})
        Dataset.open(path).apply(decision, moment=MOMENT)
    app.session.adopt(app.session.reread())
    app.session.position = app.session.position_of("erc-canino-senior")
    assert snap_compare(app, terminal_size=size, run_before=after("a", "2"))


def test_a_name_like_another(snap_compare: Compare, tmp_path: Path) -> None:
    app = picture(tmp_path, reviewer="Ana Ruíz")
    assert snap_compare(app, terminal_size=(80, 24), run_before=after())


def test_what_is_half_done_is_offered(snap_compare: Compare, tmp_path: Path) -> None:
    app = picture(tmp_path)
    drafts = app.session.desk.drafts
    drafts.save(
        Draft("erc-canino-senior", Kind.DEVUELVE, "Ana Ruiz", "Falta la edad", utc="2026-08-05T08:00:00Z")
    )
    refused = "El disco está lleno."
    drafts.save(
        Draft("parasitosis-canino", Kind.FIRMA, "Ana Ruiz", refused=refused, utc="2026-08-05T09:00:00Z")
    )
    assert snap_compare(app, terminal_size=(80, 24), run_before=after())


def test_light_theme(snap_compare: Compare, tmp_path: Path) -> None:
    app = picture(tmp_path)
    app.theme = LIGHT.name
    assert snap_compare(app, terminal_size=(80, 24), run_before=after("slash", "=ren"))


def test_a_very_small_terminal(snap_compare: Compare, tmp_path: Path) -> None:
    assert snap_compare(picture(tmp_path), terminal_size=(40, 12), run_before=after())


def test_hostile_text(snap_compare: Compare, tmp_path: Path) -> None:
    evil = "[URGENTE] ALT [H] 120 \x1b[31m [/]"
    case = make_case("[b]id[/b]", descripcion=evil, tanda="[/]", signos_clinicos=evil, valores={"alt": evil})
    app = ReviewApp(session_on(write_cases(tmp_path / "casos.jsonl", case), reviewer="[B] Ana"))
    assert snap_compare(app, terminal_size=(80, 24), run_before=after())
