"""``--informe-abstraccion``: which report of chart abstraction is shown, and its table without a terminal."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.abstraction_report import ReportFiles, ReportState, follow
from scoring import messages
from scoring.cli import console
from scoring.errors import ExitCode, UsageError
from scoring.plain import plain
from scoring.sources import configured

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

_NAMES = ("informe_abstraccion", "minimos_abstraccion", "comparar_abstraccion")
VARIABLES = tuple(f"REVISION_{name.upper()}" for name in _NAMES)
_PAIRS = tuple(zip(_NAMES, VARIABLES, strict=True))


def report_files(options: argparse.Namespace, env: Mapping[str, str], cwd: Path) -> ReportFiles:
    """The report, its bounds and the earlier one: each by its option, its variable, or ``revision.toml``.

    Args:
        options: the command line; ``--informe-abstraccion``, ``--minimos-abstraccion`` and
            ``--comparar-abstraccion`` or None.
        env: the environment; an empty variable counts as absent.
        cwd: the folder in which ``revision.toml`` is looked for; its keys are named as the options.

    Raises:
        UsageError: ``revision.toml`` cannot be read or a key of it is no text.
    """
    return ReportFiles(
        *(_named(getattr(options, name), env.get(variable, ""), name, cwd) for name, variable in _PAIRS)
    )


def _named(option: Path | None, variable: str, key: str, cwd: Path) -> Path | None:
    if option is not None:
        return option
    return Path(variable.strip()) if variable.strip() else configured(cwd, key)


def require(options: argparse.Namespace) -> ReportState:
    """What the files say that the command line names, before anything is painted.

    Raises:
        UsageError: bounds or an earlier report without a report; a file that cannot be read.
        DataError: a report that is none.
    """
    files = report_files(options, os.environ, Path.cwd())
    if files.report is None:
        for name in _NAMES[1:]:
            if getattr(options, name) is not None:
                raise UsageError("informe.needs_report", option=f"--{name.replace('_', '-')}")
    state = follow(files, ReportState(), datetime.now().astimezone())
    if state.troubles:
        raise state.troubles[0]
    return state


def print_table(options: argparse.Namespace) -> int:
    """The dashboard as lines on stdout; always 0: it shows, and ``run-abstraction --minimos`` judges.

    Raises:
        UsageError: a file cannot be read.
        DataError: a report that is none.
    """
    from reviewer.abstraction_board import AbstractionBoard
    from reviewer.abstraction_table import table_lines

    board = AbstractionBoard(report_files(options, os.environ, Path.cwd()))
    board.adopt(require(options))
    console.talk(messages.text("informe.how_to_open"))
    for line in table_lines(board):
        if console.reader_gone():
            break
        console.out(plain(line))
    return ExitCode.OK
