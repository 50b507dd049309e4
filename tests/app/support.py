"""What the tests of the app share: a small data set with predictions, a running app, painted text."""

from __future__ import annotations

import json
import threading
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from reviewer.app.application import ReviewApp
from reviewer.app.gate_board import GateBoard
from reviewer.app.screens.dialog import Dialog
from reviewer.app.screens.main import MainScreen
from reviewer.app.session import Session
from reviewer.app.settings import Settings
from reviewer.store import Dataset
from scoring.clinical.calibration_state import NEVER
from scoring.clinical.judged import JudgeMetric, JudgePart
from scoring.judges.aggregate import judge_thresholds
from tests.support import make_case, signed, write_cases

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from textual.app import App
    from textual.pilot import Pilot

MOMENT = datetime(2026, 8, 5, 10, 30, tzinfo=UTC)
PROSE = (
    "Anemia por ferropenia: hematocrito y hemoglobina bajos; conviene derivar y buscar hemorragia después."
)
WEAK = "El hematocrito está bajo y no se propone ninguna causa."


def small_set(folder: Path) -> Path:
    """Six cases: three signed (two dev, one test), three pending (two dev, one test).

    The team's own thresholds let so few cases have a verdict.
    """
    any_number_of_cases(folder)
    return write_cases(
        folder / "casos.jsonl",
        signed(make_case("firmado-uno")),
        signed(make_case("firmado-dos")),
        signed(make_case("firmado-test", split="test")),
        make_case("pendiente-bueno"),
        make_case("pendiente-flojo"),
        make_case("pendiente-test", split="test"),
    )


def any_number_of_cases(folder: Path) -> None:
    """The team's thresholds for the data sets in ``folder``: the shipped ones, without a least number."""
    (folder / "umbrales.toml").write_text("minimo_casos = 1\n", encoding="utf-8")


def prediction(case_id: str, prose: str = PROSE, *, refers: bool = True) -> dict[str, Any]:
    return {"id": case_id, "interpretacion": {"interpretacion": prose, "requiere_derivacion": refers}}


def small_predictions(folder: Path) -> Path:
    """Good outputs for all but ``pendiente-flojo``, which misses the diagnosis and one of two findings."""
    path = folder / "salidas.jsonl"
    ids = ("firmado-uno", "firmado-dos", "firmado-test", "pendiente-bueno", "pendiente-test")
    rows = [prediction(case_id) for case_id in ids]
    rows.append(prediction("pendiente-flojo", WEAK))
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def session_on(cases: Path, predictions: Path | None = None, reviewer: str | None = "Ana Ruiz") -> Session:
    session = Session.open(Settings(cases, predictions, reviewer))
    session.clock = lambda: MOMENT
    return session


@asynccontextmanager
async def running(
    session: Session, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[ReviewApp, Pilot[None]]]:
    """The app, painted once, with its gate loaded; toasts and tooltips are shown as a person sees them."""
    app = ReviewApp(session)
    async with app.run_test(size=size, notifications=True, tooltips=True) as pilot:
        await until(pilot, lambda: app.gate.stage.value != "working")
        await pilot.pause()
        yield app, pilot


