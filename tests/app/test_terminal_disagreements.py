"""Adjudication on a real terminal: the disk, every way of leaving, a kill, and hostile bytes."""

from __future__ import annotations

import json
import signal
import sys
import time
from typing import TYPE_CHECKING

import pytest

from scoring.adjudication.record import load_record
from tests.abstraction.rows import gold_row, output_row
from tests.adjudication.support import PRIVATE, files

if sys.platform == "win32":
    pytest.skip("needs a pseudo terminal", allow_module_level=True)

from tests.app.terminal import terminal

if TYPE_CHECKING:
    from pathlib import Path

    from reviewer.adjudication.desk import Sources

pytestmark = pytest.mark.lento


def program(sources: Sources, *more: str) -> list[str]:
    named = ["--gold", str(sources.gold), "--outputs", str(sources.outputs), "--revisor", "Ana Ruiz"]
    return ["-m", "reviewer", "--abstraccion", *named, *more]


def test_a_decision_is_recorded_and_the_terminal_given_back(tmp_path: Path) -> None:
    sources = files(tmp_path)
    before = sources.gold.read_bytes(), sources.outputs.read_bytes()
    with terminal(program(sources)) as screen:
        screen.wait_for("0 de 6 decididos")
        screen.press("s")
        screen.wait_for("Dictamen: salida correcta")
        screen.press("lo dice el alta")
        screen.wait_for("lo dice el alta")
        screen.press("\r")
        screen.wait_for("Guardado: salida correcta")
        screen.press("q")
        assert screen.leave() == 0
        assert screen.restored
    stored = json.loads(sources.record.read_bytes())
    assert (stored["dictamen"], stored["comentario"]) == ("salida", "lo dice el alta")
    assert sources.record.stat().st_mode & 0o777 == 0o600
    assert (sources.gold.read_bytes(), sources.outputs.read_bytes()) == before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_what_was_typed_is_there_however_the_program_ended(tmp_path: Path, number: signal.Signals) -> None:
    sources = files(tmp_path)
    with terminal(program(sources)) as screen:
        screen.wait_for("0 de 6 decididos")
        screen.press("s")
        screen.wait_for("Dictamen: salida correcta")
        screen.press("una frase larga")
        screen.wait_for("una frase larga")
        if number is signal.SIGKILL:
            time.sleep(1.0)  # nothing can be kept of what was typed in the last quarter of a second
        screen.process.send_signal(number)
        code = screen.leave()
        assert code == (-9 if number is signal.SIGKILL else 128 + number)
        assert screen.restored == (number is not signal.SIGKILL)
    assert not sources.record.exists()
    with terminal(program(sources)) as screen:
        screen.wait_for("Hay un comentario a medio escribir")
        screen.press("s")
        screen.wait_for("una frase larga")
        screen.press("\r")
        screen.wait_for("Guardado")
        screen.press("q")
        assert screen.leave() == 0
    assert load_record(sources.record).entries[0].comment == "una frase larga"


def test_no_byte_of_a_hostile_value_reaches_the_terminal_raw(tmp_path: Path) -> None:
    evil = "\x1b]0;PWNED\x07\x1b[31;5mROJO\x9b2J\u202e\u200b[URGENTE][/]"
    gold = [gold_row(f"caso {evil}", "a.b", "text", f"G{evil}")]
    outputs = [output_row(f"caso {evil}", "a.b", f"S{evil}")]
    with terminal(program(files(tmp_path, gold, outputs)), (120, 40)) as screen:
        screen.wait_for("[URGENTE][/]")
        screen.press("s")
        screen.wait_for("Dictamen")
        screen.escape()
        screen.press("q")
        assert screen.leave() == 0
        raw = bytes(screen.output)
    for piece in (
        b"\x1b]0;PWNED",
        b"\x1b[31;5mROJO",
        "\x9b2J".encode(),
        "\u202e".encode(),
        "\u200b".encode(),
    ):
        assert piece not in raw


def test_a_fault_of_the_program_shows_its_place_and_nothing_of_a_patient(tmp_path: Path) -> None:
    rows = [gold_row(PRIVATE, "a.b", "text", f"{PRIVATE} a")], [output_row(PRIVATE, "a.b", f"{PRIVATE} b")]
    sources = files(tmp_path, *rows)
    code = (
        "import sys\nfrom reviewer.app.disagreements import view\n"
        "def broken(look, *more):\n    private = look.pair.gold.value\n    raise KeyError(private)\n"
        "view.look_lines = broken\nfrom reviewer.cli import main\n"
        f"sys.exit(main({program(sources)[2:]!r}))\n"
    )
    with terminal(["-c", code]) as screen:
        assert screen.leave() == 70
        assert screen.restored
        assert "KeyError" in screen.text
        assert PRIVATE not in screen.text


def test_two_people_on_one_record_lose_nothing(tmp_path: Path) -> None:
    sources = files(tmp_path)
    with terminal(program(sources)) as ana, terminal([*program(sources)[:-1], "Eva Sol"]) as eva:
        for screen in (ana, eva):
            screen.wait_for("0 de 6 decididos")
        eva.press("+")  # Eva begins with the other field
        for screen in (ana, eva):
            screen.press("x")
            screen.wait_for("Dictamen")
            screen.press("no lo dice")
            screen.wait_for("no lo dice")
            screen.press("\r")
        for screen in (ana, eva):
            screen.wait_for("Guardado")
        ana.wait_for("2 de 6 decididos")  # what Eva decided shows by itself
        for screen in (ana, eva):
            screen.press("q")
            assert screen.leave() == 0
    record = load_record(sources.record)
    assert record.breaks == ()
    assert record.people() == ("Ana Ruiz", "Eva Sol")
