"""An id out of a file gives the runner of a CI service no command."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from scoring.cli import console
from tests.clinical.samples import case, line, write
from tests.judges.processes import run

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "::stop-commands::x"


@pytest.mark.parametrize("runner", ["GITHUB_ACTIONS", "TF_BUILD"])
def test_no_line_under_a_runner_is_a_command(
    runner: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(runner, "true")
    console.out(f"{HOSTILE}\n  {HOSTILE}\nel caso ##[error]x y ##VSO[task.setvariable]z\nNota: :: queda")
    console.talk(HOSTILE)
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        f"· {HOSTILE}",
        f"  · {HOSTILE}",
        "el caso ## [error]x y ## VSO[task.setvariable]z",
        "Nota: :: queda",
    ]
    assert said.err == f"· {HOSTILE}\n"


def test_json_under_a_runner_means_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    console.out_json({"id": "a##[error]b"})
    said = capsys.readouterr().out
    assert "##[" not in said
    assert json.loads(said) == {"id": "a##[error]b"}


def test_elsewhere_a_text_stays_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for runner in ("GITHUB_ACTIONS", "TF_BUILD"):
        monkeypatch.delenv(runner, raising=False)
    console.out(f"{HOSTILE} ##[error]")
    assert capsys.readouterr().out == f"{HOSTILE} ##[error]\n"


def test_a_gate_tells_of_a_hostile_id_without_obeying_it(tmp_path: Path) -> None:
    write(tmp_path / "casos.jsonl", *[case(f"c{n}") for n in range(6)], case(HOSTILE))
    write(tmp_path / "salidas.jsonl", *[line(f"c{n}") for n in range(6)])
    arguments = ("--casos", "casos.jsonl", "--predicciones", "salidas.jsonl", "--juez", "ninguno")
    done = run("run_evals", *arguments, cwd=tmp_path, GITHUB_ACTIONS="true")
    lines = [*done.out.splitlines(), *done.err.splitlines()]
    assert any(HOSTILE in one for one in lines)
    assert not any(one.lstrip().startswith("::") for one in lines)
    annotated = run("run_evals", *arguments, "--formato", "github", cwd=tmp_path, GITHUB_ACTIONS="true")
    assert any(one.startswith("::error") for one in annotated.out.splitlines())
