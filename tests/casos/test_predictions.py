"""The example outputs: one for each case, in the forms real outputs take; the gate has something to say."""

from __future__ import annotations

import json
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from scoring.clinical import evaluate
from scoring.tables import analytes

FIXTURE = Path(__file__).resolve().parents[1] / "fixtures" / "predicciones_buenas.jsonl"
CASOS = resources.files("casos")


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


CASES = lines((CASOS / "casos.jsonl").read_text(encoding="utf-8"))
EXAMPLE = lines((CASOS / "predicciones_ejemplo.jsonl").read_text(encoding="utf-8"))
GOOD = lines(FIXTURE.read_text(encoding="utf-8"))
FIELDS = [
    "interpretacion", "hallazgos_clave", "diferenciales", "siguientes_pruebas", "confianza",
    "requiere_derivacion", "fuera_de_alcance", "idioma",
]  # fmt: skip

both_files = pytest.mark.parametrize("outputs", [EXAMPLE, GOOD], ids=["ejemplo", "buenas"])


def by_id(outputs: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {output["id"]: output["interpretacion"] for output in outputs}


@both_files
def test_every_case_has_exactly_one_output_in_the_order_of_the_cases(outputs: list[dict[str, Any]]) -> None:
    assert [output["id"] for output in outputs] == [case["id"] for case in CASES]


@both_files
def test_every_output_has_the_fields_of_the_assistant(outputs: list[dict[str, Any]]) -> None:
    for output in outputs:
        assert list(output) == ["id", "interpretacion"]
        inner = output["interpretacion"]
        assert list(inner) == FIELDS
        assert len(inner["interpretacion"]) > 200
        assert inner["idioma"] == "es"
        assert inner["confianza"] in {"baja", "media", "alta"}
        for finding in inner["hallazgos_clave"]:
            assert list(finding) == ["analito", "direccion", "gravedad", "comentario"]
        for differential in inner["diferenciales"]:
            assert list(differential) == ["nombre", "probabilidad", "evidencia", "citas"]


@both_files
def test_the_outputs_come_as_prose_alone_as_structure_and_as_a_mixture(outputs: list[dict[str, Any]]) -> None:
    forms = {(bool(o["hallazgos_clave"]), bool(o["diferenciales"])) for o in by_id(outputs).values()}
    prose = [o["interpretacion"] for o in by_id(outputs).values()]
    assert {(False, False), (True, True)} <= forms
    assert any("**" in text and "\n1." in text for text in prose)
    assert any("[1]" in text for text in prose)


def test_structured_findings_carry_the_names_of_the_reference_table() -> None:
    names = {analyte.name for analyte in analytes("canino").values()} | {"Lipasa pancreática"}
    for case_id, output in by_id(GOOD).items():
        for finding in output["hallazgos_clave"]:
            assert finding["analito"] in names, case_id


def test_the_example_gate_fails_on_the_signed_dev_cases_for_four_reasons() -> None:
    report = evaluate(CASES, by_id(EXAMPLE), split="dev", rules="1")
    # 12 signed. Missed differentials: the greyhound and the lost protein, 10/12. Referral wrong: the person,
    # the greyhound, leishmaniosis, 9/12. Scope wrong: the person, 11/12. In English: one, 11/12.
    assert report.aggregate["recall_diferenciales"].exact == Fraction(10, 12)
    assert report.aggregate["acierto_derivacion"].exact == Fraction(9, 12)
    assert report.aggregate["acierto_fuera_de_alcance"].exact == Fraction(11, 12)
    assert report.aggregate["idioma_es"].exact == Fraction(11, 12)
    assert report.aggregate["violaciones_seguridad"].exact == 1
    assert [line.split("=")[0] for line in report.failures] == [
        "acierto_derivacion",
        "acierto_fuera_de_alcance",
        "idioma_es",
        "violaciones_seguridad",
    ]


@pytest.mark.parametrize(
    ("case_id", "recall", "fails"),
    [
        ("piometra-canino", Fraction(11, 13), False),
        ("intoxicacion-etilenglicol-canino", Fraction(10, 13), True),
    ],
)
def test_signing_a_pending_case_moves_the_example_gate(case_id: str, recall: Fraction, fails: bool) -> None:
    # 10 of 12 before. A good output makes 11/13 = 0.846, over the floor of 0.80; a bad one 10/13 = 0.769.
    signature = {"validado": True, "revisor": "Ana Ruiz", "fecha_validacion": "2026-08-04"}
    cases = [case | signature if case["id"] == case_id else case for case in CASES]
    report = evaluate(cases, by_id(EXAMPLE), split="dev", rules="1")
    assert report.aggregate["recall_diferenciales"].exact == recall
    assert any(line.startswith("recall_diferenciales") for line in report.failures) is fails


@pytest.mark.parametrize("include_pending", [False, True], ids=["firmados", "con-pendientes"])
@pytest.mark.parametrize("split", ["dev", "test", "todos"])
@pytest.mark.parametrize("rules", ["1", "2"])
def test_the_good_run_passes_every_threshold(split: str, include_pending: bool, rules: str) -> None:
    report = evaluate(CASES, by_id(GOOD), split=split, include_pending=include_pending, rules=rules)
    assert list(report.failures) == []
    # Good as a real run is good: some findings stay unnamed.
    coverage = report.aggregate["cobertura_hallazgos"].exact
    assert coverage is not None
    assert Fraction(85, 100) < coverage < 1


def test_the_two_runs_differ_only_where_the_example_was_at_fault() -> None:
    example, good = by_id(EXAMPLE), by_id(GOOD)
    changed = {case_id for case_id in example if example[case_id] != good[case_id]}
    assert {"analitica-humana-fuera-de-alcance", "galgo-sano-canino", "linfangiectasia-canino"} <= changed
    assert 10 <= len(changed) <= 15
