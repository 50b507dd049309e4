"""Adjudicating on the screen: what is painted, what the keys do, and that nothing typed or decided is lost."""

from __future__ import annotations

import json
import re
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from reviewer.adjudication.desk import Desk, Show, read
from reviewer.app.disagreements.app import DeskApp
from reviewer.app.disagreements.chains import ChainsScreen
from reviewer.app.disagreements.dialog import VerdictDialog
from reviewer.app.disagreements.drafting import row_key
from reviewer.app.disagreements.help import DeskHelp
from reviewer.app.disagreements.screen import DisagreementsScreen
from reviewer.app.disagreements.widgets import PickedList
from reviewer.app.widgets.action_bar import chosen_actions
from reviewer.app.widgets.safe_area import SafeTextArea
from scoring.adjudication.entries import Verdict
from scoring.adjudication.record import load_record
from tests.abstraction.rows import gold_row, output_row, write
from tests.adjudication.support import (
    OUTPUTS,
    PRIVATE,
    WHY,
    chains_file,
    decide,
    desk_on,
    files,
)
from tests.app.support import dialog_text, painted, until
from tests.support import HOSTILE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from textual.pilot import Pilot


@asynccontextmanager
async def opened(desk: Desk, size: tuple[int, int] = (120, 40)) -> AsyncIterator[tuple[DeskApp, Pilot[None]]]:
    app = DeskApp(desk)
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.pause()
        yield app, pilot
    app.comments.keeper.flush()


def ground(app: DeskApp) -> DisagreementsScreen:
    screen = app.screen_stack[0]
    assert isinstance(screen, DisagreementsScreen)
    return screen


def place(app: DeskApp) -> tuple[str, str] | None:
    item = ground(app).item
    return None if item is None else item.place


def words(app: DeskApp) -> str:
    """What is painted as running text: where a line breaks depends on how long a path is."""
    return " ".join(re.sub("[│╭╮╰╯─]", " ", painted(app)).split())


async def shows(app: DeskApp, pilot: Pilot[None], text: str) -> None:
    """Wait until ``text`` is painted, wherever its lines break."""
    try:
        await until(pilot, lambda: text in words(app))
    except AssertionError:
        raise AssertionError(f"never painted: {text!r}\n{painted(app)}") from None


async def answered(app: DeskApp, pilot: Pilot[None], text: str) -> None:
    """Write a comment into the dialog that is open, and record it."""
    await until(pilot, lambda: isinstance(app.screen, VerdictDialog))
    app.screen.query_one(SafeTextArea).insert(text)
    await pilot.press("enter")
    await until(pilot, lambda: not isinstance(app.screen, VerdictDialog))


def desk_with_chains(folder: Path) -> Desk:
    return desk_on(replace(files(folder), evidence=chains_file(folder)))


