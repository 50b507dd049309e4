"""Runs the commands from their arguments to their streams and exit code, in a folder of their own.

A command is called in this process, which spares starting an interpreter and loading everything for each
question, or as a process of its own where that is what is asked about. ``test_processes.py`` holds both
against one another.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING
from unittest import mock

from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

REVISION, RUN_EVALS, RUN_RAGAS = "reviewer.cli", "scoring.cli.run_evals", "scoring.cli.run_ragas"
# What the interpreter reads when it starts.
_OF_THE_START = ("PYTHON", "LC_", "LANG", "TZ")


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


@contextlib.contextmanager
def standing_in(folder: Path) -> Iterator[None]:
    """The current folder is ``folder``; the one before may be gone already."""
    try:
        back = os.getcwd()  # noqa: PTH109 - Path.cwd() would say the same
    except FileNotFoundError:
        back = os.sep
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(back)


def called(module: str, arguments: Sequence[object], *, cwd: Path, env: Mapping[str, str]) -> Done:
    """``main`` of ``module`` as if it were alone: own streams, folder, environment, language and no stdin."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        open(os.devnull, encoding="utf-8") as nothing,  # noqa: PTH123 - no path of a file
        standing_in(cwd),
        mock.patch.dict(os.environ, env),
        mock.patch.multiple(sys, stdin=nothing, stdout=out, stderr=err),
    ):
        messages.set_language("es")
        try:
            code = import_module(module).main([str(argument) for argument in arguments])
        finally:
            messages.set_language("es")
        out.flush()
        err.flush()
    told = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return Done(code, *told)


def started(module: str, arguments: Sequence[object], *, cwd: Path, env: Mapping[str, str]) -> Done:
    """The same as a process of its own."""
    program = {REVISION: "reviewer"}.get(module, module)
    done = subprocess.run(
        [sys.executable, "-m", program, *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **env},
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def run(module: str, arguments: Sequence[object], *, cwd: Path, env: Mapping[str, str]) -> Done:
    """The command from beginning to end; no traceback is ever shown."""
    alone = any(name.startswith(_OF_THE_START) for name in env)
    done = (started if alone else called)(module, arguments, cwd=cwd, env=env)
    assert "Traceback" not in done.err, done.err
    return done


def run_evals(*arguments: object, cwd: Path, env: Mapping[str, str] | None = None) -> Done:
    """``run-evals`` with ``arguments`` in ``cwd``; ``env`` adds to the environment of the test."""
    return run(RUN_EVALS, arguments, cwd=cwd, env=env or {})


def revision(*arguments: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """``revision`` with ``arguments`` in ``cwd``."""
    done = run(REVISION, arguments, cwd=cwd, env=environment)
    return subprocess.CompletedProcess(["revision"], done.code, done.out, done.err)
