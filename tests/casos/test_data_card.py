"""The data card tells the truth about the data: every count and every table is compared with the file."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from scoring.engine import analyse

CARD = (resources.files("casos") / "README.md").read_text(encoding="utf-8")
CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (resources.files("casos") / "casos.jsonl").read_text(encoding="utf-8").splitlines()
]
SCHEMA = json.loads((resources.files("casos") / "caso.schema.json").read_text(encoding="utf-8"))


def table(header: str) -> list[list[str]]:
    """The rows of the table whose header line starts so, cell texts without backquotes and asterisks."""
    lines = CARD.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(f"| {header} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip().strip("`*") for cell in line.strip("|").split("|")])
    return rows


def count(**wanted: object) -> int:
    return sum(all(case[key] == value for key, value in wanted.items()) for case in CASES)


def test_the_card_opens_by_saying_that_the_set_is_synthetic_and_nobody_signed_it() -> None:
    opening = CARD[:400]
    assert "sintéticos" in opening
    assert "nadie los ha firmado" in opening


def test_the_counts_by_batch_split_and_state_equal_the_data() -> None:
    rows = table("Tanda")
    assert [row[0] for row in rows] == ["semilla", "2026-07", "2026-08-03", "Total"]
    for name, *figures in rows:
        batch = {} if name == "Total" else {"tanda": name}
        assert [int(figure) for figure in figures] == [
            count(**batch),
            count(**batch, validado=True),
            count(**batch, validado=False),
            count(**batch, split="dev", validado=True),
            count(**batch, split="dev", validado=False),
            count(**batch, split="test", validado=True),
            count(**batch, split="test", validado=False),
        ], name


def test_the_counts_by_species_equal_the_data() -> None:
    species = [case["paciente"]["especie"] for case in CASES]
    assert {name: int(figure) for name, figure in table("Especie")} == {
        name: species.count(name) for name in set(species)
    }


def test_the_example_signatures_are_named_with_their_dates() -> None:
    for case in CASES:
        if case["validado"]:
            assert f"`{case['revisor']}` ({case['fecha_validacion']})" in CARD


def test_every_field_of_the_cases_is_in_the_table_of_fields() -> None:
    told = {part.strip().strip("`") for row in table("Campo") for part in row[0].split(",")}
    fields = set(SCHEMA["properties"]) - {"esperado"}
    fields |= {f"esperado.{name}" for name in SCHEMA["properties"]["esperado"]["properties"]}
    assert told == fields


def test_every_flagged_analyte_is_a_key_finding_or_is_left_out_with_a_reason() -> None:
    told = {case_id: {key.strip() for key in keys.split(",")} for case_id, keys, _ in table_of_omissions()}
    assert all(reason for _, _, reason in table_of_omissions())
    for case in CASES:
        flagged = {finding.clave for finding in analyse(case["valores"], case["paciente"]).findings}
        omitted = flagged - set(case["esperado"]["hallazgos_clave"])
        assert omitted == told.get(case["id"], set()), case["id"]


def table_of_omissions() -> list[list[str]]:
    return table("Caso | Analitos | Motivo")


def test_every_case_has_one_reference_and_every_abbreviation_is_resolved() -> None:
    rows = table("Caso | Referencia")
    assert [row[0] for row in rows] == [case["id"] for case in CASES]
    resolved = {
        line[4 : line.index("**:")] for line in CARD.splitlines() if line.startswith("- **") and "**:" in line
    }
    for case_id, reference in rows:
        assert reference, case_id
        for part in reference.split(";"):
            first = part.strip().split(",")[0].split(" ")[0]
            if first.isupper() and len(first) <= 4:
                assert first in resolved, (case_id, first)


def test_the_faulty_examples_are_named_and_none_belongs_to_the_reserved_split() -> None:
    by_id = {case["id"]: case for case in CASES}
    rows = table("Caso | Qué falla")
    assert len(rows) >= 10
    assert {by_id[case_id]["split"] for case_id, _ in rows} == {"dev"}


def test_the_figures_told_of_single_cases_are_those_of_the_data() -> None:
    by_id = {case["id"]: case for case in CASES}
    for case_id, key, text in (
        ("erc-canino-sdma-discordante", "creat", "1.6 mg/dL"),
        ("erc-canino-sdma-discordante", "sdma", "24 μg/dL"),
        ("cardiomiopatia-hipertrofica-felino", "creat", "2.3 mg/dL"),
        ("derivacion-portosistemica-canino", "fal", "310 U/L"),
    ):
        assert text.split(" ")[0] == str(by_id[case_id]["valores"][key])
        assert text in CARD
