"""The real program, killed, hung up or broken in the middle of something; two of them on one file; a key."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from reviewer.decisions.review import build_opinion
from reviewer.drafts import Drafts
from reviewer.signing import Sign
from reviewer.store import Dataset
from tests.app.support import small_set
from tests.support import make_case, write_cases

if sys.platform == "win32":
    pytest.skip("needs a pseudo terminal", allow_module_level=True)

from tests.app.terminal import terminal

if TYPE_CHECKING:
    from pathlib import Path

    from reviewer.drafts import Draft
    from tests.app.terminal import Terminal

pytestmark = pytest.mark.lento
PASSPHRASE = "contraseña larga"


def program(cases: Path, *more: str, reviewer: str = "Ana Ruiz") -> list[str]:
    return ["-m", "reviewer", "--casos", str(cases), "--revisor", reviewer, *more]


def wait_for_draft(cases: Path, case_id: str) -> None:
    """Until the program has put what was typed on the disk; it takes a fraction of a second."""
    end = time.monotonic() + 60
    while case_id not in Drafts(cases).waiting():
        assert time.monotonic() < end, "no draft was ever written"
        time.sleep(0.02)


def begin_correction(screen: Terminal, cases: Path) -> None:
    screen.wait_for("pendiente-bueno")
    screen.press("e")
    screen.wait_for("Corregir «pendiente-bueno»")
    screen.press("x")
    screen.wait_for("quitado")
    wait_for_draft(cases, "pendiente-bueno")


def test_a_correction_survives_kill_9_and_is_offered_on_return(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    before = cases.read_bytes()
    with terminal(program(cases)) as screen:
        begin_correction(screen, cases)
        screen.process.send_signal(signal.SIGKILL)
        assert screen.leave() == -signal.SIGKILL
    assert cases.read_bytes() == before
    with terminal(program(cases)) as screen:
        screen.wait_for("Tiene una corrección a medias de «pendiente-bueno»")
        screen.press("\r")
        screen.wait_for("quitado")
        screen.press("g")
        screen.wait_for("Decide: Ana Ruiz")
        screen.press("\r")
        screen.wait_for("corregido por Ana Ruiz")
        screen.press("q")
        assert screen.leave() == 0
    line = json.loads(cases.read_text(encoding="utf-8").splitlines()[3])
    assert line["esperado"]["diferenciales_aceptables"] == ["hemorragia crónica"]
    assert Drafts(cases).waiting() == ()


def test_an_adjudication_and_a_half_typed_comment_survive_kill_9(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    (tmp_path / "umbrales.toml").write_text("minimo_casos = 1\n[firmas]\ndev = 2\n", encoding="utf-8")
    row = Dataset.open(cases).entry("pendiente-bueno").row
    for who, rejected in (("Ana Ruiz", ["ferropenia"]), ("Eva Sanz", [])):
        opinions = {"pendiente-bueno": build_opinion(row, reject=rejected)}
        Dataset.open(cases).apply(Sign(("pendiente-bueno",), who, opinions=opinions))
    with terminal(program(cases, reviewer="Luis Gil"), (80, 24)) as screen:
        screen.wait_for("pendiente-bueno")
        screen.press("G")
        screen.wait_for("Las revisiones no coinciden")
        screen.press("a")
        screen.wait_for("Falta un punto por decidir")
        screen.press("1")
        screen.wait_for("Todo decidido")
        screen.press("m")
        screen.wait_for("Comentario a la decisión")
        screen.press("Falta la eco")
        screen.wait_for("Falta la eco")
        end = time.monotonic() + 60
        while "Falta la eco" not in str([draft.half for draft in drafts_on_disk(cases)]):
            assert time.monotonic() < end, "the comment was never kept"
            time.sleep(0.05)
        screen.process.send_signal(signal.SIGKILL)
        assert screen.leave() == -signal.SIGKILL
    with terminal(program(cases, reviewer="Luis Gil"), (80, 24)) as screen:
        screen.wait_for("Estaba adjudicando «pendiente-bueno»")
        screen.forget()
        screen.press("\r")
        screen.wait_for("Comentario a la decisión")
        time.sleep(1)  # painted is not yet ready to be typed in
        screen.press(" del riñón")
        screen.wait_for("del riñón")
        screen.forget()  # the title was painted before the line was opened
        screen.press("\r")
        screen.wait_for("Todo decidido")
        screen.press("f")
        screen.wait_for("Comentario: Falta la eco del riñón")
        screen.press("\r")
        screen.wait_for("Guardado: pendiente-bueno, firmado por Luis Gil")
        screen.press("q")
        assert screen.leave() == 0
    assert Drafts(cases).waiting() == ()
    line = json.loads(cases.read_text(encoding="utf-8").splitlines()[3])
    assert line["esperado"]["diferenciales_aceptables"] == ["hemorragia crónica"]


def drafts_on_disk(cases: Path) -> tuple[Draft, ...]:
    """What every sitting has kept, alive or not, as a person who opens the files would read it."""
    drafts = Drafts(cases)
    found = (drafts._read(path, tidy=False) for path in drafts._files())
    return tuple(draft for draft in found if draft is not None)


def test_two_windows_on_one_case_keep_both_what_was_typed_in_each(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    with terminal(program(cases)) as one, terminal(program(cases)) as two:
        for screen, reason in ((one, "Falta la edad"), (two, "Falta el peso")):
            screen.wait_for("pendiente-bueno")
            screen.press("v")
            screen.wait_for("Devolver este caso")
            screen.press(reason)
            screen.wait_for("Motivo suficiente")
        end = time.monotonic() + 60
        while {draft.reason for draft in drafts_on_disk(cases)} != {"Falta la edad", "Falta el peso"}:
            assert time.monotonic() < end, "one of them was overwritten"
            time.sleep(0.05)
        with terminal(program(cases)) as third:
            third.wait_for("pendiente-bueno")
            third.wait_for("q Salir")
            time.sleep(1)
            assert "a medias" not in third.text, "both are being worked on in windows that are open"
            third.press("q")
            assert third.leave() == 0
        for screen in (one, two):
            screen.process.send_signal(signal.SIGKILL)
            assert screen.leave() == -signal.SIGKILL
    with terminal(program(cases)) as screen:
        screen.wait_for("Tiene 2 cosas a medias")
        screen.wait_for("Falta la edad")
        screen.wait_for("Falta el peso")


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM], ids=lambda n: n.name)
def test_a_reason_survives_the_closing_of_the_terminal(tmp_path: Path, number: signal.Signals) -> None:
    cases = small_set(tmp_path)
    with terminal(program(cases), (80, 24)) as screen:
        screen.wait_for("pendiente-bueno")
        screen.press("v")
        screen.wait_for("Devolver este caso")
        screen.press("Falta la edad")
        screen.wait_for("Motivo suficiente")
        os.kill(screen.process.pid, number)
        assert screen.leave() == 128 + number
        assert screen.restored
    kept = Drafts(cases).load("pendiente-bueno")
    assert kept is not None
    assert kept.reason == "Falta la edad", "the last key too: leaving waits for the disk"
    with terminal(program(cases), (80, 24)) as screen:
        screen.wait_for("Iba a devolver «pendiente-bueno»")
        screen.press("\r")
        screen.wait_for("Devolver este caso")
        screen.wait_for("Motivo suficiente")
        screen.press("\r")
        screen.wait_for("Guardado: pendiente-bueno, devuelto")
        screen.press("q")
        assert screen.leave() == 0


def test_a_correction_survives_a_crash_of_the_app(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    fault = "def boom(self):\n    raise RuntimeError('x')\nedit.EditScreen.action_redo = boom"
    code = (
        f"import sys\nfrom reviewer.app.screens import edit\n{fault}\nfrom reviewer.cli import main as run\n"
    )
    with terminal(["-c", f"{code}sys.exit(run({program(cases)[2:]!r}))"]) as screen:
        begin_correction(screen, cases)
        screen.press("y")
        assert screen.leave() == 70
        assert screen.restored
        assert "ferropenia" not in screen.text[screen.text.index("fallo propio") :]
    assert Drafts(cases).waiting() == ("pendiente-bueno",)


def test_two_apps_sign_different_cases_and_none_is_lost(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    with terminal(program(cases)) as one, terminal(program(cases, reviewer="Eva Sanz")) as two:
        for screen in (one, two):
            screen.wait_for("pendiente-bueno")
        two.press("n")
        for screen in (one, two):
            screen.press("f")
            screen.wait_for("Firmar este caso")
        one.press("\r")
        two.press("\r")
        one.wait_for("Guardado: pendiente-bueno")
        two.wait_for("Guardado: pendiente-flojo")
        for screen in (one, two):
            screen.wait_for("5 de 6 firmados")
            screen.press("q")
            assert screen.leave() == 0
    states = Dataset.open(cases).states
    assert (states["pendiente-bueno"].reviewer, states["pendiente-flojo"].reviewer) == (
        "Ana Ruiz",
        "Eva Sanz",
    )
    assert states["pendiente-bueno"].counts
    assert states["pendiente-flojo"].counts


def test_two_apps_on_the_same_case_the_second_is_told_and_writes_nothing(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    with terminal(program(cases)) as one, terminal(program(cases, reviewer="Eva Sanz")) as two:
        for screen in (one, two):
            screen.wait_for("pendiente-bueno")
            screen.press("f")
            screen.wait_for("Firmar este caso")
        one.press("\r")
        one.wait_for("Guardado: pendiente-bueno")
        kept = cases.read_bytes()
        two.press("\r")
        two.wait_for("No se ha guardado esta decisión")
        assert cases.read_bytes() == kept
        two.escape()
        two.wait_for("4 de 6 firmados")
        for screen in (one, two):
            screen.press("q")
            assert screen.leave() == 0
    assert Dataset.open(cases).states["pendiente-bueno"].reviewer == "Ana Ruiz"


@pytest.fixture
def locked_key(tmp_path: Path) -> Path:
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not installed")
    path = tmp_path / "clave"
    make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", PASSPHRASE, "-C", "ana", "-f", str(path)]
    subprocess.run(make, check=True)
    return path


def test_the_passphrase_of_a_key_is_asked_on_the_bare_terminal_and_can_be_cancelled(
    tmp_path: Path, locked_key: Path
) -> None:
    cases = write_cases(tmp_path / "casos.jsonl", make_case("uno"), make_case("dos"))
    before = cases.read_bytes()
    with terminal(program(cases, "--clave", str(locked_key))) as screen:
        screen.wait_for("uno")
        screen.press("f")
        screen.wait_for("firma con clave")
        screen.press("\r")
        screen.wait_for("Enter passphrase")
        screen.press("\x03")
        screen.wait_for("Se ha cancelado la contraseña")
        screen.wait_for("No se ha guardado esta decisión")
        assert cases.read_bytes() == before
        screen.escape()
        screen.forget()
        screen.press("f")
        screen.wait_for("Firmar este caso")
        screen.forget()
        screen.press("\r")
        screen.wait_for("Enter passphrase")
        screen.press(PASSPHRASE + "\r")
        screen.wait_for("Guardado: uno")
        screen.press("q")
        assert screen.leave() == 0
        assert screen.restored
        assert PASSPHRASE not in screen.text
    dataset = Dataset.open(cases)
    assert dataset.states["uno"].counts
    assert dataset.record.effective("uno")[0].has_key


def test_the_second_passphrase_of_a_correction_says_what_it_is_for_and_what_is_saved(
    tmp_path: Path, locked_key: Path
) -> None:
    cases = write_cases(tmp_path / "casos.jsonl", make_case("uno"), make_case("dos"))
    with terminal(program(cases, "--clave", str(locked_key))) as screen:
        screen.wait_for("uno")
        screen.press("e")
        screen.wait_for("Corregir «uno»")
        screen.press("x")
        screen.wait_for("quitado")
        screen.press("f")
        screen.wait_for("Firmar este caso")
        screen.forget()
        screen.press("\r")
        screen.wait_for("entonces no se guarda nada")
        screen.wait_for("Enter passphrase")
        screen.forget()
        screen.press(PASSPHRASE + "\r")
        screen.wait_for("Lo anterior ya está guardado. Falta la firma del caso")
        screen.wait_for("Enter passphrase")
        assert "entonces no se guarda nada" not in screen.text
        screen.press("\x03")
        screen.wait_for("La corrección está guardada, pero la firma no")
        screen.wait_for("pulse f en este caso")
        screen.escape()
        screen.press("q")
        assert screen.leave() == 0
    state = Dataset.open(cases).states["uno"]
    assert not state.counts
    assert [str(entry.kind) for entry in Dataset.open(cases).record.of_case("uno")] == ["edita"]
