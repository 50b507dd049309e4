"""Withdraw, return, repair, expired cases, history, names and keys, as a person goes through them."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.app.screens.alike import AlikeDialog
from reviewer.app.screens.decide import DecideDialog
from reviewer.app.screens.drafts import DraftsDialog
from reviewer.app.screens.help import HelpScreen
from reviewer.app.screens.history import HistoryScreen
from reviewer.app.screens.main import MainScreen
from reviewer.app.screens.name import NameDialog
from reviewer.app.screens.repair import RepairDialog
from reviewer.app.screens.sign import SignDialog
from reviewer.signing import Edit, FieldEdit, Return, Sign, Withdraw
from reviewer.store import Dataset
from scoring.record import Kind, Status
from tests.app.support import painted, running, session_on, small_predictions, small_set, toasts, until, words
from tests.support import make_case, signed, write_cases

if TYPE_CHECKING:
    import pytest

    from reviewer.app.application import ReviewApp


def on(app: ReviewApp, kind: type) -> bool:
    return isinstance(app.screen, kind)


async def test_withdrawing_needs_a_real_reason_and_the_gate_drops_the_case(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    async with running(session_on(cases, small_predictions(tmp_path), "Eva Sanz")) as (app, pilot):
        await pilot.press("x")
        await until(pilot, lambda: "no lleva firma que retirar" in toasts(app))
        await pilot.press("2", "x")
        await until(pilot, lambda: on(app, DecideDialog))
        assert "firmado por Ana Ruiz (2026-08-01)" in words(app)
        await pilot.press("enter")
        assert "Falta el motivo" in painted(app)
        await pilot.press(*"xxx", "enter")
        assert on(app, DecideDialog)
        assert cases.read_text(encoding="utf-8").count('"validado": true') == 3
        await pilot.press(*" dudosa", "enter")
        await until(pilot, lambda: on(app, MainScreen))
        await until(pilot, lambda: "con un caso" in painted(app))
        assert "firma retirada por Eva Sanz" in toasts(app)
        assert app.session.desk.waiting == ()
    dataset = Dataset.open(cases)
    assert dataset.states["firmado-uno"].status is Status.RETIRADO
    assert dataset.record.effective("firmado-uno")[0].reason == "xxx dudosa"
    line = json.loads(cases.read_text(encoding="utf-8").splitlines()[0])
    assert (line["validado"], line["revisor"], line["fecha_validacion"]) == (False, None, None)


async def test_a_returned_case_leaves_the_queue_and_is_listed_with_the_reason(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    async with running(session_on(cases)) as (app, pilot):
        await pilot.press("v")
        await until(pilot, lambda: on(app, DecideDialog))
        await pilot.press(*"Falta la edad", "enter")
        await until(pilot, lambda: on(app, MainScreen) and app.session.progress.returned == 1)
        assert app.session.entry is not None
        assert app.session.entry.id == "pendiente-flojo", "the next pending case is selected"
        await pilot.press("4")
        assert "[4 Devueltos 1]" in painted(app)
        first = painted(app).splitlines()
        assert any("Falta la edad" in line for line in first[:8]), (
            "the reason stands at the head of the sheet"
        )
        assert "4 Devueltos 1" in first[2] or "4 Dev. 1]" in first[2]
        await pilot.press("v")
        await until(pilot, lambda: "no se puede devolver ahora" in toasts(app))
        await pilot.press("2", "v")
        await until(pilot, lambda: "retire antes la firma (x)" in toasts(app))
    # The author's change brings it back.
    lines = cases.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[3] = lines[3].replace("Letargia", "Letargia, 54 meses")
    cases.write_text("".join(lines), encoding="utf-8")
    assert session_on(cases).progress.awaiting == 3


async def test_an_expired_case_shows_field_by_field_what_changed(tmp_path: Path) -> None:
    cases = write_cases(tmp_path / "casos.jsonl", make_case("a"), make_case("b"))
    Dataset.open(cases).apply(Sign(ids=("a",), reviewer="Ana Ruiz"))
    lines = cases.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[0] = lines[0].replace('"hct": 24', '"hct": 30').replace("ferropenia", "parasitosis")
    cases.write_text("".join(lines), encoding="utf-8")
    async with running(session_on(cases)) as (app, _):
        shown = words(app)
        assert "caducado" in shown
        assert "Cambios desde que se firmó" in shown
        assert "Hematocrito (Hct): antes «24», ahora «30»" in shown
        assert "antes «ferropenia», ahora «parasitosis»" in shown


def mismatched(tmp_path: Path) -> Path:
    """A case signed by the record whose data line lost its signature by hand."""
    cases = write_cases(tmp_path / "casos.jsonl", make_case("a"), make_case("b"))
    unsigned = cases.read_bytes()
    Dataset.open(cases).apply(Sign(ids=("a",), reviewer="Ana Ruiz"))
    cases.write_bytes(unsigned)
    return cases


async def test_a_mismatch_is_explained_and_settled_by_the_record(tmp_path: Path) -> None:
    cases = mismatched(tmp_path)
    async with running(session_on(cases, reviewer="Eva Sanz"), (80, 24)) as (app, pilot):
        await until(pilot, lambda: "descuadrado" in painted(app))
        position = app.session.position_of("a")
        while app.session.position != position:
            await pilot.press("n")
        assert "a Resolver" in painted(app)
        await pilot.press("e")
        await until(pilot, lambda: "pulse a" in toasts(app))
        await pilot.press("a")
        await until(pilot, lambda: on(app, RepairDialog))
        shown = words(app)
        assert "Los datos dicen: sin firmar." in shown
        assert "El registro dice: firmado por Ana Ruiz" in shown
        assert "Cómo pudo pasar" in shown
        await pilot.press("pagedown", "1")
        await until(pilot, lambda: on(app, DecideDialog))
        assert Dataset.open(cases).states["a"].status is Status.DESCUADRADO, "nothing before it is confirmed"
        await pilot.press("enter")
        await until(pilot, lambda: on(app, MainScreen) and app.session.progress.signed == 1)
    state = Dataset.open(cases).states["a"]
    assert (state.status, state.reviewer) == (Status.FIRMADO, "Ana Ruiz")


async def test_a_mismatch_can_be_signed_anew_or_withdrawn(tmp_path: Path) -> None:
    cases = mismatched(tmp_path)
    async with running(session_on(cases, reviewer="Eva Sanz")) as (app, pilot):
        await pilot.press("3", "home")
        while app.session.entry is None or app.session.entry.id != "a":
            await pilot.press("n")
        await pilot.press("a")
        await until(pilot, lambda: on(app, RepairDialog))
        await pilot.press("2")
        await until(pilot, lambda: on(app, SignDialog))
        await pilot.press("escape", "x")
        await until(pilot, lambda: on(app, RepairDialog))
        await pilot.press("3")
        await until(pilot, lambda: on(app, DecideDialog))
        await pilot.press(*"no se sabe quien", "enter")
        await until(pilot, lambda: on(app, MainScreen))
        await until(pilot, lambda: app.session.dataset.states["a"].status is Status.RETIRADO)


async def test_the_history_says_who_when_how_why_and_what_changed(tmp_path: Path) -> None:
    cases = write_cases(tmp_path / "casos.jsonl", signed(make_case("a")), make_case("b"))
    dataset = Dataset.open(cases)
    dataset = dataset.apply(Withdraw(("a",), "Eva Sanz", "Faltaba mirar el frotis", way="cli")).dataset
    change = FieldEdit(("signos_clinicos",), "Letargia y [URGENTE] palidez")
    dataset = dataset.apply(Edit("a", (change,), "Eva Sanz")).dataset
    dataset.apply(Return(("b",), "Eva Sanz", "Sin edad"))
    async with running(session_on(cases), (80, 24)) as (app, pilot):
        await pilot.press("3", "home")
        while app.session.entry is None or app.session.entry.id != "a":
            await pilot.press("n")
        await pilot.press("h")
        await until(pilot, lambda: on(app, HistoryScreen) and "Eva Sanz" in painted(app))
        await until(pilot, lambda: "retiró la firma" in words(app))
        shown = words(app)
        assert "Ana Ruiz figuraba en los datos como firmante" in shown
        assert "motivo: Faltaba mirar el frotis" in shown
        assert "+00:00" in shown, "with the zone"
        assert "firma por nombre" in shown
        assert "desde la terminal" in shown
        await pilot.press("end")
        assert "antes «Letargia», ahora «Letargia y [URGENTE] palidez»" in words(app)
        assert "[en vigor]" in painted(app)
        assert "q Salir" in painted(app)
        await pilot.press("h")
        await until(pilot, lambda: on(app, MainScreen))


async def test_a_name_that_only_looks_like_a_known_one_is_asked_about(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    async with running(session_on(cases, reviewer=None)) as (app, pilot):
        await pilot.press("f")
        await until(pilot, lambda: on(app, NameDialog))
        await pilot.press(*"Ana Ruíz", "enter")
        await until(pilot, lambda: on(app, AlikeDialog))
        assert "¿Es el mismo nombre?" in painted(app)
        assert "cuenta como dos personas" in painted(app)
        await pilot.press("escape")
        await until(pilot, lambda: on(app, NameDialog))
        await pilot.press("enter")
        await until(pilot, lambda: on(app, AlikeDialog))
        await pilot.press("c")
        await until(pilot, lambda: on(app, SignDialog))
        assert app.session.reviewer == "Ana Ruiz"
        await pilot.press("r")
        await until(pilot, lambda: on(app, NameDialog))
        await pilot.press("end", "backspace", *"z!", "enter")
        await until(pilot, lambda: on(app, AlikeDialog) or on(app, SignDialog))
    # A Cyrillic А in the name given on opening: asked before anything else; "s" keeps it. On a data set of
    # its own, because the name typed above is a draft that is offered where it was typed.
    other = tmp_path / "otro"
    other.mkdir()
    async with running(session_on(small_set(other), reviewer="\u0410na Ruiz")) as (app, pilot):
        await until(pilot, lambda: on(app, AlikeDialog))
        await pilot.press("s")
        await until(pilot, lambda: app.session.reviewer == "\u0410na Ruiz" and on(app, MainScreen))
        assert app.session.lookalikes("\u0410na Ruiz") == ()


async def test_capitals_are_not_said_to_make_two_people(tmp_path: Path) -> None:
    async with running(session_on(small_set(tmp_path), reviewer="ANA RUIZ")) as (app, pilot):
        await until(pilot, lambda: on(app, AlikeDialog))
        assert "son la misma persona" in painted(app)
        assert "Las mayúsculas no hacen otra persona" in painted(app)
        assert "cuenta como dos personas" not in painted(app)


async def test_a_decision_the_disk_refuses_is_kept_and_offered_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = small_set(tmp_path)
    before = cases.read_bytes()
    real = os.fsync

    def full_beside_the_data(descriptor: int) -> None:
        place = str(Path(f"/proc/self/fd/{descriptor}").readlink())
        if place.startswith(str(tmp_path)) and "casa" not in place:
            raise OSError(28, "No space left on device")
        real(descriptor)

    session = session_on(cases)
    async with running(session) as (app, pilot):
        await pilot.press("v")
        await until(pilot, lambda: on(app, DecideDialog))
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full_beside_the_data)
            await pilot.press(*"Falta la edad", "enter")
            await until(pilot, lambda: "queda como borrador" in words(app))
            assert "Falta la edad" in painted(app)
            assert "Intro lo guarda" not in painted(app), "it can only be closed now"
            await pilot.press("escape", "2", "1", "f")
            await until(pilot, lambda: on(app, MainScreen) or on(app, SignDialog))
            session.desk.keeper.flush()
    assert cases.read_bytes() == before
    draft = session.desk.drafts.load("pendiente-bueno")
    assert draft is not None
    assert (draft.kind, draft.reason) == (Kind.DEVUELVE, "Falta la edad")
    assert "espacio" in draft.refused
    async with running(session_on(cases)) as (app, pilot):
        await until(pilot, lambda: on(app, DraftsDialog))
        shown = words(app)
        assert "Iba a devolver «pendiente-bueno»" in shown
        assert "No se guardó:" in shown
        await pilot.press("enter")
        await until(pilot, lambda: on(app, DecideDialog))
        assert "Falta la edad" in painted(app)
        await pilot.press("enter")
        await until(pilot, lambda: on(app, MainScreen) and app.session.progress.returned == 1)
        app.session.desk.keeper.flush()
        assert app.session.desk.drafts.waiting() == ()


async def test_waiting_for_somebody_else_shows_who_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reviewer.app.screens import saving
    from reviewer.store.lock import locked
    from scoring.record import Intent, intent_path

    monkeypatch.setattr(saving, "PATIENCE_SECONDS", 0.05)
    cases = small_set(tmp_path)
    async with running(session_on(cases)) as (app, pilot):
        await pilot.press("f")
        await until(pilot, lambda: on(app, SignDialog))
        with locked(cases):
            intent = Intent("0" * 64, (), reviewer="Eva [S] Sanz", process=1, host="clinica-norte")
            intent_path(cases).write_bytes(intent.encode())
            await pilot.press("enter")
            await until(pilot, lambda: "está guardando Eva [S] Sanz" in words(app))
            assert "clinica-norte" in words(app)
            intent_path(cases).unlink()
        await until(pilot, lambda: on(app, MainScreen) and app.session.progress.signed == 4)


async def test_who_waits_for_somebody_else_can_stop_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reviewer.app.screens import saving
    from reviewer.store.lock import locked

    monkeypatch.setattr(saving, "PATIENCE_SECONDS", 0.05)
    cases = small_set(tmp_path)
    before = cases.read_bytes()
    async with running(session_on(cases)) as (app, pilot):
        await pilot.press("f")
        await until(pilot, lambda: on(app, SignDialog))
        with locked(cases):
            await pilot.press("enter")
            await until(pilot, lambda: "Esc deja de esperar" in words(app))
            start = time.monotonic()
            await pilot.press("escape")
            await until(pilot, lambda: "No se ha guardado nada" in words(app))
            assert time.monotonic() - start < 5, "it would wait for ten seconds"
            await pilot.press("escape")
            await until(pilot, lambda: on(app, MainScreen))
    assert cases.read_bytes() == before


async def test_a_save_that_ends_behind_the_help_is_told_once_the_help_is_left(tmp_path: Path) -> None:
    """The answer of a dialog took away whatever lay on top of it; the next Esc then ended the program (70)."""
    from reviewer.store.lock import locked

    cases = small_set(tmp_path)
    async with running(session_on(cases)) as (app, pilot):
        await pilot.press("f")
        await until(pilot, lambda: on(app, SignDialog))
        dialog = app.screen
        assert isinstance(dialog, SignDialog)
        with locked(cases):
            await pilot.press("enter")
            await until(pilot, lambda: dialog.busy)
            await pilot.press("question_mark")
            await until(pilot, lambda: on(app, HelpScreen))
        await until(pilot, lambda: not dialog.busy)
        assert on(app, HelpScreen), "what the person reads stays"
        await pilot.press("escape")
        await until(pilot, lambda: on(app, MainScreen) and app.session.progress.signed == 4)
        assert "Guardado: pendiente-bueno" in toasts(app)
        await pilot.press("escape", "escape")
        assert app.return_code is None


async def test_an_interrupted_save_is_completed_on_opening_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = small_set(tmp_path)
    before = cases.read_bytes()
    # As after a kill between record and data: the data are the old ones, the intent is still there.
    with monkeypatch.context() as patch:
        patch.setattr("reviewer.store.transaction.remove_quietly", lambda path: None)
        Dataset.open(cases).apply(Sign(ids=("pendiente-bueno",), reviewer="Eva Sanz"))
    cases.write_bytes(before)
    async with running(session_on(cases)) as (app, pilot):
        await until(pilot, lambda: "Se ha completado un guardado" in toasts(app))
        assert app.session.progress.signed == 4
    assert '"revisor": "Eva Sanz"' in cases.read_text(encoding="utf-8")


async def test_after_signing_from_the_full_sheet_the_next_sheet_is_read(tmp_path: Path) -> None:
    async with running(session_on(small_set(tmp_path)), (80, 24)) as (app, pilot):
        await pilot.press("enter", "f")
        await until(pilot, lambda: on(app, SignDialog))
        await pilot.press("enter")
        await until(pilot, lambda: on(app, MainScreen) and app.session.progress.signed == 4)
        await until(pilot, lambda: "pendiente-flojo" in painted(app))
        assert app.screen.has_class("-reading")
