"""The dashboard's screen: views, dialogs, and a judge at work that never stops the keys."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from reviewer.app.application import ReviewApp
from reviewer.app.screens import main
from reviewer.app.screens.board import BoardScreen
from reviewer.app.screens.dialog import ChoiceDialog, ConfirmDialog, MessageDialog
from reviewer.app.screens.drafts import DraftAnswer, DraftsDialog
from reviewer.app.screens.export import ExportDialog
from reviewer.app.screens.judge import JudgeDialog
from reviewer.app.screens.main import MainScreen
from reviewer.app.screens.pick import PickAnswer, PickDialog
from reviewer.app.screens.typing import TypeDialog
from reviewer.app.session import Session
from reviewer.app.widgets.safe_input import SafeInput
from reviewer.drafts import Draft
from reviewer.signing import Sign
from reviewer.store import Dataset
from scoring.record import Kind
from scoring.reports.stored import Reports
from tests.app.support import main_screen, painted, running, session_on, small_predictions, small_set, until
from tests.judges.loopback import rubric, serving, stall
from tests.reports.support import GROUNDING, report, store

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot


def board_of(app: ReviewApp) -> BoardScreen:
    screen = app.screen
    assert isinstance(screen, BoardScreen)
    return screen


async def opened(app: ReviewApp, pilot: Pilot[None]) -> BoardScreen:
    await pilot.press("t")
    await until(pilot, lambda: isinstance(app.screen, BoardScreen) and board_of(app).extras.looked)
    return board_of(app)


def shown(app: ReviewApp) -> str:
    return " ".join(painted(app).split())


async def test_each_view_has_a_key_and_the_next_one_another(tmp_path: Path) -> None:
    async with running(session_on(small_set(tmp_path), small_predictions(tmp_path))) as (app, pilot):
        await opened(app, pilot)
        for key, head in zip(
            "1234567",
            (
                "Grupo de trabajo (dev)",
                "Por partes (dev)",
                "¿Y si se firmaran? (dev)",
                "Antes y ahora (dev)",
                "Tendencia (dev)",
                "Juez (dev)",
                "Caso por caso (dev)",
            ),
            strict=True,
        ):
            await pilot.press(key)
            assert head in painted(app), key
        await pilot.press("tab")
        assert "Grupo de trabajo (dev)" in painted(app), "after the last comes the first"
        await pilot.press("left")
        assert "Caso por caso (dev)" in painted(app)


async def test_asking_for_the_reserved_split_shows_it_also_on_a_small_screen(tmp_path: Path) -> None:
    session = session_on(small_set(tmp_path), small_predictions(tmp_path))
    async with running(session, (80, 16)) as (app, pilot):
        await opened(app, pilot)
        assert "Grupo reservado (test)" not in painted(app)
        await pilot.press("a")
        await until(pilot, lambda: "Grupo reservado (test)" in painted(app))
        assert "cuenta un caso" in shown(app).lower()


async def test_the_form_of_the_report_is_chosen_with_arrows_and_enter_as_in_the_other_dialogs(
    tmp_path: Path,
) -> None:
    """The forms stand in the order of their numbers, and the first is chosen to begin with."""
    chosen: list[str | None] = []
    async with running(session_on(small_set(tmp_path)), (80, 24)) as (app, pilot):

        async def ask(*keys: str) -> None:
            app.push_screen(ExportDialog(), chosen.append)
            await until(pilot, lambda: isinstance(app.screen, ExportDialog))
            await pilot.press(*keys)
            await until(pilot, lambda: not isinstance(app.screen, ExportDialog))

        await ask("enter")
        await ask("down", "enter")
        await ask("j", "down", "j", "up", "enter")
        await ask("up", "k", "enter")
        await ask(*["down"] * 9, "enter")
        await ask("4")
        await ask("down", "escape")
    assert chosen == ["json", "texto", "markdown", "json", "junit", "html", None]


async def test_an_arrow_chooses_the_next_one_and_not_the_one_after_it(tmp_path: Path) -> None:
    """Textual runs a binding of a key and a method of its name, both."""
    for day in (1, 2, 3, 4):
        store(tmp_path / "informes", f"{day}.json", report(), day)
    drafts = [
        Draft(name, Kind.RETIRA, "Ana", "porque sí", utc="2026-08-05T10:00:00+00:00") for name in "abcd"
    ]
    chosen: list[object] = []
    async with running(session_on(small_set(tmp_path)), (80, 24)) as (app, pilot):
        dialogs: list[ChoiceDialog[Any]] = [
            PickDialog(Reports(tmp_path / "informes").read(), report()),
            DraftsDialog(drafts, frozenset("abcd")),
        ]
        for dialog in dialogs:
            app.push_screen(dialog, chosen.append)
            await until(pilot, lambda dialog=dialog: app.screen is dialog)  # type: ignore[misc]
            await pilot.press("down", "enter")
            await until(pilot, lambda dialog=dialog: app.screen is not dialog)  # type: ignore[misc]
        app.push_screen(DraftsDialog(drafts * 4, frozenset("abcd")))
        await until(pilot, lambda: isinstance(app.screen, DraftsDialog))
        await pilot.press(*["down"] * 15)
        # A line for the draft, and one for what was typed.
        await until(pilot, lambda: painted(app).count("│  ▌ ") == 2)
    third = PickAnswer(tmp_path / "informes" / "3.json")
    assert chosen == [third, DraftAnswer(drafts[1])], "the latest report stands first"


@pytest.mark.lento
async def test_exporting_comparing_and_the_trend_work_on_one_folder(tmp_path: Path) -> None:
    async with running(session_on(small_set(tmp_path), small_predictions(tmp_path))) as (app, pilot):
        await opened(app, pilot)
        await pilot.press("5")
        assert "Todavía no hay informes guardados" in shown(app)
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, ExportDialog))
        await pilot.press("1")
        await until(pilot, lambda: isinstance(app.screen, TypeDialog))
        await pilot.press("enter")
        await until(pilot, lambda: "Un informe, del" in shown(app))
        file = tmp_path / "informes" / "dev-2026-08-05-103000.json"
        assert json.loads(file.read_bytes())["veredicto"] == "pasa"
        before = file.read_bytes()
        await pilot.press("e", "1", "enter")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, BoardScreen))
        assert file.read_bytes() == before, "nothing is written over without a yes"
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, PickDialog))
        assert "dev-2026-08-05-103000.json" in shown(app)
        await pilot.press("enter")
        await until(pilot, lambda: "SIN CAMBIO DEMOSTRABLE" in shown(app))
        assert "Son las mismas salidas" in shown(app)


@pytest.mark.lento
async def test_a_file_that_cannot_be_compared_with_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"[/b]": 1}', encoding="utf-8")
    async with running(session_on(small_set(tmp_path), small_predictions(tmp_path))) as (app, pilot):
        await opened(app, pilot)
        await pilot.press("o", "o")
        await until(pilot, lambda: isinstance(app.screen, TypeDialog))
        app.screen.query_one("#typed", SafeInput).value = str(tmp_path / "x.json")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, MessageDialog))
        assert "no es un informe de run-evals" in shown(app)
        await pilot.press("enter")
        assert isinstance(app.screen, BoardScreen)


async def test_hostile_text_of_stored_reports_is_shown_as_it_is_and_test_ids_are_not(tmp_path: Path) -> None:
    async with running(session_on(small_set(tmp_path), small_predictions(tmp_path))) as (app, pilot):
        board = await opened(app, pilot)
        report = app.gate.report
        assert report is not None
        folder = tmp_path / "informes"
        folder.mkdir()
        content: dict[str, Any] = json.loads(report.to_json())
        content |= {
            "generado": "2026-08-01T10:00:00+00:00",
            "generador": "[b]x[/b] \x1b[31m",
            "juez": "[/]:m",
        }
        content["juez_detalle"] |= {
            "destino": "[URGENTE]",
            "calibracion": "\x1b]0;x\x07sin",
            "casos_juzgados": 2,
            "casos_juzgables": 3,
            "errores": {"[/]raro": 1},
        }
        content["no_juzgados"] = ["firmado-uno", "firmado-test"]
        content["metricas"].append(
            {
                "metrica": "juez_[/]",
                "valor": 0.5,
                "numerador": 1,
                "denominador": 2,
                "es_recuento": False,
                "umbral": None,
                "tipo": None,
            }
        )
        (folder / "[b]a.json").write_text(json.dumps(content), encoding="utf-8")
        (folder / "anclaje.json").write_text(json.dumps(GROUNDING), encoding="utf-8")
        board.look()
        await until(pilot, lambda: bool(board.extras.shelf.groundings))
        for key in "456":
            await pilot.press(key)
            text = painted(app)
            assert "\x1b" not in text
            assert "firmado-test" not in text
        said = shown(app)
        assert "[/]:m en [URGENTE]" in said
        assert "Sin rúbrica (2): firmado-uno" in said
        assert "[/]raro: 1" in said
        assert "juez_[/]" in said
        assert "fidelidad: no medido en 6: firmado-uno" in said


@pytest.mark.lento
async def test_keys_are_answered_while_a_judge_is_slow_and_it_is_stopped_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVISION_JUEZ_CONCURRENCIA", "1")
    with serving(lambda n, _: rubric() if n == 1 else stall(300)) as server:
        monkeypatch.setenv("REVISION_JUEZ_URL", server.url)
        async with running(session_on(small_set(tmp_path), small_predictions(tmp_path))) as (app, pilot):
            await opened(app, pilot)
            await pilot.press("p")
            await until(pilot, lambda: isinstance(app.screen, JudgeDialog) and "Leerá 4 casos" in shown(app))
            assert "No sale nada de él" in shown(app)
            assert server.requests == []
            await pilot.press("enter")
            await until(pilot, lambda: "1 de 4 casos" in shown(app))
            await pilot.press("7")
            assert "Caso por caso" in painted(app)
            await pilot.press("escape", "down")
            assert isinstance(app.screen, MainScreen), "the run goes on while cases are reviewed"
            await until(pilot, lambda: "juez 1/4" in painted(app))
            await pilot.press("q")
            await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
            assert "1 de 4 casos" in shown(app)
            await pilot.press("escape", "t", "6", "x")
            await until(pilot, lambda: "Interrumpido con 1 de 4 casos juzgados" in shown(app))
            assert not app.gate.judge_running
            await pilot.press("p")
            await until(pilot, lambda: "Una vez anterior se interrumpió" in shown(app))
            await pilot.press("enter")
            await until(pilot, lambda: app.gate.judge_running)
            await pilot.press("q")
            await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
            await pilot.press("s")
            await until(pilot, lambda: not app.is_running)
            assert app.return_code == 0
            assert not app.gate.judge_running, "leaving has told it to stop, and waited"


@pytest.mark.lento
async def test_without_a_judge_on_this_machine_it_is_said_and_another_can_be_named(tmp_path: Path) -> None:
    with serving() as server:
        async with running(session_on(small_set(tmp_path), small_predictions(tmp_path))) as (app, pilot):
            await opened(app, pilot)
            await pilot.press("p")
            await until(pilot, lambda: "No responde nada" in shown(app))
            await pilot.press("enter")
            assert isinstance(app.screen, JudgeDialog), "nothing begins without a judge"
            await pilot.press("o")
            await until(pilot, lambda: isinstance(app.screen, TypeDialog))
            app.screen.query_one("#typed", SafeInput).value = "olama"
            await pilot.press("enter")
            assert "ollama" in shown(app)
            assert isinstance(app.screen, TypeDialog), "a slip is told where it was made"
            app.screen.query_one("#typed", SafeInput).value = server.url
            await pilot.press("enter")
            await until(pilot, lambda: "Leerá 4 casos" in shown(app))
            await pilot.press("enter")
            await until(pilot, lambda: "El juez ha terminado: 4 de 4" in shown(app))
            assert "puerta (dev, con juez): ✓ PASA" in shown(app)


async def test_leaving_while_a_file_that_has_changed_is_read_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read reached a dashboard that had lost its parts already: NoMatches, exit code 70."""
    closing = threading.Event()
    cases = small_set(tmp_path)

    def changed(_: Session) -> bool:
        closing.wait(20)
        Dataset.open(cases).apply(Sign(ids=("pendiente-flojo",), reviewer="Eva Sanz"))
        return True

    async def on_unmount(_: BoardScreen) -> None:
        closing.set()
        await asyncio.sleep(0.5)

    monkeypatch.setattr(main, "POLL_SECONDS", 0.05)
    monkeypatch.setattr(Session, "changed", changed)
    monkeypatch.setattr(BoardScreen, "on_unmount", on_unmount, raising=False)
    app = ReviewApp(session_on(cases))
    async with app.run_test() as pilot:
        await until(pilot, lambda: main_screen(app)._polling)
        await pilot.press("t")
        await until(pilot, lambda: isinstance(app.screen, BoardScreen) and app.screen.is_mounted)
        await pilot.press("q")
    assert app.return_code == 0
