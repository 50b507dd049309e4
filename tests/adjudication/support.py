"""A small private data set with disagreements of every sort, and decisions about it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from reviewer.adjudication.desk import Desk, Sources, read
from reviewer.adjudication.recording import NewDecision
from scoring.adjudication.entries import Kind, Verdict
from scoring.adjudication.record import record_path
from tests.abstraction.rows import DIGEST, OTHER, chain, gold_row, output_row, write

if TYPE_CHECKING:
    from pathlib import Path

    from scoring.adjudication.disagreements import Disagreement
    from scoring.adjudication.record import AdjudicationRecord

PRIVATE = "Doña Privada"
MOMENT = datetime(2026, 8, 5, 10, 30, tzinfo=UTC)
B = "b" * 64
WHY = "el informe de alta dice otra cosa"

# Six disagreements: p1 and p2 in «dx» (text), p1 and p2 in «edad» (number), p3 twice without data.
GOLD = [
    gold_row("p1", "dx", "text", "Neumonía"),
    gold_row("p2", "dx", "text", "HTA"),
    gold_row("p3", "dx", "text", None),
    gold_row("p4", "dx", "text", "Asma"),
    gold_row("p1", "edad", "number", 61),
    gold_row("p2", "edad", "number", 70),
    gold_row("p3", "edad", "number", 5),
    gold_row("p4", "edad", "number", 44),
]
OUTPUTS = [
    output_row("p1", "dx", "neumonia"),  # another word without the accent
    output_row("p2", "dx", "hipertensión"),
    output_row("p3", "dx", "gripe"),  # the chart says nothing
    output_row("p4", "dx", " ASMA "),  # right once normalized
    output_row("p1", "edad", "61 años"),  # no number
    output_row("p2", "edad", 71.0, normalized_fact_digest=DIGEST, evidence_chain=chain("edad")),
    output_row("p3", "edad", None),  # abstained
    # p4 «edad» is missing
]


def files(folder: Path, gold: list[Any] | None = None, outputs: list[Any] | None = None) -> Sources:
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "gold.jsonl", GOLD if gold is None else gold)
    write(folder / "salidas.jsonl", OUTPUTS if outputs is None else outputs)
    return Sources(folder / "gold.jsonl", folder / "salidas.jsonl", record_path(folder / "gold.jsonl"))


def chains_file(folder: Path, *rows: dict[str, Any]) -> Path:
    given = rows or (
        chain("dx", reviewer_state="pending"),
        chain("edad", normalized_fact_digest=OTHER),  # the file claims an approval
        chain("sexo", source_locations=[]),
    )
    return write(folder / "cadenas.jsonl", given)


def desk_on(sources: Sources, reviewer: str = "Ana Ruiz") -> Desk:
    desk = Desk(sources, read(sources), reviewer)
    moments = iter(range(10_000))
    desk.clock = lambda: MOMENT + timedelta(seconds=next(moments))
    return desk


def item_of(desk: Desk, case: str, field: str) -> Disagreement:
    return next(item for item in desk.reading.found.items if item.place == (case, field))


def decide(desk: Desk, case: str, field: str, verdict: Verdict, comment: str = WHY) -> AdjudicationRecord:
    item = item_of(desk, case, field)
    done = desk.decide_row(desk.look(item), verdict, comment)
    desk.recorded(done, item)
    return done.record


def decision(number: int = 0, verdict: Verdict = Verdict.OUTPUT, **changes: object) -> NewDecision:
    """A decision about row ``number`` of an invented set."""
    base = NewDecision(
        kind=Kind.ROW,
        subject=(f"{number:064x}", B),
        case_id=f"caso {number}",
        field_id="a.b",
        verdict=verdict,
        comment=WHY,
        reviewer="Ana Ruiz",
        moment=MOMENT,
    )
    return replace(base, **changes)  # type: ignore[arg-type]