async def test_both_answers_their_forms_and_the_evidence_are_shown(tmp_path: Path) -> None:
    async with opened(desk_on(files(tmp_path))) as (app, pilot):
        text = painted(app)
        assert "PRIVADO" in text
        assert "0 de 6 decididos" in text
        for line in ("dx · 3", "edad · 3", "⟦N⟧eumon⟦í⟧a", "⟦n⟧eumon⟦i⟧a", "caso p1 · tipo text"):
            assert line in text
        assert " normal.    neumonía" in text
        assert " normal.    neumonia" in text
        assert "Primera diferencia que cuenta: «í» (U+00ED) frente a «i» (U+0069)" in text
        assert "Sin cadena de evidencia" in text
        await pilot.press("end", "up")  # p2 «edad»: 70 against 71.0, with a chain
        await shows(app, pilot, "La respalda una cadena")
        assert "distinta clase" not in painted(app)  # 70 and 70.0 would be equal
        await pilot.press("up")
        await shows(app, pilot, "Son de distinta clase: entero frente a texto")
        await shows(app, pilot, "no se puede leer como number")


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_what_is_decided_on_can_be_read_in_the_dialog_that_hides_it(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    """A low terminal shows the list alone, so a key could decide on values that nobody had seen."""
    async with opened(desk_on(files(tmp_path)), size) as (app, pilot):
        await pilot.press("g")
        await until(pilot, lambda: isinstance(app.screen, VerdictDialog))
        await shows(app, pilot, "Dictamen")
        dialog = painted(app).split("Dictamen")[1]
        assert "⟦N⟧eumon⟦í⟧a" in dialog
        assert "⟦n⟧eumon⟦i⟧a" in dialog


async def test_a_decision_is_on_the_disk_and_the_next_one_follows(tmp_path: Path) -> None:
    desk = desk_on(files(tmp_path))
    async with opened(desk) as (app, pilot):
        assert place(app) == ("p1", "dx")
        await pilot.press("s")
        await answered(app, pilot, WHY)
        stored = json.loads(desk.sources.record.read_bytes())
        assert (stored["caso"], stored["dictamen"], stored["comentario"]) == ("p1", "salida", WHY)
        assert place(app) == ("p2", "dx")
        await shows(app, pilot, "1 de 6 decididos")
        await pilot.press("g")
        await answered(app, pilot, "")  # for the gold no reason is needed
        assert place(app) == ("p3", "dx")
        assert len(load_record(desk.sources.record).entries) == 2


async def test_a_decision_against_the_gold_without_a_reason_stays_open(tmp_path: Path) -> None:
    desk = desk_on(files(tmp_path))
    async with opened(desk) as (app, pilot):
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.screen, VerdictDialog))
        await pilot.press("enter")
        assert isinstance(app.screen, VerdictDialog)
        await shows(app, pilot, "Falta el porqué")
        await pilot.press("x", "enter")
        assert isinstance(app.screen, VerdictDialog)
        assert not desk.sources.record.exists()


async def test_a_verdict_that_cannot_be_said_is_explained_and_not_offered(tmp_path: Path) -> None:
    async with opened(desk_on(files(tmp_path))) as (app, pilot):
        await pilot.press("plus")  # p1 «edad»: «61 años» is no number
        assert place(app) == ("p1", "edad")
        footer = painted(app).splitlines()[-1]
        assert "s Salida" not in footer
        assert "g Gold" in footer
        await pilot.press("s")
        await pilot.pause()
        await shows(app, pilot, "no puede pasar al gold")
        assert not isinstance(app.screen, VerdictDialog)


async def test_undo_puts_back_what_stood_and_both_stay_on_record(tmp_path: Path) -> None:
    desk = desk_on(files(tmp_path))
    async with opened(desk) as (app, pilot):
        await pilot.press("s")
        await answered(app, pilot, WHY)
        await pilot.press("u")
        await until(pilot, lambda: desk.decided == 0)
        assert place(app) == ("p1", "dx")
        assert [entry.verdict for entry in load_record(desk.sources.record).entries] == [
            "salida",
            "sin_decidir",
        ]
        await shows(app, pilot, "(sustituida)")
        assert "u Deshacer" not in painted(app).splitlines()[-1]


async def test_a_decision_of_an_earlier_session_can_be_taken_back(tmp_path: Path) -> None:
    sources = files(tmp_path)
    decide(desk_on(sources, "Eva Sol"), "p1", "dx", Verdict.OUTPUT)
    desk = desk_on(sources)
    async with opened(desk) as (app, pilot):
        await pilot.press("2")
        assert place(app) == ("p1", "dx")
        await shows(app, pilot, "Eva Sol · salida correcta")
        await pilot.press("d")
        await answered(app, pilot, "")
        assert desk.decided == 0


