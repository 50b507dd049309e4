"""Keys with a passphrase: the agent, and a person at a terminal."""

from __future__ import annotations

import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reviewer.decisions.review import build_opinion
from reviewer.keys import check_keys
from reviewer.signing import Sign
from reviewer.store import Dataset
from scoring.record import take_snapshot
from scoring.record.key_checks import KeyState
from tests.reviewer.keys_support import PASSPHRASE, check, folder_of, sign, ssh_fingerprint
from tests.support import ROOT, make_case, write_cases

if TYPE_CHECKING:
    from collections.abc import Iterator


pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


# The agent, and a passphrase typed at a terminal.


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if shutil.which("ssh-agent") is None:
        pytest.skip("ssh-agent is not installed")
    # A socket path has a short limit; the test's own folder may be too deep.
    done = subprocess.run(["ssh-agent", "-s"], capture_output=True, text=True, check=True)
    for name in ("SSH_AUTH_SOCK", "SSH_AGENT_PID"):
        found = re.search(rf"{name}=([^;]+);", done.stdout)
        assert found is not None
        monkeypatch.setenv(name, found[1])
    pid = int(os.environ["SSH_AGENT_PID"])
    yield
    os.kill(pid, signal.SIGTERM)


def add_to_agent(key: Path, tmp_path: Path) -> None:
    askpass = tmp_path / "contesta"
    askpass.write_text(f"#!/bin/sh\necho '{PASSPHRASE}'\n", "utf-8")
    askpass.chmod(0o700)
    environment = {**os.environ, "SSH_ASKPASS": str(askpass), "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": ":0"}
    subprocess.run(
        ["ssh-add", str(key)], env=environment, capture_output=True, stdin=subprocess.DEVNULL, check=True
    )


def test_the_agent_signs_for_a_locked_key_and_for_its_public_half(
    data: Path, locked_key: Path, tmp_path: Path, agent: None
) -> None:
    add_to_agent(locked_key, tmp_path)
    sign(data, locked_key)
    assert check(data, None).fingerprint == ssh_fingerprint(locked_key)
    locked_key.unlink()
    sign(data, Path(f"{locked_key}.pub"), case_id="dos")
    assert {c.state for c in check_keys(take_snapshot(data).record.entries, None).values()} == {
        KeyState.SIN_COMPROBAR
    }


def at_a_terminal(command: list[str], answers: list[str], cwd: Path) -> tuple[int, str]:
    """Run ``command`` on a terminal of its own and type an answer at each «passphrase» prompt."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(cwd)
        os.environ.update(PYTHONPATH=str(ROOT), TERM="xterm")
        os.environ.pop("SSH_AUTH_SOCK", None)
        os.environ.pop("DISPLAY", None)
        os.execv(command[0], command)
    said = b""
    seen = 0
    end = time.monotonic() + 60
    while time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], 1)
        if not ready:
            continue
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        said += piece
        if said.count(b"nter passphrase") > seen and answers:
            seen += 1
            os.write(terminal, answers.pop(0).encode())
    else:
        os.kill(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(terminal)
    return code, said.decode("utf-8", "replace")


@pytest.mark.lento
@pytest.mark.parametrize(
    ("typed", "code", "said"),
    [
        ([f"{PASSPHRASE}\n"], 0, "Firmado: uno"),
        (["otra cosa\n"], 2, "no es correcta"),
        (["\x03"], 130, "Interrumpido"),
    ],
    ids=["right", "wrong", "control-c"],
)
def test_a_passphrase_is_typed_at_the_terminal(
    data: Path, locked_key: Path, typed: list[str], code: int, said: str
) -> None:
    before = folder_of(data)
    command = [
        sys.executable,
        "-m",
        "reviewer",
        "--casos",
        str(data),
        "--validar",
        "uno",
        "--revisor",
        "Ana Ruiz",
    ]
    got, shown = at_a_terminal([*command, "--clave", str(locked_key)], typed, data.parent)
    assert (got, said in shown) == (code, True), shown
    assert PASSPHRASE not in shown
    if code == 0:
        assert check(data, None).fingerprint == ssh_fingerprint(locked_key)
    else:
        assert folder_of(data) == before


def disputed(folder: Path) -> tuple[Path, list[str]]:
    """A set whose only case two people have read in two ways; and the order that decides about it, up to who."""
    folder.mkdir()
    (folder / "umbrales.toml").write_text("[firmas]\ndev = 2\ntest = 2\n", "utf-8")
    data = write_cases(folder / "casos.jsonl", make_case("uno"))
    Dataset.open(data).apply(Sign(("uno",), "Ana"))
    opinion = build_opinion(Dataset.open(data).entry("uno").row, referral=False)
    Dataset.open(data).apply(Sign(("uno",), "Luis", opinions={"uno": opinion}))
    return data, [sys.executable, "-m", "reviewer", "--casos", str(data), "--validar", "uno", "--revisor"]


@pytest.mark.lento
def test_an_adjudication_says_before_how_often_the_passphrase_is_asked_for_and_each_time_what_for(
    tmp_path: Path, locked_key: Path
) -> None:
    """What was decided, the correction, the signature: three lines of the record, each signed."""
    data, order = disputed(tmp_path / "dos")
    opinion = ["--adjudicar", "--derivacion", "no", "--clave", str(locked_key)]
    code, shown = at_a_terminal([*order, "Eva", *opinion], [f"{PASSPHRASE}\n"] * 3, data.parent)
    assert code == 0, shown
    told = [" ".join(part.split()) for part in re.split("nter passphrase", shown)]
    assert len(told) == 4
    assert "la pedirá 3 veces" in told[0]
    assert f"ssh-add -t 5m {shlex.quote(str(locked_key))}" in told[0]
    assert "Falta corregir el caso" in told[1]
    assert "Falta la firma del caso" in told[2]
    assert "Firmado: uno" in told[3]
    entries = take_snapshot(data).record.entries
    assert [str(entry.kind) for entry in entries if entry.reviewer == "Eva"] == ["firma", "edita", "firma"]
    assert len(check_keys(entries, None)) == 3


@pytest.mark.lento
def test_a_wrong_passphrase_halfway_says_what_is_saved_and_how_to_finish(
    tmp_path: Path, locked_key: Path
) -> None:
    data, order = disputed(tmp_path / "dos")
    opinion = ["--adjudicar", "--derivacion", "no", "--clave", str(locked_key)]
    code, shown = at_a_terminal([*order, "Eva", *opinion], [f"{PASSPHRASE}\n", "otra cosa\n"], data.parent)
    assert code == 2
    assert "No se ha guardado nada" not in shown, "the decision itself is on the disk"
    assert "Lo decidido está guardado y vale: uno." in shown
    assert "«uno» todavía no está firmado. Para terminarlo: revision --casos" in " ".join(shown.split())
    finish = shown.rpartition("Para terminarlo: revision ")[2].strip()
    code, shown = at_a_terminal(
        [sys.executable, "-m", "reviewer", *shlex.split(finish)], [f"{PASSPHRASE}\n"] * 2, data.parent
    )
    assert (code, "Firmado: uno" in shown) == (0, True), shown
