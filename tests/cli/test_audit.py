"""``revision --auditar``: what it names, what it ends with, and that it writes nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from reviewer.signing import Sign
from reviewer.store import Dataset
from scoring.record import entry_digest, record_path
from tests.cli.processes import revision, run_evals
from tests.support import ROOT, make_case, signed, write_cases

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "mis datos"
    folder.mkdir()
    path = write_cases(
        folder / "casos.jsonl", signed(make_case("vieja")), make_case("uno"), make_case("dos", split="test")
    )
    for case_id in ("uno", "dos"):
        Dataset.open(path).apply(Sign((case_id,), "Ana Ruiz", way="cli"))
    return path


def audit(data: Path, *more: object, code: int) -> str:
    """The output; the folder was read-only meanwhile and holds the same bytes."""
    before = {p.name: p.read_bytes() for p in data.parent.iterdir()}
    done = revision("--casos", data, "--auditar", *more, cwd=data.parent)
    assert done.returncode == code, done.stdout + done.stderr
    assert {p.name: p.read_bytes() for p in data.parent.iterdir()} == before
    return done.stdout


def audit_json(data: Path, *more: object, code: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(audit(data, "--json", *more, code=code))
    assert found["codigo_salida"] == code
    assert found["integro"] == (code != 5)
    return found


def lines_of(data: Path) -> list[bytes]:
    return record_path(data).read_bytes().splitlines()


def test_a_whole_record_is_told_with_its_signatures_and_the_line_for_ci(data: Path) -> None:
    tip = entry_digest(lines_of(data)[-1])
    told = audit(data, code=0).splitlines()
    assert told[0] == f"Datos: {data}"
    assert told[1] == f"Registro: {record_path(data)} (3 entradas)"
    assert told[3] == "ÍNTEGRO: el registro está entero y los datos coinciden con él."
    assert told[5] == "Firmas: 3 (con clave: 0; por nombre: 2; adoptadas: 1; sin registro: 0)"
    old, named = "adoptada (ya estaba en los datos antes del registro)", "firma por nombre"
    assert told[6] == f"  vieja  Ana Ruiz  2026-08-01  {old}"
    assert [line.partition("Ana Ruiz")[0].strip() for line in told if line.endswith(named)] == ["uno", "dos"]
    assert f"  {tip}" in told
    assert told[-1] == f"  revision --casos '{data}' --auditar --cabeza {tip}"


def test_the_line_for_ci_holds_today_and_after_more_signatures_and_not_after_a_cut(data: Path) -> None:
    command = audit(data, code=0).splitlines()[-1].split("--cabeza ")[1]
    assert "conserva la entrada fijada" in audit(data, "--cabeza", command, code=0)
    whole = record_path(data).read_bytes()
    Dataset.open(data).apply(Sign(("uno",), "Eva", resign=True))
    audit(data, "--cabeza", command, code=0)
    record_path(data).write_bytes(b"".join(whole.splitlines(keepends=True)[:-1]))
    assert "fijada con --cabeza" in audit(data, "--cabeza", command, code=5)
    record_path(data).unlink()
    assert "falta, o no es de este registro" in audit(
        data, "--cabeza", command, "--cabeza", command.upper(), code=5
    )
    assert "sin registro" in audit(data, code=0)


def test_a_tip_that_is_no_digest_is_wrong_usage(data: Path) -> None:
    done = revision("--casos", data, "--auditar", "--cabeza", "abc123", cwd=data.parent)
    assert done.returncode == 2
    assert "64 cifras" in done.stderr


def drop(index: int) -> Callable[[list[bytes]], list[bytes]]:
    return lambda lines: [*lines[:index], *lines[index + 1 :]]


@pytest.mark.parametrize(
    ("tamper", "code", "where", "said"),
    [
        (drop(1), "missing_entry", "registro", "ya no está"),
        (lambda lines: [lines[1], lines[0], lines[2]], "moved", "registro", "movió líneas"),
        (lambda lines: [*lines[:2], lines[2].replace(b"Ana Ruiz", b"Eva Ruiz")], "bad_entry", "registro", "texto"),
        (drop(2), "not_in_record", "datos", "a mano"),
    ],
    ids=["removed", "reordered", "altered", "cut"],
)  # fmt: skip
def test_each_break_has_a_sentence_and_the_code_is_5(
    data: Path, tamper: Callable[[list[bytes]], list[bytes]], code: str, where: str, said: str
) -> None:
    lines = lines_of(data)
    record_path(data).write_bytes(b"".join(line + b"\n" for line in tamper(lines)))
    told = audit(data, code=5)
    assert "ROTO" in told
    assert said in told
    assert "No fije ahora las puntas" in told
    assert "--cabeza" not in told.replace("con --cabeza", "")
    assert not any(entry_digest(line) in told for line in tamper(lines)), "not for pinning"
    assert "por nombre: " not in told, "no totals as if they counted"
    assert ("no cuenta ninguna" in told) == (where == "registro")
    found = audit_json(data, code=5)
    assert (where, code) in {(b["en"], b["codigo"]) for b in found["roturas"]}
    assert found["orden"] is None


def test_a_signature_copied_to_another_case_in_the_data_is_named(data: Path) -> None:
    lines = data.read_text("utf-8").splitlines(keepends=True)
    pending = write_cases(data.with_name("otro.jsonl"), signed(make_case("tres"), "Ana Ruiz")).read_text(
        "utf-8"
    )
    data.with_name("otro.jsonl").unlink()
    data.write_text("".join([*lines, pending]), "utf-8")
    found = audit_json(data, code=5)
    assert [(b["codigo"], b["id"], b["linea"]) for b in found["roturas"]] == [("not_in_record", "tres", 4)]


def test_an_edit_of_a_signed_case_is_a_notice_and_problems_of_the_data_are_3(data: Path) -> None:
    text = data.read_text("utf-8")
    data.write_text(text.replace('"hct": 24', '"hct": 25'), "utf-8")
    told = audit(data, code=0)
    assert "firma caducada" in told
    assert told.count("caducada, no cuenta") == 3
    data.write_text(text + '{"id": "rota"\n', "utf-8")
    assert "véalo con --comprobar" in audit(data, code=3)


def test_a_signed_case_that_is_gone_is_a_break_for_the_status_too(data: Path) -> None:
    data.write_text("".join(line for line in data.read_text("utf-8").splitlines(True) if '"uno"' not in line))
    assert "caso «uno»: el registro guarda su firma (Ana Ruiz)" in audit(data, code=5)
    told = revision("--casos", data, "--estado", cwd=data.parent)
    assert told.returncode == 5
    assert "registro y datos coinciden" not in told.stdout
    assert "Un caso firmado no se encuentra en los datos (véalo con --auditar): uno" in told.stdout
    counted = revision("--casos", data, "--estado", "--json", cwd=data.parent)
    assert counted.returncode == 5
    assert json.loads(counted.stdout)["integridad"]["desaparecidos"] == ["uno"]


def test_no_lock_and_no_file_appear_even_where_nothing_can_be_written(data: Path) -> None:
    data.with_name("casos.lock").unlink()
    for path in [*data.parent.iterdir(), data.parent]:
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        audit(data, code=0)
        assert {p.name for p in data.parent.iterdir()} == {"casos.jsonl", "casos.firmas.jsonl"}
    finally:
        data.parent.chmod(0o755)


def test_after_a_real_kill_between_record_and_data_the_audit_is_0_with_a_notice(data: Path) -> None:
    """The child kills itself with SIGKILL when the data file is about to be replaced."""
    child = textwrap.dedent(
        f"""
        import os, pathlib, signal
        from reviewer.signing import Sign
        from reviewer.store import Dataset
        real = os.replace
        def dying(source, target, *rest, **more):
            if str(target).endswith("casos.jsonl"):
                os.kill(os.getpid(), signal.SIGKILL)
            return real(source, target, *rest, **more)
        os.replace = dying
        Dataset.open(pathlib.Path({str(data)!r})).apply(Sign(("uno",), "Luis", resign=True))
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", child], env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False
    )
    assert done.returncode == -signal.SIGKILL
    told = audit(data, code=0)
    assert "un guardado de Luis a medias" in told
    assert "uno" in told
    step = audit_json(data, code=0)["paso_en_curso"]
    assert (step["revisor"], step["casos"], step["en_registro"]) == ("Luis", ["uno"], True)


