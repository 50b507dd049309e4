"""A change of the file on the disk is noticed; the place of the reader and what was typed stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Input, Static

from reviewer.app.gate_board import Stage
from reviewer.app.screens import main
from reviewer.app.screens.dialog import ConfirmDialog
from reviewer.app.screens.name import NameDialog
from reviewer.app.screens.sign import SignDialog
from reviewer.app.screens.typing import TypeDialog
from reviewer.app.widgets.sheet_pane import SheetPane
from reviewer.signing import Sign
from reviewer.store import Dataset
from scoring.record import Status, record_path
from tests.app.support import (
    main_screen,
    painted,
    running,
    session_on,
    small_predictions,
    small_set,
    until,
)
from tests.support import make_case, write_cases

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


async def test_a_signature_made_elsewhere_appears_and_the_selected_case_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(main, "POLL_SECONDS", 0.05)
    cases = small_set(tmp_path)
    async with running(session_on(cases, small_predictions(tmp_path)), (80, 24)) as (app, pilot):
        await pilot.press("n", "pagedown")
        scrolled = app.screen.query_one(SheetPane).scroll_y
        assert scrolled > 0
        Dataset.open(cases).apply(Sign(ids=("pendiente-bueno",), reviewer="Eva Sanz", way="cli"))
        await until(pilot, lambda: "4 de 6 firmados" in painted(app))
        assert app.session.entry is not None
        assert app.session.entry.id == "pendiente-flojo"
        assert app.screen.query_one(SheetPane).scroll_y == scrolled
        assert "se ha vuelto a leer" in painted(app)
        await until(pilot, lambda: "con 3 casos" in painted(app))
        await pilot.press("escape")
        assert "se ha vuelto a leer" not in painted(app)


async def test_a_change_of_the_case_being_read_asks_to_read_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(main, "POLL_SECONDS", 0.05)
    cases = small_set(tmp_path)
    async with running(session_on(cases)) as (app, pilot):
        text = cases.read_text(encoding="utf-8")
        cases.write_text(text.replace("Letargia", "Letargia y anorexia"), encoding="utf-8")
        await until(pilot, lambda: "léalo de nuevo antes de firmar" in painted(app))
        assert "también «pendiente-bueno», que estaba leyendo" in painted(app)
        assert "Letargia y anorexia" in painted(app)
        # Once it is read and signed, nothing above asks to read it again.
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, SignDialog))
        await pilot.press("enter")
        await until(pilot, lambda: "4 de 6 firmados" in painted(app))
        assert "léalo de nuevo" not in painted(app)


async def test_what_is_being_typed_survives_a_change_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(main, "POLL_SECONDS", 0.05)
    cases = small_set(tmp_path)
    async with running(session_on(cases, reviewer=None)) as (app, pilot):
        await pilot.press("slash", *"flo")
        Dataset.open(cases).apply(Sign(ids=("pendiente-bueno",), reviewer="Eva Sanz", way="cli"))
        await until(pilot, lambda: "4 de 6 firmados" in painted(app))
        assert app.screen.query_one("#search", Input).value == "flo"
        assert app.screen.query_one("#search", Input).has_focus
        await pilot.press("enter", "f")
        await until(pilot, lambda: isinstance(app.screen, NameDialog))
        await pilot.press(*"Pa")
        Dataset.open(cases).apply(Sign(ids=("pendiente-test",), reviewer="Eva Sanz", way="cli"))
        await until(pilot, lambda: main_screen(app).session.progress.signed == 5)
        assert app.screen.query_one("#name", Input).value == "Pa"
        await pilot.press("ctrl+q")
        await until(pilot, lambda: "¿Salir?" in painted(app))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, NameDialog))


async def test_a_case_that_disappears_gives_way_to_another_and_a_missing_file_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(main, "POLL_SECONDS", 0.05)
    cases = write_cases(tmp_path / "casos.jsonl", make_case("uno"), make_case("dos"))
    async with running(session_on(cases)) as (app, pilot):
        await pilot.press("n")
        write_cases(cases, make_case("uno"))
        await until(pilot, lambda: "0 de 1 firmados" in painted(app))
        assert app.session.entry is not None
        assert app.session.entry.id == "uno"
        assert "«dos», que estaba leyendo, ya no está en él" in painted(app)
        kept = cases.read_bytes()
        cases.unlink()
        await until(pilot, lambda: "ya no se puede leer" in painted(app))
        assert "uno" in painted(app), "what was read last stays on the screen"
        cases.write_bytes(kept)
        await pilot.press("l")
        await until(pilot, lambda: "ya no se puede leer" not in painted(app))
        write_cases(cases)
        await until(pilot, lambda: "El archivo no tiene ningún caso" in " ".join(painted(app).split()))


async def test_a_record_cut_while_the_app_is_open_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest verifies, so nothing else than what was read before can tell that its end is gone."""
    monkeypatch.setattr(main, "POLL_SECONDS", 0.05)
    cases = small_set(tmp_path)
    Dataset.open(cases).apply(Sign(ids=("pendiente-bueno",), reviewer="Eva Sanz", way="cli"))
    async with running(session_on(cases), (80, 24)) as (app, pilot):
        record = record_path(cases)
        kept = record.read_bytes()
        record.write_bytes(b"".join(kept.splitlines(keepends=True)[:-1]))
        await until(pilot, lambda: "le falta una decisión" in painted(app))
        assert app.session.dataset.states["pendiente-bueno"].status is Status.DESCUADRADO
        record.write_bytes(kept)
        await until(pilot, lambda: "se ha vuelto a leer" in painted(app) and "falta" not in painted(app))


