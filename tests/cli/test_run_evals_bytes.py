"""Same input, same bytes: whatever the order of the predictions, the hash seed, the locale or the folder."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest

from tests.cli.processes import run_evals
from tests.clinical.samples import case, good_output, line, pending, write

if TYPE_CHECKING:
    from pathlib import Path

KEYS = ("creat", "bun", "sdma", "fosf", "calc", "alb", "hct")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    here = tmp_path / "trabajo"
    here.mkdir()
    cases = [
        (case if n % 3 else pending)(f"c{n}", hallazgos_clave=list(KEYS[: n % 7 + 1]), split=split)
        for n, split in enumerate(["dev", "test", "dev"] * 5)
    ]
    write(here / "casos.jsonl", *cases)
    return here


def canonical(folder: Path, order: int, env: dict[str, str]) -> tuple[str, dict[str, object]]:
    rows = [line(f"c{n}", {**good_output(), "interpretacion": f"urea {n} á"}) for n in range(14)]
    random.Random(order).shuffle(rows)
    write(folder / "salidas.jsonl", *rows)
    cases = (folder / "casos.jsonl").read_text("utf-8").splitlines()
    random.Random(order).shuffle(cases)
    write(folder / "casos.jsonl", *cases)
    done = run_evals(
        "--casos",
        "casos.jsonl",
        "--predicciones",
        "salidas.jsonl",
        "--split",
        "todos",
        "--informe",
        "informe.json",
        cwd=folder,
        env=env,
    )
    raw = (folder / "informe.json").read_text(encoding="utf-8")
    head, found, tail = raw.partition(',\n  "generado": ')
    assert found
    assert tail.count("\n") == 2
    return head + done.out, json.loads(raw)


def test_the_report_and_the_text_do_not_depend_on_order_seed_locale_or_time_zone(folder: Path) -> None:
    first, _ = canonical(folder, 1, {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "UTC"})
    for order, env in (
        (2, {"PYTHONHASHSEED": "2", "LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo"}),
        (3, {"PYTHONHASHSEED": "3", "LC_ALL": "tr_TR.UTF-8", "LANG": "es_ES.UTF-8"}),
    ):
        again, _ = canonical(folder, order, env)
        assert again == first


def test_the_time_of_writing_is_utc_in_a_field_of_its_own(folder: Path) -> None:
    _, report = canonical(folder, 1, {"TZ": "Asia/Tokyo"})
    assert str(report["generado"]).endswith("+00:00")
