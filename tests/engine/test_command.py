"""``python -m scoring.engine`` as a process: lines in, lines out, sentences on stderr, exit codes."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from scoring import __version__

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = [sys.executable, "-m", "scoring.engine"]
GOOD = b'{"id": "a", "paciente": {"especie": "canino", "edad_meses": 60}, "valores": {"hct": 24}}'


def run(*arguments: str, given: bytes = b"", **more: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *arguments],
        input=given,
        capture_output=True,
        check=False,
        env=os.environ | more,
        timeout=60,
    )


def answers(process: subprocess.CompletedProcess[bytes]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in process.stdout.splitlines()]


def test_one_line_in_one_line_out() -> None:
    process = run(given=GOOD + b"\n")
    assert process.returncode == 0
    assert process.stderr == b""
    (found,) = answers(process)
    assert list(found) == ["id", "hallazgos", "patrones"]
    assert found["id"] == "a"
    assert found["hallazgos"] == [
        {
            "clave": "hct",
            "nombre": "Hematocrito (Hct)",
            "unidad": "%",
            "valor": 24,
            "direccion": "bajo",
            "gravedad": "moderado",
        }
    ]
    assert found["patrones"][0]["clave"] == "anemia"
    assert found["patrones"][0]["parametros"] == ["hct"]


def test_numbers_keep_their_spelling() -> None:
    written = run(given=GOOD.replace(b'"hct": 24', b'"hct": 24, "alt": 300.0, "bun": "45"')).stdout
    assert b'"valor": 24,' in written
    assert b'"valor": 300.0,' in written
    assert b'"valor": 45,' in written


def test_a_line_without_id_gets_none_and_notices_only_when_there_are() -> None:
    line = b'{"paciente": {"especie": "canino", "edad_meses": 60}, "valores": {"hct": "24,5"}}'
    (found,) = answers(run(given=line))
    assert list(found) == ["hallazgos", "patrones", "avisos"]
    assert found["avisos"][0]["codigo"] == "decimal_comma_near"


def test_ranges_on_request() -> None:
    (found,) = answers(run("--rangos", given=GOOD))
    assert found["rangos"] == [
        {
            "clave": "hct",
            "nombre": "Hematocrito (Hct)",
            "unidad": "%",
            "valor": 24,
            "inferior": 37.0,
            "superior": 55.0,
            "inferior_ajustado": 37.0,
            "superior_ajustado": 55.0,
            "ajustes": [],
        }
    ]


@pytest.mark.parametrize(
    ("broken", "column", "code"),
    [
        (b'{"id": "b", "valores": {"hct": 24}', "columna 35", "cut_short"),
        (b'{"id": "b", "valores": {hct: 24}}', "columna 25", "syntax"),
        (b'{"id": "b", "id": "c"}', "", "duplicate_key"),
        (b'{"valores": {"hct": NaN}}', "", "not_a_number"),
        (b'["hct", 24]', "", "not_an_object"),
        (b'{"id": "\xff"}', "columna 9", "not_utf8"),
        (b'{"x": "' + b"y" * (1 << 20) + b'"}', "", "line_too_long"),
        (b"[" * 5000, "", "too_deep"),
    ],
    ids=lambda v: v[:20] if isinstance(v, str) else "",
)
def test_a_broken_line_is_named_and_the_others_are_answered(
    tmp_path: Path, broken: bytes, column: str, code: str
) -> None:
    path = tmp_path / "pacientes.jsonl"
    path.write_bytes(GOOD + b"\n\n" + broken + b"\r\n" + GOOD.replace(b'"a"', b'"z"') + b"\n")
    process = run(str(path))
    assert process.returncode == 3
    assert [found["id"] for found in answers(process)] == ["a", "z"]
    said = process.stderr.decode()
    assert f"{path}, línea 3" in said
    assert column in said
    assert f"[{code}]" in said
    assert "Una línea no se ha podido leer" in said
    assert "Traceback" not in said


def test_a_file_in_utf16_is_said_once() -> None:
    process = run(given=b"\n".join([GOOD] * 3).decode().encode("utf-16"))
    assert process.returncode == 3
    assert process.stdout == b""
    assert process.stderr.decode().count("UTF-16") == 1


def test_a_closed_input_is_wrong_usage() -> None:
    call = shlex.join(COMMAND)
    process = subprocess.run(["sh", "-c", f"exec {call} <&-"], capture_output=True, check=False)
    assert process.returncode == 2
    assert "no hay entrada" in process.stderr.decode()


def test_empty_input_is_no_error() -> None:
    process = run(given=b"\n \n")
    assert (process.returncode, process.stdout, process.stderr) == (0, b"", b"")


def test_a_byte_order_mark_is_no_error() -> None:
    assert run(given=b"\xef\xbb\xbf" + GOOD).returncode == 0


def test_a_missing_file_is_wrong_usage(tmp_path: Path) -> None:
    process = run(str(tmp_path / "no.jsonl"))
    assert process.returncode == 2
    assert "No existe el archivo" in process.stderr.decode()
    assert process.stdout == b""


@pytest.mark.parametrize("arguments", [("--rango",), ("a", "b"), ("--idioma", "fr")])
def test_wrong_usage_is_a_sentence(arguments: tuple[str, ...]) -> None:
    process = run(*arguments)
    assert process.returncode == 2
    assert process.stdout == b""
    assert "Traceback" not in process.stderr.decode()


def test_version_and_help() -> None:
    assert __version__ in run("--version").stdout.decode()
    shown = run("--help").stdout.decode()
    assert "ejemplos:" in shown
    assert "python -m scoring.engine casos/casos.jsonl" in shown
    assert '{"id": ..., "paciente": {...}, "valores": {...}}' in shown
    assert "examples:" in run("--help", "--idioma", "en").stdout.decode()


def test_english_notices() -> None:
    line = b'{"paciente": {"especie": "perro"}, "valores": {}}'
    (found,) = answers(run("--idioma", "en", given=line))
    assert found["avisos"][0]["texto"].startswith("The species “perro” is not known")


def test_output_is_utf8_whatever_the_locale() -> None:
    line = b'{"id": "\xc3\xb1\xf0\x9f\x90\xb6", "paciente": {"especie": "canino"}, "valores": {"rbc": 2}}'
    process = run(given=line, PYTHONIOENCODING="latin-1")
    found = json.loads(process.stdout.decode("utf-8"))
    assert found["id"] == "ñ🐶"
    assert found["hallazgos"][0]["unidad"] == "x10⁶/μL"


def test_a_reader_that_leaves_is_no_error() -> None:
    """An endless input and a reader of one line: the command ends, in silence."""
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(GOOD + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == "a"
        process.stdout.close()
        try:
            for _ in range(200_000):
                process.stdin.write(GOOD + b"\n")
        except BrokenPipeError:
            pass
        else:
            pytest.fail("the command went on reading for nobody")
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=30) == 0


def test_lines_are_answered_as_they_come() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for name in (b'"x"', b'"y"'):
            process.stdin.write(GOOD.replace(b'"a"', name) + b"\n")
            process.stdin.flush()
            assert b'{"id": ' + name in process.stdout.readline()
        process.stdin.close()
        assert process.wait(timeout=30) == 0
