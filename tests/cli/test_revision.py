"""``revision``: what it prints, what it writes, what it ends with."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from reviewer.commands.open_app import predictions
from scoring.jsonl import split_lines
from scoring.sources import Source, SourceKind
from tests.cli.processes import revision
from tests.support import HOSTILE, ROOT, make_case, signed, write_cases

LABEL = "demostración: datos sintéticos, firmas de ejemplo"


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    return write_cases(
        tmp_path / "mis casos.jsonl",
        signed(make_case("uno")),
        make_case("dos"),
        make_case("tres", split="test", paciente={"especie": "felino"}),
    )


def digest(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".lock"
    }


def test_without_a_terminal_it_tells_the_status_and_how_to_open_the_app(cases: Path) -> None:
    done = revision("--casos", cases, cwd=cases.parent)
    assert done.returncode == 0
    assert done.stderr == ""
    assert LABEL not in done.stdout, "a user's own file shows no such line"
    lines = done.stdout.splitlines()
    assert lines[2].split() == ["casos", "pendientes", "firmados"]
    assert lines[3].split() == ["Todos", "3", "2", "1"]
    assert "Grupo dev           2           1         1" in lines
    assert "Especie felino      1           1         0" in lines
    assert lines[-1] == (
        f"Para leer y firmar casos, abra la aplicación en un terminal: revision --casos '{cases}'"
    )


def test_the_demo_is_read_where_it_was_installed_and_says_what_it_is(tmp_path: Path) -> None:
    before = digest(ROOT / "casos")
    done = revision(cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith(LABEL + "\n")
    assert "Todos                43          26        17" in done.stdout
    assert digest(ROOT / "casos") == before
    assert digest(tmp_path) == {}, "a command that only reads writes nothing"


def test_signing_the_demo_works_on_a_copy_and_leaves_the_shipped_files_alone(tmp_path: Path) -> None:
    before = digest(ROOT / "casos")
    done = revision("--validar", "piometra-canino", "--revisor", "Ana Ruiz", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    copy = tmp_path / "casa" / "datos" / "revision-clinica" / "demo" / "casos.jsonl"
    assert str(copy) in done.stderr
    assert "Todos                43          25        18" in done.stdout
    assert digest(ROOT / "casos") == before
    again = revision("--estado", cwd=tmp_path)
    assert "Todos                43          25        18" in again.stdout, "the copy is used from then on"
    fresh = revision("--demo-nueva", "--estado", cwd=tmp_path)
    assert "Todos                43          26        17" in fresh.stdout
    assert "demo-anterior-1" in fresh.stderr
    assert (copy.parents[1] / "demo-anterior-1" / "casos.firmas.jsonl").exists()


def test_a_split_that_is_none_is_not_counted_as_dev(tmp_path: Path) -> None:
    """«tset» is a reserved case with a slip: told as dev it would look as if nothing were wrong with the counts."""
    data = write_cases(tmp_path / "c.jsonl", make_case("uno"), make_case("dos", split="tset"))
    done = revision("--casos", data, "--estado", "--json", cwd=tmp_path)
    counted = {name: group["total"] for name, group in json.loads(done.stdout)["por_grupo"].items()}
    assert counted == {"dev": 1, "(grupo no válido)": 1}
    assert done.returncode == 3


def test_without_record_and_signatures_none_is_counted(tmp_path: Path) -> None:
    path = write_cases(tmp_path / "c.jsonl", make_case("uno"))
    done = revision("--casos", path, "--estado", cwd=tmp_path)
    assert "aún no hay registro ni firmas" in done.stdout
    assert "0 firmas" not in done.stdout


def test_status_as_json_holds_the_same_counts(cases: Path) -> None:
    done = revision("--casos", cases, "--estado", "--json", cwd=cases.parent)
    found = json.loads(done.stdout)
    assert found["total"] == 3
    assert found["etiqueta"] is None
    assert found["por_grupo"]["dev"] == {
        "total": 2, "pendiente": 1, "firmado": 1, "devuelto": 0, "retirado": 0, "caducado": 0, "descuadrado": 0,
        "desacuerdo": 0,
    }  # fmt: skip
    assert found["integridad"] == {
        "registro": False, "por_nombre": 0, "por_clave": 0, "adoptadas": 0, "sin_registro": 1, "caducados": [], "descuadrados": [], "desaparecidos": [], "roturas": [], "guardado_interrumpido": [],
    }  # fmt: skip
    demo = json.loads(revision("--estado", "--json", cwd=cases.parent).stdout)
    assert demo["etiqueta"] == LABEL


def test_signing_changes_three_keys_of_its_line_and_says_who_signed(cases: Path) -> None:
    before = split_lines(cases.read_bytes())
    done = revision("--casos", cases, "--validar", "dos", "--revisor", "  Ana  Ruiz ", cwd=cases.parent)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Firmado: dos — Ana  Ruiz, ")
    # «uno» was signed in the data already.
    told = "Firmas del registro: por nombre, 1; con clave, 0; adoptadas (ya estaban en los datos), 1."
    assert told in done.stdout.splitlines()
    after = split_lines(cases.read_bytes())
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, False, True]
    old, new = json.loads(before[1].raw), json.loads(after[1].raw)
    assert {key for key in new if new[key] != old.get(key)} == {"validado", "revisor", "fecha_validacion"}
    assert new["revisor"] == "Ana  Ruiz"


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--validar", "dos"], 2, "falta quién firma"),
        (["--validar", "dos", "--revisor", "   "], 2, "nombre"),
        (["--validar", "dos", "--revisor", "Ana\x1b[2J"], 2, "nombre"),
        (["--validar", "dos", "--revisor", "Ana\u202e"], 2, "nombre"),
        (["--validar", "dos", "--revisor", "A" * 121], 2, "120"),
        (["--validar", "dos", "doss", "--revisor", "Ana"], 2, "«doss»"),
        (["--validar", "dos", "dos", "--revisor", "Ana"], 2, "repetidos"),
        (["--validar", "dos", "uno", "--revisor", "Ana"], 6, "ya está firmado"),
        (["--validar", "dos", "--estado", "--revisor", "Ana"], 2, "no van juntas"),
        (["--validar", "--revisor", "Ana"], 2, "--validar"),
        (["--refirmar"], 2, "--validar"),
        (["--json"], 2, "con --estado, --comprobar, --auditar, --historial o --acuerdo"),
        (["--forzar"], 2, "solo tiene sentido con --hoja."),
        (["--estado", "--predicciones", "c.jsonl"], 2, "al abrir la aplicación, sin ninguna otra orden"),
        (["--estado", "--revisor", "Ana"], 2, "--abstraccion, o al abrir la aplicación"),
        (["--hoja", "--revisor", ""], 2, "--revisor solo tiene sentido"),
        (["--estado", "--motivo", ""], 2, "--motivo solo tiene sentido"),
        (["--auditar", "--demo-nueva"], 2, "--demo-nueva solo tiene sentido"),
        (["--revisor", "  "], 2, "nombre"),
        (["--revisor", "Ana\u202e"], 2, "nombre"),
        (["--predicciones", "nope.jsonl"], 2, "No existe el archivo «nope.jsonl»"),
        (["--predicciones", "."], 2, "es una carpeta"),
        (["--predicciones", ""], 2, "la ruta de --predicciones está vacía"),
        (["--casos", ""], 2, "la ruta de --casos está vacía"),
        (["--reparar", "--segun", "regitro"], 2, "¿Quería decir «registro»?"),
        (["--estdo"], 2, "«--estado»"),
        (["--casos"], 2, "--casos"),
        (["sobra"], 2, "«sobra»"),
        (["--idioma", "fr"], 2, "es, en"),
        (["--demo-nueva"], 2, "demostración"),
    ],
)
def test_a_wrong_order_is_refused_with_a_sentence_and_nothing_is_written(
    cases: Path, arguments: list[str], code: int, sentence: str
) -> None:
    before = digest(cases.parent)
    named = arguments if arguments == ["--casos"] else ["--casos", str(cases), *arguments]
    done = revision(*named, cwd=cases.parent)
    assert (done.returncode, done.stdout) == (code, "")
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stderr
    assert digest(cases.parent) == before


def test_a_case_with_problems_cannot_be_signed_and_the_others_can(tmp_path: Path) -> None:
    path = write_cases(tmp_path / "c.jsonl", make_case("mal", esperado=None), make_case("bien"))
    refused = revision("--casos", path, "--validar", "bien", "mal", "--revisor", "Ana", cwd=tmp_path)
    assert refused.returncode == 3
    assert "línea 1, caso «mal», campo esperado" in refused.stderr
    assert not path.with_name("c.firmas.jsonl").exists()
    done = revision("--casos", path, "--validar", "bien", "--revisor", "Ana", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_read_only_file_is_not_signed(cases: Path) -> None:
    cases.chmod(0o444)
    done = revision("--casos", cases, "--validar", "dos", "--revisor", "Ana", cwd=cases.parent)
    assert done.returncode == 8
    assert "solo lectura" in done.stderr


def test_every_problem_of_the_data_is_told_with_line_case_and_field(tmp_path: Path) -> None:
    path = write_cases(
        tmp_path / "c.jsonl", make_case("a"), make_case("a", split="otro"), signed(make_case("b"), "")
    )
    with path.open("ab") as stream:
        stream.write(b'{"id": "c", "valores": {"hct"')
    done = revision("--casos", path, "--comprobar", cwd=tmp_path)
    assert done.returncode == 3
    assert done.stdout.splitlines()[1:] == [
        "  línea 2, caso «a», campo split: «otro» no es un grupo conocido. Escriba «dev» o «test».",
        "  línea 2, caso «a», campo id: este id ya está en la línea 1. Cada caso necesita un id propio.",
        "  línea 3, caso «b», campo revisor: el caso dice estar firmado pero no dice por quién. Sin persona no "
        "hay oro: fírmelo con nombre o ponga validado en false.",
        "  línea 4, columna 30: la línea está cortada: el JSON no termina. Suele quedar así cuando un programa se "
        "interrumpe; complete o borre esa línea.",
    ]
    as_json = json.loads(revision("--casos", path, "--comprobar", "--json", cwd=tmp_path).stdout)
    assert [(p["linea"], p["codigo"]) for p in as_json["problemas"]] == [
        (2, "unknown_split"), (2, "duplicate_id"), (3, "signed_without_reviewer"), (4, "cut_short"),
    ]  # fmt: skip
    status = revision("--casos", path, "--estado", cwd=tmp_path)
    assert status.returncode == 3
    assert "Hay 4 problemas" in status.stderr
    assert "Todos" in status.stdout, "the readable cases are still counted"


def test_good_data_are_said_to_be_good(cases: Path) -> None:
    done = revision("--casos", cases, "--comprobar", cwd=cases.parent)
    assert (done.returncode, done.stdout) == (0, f"«{cases}»: 3 casos, sin problemas.\n")


def test_the_paper_lands_beside_the_data_and_notes_on_it_are_kept(cases: Path) -> None:
    done = revision("--casos", cases, "--hoja", cwd=cases.parent)
    assert done.returncode == 0
    paper = cases.with_name("revision_pendiente.md")
    text = paper.read_text(encoding="utf-8")
    assert "## dos" in text
    assert "## uno" not in text
    paper.write_text(text.replace("- [ ] ferropenia", "- [x] ferropenia"), encoding="utf-8")
    refused = revision("--casos", cases, "--hoja", cwd=cases.parent)
    assert refused.returncode == 6
    assert "- [x] ferropenia" in paper.read_text(encoding="utf-8")
    assert revision("--casos", cases, "--hoja", "--forzar", cwd=cases.parent).returncode == 0
    other = cases.with_name("otra.md")
    assert revision("--casos", cases, "--hoja", other, cwd=cases.parent).returncode == 0
    assert other.exists()


@pytest.mark.parametrize(
    "name", ["c.jsonl", "c.firmas.jsonl", "c.lock", "c.pendiente", "c.accesos.jsonl", "enlace.md"]
)
def test_the_paper_never_takes_the_place_of_the_data(tmp_path: Path, name: str) -> None:
    path = write_cases(tmp_path / "c.jsonl", make_case("a"), make_case("b"))
    assert revision("--casos", path, "--validar", "a", "--revisor", "Ana", cwd=tmp_path).returncode == 0
    (tmp_path / "enlace.md").symlink_to("c.jsonl")
    before = digest(tmp_path)
    done = revision("--casos", path, "--hoja", tmp_path / name, "--forzar", cwd=tmp_path)
    assert done.returncode == 2
    assert "otro nombre" in done.stderr
    assert digest(tmp_path) == before


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="no /dev/stdout here")
@pytest.mark.parametrize("target", ["/dev/stdout", "-"])
def test_the_paper_goes_through_a_pipe_and_into_the_file_that_the_shell_opened(
    cases: Path, target: str
) -> None:
    order = [sys.executable, "-m", "reviewer", "--casos", str(cases), "--hoja", target]
    opened = cases.parent / "hoja.md"
    # Whoever reads the other end only waits: nothing may be read from the pipe first.
    piped = subprocess.run(order, cwd=cases.parent, capture_output=True, timeout=60, check=False)
    with opened.open("wb") as stream:
        subprocess.run(order, cwd=cases.parent, stdout=stream, stderr=subprocess.PIPE, timeout=60, check=True)
    assert piped.returncode == 0
    assert opened.read_bytes() == piped.stdout
    assert piped.stdout.startswith(b"# ")
    assert "/dev/stdout" in piped.stderr.decode()
    assert not cases.with_name("-").exists()


def test_a_data_set_that_takes_seconds_to_read_is_announced_beside_the_result(cases: Path) -> None:
    quick = revision("--casos", cases, "--estado", "--json", cwd=cases.parent)
    with cases.open("a", encoding="utf-8") as stream:
        stream.writelines([" " * (1 << 19) + "\n"] * 41)  # blank lines, 20.5 MiB
    slow = revision("--casos", cases, "--estado", "--json", cwd=cases.parent)
    assert "Leyendo" not in quick.stderr
    assert f"Leyendo «{cases}» (20 MiB)" in slow.stderr
    assert json.loads(slow.stdout) == json.loads(quick.stdout)


def test_an_interrupted_save_is_told(tmp_path: Path) -> None:
    path = write_cases(tmp_path / "c.jsonl", make_case("a"), make_case("b"))
    pending = path.read_bytes()
    assert revision("--casos", path, "--validar", "a", "--revisor", "Ana", cwd=tmp_path).returncode == 0
    # What a kill between the record and the data leaves: record line, old data, intent.
    old, new = (split_lines(data)[0].raw for data in (pending, path.read_bytes()))
    entry = split_lines(path.with_name("c.firmas.jsonl").read_bytes())[-1].raw
    intent = {
        "v": 1,
        "transaccion": hashlib.sha256(entry).hexdigest(),
        "casos": [
            {
                "id": "a",
                "linea_antes": hashlib.sha256(old).hexdigest(),
                "linea": hashlib.sha256(new).hexdigest(),
                "nueva": new.decode(),
            }
        ],
        "quien": {"revisor": "Ana", "proceso": 1, "equipo": "x", "utc": None},
    }
    path.write_bytes(pending)
    path.with_name("c.pendiente").write_text(json.dumps(intent, ensure_ascii=False), encoding="utf-8")
    done = revision("--casos", path, "--estado", cwd=tmp_path)
    assert "El último guardado se interrumpió" in done.stdout
    found = json.loads(revision("--casos", path, "--estado", "--json", cwd=tmp_path).stdout)
    assert found["integridad"]["guardado_interrumpido"] == ["a"]
    assert found["por_estado"]["firmado"] == 1, "what the app said to be saved counts"


def test_json_holds_no_character_that_a_terminal_obeys(tmp_path: Path) -> None:
    batch = "x\u009b31mROJO\u202e\u200b\x1b[2J"
    path = write_cases(tmp_path / "c.jsonl", make_case("a", tanda=batch))
    done = revision("--casos", path, "--estado", "--json", cwd=tmp_path)
    assert not [
        c for c in done.stdout if c != "\n" and (ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u200b")
    ]
    assert list(json.loads(done.stdout)["por_tanda"]) == [batch], "a reader of JSON gets it back as it was"


@pytest.mark.parametrize("name", ["no-existe.jsonl", "."])
def test_a_data_set_that_is_not_there_is_said(tmp_path: Path, name: str) -> None:
    done = revision("--casos", tmp_path / name, "--estado", cwd=tmp_path)
    assert done.returncode == 2
    assert str(tmp_path) in done.stderr


def test_the_data_set_can_be_named_by_the_environment_or_the_folder(cases: Path) -> None:
    by_environment = revision("--estado", cwd=cases.parent, REVISION_CASOS=str(cases))
    assert "Todos               3" in by_environment.stdout
    (cases.parent / "revision.toml").write_text(f'casos = "{cases.name}"\n', encoding="utf-8")
    by_folder = revision("--estado", cwd=cases.parent)
    assert "Todos               3" in by_folder.stdout


def test_hostile_text_reaches_no_stream_raw(tmp_path: Path) -> None:
    texts = [text for text in HOSTILE if text.isprintable() is False]
    path = write_cases(
        tmp_path / "c.jsonl",
        *[
            make_case(f"c{i}", tanda=text[:100], paciente={"especie": text, "raza": text})
            for i, text in enumerate(texts)
        ],
        make_case("x\x1b[2J", split="\x9b2J"),
    )
    for arguments in (["--estado"], ["--comprobar"], ["--validar", "c\x1b[2J", "--revisor", "Ana"]):
        done = revision("--casos", path, *arguments, cwd=tmp_path)
        said = done.stdout + done.stderr
        assert "Traceback" not in said
        assert not [
            c
            for c in said
            if c != "\n" and (ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u200b\ufeff")
        ]


def test_english_is_spoken_when_asked_for(cases: Path) -> None:
    done = revision("--casos", cases, "--estado", "--idioma", "en", cwd=cases.parent)
    assert "All" in done.stdout
    assert "Integrity: there is no record yet" in done.stdout
    helped = revision("--help", "--idioma", "en", cwd=cases.parent)
    assert helped.returncode == 0
    assert "examples:" in helped.stdout


def test_help_and_version_are_results(cases: Path) -> None:
    helped = revision("--help", cwd=cases.parent)
    assert (helped.returncode, helped.stderr) == (0, "")
    assert "ejemplos:" in helped.stdout
    assert "--validar" in helped.stdout
    version = revision("--version", cwd=cases.parent)
    assert version.stdout.startswith("revision 0.")


def test_a_terminal_that_speaks_no_utf8_gets_escapes_not_an_error(cases: Path) -> None:
    done = revision("--casos", cases, "--estado", cwd=cases.parent, PYTHONIOENCODING="ascii", LC_ALL="C")
    assert done.returncode == 0
    assert "Especie felino" in done.stdout


@pytest.mark.parametrize(
    ("config", "environment", "option", "found"),
    [
        ("", {}, None, None),
        ('predicciones = "p.jsonl"', {}, None, "p.jsonl"),
        ('predicciones = "p.jsonl"', {"REVISION_PREDICCIONES": "q.jsonl"}, None, "q.jsonl"),
        ('predicciones = "p.jsonl"', {"REVISION_PREDICCIONES": "q.jsonl"}, "r.jsonl", "r.jsonl"),
    ],
)
def test_the_outputs_for_the_dashboard_are_never_invented(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    config: str,
    environment: dict[str, str],
    option: str | None,
    found: str | None,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "revision.toml").write_text(config, encoding="utf-8")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    own = Source(tmp_path / "c.jsonl", SourceKind.OPTION)
    chosen = predictions(own, Path(option) if option else None)
    assert (chosen.name if chosen else None) == found
    demo = Source(tmp_path / "c.jsonl", SourceKind.SHIPPED)
    assert predictions(demo, None) is not None, "the demonstration brings its own"
