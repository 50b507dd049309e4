"""Signing in the app: what is shown before, what is on the disk after, and what stops it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from reviewer.app.screens.main import MainScreen
from reviewer.app.screens.name import NameDialog
from reviewer.app.screens.sign import SignDialog
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

    from reviewer.app.application import ReviewApp


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def on(app: ReviewApp, kind: type) -> bool:
    return isinstance(app.screen, kind)


async def test_signing_a_dev_case_says_what_it_does_to_the_gate_and_then_does_it(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    before = cases.read_bytes().splitlines(keepends=True)
    async with running(session_on(cases, small_predictions(tmp_path))) as (app, pilot):
        # Two signed dev cases, both right: 2/2. The weak one is the second pending case of dev.
        assert "PASA" in painted(app)
        assert "con 2 casos" in painted(app)
        await pilot.press("n", "f")
        await until(pilot, lambda: on(app, SignDialog))
        shown = painted(app)
        assert "pendiente-flojo" in shown
        assert "Ana Ruiz" in shown
        assert "2026-08-05" in shown
        assert "La puerta pasará de 2 a 3 casos:" in shown
        # Recall 2/2 = 1 -> 2/3 = 0.67; coverage (1 + 1) / 2 = 1 -> (1 + 1 + 1/2) / 3 = 0.83.
        assert "recall de diferenciales 1,00 → 0,67 (≥ 0,80)" in shown
        assert "cobertura de hallazgos 1,00 → 0,83 (≥ 0,80)" in shown
        assert "El veredicto cambia: PASA → NO PASA." in shown
        assert cases.read_bytes() == b"".join(before), "nothing is written before it is confirmed"
        await pilot.press("enter")
        await until(pilot, lambda: on(app, MainScreen))
        await until(pilot, lambda: "con 3 casos" in painted(app))
        shown = painted(app)
        assert "✗ NO PASA" in shown
        assert "4 de 6 firmados" in shown
        assert "Guardado: pendiente-flojo" in shown
        said = [note.message for note in app._notifications]
        assert "Guardado: pendiente-flojo, firmado por Ana Ruiz el 2026-08-05." in said[0]
        entry = app.session.entry
        assert entry is not None
        assert entry.id == "pendiente-test", "the next pending case is selected"
    after = cases.read_bytes().splitlines(keepends=True)
    changed = [number for number, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    assert changed == [4]
    assert lines(cases)[4] == json.loads(before[4]) | {
        "validado": True,
        "revisor": "Ana Ruiz",
        "fecha_validacion": "2026-08-05",
    }


async def test_a_test_case_tells_only_the_count(tmp_path: Path) -> None:
    async with running(session_on(small_set(tmp_path), small_predictions(tmp_path))) as (app, pilot):
        await pilot.press("end", "f")
        await until(pilot, lambda: on(app, SignDialog))
        shown = painted(app)
        assert "Grupo reservado (test): pasará de 1 a 2 casos." in shown
        assert "recall" not in shown
        assert "veredicto" not in shown


async def test_a_case_that_needs_no_figure_changed_says_so(tmp_path: Path) -> None:
    async with running(session_on(small_set(tmp_path), small_predictions(tmp_path))) as (app, pilot):
        await pilot.press("f")
        await until(pilot, lambda: on(app, SignDialog))
        assert "ninguna cifra cambia" in painted(app)
        assert "El veredicto no cambia: PASA." in painted(app)


async def test_the_reviewer_is_asked_once_and_remembered(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    async with running(session_on(cases, reviewer=None)) as (app, pilot):
        await pilot.press("f")
        await until(pilot, lambda: on(app, NameDialog))
        await pilot.press("enter")
        assert on(app, NameDialog), "a blank name is refused"
        await until(pilot, lambda: "Escriba su nombre y apellidos." in painted(app))
        await pilot.press(*"Eva Sanz", "enter")
        await until(pilot, lambda: on(app, SignDialog))
        assert "Eva Sanz" in painted(app)
        await pilot.press("s")
        await until(pilot, lambda: on(app, MainScreen))
        await pilot.press("f")
        await until(pilot, lambda: on(app, SignDialog))
        assert "Eva Sanz" in painted(app)
        await pilot.press("r")
        await until(pilot, lambda: on(app, NameDialog))
        await pilot.press("escape")
        await until(pilot, lambda: on(app, SignDialog))
        await pilot.press("escape")
        await until(pilot, lambda: on(app, MainScreen))
    assert [case.get("revisor") for case in lines(cases)][3:] == ["Eva Sanz", None, None]


async def test_a_double_press_signs_once(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    async with running(session_on(cases)) as (app, pilot):
        await pilot.press("f")
        await until(pilot, lambda: on(app, SignDialog))
        await pilot.press("enter", "enter", "s")
        await until(pilot, lambda: on(app, MainScreen))
        await until(pilot, lambda: app.session.progress.signed == 4)
        assert app.session.progress.signed == 4
    record = (tmp_path / "casos.firmas.jsonl").read_text(encoding="utf-8").splitlines()
    assert sum('"tipo":"firma"' in line for line in record) == 1


async def test_escape_leaves_everything_as_it_was(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    before = cases.read_bytes()
    async with running(session_on(cases)) as (app, pilot):
        await pilot.press("f")
        await until(pilot, lambda: on(app, SignDialog))
        await pilot.press("escape")
        await until(pilot, lambda: on(app, MainScreen))
    assert cases.read_bytes() == before
    assert not (tmp_path / "casos.firmas.jsonl").exists()


async def test_a_case_changed_on_the_disk_is_not_signed_unread(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    async with running(session_on(cases)) as (app, pilot):
        await pilot.press("f")
        await until(pilot, lambda: on(app, SignDialog))
        changed = cases.read_text(encoding="utf-8").replace(
            '"id": "pendiente-bueno", "descripcion": "Anemia',
            '"id": "pendiente-bueno", "descripcion": "Otra anemia',
        )
        cases.write_text(changed, encoding="utf-8")
        await pilot.press("enter")
        await until(pilot, lambda: "No se ha guardado esta decisión" in painted(app))
        assert cases.read_text(encoding="utf-8") == changed
        await pilot.press("enter")
        assert on(app, SignDialog), "Enter pressed twice does not wave the refusal away"
        await pilot.press("escape")
        await until(pilot, lambda: on(app, MainScreen) and "Otra anemia" in painted(app))
        assert "léalo de nuevo antes de firmar" in " ".join(painted(app).split())


async def test_a_read_only_file_is_a_sentence_and_nothing_is_lost(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    before = cases.read_bytes()
    cases.chmod(0o444)
    async with running(session_on(cases)) as (app, pilot):
        await pilot.press("f")
        await until(pilot, lambda: on(app, SignDialog))
        await pilot.press("enter")
        await until(pilot, lambda: "solo lectura" in painted(app))
        assert "el archivo sigue entero" in " ".join(painted(app).split())
    assert cases.read_bytes() == before


async def test_a_full_disk_is_a_sentence_and_the_decision_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = small_set(tmp_path)
    before = cases.read_bytes()

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    async with running(session_on(cases)) as (app, pilot):
        await pilot.press("f")
        await until(pilot, lambda: on(app, SignDialog))
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            await pilot.press("enter")
            await until(pilot, lambda: "No se ha guardado esta decisión" in painted(app))
        await pilot.press("escape")
        await until(pilot, lambda: on(app, MainScreen))
        assert app.session.entry is not None
        assert app.session.entry.id == "pendiente-bueno"
    assert cases.read_bytes() == before


async def test_a_faulty_case_is_shown_and_cannot_be_signed(tmp_path: Path) -> None:
    faulty = make_case("con-fallo")
    del faulty["esperado"]["requiere_derivacion"]
    cases = write_cases(tmp_path / "casos.jsonl", faulty, make_case("bueno"))
    before = cases.read_bytes()
    async with running(session_on(cases)) as (app, pilot):
        assert "pulse d" in painted(app)
        await pilot.press("f")
        await until(pilot, lambda: on(app, SignDialog))
        shown = " ".join(painted(app).split())
        assert "No se puede firmar" in shown
        assert "requiere_derivacion" in shown
        assert "Intro Firmar" not in shown
        await pilot.press("enter", "s")
        assert on(app, SignDialog)
        await pilot.press("escape")
        await until(pilot, lambda: on(app, MainScreen))
    assert cases.read_bytes() == before


async def test_signing_again_names_the_first_signature_and_keeps_it_in_the_record(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    async with running(session_on(cases, reviewer="Eva Sanz")) as (app, pilot):
        await pilot.press("2", "f")
        await until(pilot, lambda: on(app, SignDialog))
        shown = " ".join(painted(app).split())
        assert "Volver a firmar este caso" in shown
        assert "ya lo firmó Ana Ruiz el 2026-08-01" in shown
        await pilot.press("enter")
        await until(pilot, lambda: on(app, MainScreen))
    assert lines(cases)[0]["revisor"] == "Eva Sanz"
    record = (tmp_path / "casos.firmas.jsonl").read_text(encoding="utf-8")
    assert "Ana Ruiz" in record


async def test_after_the_last_case_the_list_says_that_nothing_is_pending(tmp_path: Path) -> None:
    cases = write_cases(tmp_path / "casos.jsonl", make_case("unico"))
    async with running(session_on(cases)) as (app, pilot):
        await pilot.press("f")
        await until(pilot, lambda: on(app, SignDialog))
        await pilot.press("s")
        await until(pilot, lambda: on(app, MainScreen))
        await until(pilot, lambda: "No queda ningún caso pendiente" in painted(app))
        assert main_screen(app).session.progress.awaiting == 0


async def test_leaving_waits_while_a_signature_is_being_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    cases = small_set(tmp_path)
    session = session_on(cases)
    go_on = threading.Event()
    commit = session.commit

    def slow(*arguments: Any) -> Any:
        assert go_on.wait(60)
        return commit(*arguments)

    monkeypatch.setattr(session, "commit", slow)
    async with running(session) as (app, pilot):
        await pilot.press("f")
        await until(pilot, lambda: on(app, SignDialog))
        await pilot.press("enter")
        await until(pilot, lambda: "Guardando" in painted(app))
        await pilot.press("ctrl+q", "escape")
        assert on(app, SignDialog)
        assert app.is_running
        go_on.set()
        await until(pilot, lambda: on(app, MainScreen))
    assert lines(cases)[3]["validado"] is True