async def test_what_breaks_while_the_app_is_open_is_said_as_it_would_be_on_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(main, "POLL_SECONDS", 0.05)
    cases = small_set(tmp_path)
    Dataset.open(cases).apply(Sign(ids=("pendiente-bueno",), reviewer="Eva Sanz", way="cli"))
    async with running(session_on(cases), (80, 24)) as (app, pilot):
        kept, record = cases.read_bytes(), record_path(cases)
        cases.write_bytes(b"basura\n" * 3)
        await until(pilot, lambda: "El archivo tiene 3 problemas" in painted(app))
        cases.write_bytes(kept)
        await until(pilot, lambda: "problemas" not in painted(app))
        entries = record.read_bytes()
        record.write_bytes(entries.replace(b"Eva Sanz", b"Eva Sans"))
        await until(pilot, lambda: "El registro de firmas está dañado" in painted(app))
        record.write_bytes(entries)
        await until(pilot, lambda: "dañado" not in painted(app))


async def test_reading_again_what_has_not_changed_does_not_say_that_it_has(tmp_path: Path) -> None:
    async with running(session_on(small_set(tmp_path))) as (app, pilot):
        await pilot.press("l")
        await until(pilot, lambda: "no había cambiado" in painted(app))
        assert "ha cambiado en el disco" not in painted(app)


async def test_after_a_refusal_the_news_of_the_case_are_not_wiped_by_a_second_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(main, "POLL_SECONDS", 0.05)
    cases = small_set(tmp_path)
    async with running(session_on(cases)) as (app, pilot):
        await pilot.press("f")
        await until(pilot, lambda: "Firmar este caso" in painted(app))
        Dataset.open(cases).apply(Sign(ids=("pendiente-bueno",), reviewer="Eva Sanz", way="cli"))
        await until(
            pilot, lambda: "que estaba leyendo" in str(main_screen(app).query_one("#banner", Static).visual)
        )
        await pilot.press("enter")
        await until(pilot, lambda: "No se ha firmado nada" in painted(app))
        await pilot.press("escape")
        await until(pilot, lambda: "Firmar este caso" not in painted(app))
        await pilot.pause(0.3)
        assert "no había cambiado" not in painted(app)
        assert "que estaba leyendo" in painted(app)


async def test_asking_twice_to_leave_asks_one_question(tmp_path: Path) -> None:
    """Each Ctrl+Q put another «¿Salir?» on top, and Esc seemed to do nothing."""
    async with running(session_on(small_set(tmp_path))) as (app, pilot):
        await pilot.press("e", "a")
        await until(pilot, lambda: isinstance(app.screen, TypeDialog))
        await pilot.press("z", "ctrl+q", "ctrl+q", "ctrl+q")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TypeDialog))
        await pilot.press("ctrl+q")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))


async def test_a_gate_without_a_verdict_is_told_once_and_not_with_every_save(tmp_path: Path) -> None:
    cases, outputs = small_set(tmp_path), tmp_path / "salidas.jsonl"
    outputs.write_text("{\n", encoding="utf-8")
    async with running(session_on(cases, outputs)) as (app, pilot):
        told = [note for note in app._notifications if "no ha podido dar un veredicto" in note.message]
        assert len(told) == 1
        app.clear_notifications()
        await main_screen(app).load_gate().wait()
        await pilot.pause()
        assert [note.message for note in app._notifications] == []
        assert app.gate.stage is Stage.REFUSED
