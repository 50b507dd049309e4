"""Pictures of adjudication at two sizes. Look at each picture before accepting a new one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from reviewer.app.disagreements.app import DeskApp
from reviewer.app.disagreements.dialog import VerdictDialog
from reviewer.app.widgets.safe_area import SafeTextArea
from scoring.adjudication.entries import Verdict
from tests.abstraction.rows import DIGEST, OTHER, chain, gold_row, output_row, write
from tests.adjudication.support import decide, desk_on, files
from tests.app.support import painted, reading, until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot

    Compare = Callable[..., bool]

SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=lambda s: f"{s[0]}x{s[1]}")
DIAGNOSIS = "Neumonía adquirida en la comunidad, lóbulo inferior derecho"


def picture(folder: Path) -> DeskApp:
    """Invented charts with the variety a clinician meets: one decided, one expired, chains of each sort."""
    gold, outputs = [], []
    for number in range(4):
        case = f"HC-{2041 + number}"
        gold += [
            gold_row(case, "alta.destino", "categorical", "domicilio" if number else None),
            gold_row(case, "analitica.creatinina", "number", 1.2),
            gold_row(case, "diagnostico.principal", "text", DIAGNOSIS),
        ]
        evidence = chain("diagnostico.principal", uncertainty=0.12)
        said = DIAGNOSIS.replace("inferior", "superior") if number % 2 else DIAGNOSIS
        outputs += [
            output_row(case, "alta.destino", "domicilio"),
            output_row(
                case, "analitica.creatinina", "1,2 mg/dl" if number == 1 else None if number == 3 else 1.2
            ),
            output_row(
                case, "diagnostico.principal", said, normalized_fact_digest=DIGEST, evidence_chain=evidence
            ),
        ]
    chains = write(
        folder / "cadenas.jsonl",
        [
            chain("alta.destino", reviewer_state="pending"),
            chain("analitica.creatinina", normalized_fact_digest=OTHER, source_locations=[]),
            chain("diagnostico.principal"),
        ],
    )
    sources = replace(files(folder, gold, outputs), evidence=chains)
    before = desk_on(sources, "Eva Sol")
    decide(
        before, "HC-2041", "alta.destino", Verdict.OUTPUT, "el informe de alta lo dice en la última página"
    )
    decide(before, "HC-2042", "diagnostico.principal", Verdict.BOTH, "la placa no distingue los dos lóbulos")
    write(sources.outputs, [row | {"value": "lóbulo medio"} if row is outputs[5] else row for row in outputs])
    app = DeskApp(desk_on(sources))
    app.animation_level = "none"
    return app


def after(*keys: str, comment: str = "") -> Callable[[Pilot[Any]], Any]:
    async def run(pilot: Pilot[Any]) -> None:
        await pilot.press(*keys)
        if comment:
            await until(
                pilot,
                lambda: (
                    isinstance(pilot.app.screen, VerdictDialog)
                    and isinstance(pilot.app.screen.focused, SafeTextArea)
                ),
            )
            area = pilot.app.screen.query_one(SafeTextArea)
            area.cursor_blink = False
            area.insert(comment)
            await until(pilot, lambda: "Intro lo guarda" in painted(pilot.app))
        await until(pilot, lambda: not reading())

    return run


@SIZES
def test_the_list_with_what_differs(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(picture(tmp_path), run_before=after("3", "end"), terminal_size=size)


@SIZES
def test_an_expired_decision(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(picture(tmp_path), run_before=after("end", "up"), terminal_size=size)


@SIZES
def test_the_comment_of_a_decision(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    typed = after("end", "s", comment="la radiografía informada dice lóbulo superior")
    assert snap_compare(picture(tmp_path), run_before=typed, terminal_size=size)


@SIZES
def test_the_chains(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(picture(tmp_path), run_before=after("e", "down"), terminal_size=size)
