"""What ``docs/gate.md`` shows is what the program prints, and what it lists is what the report has."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scoring.clinical import Verdict, evaluate
from tests.cli.processes import run_evals
from tests.clinical.samples import case, good_output

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
DOCS = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")


def samples() -> Iterator[tuple[str, str, int]]:
    """Each shown run: its arguments, what it is shown to print, the code it is shown to end with."""
    for block in re.findall(r"```console\n(.*?)```", DOCS, re.DOTALL):
        command, _, rest = block.partition("\n")
        printed, _, code = rest.partition("$ echo $?\n")
        yield command.removeprefix("$ run-evals "), printed, int(code)


@pytest.mark.parametrize(("arguments", "printed", "code"), list(samples()), ids=["verdict", "problems"])
def test_a_shown_run_prints_what_is_shown(tmp_path: Path, arguments: str, printed: str, code: int) -> None:
    (tmp_path / "casos").mkdir()
    for name in ("casos.jsonl", "predicciones_ejemplo.jsonl"):
        shutil.copy(ROOT / "casos" / name, tmp_path / "casos" / name)
    for name, content in re.findall(r"```jsonl (\S+)\n(.*?)```", DOCS, re.DOTALL):
        (tmp_path / name).write_text(content, encoding="utf-8")
    done = run_evals(*shlex.split(arguments), cwd=tmp_path)
    assert done.err + done.out == printed
    assert done.code == code


def test_every_field_of_the_report_is_explained() -> None:
    report = evaluate([case("c0", origen="sintetico")], {"c0": good_output()}).to_dict()
    missing = [key for key in (*report, *report["casos"][0], "generado", "aviso") if f"`{key}`" not in DOCS]
    assert [key for key in missing if key not in report["agregado"]] == []
    assert [str(verdict) for verdict in Verdict if f"`{verdict}`" not in DOCS] == []
