"""Keys with a passphrase: the agent, and a person at a terminal."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reviewer.keys import check_keys
from scoring.record import take_snapshot
from scoring.record.key_checks import KeyState
from tests.reviewer.keys_support import PASSPHRASE, check, folder_of, sign, ssh_fingerprint
from tests.support import ROOT

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