def test_json_tells_all_that_the_text_tells(data: Path) -> None:
    tip = entry_digest(lines_of(data)[-1])
    found = audit_json(data, "--cabeza", tip, code=0)
    assert found["entradas"] == 3
    assert found["puntas"] == found["cabeza"] == [tip]
    assert found["recuento"] == {"nombre": 2, "clave": 0, "adoptada": 1, "sin_registro": 0}
    assert found["firmas"][1] == {
        "id": "uno",
        "estado": "firmado",
        "cuenta": True,
        "revisor": "Ana Ruiz",
        "fecha": found["firmas"][1]["fecha"],
        "firma": "nombre",
        "clave": None,
        "entrada": entry_digest(lines_of(data)[1]),
    }


def test_the_demo_says_what_it_is_and_english_is_english(tmp_path: Path) -> None:
    done = revision("--auditar", "--idioma", "en", cwd=tmp_path)
    assert done.returncode == 0
    assert "demonstration" in done.stdout.splitlines()[0]
    assert "Record: there is none yet" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["--cabeza", "0" * 64],
        ["--exigir-clave"],
        ["--estado", "--allowed-signers", "x"],
        ["--estado", "--clave", "x"],
    ],
)
def test_its_options_go_with_their_orders_only(data: Path, arguments: list[str]) -> None:
    done = revision("--casos", data, *arguments, cwd=data.parent)
    assert done.returncode == 2
    assert "solo tiene sentido con" in done.stderr


