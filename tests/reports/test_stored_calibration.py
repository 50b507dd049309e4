"""What a stored report says of a judge's calibration is told in the language of whoever reads it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from scoring import messages
from scoring.clinical.calibration_state import (
    NEVER,
    CalibrationState,
    calibrated_on,
    calibrated_otherwise,
)
from scoring.clinical.judged import JudgePart
from scoring.reports.stored import StoredReport, read_any
from tests.reports.support import report, store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

STATES = [
    (NEVER, "Judge not calibrated for these cases: how far it agrees"),
    (calibrated_otherwise("/t/c «1».json"), "The calibration in “/t/c «1».json” is of another judge"),
    (
        calibrated_on(3, "2026-08-04", least=5, enough=False),
        "There are 3 cases and at least 5 are needed: the judge stays uncalibrated.",
    ),
    (
        calibrated_on(1, "2026-08-04", least=5, enough=False),
        "There is one case and at least 5 are needed: the judge stays uncalibrated.",
    ),
    (
        calibrated_on(12, "2026-08-04", least=5, enough=True),
        "Judge calibrated on 12 cases of these data on 2026-08-04.",
    ),
]


@pytest.fixture(autouse=True)
def spanish_again() -> Iterator[None]:
    yield
    messages.set_language("es")


def written(state: CalibrationState) -> dict[str, Any]:
    """A report as a run in Spanish leaves it."""
    part = JudgePart("ollama:m", "http://127.0.0.1:11434", local=True, calibration=state)
    content: dict[str, Any] = json.loads(replace(report(), judge=part).to_json())
    return content


def told(folder: Path, content: dict[str, Any]) -> str:
    """What is shown of that report's calibration in English."""
    messages.set_language("en")
    kept = read_any(store(folder, "a.json", content))
    assert isinstance(kept, StoredReport)
    assert kept.judge is not None
    return kept.judge.calibration.sentence()


@pytest.mark.parametrize(("state", "english"), STATES)
def test_a_report_written_in_spanish_is_told_in_english(
    tmp_path: Path, state: CalibrationState, english: str
) -> None:
    content = written(state)
    assert told(tmp_path, content).startswith(english)
    # and so is one from before the parts were kept
    del content["juez_detalle"]["calibracion_partes"]
    assert told(tmp_path, content).startswith(english)


@pytest.mark.parametrize(
    ("changed", "shown"),
    [
        ({"calibracion_partes": None, "calibracion": "Otra frase."}, "Otra frase."),
        ({"calibracion_partes": {"estado": "inventado"}, "calibracion": "Otra frase."}, "Otra frase."),
        ({"calibracion_partes": {"estado": "calibrado", "casos": "12"}, "calibracion": "x"}, "x"),
        ({"calibrado": False, "calibracion": "x " + "9" * 9000}, "x " + "9" * 9000),
        ({"calibracion_partes": {"estado": "pocos_casos", "casos": 10**30, "minimo": 5}}, None),
        ({"calibracion_partes": {"estado": "calibrado", "casos": 1, "minimo": 0, "fecha": "ayer"}}, None),
        # neither parts nor sentence make a judge calibrated that the report says is not
        ({"calibrado": False}, None),
    ],
)
def test_a_state_that_does_not_hold_together_stays_the_sentence_that_was_stored(
    tmp_path: Path, changed: dict[str, Any], shown: str | None
) -> None:
    content = written(STATES[-1][0])
    content["juez_detalle"] |= changed
    expected = "Juez calibrado con 12 casos de estos datos el 2026-08-04." if shown is None else shown
    assert told(tmp_path, content) == expected
    kept = read_any(tmp_path / "a.json")
    assert isinstance(kept, StoredReport)
    assert kept.judge is not None
    assert not kept.judge.calibration.calibrated
