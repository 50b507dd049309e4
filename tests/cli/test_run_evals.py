"""``run-evals`` as CI calls it: verdict, exit code, report, and what is never printed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reviewer.signing import Sign
from reviewer.store import Dataset
from scoring import __version__
from tests.cli.processes import run_evals
from tests.clinical.samples import case, good_output, line, pending, write
from tests.judges.command_support import held_to

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT / ".." / "shared"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two signed dev cases, a pending one and three reserved ones, with good outputs for all."""
    here = tmp_path / "trabajo"
    here.mkdir()
    cases = [case("c0"), case("c1"), pending("c2")]
    cases += [case(f"secreto{n}", split="test") for n in range(3)]
    write(here / "casos.jsonl", *cases)
    write(here / "salidas.jsonl", *(line(one["id"]) for one in cases))
    write(here / "umbrales.toml", "minimo_casos = 1")
    return here


def report_of(folder: Path, name: str = "informe.json") -> dict[str, Any]:
    return held_to("informe-2", json.loads((folder / name).read_text(encoding="utf-8")))


GIVEN = ("--casos", "casos.jsonl", "--predicciones", "salidas.jsonl")


def test_a_gate_that_passes_says_so_in_words_and_exits_with_0(folder: Path) -> None:
    done = run_evals(*GIVEN, "--informe", "informe.json", cwd=folder)
    assert done.code == 0
    assert "LA PUERTA PASA" in done.out
    assert "2 de 3 cuentan para la puerta" in done.out
    assert "c2" in done.out
    assert "informe.json" in done.err
    report = report_of(folder)
    assert (report["veredicto"], report["motivo"], report["codigo_salida"]) == ("pasa", None, 0)
    assert report["generador"] == "predicciones:salidas.jsonl"
    assert [row["cuenta"] for row in report["casos"]] == [True, True, False]


def test_a_gate_that_fails_names_figure_and_threshold_and_exits_with_1(folder: Path) -> None:
    write(folder / "salidas.jsonl", line("c0"), line("c1", {**good_output(), "requiere_derivacion": False}))
    done = run_evals(*GIVEN, "--informe", "informe.json", cwd=folder)
    assert done.code == 1
    assert "LA PUERTA NO PASA" in done.out
    assert "acierto_derivacion=0.50 < 0.90" in done.out
    assert report_of(folder)["fallos"] == [
        "acierto_derivacion=0.50 < 0.90",
        "derivaciones_omitidas=1 (máx 0)",
    ]


def test_fewer_cases_than_the_minimum_is_4_and_the_teams_own_file_sets_it(folder: Path) -> None:
    (folder / "umbrales.toml").unlink()
    done = run_evals(*GIVEN, "--informe", "informe.json", cwd=folder)
    assert done.code == 4
    assert "hacen falta al menos 5" in done.out
    assert report_of(folder)["motivo"] == "pocos_casos"
    write(folder / "otros.toml", "minimo_casos = 2", '[puerta.idioma_es]\nvalor = "0.50"')
    done = run_evals(*GIVEN, "--umbrales", "otros.toml", "--informe", "informe.json", cwd=folder)
    assert done.code == 0
    assert "otros.toml" in done.err
    report = report_of(folder)
    assert report["umbrales"]["idioma_es"] == {"tipo": "suelo", "valor": "0.50"}
    assert report["umbrales"]["recall_diferenciales"] == {"tipo": "suelo", "valor": "0.80"}


@pytest.mark.parametrize(
    ("content", "code", "sentence"),
    [
        ("minimo_caso = 2", 3, "minimo_casos"),
        ("minimo_casos = 0", 3, "de 1 en adelante"),
        ('minimo_casos = "5"', 3, "sin comillas"),
        ('reglas = "7"', 3, "«7»"),
        ("[puerta.recal]\nvalor = '0.8'", 3, "recal"),
        ("puerta = 3", 3, "no tiene la forma"),
        ("esto no es toml", 3, "TOML"),
    ],
)
def test_thresholds_with_a_mistake_are_refused_and_nothing_is_judged(
    folder: Path, content: str, code: int, sentence: str
) -> None:
    write(folder / "umbrales.toml", content)
    done = run_evals(*GIVEN, cwd=folder)
    assert done.code == code
    assert "umbrales.toml" in done.err
    assert sentence in done.err
    assert done.out == ""
    assert run_evals(*GIVEN, "--umbrales", "no_esta.toml", cwd=folder).code == 2