async def test_filters_and_fields_narrow_the_list(tmp_path: Path) -> None:
    sources = files(tmp_path)
    decide(desk_on(sources), "p1", "dx", Verdict.OUTPUT)
    desk = desk_on(sources)
    async with opened(desk) as (app, pilot):
        await shows(app, pilot, "1 Pendientes 5")
        assert place(app) == ("p2", "dx")
        await pilot.press("2")
        assert (place(app), desk.show) == (("p1", "dx"), Show.DECIDED)
        await pilot.press("3", "plus")
        assert place(app) == ("p1", "edad")
        await pilot.press("f")
        await shows(app, pilot, "solo edad")
        assert "dx · " not in painted(app)
        await pilot.press("home", "minus")  # the field before, alone too
        assert place(app) == ("p1", "dx")
        await pilot.press("f", "end")
        assert place(app) == ("p3", "edad")
        await pilot.press("m", "m")
        assert desk.show is Show.DECIDED


async def test_without_a_name_it_is_asked_for_and_a_name_that_looks_like_another_is_asked_about(
    tmp_path: Path,
) -> None:
    sources = files(tmp_path)
    decide(desk_on(sources), "p1", "dx", Verdict.OUTPUT)
    desk = Desk(sources, read(sources))
    async with opened(desk) as (app, pilot):
        await pilot.press("g")
        await pilot.pause()
        await shows(app, pilot, "¿Quién decide?")
        await pilot.press(*"Ana Ruíz", "enter")
        await until(pilot, lambda: "Ana Ruiz" in painted(app))
        await pilot.press("c")
        await answered(app, pilot, "")
        assert {entry.reviewer for entry in desk.reading.record.entries} == {"Ana Ruiz"}
        assert desk.decided == 2


async def test_what_was_typed_and_left_is_marked_and_comes_back(tmp_path: Path) -> None:
    async with opened(desk_on(files(tmp_path))) as (app, pilot):
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, VerdictDialog))
        await pilot.press(*"el alta", "escape")
        await pilot.pause()
        await shows(app, pilot, "✎ p1")
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, VerdictDialog))
        await shows(app, pilot, "el alta")
        await pilot.press(*" lo dice", "enter")
        await until(pilot, lambda: not isinstance(app.screen, VerdictDialog))
        assert "✎" not in painted(app)
    again = DeskApp(desk_on(files(tmp_path)))
    assert again.comments.load() == 0


async def test_a_decision_somebody_else_took_meanwhile_is_shown_and_the_comment_kept(tmp_path: Path) -> None:
    sources = files(tmp_path)
    desk = desk_on(sources)
    async with opened(desk) as (app, pilot):
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, VerdictDialog))
        decide(desk_on(sources, "Eva Sol"), "p1", "dx", Verdict.GOLD, "")
        app.screen.query_one(SafeTextArea).insert(WHY)
        await pilot.press("enter")
        await until(pilot, lambda: "Eva Sol ha decidido" in painted(app))
        await pilot.press("z", "backspace")  # a refused decision offers nothing that a key does not do
        assert "Intro lo guarda" not in painted(app)
        await pilot.press("escape")
        await until(pilot, lambda: desk.decided == 1)
        await shows(app, pilot, "una decisión nueva en el registro")
        assert len(load_record(sources.record).entries) == 1
        assert app.comments.typed(row_key(("p1", "dx"))) == WHY


async def test_files_that_change_are_read_again_and_the_place_is_kept(tmp_path: Path) -> None:
    sources = files(tmp_path)
    decide(desk_on(sources), "p2", "dx", Verdict.OUTPUT)
    desk = desk_on(sources)
    async with opened(desk) as (app, pilot):
        await pilot.press("3", "down", "down")
        assert place(app) == ("p3", "dx")
        write(sources.outputs, [OUTPUTS[0], OUTPUTS[1] | {"value": "tensión alta"}, *OUTPUTS[2:]])
        await ground(app).poll()
        await pilot.pause()
        await shows(app, pilot, "se han leído de nuevo")
        assert place(app) == ("p3", "dx")
        await shows(app, pilot, "1 caducada")
        await pilot.press("up")
        await shows(app, pilot, "salida correcta (sobre otro")
        write(sources.outputs, [*OUTPUTS, "{"])
        await ground(app).poll()
        await shows(app, pilot, "no se pueden leer ahora")
        assert place(app) == ("p2", "dx")
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, VerdictDialog))
        app.screen.query_one(SafeTextArea).insert(WHY)
        await pilot.press("enter")
        await shows(app, pilot, "han cambiado desde que se leyeron")
        assert len(load_record(sources.record).entries) == 1


