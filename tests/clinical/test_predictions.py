from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from scoring.cases import parse_case
from scoring.clinical import load_predictions, simulate
from scoring.errors import DataError, UsageError
from tests.clinical.samples import case, good_output, line, write

if TYPE_CHECKING:
    from pathlib import Path

KNOWN = {"c0", "c1"}


def test_outputs_come_by_id_with_blank_lines_and_missing_fields_allowed(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", line("c0"), "", "  ", line("c1", {}))
    read = load_predictions(path, KNOWN)
    assert dict(read.by_id) == {"c0": good_output(), "c1": {}}
    assert read.generator == "predicciones:p.jsonl"
    assert read.notices == ()


@pytest.mark.parametrize(
    ("bad", "code", "where"),
    [
        ('{"id": "c1", "interpretacion": {"inter', "cut_short", None),
        ('["c1"]', "not_an_object", None),
        ('{"id": "c1", "id": "c1", "interpretacion": {}}', "duplicate_key", None),
        ('{"id": "c1", "interpretacion": {"x": NaN}}', "not_a_number", None),
        ({"interpretacion": {}}, "missing", "id"),
        ({"id": None, "interpretacion": {}}, "not_text", "id"),
        ({"id": 7, "interpretacion": {}}, "not_text", "id"),
        ({"id": " ", "interpretacion": {}}, "blank", "id"),
        ({"id": "c" * 121, "interpretacion": {}}, "text_too_long", "id"),
        ({"id": "c1"}, "missing", "interpretacion"),
        ({"id": "c1", "interpretacion": None}, "not_object", "interpretacion"),
        ({"id": "c1", "interpretacion": "texto"}, "not_object", "interpretacion"),
        (line("c1", {"interpretacion": None}), "not_text", "interpretacion.interpretacion"),
        (line("c1", {"diferenciales": None}), "not_list", "interpretacion.diferenciales"),
        (line("c1", {"diferenciales": ["a"]}), "not_object", "interpretacion.diferenciales[0]"),
        (
            line("c1", {"diferenciales": [{"nombre": "a"}, {"nombre": None}]}),
            "not_text",
            "interpretacion.diferenciales[1].nombre",
        ),
        (line("c1", {"hallazgos_clave": [3]}), "not_object", "interpretacion.hallazgos_clave[0]"),
        (line("c1", {"requiere_derivacion": "false"}), "not_boolean", "interpretacion.requiere_derivacion"),
        (line("c1", {"fuera_de_alcance": 0}), "not_boolean", "interpretacion.fuera_de_alcance"),
        (line("c9"), "unknown_prediction", "id"),
        (line("c0"), "duplicate_prediction", "id"),
    ],
)
def test_each_fault_is_named_with_its_line_and_field(
    tmp_path: Path, bad: dict[str, Any] | str, code: str, where: str | None
) -> None:
    path = write(tmp_path / "p.jsonl", line("c0"), "", bad)
    with pytest.raises(DataError) as refused:
        load_predictions(path, KNOWN)
    (problem,) = refused.value.problems
    assert (problem.line, problem.code, problem.where) == (3, code, where)
    assert "línea 3" in problem.sentence()


def test_every_fault_of_a_file_is_listed_in_line_order(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", '{"id"', line("c0", {"diferenciales": 1, "fuera_de_alcance": 2}), "[]")
    with pytest.raises(DataError) as refused:
        load_predictions(path, KNOWN)
    assert [problem.line for problem in refused.value.problems] == [1, 2, 2, 3]


def test_a_later_line_never_hides_an_earlier_one(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", line("c0", {}), line("c0"))
    with pytest.raises(DataError) as refused:
        load_predictions(path, KNOWN)
    assert "línea 1" in refused.value.problems[0].sentence()


def test_an_unknown_id_becomes_a_notice_when_asked_to_ignore_it(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", line("c0"), line("otro"))
    read = load_predictions(path, KNOWN, ignore_unknown=True)
    assert set(read.by_id) == {"c0"}
    assert [(notice.line, notice.case_id) for notice in read.notices] == [(2, "otro")]


def test_a_near_id_is_suggested_only_out_of_those_that_may_be_named(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", line("erc-felin"), line("linfoma-canin"))
    with pytest.raises(DataError) as refused:
        load_predictions(path, {"erc-felino", "linfoma-canino"}, suggestions=["erc-felino"])
    first, second = (problem.sentence() for problem in refused.value.problems)
    assert "«erc-felino»" in first
    assert "linfoma-canino" not in second


def test_repeated_unknown_ids_are_a_fault_even_when_unknown_ones_are_ignored(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", line("otro"), line("otro"))
    with pytest.raises(DataError):
        load_predictions(path, KNOWN, ignore_unknown=True)


def test_a_file_that_is_not_there_is_wrong_usage_and_not_an_empty_set(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        load_predictions(tmp_path / "nada.jsonl", KNOWN)
    with pytest.raises(UsageError):
        load_predictions(tmp_path, KNOWN)


def test_the_digest_is_of_the_outputs_and_not_of_their_order_or_spacing(tmp_path: Path) -> None:
    rows = [line("c0"), line("c1", {"interpretacion": "á"})]
    one = load_predictions(write(tmp_path / "1", *rows), KNOWN)
    two = load_predictions(write(tmp_path / "2", "", json.dumps(rows[1], indent=None), rows[0]), KNOWN)
    other = load_predictions(write(tmp_path / "3", rows[0], line("c1", {"interpretacion": "a"})), KNOWN)
    assert one.digest == two.digest != other.digest


def test_simulated_outputs_say_so() -> None:
    made = simulate([parse_case(case())[0]])
    assert (made.simulated, made.generator, made.path) == (True, "simulado", None)
    empty = case(diferenciales_aceptables=[])
    assert simulate([parse_case(empty)[0]]).outputs["caso-a"].differentials == ("sin alteraciones",)
