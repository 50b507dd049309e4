"""Two reviews on the screen: settled by a third person, closed with one key, and never shown too early."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from reviewer.app.screens.adjudicate import AdjudicateScreen
from reviewer.app.screens.dialog import ConfirmDialog, MessageDialog
from reviewer.app.screens.main import MainScreen
from reviewer.app.screens.sign import SignDialog
from reviewer.app.screens.typing import TypeDialog
from reviewer.signing import Sign
from reviewer.store import Dataset
from tests.app.support import (
    dialog_text,
    main_screen,
    painted,
    prediction,
    running,
    session_on,
    toasts,
    until,
    words,
)

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


from tests.app.reviewed import ADDED, decided, split, two_asked


async def test_changing_who_signs_takes_the_other_persons_correction_off_the_sheet(tmp_path: Path) -> None:
    cases = two_asked(tmp_path)
    session = session_on(cases, reviewer="Ana Ruiz")
    async with running(session) as (app, pilot):
        entry = session.dataset.entry("pendiente-bueno")
        correction, _ = session.desk.begin(entry)
        correction.add_differential(ADDED)
        session.desk.touched(correction, "Ana Ruiz")
        main_screen(app).show_case()
        await pilot.pause()
        assert ADDED in painted(app)
        await pilot.press("r", *["backspace"] * 10, *"Eva Sanz", "enter")
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
        assert session.reviewer == "Eva Sanz"
        assert "reservada" not in painted(app)
        assert "o A medias" not in painted(app)


async def test_a_third_person_settles_a_disagreement_and_the_gate_moves_as_said(tmp_path: Path) -> None:
    cases = split(tmp_path)
    outputs = tmp_path / "salidas.jsonl"
    outputs.write_text(json.dumps(prediction("pendiente-bueno")) + "\n", encoding="utf-8")
    session = session_on(cases, outputs, "Luis Gil")
    async with running(session, (80, 24)) as (app, pilot):
        main_screen(app).select_case("pendiente-bueno")
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, AdjudicateScreen))
        assert "Faltan 3 puntos por decidir" in words(app)
        assert isinstance(app.screen, AdjudicateScreen)
        first = app.screen.pane.cursor
        await pilot.press("down", "down", "f")
        await until(pilot, lambda: "Faltan 3 puntos por decidir: los marcados" in toasts(app))
        assert app.screen.pane.cursor == first, "the first point that is open"
        # The first on «ferropenia», the second on what was added; one's own on the referral: yes.
        await pilot.press("1", "down", "down", "2", "down", "down", "space")
        assert "Todo decidido" in words(app)
        await pilot.press("m", *"Visto", "enter", "f")
        await until(pilot, lambda: isinstance(app.screen, SignDialog))
        told = dialog_text(app)
        assert "ya no está «ferropenia»" in told
        assert "Comentario: Visto" in told
        assert "La puerta pasará de 0 a 1 casos" in told
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
        await until(pilot, lambda: "con un caso" in painted(app))
        assert session.desk.waiting == ()
    line = json.loads(cases.read_text(encoding="utf-8").splitlines()[0])
    assert (line["revisor"], line["esperado"]["diferenciales_aceptables"]) == (
        "Luis Gil",
        ["hemorragia crónica"],
    )
    assert line["esperado"]["requiere_derivacion"] is True


async def test_one_of_the_two_is_told_that_another_person_settles_it(tmp_path: Path) -> None:
    session = session_on(split(tmp_path), reviewer="Ana Ruiz")
    async with running(session, (80, 24)) as (app, pilot):
        main_screen(app).select_case("pendiente-bueno")
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, MessageDialog))
        assert "tiene que adjudicarlo una persona que no lo haya revisado" in dialog_text(app)
        assert "Ana Ruiz, Eva Sanz" in dialog_text(app)


async def test_an_adjudication_and_its_half_typed_comment_come_back(tmp_path: Path) -> None:
    cases = split(tmp_path)
    async with running(session_on(cases, reviewer="Luis Gil"), (80, 24)) as (app, pilot):
        main_screen(app).select_case("pendiente-bueno")
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, AdjudicateScreen))
        await pilot.press("1", "m", *"Falta la eco")
        await until(pilot, lambda: isinstance(app.screen, TypeDialog))
        # The app is gone at this moment.
    async with running(session_on(cases, reviewer="Luis Gil"), (80, 24)) as (app, pilot):
        await until(pilot, lambda: "Estaba adjudicando «pendiente-bueno»" in words(app))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TypeDialog))
        typing = app.screen
        assert isinstance(typing, TypeDialog)
        assert typing.typed == "Falta la eco"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, AdjudicateScreen))
        assert "Faltan 2 puntos" in words(app), "the first answer is there"
        screen = app.screen
        assert isinstance(screen, AdjudicateScreen)
        assert screen.settling.comment == "Falta la eco"


async def test_somebody_else_settling_it_meanwhile_is_said_and_the_answers_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewer.app.screens.main.POLL_SECONDS", 0.05)
    cases = split(tmp_path)
    session = session_on(cases, reviewer="Luis Gil")
    async with running(session, (80, 24)) as (app, pilot):
        main_screen(app).select_case("pendiente-bueno")
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, AdjudicateScreen))
        await pilot.press("1")
        dataset = Dataset.open(cases)
        dataset.apply(Sign(("pendiente-bueno",), "Marta Vega", meaning="adjudicado"))
        await until(pilot, lambda: "ya no hay ningún desacuerdo que adjudicar" in words(app))
        await pilot.press("2", "f", "escape")
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
        draft = session.desk.draft("pendiente-bueno")
        assert draft is not None
        assert draft.settling is not None
    assert Dataset.open(cases).states["pendiente-bueno"].reviewer == "Marta Vega"


async def test_what_the_reviews_have_decided_is_closed_with_one_key_by_one_of_them(tmp_path: Path) -> None:
    cases = decided(tmp_path)
    session = session_on(cases, reviewer="Ana Ruiz")
    async with running(session) as (app, pilot):
        main_screen(app).select_case("pendiente-bueno")
        await pilot.pause()
        assert "Las revisiones ya lo han decidido" in words(app)
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, SignDialog))
        assert "Al guardar, el caso se corrige así" in dialog_text(app)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
    assert Dataset.open(cases).states["pendiente-bueno"].reviewer == "Ana Ruiz"


async def test_a_review_takes_a_comment_and_can_be_changed_while_it_is_alone(tmp_path: Path) -> None:
    cases = two_asked(tmp_path)
    async with running(session_on(cases, reviewer="Ana Ruiz"), (80, 24)) as (app, pilot):
        main_screen(app).select_case("pendiente-bueno")
        for comment in ("Primera", "Segunda"):
            await pilot.press("f")
            if comment == "Segunda":
                await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
                assert "¿Cambiar su revisión?" in words(app)
                await pilot.press("s")
            await until(pilot, lambda: isinstance(app.screen, SignDialog))
            await pilot.press("m", *comment, "enter")
            await until(pilot, lambda: isinstance(app.screen, SignDialog))
            assert f"Comentario: {comment}" in dialog_text(app)
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, MainScreen))
            await until(pilot, lambda: app.session.desk.waiting == ())
            main_screen(app).select_case("pendiente-bueno")
    kept = Dataset.open(cases).record.effective("pendiente-bueno")[0].item("pendiente-bueno")
    assert kept is not None
    assert kept.opinion is not None
    assert kept.opinion.comment == "Segunda"


async def test_an_opinion_is_not_saved_into_the_file_where_the_next_reviewer_would_read_it(
    tmp_path: Path,
) -> None:
    cases = two_asked(tmp_path)
    before = cases.read_bytes()
    async with running(session_on(cases, reviewer="Ana Ruiz"), (80, 24)) as (app, pilot):
        main_screen(app).select_case("pendiente-bueno")
        await pilot.press("e", "x", "g")
        await until(pilot, lambda: isinstance(app.screen, MessageDialog))
        assert "van a su revisión y no al archivo" in dialog_text(app)
        assert app.session.desk.correcting == ("pendiente-bueno",)
    assert cases.read_bytes() == before
