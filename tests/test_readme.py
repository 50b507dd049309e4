"""What the README shows is what the program does."""

from __future__ import annotations

import itertools
import re
import shlex
import shutil
from typing import TYPE_CHECKING

import pytest

from reviewer.app.application import ReviewApp
from reviewer.app.session import Session
from reviewer.app.settings import Settings
from reviewer.cli import EXAMPLES, build_parser
from scoring.cases import load_cases
from scoring.sources import PREDICTIONS_NAME, shipped_path
from tests.app.support import painted, running, until
from tests.support import ROOT

if TYPE_CHECKING:
    from pathlib import Path

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
COMMANDS = [line for kind, body in BLOCKS if kind == "bash" for line in body.splitlines() if line.strip()]


def test_two_lines_do_all_the_setting_up() -> None:
    set_up = [line for line in COMMANDS if "venv" in line]
    assert len(set_up) == 2
    assert COMMANDS[:2] == set_up, "they come first"
    for line in set_up:
        assert line.startswith("python3 -m venv .venv && .venv/bin/python -m pip install ")
        assert "activate" not in line
    assert set_up[0].endswith(".venv/bin/revision")
    assert "pytest" in set_up[1]


def test_the_readme_fits_a_newcomer() -> None:
    assert len(README.splitlines()) < 130


@pytest.mark.parametrize("line", [c for c in COMMANDS if c.startswith("revision ")])
def test_every_option_it_shows_exists(line: str) -> None:
    build_parser().parse(shlex.split(line, comments=True)[1:])


def test_the_cases_it_signs_are_in_the_set_that_ships() -> None:
    known = {case.case.id for case in load_cases(shipped_path()).rows}
    for line in (*COMMANDS, *EXAMPLES):
        words = shlex.split(line, comments=True)
        for order in ("--validar", "--retirar", "--devolver", "--historial"):
            if order in words and "--casos" not in words:
                after = itertools.takewhile(
                    lambda word: not word.startswith("--"), words[words.index(order) + 1 :]
                )
                assert set(after) <= known, line


@pytest.mark.parametrize("target", re.findall(r"\]\(([^)#:]+)\)", README))
def test_every_file_it_points_to_is_there(target: str) -> None:
    assert (ROOT / target).exists()


async def test_the_sample_screen_is_what_the_app_paints(tmp_path: Path) -> None:
    cases = tmp_path / "casos.jsonl"
    shutil.copyfile(shipped_path(), cases)
    session = Session.open(Settings(cases, shipped_path(PREDICTIONS_NAME)))
    async with running(session, size=(108, 26)) as (app, pilot):
        assert isinstance(app, ReviewApp)
        await pilot.press("down", "down")
        await until(pilot, lambda: "Ratonero Bodeguero" in painted(app))
        shown = "\n".join(line.rstrip() for line in painted(app).splitlines())
    (sample,) = [body for kind, body in BLOCKS if kind == "text"]
    assert sample.rstrip("\n") == shown.rstrip("\n"), shown