async def test_a_broken_record_is_said_and_nothing_can_be_added(tmp_path: Path) -> None:
    sources = files(tmp_path)
    decide(desk_on(sources), "p1", "dx", Verdict.OUTPUT)
    sources.record.write_bytes(b'{"v":1}\n' + sources.record.read_bytes())
    before = sources.record.read_bytes()
    async with opened(desk_on(sources)) as (app, pilot):
        await shows(app, pilot, "El registro está alterado")
        await shows(app, pilot, "0 de 6 decididos")
        await pilot.press("g")
        await until(pilot, lambda: isinstance(app.screen, VerdictDialog))
        await pilot.press("enter")
        # Not as painted: how the sentence is broken into lines depends on the length of the path in it.
        await until(pilot, lambda: "No se usa nada de él" in dialog_text(app))
    assert sources.record.read_bytes() == before


async def test_chains_are_approved_and_rejected_with_a_reason(tmp_path: Path) -> None:
    desk = desk_with_chains(tmp_path)
    async with opened(desk) as (app, pilot):
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, ChainsScreen))
        await shows(app, pilot, "3 esperan una decisión")
        await pilot.press("a")
        await answered(app, pilot, "")
        await shows(app, pilot, "Qué objeta la puerta")
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.screen, VerdictDialog))
        await pilot.press("enter")
        await shows(app, pilot, "Falta el porqué")
        await answered(app, pilot, WHY)
        assert [review.state.value for review in desk.reading.chains] == ["approved", "rejected", "pending"]
        await shows(app, pilot, "la cadena no señala ninguna fuente")
        await pilot.press("u")
        await until(pilot, lambda: desk.reading.chains[1].standing.entry is None)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is ground(app))
    assert [entry.verdict for entry in load_record(desk.sources.record).entries] == [
        "aprueba",
        "rechaza",
        "sin_decidir",
    ]


async def test_hostile_values_are_shown_and_never_obeyed(tmp_path: Path) -> None:
    evil = ["\x1b]0;PWNED\x07", "\u202egnp.exe", "[/]", "x" * 64_000, *HOSTILE]
    gold = [gold_row(f"caso {text[:40]} {n}", "a.b", "text", f"g {text}") for n, text in enumerate(evil)]
    outputs = [output_row(row["case_id"], "a.b", f"s {text}") for row, text in zip(gold, evil, strict=True)]
    outputs = [row for row in outputs if row["value"].isprintable() or "\ud800" not in row["value"]]
    sound = [n for n, text in enumerate(evil) if not any("\ud800" <= char <= "\udfff" for char in text)]
    desk = desk_on(files(tmp_path, [gold[n] for n in sound], [outputs[n] for n in sound]))
    async with opened(desk, (80, 24)) as (app, pilot):
        for _ in sound:
            text = painted(app)
            assert not [
                char for char in text if char != "\n" and (ord(char) < 32 or char in "\x7f\x9b\u202e\u200b")
            ]
            await pilot.press("down")
        await pilot.press("home", "s")
        await until(pilot, lambda: isinstance(app.screen, VerdictDialog))
        assert "PWNED" not in painted(app) or "␛" in painted(app)


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 40)])
async def test_at_every_size_the_screen_shows_what_it_is_for(tmp_path: Path, size: tuple[int, int]) -> None:
    async with opened(desk_with_chains(tmp_path), size) as (app, pilot):
        text = painted(app)
        assert "PRIVADO" in text
        assert "p1" in text
        footer = text.splitlines()[-1]
        for key in ("g Gold", "s Salida", "? Ayuda", "q Salir"):
            assert key in footer
        await pilot.press("enter")
        await shows(app, pilot, "⟦N⟧eumon⟦í⟧a")
        await pilot.press("escape", "question_mark")
        await until(pilot, lambda: isinstance(app.screen, DeskHelp))
        await shows(app, pilot, "Cómo se adjudica")


