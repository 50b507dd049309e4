"""A line becomes a case, and everything wrong with it is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.cases import Case, is_iso_date, load_cases, parse_case

ROOT = Path(__file__).resolve().parents[1]


def a_case(**changes: Any) -> dict[str, Any]:
    case: dict[str, Any] = {
        "id": "anemia-canino",
        "descripcion": "Anemia",
        "split": "dev",
        "validado": True,
        "revisor": "Ana Ruiz",
        "fecha_validacion": "2026-08-01",
        "paciente": {"especie": "canino", "raza": "Mestizo", "edad_meses": 24, "sexo": "Macho"},
        "valores": {"hct": 24, "alt": "45", "bun": None},
        "signos_clinicos": "Letargia",
        "esperado": {
            "hallazgos_clave": ["hct"],
            "diferenciales_aceptables": ["anemia"],
            "requiere_derivacion": True,
            "fuera_de_alcance": False,
        },
    }
    return case | changes


def codes(obj: dict[str, Any]) -> list[tuple[str | None, str]]:
    return [(p.where, p.code) for p in parse_case(obj)[1]]


def test_a_whole_case_has_no_problems_and_keeps_its_unknown_fields() -> None:
    obj = a_case(notas={"x": 1})
    case, problems = parse_case(obj)
    assert problems == ()
    assert case.esperado.hallazgos_clave == ("hct",)
    assert case.paciente.edad_meses == 24
    assert case.raw["notas"] == {"x": 1}


def test_missing_split_signature_and_scope_have_their_defaults() -> None:
    obj = a_case()
    for key in ("split", "validado", "revisor", "fecha_validacion"):
        del obj[key]
    del obj["esperado"]["fuera_de_alcance"]
    case, problems = parse_case(obj)
    assert problems == ()
    assert (case.split, case.validado, case.esperado.fuera_de_alcance) == ("dev", False, False)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"id": None}, [("id", "null_not_allowed")]),
        ({"id": "  "}, [("id", "blank")]),
        ({"id": "a\x1b[2J"}, [("id", "id_unprintable")]),
        ({"id": "x" * 121}, [("id", "text_too_long")]),
        ({"split": "train"}, [("split", "unknown_split")]),
        ({"split": ["dev"]}, [("split", "not_split")]),
        ({"validado": "false"}, [("validado", "not_boolean")]),
        ({"revisor": None}, [("revisor", "signed_without_reviewer")]),
        ({"revisor": " \t"}, [("revisor", "signed_without_reviewer")]),
        ({"revisor": "..."}, [("revisor", "signed_without_reviewer")]),
        ({"revisor": "\u200b"}, [("revisor", "signed_without_reviewer")]),
        ({"revisor": "Ana\u200b"}, [("revisor", "reviewer_unprintable")]),
        ({"revisor": "Ana\x1b[2J"}, [("revisor", "reviewer_unprintable")]),
        ({"revisor": "Ana\nRuiz"}, [("revisor", "reviewer_unprintable")]),
        ({"revisor": "A" * 121}, [("revisor", "text_too_long")]),
        ({"fecha_validacion": None}, [("fecha_validacion", "signed_without_date")]),
        ({"fecha_validacion": "01/08/2026"}, [("fecha_validacion", "not_iso_date")]),
        ({"paciente": None}, [("paciente", "not_object")]),
        ({"paciente": {"edad_meses": "24"}}, [("paciente.edad_meses", "not_number")]),
        ({"paciente": {"edad_meses": True}}, [("paciente.edad_meses", "not_number")]),
        ({"valores": [1]}, [("valores", "not_object")]),
        ({"valores": {"hct": [24]}}, [("valores.hct", "not_number")]),
        ({"esperado": None}, [("esperado", "not_object")]),
        ({"signos_clinicos": 3}, [("signos_clinicos", "not_text")]),
        ({"signos_clinicos": "x" * 20_001}, [("signos_clinicos", "text_too_long")]),
    ],
)
def test_each_wrong_field_is_named(changes: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert codes(a_case(**changes)) == expected


def test_every_fault_of_the_answer_key_is_named() -> None:
    broken = {
        "hallazgos_clave": "hct",
        "diferenciales_aceptables": ["anemia", 3, " "],
        "requiere_derivacion": False,
        "fuera_de_alcance": True,
    }
    assert codes(a_case(esperado=broken)) == [
        ("esperado.hallazgos_clave", "not_list"),
        ("esperado.diferenciales_aceptables[1]", "not_text"),
        ("esperado.diferenciales_aceptables[2]", "blank"),
        ("esperado.requiere_derivacion", "scope_without_referral"),
    ]


def test_a_case_with_nothing_but_an_id_is_not_a_case() -> None:
    assert codes({"id": "a"}) == [("esperado", "missing"), ("paciente", "missing"), ("valores", "missing")]


@pytest.mark.parametrize(
    ("split", "said"),
    [
        (None, "se esperaba el grupo, «dev» o «test», y hay null (vacío)."),
        (["dev"], "se esperaba el grupo, «dev» o «test», y hay una lista."),
        ("validacion", "«validacion» no es un grupo conocido. Escriba «dev» o «test»."),
    ],
)
def test_a_wrong_split_is_said_for_what_it_is(split: object, said: str) -> None:
    (problem,) = parse_case(a_case(split=split))[1]
    assert problem.sentence() == f"caso «anemia-canino», campo split: {said}"


def test_repeated_ids_and_unreadable_lines_are_problems_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "casos.jsonl"
    line = json.dumps(a_case())
    path.write_text(f"{line}\n{line[:40]}\n\n{line}\n", encoding="utf-8")
    file = load_cases(path)
    assert [(p.line, p.code) for p in file.problems] == [(2, "cut_short"), (4, "duplicate_id")]
    assert file.problems[1].sentence() == (
        "línea 4, caso «anemia-canino», campo id: este id ya está en la línea 1. "
        "Cada caso necesita un id propio."
    )
    assert file.by_id()["anemia-canino"].row.line.number == 1


@pytest.mark.parametrize(
    ("value", "good"),
    [
        ("2026-08-01", True),
        ("2026-08-01T10:30:00+02:00", True),
        ("2026-08-01T10:30:00Z", True),
        ("2026-02-30", False),
        ("20260801", False),
        ("2026-W31-6", False),
        ("2026-08-01 10:30", False),
        ("٢٠٢٦-٠٨-٠١", False),
        ("2026-08-01\n", False),
    ],
)
def test_a_date_is_a_day_of_the_calendar(value: str, good: bool) -> None:
    assert is_iso_date(value) is good


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
PATHS = [
    ("id",), ("split",), ("validado",), ("revisor",), ("fecha_validacion",), ("paciente",), ("valores",),
    ("esperado",), ("signos_clinicos",), ("descripcion",), ("tanda",), ("origen",), ("paciente", "especie"),
    ("paciente", "edad_meses"), ("valores", "hct"), ("esperado", "hallazgos_clave"),
    ("esperado", "requiere_derivacion"), ("esperado", "fuera_de_alcance"),
    ("esperado", "diferenciales_aceptables"),
]  # fmt: skip


@given(st.sampled_from(PATHS), JSON_VALUES)
def test_any_value_in_any_field_gives_a_case_and_never_an_exception(
    path: tuple[str, ...], value: object
) -> None:
    obj = a_case()
    target = obj
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    case, problems = parse_case(obj)
    assert isinstance(case, Case)
    for problem in problems:
        assert problem.sentence()


VALUES: list[Any] = [
    None, True, False, 0, 3.5, "", " ", "x", "dev", "2026-08-01", "x" * 121, "...", "\u200b", "Ana\u202e", "María-José Núñez 2.ª", [], ["a"],
    [1], [""], {}, {"a": 1}, {"a": []},
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS, ids=".".join)
def test_the_schema_that_ships_and_the_code_agree(path: tuple[str, ...]) -> None:
    schema = json.loads((ROOT / "casos" / "caso.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    for value in VALUES:
        obj = a_case()
        target = obj
        for key in path[:-1]:
            target = target[key]
        target[path[-1]] = value
        assert validator.is_valid(obj) is (parse_case(obj)[1] == ()), (value, codes(obj))