async def until(pilot: Pilot[None], condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for a condition, not for a time."""
    for _ in range(int(seconds / 0.02)):
        if condition():
            await pilot.pause()
            return
        await pilot.pause(0.02)
    raise AssertionError(f"the condition never came true; painted:\n{painted(pilot.app)}")


def reading() -> bool:
    """A step is under way off the event loop, and what it finds will be shown."""
    return any(thread.name == "revision-lectura" for thread in threading.enumerate())


def painted(app: App[Any]) -> str:
    """The text of the screen as it was painted, line by line."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


def words(app: App[Any]) -> str:
    """What is painted, as running text."""
    return " ".join(painted(app).replace("│", " ").split())


def toasts(app: App[Any]) -> str:
    """Every toast, as running text."""
    return " ".join(" ".join(note.message for note in app._notifications).split())


def dialog_text(app: App[Any]) -> str:
    """What the dialog in front says, as running text; how its lines break does not matter."""
    screen = app.screen
    assert isinstance(screen, Dialog)
    return " ".join(" ".join(line.plain for line in screen._lines).split())


def main_screen(app: ReviewApp) -> MainScreen:
    screen = app.screen_stack[0]
    assert isinstance(screen, MainScreen)
    return screen


def picture_set(folder: Path) -> Path:
    """Eight invented cases with the variety a reviewer meets; for the pictures."""
    any_number_of_cases(folder)
    renal = make_case(
        "erc-canino-senior",
        descripcion="Azotemia en un perro mayor con pérdida de peso",
        tanda="2026-08",
        origen="sintetico",
        paciente={"especie": "canino", "raza": "Mestizo", "edad_meses": 128, "sexo": "Hembra esterilizada"},
        valores={"creat": 3.1, "bun": 74, "sdma": 31, "fosf": 7.2, "potasio": 4.4, "usg": 1.012, "hct": 33},
        signos_clinicos="Bebe y orina más desde hace dos meses; ha perdido peso y vomita por la mañana.",
    )
    renal["esperado"] |= {
        "hallazgos_clave": ["creat", "bun", "sdma", "fosf", "usg", "hct"],
        "diferenciales_aceptables": ["enfermedad renal crónica", "insuficiencia renal crónica"],
    }
    unread = make_case(
        "valores-dudosos-felino",
        descripcion="Gato con valores que no se han podido leer bien",
        tanda="2026-08",
        split="test",
        paciente={"especie": "felino", "raza": None, "edad_meses": 30, "sexo": "Macho"},
        valores={"hct": "24,5", "alt": "90 [H]", "glucosa": 120},
    )
    faulty = make_case("sin-derivacion", descripcion="A este borrador le falta un campo", tanda="2026-08")
    del faulty["esperado"]["requiere_derivacion"]
    return write_cases(
        folder / "casos.jsonl",
        signed(make_case("anemia-ferropenica-canino", tanda="semilla")),
        signed(make_case("anemia-hemolitica-canino", tanda="semilla")),
        signed(make_case("normal-felino", tanda="semilla", split="test")),
        renal,
        make_case("hemorragia-cronica-canino", tanda="2026-07"),
        unread,
        faulty,
        make_case("parasitosis-canino", tanda="2026-08"),
    )


def picture_predictions(folder: Path) -> Path:
    """Outputs for the pictures: the renal case lacks its diagnosis."""
    ids = (
        "anemia-ferropenica-canino",
        "anemia-hemolitica-canino",
        "normal-felino",
        "hemorragia-cronica-canino",
    )
    rows = [prediction(case_id) for case_id in (*ids, "valores-dudosos-felino", "parasitosis-canino")]
    rows.append(prediction("erc-canino-senior", "La creatinina y la urea están altas.", refers=False))
    path = folder / "salidas.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def picture_reports(folder: Path) -> None:
    """Three earlier runs on the picture set, the last one with a judge; for the pictures."""
    earlier = folder / "antes.jsonl"
    dataset = Dataset.open(folder / "casos.jsonl")
    names = ("anemia-ferropenica-canino", "anemia-hemolitica-canino")
    for day, weak in ((1, names), (2, names[:1]), (3, names[:1])):
        rows = [prediction(name, WEAK if name in weak else PROSE) for name in names]
        earlier.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        board = GateBoard(earlier)
        board.load(dataset)
        assert board.dev is not None
        report = replace(board.dev, generator=f"modelo:v{day}")
        if day == 3:
            report = replace(report, judge=_picture_judge())
        path = folder / "informes" / f"v{day}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(report.to_json(generated=datetime(2026, 8, day, 9, 15, tzinfo=UTC)))


def _picture_judge() -> JudgePart:
    """Five figures by hand; one case without a judgement."""
    scores = {"correccion_diferenciales": 62, "hedging_apropiado": 80, "seguridad": 95, "completitud": 71}
    limits = {limit.metric: limit for limit in judge_thresholds()}
    metrics = [
        JudgeMetric(
            f"juez_{name}",
            Fraction(score, 100),
            1,
            is_count=False,
            threshold=limits[f"juez_{name}"],
            passes=limits[f"juez_{name}"].met_by(Fraction(score, 100)),
        )
        for name, score in scores.items()
    ]
    gaps = limits["casos_no_juzgados"]
    metrics.append(
        JudgeMetric("casos_no_juzgados", Fraction(1), 2, is_count=True, threshold=gaps, passes=False)
    )
    return JudgePart(
        name="ollama:qwen2.5:7b",
        destination="http://127.0.0.1:11434",
        calibration=NEVER,
        metrics=tuple(metrics),
        judged=1,
        judgeable=2,
        unjudged=("anemia-hemolitica-canino",),
        reasons={"too_slow": 1},
    )


def loaded(cases: Path, outputs: Path | None) -> tuple[GateBoard, Dataset]:
    """The gate over a data set, with its outputs read."""
    dataset = Dataset.open(cases)
    board = GateBoard(outputs)
    board.load(dataset)
    return board, dataset