async def test_the_palette_offers_what_can_be_done_here_and_no_other_screen(tmp_path: Path) -> None:
    async with opened(desk_on(files(tmp_path))) as (app, pilot):
        await pilot.press("ctrl+p")
        await until(pilot, lambda: "Sin respuesta" in painted(app))
        assert "Tablero" not in painted(app)
        assert "Evidencia  (e)" not in painted(app)  # no file of chains was named


async def test_a_hundred_thousand_disagreements_paint_their_visible_rows_alone(tmp_path: Path) -> None:
    """The list is asked for the rows on the screen, wherever it stands."""
    gold = [gold_row(f"c{n:06d}", f"f.n{n % 5}", "text", "a") for n in range(3_000)]
    outputs = [output_row(f"c{n:06d}", f"f.n{n % 5}", "b") for n in range(3_000)]
    desk = desk_on(files(tmp_path, gold, outputs))
    async with opened(desk, (80, 24)) as (app, pilot):
        screen = ground(app)
        asked: set[int] = set()
        inner = screen.picked._line

        def counted(number: int, width: int, chosen: bool) -> object:
            asked.add(number)
            return inner(number, width, chosen)

        screen.picked._line = counted  # type: ignore[assignment]
        await pilot.press("end", "home", "plus", "plus")
        assert place(app) == ("c000002", "f.n2")
        assert len(asked) <= 40  # four places of at most seven lines, headings included


async def test_nothing_private_is_in_the_title_the_toasts_or_a_crash_report(tmp_path: Path) -> None:
    rows = [gold_row(PRIVATE, "dx", "text", f"{PRIVATE} a")], [output_row(PRIVATE, "dx", f"{PRIVATE} b")]
    async with opened(desk_on(files(tmp_path, *rows))) as (app, pilot):
        await pilot.press("s")
        await answered(app, pilot, f"{PRIVATE} lo dice")
        await pilot.press("u")
        await pilot.pause()
        assert PRIVATE not in app.title
        assert not [note for note in app._notifications if PRIVATE in str(note.message)]


def test_the_footer_of_the_desk_fits_every_width() -> None:
    from reviewer.app.actions import Place, of
    from reviewer.app.widgets.action_bar import cell_width

    for places in ((Place.DISAGREEMENTS, Place.LISTING), (Place.CHAINS, Place.LISTING)):
        offered = [*of(*places), *(e for e in of(Place.GENERAL) if e.id in {"help", "quit"})]
        for width in (40, 60, 80, 120):
            kept = chosen_actions(offered, width)
            assert {"help", "quit"} <= {entry.id for entry in kept}
            assert sum(cell_width(entry) for entry in kept) + 2 * (len(kept) - 1) + 1 <= width


async def test_headings_are_stepped_over_and_a_click_opens(tmp_path: Path) -> None:
    async with opened(desk_on(files(tmp_path))) as (app, pilot):
        await pilot.press("down", "down", "down")
        assert place(app) == ("p1", "edad")
        await pilot.press("up")
        assert place(app) == ("p3", "dx")
        await pilot.click(PickedList, offset=(4, 1))
        assert place(app) == ("p1", "dx")
        await pilot.click(PickedList, offset=(4, 0))  # the heading
        assert place(app) == ("p1", "dx")
        await pilot.click(PickedList, offset=(4, 1))
        assert ground(app).pane.has_focus
