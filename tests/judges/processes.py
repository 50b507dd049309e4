"""``run-evals`` and ``run-ragas`` with the servers of the test and nothing else; as processes to interrupt them."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.cli.processes import Done
from tests.cli.processes import run as called

if TYPE_CHECKING:
    from pathlib import Path


def environment(url: str | None = None, **changes: str) -> dict[str, str]:
    """Quick retries; the judge's server is ``url``, or a port nobody listens on."""
    own = {
        "REVISION_JUEZ_URL": url if url is not None else "http://127.0.0.1:9",
        "REVISION_JUEZ_ESPERA": "0.01",
        "REVISION_MODELO_ESPERA": "0.01",
    }
    return own | changes


def start(module: str, *arguments: object, cwd: Path, env: dict[str, str]) -> subprocess.Popen[bytes]:
    """The command under way."""
    return subprocess.Popen(
        [sys.executable, "-m", f"scoring.cli.{module}", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def finish(process: subprocess.Popen[bytes], seconds: float = 60) -> Done:
    """What it came to; no traceback is ever shown."""
    out, err = process.communicate(timeout=seconds)
    assert b"Traceback" not in err, err.decode()
    return Done(process.returncode, out.decode(), err.decode())


def run(module: str, *arguments: object, cwd: Path, url: str | None = None, **changes: str) -> Done:
    """The command from beginning to end."""
    return called(f"scoring.cli.{module}", arguments, cwd=cwd, env=environment(url, **changes))
