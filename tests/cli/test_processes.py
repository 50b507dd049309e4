"""What the tests call in their own process is what a process of its own answers."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.cli.processes import REVISION, RUN_EVALS, called, started
from tests.support import make_case, signed, write_cases

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    here = tmp_path / "trabajo"
    here.mkdir()
    write_cases(here / "casos.jsonl", signed(make_case("uno")), make_case("dos"))
    (here / "umbrales.toml").write_text("minimo_casos = 1\n", "utf-8")
    return here


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        (REVISION, ["--estado", "--casos", "casos.jsonl"]),
        (REVISION, ["--validar", "dos", "--revisor", "Ana Ruiz", "--casos", "casos.jsonl"]),
        (
            REVISION,
            ["--validar", "tres", "--revisor", "Ana Ruiz", "--casos", "casos.jsonl", "--idioma", "en"],
        ),
        (RUN_EVALS, ["--simular", "--casos", "casos.jsonl", "--informe", "informe.json"]),
        (RUN_EVALS, ["--simulado"]),
    ],
)
def test_called_or_started_a_command_answers_and_writes_the_same(
    folder: Path, module: str, arguments: list[str]
) -> None:
    before = folder.with_name("antes")
    shutil.copytree(folder, before)
    here = called(module, arguments, cwd=folder, env={})
    names = {path.name for path in folder.iterdir()}
    shutil.rmtree(folder)
    before.rename(folder)
    assert started(module, arguments, cwd=folder, env={}) == here
    assert {path.name for path in folder.iterdir()} == names
