"""The forms of the result, the comparison and the recorded look at the reserved split."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from tests.cli.processes import run_evals
from tests.clinical.samples import case, good_output, line, pending, write

if TYPE_CHECKING:
    from pathlib import Path

GIVEN = ("--casos", "casos.jsonl", "--predicciones", "salidas.jsonl", "--juez", "ninguno")
SECRET = "secretísimo"


def reserved(n: int) -> dict[str, object]:
    """A reserved case every word of which can be searched for."""
    return case(
        f"secreto-{n}",
        split="test",
        tanda=f"{SECRET}-tanda",
        descripcion=f"{SECRET} descripción",
        signos_clinicos=f"{SECRET} signos",
        diferenciales_aceptables=[f"{SECRET} diagnóstico"],
        hallazgos_clave=["creat", f"{SECRET}_analito"],
        paciente={"especie": "canino", "raza": f"{SECRET} raza", "edad_meses": 20, "sexo": "Hembra"},
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    here = tmp_path / "trabajo"
    here.mkdir()
    cases = [*(case(f"c{n}") for n in range(6)), pending("p0"), *(reserved(n) for n in range(6))]
    write(here / "casos.jsonl", *cases)
    evil = good_output(interpretacion=f"{SECRET} prosa", diferenciales=[{"nombre": f"{SECRET} nombre"}])
    rows = [line(str(one["id"]), evil if "secreto" in str(one["id"]) else good_output()) for one in cases]
    write(here / "salidas.jsonl", *rows)
    return here


FORMATS = ("texto", "json", "junit", "markdown", "github", "html")


@pytest.mark.parametrize("split", ["dev", "test", "todos"])
@pytest.mark.parametrize("extra", [(), ("--incluir-pendientes",), ("--reglas", "1"), ("--idioma", "en")])
def test_no_word_of_a_reserved_case_is_in_any_output(
    folder: Path, split: str, extra: tuple[str, ...]
) -> None:
    wanted = [part for name in FORMATS for part in ("--formato", f"{name}=salida.{name}")]
    done = run_evals(*GIVEN, "--split", split, "--informe", "i.json", *wanted, *extra, cwd=folder)
    assert done.code in {0, 1}
    written = [folder / "i.json", *(folder / f"salida.{name}" for name in FORMATS)]
    texts = [done.out, done.err, *(path.read_text(encoding="utf-8") for path in written)]
    for text in texts:
        assert "secret" not in text.lower()


def test_errors_do_not_name_a_reserved_case_either(folder: Path) -> None:
    write(folder / "salidas.jsonl", line("secreto-00"), line("c0"))
    done = run_evals(*GIVEN, cwd=folder)
    assert done.code == 3
    assert "¿será" not in done.err


def test_several_forms_at_once_and_one_of_them_on_stdout(folder: Path) -> None:
    done = run_evals(
        *GIVEN,
        "--formato",
        "junit=ci/puerta.xml",
        "--formato",
        "markdown=ci/r.md",
        "--formato",
        "json",
        cwd=folder,
    )
    assert done.code == 0
    assert json.loads(done.out)["veredicto"] == "pasa"
    assert ET.parse(folder / "ci" / "puerta.xml").getroot().get("failures") == "0"
    assert (folder / "ci" / "r.md").read_text(encoding="utf-8").startswith("## ✅")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--formato", "pdf"), "pdf"),
        (("--formato", "junit="), "falta el nombre"),
        (("--formato", "junit", "--formato", "json"), "solo un formato"),
        (("--formato", "junit=casos.jsonl"), "encima de"),
        (("--formato", "junit=a.xml", "--formato", "html=a.xml"), "a.xml"),
        (("--formato", "junit=casos.accesos.jsonl"), "encima de"),
        (("--comparar", "nada.json"), "nada.json"),
        (("--comparar", "casos.jsonl"), "no es un informe"),
        (("--detalle-test",), "--split test"),
        (("--detalle-test", "--split", "test"), "--revisor"),
        (("--detalle-test", "--split", "test", "--revisor", " "), "nombre"),
        (("--detalle-test", "--split", "test", "--revisor", "a\x1bb"), "nombre"),
        (("--revisor", "Ana"), "--detalle-test"),
    ],
)
def test_a_wrong_call_is_refused_and_nothing_is_written(
    folder: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = run_evals(*GIVEN, *arguments, cwd=folder)
    assert done.code in {2, 3}
    assert sentence in done.err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_comparison_is_in_text_and_report_and_does_not_change_the_verdict(folder: Path) -> None:
    run_evals(*GIVEN, "--informe", "antes.json", cwd=folder)
    worse = [line(f"c{n}", good_output(requiere_derivacion=n > 0)) for n in range(6)]
    write(folder / "salidas.jsonl", *worse)
    done = run_evals(*GIVEN, "--comparar", "antes.json", "--informe", "ahora.json", cwd=folder)
    assert done.code == 1
    assert "Comparación con predicciones:salidas.jsonl" in done.out
    assert "    c0: acierto_derivacion, derivaciones_omitidas" in done.out
    comparison = json.loads((folder / "ahora.json").read_text(encoding="utf-8"))["comparacion"]
    assert (comparison["pareados"], comparison["veredicto"]) == (6, "peor")
    refused = run_evals(*GIVEN, "--comparar", "antes.json", "--reglas", "1", cwd=folder)
    assert refused.code == 2
    assert "--reglas 2" in refused.err


def test_a_look_at_reserved_cases_is_recorded_before_they_are_shown(folder: Path) -> None:
    look = (*GIVEN, "--split", "test", "--detalle-test", "--revisor", "Ana Prueba")
    for _ in range(2):
        done = run_evals(*look, "--informe", "i.json", cwd=folder)
        assert "secreto-0" in done.out
        assert "Ana Prueba" in done.err
    report = json.loads((folder / "i.json").read_text(encoding="utf-8"))
    assert report["detalle_test"] is True
    assert len(report["casos"]) == 6
    entries = [
        json.loads(row) for row in (folder / "casos.accesos.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert [(one["quien"], one["via"], one["split"]) for one in entries] == [
        ("Ana Prueba", "detalle-test", "test")
    ] * 2
    assert entries[0]["digest_casos"] == report["digest_casos"]
    assert SECRET not in json.dumps(entries, ensure_ascii=False)


def test_without_a_record_of_the_look_nothing_is_shown(folder: Path) -> None:
    record = folder / "casos.accesos.jsonl"
    record.mkdir()
    done = run_evals(
        *GIVEN, "--split", "test", "--detalle-test", "--revisor", "Ana", "--informe", "i.json", cwd=folder
    )
    assert done.code == 8
    assert "secreto" not in done.out + done.err
    assert not (folder / "i.json").exists()
    assert stat.S_ISDIR(record.stat().st_mode)


def test_a_line_left_open_by_an_interruption_does_not_swallow_the_next_look(folder: Path) -> None:
    (folder / "casos.accesos.jsonl").write_text('{"quien": "Eva"', encoding="utf-8")
    run_evals(*GIVEN, "--split", "todos", "--detalle-test", "--revisor", "Ana", cwd=folder)
    rows = (folder / "casos.accesos.jsonl").read_text(encoding="utf-8").splitlines()
    assert rows[0] == '{"quien": "Eva"'
    assert json.loads(rows[1])["quien"] == "Ana"