def test_text_from_the_record_is_shown_and_never_obeyed(data: Path) -> None:
    record = record_path(data)
    hostile = "\\u001b[2J\\u202eAna\\nRuiz"
    last = lines_of(data)[-1].decode("utf-8")
    forged = last.replace('"revisor":"Ana Ruiz","rol"', f'"revisor":"{hostile}","rol"')
    record.write_bytes(b"".join(line + b"\n" for line in lines_of(data)[:-1]) + forged.encode() + b"\n")
    told = audit(data, code=5)
    assert "\x1b" not in told
    assert "\u202e" not in told
    assert "␛[2J" in told


# Keys.

needs_keygen = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "clave de ana"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    return path


def who(data: Path, key: Path, name: str) -> Path:
    path = data.with_name("allowed_signers")
    path.write_text(
        f'"{name}" namespaces="revision-clinica" {Path(f"{key}.pub").read_text("utf-8")}', "utf-8"
    )
    return path


@needs_keygen
def test_signing_with_a_key_and_requiring_keys_from_end_to_end(data: Path, key: Path) -> None:
    who(data, key, "Ana Ruiz")
    assert "sin una clave comprobada" in audit(data, "--exigir-clave", code=5)
    signing = ["--casos", data, "--validar", "vieja", "uno", "dos", "--refirmar", "--revisor", "Ana Ruiz"]
    done = revision(*signing, "--clave", key, cwd=data.parent)
    assert done.returncode == 0, done.stderr
    assert "firma con clave" in done.stdout
    told = audit(data, "--exigir-clave", code=0)
    assert told.count("firma con clave, comprobada (SHA256:") == 3
    assert "--auditar --exigir-clave --cabeza" in told.splitlines()[-1]
    who(data, key, "Eva Sanz")
    told = audit(data, code=5)
    assert "no es de Ana Ruiz" in told
    assert "La puerta cuenta 3" in told, "the gate does not look at keys, so it may not be said to refuse"
    assert "de git o de una copia" not in told, "there is nothing to restore"
    found = audit_json(data, code=5)
    assert {f["clave"]["estado"] for f in found["firmas"]} == {"ajena"}


