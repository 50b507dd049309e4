"""Small builders of JSONL files for the tests of this folder."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

DIGEST = "sha256:" + "0" * 64
OTHER = "sha256:" + "1" * 64
TYPES = ("text", "categorical", "number", "boolean")


def gold_row(case: str, field: str, kind: str, value: Any) -> dict[str, Any]:
    return {"case_id": case, "field_id": field, "field_type": kind, "value": value}


def output_row(case: str, field: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"case_id": case, "field_id": field, "value": value, **more}


def chain(field: str, **changes: Any) -> dict[str, Any]:
    return {
        "field_id": field,
        "source_locations": [
            {"source_digest": DIGEST, "start_offset": 0, "end_offset": 5, "kind": "clinical_record"}
        ],
        "normalized_fact_digest": DIGEST,
        "transformation_kind": "model",
        "transformation_digest": DIGEST,
        "uncertainty": 0.5,
        "reviewer_state": "approved",
        **changes,
    }


def write(path: Path, rows: Iterable[Any], end: str = "\n") -> Path:
    """JSONL; a text among the rows is written as it is."""
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_bytes("".join(line + end for line in lines).encode("utf-8", "surrogatepass"))
    return path


def sample(cases: int, fields: int, seed: int = 1, *, odd: bool = True) -> tuple[list[Any], list[Any]]:
    """Gold and shuffled outputs of every sort, all of them legal.

    With ``odd`` some texts look like keys, so that their lines are read strictly.
    """
    texts = ("renal", 'a ":" b', "\\u0061", "hepático") if odd else ("renal", "hepático")
    chance = random.Random(seed)
    gold, outputs = [], []
    for number in range(cases):
        for index in range(fields):
            case, field, kind = f"caso {number} ñ", f"s.f{index}", TYPES[index % 4]
            value: Any = {
                "text": "Síndrome " + chance.choice(texts),
                "categorical": chance.choice(("a", "b")),
                "number": chance.choice((1, 1.0, 2**70, -0.5, "1e3")),
                "boolean": chance.random() < 0.5,
            }[kind]
            gold.append(gold_row(case, field, kind, None if chance.random() < 0.1 else value))
            if chance.random() < 0.1:
                continue
            said: Any = chance.choice((value, value, str(value).upper(), None, 7))
            row = output_row(case, field, said)
            if chance.random() < 0.4:
                row["normalized_fact_digest"] = chance.choice((None, DIGEST, OTHER))
            if chance.random() < 0.4:
                row["evidence_chain"] = chance.choice(
                    (None, chain(field), chain("s.f0"), chain(field, source_locations=[]))
                )
            outputs.append(row)
    chance.shuffle(outputs)
    return gold, outputs
