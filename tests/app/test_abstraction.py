"""The report of chart abstraction on the screen: keys, what is painted, live changes of real files."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from textual.command import CommandPalette

from reviewer.abstraction_board import AbstractionBoard
from reviewer.abstraction_report import ReportFiles, ReportState, follow
from reviewer.app import abstraction_view
from reviewer.app.abstraction_detail import detail_lines
from reviewer.app.abstraction_view import summary_lines
from reviewer.app.application import ReviewApp
from reviewer.app.screens import abstraction as screen_module
from reviewer.app.screens.abstraction import AbstractionScreen
from reviewer.app.screens.help import HelpScreen
from reviewer.app.screens.main import MainScreen
from reviewer.app.session import Session
from reviewer.app.settings import Settings
from reviewer.app.widgets import slice_list
from reviewer.app.widgets.slice_list import SliceList
from scoring.abstraction.normalize import AbstractionFieldType
from scoring.abstraction.report import report_of
from scoring.abstraction.tally import WIDTH, FieldTally, Tally
from tests.app.support import MOMENT, main_screen, painted, running, small_set, until
from tests.app.test_snapshots import SIZES, after
from tests.support import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reviewer.abstraction_report import Slice
    from tests.app.test_snapshots import Compare

KINDS = tuple(AbstractionFieldType)
ROWS = {
    # exact, wrong, abstained though there is an answer, answered where there is none
    "laboratorio.hematocrito": (60, 33, 2, 0),
    "paciente.raza": (57, 13, 0, 9),
    "registro.oncologico.estadio_t": (0, 2, 0, 0),
    "evolucion.recaida": (90, 0, 0, 0),
    "vacio": (0, 0, 0, 3),
}


def report_json(rows: Mapping[str, tuple[int, int, int, int]]) -> str:
    fields = {}
    for number, (name, (exact, wrong, abstained, spurious)) in enumerate(rows.items()):
        counts = [0] * WIDTH
        counts[0], counts[1], counts[2] = exact + wrong + abstained, spurious, abstained
        counts[4], counts[8], counts[10] = wrong, exact, spurious
        fields[name] = FieldTally(KINDS[number % 4], tuple(counts))
    return report_of(Tally(fields)).to_json()


def save(path: Path, text: str) -> Path:
    """Put in place whole, as the command does; the time of the file is fixed."""
    fresh = path.with_name(f"{path.name}.neu")
    fresh.write_text(text, encoding="utf-8")
    at = (MOMENT - timedelta(minutes=20)).timestamp()
    os.utime(fresh, (at, at))
    return fresh.replace(path)


def three_files(folder: Path) -> ReportFiles:
    earlier = ROWS | {"laboratorio.hematocrito": (93, 2, 0, 0), "ya_no": (1, 0, 0, 0)}
    del earlier["vacio"]
    bounds = (
        "[general]\nnormalized_agreement = { minimo = 0.5 }\n"
        '[campo."paciente.raza"]\nexact_agreement = { minimo = 0.9 }\n'
        '[campo."no.esta"]\nexact_agreement = { minimo = 0.9 }\n'
    )
    return ReportFiles(
        save(folder / "informe.json", report_json(ROWS)),
        save(folder / "minimos.toml", bounds),
        save(folder / "anterior.json", report_json(earlier)),
    )


def session_with(folder: Path, files: ReportFiles, *, first: bool = True) -> Session:
    settings = Settings(small_set(folder), None, "Ana Ruiz", abstraction=files, begin_with_abstraction=first)
    session = Session.open(settings)
    session.clock = lambda: MOMENT
    return session


def listed(app: ReviewApp) -> list[str]:
    rows = app.screen.query_one(SliceList)
    return [name for scope, name in rows._places if scope == "field"]


@pytest.mark.lento
async def test_keys_choose_metric_order_selection_and_search(tmp_path: Path) -> None:
    async with running(session_with(tmp_path, three_files(tmp_path)), (80, 24)) as (app, pilot):
        assert isinstance(app.screen, AbstractionScreen)
        board = app.abstraction
        await until(pilot, lambda: "35 de 95" in painted(app))
        # wrong or silent of those with an answer: 33 + 2 of 95, 13 of 70, 2 of 2, 0 of 90; one has none
        assert listed(app) == [
            "laboratorio.hematocrito",
            "paciente.raza",
            "registro.oncologico.estadio_t",
            "evolucion.recaida",
            "vacio",
        ]
        assert "por errores de «coincidencia normalizada», de más a menos" in painted(app)
        assert "▌2 coincidencia normalizada" in painted(app)
        assert "sin casos" in painted(app)
        await pilot.press("o")
        assert listed(app)[0] == "registro.oncologico.estadio_t"
        assert "la peor primero" in painted(app)
        await pilot.press("o")  # by change: from 93/95 to 60/95
        assert listed(app)[0] == "laboratorio.hematocrito"
        await pilot.press("5")
        assert board.metric == "unanswerable_answer"
        await pilot.press("o", "o")
        assert board.order.value == "errores"
        assert listed(app)[:2] == ["paciente.raza", "vacio"]
        await pilot.press("M", "m", "m", "m")
        assert board.metric == "exact_agreement"
        await pilot.press("v")
        assert listed(app) == ["paciente.raza"]
        assert "fuera de límite" in painted(app)
        await pilot.press("v")
        assert listed(app) == ["laboratorio.hematocrito"]
        await pilot.press("v", "slash", *"RAZA", "enter")
        assert listed(app) == ["paciente.raza"]
        assert "busca «RAZA»" in painted(app)
        await pilot.press("escape")
        assert len(listed(app)) == 5
        await pilot.press("slash", *"[URG]", "enter")
        assert "Ningún campo lleva «[URG]» en su nombre" in painted(app)
        await pilot.press("escape", "down", "down", "enter")
        await until(pilot, lambda: "intervalo del 95 %" in painted(app))
        await pilot.press("end")
        await until(pilot, lambda: "respuesta con evidencia" in painted(app))
        assert "campos:" not in painted(app)
        await pilot.press("escape", "escape")
        assert isinstance(app.screen, MainScreen)


def board_on(files: ReportFiles) -> AbstractionBoard:
    board = AbstractionBoard(files)
    board.adopt(follow(files, ReportState(), MOMENT))
    return board


def detail(board: AbstractionBoard, place: Slice, width: int = 78) -> str:
    return "\n".join(line.plain for line in detail_lines(board, place, width))


def test_one_field_is_told_with_every_figure_bound_and_change(tmp_path: Path) -> None:
    board = board_on(three_files(tmp_path))
    said = detail(board, ("field", "paciente.raza"))
    # 57 of 70 = 0.814; against a floor of 0.9; the earlier report says the same
    assert "0,814  57/70" in said
    assert "✗ mínimo 0,9: NO se cumple" in said
    assert "no se distingue: antes 0,814 (57/70)" in said
    assert "filas: 79 (70 con dato en la historia, 9 sin él)" in said
    # 13 other answers and 9 answers without data: what somebody would have to adjudicate, and where
    assert "22 desacuerdos" in said
    assert "revision --abstraccion --gold F --outputs F" in said
    assert "desacuerdo" not in detail(board, ("field", "evolucion.recaida"))
    assert "responde sin haber dato (error)\n ━━━━━━━━━━ 1  9/9\n intervalo del 95 %: [0,701; 1]" in said
    # 93 of 95 before, 60 of 95 now: 60/95 - 93/95 = -33/95 = -0.347
    assert "▼ PEOR: antes 0,979 (93/95); cambia -0,347" in detail(board, ("field", "laboratorio.hematocrito"))
    assert "No está en el informe anterior" in detail(board, ("field", "vacio"))
    assert "«ya_no» no está en este informe." in detail(board, ("field", "ya_no"))


def test_everything_together_tells_what_stands_in_no_row(tmp_path: Path) -> None:
    said = detail(board_on(three_files(tmp_path)), ("overall", ""))
    assert "Límite de un campo o tipo que el informe no tiene:\n – no.esta · coincidencia exacta" in said
    assert "Campos nuevos: vacio.\n" in said
    assert "Campos que ya no están: ya_no." in said
    assert "alguna cambia por azar" in said


def test_the_summary_says_bounds_and_changes_and_one_line_where_the_terminal_is_low(tmp_path: Path) -> None:
    board = board_on(three_files(tmp_path))
    said = [line.plain for line in summary_lines(board, 80, short=False)]
    # 207 of 257 with an answer were right: 60 + 57 + 0 + 90 of 95 + 70 + 2 + 90
    assert said[2].startswith("▌2 coincidencia normalizada         0,805")
    assert said[2].rstrip().endswith("50 de 257 ✓▼")
    assert said[7] == " ✗ Límites que no se cumplen: 1 de 3. Sin datos con que juzgarlos: 1."
    # exact and normalized agreement of hematocrit got worse
    assert said[8].startswith(
        " ▼ 2 cifras por campo peores y 0 mejores · un campo nuevo · un campo ya no está"
    )
    assert all(len(line) <= 80 for line in said)
    assert [line.plain for line in summary_lines(board, 80, short=True)] == [
        " 2 coincidencia normalizada · más errores primero"
    ]


async def test_the_documentation_shows_the_screen_as_it_is_painted(tmp_path: Path) -> None:
    async with running(session_with(tmp_path, three_files(tmp_path)), (80, 24)) as (app, pilot):
        await until(pilot, lambda: "35 de 95" in painted(app))
        shown = [line.rstrip() for line in painted(app).splitlines()]
    documented = (ROOT / "docs" / "abstraction.md").read_text(encoding="utf-8")
    assert "\n".join(shown).strip("\n") in documented


async def test_it_is_reached_by_key_and_palette_and_keeps_what_was_chosen(tmp_path: Path) -> None:
    session = session_with(tmp_path, three_files(tmp_path), first=False)
    async with running(session) as (app, pilot):
        await pilot.press("i")
        await until(pilot, lambda: "35 de 95" in painted(app))
        await pilot.press("6", "o", "i")
        assert isinstance(app.screen, MainScreen)
        await pilot.press("ctrl+p", *"abstrac")
        await until(
            pilot, lambda: isinstance(app.screen, CommandPalette) and "Abstracción  (i)" in painted(app)
        )
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, AbstractionScreen))
        assert "por tasa de «respuesta con evidencia»" in painted(app)
        await pilot.press("question_mark")
        assert isinstance(app.screen, HelpScreen)
        await pilot.press("escape", "t", "i")  # from the dashboard above it nothing is opened twice
        assert sum(isinstance(screen, AbstractionScreen) for screen in app.screen_stack) == 1


async def test_without_a_report_the_screen_says_which_command_to_run(tmp_path: Path) -> None:
    async with running(session_with(tmp_path, ReportFiles(), first=False), (80, 24)) as (app, pilot):
        assert "Abstracción" not in painted(app)
        await pilot.press("i", "m", "o", "v", "down", "enter", "end", "tab", "l")
        said = " ".join(painted(app).split())
        assert "run-abstraction --gold gold.jsonl --outputs outputs.jsonl --informe informe.json" in said
        assert "revision --informe-abstraccion informe.json" in said
        assert 'informe_abstraccion = "informe.json"' in said
        await pilot.resize_terminal(40, 12)
        await until(pilot, lambda: "… --informe" in painted(app))
        assert "revision --informe-abstraccion" in painted(app)


async def test_the_screen_follows_the_file_and_keeps_the_field_and_what_was_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screen_module, "POLL_SECONDS", 0.05)
    files = three_files(tmp_path)
    path = files.report
    assert path is not None
    async with running(session_with(tmp_path, files), (80, 24)) as (app, pilot):
        await until(pilot, lambda: "35 de 95" in painted(app))
        await pilot.press("down", "down", "down", "down", "down", "down")
        assert app.abstraction.selected == ("field", "paciente.raza")
        # The selected field is now the one that hurts most: it stays selected at another row.
        save(path, report_json(ROWS | {"paciente.raza": (7, 63, 0, 9)}))
        await until(pilot, lambda: "63 de 70" in painted(app))
        assert app.screen.query_one(SliceList).selected == ("field", "paciente.raza")
        assert listed(app)[0] == "paciente.raza"
        path.write_text(report_json(ROWS)[:700], encoding="utf-8")
        # Why it cannot be read stands behind its path, and there is room for the beginning of a long one only.
        await until(pilot, lambda: "NO ES EL ÚLTIMO" in painted(app))
        assert [trouble.code for trouble in app.abstraction.state.troubles] == ["report_cut"]
        said = " ".join(painted(app).split())
        assert "63 de 70" in said
        assert "Se muestra el último informe bueno, leído a las 10:30:00" in said
        path.unlink()
        await until(pilot, lambda: "No existe el archivo" in painted(app))
        assert "63 de 70" in painted(app)
        await pilot.press("slash", *"raz")
        save(path, report_json(ROWS))
        await until(pilot, lambda: "13 de 70" in painted(app))
        assert "Campo: raz" in painted(app)
        assert "No existe el archivo" not in painted(app)
        await pilot.press("escape")
        without = {name: row for name, row in ROWS.items() if name != "paciente.raza"}
        save(path, report_json(without))
        await until(pilot, lambda: "13 de 70" not in painted(app))
        assert app.screen.query_one(SliceList).selected == ("overall", "")


async def test_a_report_that_is_not_there_yet_appears_when_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screen_module, "POLL_SECONDS", 0.05)
    path = tmp_path / "[URGENTE] \x1b[2J[b].json"
    session = session_with(tmp_path, ReportFiles(path), first=False)
    async with running(session, (80, 24)) as (app, pilot):
        await pilot.press("i")
        await until(pilot, lambda: "No existe el archivo" in painted(app))
        assert "[URGENTE] ␛[2J[b].json" in painted(app)
        save(path, report_json(ROWS))
        await until(pilot, lambda: "35 de 95" in painted(app))
        assert "\x1b" not in painted(app)


async def test_a_click_chooses_a_metric_selects_a_field_and_opens_it(tmp_path: Path) -> None:
    async with running(session_with(tmp_path, three_files(tmp_path)), (80, 24)) as (app, pilot):
        await until(pilot, lambda: "35 de 95" in painted(app))
        await pilot.click("Summary", offset=(10, 4))
        assert app.abstraction.metric == "answerable_abstention"
        await pilot.click("#slices", offset=(10, 3))
        assert app.abstraction.selected[0] == "type"
        await pilot.click("#slices", offset=(10, 3))
        assert app.screen.has_class("-reading")


@pytest.mark.lento
@pytest.mark.parametrize("size", [(20, 5), (40, 12), (120, 40)], ids=lambda s: f"{s[0]}x{s[1]}")
async def test_it_works_at_every_size_with_the_longest_name_there_is(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    long = ".".join(["a" * 64] * 8)
    files = three_files(tmp_path)
    assert files.report is not None
    save(files.report, report_json(ROWS | {long: (0, 99, 0, 0)}))
    async with running(session_with(tmp_path, files), size) as (app, pilot):
        await until(pilot, lambda: app.abstraction.state.report.value is not None)
        await pilot.press("end", "home", "down", "down", "down", "down", "down", "down", "enter", "end")
        await pilot.press("escape", "m", "o", "v", "slash", *"aaa", "escape", "pagedown", "tab", "tab")
        assert isinstance(app.screen, AbstractionScreen)
        if size != (20, 5):
            assert "q Salir" in painted(app)


@pytest.mark.lento
async def test_ten_thousand_fields_paint_their_visible_rows_only_whatever_key_is_pressed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[object] = []
    slice_row = abstraction_view.slice_row

    def counted(board: object, place: object, *args: object, **kwargs: object) -> object:
        built.append(place)
        return slice_row(board, place, *args, **kwargs)  # type: ignore[arg-type]  # passed on as it came

    monkeypatch.setattr(slice_list, "slice_row", counted)
    rows = {f"serie{n // 100}.campo_{n}": (90, n % 90, 1, n % 3) for n in range(10_000)}
    path = save(tmp_path / "informe.json", report_json(rows))
    async with running(session_with(tmp_path, ReportFiles(path)), (80, 24)) as (app, pilot):
        await until(pilot, lambda: "campos: 10.000" in painted(app))
        built.clear()
        await pilot.press("end")
        await until(pilot, lambda: bool(built))
        assert len(set(built)) <= 30  # of 10,000: a screen of 24 lines paints no other
        assert main_screen(app).is_mounted


def picture(folder: Path) -> ReviewApp:
    app = ReviewApp(session_with(folder, three_files(folder)))
    app.animation_level = "none"
    return app


@SIZES
def test_a_picture_of_the_report(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    keys = ("down", "down", "down", "down", "down", "down")
    assert snap_compare(picture(tmp_path), terminal_size=size, run_before=after(*keys))


def test_a_picture_of_one_field_whole(snap_compare: Compare, tmp_path: Path) -> None:
    keys = ("slash", "=hemat", "enter", "enter")
    assert snap_compare(picture(tmp_path), terminal_size=(80, 24), run_before=after(*keys))


def test_a_picture_of_a_report_that_was_cut(
    snap_compare: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the sentence names the file as it was named
    files = three_files(Path())
    app = ReviewApp(session_with(tmp_path, files))
    app.animation_level = "none"
    app.abstraction.adopt(follow(files, ReportState(), MOMENT))
    save(Path("informe.json"), report_json(ROWS)[:900])
    assert snap_compare(app, terminal_size=(80, 24), run_before=after())
