"""The schema of a case asks for what a signature and a gate need, and leaves a user's own fields alone."""

from __future__ import annotations

import copy
import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

CASOS = resources.files("casos")
SCHEMA = json.loads((CASOS / "caso.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
SIGNED, PENDING = (
    json.loads((CASOS / "casos.jsonl").read_text(encoding="utf-8").splitlines()[index]) for index in (0, -1)
)
REAL = Path(__file__).resolve().parents[2] / "../shared/real/casos.jsonl"


def test_it_is_a_valid_2020_12_schema_named_by_a_urn() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert SCHEMA["$id"] == "urn:revision-clinica:esquema:caso:1"


def test_every_field_is_described_in_the_schema() -> None:
    def undescribed(node: dict[str, Any], path: str) -> list[str]:
        missing = []
        for name, field in node.get("properties", {}).items():
            if not field.get("description", "").strip():
                missing.append(f"{path}{name}")
            missing += undescribed(field, f"{path}{name}.")
        return missing

    assert undescribed(SCHEMA, "") == []
    for case in (SIGNED, PENDING):
        assert set(case) <= set(SCHEMA["properties"])


def changed(base: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    case = copy.deepcopy(base)
    *parents, last = path.split(".")
    target = case
    for key in parents:
        target = target[key]
    target[last] = value
    return case


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("notas", {"propias": [1, None]}),
        ("paciente.chip", "941000012345678"),
        ("paciente.edad_meses", None),
        ("paciente.edad_meses", 7.5),
        ("paciente.raza", None),
        ("valores.alt", "7.5 mg/dL"),
        ("valores.alt", None),
        ("valores.analito_propio", 3),
        ("fecha_validacion", "2024-02-29"),
        ("fecha_validacion", "2026-08-01T10:30:00+02:00"),
        ("esperado.nota", "x"),
        ("id", "Caso 12, riñón"),
        ("id", "x" * 120),
    ],
)
def test_a_signed_case_may_hold(path: str, value: Any) -> None:
    assert VALIDATOR.is_valid(changed(SIGNED, path, value))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("revisor", ""),
        ("revisor", " \t"),
        ("revisor", None),
        ("revisor", 7),
        ("fecha_validacion", None),
        ("fecha_validacion", "2026-02-29"),
        ("fecha_validacion", "1900-02-29"),
        ("fecha_validacion", "01/08/2026"),
        ("fecha_validacion", "2026-08-01T25:00"),
        ("fecha_validacion", "2026-08-01\n"),
        ("validado", "true"),
        ("validado", 1),
        ("split", "train"),
        ("id", ""),
        ("id", " caso"),
        ("id", "caso "),
        ("id", "caso\n"),
        ("id", "ca\x1b[2Jso"),
        ("id", "ca\u202eso"),
        ("id", "x" * 121),
        ("paciente", None),
        ("paciente.edad_meses", "54"),
        ("valores", []),
        ("valores.alt", True),
        ("valores.alt", [45]),
        ("esperado.hallazgos_clave", ["alt", ""]),
        ("esperado.hallazgos_clave", "alt"),
        ("esperado.diferenciales_aceptables", [None]),
        ("esperado.requiere_derivacion", "false"),
        ("esperado.fuera_de_alcance", None),
    ],
)
def test_a_signed_case_may_not_hold(path: str, value: Any) -> None:
    assert not VALIDATOR.is_valid(changed(SIGNED, path, value))


@pytest.mark.parametrize("key", ["revisor", "fecha_validacion"])
def test_a_signed_case_names_its_reviewer_and_day_and_a_pending_one_need_not(key: str) -> None:
    unsigned = {name: value for name, value in SIGNED.items() if name != key}
    assert not VALIDATOR.is_valid(unsigned)
    assert VALIDATOR.is_valid(unsigned | {"validado": False})
    assert VALIDATOR.is_valid(PENDING | {key: None})


@pytest.mark.parametrize("key", ["id", "paciente", "valores", "esperado"])
def test_a_case_without_its_essential_parts_is_no_case(key: str) -> None:
    assert not VALIDATOR.is_valid({name: value for name, value in PENDING.items() if name != key})


def test_out_of_scope_asks_for_referral() -> None:
    outside = changed(PENDING, "esperado.fuera_de_alcance", True)
    assert VALIDATOR.is_valid(outside)
    assert not VALIDATOR.is_valid(changed(outside, "esperado.requiere_derivacion", False))


@pytest.mark.skipif(not REAL.is_file(), reason="needs the shared real data set")
def test_a_real_data_set_passes_though_it_has_no_batch_and_no_origin() -> None:
    cases = [json.loads(line) for line in REAL.read_text(encoding="utf-8").splitlines()]
    assert len(cases) == 43
    assert all("tanda" not in case and "origen" not in case for case in cases)
    assert [case["id"] for case in cases if not VALIDATOR.is_valid(case)] == []
