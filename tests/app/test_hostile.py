"""Every screen: text from data shows literally, is never markup and never a control sequence."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from reviewer.app.screens.board import BoardScreen
from reviewer.app.screens.decide import DecideDialog
from reviewer.app.screens.drafts import DraftsDialog
from reviewer.app.screens.edit import EditScreen
from reviewer.app.screens.history import HistoryScreen
from reviewer.app.screens.main import MainScreen
from reviewer.app.screens.sign import SignDialog
from reviewer.app.screens.typing import TypeDialog
from reviewer.app.sheet_view import sheet_lines
from reviewer.app.text import literal
from reviewer.drafts import Draft, Drafts
from reviewer.signing import Return, Withdraw
from reviewer.store import Dataset
from scoring.plain import plain
from scoring.record import Kind
from tests.app.support import any_number_of_cases, painted, running, session_on, until
from tests.support import HOSTILE, make_case, signed, write_cases

if TYPE_CHECKING:
    from pathlib import Path

    from reviewer.app.application import ReviewApp

UNSAFE = ("\x1b", "\x07", "\x9b", "\u202e", "\u200b", "\ufeff", "\u0085", "\r")
SHOWABLE_IDS = ("ALT [H] 120", "[/]", "[URGENTE]", "[bold red]x[/bold red]", "[@click=app.quit]x[/]")


def hostile_case(case_id: str, text: str, **changes: Any) -> dict[str, Any]:
    """``text`` in every field that can hold one."""
    case = make_case(
        case_id,
        descripcion=f"d {text}",
        tanda=text,
        signos_clinicos=f"s {text}",
        paciente={"especie": "canino", "raza": text, "edad_meses": 54, "sexo": text},
        valores={"hct": 24, "alt": f"45 {text}", text: 3, f"otro {text}": text},
        **changes,
    )
    case["esperado"]["hallazgos_clave"] = ["hct", f"clave {text}"]
    case["esperado"]["diferenciales_aceptables"] = [f"dif {text}"]
    return case


def safe(app: ReviewApp) -> str:
    shown = painted(app)
    for bad in UNSAFE:
        assert bad not in shown
    return shown


@pytest.mark.parametrize(
    "size",
    [pytest.param((80, 24), id="80x24"), pytest.param((40, 12), id="40x12", marks=pytest.mark.lento)],
)
async def test_hostile_text_in_every_field_shows_literally_on_every_screen(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    cases = [hostile_case(f"hostil-{number}", text) for number, text in enumerate(HOSTILE)]
    path = write_cases(tmp_path / "casos.jsonl", *cases)
    async with running(session_on(path), size) as (app, pilot):
        safe(app)
        await pilot.press("enter")
        for number, text in enumerate(HOSTILE):
            seen = safe(app)
            await pilot.press("pagedown")
            seen += safe(app)
            # The description stands at the top; its first word cannot be wrapped away.
            assert plain(text).split()[0] in seen, number
            await pilot.press("n")
        await pilot.press("escape", "slash", *"zz", "escape", "d", "escape", "f")
        await until(pilot, lambda: isinstance(app.screen, SignDialog))
        safe(app)
        await pilot.press("escape", "t")
        safe(app)
        await pilot.press("escape", "question_mark")
        safe(app)


@pytest.mark.parametrize("width", [20, 38, 70, 140])
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_the_sheet_holds_every_text_literally_and_never_outgrows_its_width(
    tmp_path: Path, text: str, width: int
) -> None:
    path = write_cases(tmp_path / "casos.jsonl", hostile_case("hostil", text))
    sheet = session_on(path).sheet
    assert sheet is not None
    lines = sheet_lines(sheet, width)
    assert all(line.cell_length <= width for line in lines)
    whole = "\n".join(line.plain for line in lines)
    assert not any(bad in whole for bad in UNSAFE)
    if width == 140:
        joined = " ".join(whole.split())
        for start in ("d", "dif"):
            assert " ".join(f"{start} {plain(text)}".split()) in joined


@pytest.mark.lento
async def test_ids_that_look_like_markup_show_literally_everywhere(tmp_path: Path) -> None:
    any_number_of_cases(tmp_path)
    made = [make_case(case_id) for case_id in SHOWABLE_IDS]
    cases = write_cases(tmp_path / "casos.jsonl", *made, signed(make_case("otro"), "[R] Ana"))
    outputs = tmp_path / "salidas.jsonl"
    said = {"interpretacion": "ferropenia, así"}
    rows = [{"id": name, "interpretacion": said} for name in (*SHOWABLE_IDS, "otro")]
    outputs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    async with running(session_on(cases, outputs, "Eva [S] Sanz")) as (app, pilot):
        assert all(case_id in painted(app) for case_id in SHOWABLE_IDS)
        assert "Eva [S] Sanz" in painted(app)
        await pilot.press("t")
        await until(pilot, lambda: isinstance(app.screen, BoardScreen))
        await pilot.press("7")
        assert all(case_id in painted(app) for case_id in SHOWABLE_IDS)
        await pilot.press("escape")
        for case_id in SHOWABLE_IDS:
            await pilot.press("f")
            await until(pilot, lambda: isinstance(app.screen, SignDialog))
            assert case_id in painted(app)
            assert "Eva [S] Sanz" in painted(app)
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, MainScreen))
            wanted = f"Guardado: {case_id}"
            await until(pilot, partial(told, app, wanted))
        await pilot.press("3", "end")
        while app.session.entry is None or app.session.entry.id != "otro":
            await pilot.press("p")
        await pilot.press("enter", "end")
        # The signature stands at the end of the sheet.
        await until(pilot, lambda: "[R] Ana" in painted(app))


def told(app: ReviewApp, text: str) -> bool:
    return any(text in note.message for note in app._notifications)


@pytest.mark.lento
async def test_hostile_ids_and_predictions_are_refused_in_visible_words(tmp_path: Path) -> None:
    cases = write_cases(tmp_path / "casos.jsonl", *(make_case(text) for text in HOSTILE), make_case("bueno"))
    outputs = tmp_path / "salidas.jsonl"
    rows: list[dict[str, Any]] = []
    for text in HOSTILE:
        rows += [{"id": text, "interpretacion": {text: text, "interpretacion": 3}}, {"id": "x" + text}]
    outputs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    async with running(session_on(cases, outputs)) as (app, pilot):
        for number in range(len(HOSTILE)):
            safe(app)
            if number % 4 == 0:
                await pilot.press("f")
                await until(pilot, lambda: isinstance(app.screen, SignDialog))
                safe(app)
                await pilot.press("escape")
            await pilot.press("n")
        await pilot.press("d")
        safe(app)
        await pilot.press("escape", "t")
        await until(pilot, lambda: isinstance(app.screen, BoardScreen))
        assert "La puerta no puede dar un veredicto" in safe(app)
        await pilot.press("end")
        safe(app)


async def test_a_hostile_file_name_shows_literally(tmp_path: Path) -> None:
    name = "[URGENTE] \x1b[31m\u202ecasos.jsonl"
    cases = write_cases(tmp_path / name, make_case())
    async with running(session_on(cases)) as (app, pilot):
        assert "[URGENTE] ␛[31m‹U+202E›casos.jsonl" in safe(app)
        cases.unlink()
        await pilot.press("l")
        await until(pilot, lambda: "ya no se puede leer" in painted(app))
        safe(app)


EVIL = "[URGENTE] ALT [H] 120 [/] \x1b[31m\u202e\x9b2J [@click=app.quit]x[/]"


@pytest.mark.lento
async def test_hostile_text_on_the_screens_of_corrections_history_and_reasons(tmp_path: Path) -> None:
    from textual import events

    case = hostile_case("[b]hostil[/b]", EVIL)
    case["valores"] = {"hct": f"24 {EVIL}", EVIL: EVIL}
    cases = write_cases(
        tmp_path / "casos.jsonl", make_case("[/]"), signed(make_case("otro"), "[R] Ana"), case
    )
    dataset = Dataset.open(cases)
    dataset = dataset.apply(Withdraw(("otro",), "[R] Ana", "porque [URGENTE] [/]")).dataset
    dataset.apply(Return(("[/]",), "[R] Ana", "mire [H] [/b]"))
    drafts = Drafts(cases)
    drafts.save(Draft(EVIL, Kind.RETIRA, EVIL, EVIL, refused=EVIL, utc=EVIL))
    drafts.save(Draft("[b]hostil[/b]", Kind.EDITA, EVIL, comment=EVIL, edit={"x": EVIL}))
    drafts.close()
    async with running(session_on(cases)) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, DraftsDialog))
        assert "[URGENTE] ALT [H] 120 [/]" in " ".join(safe(app).replace("│", " ").split())
        await pilot.press("x")
        await until(pilot, lambda: "¿Descartar?" in painted(app))
        safe(app)
        await pilot.press("escape", "escape", "3", "home")
        for _ in range(3):
            await pilot.press("h")
            await until(pilot, lambda: isinstance(app.screen, HistoryScreen))
            await until(pilot, lambda: "Leyendo" not in painted(app))
            safe(app)
            await pilot.press("escape", "n")
        while app.session.entry is None or app.session.entry.id != "[b]hostil[/b]":
            await pilot.press("p")
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, EditScreen))
        seen = ""
        for _ in range(18):
            seen += safe(app)
            await pilot.press("down")
        assert "Corregir «[b]hostil[/b]»" in seen
        assert "dif [URGENTE] ALT [H] 120 [/]" in seen
        await pilot.press("home", "enter")
        await until(pilot, lambda: isinstance(app.screen, TypeDialog))
        assert app.screen.focused is not None
        app.screen.focused.post_message(events.Paste(f"más {EVIL}"))
        await until(pilot, lambda: "más [URGENTE]" in painted(app))
        safe(app)
        await pilot.press("escape", "escape")
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, DecideDialog))
        assert app.screen.focused is not None
        app.screen.focused.post_message(events.Paste(f"uno\ndos {EVIL}"))
        await until(pilot, lambda: "dos [URGENTE] ALT [H] 120 [/] ␛[31m‹U+202E›‹U+009B›2J" in painted(app))
        safe(app)
        await pilot.press("enter")
        safe(app)


async def test_what_is_pasted_into_the_inputs_obeys_nobody(tmp_path: Path) -> None:
    from textual import events

    cases = write_cases(tmp_path / "casos.jsonl", make_case())
    async with running(session_on(cases, reviewer=None)) as (app, pilot):
        await pilot.press("/")
        app.screen.focused.post_message(events.Paste("[b]\x1b[31m\u202eQ"))  # type: ignore[union-attr]  # an input is focused
        await until(pilot, lambda: "[b]␛[31m‹U+202E›Q" in painted(app))
        safe(app)
        await pilot.press("escape", "f")
        await pilot.pause()
        app.screen.focused.post_message(events.Paste("Ana\x1b]0;x\x07"))  # type: ignore[union-attr]  # an input is focused
        await until(pilot, lambda: "Ana␛]0;x␇" in painted(app))
        await pilot.press("enter")
        safe(app)


async def test_tooltips_and_toasts_are_literal(tmp_path: Path) -> None:
    from reviewer.app.text import say

    cases = write_cases(tmp_path / "casos.jsonl", make_case())
    async with running(session_on(cases)) as (app, pilot):
        say(app, "[URGENTE] ALT [H] \x1b[31m120 [/]")
        await until(pilot, lambda: "[URGENTE] ALT [H] ␛[31m120 [/]" in painted(app))
        await pilot.hover("ActionBar", offset=(2, 0))
        await until(pilot, lambda: "Firmar el caso seleccionado" in painted(app))


def test_the_door_keeps_every_visible_character_and_parses_none() -> None:
    assert literal("ALT [H] 120").plain == "ALT [H] 120"
    assert literal("[URGENTE][/]").spans == []
    assert literal("\x1b[31m\x9b\u202e\u200b").plain == "␛[31m‹U+009B›‹U+202E›‹U+200B›"
    assert literal("a\nb").plain == "a⏎b"
    assert literal("a\nb", multiline=True).plain == "a\nb"
    assert literal(12.5).plain == "12.5"