@needs_keygen
def test_whoever_signs_with_a_key_that_is_not_listed_as_theirs_hears_it_at_once(
    data: Path, key: Path
) -> None:
    """They used to read «firma con clave», and CI refused the whole record afterwards."""
    signing = ["--casos", data, "--revisor", "Ana Ruiz", "--clave", key, "--validar"]
    who(data, key, "Ana Ruiz")
    assert "no consta" not in revision(*signing, "uno", "--refirmar", cwd=data.parent).stderr
    who(data, key, "Eva Sanz")
    done = revision(*signing, "dos", "--refirmar", cwd=data.parent)
    assert done.returncode == 0, "it is saved all the same"
    assert "Queda guardado, pero la auditoría no lo dará por bueno" in done.stderr
    assert "no consta como de Ana Ruiz" in done.stderr


@needs_keygen
@pytest.mark.parametrize("way", ["environment", "configuration"])
def test_the_key_may_be_a_setting(data: Path, key: Path, way: str) -> None:
    environment = {}
    if way == "environment":
        environment["REVISION_CLAVE"] = str(key)
    else:
        (data.parent / "revision.toml").write_text(f'clave = "{key}"\n', "utf-8")
    done = revision(
        "--casos", data, "--validar", "uno", "--refirmar", "--revisor", "Ana", cwd=data.parent, **environment
    )
    assert done.returncode == 0, done.stderr
    assert audit_json(data, code=0)["recuento"]["clave"] == 1


def test_requiring_keys_without_knowing_whose_they_are_is_wrong_usage(data: Path) -> None:
    done = revision("--casos", data, "--auditar", "--exigir-clave", cwd=data.parent)
    assert done.returncode == 2
    assert "--allowed-signers" in done.stderr


def test_a_key_that_cannot_sign_leaves_everything_as_it_was(data: Path) -> None:
    before = {p.name: p.read_bytes() for p in data.parent.iterdir()}
    signing = ["--casos", data, "--validar", "uno", "--refirmar", "--revisor", "Ana", "--clave", "nada"]
    done = revision(*signing, cwd=data.parent)
    assert done.returncode == 2
    assert "no existe la clave «nada»" in done.stderr
    assert {p.name: p.read_bytes() for p in data.parent.iterdir()} == before


# run-evals makes the same check first.


def test_run_evals_gives_no_verdict_on_what_the_audit_refuses(data: Path) -> None:
    given = ["--casos", data, "--simular", "--split", "dev", "--informe", "informe.json"]
    cwd = data.parent
    (cwd / "umbrales.toml").write_text("minimo_casos = 1\n", encoding="utf-8")
    assert run_evals(*given, cwd=cwd).code == 0
    whole = record_path(data).read_bytes()
    value = json.loads(lines_of(data)[-1])
    value["casos"][0]["previo"] = [entry_digest(lines_of(data)[1])]
    forged = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    record_path(data).write_bytes(b"".join(line + b"\n" for line in lines_of(data)[:-1]) + forged + b"\n")
    done = run_evals(*given, cwd=cwd)
    assert done.code == 5
    assert "0 de 2 cuentan" in done.out
    assert "el registro de firmas está dañado y no se sabe" in done.out
    assert "Error: el registro de firmas está dañado. «revision --auditar»" in done.err
    report = json.loads((cwd / "informe.json").read_text("utf-8"))
    assert (report["veredicto"], report["codigo_salida"]) == ("integridad_rota", 5)
    assert not any(row["cuenta"] for row in report["casos"])
    # A flag set by hand in the reserved split: no verdict, and the case is not named.
    record_path(data).write_bytes(b"".join(whole.splitlines(keepends=True)[:-1]))
    done = run_evals(*given, cwd=cwd)
    assert done.code == 5
    assert "grupo reservado" in done.out
    assert "está entero, pero los datos no cuadran con él" in done.out
    assert "Error: los datos no cuadran con el registro de firmas." in done.err
    assert json.loads((cwd / "informe.json").read_text("utf-8"))["motivo"] == "datos_descuadrados"
    assert "«dos»" not in done.out + done.err


def test_an_edited_case_is_not_called_in_order(data: Path) -> None:
    data.write_bytes(data.read_bytes().replace(b'"hct": 24', b'"hct": 25', 1))
    said = audit(data, code=0)  # an expired signature is no break
    assert "ÍNTEGRO" not in said
    assert "REGISTRO ENTERO, pero un caso cambió después de firmarse" in said
