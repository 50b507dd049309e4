"""Runs the commands as real processes in a folder of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.support import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


def run_evals(*arguments: object, cwd: Path, env: Mapping[str, str] | None = None) -> Done:
    """``run-evals`` with ``arguments`` in ``cwd``; ``env`` adds to the environment of the test."""
    done = subprocess.run(
        [sys.executable, "-m", "scoring.cli.run_evals", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def revision(*arguments: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """``revision`` with ``arguments`` in ``cwd``; ``environment`` adds to that of the test."""
    done = subprocess.run(
        [sys.executable, "-m", "reviewer", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done
