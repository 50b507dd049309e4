"""Screens at every size: what is shown, what the keys do, what is never missing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from textual.command import CommandPalette
from textual.widgets._toast import Toast

from reviewer.app.screens.board import BoardScreen
from reviewer.app.screens.decide import DecideDialog
from reviewer.app.screens.drafts import DraftsDialog
from reviewer.app.screens.edit import EditScreen
from reviewer.app.screens.help import HelpScreen
from reviewer.app.screens.main import MainScreen
from reviewer.app.screens.sign import SignDialog
from reviewer.app.screens.unsaved import UnsavedDialog
from reviewer.app.widgets.action_bar import ActionBar
from reviewer.app.widgets.sheet_pane import SheetPane
from scoring import messages
from tests.app.support import painted, running, session_on, small_predictions, small_set, until
from tests.support import make_case, write_cases

if TYPE_CHECKING:
    from pathlib import Path

    from reviewer.app.application import ReviewApp


def paints(app: ReviewApp, text: str) -> bool:
    return text in painted(app)


SIZES = [
    pytest.param((20, 5), id="20x5", marks=pytest.mark.lento),
    pytest.param((40, 12), id="40x12"),
    pytest.param((120, 40), id="120x40", marks=pytest.mark.lento),
]


@pytest.mark.parametrize("size", SIZES)
async def test_every_screen_works_at_every_size(tmp_path: Path, size: tuple[int, int]) -> None:
    cases = small_set(tmp_path)
    async with running(session_on(cases, small_predictions(tmp_path)), size) as (app, pilot):
        await pilot.press("n", "p", "enter", "pagedown", "escape", "t", "a", "end", "escape")
        await pilot.press("question_mark", "pagedown", "escape", "d", "escape", "f")
        await until(pilot, lambda: isinstance(app.screen, SignDialog))
        await pilot.press("escape", "slash", "x", "escape", "m", "m", "m", "m", "c", "h", "escape", "e")
        await until(pilot, lambda: isinstance(app.screen, EditScreen))
        await pilot.press("x", "end", "enter", "escape", "escape")
        await until(pilot, lambda: isinstance(app.screen, UnsavedDialog))
        await pilot.press("enter", "v")
        await until(pilot, lambda: isinstance(app.screen, DecideDialog))
        await pilot.press(*"a b", "escape", "o")
        await until(pilot, lambda: isinstance(app.screen, DraftsDialog))
        await pilot.press("escape")
        assert isinstance(app.screen, MainScreen)
        await pilot.resize_terminal(120, 40)
        await pilot.resize_terminal(40, 12)
        await pilot.press("end", "home")


async def test_every_screen_shows_help_quit_and_what_it_is_for_at_80x24(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    async with running(session_on(cases, small_predictions(tmp_path)), (80, 24)) as (app, pilot):
        for keys, wanted in (
            ((), ("f Firmar", "? Ayuda", "q Salir", "pendiente-bueno", "Hematocrito", "3 de 6 firmados")),
            (("t",), ("Esc Volver", "? Ayuda", "q Salir", "PASA", "recall de diferenciales")),
            (("escape", "question_mark"), ("Esc Volver", "q Salir", "Cómo se trabaja")),
            (("escape", "f"), ("Intro Firmar", "Esc Cancelar", "? Ayuda", "Ctrl+Q Salir", "La puerta")),
            (("escape", "r"), ("Intro Aceptar", "F1 Ayuda", "Ctrl+Q Salir", "¿Quién firma?")),
            (("escape", "h"), ("Esc Volver", "? Ayuda", "q Salir", "Historial de «pendiente-bueno»")),
            (("escape", "e"), ("Intro Cambiar", "Esc Volver", "? Ayuda", "q Salir", "Corregir «")),
            (("escape", "v"), ("Intro Guardar", "Esc Cancelar", "Ctrl+Q Salir", "¿Qué tiene que arreglar")),
        ):
            if keys:
                await pilot.press(*keys)
                last = wanted[-1]
                await until(pilot, partial(paints, app, last))
            shown = painted(app)
            for text in wanted:
                assert text in shown, (keys, text)


async def test_the_queue_stands_beside_the_sheet_when_wide_and_above_it_when_narrow(tmp_path: Path) -> None:
    async with running(session_on(small_set(tmp_path)), (120, 40)) as (app, pilot):
        queue, sheet = app.screen.query_one("#queue"), app.screen.query_one("#sheet")
        assert sheet.region.x >= queue.region.right
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: sheet.region.y >= queue.region.bottom > 0)
        await pilot.press("enter")
        await until(pilot, lambda: not queue.is_on_screen and sheet.region.height > 15)
        await pilot.press("escape")
        await until(pilot, lambda: queue.is_on_screen)


async def test_keys_move_filter_and_search(tmp_path: Path) -> None:
    async with running(session_on(small_set(tmp_path))) as (app, pilot):

        def selected() -> str:
            return app.session.entry.id if app.session.entry else ""

        await pilot.press("down")
        assert selected() == "pendiente-flojo"
        await pilot.press("k")
        assert selected() == "pendiente-bueno"
        await pilot.press("end")
        assert selected() == "pendiente-test"
        await pilot.press("j", "n")
        assert selected() == "pendiente-test", "the list stops at its end"
        await pilot.press("2")
        assert "[2 Firmados 3]" in painted(app)
        assert selected().startswith("firmado")
        await pilot.press("3", "slash", *"FLOJO", "enter")
        assert selected() == "pendiente-flojo"
        assert "Buscar: FLOJO" in painted(app)
        await pilot.press("escape")
        assert "Buscar: " not in painted(app)
        assert selected() == "pendiente-flojo"
        await pilot.press("slash", *"zzz")
        assert "Ningún caso de esta lista contiene «zzz»" in " ".join(painted(app).split())
        await pilot.press("enter", "f", "enter", "n")
        assert isinstance(app.screen, MainScreen), "with nothing selected there is nothing to sign"
        await pilot.press("escape", "1", "tab")
        assert app.screen.query_one(SheetPane).has_focus
        await pilot.press("n")
        assert selected() == "pendiente-flojo", "next works while reading"


@pytest.mark.lento
async def test_the_label_of_a_synthetic_set_is_on_every_screen_and_only_there(tmp_path: Path) -> None:
    label = "demostración: datos sintéticos, firmas de ejemplo"
    cases = write_cases(tmp_path / "casos.jsonl", make_case("a", origen="sintetico"))
    for size in ((80, 24), (120, 40)):
        async with running(session_on(cases, reviewer="N" * 120), size) as (app, pilot):
            assert label in painted(app)
            for key in ("t", "question_mark"):
                await pilot.press(key)
                assert label in painted(app)
                await pilot.press("escape")
    own = write_cases(tmp_path / "propios.jsonl", make_case("a"))
    async with running(session_on(own)) as (app, _):
        assert label not in painted(app)


async def test_an_engine_that_could_not_run_is_never_shown_as_nothing_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("x")

    monkeypatch.setattr("reviewer.sheet.build_sheet.__kwdefaults__", {"engine": broken})
    async with running(session_on(small_set(tmp_path))) as (app, _):
        shown = " ".join(painted(app).replace("│", " ").split())
        assert "El motor no se ha podido ejecutar" in painted(app)
        assert "Todo lo medido está en rango" not in shown


async def test_an_unknown_species_says_that_nothing_was_looked_at(tmp_path: Path) -> None:
    case = make_case("huron", paciente={"especie": "hurón", "raza": None, "edad_meses": 12, "sexo": None})
    async with running(session_on(write_cases(tmp_path / "casos.jsonl", case))) as (app, _):
        assert "El motor no se ha aplicado" in painted(app)
        assert "Todo lo medido está en rango" not in painted(app)


async def test_the_dashboard_follows_a_signature_and_keeps_test_in_aggregate(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    async with running(session_on(cases, small_predictions(tmp_path))) as (app, pilot):
        await pilot.press("n", "f")
        await until(pilot, lambda: isinstance(app.screen, SignDialog))
        await pilot.press("enter")
        await until(pilot, lambda: "con 3 casos" in painted(app))
        await pilot.press("t")
        await until(pilot, lambda: isinstance(app.screen, BoardScreen))
        shown = painted(app)
        assert "✗ NO PASA" in shown
        assert "cuentan 3 de 4 casos" in shown
        assert "Sin calcular" in shown
        await pilot.press("a")
        await until(pilot, lambda: any("solo cuenta un caso" in note.message for note in app._notifications))
        assert "Sin calcular" in painted(app), "an aggregate of one case would be that case"
        assert "firmado-test" not in painted(app)


async def test_the_palette_offers_what_can_be_done_now(tmp_path: Path) -> None:
    async with running(session_on(small_set(tmp_path))) as (app, pilot):
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, CommandPalette))
        await until(pilot, lambda: "Firmar  (f)" in painted(app))
        await pilot.press(*"ayuda")
        await until(pilot, lambda: "Firmar  (f)" not in painted(app) and "Ayuda  (?)" in painted(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        await pilot.press("escape", "ctrl+p", *"qqqq")
        await until(pilot, lambda: "Ninguna orden se llama así" in painted(app))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: isinstance(app.screen, MainScreen))


async def test_english_on_request(tmp_path: Path) -> None:
    messages.set_language("en")
    async with running(session_on(small_set(tmp_path))) as (app, pilot):
        assert "3 of 6 signed" in painted(app)
        assert "Sign" in painted(app)
        await pilot.press("f")
        await until(pilot, lambda: "Sign this case" in painted(app))


async def test_repeated_ids_are_told_apart_and_cannot_be_signed(tmp_path: Path) -> None:
    cases = write_cases(tmp_path / "casos.jsonl", make_case("a"), make_case("a", descripcion="La segunda"))
    async with running(session_on(cases)) as (app, pilot):
        await pilot.press("down")
        assert "La segunda" in painted(app)
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, SignDialog))
        assert "No se puede firmar" in painted(app)


async def test_q_leaves_with_zero(tmp_path: Path) -> None:
    async with running(session_on(small_set(tmp_path))) as (app, pilot):
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running)
        assert app.return_code == 0


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 40)], ids=str)
async def test_what_was_saved_is_said_without_covering_anything_of_the_sheet(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with running(session_on(small_set(tmp_path)), size) as (app, pilot):
        await pilot.press("enter", "f")
        await until(pilot, lambda: isinstance(app.screen, SignDialog))
        keys = app.screen.query_one(ActionBar).region
        assert keys.bottom <= size[1], "the keys of the dialog are in sight"
        assert "Intro Firmar" in painted(app)
        assert "Esc Cancelar" in painted(app)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, MainScreen) and bool(app.screen.query(Toast)))
        await pilot.pause()
        assert "Guardado: pendiente-bueno" in painted(app)
        toast = app.screen.query_one(Toast).region
        for name in ("#sheet", "#queue", "ActionBar", "TopBar"):
            widget = app.screen.query_one(name)
            assert not widget.display or not widget.region.overlaps(toast), name


async def test_what_is_said_again_takes_the_place_of_the_same_notice(tmp_path: Path) -> None:
    """A key pressed three times in vain must not cover the sheet with three notices."""
    async with running(session_on(small_set(tmp_path)), (80, 24)) as (app, pilot):
        await pilot.press("a", "a", "a")
        await until(pilot, lambda: len(app._notifications) > 0)
        assert [note.message[:40] for note in app._notifications] == [
            "En este caso no hay nada que resolver. L"
        ]
        await until(pilot, lambda: painted(app).count("nada que resolver") == 1)
