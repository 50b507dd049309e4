"""Whatever is wrong with the call, the data or the disk ends in a sentence and its own exit code."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reviewer.signing import Sign
from reviewer.store import Dataset
from scoring.record import record_path
from tests.cli.processes import run_evals
from tests.clinical.samples import case, good_output, line, pending, write

GIVEN = ("--casos", "casos.jsonl", "--predicciones", "salidas.jsonl")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    here = tmp_path / "trabajo"
    here.mkdir()
    write(here / "casos.jsonl", case("c0"), case("c1"))
    write(here / "salidas.jsonl", line("c0"), line("c1"))
    write(here / "umbrales.toml", "minimo_casos = 1")
    return here


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "--predicciones"),
        (("--predicciones", "salidas.jsonl", "--simular"), "no van juntas"),
        ((*GIVEN, "--reglas", "9"), "«9» no vale para --reglas"),
        ((*GIVEN, "--juez", "ningno"), "¿Quería decir «ninguno»?"),
        ((*GIVEN, "--split", "tets"), "¿Quería decir «test»?"),
        ((*GIVEN, "--informes", "x"), "¿Quería decir «--informe»?"),
        ((*GIVEN, "--inform", "x"), "¿Quería decir «--informe»?"),
        ((*GIVEN, "--xyz"), "no existe la opción «--xyz»"),
        ((*GIVEN, "--informe"), "le falta su valor"),
        ((*GIVEN, "--simular=1"), "no lleva valor"),
        ((*GIVEN, "suelto"), "sobra «suelto»"),
        ((*GIVEN, "--idioma", "fr"), "«fr» no vale para --idioma"),
        (("--casos", "nada.jsonl", "--predicciones", "salidas.jsonl"), "No existe el archivo «nada.jsonl»"),
        (("--casos", "casos.jsonl", "--predicciones", "nada.jsonl"), "No existe el archivo «nada.jsonl»"),
        (("--casos", ".", "--predicciones", "salidas.jsonl"), "es una carpeta"),
        ((*GIVEN, "--informe", "casos.jsonl"), "encima de «casos.jsonl»"),
        ((*GIVEN, "--informe", "./salidas.jsonl"), "encima de"),
        (("--casos", "", "--predicciones", "salidas.jsonl"), "la ruta de --casos está vacía"),
        (("--casos", "casos.jsonl", "--predicciones", ""), "la ruta de --predicciones está vacía"),
        ((*GIVEN, "--informe", ""), "la ruta de --informe está vacía"),
        ((*GIVEN, "--informe", "casos.lock"), "encima de «casos.lock»"),
        ((*GIVEN, "--informe", "casos.pendiente"), "encima de"),
        ((*GIVEN, "--informe", "casos.firmas.jsonl"), "encima de"),
        ((*GIVEN, "--informe", "casos.firmas.jsonl.rotas"), "encima de"),
    ],
)
def test_a_wrong_call_is_2_and_says_what_to_write(
    folder: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = run_evals(*arguments, cwd=folder)
    assert done.code == 2
    assert sentence in done.err
    assert "run-evals --help" in done.err
    assert done.out == ""
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_wrong_call_is_answered_in_the_language_asked_for(folder: Path) -> None:
    done = run_evals("--idioma", "en", "--informes", "x", cwd=folder)
    assert done.code == 2
    assert "Did you mean “--informe”?" in done.err


@pytest.mark.parametrize("option", ["--umbrales", "--comparar"])
def test_a_file_that_is_not_there_is_told_in_the_language_of_the_interface(folder: Path, option: str) -> None:
    write(folder / "casos.jsonl", case("c0"))
    write(folder / "salidas.jsonl", line("c0"))
    done = run_evals(*GIVEN, option, "nada", cwd=folder)
    assert done.code == 2
    assert "no existe el archivo" in done.err
    assert "No such file" not in done.err


@pytest.mark.parametrize(
    ("second", "sentences"),
    [
        (case("c0"), ["línea 2", "«c0»", "ya está en la línea 1"]),
        ('{"id": "c1", "esp', ["línea 2", "cortada"]),
        ("[1]", ["línea 2", "objeto"]),
        (case("c1", split="validacion"), ["línea 2", "«c1»", "«validacion»", "dev"]),
        (case("c1", revisor=None), ["línea 2", "«c1»", "revisor", "no dice por quién"]),
        (case("c1", revisor="  "), ["línea 2", "«c1»", "no dice por quién"]),
        (case("c1", validado="false"), ["línea 2", "«c1»", "validado", "true o false"]),
        (case("c1", validado=None), ["línea 2", "validado"]),
        (case("c1", requiere_derivacion=None), ["línea 2", "esperado.requiere_derivacion"]),
        (case("c1", hallazgos_clave="creat"), ["línea 2", "esperado.hallazgos_clave"]),
        (case("c1", diferenciales_aceptables=[None]), ["esperado.diferenciales_aceptables[0]"]),
        ({"id": "c1", "split": "dev"}, ["línea 2", "esperado", "falta"]),
        ({**case("c1"), "esperado": {}}, ["esperado.hallazgos_clave", "esperado.requiere_derivacion"]),
    ],
)
def test_data_that_cannot_be_trusted_is_3_with_line_id_and_field(
    folder: Path, second: dict[str, Any] | str, sentences: list[str]
) -> None:
    write(folder / "casos.jsonl", case("c0"), second)
    write(folder / "salidas.jsonl", line("c0"))
    done = run_evals(*GIVEN, "--informe", "informe.json", cwd=folder)
    assert done.code == 3
    for sentence in ["casos.jsonl", *sentences]:
        assert sentence in done.err
    assert done.out == ""
    assert not (folder / "informe.json").exists()


@pytest.mark.parametrize(
    ("second", "sentences"),
    [
        (line("c0"), ["línea 2", "«c0»", "línea 1"]),
        (line("c9"), ["línea 2", "«c9»", "no está en los datos", "--ignorar-desconocidas"]),
        ('{"id": "c1", "interpretacion": {"interpretacion": "El pac', ["línea 2", "cortada"]),
        ({"id": "c1"}, ["línea 2", "«c1»", "interpretacion", "falta"]),
        ({"id": "c1", "interpretacion": None}, ["línea 2", "null"]),
        (line("c1", {"requiere_derivacion": "false"}), ["línea 2", "requiere_derivacion", "un texto"]),
        (line("c1", {"diferenciales": None}), ["línea 2", "interpretacion.diferenciales"]),
        (line("c1", {"hallazgos_clave": ["hct"]}), ["línea 2", "hallazgos_clave[0]"]),
    ],
)
def test_predictions_that_cannot_be_scored_are_3_with_line_id_and_field(
    folder: Path, second: dict[str, Any] | str, sentences: list[str]
) -> None:
    write(folder / "salidas.jsonl", line("c0"), second)
    done = run_evals(*GIVEN, cwd=folder)
    assert done.code == 3
    for sentence in ["salidas.jsonl", *sentences]:
        assert sentence in done.err
    assert done.out == ""


def test_problems_of_both_files_are_told_in_one_go(folder: Path) -> None:
    write(folder / "casos.jsonl", case("c0"), case("c0"))
    write(folder / "salidas.jsonl", line("c0"), line("c0"))
    done = run_evals(*GIVEN, cwd=folder)
    assert done.code == 3
    assert "casos.jsonl" in done.err
    assert "salidas.jsonl" in done.err


@pytest.mark.parametrize("broken", ["casos.jsonl", "salidas.jsonl"])
def test_a_damaged_record_comes_before_problems_of_the_files_and_both_are_told(
    folder: Path, broken: str
) -> None:
    dataset = Dataset.open(folder / "casos.jsonl")
    dataset.apply(Sign((dataset.cases[0].id,), "Eva Sanz", resign=True))
    record = record_path(folder / "casos.jsonl")
    with (folder / broken).open("a", encoding="utf-8") as stream:
        stream.write('{"id": ')
    assert run_evals(*GIVEN, cwd=folder).code == 3, "a sound record and a line that is cut"
    record.write_bytes(record.read_bytes().replace(b"Eva Sanz", b"Eva Soto"))
    found = run_evals(*GIVEN, "--informe", "informe.json", cwd=folder)
    assert (found.code, found.out) == (5, "")
    assert "la línea está cortada" in found.err
    assert "además, el registro de firmas está dañado" in found.err
    assert "revision --auditar" in found.err
    assert not (folder / "informe.json").exists()


def test_a_missing_file_is_said_before_faults_of_the_other(folder: Path) -> None:
    write(folder / "casos.jsonl", case("c0"), case("c0"))
    done = run_evals("--casos", "casos.jsonl", "--predicciones", "nada.jsonl", cwd=folder)
    assert done.code == 2


def test_of_many_problems_twenty_are_shown_and_the_others_counted(folder: Path) -> None:
    write(folder / "salidas.jsonl", *["[]"] * 23)
    done = run_evals(*GIVEN, cwd=folder)
    assert done.code == 3
    assert "tienen 23 problemas" in done.err
    assert "línea 20" in done.err
    assert "línea 21" not in done.err
    assert "y 3 problemas más" in done.err


def test_unknown_predictions_can_be_left_out_with_a_notice(folder: Path) -> None:
    write(folder / "salidas.jsonl", line("c0"), line("c1"), line("c9"))
    done = run_evals(*GIVEN, "--ignorar-desconocidas", cwd=folder)
    assert done.code == 0
    assert "«c9»" in done.err
    assert "--ignorar-desconocidas" not in done.err, "what was given is not advised again"


@pytest.mark.parametrize("bad_id", [" c1", "c1\u200b", "", 7, None])
def test_a_faulty_id_in_the_data_draws_no_second_complaint_on_its_prediction(
    folder: Path, bad_id: object
) -> None:
    write(folder / "casos.jsonl", case("c0"), {**case("c1"), "id": bad_id})
    done = run_evals(*GIVEN, cwd=folder)
    assert done.code == 3
    assert "línea 2" in done.err
    assert "salidas.jsonl" not in done.err
    assert "Quite la línea" not in done.err


def test_a_file_in_utf16_is_said_once(folder: Path) -> None:
    text = (folder / "salidas.jsonl").read_text("utf-8")
    (folder / "salidas.jsonl").write_bytes(text.encode("utf-16"))
    done = run_evals(*GIVEN, cwd=folder)
    assert done.code == 3
    assert done.err.count("UTF-16") == 1
    assert "tienen un problema" in done.err


@pytest.mark.parametrize(
    "command",
    [
        ["scoring.cli.run_evals", *GIVEN, "--informe", "informe.json"],
        ["scoring.cli.run_evals", "--help"],
        ["scoring.engine", "casos.jsonl"],
        ["reviewer", "--casos", "casos.jsonl", "--estado"],
        ["reviewer", "--casos", "casos.jsonl"],
        ["reviewer", "--casos", "casos.jsonl", "--validar", "c1", "--revisor", "Ana Ruiz", "--refirmar"],
    ],
)
def test_with_a_closed_stdout_nothing_is_done_and_the_code_is_8(folder: Path, command: list[str]) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    call = shlex.join([sys.executable, "-m", *command])
    done = subprocess.run(
        ["sh", "-c", f"exec {call} </dev/null >&-"], cwd=folder, stderr=subprocess.PIPE, check=False
    )
    assert done.returncode == 8
    assert "la salida estándar está cerrada" in done.stderr.decode()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_prediction_of_the_other_split_is_no_stranger(folder: Path) -> None:
    write(folder / "casos.jsonl", case("c0"), case("c1", split="test"))
    assert run_evals(*GIVEN, cwd=folder).code == 0


def test_hostile_text_of_the_files_is_shown_and_never_obeyed(folder: Path) -> None:
    write(folder / "casos.jsonl", case("c0"), pending("c1", split="\x1b[2J\u202e"))
    write(folder / "salidas.jsonl", line("\x1b]0;x\x07"))
    done = run_evals(*GIVEN, cwd=folder)
    assert done.code == 3
    assert not {"\x1b", "\x07", "\u202e"} & set(done.out + done.err)


def test_a_report_that_cannot_be_written_is_8_and_the_verdict_is_still_told(folder: Path) -> None:
    (folder / "ocupado").write_text("x", encoding="utf-8")
    done = run_evals(*GIVEN, "--informe", "ocupado/informe.json", cwd=folder)
    assert done.code == 8
    assert "ocupado" in done.err
    assert "LA PUERTA PASA" in done.out


def test_a_report_in_the_place_of_a_folder_is_8_in_the_language_of_the_screens(folder: Path) -> None:
    (folder / "carpeta").mkdir()
    done = run_evals(*GIVEN, "--informe", "carpeta", cwd=folder)
    assert done.code == 8
    assert "«carpeta» es una carpeta" in done.err
    assert "directory" not in done.err
    assert list((folder / "carpeta").iterdir()) == []


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no /dev/stdout here")
@pytest.mark.parametrize("into_file", [False, True])
def test_the_report_can_follow_the_text_on_stdout(folder: Path, into_file: bool) -> None:
    target = folder / "todo.txt"
    with target.open("wb") as stream:
        done = subprocess.run(
            [sys.executable, "-m", "scoring.cli.run_evals", *GIVEN, "--informe", "/dev/stdout"],
            cwd=folder,
            stdout=stream if into_file else subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
        )
    said = target.read_text("utf-8") if into_file else done.stdout.decode()
    assert done.returncode == 0
    text, _, report = said.partition("\n{\n")
    assert "LA PUERTA PASA" in text
    assert json.loads("{" + report)["veredicto"] == "pasa"


def test_the_report_makes_its_folder_and_leaves_nothing_else_behind(folder: Path) -> None:
    done = run_evals(*GIVEN, "--informe", "a/b/informe.json", cwd=folder)
    assert done.code == 0
    assert [path.name for path in (folder / "a" / "b").iterdir()] == ["informe.json"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_a_full_disk_behind_stdout_is_8(folder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "scoring.cli.run_evals", *GIVEN],
            cwd=folder,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 8
    assert "no se ha podido escribir" in done.stderr.decode()


def test_a_reader_that_leaves_early_does_not_change_the_verdict(folder: Path) -> None:
    write(folder / "salidas.jsonl", line("c0", {**good_output(), "interpretacion": ""}))
    read, wrote = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "scoring.cli.run_evals", *GIVEN],
        cwd=folder,
        stdout=wrote,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(wrote)
    assert done.returncode == 1
    assert b"BrokenPipe" not in done.stderr
    assert b"Exception" not in done.stderr


def test_what_a_terminal_cannot_show_is_written_as_an_escape(folder: Path) -> None:
    write(folder / "casos.jsonl", case("c0", fuera_de_alcance=True))
    write(folder / "salidas.jsonl", line("c0", {}))
    done = run_evals(*GIVEN, cwd=folder, env={"PYTHONIOENCODING": "ascii"})
    assert done.code == 1
    assert "[\\u26a0SEG]" in done.out