def test_the_reserved_split_is_told_in_aggregate_only(folder: Path) -> None:
    for split in ("test", "todos"):
        done = run_evals(*GIVEN, "--split", split, "--informe", "informe.json", cwd=folder)
        assert done.code == 0
        assert "secreto" not in done.out + done.err + (folder / "informe.json").read_text(encoding="utf-8")
    write(folder / "salidas.jsonl", line("c0"))
    done = run_evals(*GIVEN, "--split", "todos", "--informe", "informe.json", cwd=folder)
    assert done.code == 1
    assert "secreto" not in done.out + done.err + (folder / "informe.json").read_text(encoding="utf-8")
    assert report_of(folder)["sin_prediccion_reservados"] == 3


def test_pending_cases_count_only_when_asked_for_and_then_it_is_said(folder: Path) -> None:
    done = run_evals(*GIVEN, "--incluir-pendientes", "--informe", "informe.json", cwd=folder)
    assert "3 de 3 cuentan" in done.out
    assert "nadie ha firmado" in done.out
    assert report_of(folder)["incluye_pendientes"] is True


def test_a_simulation_says_in_capitals_that_nothing_real_was_scored(folder: Path) -> None:
    done = run_evals("--casos", "casos.jsonl", "--simular", "--informe", "informe.json", cwd=folder)
    assert done.code == 0
    assert "NO SE HA PUNTUADO NADA REAL" in done.out
    assert "LA PUERTA PASA" not in done.out
    report = report_of(folder)
    assert (report["generador"], report["simulado"], report["veredicto"]) == ("simulado", True, "simulado")
    assert "NO SE HA PUNTUADO NADA REAL" in report["aviso"]


def test_zero_counted_cases_is_4_and_has_a_report(folder: Path) -> None:
    write(folder / "casos.jsonl", pending("c0"))
    write(folder / "salidas.jsonl", line("c0"))
    done = run_evals(*GIVEN, "--informe", "informe.json", cwd=folder)
    assert done.code == 4
    assert "NO HAY VEREDICTO" in done.out
    assert "0.00" not in done.out.split("Agregado")[1]
    report = report_of(folder)
    assert (report["motivo"], report["codigo_salida"]) == ("ningun_caso_cuenta", 4)
    assert set(report["agregado"].values()) == {None}
    empty = run_evals(*GIVEN, "--split", "test", cwd=folder)
    assert empty.code == 4
    assert "ningún caso en test" in empty.out


def test_no_counted_case_with_a_prediction_is_4(folder: Path) -> None:
    write(folder / "salidas.jsonl", line("c2"))
    done = run_evals(*GIVEN, "--informe", "informe.json", cwd=folder)
    assert done.code == 4
    assert report_of(folder)["motivo"] == "ninguna_prediccion"
    write(folder / "salidas.jsonl")
    assert run_evals(*GIVEN, cwd=folder).code == 4


def test_a_counted_case_without_prediction_is_named(folder: Path) -> None:
    write(folder / "salidas.jsonl", line("c0"))
    done = run_evals(*GIVEN, "--informe", "informe.json", cwd=folder)
    assert done.code == 1
    assert "no tiene predicción" in done.err
    assert report_of(folder)["sin_prediccion"] == ["c1"]


def test_a_case_edited_after_its_signature_does_not_count_and_is_named(folder: Path) -> None:
    data = folder / "casos.jsonl"
    Dataset.open(data).apply(Sign(ids=("c2",), reviewer="Ana Prueba"))
    assert "3 de 3 cuentan" in run_evals(*GIVEN, cwd=folder).out
    data.write_text(
        data.read_text(encoding="utf-8").replace('"creat": 3.1', '"creat": 3.2', 1), encoding="utf-8"
    )
    done = run_evals(*GIVEN, "--informe", "informe.json", cwd=folder)
    assert done.code == 0
    assert "2 de 3 cuentan" in done.out
    assert "c0: firma caducada" in done.err
    report = report_of(folder)
    assert (report["casos"][0]["cuenta"], report["casos"][0]["estado_firma"]) == (False, "caducado")


