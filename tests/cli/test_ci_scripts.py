"""What ``docs`` offers to CI systems is run as it stands there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.clinical.samples import case, good_output, line, write

ROOT = Path(__file__).resolve().parents[2]
ACTION = ROOT / "docs" / "github-action"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six signed cases with good outputs, in a folder with a blank and a quote in its name."""
    here = tmp_path / "una 'carpeta'"
    here.mkdir()
    write(here / "casos.jsonl", *(case(f"c{n}") for n in range(6)))
    write(here / "salidas.jsonl", *(line(f"c{n}") for n in range(6)))
    (here / "bin").mkdir()
    tool = here / "bin" / "run-evals"
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m scoring.cli.run_evals "$@"\n', encoding="utf-8")
    tool.chmod(0o755)
    return here


def script(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    env = {
        **os.environ,
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "GITHUB_OUTPUT": str(folder / "output.txt"),
        "PUERTA_CASOS": "casos.jsonl",
        "PUERTA_PREDICCIONES": "salidas.jsonl",
        **variables,
    }
    return subprocess.run(
        [ACTION / "puerta.sh"], cwd=folder, env=env, capture_output=True, text=True, timeout=90, check=False
    )


def test_the_actions_script_passes_with_annotations_summary_and_files(folder: Path) -> None:
    done = script(folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("::notice title=Puerta de despliegue (dev)::LA PUERTA PASA")
    assert (folder / "summary.md").read_text(encoding="utf-8").startswith("## ✅")
    assert (folder / "output.txt").read_text(encoding="utf-8") == "veredicto=pasa\n"
    assert ET.parse(folder / "puerta" / "puerta.xml").getroot().get("failures") == "0"
    assert (folder / "puerta" / "puerta.html").exists()


def test_the_actions_script_fails_with_the_gate_and_compares(folder: Path) -> None:
    script(folder)
    (folder / "puerta" / "informe.json").rename(folder / "antes.json")
    write(
        folder / "salidas.jsonl", *(line(f"c{n}", good_output(requiere_derivacion=n > 0)) for n in range(6))
    )
    done = script(folder, PUERTA_COMPARAR="antes.json")
    assert done.returncode == 1
    assert "::error " in done.stdout
    report = json.loads((folder / "puerta" / "informe.json").read_text(encoding="utf-8"))
    assert (report["veredicto"], report["comparacion"]["veredicto"]) == ("falla", "peor")
    assert (folder / "output.txt").read_text(encoding="utf-8").splitlines()[-1] == "veredicto=falla"


def test_the_actions_script_leaves_no_earlier_verdict_when_the_run_is_refused(folder: Path) -> None:
    script(folder)
    (folder / "salidas.jsonl").write_text('{"id": "c0", "inter', encoding="utf-8")
    done = script(folder)
    assert done.returncode == 3
    # A reader of the JUnit file would have seen the earlier pass.
    assert list((folder / "puerta").iterdir()) == []
    assert (folder / "output.txt").read_text(encoding="utf-8").splitlines()[-1] == "veredicto="


def test_the_actions_script_compares_with_the_report_of_its_own_last_run(folder: Path) -> None:
    script(folder)
    done = script(folder, PUERTA_COMPARAR="puerta/informe.json")
    assert done.returncode == 0, done.stderr
    report = json.loads((folder / "puerta" / "informe.json").read_text(encoding="utf-8"))
    assert report["comparacion"]["mismas_salidas"] is True


def test_an_input_is_never_text_of_the_script(folder: Path) -> None:
    done = script(folder, PUERTA_CASOS='$(touch dentro) "; touch dentro; #')
    assert done.returncode == 2
    assert not (folder / "dentro").exists()
    action = (ACTION / "action.yml").read_text(encoding="utf-8")
    run = re.findall(r"^\s+run: (.*)$", action, re.MULTILINE)
    assert run == ["'\"$GITHUB_ACTION_PATH/puerta.sh\"'"]


def test_the_hook_that_is_shown_runs(folder: Path) -> None:
    text = (ROOT / "docs" / "pre-commit.md").read_text(encoding="utf-8")
    entry = re.search(r"entry: (.*)", text)
    pattern = re.search(r"files: (.*)", text)
    assert entry is not None
    assert pattern is not None
    for name in ("casos.jsonl", "casos.firmas.jsonl", "salidas.jsonl", "umbrales.toml"):
        assert re.search(pattern[1], name)
    env = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(entry[1].split(), cwd=folder, env=env, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0
