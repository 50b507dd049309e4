"""The reserved split from the command line: never an aggregate that tells of one case, alone or by difference."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from scoring.looks import looks_path
from tests.cli.processes import REVISION, Done, called, run_evals
from tests.clinical.samples import case, line, pending, prose, write

if TYPE_CHECKING:
    from pathlib import Path

GIVEN = ("--casos", "casos.jsonl", "--predicciones", "salidas.jsonl")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    here = tmp_path / "trabajo"
    here.mkdir()
    sign(here, 6)
    write(here / "salidas.jsonl", *(line(f"c{n}") for n in range(6)), *(line(f"s{n}") for n in range(9)))
    return here


def sign(folder: Path, reserved: int, first: int = 0) -> None:
    """Six signed open cases, and of nine reserved ones those from ``first`` to ``reserved`` signed."""
    cases = [case(f"c{n}") for n in range(6)]
    cases += [(case if first <= n < reserved else pending)(f"s{n}", split="test") for n in range(9)]
    write(folder / "casos.jsonl", *cases)


def look(folder: Path, *more: str, split: str = "test") -> Done:
    return run_evals(*GIVEN, "--split", split, *more, cwd=folder)


@pytest.mark.lento
@pytest.mark.parametrize(("split", "then"), [("test", "test"), ("test", "todos"), ("todos", "test")])
def test_two_aggregates_one_signature_apart_are_not_shown(folder: Path, split: str, then: str) -> None:
    assert look(folder, split=split).code == 0
    assert look(folder, split=then).code == 0  # the same cases again
    sign(folder, 7)
    refused = look(folder, "--informe", "i.json", "--formato", "junit=i.xml", split=then)
    assert refused.code == 2
    assert refused.out == ""
    assert "salvo uno" in refused.err
    assert not (folder / "i.json").exists()
    assert not (folder / "i.xml").exists()
    assert look(folder, split="dev").code == 0
    sign(folder, 9)  # three more than were seen
    assert look(folder, split=then).code == 0
    sign(folder, 8)  # and neither one from the first look nor one from the second
    assert look(folder, split=then).code == 2


def test_pending_cases_counted_in_or_out_are_such_a_difference_too(folder: Path) -> None:
    sign(folder, 8)
    assert look(folder).code == 0
    assert look(folder, "--incluir-pendientes").code == 2  # the ninth would be told


def test_an_aggregate_leaves_nothing_beside_the_data_and_holds_no_id(folder: Path) -> None:
    before = sorted(folder.iterdir())
    look(folder)
    look(folder)
    assert sorted(folder.iterdir()) == before
    noted = looks_path(folder / "casos.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(noted) == 1  # the same cases are noted once
    assert len(json.loads(noted[0])["casos"]) == 6
    assert "s0" not in noted[0].replace(json.loads(noted[0])["fecha"], "")


def test_where_it_cannot_be_noted_the_gate_still_works_and_says_so(folder: Path) -> None:
    place = looks_path(folder / "casos.jsonl").parent
    place.parent.mkdir(parents=True)
    place.write_text("no es una carpeta")
    done = look(folder)
    assert done.code == 0
    assert "no se ha podido anotar" in done.err


@pytest.mark.lento
def test_a_torn_note_hides_no_earlier_one(folder: Path) -> None:
    look(folder)
    path = looks_path(folder / "casos.jsonl")
    with path.open("a") as stream:
        stream.write('{"fecha": "2026-')
    sign(folder, 9)
    assert look(folder).code == 0
    sign(folder, 7)
    assert look(folder).code == 2
    assert len(path.read_text().splitlines()) == 3


def test_a_simulation_tells_how_many_findings_are_expected_and_so_keeps_its_own_distance(
    folder: Path,
) -> None:
    simulate = ("--casos", "casos.jsonl", "--simular", "--split", "test")
    look(folder)
    sign(folder, 7)
    assert run_evals(*simulate, cwd=folder).code == 0
    sign(folder, 8)
    assert run_evals(*simulate, cwd=folder).code == 2
    sign(folder, 2)
    assert run_evals(*simulate, cwd=folder).code == 4


def test_a_recorded_look_at_single_cases_is_no_aggregate(folder: Path) -> None:
    look(folder)
    sign(folder, 7)
    assert look(folder, "--detalle-test", "--revisor", "Ana Prueba").code == 0


@pytest.mark.parametrize(("split", "count"), [("test", 1), pytest.param("todos", 2, marks=pytest.mark.lento)])
def test_no_figure_is_given_of_one_or_two_reserved_cases(folder: Path, split: str, count: int) -> None:
    sign(folder, count)
    write(folder / "umbrales.toml", "minimo_casos = 1")
    told = []
    for output in (None, prose("No lo sé.")):
        write(
            folder / "salidas.jsonl",
            *(line(f"c{n}") for n in range(6)),
            *(line(f"s{n}", output) for n in range(9)),
        )
        done = look(folder, "--informe", "i.json", split=split)
        assert done.code == 4
        assert "NO HAY VEREDICTO: del grupo reservado (test)" in done.out
        report = json.loads((folder / "i.json").read_text(encoding="utf-8"))
        assert report["motivo"] == "pocos_reservados"
        assert set(report["agregado"].values()) == {None}
        told.append(done.out)
        shutil.rmtree(looks_path(folder / "casos.jsonl").parent, ignore_errors=True)
    # whatever the reserved cases said, the output is the same
    assert told[0] == told[1]


def test_a_case_that_is_tampered_out_of_the_gate_is_not_told_by_the_figures_of_the_others(
    folder: Path,
) -> None:
    sign_one = ("--casos", "casos.jsonl", "--validar", "s6", "--revisor", "Ana Prueba")
    assert called(REVISION, sign_one, cwd=folder, env={}).code == 0
    assert look(folder).code == 0  # seven cases
    changed = (folder / "casos.jsonl").read_text(encoding="utf-8").splitlines()
    changed[6] = changed[6].replace('"validado": true', '"validado": false')
    assert json.loads(changed[6])["id"] == "s0"
    write(folder / "casos.jsonl", *changed)
    done = look(folder, "--informe", "i.json")  # six of them count
    assert done.code == 5
    report = json.loads((folder / "i.json").read_text(encoding="utf-8"))
    assert set(report["agregado"].values()) == {None}
    assert report["motivo"] == "datos_descuadrados"


@pytest.mark.parametrize(
    ("split", "answered"), [("test", 1), pytest.param("todos", 2, marks=pytest.mark.lento)]
)
def test_no_figure_is_given_where_one_or_two_reserved_cases_have_an_output(
    folder: Path, split: str, answered: int
) -> None:
    told = []
    for output in (None, prose("No lo sé.")):
        write(
            folder / "salidas.jsonl",
            *(line(f"c{n}") for n in range(6)),
            *(line(f"s{n}", output) for n in range(answered)),
            {"id": "s5", "interpretacion": {}},  # says nothing
        )
        done = look(folder, "--informe", "i.json", split=split)
        assert done.code == 4
        assert "que cuentan y tienen salida" in done.out
        report = json.loads((folder / "i.json").read_text(encoding="utf-8"))
        assert report["motivo"] == "pocas_salidas_reservadas"
        assert set(report["agregado"].values()) == {None}
        told.append(done.out)
    assert told[0] == told[1]
    assert look(folder, split="dev").code == 0
