"""Correcting a case while reviewing: every row, undo, saving alone or with the signature, the reason."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from reviewer.app.editing import Mark, Section, rows_of
from reviewer.app.screens import main
from reviewer.app.screens.decide import DecideDialog
from reviewer.app.screens.dialog import ConfirmDialog, MessageDialog
from reviewer.app.screens.edit import EditScreen
from reviewer.app.screens.main import MainScreen
from reviewer.app.screens.sign import SignDialog
from reviewer.app.screens.typing import TypeDialog
from reviewer.app.screens.unsaved import UnsavedDialog
from reviewer.signing import EditSession, Sign
from reviewer.store import Dataset
from scoring.errors import WriteError
from scoring.record import Kind, Status
from tests.app.support import painted, running, session_on, small_predictions, small_set, until
from tests.support import make_case, write_cases

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from textual.pilot import Pilot

    from reviewer.app.application import ReviewApp


def on(app: ReviewApp, kind: type) -> bool:
    return isinstance(app.screen, kind)


async def edit(app: ReviewApp, pilot: Pilot[None]) -> EditScreen:
    await pilot.press("e")
    await until(pilot, lambda: on(app, EditScreen))
    screen = app.screen
    assert isinstance(screen, EditScreen)
    return screen


def texts(screen: EditScreen) -> tuple[str, ...]:
    return screen.correction.current.texts


def case_of(path: Path, case_id: str) -> dict[str, Any]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return next(row for row in rows if row["id"] == case_id)


def session_of(**changes: Any) -> EditSession:
    return EditSession("a", json.dumps(make_case("a", **changes), ensure_ascii=False).encode())


def test_the_rows_show_every_thing_that_can_be_changed_with_old_and_new() -> None:
    session = session_of()
    session.add_differential("leishmaniosis")
    session.reword_differential(0, "ferropenia por parásitos")
    session.remove_differential(1)
    session.set_value("hct", "24.50")
    session.set_finding("alt", named=True)
    session.set_referral(needed=False)
    rows = rows_of(session)
    differentials = [(row.value, row.before, row.mark) for row in rows if row.index >= 0]
    assert differentials == [
        ("ferropenia por parásitos", "ferropenia", Mark.CHANGED),
        ("hemorragia crónica", None, Mark.REMOVED),
        ("leishmaniosis", None, Mark.ADDED),
    ]
    values = {row.analyte: (row.value, row.before) for row in rows if row.analyte}
    # 24.50 is 24.5, another number than 24; alt stays 45 and becomes a key finding.
    assert values == {"hct": ("24.50 ◆", "24 ◆"), "hgb": ("7.5 ◆", None), "alt": ("45 ◆", None)}
    referral = next(row for row in rows if row.label == "Requiere derivación")
    assert (referral.value, referral.before) == ("no", "sí")
    assert {row.section for row in rows} == set(Section)


async def test_a_correction_is_saved_alone_and_changes_only_the_edited_keys(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    before = cases.read_bytes().splitlines(keepends=True)
    async with running(session_on(cases, small_predictions(tmp_path))) as (app, pilot):
        screen = await edit(app, pilot)
        assert "Corregir «pendiente-bueno»" in painted(app)
        await pilot.press("down", "x", "down", "enter")
        await until(pilot, lambda: on(app, TypeDialog))
        await pilot.press(*"ferropenia")
        await until(pilot, lambda: "ferropenia" in painted(app))
        await pilot.press("enter")
        await until(pilot, lambda: "ya está en la lista" in painted(app))
        await pilot.press(*" por pulgas", "enter")
        await until(pilot, lambda: on(app, EditScreen))
        assert texts(screen) == ("ferropenia", "ferropenia por pulgas")
        shown = painted(app)
        assert "quitado" in shown
        assert "añadido" in shown
        assert "antes «hemorragia crónica»" in shown, "the sheet beside it shows old and new"
        await pilot.press("x", "u", "u")
        assert texts(screen) == ("ferropenia",), "two steps back: the addition is gone"
        await pilot.press("y")
        assert texts(screen) == ("ferropenia", "ferropenia por pulgas")
        assert cases.read_bytes() == b"".join(before), "nothing is written before it is saved"
        await pilot.press("g")
        await until(pilot, lambda: on(app, DecideDialog))
        assert "Decide: Ana Ruiz" in painted(app)
        await pilot.press("enter")
        await until(pilot, lambda: on(app, MainScreen))
        await until(pilot, lambda: "Guardado: pendiente-bueno, corregido por Ana Ruiz." in painted(app))
        assert app.session.desk.draft("pendiente-bueno") is None
    after = cases.read_bytes().splitlines(keepends=True)
    assert [n for n, (old, new) in enumerate(zip(before, after, strict=True)) if old != new] == [3]
    assert after[3] == before[3].replace(b"hemorragia cr\xc3\xb3nica", b"ferropenia por pulgas")
    record = Dataset.open(cases).record
    assert record.effective("pendiente-bueno")[0].kind is Kind.EDITA


async def test_a_correction_is_saved_with_the_signature_and_the_gate_scores_the_new_content(
    tmp_path: Path,
) -> None:
    cases = small_set(tmp_path)
    async with running(session_on(cases, small_predictions(tmp_path))) as (app, pilot):
        # pendiente-flojo: its output names hct alone; without hgb among the key findings it covers all.
        await pilot.press("n")
        await edit(app, pilot)
        for _ in range(20):
            row = app.screen._row  # type: ignore[attr-defined]  # an EditScreen
            if row.analyte == "hgb":
                break
            await pilot.press("down")
        await pilot.press("space", "f")
        await until(pilot, lambda: on(app, SignDialog))
        shown = " ".join(painted(app).split())
        assert "Antes de firmar se guarda su corrección" in shown
        assert "hallazgo clave: ya no está «Hemoglobina (Hgb)»" in shown
        # Two signed dev outputs cover both findings, and this one now its only one: that figure stays.
        assert "La puerta pasará de 2 a 3 casos" in shown
        assert "cobertura" not in shown
        await pilot.press("s")
        await until(pilot, lambda: on(app, MainScreen))
        await until(pilot, lambda: "con 3 casos" in painted(app))
        said = "\n".join(note.message for note in app._notifications)
        assert "corregido por Ana Ruiz" in said
        assert "firmado por Ana Ruiz" in said
        assert app.gate.dev is not None
        coverage = app.gate.dev.aggregate["cobertura_hallazgos"]
        assert coverage.value == 1.0
        assert app.session.desk.correcting == ()
    case = case_of(cases, "pendiente-flojo")
    assert case["esperado"]["hallazgos_clave"] == ["hct"]
    assert case["revisor"] == "Ana Ruiz"
    assert Dataset.open(cases).states["pendiente-flojo"].counts


async def test_correcting_a_signed_case_says_first_that_it_withdraws_and_asks_why(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    async with running(session_on(cases, reviewer="Eva Sanz")) as (app, pilot):
        await pilot.press("2", "e")
        await until(pilot, lambda: on(app, ConfirmDialog))
        assert "se retira esa firma y se pide el motivo" in " ".join(painted(app).replace("│", " ").split())
        await pilot.press("s")
        await until(pilot, lambda: on(app, EditScreen))
        await pilot.press("x", "g")
        await until(pilot, lambda: on(app, DecideDialog))
        assert "se retira la firma de Ana Ruiz" in " ".join(painted(app).split())
        await pilot.press(".", "enter")
        assert on(app, DecideDialog), "a dot is no reason"
        assert "no dice el motivo" in painted(app)
        await pilot.press("backspace", *"No era ferropenia")
        await until(pilot, lambda: "Motivo suficiente" in painted(app))
        await pilot.press("enter")
        await until(pilot, lambda: on(app, MainScreen))
        await until(pilot, lambda: app.session.progress.signed == 2)
    dataset = Dataset.open(cases)
    state = dataset.states["firmado-uno"]
    assert state.status is Status.RETIRADO
    assert dataset.record.effective("firmado-uno")[0].reason == "No era ferropenia"
    case = case_of(cases, "firmado-uno")
    assert (case["validado"], case["revisor"]) == (False, None)


async def test_leaving_with_unsaved_corrections_asks_and_keeps_them(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    before = cases.read_bytes()
    async with running(session_on(cases), (80, 24)) as (app, pilot):
        await edit(app, pilot)
        await pilot.press("x", "escape")
        await until(pilot, lambda: on(app, UnsavedDialog))
        await pilot.press("escape")
        await until(pilot, lambda: on(app, EditScreen))
        await pilot.press("escape", "enter")
        await until(pilot, lambda: on(app, MainScreen))
        assert "Su corrección, sin guardar" in painted(app)
        assert app.session.desk.correcting == ("pendiente-bueno",)
        await pilot.press("q")
        await until(pilot, lambda: "Tiene una corrección sin guardar" in painted(app))
        await pilot.press("escape")
        screen = await edit(app, pilot)
        assert screen.correction.can_undo, "the steps can still be undone"
        await pilot.press("escape", "x")
        await until(pilot, lambda: on(app, MainScreen))
        assert "sin guardar" not in painted(app)
        app.session.desk.keeper.flush()
        assert app.session.desk.drafts.waiting() == ()
    assert cases.read_bytes() == before


async def test_what_the_session_refuses_is_a_sentence_and_changes_nothing(tmp_path: Path) -> None:
    async with running(session_on(small_set(tmp_path)), (80, 24)) as (app, pilot):
        screen = await edit(app, pilot)
        while screen._row is None or screen._row.analyte != "hct":
            await pilot.press("down")
        await pilot.press("enter")
        await until(pilot, lambda: on(app, TypeDialog))
        await pilot.press("backspace", "backspace", *"24,5")
        await until(pilot, lambda: "escriba 24.5" in painted(app))
        await pilot.press("enter")
        assert on(app, TypeDialog)
        await pilot.press("escape")
        await until(pilot, lambda: on(app, EditScreen))
        assert not screen.unsaved
        await pilot.press("end", "x")
        await until(pilot, lambda: "no se puede quitar" in painted(app))
        await pilot.press("g")
        await until(pilot, lambda: "No hay cambios que guardar" in painted(app))


async def test_a_corrected_value_shows_in_the_table_before_it_is_saved(tmp_path: Path) -> None:
    async with running(session_on(small_set(tmp_path))) as (app, pilot):
        screen = await edit(app, pilot)
        while screen._row is None or screen._row.analyte != "alt":
            await pilot.press("down")
        await pilot.press("enter")
        await until(pilot, lambda: on(app, TypeDialog))
        await pilot.press("backspace", "backspace", *"900", "enter")
        await until(pilot, lambda: on(app, EditScreen))
        assert "900  10–125" in painted(app) or "900" in painted(app)
        assert "H grave" in painted(app), "the engine judges the corrected value"


async def test_a_faulty_case_can_be_corrected_and_then_signed(tmp_path: Path) -> None:
    faulty = make_case("sin-derivacion")
    del faulty["esperado"]["requiere_derivacion"]
    cases = write_cases(tmp_path / "casos.jsonl", faulty, make_case("otro"))
    async with running(session_on(cases), (80, 24)) as (app, pilot):
        screen = await edit(app, pilot)
        while screen._row is None or screen._row.label != "Requiere derivación":
            await pilot.press("down")
        assert screen._row.value == "no consta"
        await pilot.press("enter", "f")
        await until(pilot, lambda: on(app, SignDialog))
        assert "No se puede firmar" not in painted(app)
        await pilot.press("enter")
        await until(pilot, lambda: on(app, MainScreen) and app.session.progress.signed == 1)
    assert case_of(cases, "sin-derivacion")["esperado"]["requiere_derivacion"] is True


async def test_a_signature_refused_after_the_correction_was_saved_is_said_in_a_dialog(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reviewer.app import plans

    cases = small_set(tmp_path)
    decide = plans.decide

    def refuse_signing(dataset: Dataset, decision: Any, *more: Any) -> plans.Done:
        if isinstance(decision, Sign):
            return plans.Done(refusal=WriteError("files.cannot_write", path=cases, reason="disco lleno"))
        return decide(dataset, decision, *more)

    monkeypatch.setattr(plans, "decide", refuse_signing)
    async with running(session_on(cases)) as (app, pilot):
        await edit(app, pilot)
        await pilot.press("x", "f")
        await until(pilot, lambda: on(app, SignDialog))
        await pilot.press("enter")
        await until(pilot, lambda: on(app, MessageDialog))
        shown = " ".join(painted(app).replace("│", " ").split())
        assert "La corrección está guardada, pero la firma no" in shown
        assert "disco lleno" in shown
        await pilot.press("escape")
        assert app.session.entry is not None
        assert app.session.entry.id == "pendiente-bueno", "the case stays, to be signed"
    assert Dataset.open(cases).states["pendiente-bueno"].status is Status.PENDIENTE


async def test_a_case_signed_elsewhere_while_it_is_corrected_stays_the_one_that_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its row leaves the list of pending cases, and the selection moves; the correction must not."""
    monkeypatch.setattr(main, "POLL_SECONDS", 0.05)
    cases = small_set(tmp_path)
    async with running(session_on(cases)) as (app, pilot):
        await edit(app, pilot)
        await pilot.press("x")
        Dataset.open(cases).apply(Sign(("pendiente-bueno",), "Eva Sanz", way="cli"))
        await until(pilot, lambda: app.session.progress.signed == 4)
        await pilot.press("g")
        await until(pilot, lambda: on(app, DecideDialog))
        shown = " ".join(painted(app).replace("│", " ").split())
        assert "se retira la firma de Eva Sanz" in shown
        await pilot.press("escape")
        await until(pilot, lambda: on(app, MainScreen))
        assert app.session.entry is not None
        assert app.session.entry.id == "pendiente-bueno"
