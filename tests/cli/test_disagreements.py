"""``revision --abstraccion`` without a terminal: the status, what is refused, and nothing private."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from reviewer.cli import main
from scoring.adjudication.entries import Verdict
from tests.abstraction.rows import gold_row, output_row, write
from tests.adjudication.support import PRIVATE, WHY, chains_file, decide, desk_on, files
from tests.support import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    Capture = pytest.CaptureFixture[str]


def order(folder: Path, *more: str) -> list[str]:
    return [
        "--abstraccion",
        "--gold",
        str(folder / "gold.jsonl"),
        "--outputs",
        str(folder / "salidas.jsonl"),
        *more,
    ]


def test_without_a_terminal_it_tells_how_far_it_is_and_how_to_open_it(tmp_path: Path, capfd: Capture) -> None:
    sources = files(tmp_path)
    decide(desk_on(sources), "p1", "dx", Verdict.OUTPUT, f"{PRIVATE} lo dice")
    evidence = chains_file(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    assert main(order(tmp_path, "--evidencia", str(evidence), "--revisor", "Ana Ruiz")) == 0
    told = capfd.readouterr().out
    assert "6 desacuerdos en 8 filas de gold (1 sin salida" in told
    assert "decididos 1 · sin decidir 5 · caducados 0" in told
    lines = [" ".join(line.split()) for line in told.splitlines()]
    assert lines.index("edad 0 de 3") < lines.index("dx 1 de 3")  # where most waits comes first
    assert "aprobadas 0 · rechazadas 0 · caducadas 0 · en conflicto 0 · sin decidir 3" in told
    assert "revision --abstraccion --gold" in lines[-1]
    assert "--revisor 'Ana Ruiz'" in lines[-1]
    assert PRIVATE not in told
    assert "p1" not in told
    assert before == {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}


def test_a_broken_record_is_exit_five(tmp_path: Path, capfd: Capture) -> None:
    sources = files(tmp_path)
    decide(desk_on(sources), "p1", "dx", Verdict.OUTPUT)
    sources.record.write_bytes(b"{}\n" + sources.record.read_bytes())
    assert main(order(tmp_path)) == 5
    told = capfd.readouterr().out
    assert "línea 1" in told
    assert "decididos 0" in told


def test_what_is_missing_or_does_not_go_together_is_wrong_usage(tmp_path: Path, capfd: Capture) -> None:
    files(tmp_path)
    gold = str(tmp_path / "gold.jsonl")
    assert main(["--abstraccion"]) == 2
    assert main(["--abstraccion", "--gold", gold]) == 2
    assert main(["--gold", gold, "--outputs", gold]) == 2  # without the order
    assert main(order(tmp_path, "--casos", gold)) == 2
    assert main(order(tmp_path, "--estado")) == 2
    assert main(order(tmp_path, "--json")) == 2
    assert main(order(tmp_path, "--revisor", " ")) == 2
    assert main(order(tmp_path, "--evidencia", str(tmp_path / "no.jsonl"))) == 2
    assert main(order(tmp_path, "--registro", gold)) == 2
    assert "no puede ser el registro" in capfd.readouterr().err
    assert main(["--abstraccion", "--gold", str(tmp_path / "no"), "--outputs", gold]) == 2


def test_faulty_files_are_exit_three_with_their_lines(tmp_path: Path, capfd: Capture) -> None:
    write(tmp_path / "gold.jsonl", [gold_row("a", "b.c", "text", "x"), "{" + PRIVATE])
    write(tmp_path / "salidas.jsonl", [output_row("a", "b.c", "y")])
    assert main(order(tmp_path)) == 3
    told = capfd.readouterr().err
    assert "gold, línea 2 [invalid_json]" in told
    assert PRIVATE not in told


def test_a_record_elsewhere_is_used_when_it_is_named(tmp_path: Path, capfd: Capture) -> None:
    sources = files(tmp_path)
    decide(desk_on(sources), "p1", "dx", Verdict.OUTPUT, WHY)
    other = sources.record.rename(tmp_path / "otro.jsonl")
    assert main(order(tmp_path)) == 0
    assert "decididos 0" in capfd.readouterr().out
    assert main(order(tmp_path, "--registro", str(other))) == 0
    assert "decididos 1" in capfd.readouterr().out


@pytest.mark.lento
def test_the_status_needs_no_textual_and_no_case_data_set(tmp_path: Path) -> None:
    files(tmp_path)
    code = (
        "import sys\nfrom reviewer.cli import main\n"
        "code = main(sys.argv[1:])\n"
        "assert 'textual' not in sys.modules and 'reviewer.app' not in sys.modules\nsys.exit(code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *order(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "REVISION_CASOS": str(tmp_path / "no-existe.jsonl")},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert (done.returncode, done.stderr) == (0, "")
