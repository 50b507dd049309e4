"""The sheet holds all that a vet sees of one case, worked out once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from reviewer.sheet import ReviewSheet, age_text, build_sheet
from reviewer.store import Dataset
from scoring.record import Status
from tests.support import make_case, signed, write_cases

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from scoring.engine import Analysis


def sheet_of(tmp_path: Path, **changes: Any) -> ReviewSheet:
    dataset = Dataset.open(write_cases(tmp_path / "c.jsonl", make_case(**changes)))
    return build_sheet(dataset.entries[0])


@pytest.mark.parametrize(
    ("months", "said"),
    [
        (None, "no consta"),
        (1, "1 mes"),
        (8, "8 meses"),
        (12, "1 año (12 meses)"),
        (54, "4 años y 6 meses (54 meses)"),  # 54 = 4 * 12 + 6
        (25, "2 años y 1 mes (25 meses)"),
        (-3, "-3 meses"),
        (7.5, "7.5 meses"),
    ],
)
def test_age_is_told_in_years_and_months(months: float | None, said: str) -> None:
    assert age_text(months) == said


def test_values_come_in_table_order_with_unit_range_flag_and_severity(tmp_path: Path) -> None:
    sheet = sheet_of(tmp_path, valores={"alt": 45, "hct": 24, "xyz": 3, "bun": None})
    assert [row.key for row in sheet.values] == ["hct", "alt", "xyz"]
    hct, alt, unknown = sheet.values
    # canine hct 37-55 %; 24 is below 30 and not below 20: moderate
    assert (hct.name, hct.value, hct.unit, hct.range) == ("Hematocrito (Hct)", "24", "%", "37–55")
    assert (hct.flag, hct.severity, hct.declared) == ("L", "moderado", True)
    assert (alt.flag, alt.severity, alt.range, alt.judged) == ("", "", "10–120", True)
    assert (unknown.name, unknown.range, unknown.judged) == ("xyz", "", False)
    assert any("xyz" in notice for notice in sheet.notices)


def test_a_range_that_was_moved_says_by_what(tmp_path: Path) -> None:
    patient = {"especie": "canino", "raza": "Galgo", "edad_meses": 90, "sexo": "Macho"}
    (row,) = sheet_of(tmp_path, paciente=patient, valores={"creat": 2.2}).values
    # 1.7 x 1.15 (senior) x 1.15 (greyhound) = 2.24825, shown with six digits
    assert row.range == "0.9–2.24825"
    assert row.moved.count("límite superior ×1.15") == 2
    assert "edad" in row.moved
    assert "raza" in row.moved
    assert row.flag == ""


def test_a_signed_limit_is_not_mistaken_for_a_dash(tmp_path: Path) -> None:
    (row,) = sheet_of(tmp_path, valores={"exceso_base": -2}).values
    assert row.range == "-4 a 4"


def test_findings_and_patterns_are_ready_to_read(tmp_path: Path) -> None:
    sheet = sheet_of(tmp_path)
    assert sheet.findings == (
        "Hemoglobina (Hgb): 7.5 g/dL, bajo (moderado)",  # (12 - 7.5) / 6 = 0.75: above 0.5, not above 1.5
        "Hematocrito (Hct): 24 %, bajo (moderado)",
    )
    (pattern,) = sheet.patterns
    assert (pattern.name, pattern.severity) == ("Anemia", "moderado")
    assert pattern.parameters == "Hematocrito (Hct), Hemoglobina (Hgb)"
    assert pattern.explanation


def test_draft_and_engine_are_held_against_one_another(tmp_path: Path) -> None:
    expected = make_case()["esperado"] | {"hallazgos_clave": ["hct", "alt", "bun", "nada"]}
    sheet = sheet_of(tmp_path, esperado=expected)
    assert [(d.kind, d.key) for d in sheet.disagreements] == [
        ("declared_in_range", "alt"),
        ("declared_not_measured", "bun"),
        ("declared_unknown", "nada"),
        ("flagged_not_declared", "hgb"),
    ]
    assert sheet.disagreements[0].text == (
        "ALT (GPT) figura como hallazgo clave, pero está en rango para este paciente."
    )


def test_an_engine_that_fails_is_said_and_never_looks_like_nothing_found(tmp_path: Path) -> None:
    def broken(valores: Mapping[str, object], paciente: Mapping[str, object]) -> Analysis:
        raise RuntimeError("secreto del paciente")

    dataset = Dataset.open(write_cases(tmp_path / "c.jsonl", make_case()))
    sheet = build_sheet(dataset.entries[0], engine=broken)
    assert sheet.engine == "failed"
    assert "no se ha podido ejecutar" in sheet.engine_text
    assert "secreto" not in sheet.engine_text
    assert sheet.disagreements == ()
    assert [row.value for row in sheet.values] == ["7.5", "24", "45"], "the values are still there to read"


def test_an_unknown_species_is_not_normal(tmp_path: Path) -> None:
    sheet = sheet_of(tmp_path, paciente={"especie": "equino"})
    assert sheet.engine == "not_applied"
    assert "no significa que sea normal" in sheet.engine_text
    assert sheet.findings == ()
    assert sheet.disagreements == ()


def test_a_faulty_line_still_has_a_sheet_and_says_what_is_wrong(tmp_path: Path) -> None:
    sheet = sheet_of(tmp_path, valores={"hct": [24]}, esperado=None, paciente=None)
    assert {p.where for p in sheet.problems} == {"esperado", "paciente", "valores.hct"}
    assert sheet.engine == "not_applied"


def test_the_signature_state_is_on_the_sheet(tmp_path: Path) -> None:
    dataset = Dataset.open(write_cases(tmp_path / "c.jsonl", signed(make_case())))
    sheet = build_sheet(dataset.entries[0])
    assert (sheet.state.status, sheet.state.reviewer) == (Status.FIRMADO, "Ana Ruiz")