def test_a_damaged_record_is_5_before_anything_the_figures_say(folder: Path) -> None:
    (folder / "casos.firmas.jsonl").write_text('{"esto": "no es una entrada"}\n', encoding="utf-8")
    done = run_evals(*GIVEN, "--informe", "informe.json", cwd=folder)
    assert done.code == 5
    assert "registro de firmas está dañado" in done.out
    report = report_of(folder)
    assert (report["veredicto"], report["codigo_salida"]) == ("integridad_rota", 5)
    write(folder / "salidas.jsonl", line("c0"), line("c0"))
    assert run_evals(*GIVEN, cwd=folder).code == 5, "the record is looked at first"


def test_the_shipped_example_fails_and_a_good_set_passes(tmp_path: Path) -> None:
    example = ROOT / "casos" / "predicciones_ejemplo.jsonl"
    done = run_evals("--predicciones", example, cwd=tmp_path)
    assert done.code == 1
    assert "datos sintéticos" in done.out
    assert "casos.jsonl" in done.err
    good = ROOT / "tests" / "fixtures" / "predicciones_buenas.jsonl"
    for split in ("dev", "test", "todos"):
        assert run_evals("--predicciones", good, "--split", split, cwd=tmp_path).code == 0


def test_a_users_own_set_bears_no_demonstration_label(folder: Path) -> None:
    done = run_evals(*GIVEN, "--informe", "informe.json", cwd=folder)
    assert "demostración" not in done.out + done.err + (folder / "informe.json").read_text(encoding="utf-8")


def test_english_on_request_with_the_same_data_keys(folder: Path) -> None:
    done = run_evals(*GIVEN, "--idioma", "en", cwd=folder)
    assert "THE GATE PASSES" in done.out
    assert "cob=1.00" in done.out
    helped = run_evals("--help", "--idioma=en", cwd=folder)
    assert helped.code == 0
    assert helped.out.startswith("usage: run-evals")
    assert "examples:" in helped.out


def test_help_has_examples_and_version_names_the_program(folder: Path) -> None:
    helped = run_evals("--help", cwd=folder)
    assert helped.code == 0
    assert helped.out.startswith("uso: run-evals")
    assert "ejemplos:" in helped.out
    assert "--predicciones salidas.jsonl" in helped.out
    assert "options:" not in helped.out
    for code in (
        "0  la",
        "1  la",
        "2  la",
        "3  los",
        "4  no",
        "5  el",
        "6  los",
        "8  no",
        "70 fallo",
        "130 int",
    ):
        assert code in helped.out
    assert run_evals("--version", cwd=folder).out == f"run-evals {__version__}\n"


def test_nothing_is_coloured_in_a_pipe(folder: Path) -> None:
    done = run_evals(*GIVEN, cwd=folder, env={"FORCE_COLOR": "1"})
    assert "\x1b" not in done.out + done.err


def test_the_command_loads_neither_reviewer_nor_textual_nor_rich(folder: Path) -> None:
    script = (
        "import sys; from scoring.cli.run_evals import main; "
        "code = main(['--casos', 'casos.jsonl', '--predicciones', 'salidas.jsonl']); "
        "print(code, sorted({'reviewer', 'textual', 'rich', 'jsonschema'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "0 []"


def test_a_threshold_on_what_the_rules_do_not_measure_is_said_not_to_apply(folder: Path) -> None:
    own = 'minimo_casos = 1\n[puerta.precision_hallazgos]\ntipo = "suelo"\nvalor = "1.00"\n'
    (folder / "umbrales.toml").write_text(own, encoding="utf-8")
    done = run_evals(*GIVEN, "--reglas", "1", cwd=folder)
    for metric in ("precision_hallazgos", "derivaciones_omitidas"):
        assert f"umbral de «{metric}» no se aplica: las reglas «1» no lo miden" in done.err
    assert "no se aplica" not in run_evals(*GIVEN, cwd=folder).err


@pytest.mark.lento
@pytest.mark.skipif(not SHARED.exists(), reason="the recorded real outputs are not here")
def test_the_recorded_real_runs_agree(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, SHARED / "check" / "gate.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    if "No such file" in done.stderr:
        pytest.skip("run-evals is not installed in this environment")
    assert done.returncode == 0, done.stdout
