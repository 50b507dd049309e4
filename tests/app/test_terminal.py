"""The real program on a real terminal: signing, hostile bytes, and every way of leaving."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.app.support import small_predictions, small_set
from tests.support import HOSTILE, make_case, write_cases

if sys.platform == "win32":
    pytest.skip("needs a pseudo terminal", allow_module_level=True)

from tests.app.terminal import close_window, terminal

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.lento


def program(cases: Path, *more: str) -> list[str]:
    return ["-m", "reviewer", "--casos", str(cases), "--revisor", "Ana Ruiz", *more]


def broken(change: str, cases: Path) -> list[str]:
    """The program with one of its parts replaced by a faulty one."""
    code = (
        f"import sys\nfrom reviewer.app.screens import main\n{change}\nfrom reviewer.cli import main as run\n"
    )
    return ["-c", f"{code}sys.exit(run({program(cases)[2:]!r}))"]


def test_signing_changes_three_keys_of_one_line_and_not_one_byte_elsewhere(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    odd = b'\r\n\n{ "id":"raro" , "x": 1e-06,"esperado": 3 }\n'
    before = cases.read_bytes() + odd
    cases.write_bytes(before)
    cases.chmod(0o640)
    with terminal(program(cases)) as screen:
        screen.wait_for("pendiente-bueno")
        screen.press("f")
        screen.wait_for("Firmar este caso")
        screen.press("\r")
        screen.wait_for("Guardado: pendiente-bueno")
        screen.press("q")
        assert screen.leave() == 0
        assert screen.restored
    old, new = before.splitlines(keepends=True), cases.read_bytes().splitlines(keepends=True)
    assert [i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b] == [3]
    was, now = json.loads(old[3]), json.loads(new[3])
    assert {key for key in now if now.get(key) != was.get(key)} == {"validado", "revisor", "fecha_validacion"}
    assert now["validado"] is True
    assert now["revisor"] == "Ana Ruiz"
    assert cases.stat().st_mode & 0o777 == 0o640


def test_no_byte_of_hostile_text_reaches_the_terminal_raw(tmp_path: Path) -> None:
    evil = "\x1b]0;PWNED\x07\x1b[31;5mROJO\x9b2J\u202e\u200b[URGENTE][/]"
    hostile = make_case(
        "hostil",
        descripcion=f"D{evil}",
        tanda=evil,
        signos_clinicos=f"S{evil}",
        valores={"hct": f"24{evil}", evil: evil},
        paciente={"especie": evil, "raza": evil, "edad_meses": 3, "sexo": evil},
    )
    cases = write_cases(tmp_path / "casos.jsonl", hostile, make_case(evil), *(make_case(t) for t in HOSTILE))
    with terminal(program(cases), (120, 40)) as screen:
        screen.wait_for("[URGENTE][/]")
        screen.press("n")
        screen.press("d")
        screen.wait_for("problemas del archivo")
        screen.escape()
        screen.wait_for("ROJO")
        screen.press("f")
        screen.wait_for("No se puede firmar")
        screen.escape()
        screen.press("t")
        screen.wait_for("sin predicciones")
        screen.press("q")
        assert screen.leave() == 0
        raw = bytes(screen.output)
    for bad in ("\x1b]0;", "\x1b[31;5m", "\x9b", "\u202e", "\u200b"):
        assert bad.encode() not in raw
    assert "␛]0;PWNED␇␛[31;5mROJO‹U+009B›2J‹U+202E›‹U+200B›[URGENTE][/]".encode() in raw


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT], ids=lambda n: n.name)
def test_a_signal_gives_the_terminal_back_and_a_code_that_is_not_zero(
    tmp_path: Path, number: signal.Signals
) -> None:
    with terminal(program(small_set(tmp_path))) as screen:
        screen.wait_for("pendiente-bueno")
        os.kill(screen.process.pid, number)
        assert screen.leave() == 128 + number
        assert screen.restored
        assert "Traceback" not in screen.text


@pytest.mark.parametrize("repetition", range(4))
def test_a_window_that_is_closed_leaves_no_program_behind(tmp_path: Path, repetition: int) -> None:
    """Closing it continues the program as well, which then painted into nothing and waited for ever."""
    del repetition  # it did not happen each time
    assert close_window(program(small_set(tmp_path)), "pendiente-bueno") == 128 + signal.SIGHUP


@pytest.mark.parametrize("later", [0, 0.05, 0.1, 0.2])
def test_told_to_end_while_it_opens_it_gives_the_terminal_back(tmp_path: Path, later: float) -> None:
    """Between taking the terminal and painting the first screen nobody listened to signals."""
    with terminal(program(small_set(tmp_path))) as screen:
        end = time.monotonic() + 60
        while b"\x1b[?1049h" not in screen.output and time.monotonic() < end:
            time.sleep(0.001)
        time.sleep(later)
        screen.process.send_signal(signal.SIGTERM)
        assert screen.leave() == 128 + signal.SIGTERM
        assert screen.restored
        assert "Traceback" not in screen.text


def test_ctrl_c_says_how_to_leave_and_ends_nothing(tmp_path: Path) -> None:
    with terminal(program(small_set(tmp_path))) as screen:
        screen.wait_for("pendiente-bueno")
        screen.press("\x03")
        screen.wait_for("Para salir pulse q")
        assert screen.process.poll() is None
        screen.press("\x11")
        assert screen.leave() == 0


def test_a_crash_shows_no_case_data_and_no_local_variables(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    fault = "def boom(self, rows):\n    secreto = self.session.entry.case\n    raise KeyError(secreto.signos_clinicos)\nmain.MainScreen.action_step = boom"
    with terminal(broken(fault, cases)) as screen:
        screen.wait_for("pendiente-bueno")
        screen.forget()
        screen.press("n")
        assert screen.leave() == 70
        assert screen.restored
        said = screen.text
    after = said[said.index("fallo propio") :]
    assert "KeyError" in after
    assert "Letargia" not in after
    assert "secreto" not in after
    assert "Traceback" not in after


def test_what_was_signed_before_a_crash_is_on_the_disk(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    fault = "def boom(self):\n    raise RuntimeError('x')\nmain.MainScreen.action_search = boom"
    with terminal(broken(fault, cases)) as screen:
        screen.wait_for("pendiente-bueno")
        screen.press("f")
        screen.wait_for("Firmar este caso")
        screen.press("s")
        screen.wait_for("Guardado: pendiente-bueno")
        screen.press("/")
        assert screen.leave() == 70
    assert json.loads(cases.read_text(encoding="utf-8").splitlines()[3])["revisor"] == "Ana Ruiz"


def test_the_gate_moves_on_the_real_terminal(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    more = ("--predicciones", str(small_predictions(tmp_path)))
    with terminal(program(cases, *more), (80, 24)) as screen:
        screen.wait_for("con 2 casos")
        screen.press("n")
        screen.press("f")
        screen.wait_for("1,00 → 0,67")
        screen.press("\r")
        screen.wait_for("con 3 casos")
        screen.press("q")
        assert screen.leave() == 0


def test_an_abstraction_report_is_followed_on_the_terminal_while_the_command_writes_it(
    tmp_path: Path,
) -> None:
    gold, outputs, report = (tmp_path / name for name in ("gold.jsonl", "outputs.jsonl", "informe.json"))
    row = {"case_id": "Doña Privada", "field_id": "lab.hct", "field_type": "number", "value": 24}
    gold.write_text(json.dumps(row) + "\n", encoding="utf-8")
    order = [
        sys.executable,
        "-m",
        "scoring.cli.run_abstraction",
        "--gold",
        str(gold),
        "--outputs",
        str(outputs),
    ]

    def run(value: object) -> None:
        answer = {"case_id": row["case_id"], "field_id": "lab.hct", "value": value}
        outputs.write_text(json.dumps(answer) + "\n", encoding="utf-8")
        subprocess.run([*order, "--informe", str(report)], check=True, capture_output=True, timeout=60)

    run(25)
    with terminal(program(small_set(tmp_path), "--informe-abstraccion", str(report)), (90, 30)) as screen:
        screen.wait_for("1 de 1")
        screen.forget()
        run("24.0")
        screen.wait_for("0 de 1")
        assert "Privada" not in screen.text
        screen.press("q")
        assert screen.leave() == 0
        assert screen.restored
