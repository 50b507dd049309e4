"""What is half done: kept while it is typed, offered on return, carried over to another person's version."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

from reviewer.app.desk import Desk
from reviewer.app.half_typed import comment_half, text_of
from reviewer.app.keeper import Keeper
from reviewer.app.offers import offer_lines
from reviewer.app.rebased import rebased_text
from reviewer.app.screens import main
from reviewer.app.screens.decide import DecideDialog
from reviewer.app.screens.drafts import DraftsDialog
from reviewer.app.screens.edit import EditScreen
from reviewer.app.screens.main import MainScreen
from reviewer.app.screens.name import NameDialog
from reviewer.app.screens.sign import SignDialog
from reviewer.app.screens.typing import TypeDialog
from reviewer.drafts import Draft, Drafts
from reviewer.signing import Edit, FieldEdit, Sign
from reviewer.store import Dataset
from scoring.errors import WriteError
from scoring.record import Kind, record_path
from tests.app.support import painted, running, session_on, small_set, until, words
from tests.support import make_case, write_cases

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from reviewer.app.application import ReviewApp

SIGNS = ("signos_clinicos",)


def on(app: ReviewApp, kind: type) -> bool:
    return isinstance(app.screen, kind)


# -- the keeper -------------------------------------------------------------------------------------


def test_of_a_burst_of_keys_the_last_state_is_written_and_flush_waits_for_it(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path / "casos.jsonl", tmp_path / "estado")
    written: list[str] = []
    save = drafts.save

    def counted(draft: Draft) -> None:
        written.append(draft.reason)
        save(draft)

    drafts.save = counted  # type: ignore[method-assign]  # to count
    keeper = Keeper(drafts, pause=30)
    for length in range(1, 40):
        keeper.keep(Draft("a", Kind.RETIRA, reason="x" * length))
    assert keeper.flush()
    kept = drafts.load("a")
    assert kept is not None
    assert kept.reason == "x" * 39
    assert len(written) < 5, "not one write for each key"
    keeper.discard("a")
    assert keeper.flush()
    assert drafts.load("a") is None


def test_without_a_flush_what_was_typed_is_written_soon(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path / "casos.jsonl", tmp_path / "estado")
    written = threading.Event()
    save = drafts.save

    def told(draft: Draft) -> None:
        save(draft)
        written.set()

    drafts.save = told  # type: ignore[method-assign]  # to know when
    Keeper(drafts, pause=0.01).keep(Draft("a", Kind.RETIRA, reason="dudosa"))
    assert written.wait(60)
    assert drafts.waiting() == ("a",)


def test_a_folder_that_refuses_drafts_is_a_sentence_and_stops_nothing(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path / "casos.jsonl", tmp_path / "estado")

    def refuse(draft: Draft) -> None:
        raise WriteError("files.cannot_write", path=tmp_path, reason="lleno")

    drafts.save = refuse  # type: ignore[method-assign]  # a full disk
    keeper = Keeper(drafts, pause=0.01)
    keeper.keep(Draft("a", Kind.RETIRA, reason="dudosa"))
    assert keeper.flush()
    assert "lleno" in keeper.problem


# -- the desk ---------------------------------------------------------------------------------------


def desk_on(tmp_path: Path) -> tuple[Desk, Dataset]:
    cases = write_cases(tmp_path / "casos.jsonl", make_case("a"), make_case("b"))
    return Desk(cases, tmp_path / "estado"), Dataset.open(cases)


def test_a_correction_comes_back_from_its_draft_on_a_line_that_changed_meanwhile(tmp_path: Path) -> None:
    desk, dataset = desk_on(tmp_path)
    correction, _ = desk.begin(dataset.entry("a"))
    correction.set_value("hct", "21")
    correction.add_differential("leishmaniosis")
    desk.touched(correction, "Ana Ruiz")
    desk.close()
    dataset = dataset.apply(Edit("a", (FieldEdit(SIGNS, "Otra cosa"),), "Eva Sanz")).dataset
    later = Desk(dataset.path, tmp_path / "estado")
    later.load()
    assert [draft.case_id for draft in later.waiting] == ["a"]
    again, asked = later.begin(dataset.entry("a"))
    assert asked == ()
    assert again.value(SIGNS) == "Otra cosa", "the other person's change stands"
    assert str(again.value(("valores", "hct"))) == "21"
    assert again.current.texts[-1] == "leishmaniosis"


def test_where_both_changed_the_same_field_the_person_is_asked(tmp_path: Path) -> None:
    desk, dataset = desk_on(tmp_path)
    correction, _ = desk.begin(dataset.entry("a"))
    correction.set_signs("Letargia y fiebre")
    desk.touched(correction, "Ana Ruiz")
    dataset = dataset.apply(Edit("a", (FieldEdit(SIGNS, "Letargia y tos"),), "Eva Sanz")).dataset
    rebased = desk.follow(dataset, "Ana Ruiz")
    assert [(found.case_id, found.asked) for found in rebased] == [("a", ("signos_clinicos",))]
    assert desk.follow(dataset, "Ana Ruiz") == (), "it is told once"


def test_what_a_colleagues_save_took_over_is_in_the_draft_and_comes_back_after_a_kill(tmp_path: Path) -> None:
    """The only thing typed was the field that Eva changed too: nothing is left to change, and nothing is lost."""
    desk, dataset = desk_on(tmp_path)
    correction, _ = desk.begin(dataset.entry("a"))
    correction.set_signs("Letargia y fiebre desde hace tres días")
    desk.touched(correction, "Ana Ruiz")
    dataset = dataset.apply(Edit("a", (FieldEdit(SIGNS, "Letargia y tos"),), "Eva Sanz")).dataset
    told = rebased_text(desk.follow(dataset, "Ana Ruiz")[0])
    assert "vuelve a poner lo suyo (signos clínicos: Letargia y fiebre desde hace tres días)" in told
    assert desk.correcting == ("a",)
    desk.close()
    later = Desk(dataset.path, tmp_path / "estado")
    later.load()
    assert [draft.case_id for draft in later.waiting] == ["a"]
    again, asked = later.begin(dataset.entry("a"))
    assert (again.value(SIGNS), asked) == ("Letargia y tos", ("signos_clinicos",))
    assert again.redo()
    assert again.value(SIGNS) == "Letargia y fiebre desde hace tres días"
    later.touched(again, "Ana Ruiz")
    assert again.undo()
    later.touched(again, "Ana Ruiz")
    assert later.waiting == (), "taken up and given up by the person"


def test_withdrawing_a_case_keeps_the_correction_that_was_in_progress(tmp_path: Path) -> None:
    desk, dataset = desk_on(tmp_path)
    correction, _ = desk.begin(dataset.entry("a"))
    correction.set_signs("Otra")
    desk.touched(correction, "Ana Ruiz")
    desk.note("a", kind=Kind.RETIRA, reason="dudosa")
    desk.decided("a", Kind.RETIRA)
    draft = desk.draft("a")
    assert draft is not None
    assert (draft.kind, draft.reason) == (Kind.EDITA, "")
    assert draft.edit is not None


def test_taking_every_step_back_leaves_no_draft(tmp_path: Path) -> None:
    desk, dataset = desk_on(tmp_path)
    correction, _ = desk.begin(dataset.entry("a"))
    correction.set_signs("Otra")
    desk.touched(correction, None)
    correction.undo()
    desk.touched(correction, None)
    assert desk.keeper.flush()
    assert desk.waiting == ()
    assert desk.drafts.waiting() == ()


def test_a_draft_of_a_case_that_is_gone_is_offered_with_that_remark(tmp_path: Path) -> None:
    offers = offer_lines(
        [Draft("z", Kind.DEVUELVE, reason="Sin edad", utc="2026-08-05T10:00:00Z")], frozenset()
    )
    assert offers[0][0].startswith("Iba a devolver «z» a su autor (2026-08-05")
    assert "«Sin edad»" in offers[0][1]
    assert "ya no está en el archivo" in offers[0][1]


# -- the app ----------------------------------------------------------------------------------------


async def test_a_correction_survives_the_app_and_is_offered_on_return(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    async with running(session_on(cases), (80, 24)) as (app, pilot):
        await pilot.press("e")
        await until(pilot, lambda: on(app, EditScreen))
        await pilot.press("x", "down", "enter")
        await until(pilot, lambda: on(app, TypeDialog))
        await pilot.press(*" vieja")
        app.session.desk.keeper.flush()
        # The app is gone at this moment, with a correction and a half typed line.
    async with running(session_on(cases), (80, 24)) as (app, pilot):
        await until(pilot, lambda: on(app, DraftsDialog))
        assert "Tiene una corrección a medias de «pendiente-bueno»" in words(app)
        assert "Escrito: «hemorragia crónica vieja»" in words(app)
        await pilot.press("escape")
        await until(pilot, lambda: on(app, MainScreen))
        assert "o A medias" in painted(app)
        await pilot.press("o", "enter")
        await until(pilot, lambda: on(app, TypeDialog))
        typing = app.screen
        assert isinstance(typing, TypeDialog)
        assert typing.typed == "hemorragia crónica vieja", "in the line where it was typed"
        await pilot.press("escape")
        await until(pilot, lambda: on(app, EditScreen))
        screen = app.screen
        assert isinstance(screen, EditScreen)
        assert screen.correction.current.texts == ("hemorragia crónica",)
        await pilot.press("escape", "enter")
        await until(pilot, lambda: on(app, MainScreen))
        await pilot.press("o", "x")
        await until(pilot, lambda: "se pierde para siempre" in words(app))
        await pilot.press("s")
        await until(pilot, lambda: on(app, MainScreen))
        app.session.desk.keeper.flush()
        assert app.session.desk.drafts.waiting() == ()


async def test_a_reason_and_a_name_half_typed_are_offered_on_return(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    async with running(session_on(cases, reviewer=None)) as (app, pilot):
        await pilot.press("n", "f")
        await until(pilot, lambda: on(app, NameDialog))
        await pilot.press(*"Eva Sa")
        app.session.desk.keeper.flush()
    session = session_on(cases, reviewer="Ana Ruiz")
    async with running(session) as (app, pilot):
        await until(pilot, lambda: on(app, DraftsDialog))
        assert "Nombre escrito: «Eva Sa»" in words(app)
        await pilot.press("escape", "home", "v")
        await until(pilot, lambda: on(app, DecideDialog))
        await pilot.press(*"Falta")
        session.desk.keeper.flush()
        await pilot.press("ctrl+q")
        await until(pilot, lambda: "queda como borrador" in words(app))
    async with running(session_on(cases, reviewer=None)) as (app, pilot):
        await until(pilot, lambda: on(app, DraftsDialog))
        assert "Iba a devolver «pendiente-bueno»" in words(app)
        await pilot.press("enter")
        await until(pilot, lambda: on(app, NameDialog) and "Eva Sa" in painted(app))
        assert app.session.entry is not None
        assert app.session.entry.id == "pendiente-flojo"


async def test_the_name_that_was_being_typed_comes_back_though_another_was_given_on_opening(
    tmp_path: Path,
) -> None:
    cases = small_set(tmp_path)
    async with running(session_on(cases)) as (app, pilot):
        await pilot.press("r")
        await until(pilot, lambda: on(app, NameDialog))
        await pilot.press("ctrl+u", *"Eva Sanz")
        app.session.desk.keeper.flush()
    async with running(session_on(cases)) as (app, pilot):
        await until(pilot, lambda: on(app, DraftsDialog))
        await pilot.press("enter")
        await until(pilot, lambda: on(app, NameDialog) and "Eva Sanz" in painted(app))


async def test_a_signature_does_not_pass_over_a_comment_that_was_cut_off(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    (tmp_path / "umbrales.toml").write_text("minimo_casos = 1\n[firmas]\ndev = 2\n", encoding="utf-8")
    async with running(session_on(cases, reviewer="Luis Gil")) as (app, pilot):
        await pilot.press("f")
        await until(pilot, lambda: on(app, SignDialog))
        case_id = app.session.entry.id if app.session.entry is not None else ""
        await pilot.press("m")
        await until(pilot, lambda: on(app, TypeDialog))
        await pilot.press(*"Falta la eco")
        app.session.desk.keeper.flush()
    async with running(session_on(cases, reviewer="Luis Gil")) as (app, pilot):
        await until(pilot, lambda: on(app, DraftsDialog))
        assert f"Estaba comentando su revisión de «{case_id}»" in words(app)
        await pilot.press("enter")
        await until(pilot, lambda: on(app, TypeDialog) and "Falta la eco" in painted(app))
        await pilot.press("enter")
        await until(pilot, lambda: on(app, SignDialog) and "Comentario: Falta la eco" in words(app))
        await pilot.press("enter")
        await until(pilot, lambda: on(app, MainScreen))
    kept = record_path(cases).read_text(encoding="utf-8").splitlines()
    assert '"comentario":"Falta la eco"' in kept[-1]


async def test_asking_who_signs_forgets_no_comment(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    (tmp_path / "umbrales.toml").write_text("minimo_casos = 1\n[firmas]\ndev = 2\n", encoding="utf-8")
    async with running(session_on(cases, reviewer="Luis Gil")) as (app, pilot):
        await pilot.press("f")
        await until(pilot, lambda: on(app, SignDialog))
        await pilot.press("m")
        await until(pilot, lambda: on(app, TypeDialog))
        await pilot.press(*"Falta la eco", "enter")
        await until(pilot, lambda: on(app, SignDialog) and "Falta la eco" in words(app))
        await pilot.press("r")
        await until(pilot, lambda: on(app, NameDialog))
        await pilot.press("escape")
        await until(pilot, lambda: on(app, SignDialog) and "Falta la eco" in words(app))
        await pilot.press("escape")
        await until(pilot, lambda: on(app, MainScreen))


async def test_leaving_the_question_for_a_name_that_was_cut_off_does_not_go_on_to_sign(
    tmp_path: Path,
) -> None:
    cases = small_set(tmp_path)
    desk = Desk(cases)
    desk.note("pendiente-bueno", kind=Kind.FIRMA, reviewer="Eva Sa")
    desk.close()
    async with running(session_on(cases)) as (app, pilot):
        await until(pilot, lambda: on(app, DraftsDialog))
        await pilot.press("enter")
        await until(pilot, lambda: on(app, NameDialog) and "Eva Sa" in painted(app))
        await pilot.press("escape")
        await until(pilot, lambda: on(app, MainScreen))
        await pilot.pause(0.3)
        assert on(app, MainScreen)


async def test_a_correction_does_not_pass_over_a_comment_that_was_cut_off(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    (tmp_path / "umbrales.toml").write_text("minimo_casos = 1\n[firmas]\ndev = 2\n", encoding="utf-8")
    desk = Desk(cases)
    desk.note("firmado-uno", kind=Kind.FIRMA, reviewer="Luis Gil", half=comment_half("Falta la eco"))
    desk.close()
    async with running(session_on(cases, reviewer="Luis Gil")) as (app, pilot):
        await until(pilot, lambda: on(app, DraftsDialog))
        await pilot.press("escape")
        await until(pilot, lambda: on(app, MainScreen))
        await pilot.press("e")
        await until(pilot, lambda: on(app, TypeDialog) and "Falta la eco" in painted(app))
        await pilot.press("enter")
        await until(pilot, lambda: on(app, EditScreen))
        await pilot.press("a")
        await until(pilot, lambda: on(app, TypeDialog))
        await pilot.press(*"otra")
        draft = app.session.desk.draft("firmado-uno")
        assert draft is not None
        assert (draft.comment, text_of(draft.half or {})) == ("Falta la eco", "otra")


async def test_a_signature_does_not_pass_over_a_correction_left_for_later(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    async with running(session_on(cases)) as (app, pilot):
        await pilot.press("e")
        await until(pilot, lambda: on(app, EditScreen))
        await pilot.press("x")
        app.session.desk.keeper.flush()
    before = cases.read_bytes()
    async with running(session_on(cases)) as (app, pilot):
        await until(pilot, lambda: on(app, DraftsDialog))
        await pilot.press("escape")
        await until(pilot, lambda: on(app, MainScreen))
        await pilot.press("f")
        await until(pilot, lambda: on(app, EditScreen) and "quitado" in painted(app))
        await until(pilot, lambda: "tiene una corrección a medias: aquí está" in words(app))
        await pilot.press("f")
        await until(pilot, lambda: on(app, SignDialog))
        assert cases.read_bytes() == before
        await pilot.press("enter")
        await until(pilot, lambda: on(app, MainScreen))
    line = json.loads(cases.read_text(encoding="utf-8").splitlines()[3])
    assert line["validado"]
    assert line["esperado"]["diferenciales_aceptables"] == ["hemorragia crónica"]


async def test_another_persons_change_is_merged_into_the_correction_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(main, "POLL_SECONDS", 0.05)
    cases = small_set(tmp_path)
    async with running(session_on(cases), (80, 24)) as (app, pilot):
        await pilot.press("e")
        await until(pilot, lambda: on(app, EditScreen))
        await pilot.press("x")
        screen = app.screen
        assert isinstance(screen, EditScreen)
        Dataset.open(cases).apply(
            Edit("pendiente-bueno", (FieldEdit(SIGNS, "Letargia y tos"),), "Eva Sanz", way="cli")
        )
        await until(pilot, lambda: "Otra persona ha cambiado «pendiente-bueno»" in words(app))
        assert screen.correction.current.texts == ("hemorragia crónica",), "what was done here stays"
        assert screen.correction.value(SIGNS) == "Letargia y tos"
        await pilot.press("g")
        await until(pilot, lambda: on(app, DecideDialog))
        await pilot.press("enter")
        await until(pilot, lambda: on(app, MainScreen))
        await until(pilot, lambda: app.session.desk.correcting == ())
    case = json.loads(cases.read_text(encoding="utf-8").splitlines()[3])
    assert case["signos_clinicos"] == "Letargia y tos"
    assert case["esperado"]["diferenciales_aceptables"] == ["hemorragia crónica"]


async def test_a_stale_correction_never_writes_and_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(main, "POLL_SECONDS", 600)
    cases = small_set(tmp_path)
    async with running(session_on(cases)) as (app, pilot):
        await pilot.press("e")
        await until(pilot, lambda: on(app, EditScreen))
        await pilot.press("x", "g")
        await until(pilot, lambda: on(app, DecideDialog))
        Dataset.open(cases).apply(Sign(ids=("pendiente-bueno",), reviewer="Eva Sanz", way="cli"))
        kept = cases.read_bytes()
        await pilot.press("enter")
        await until(pilot, lambda: "se vuelve a leer el archivo" in words(app))
        assert cases.read_bytes() == kept
        await pilot.press("escape")
        await until(pilot, lambda: on(app, MainScreen) and app.session.progress.signed == 4)
        assert app.session.desk.correcting == ("pendiente-bueno",)
