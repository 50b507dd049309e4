"""The data set that ships keeps its promises: shape, batches, example signatures, findings, coverage."""

from __future__ import annotations

import json
import re
from collections import Counter
from importlib import resources
from typing import Any

import jsonschema
import pytest

from scoring.cases import parse_case
from scoring.engine import analyse
from scoring.tables import analytes

TEXT = (resources.files("casos") / "casos.jsonl").read_text(encoding="utf-8")
CASES: list[dict[str, Any]] = [json.loads(line) for line in TEXT.splitlines()]
BY_ID = {case["id"]: case for case in CASES}
SCHEMA = json.loads((resources.files("casos") / "caso.schema.json").read_text(encoding="utf-8"))
KEYS = [
    "id", "descripcion", "split", "tanda", "origen", "validado", "revisor", "fecha_validacion",
    "paciente", "valores", "signos_clinicos", "esperado",
]  # fmt: skip

each_case = pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])


def flagged(case: dict[str, Any]) -> list[str]:
    return [finding.clave for finding in analyse(case["valores"], case["paciente"]).findings]


@each_case
def test_each_case_passes_the_schema_and_the_checks_of_the_program(case: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(case)
    assert parse_case(case)[1] == ()


@each_case
def test_each_case_has_the_keys_in_order_and_pending_ones_no_signature_keys(case: dict[str, Any]) -> None:
    signature = {"revisor", "fecha_validacion"}
    expected = [key for key in KEYS if case["validado"] or key not in signature]
    assert list(case) == expected


@each_case
def test_each_case_says_that_it_is_synthetic(case: dict[str, Any]) -> None:
    assert case["origen"] == "sintetico"


@each_case
def test_each_id_is_kebab_case_and_each_text_is_printable_and_trimmed(case: dict[str, Any]) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", case["id"])
    labels = case["esperado"]["diferenciales_aceptables"]
    for text in (case["descripcion"], case["signos_clinicos"], *labels):
        assert text == text.strip()
        assert text.isprintable()
    assert len(labels) == len({label.casefold() for label in labels})


def test_the_file_is_one_object_per_line_with_a_final_newline_and_unique_ids() -> None:
    assert TEXT.endswith("}\n")
    assert "\n\n" not in TEXT
    assert "\r" not in TEXT
    assert len(BY_ID) == len(CASES) == 43


def test_the_batches_splits_and_states_are_the_agreed_ones() -> None:
    # 7 + 10 + 26 = 43; signed 7 + 10 = 17, of them 5 + 7 = 12 in dev; pending 26, of them 18 in dev.
    assert Counter((c["tanda"], c["split"], c["validado"]) for c in CASES) == {
        ("semilla", "dev", True): 5,
        ("semilla", "test", True): 2,
        ("2026-07", "dev", True): 7,
        ("2026-07", "test", True): 3,
        ("2026-08-03", "dev", False): 18,
        ("2026-08-03", "test", False): 8,
    }
    assert Counter(c["paciente"]["especie"] for c in CASES) == {"canino": 34, "felino": 9}


def test_the_example_signatures_are_one_per_batch() -> None:
    signatures = {(c["tanda"], c["revisor"], c["fecha_validacion"]) for c in CASES if c["validado"]}
    assert signatures == {
        ("semilla", "semilla-veterinaria", "2026-07-26"),
        ("2026-07", "firma-de-demostracion", "2026-08-01"),
    }


@each_case
def test_every_key_finding_is_measured_and_flagged_by_the_engine(case: dict[str, Any]) -> None:
    keys = case["esperado"]["hallazgos_clave"]
    assert len(keys) == len(set(keys))
    assert set(keys) <= set(case["valores"])
    assert set(keys) <= set(flagged(case))


def test_only_the_healthy_patient_and_the_out_of_scope_case_have_no_key_finding() -> None:
    empty = {c["id"] for c in CASES if not c["esperado"]["hallazgos_clave"]}
    assert empty == {"galgo-sano-canino", "analitica-humana-fuera-de-alcance"}


def test_one_case_is_out_of_scope_and_it_asks_for_referral() -> None:
    outside = [c for c in CASES if c["esperado"]["fuera_de_alcance"]]
    assert [c["id"] for c in outside] == ["analitica-humana-fuera-de-alcance"]
    assert outside[0]["esperado"]["requiere_derivacion"] is True
    assert outside[0]["esperado"]["diferenciales_aceptables"] == []


def test_one_patient_is_healthy_nothing_is_flagged_and_nobody_is_referred() -> None:
    assert [c["id"] for c in CASES if not c["esperado"]["requiere_derivacion"]] == ["galgo-sano-canino"]
    healthy = BY_ID["galgo-sano-canino"]
    assert flagged(healthy) == []
    # Any other dog with the same blood would have five findings: the breed is what makes it healthy.
    mongrel = healthy["paciente"] | {"raza": "Mestizo"}
    findings = [finding.clave for finding in analyse(healthy["valores"], mongrel).findings]
    assert findings == ["hgb", "hct", "plt", "creat", "t4_total"]


def test_every_case_within_scope_has_acceptable_differentials_in_several_wordings() -> None:
    for case in CASES:
        if not case["esperado"]["fuera_de_alcance"]:
            assert len(case["esperado"]["diferenciales_aceptables"]) >= 3, case["id"]


@pytest.mark.parametrize("species", ["canino", "felino"])
def test_every_measured_analyte_is_in_the_reference_table(species: str) -> None:
    table = analytes(species)
    for case in CASES:
        assert set(case["valores"]) <= set(table), case["id"]


def test_all_ninety_analytes_are_measured_in_some_case() -> None:
    measured = {key for case in CASES for key in case["valores"]}
    assert measured == set(analytes("canino"))
    assert len(measured) == 90


def test_the_discordant_sdma_case_flags_sdma_and_not_a_creatinine_in_range() -> None:
    case = BY_ID["erc-canino-sdma-discordante"]
    assert case["valores"]["creat"] == 1.6
    assert case["valores"]["sdma"] == 24
    assert "creat" not in case["esperado"]["hallazgos_clave"]
    assert flagged(case) == ["sdma", "upc"]


def test_the_ciclosporin_dog_is_seven_years_old_and_passes_the_ranges_widened_for_seniors() -> None:
    case = BY_ID["ciclosporina-monitorizacion-canino"]
    assert case["paciente"]["edad_meses"] == 84
    assert {"creat", "bun", "ciclosporina"} <= set(flagged(case))
    # Senior limits: creatinine 1.7 x 1.15 = 1.955, BUN 28 x 1.15 = 32.2. An azotaemia under them shows
    # in an adult and not in this dog.
    mild = case["valores"] | {"creat": 1.9, "bun": 31}
    adult = case["paciente"] | {"edad_meses": 83}
    senior_findings = {f.clave for f in analyse(mild, case["paciente"]).findings}
    adult_findings = {f.clave for f in analyse(mild, adult).findings}
    assert adult_findings - senior_findings == {"creat", "bun"}


@pytest.mark.parametrize(
    ("case_id", "patterns"),
    [
        ("crisis-addisoniana-canino", {"ratio_nak", "azotemia", "hiponatremia", "hiperpotasemia"}),
        ("hemorragia-digestiva-cronica-canino", {"anemia", "ferropenia_hierro", "trombocitosis"}),
        ("cid-hemangiosarcoma-canino", {"cid", "coagulopatia_mixta", "antitrombina_baja"}),
        ("deficit-von-willebrand-canino", {"deficit_vwf", "coagulopatia_intrinseca"}),
        ("sindrome-braquicefalico-canino", {"acidosis_respiratoria", "hipoxemia"}),
        ("obstruccion-pilorica-canino", {"alcalosis_metabolica", "hipopotasemia"}),
        ("intoxicacion-etilenglicol-canino", {"acidosis_metabolica", "anion_gap_elevado"}),
        ("hipotiroidismo-mixedema-canino", {"hipotiroidismo", "tsh_elevado"}),
        ("diabetes-mellitus-felino", {"hiperglucemia", "deficit_insulina"}),
        ("panleucopenia-felino", {"leucopenia", "hipoglucemia"}),
    ],
)
def test_the_engine_recognises_the_picture_the_case_was_written_for(case_id: str, patterns: set[str]) -> None:
    case = BY_ID[case_id]
    found = {pattern.clave for pattern in analyse(case["valores"], case["paciente"]).patterns}
    assert patterns <= found


def test_the_engine_distrusts_nothing_but_the_age_of_the_person_among_the_dogs() -> None:
    warnings = {
        (case["id"], notice.field)
        for case in CASES
        for notice in analyse(case["valores"], case["paciente"]).notices
        if notice.level == "aviso"
    }
    assert warnings == {("analitica-humana-fuera-de-alcance", "paciente.edad_meses")}
