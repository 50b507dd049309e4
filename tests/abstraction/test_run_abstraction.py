"""The command as a process: what it prints, where, and how it ends."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from scoring.abstraction import ChartAbstractionEvidence, strict
from scoring.abstraction.files import score_files
from scoring.abstraction.report import report_of
from scoring.abstraction.tally import COLUMNS, SCHEMA
from scoring.cli.run_abstraction import _Progress as Progress

from .rows import DIGEST, chain, gold_row, output_row, sample, write

if TYPE_CHECKING:
    from pathlib import Path

PRIVATE = "Doña Privada"
# 12 fields in 3 cases, as the built-in set: case 2 has no answers.
GOLD = [
    gold_row(f"paciente {PRIVATE} {case}", field, kind, values[case])
    for field, kind, values in (
        ("registro.etiqueta", "text", ("Alfa sintética", "Beta", None)),
        ("registro.estado", "categorical", ("a", "b", None)),
        ("registro.medida", "number", (12, 2.5, None)),
        ("registro.marca", "boolean", (True, False, None)),
    )
    for case in range(3)
]
ECHO = [output_row(row["case_id"], row["field_id"], row["value"]) for row in GOLD]


def run(*arguments: object, cwd: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONUTF8": "1"}
    return subprocess.run(
        [sys.executable, "-m", "scoring.cli.run_abstraction", *map(str, arguments)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        **more,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "gold.jsonl", GOLD)
    write(tmp_path / "out.jsonl", ECHO)
    return tmp_path


FILES = ("--gold", "gold.jsonl", "--outputs", "out.jsonl")


def test_the_table_shows_zero_and_one_as_such_and_nothing_private(folder: Path) -> None:
    done = run(*FILES, "--por-paciente", cwd=folder)
    assert done.returncode == 0
    assert "filas: 12 (8 con dato en la historia, 4 sin él)" in done.stdout
    # 8 of 8: the Wilson interval is 8/(8 + 3.8415) = 0.676 to 1
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "coincidencia exacta 1 [0,676; 1] 8/8" in lines
    assert "respuesta con evidencia 0 [0; 0,324] 0/8" in lines
    assert "registro.medida · filas: 3 · ausentes: 0" in done.stdout
    assert PRIVATE not in done.stdout + done.stderr
    assert "Alfa" not in done.stdout + done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 130
    english = run(*FILES, "--idioma", "en", cwd=folder)
    assert "exact agreement" in english.stdout
    assert "[0.676; 1]" in english.stdout


def test_json_is_the_canonical_bytes_and_so_is_the_saved_report(folder: Path) -> None:
    done = run(*FILES, "--json", "--informe", "informe.json", "--procesos", "2", cwd=folder)
    wanted = report_of(score_files(folder / "gold.jsonl", folder / "out.jsonl").tally).to_json()
    assert done.stdout == wanted
    assert (folder / "informe.json").read_bytes() == wanted.encode()


def test_a_pipe_is_read_whole_whatever_the_number_of_processes(folder: Path) -> None:
    wanted = run(*FILES, "--json", cwd=folder).stdout
    for processes in ("1", "3"):
        done = run(
            "--gold",
            "gold.jsonl",
            "--outputs",
            "/dev/stdin",
            "--json",
            "--procesos",
            processes,
            cwd=folder,
            input=(folder / "out.jsonl").read_text(),
        )
        assert done.stdout == wanted
    refused = run(
        "--gold",
        "gold.jsonl",
        "--outputs",
        "/dev/stdin",
        "--detalle",
        "d.jsonl",
        cwd=folder,
        input=(folder / "out.jsonl").read_text(),
    )
    assert refused.returncode == 2
    assert not (folder / "d.jsonl").exists()


def test_the_worst_field_comes_first(folder: Path) -> None:
    outputs = [row if row["field_id"] != "registro.medida" else {**row, "value": 99} for row in ECHO]
    write(folder / "out.jsonl", outputs)
    table = run(*FILES, cwd=folder).stdout
    assert table.index("registro.medida ·") < table.index("registro.estado ·")


def test_bad_files_are_told_by_line_and_code_and_without_content(folder: Path) -> None:
    write(folder / "out.jsonl", [*ECHO, output_row(PRIVATE, "registro.medida", PRIVATE), f'{{"{PRIVATE}'])
    write(folder / "gold.jsonl", [*GOLD, gold_row(PRIVATE, "registro.medida", "number", PRIVATE)])
    done = run(*FILES, cwd=folder)
    assert done.returncode == 3
    assert done.stdout == ""
    assert "gold, línea 13 [invalid_gold_value]" in done.stderr
    assert "outputs, línea 14 [invalid_json]" in done.stderr
    assert PRIVATE not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--gold", "gold.jsonl"), 2, "--outputs"),
        (("--gold", "no.jsonl", "--outputs", "out.jsonl"), 2, "no.jsonl"),
        (("--gold", "vacio.jsonl", "--outputs", "vacio.jsonl"), 4, "no tiene ninguna fila"),
        ((*FILES, "--procesos", "0"), 2, "--procesos"),
        ((*FILES, "--procesos", "dos"), 2, "--procesos"),
        ((*FILES, "--procesoss", "2"), 2, "--procesos"),
        ((*FILES, "--informe", "gold.jsonl"), 2, "gold.jsonl"),
        ((*FILES, "--informe", "x.json", "--recuento", "x.json"), 2, "x.json"),
        ((*FILES, "--informe", "no/hay/x.json"), 8, "x.json"),
        ((*FILES, "--comparar", "gold.jsonl"), 3, "no es un informe"),
        ((*FILES, "--minimos", "gold.jsonl"), 2, "TOML"),
        (("sumar",), 2, "recuento"),
        (("sumar", "gold.jsonl"), 3, "recuento"),
        (("sumar", "ninguno.json"), 4, "no hay nada que sumar"),
        (("sumar", "ninguno.json", "./ninguno.json"), 2, "está dos veces"),
        (("sumar", "repetido.json"), 3, "no es un recuento"),
        (("finalizar",), 2, "--evidencia"),
    ],
)
def test_each_wrong_call_has_its_sentence_and_exit_code(
    arguments: tuple[str, ...], code: int, said: str, folder: Path
) -> None:
    (folder / "vacio.jsonl").touch()
    empty = json.dumps({"schema": SCHEMA, "columns": COLUMNS, "fields": {}})
    (folder / "ninguno.json").write_text(empty, encoding="utf-8")
    (folder / "repetido.json").write_text(empty.replace("{}", '{"a":1,"a":2}'), encoding="utf-8")
    done = run(*arguments, cwd=folder)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    assert "Traceback" not in done.stderr
    assert (folder / "gold.jsonl").read_text() == "".join(json.dumps(row) + "\n" for row in GOLD)


def test_minimums_hold_fail_or_have_nothing_to_judge(folder: Path) -> None:
    bounds = folder / "m.toml"
    bounds.write_text("[general]\nexact_agreement = { minimo = 1 }\n")
    held = run(*FILES, "--minimos", "m.toml", cwd=folder)
    assert (held.returncode, "CUMPLE" in held.stdout) == (0, True)
    assert "no es evidencia para desplegar" in held.stdout
    bounds.write_text("[general]\nevidence_support = { minimo = 0.01 }\n")
    failed = run(*FILES, "--minimos", "m.toml", "--json", cwd=folder)
    assert (failed.returncode, "NO CUMPLE" in failed.stderr) == (1, True)
    json.loads(failed.stdout)
    bounds.write_text('[campo."no.hay"]\nexact_agreement = { minimo = 0 }\n')
    assert run(*FILES, "--minimos", "m.toml", cwd=folder).returncode == 4
    bounds.write_text(
        '[general]\nevidence_support = { minimo = 1 }\n[campo."no.hay"]\nexact_agreement = { minimo = 0 }\n'
    )
    assert run(*FILES, "--minimos", "m.toml", cwd=folder).returncode == 4


def test_compare_says_what_moved_since_an_earlier_report(folder: Path) -> None:
    gold = [gold_row(f"c{n}", "f.a", "number", n) for n in range(100)]
    write(folder / "gold.jsonl", gold)
    write(folder / "out.jsonl", [output_row(f"c{n}", "f.a", n) for n in range(100)])
    run(*FILES, "--informe", "antes.json", cwd=folder)
    write(folder / "out.jsonl", [output_row(f"c{n}", "f.a", n if n < 50 else -1) for n in range(100)])
    done = run(*FILES, "--comparar", "antes.json", cwd=folder)
    assert done.returncode == 0
    assert "PEOR             coincidencia exacta: 1 → 0,500 (-0,500" in done.stdout
    assert "no se distingue  acierto al responder o callar: 1 → 1 (0 " in done.stdout


def test_shards_by_case_add_up_to_the_report_of_the_whole(folder: Path) -> None:
    gold, outputs = sample(10, 12)
    for name, part in (("a", {0, 1, 2}), ("b", set(range(3, 10)))):

        def mine(row: dict[str, Any], part: set[int] = part) -> bool:
            return int(row["case_id"].split()[1]) in part

        write(folder / f"g{name}", filter(mine, gold))
        write(folder / f"o{name}", filter(mine, outputs))
        run("--gold", f"g{name}", "--outputs", f"o{name}", "--recuento", f"{name}.json", cwd=folder)
    write(folder / "gold.jsonl", gold)
    write(folder / "out.jsonl", outputs)
    whole = run(*FILES, "--json", cwd=folder).stdout
    assert run("sumar", "b.json", "a.json", "--json", cwd=folder).stdout == whole


def test_the_private_decisions_go_to_a_file_that_only_its_owner_reads(folder: Path) -> None:
    write(folder / "out.jsonl", [{**ECHO[0], "value": "ALFA  SINTÉTICA"}, *ECHO[2:]])
    (folder / "detalle.jsonl").touch(mode=0o644)
    done = run(*FILES, "--detalle", "detalle.jsonl", cwd=folder)
    assert done.returncode == 0
    assert PRIVATE not in done.stdout + done.stderr
    assert "PRIVADO" in done.stderr
    assert stat.S_IMODE((folder / "detalle.jsonl").stat().st_mode) == 0o600
    rows = [json.loads(line) for line in (folder / "detalle.jsonl").read_text().splitlines()]
    assert len(rows) == 12
    first = rows[0]
    assert (first["agreement"], first["gold_normalized"], first["output_normalized"]) == (
        "normalized",
        "alfa sintética",
        "alfa sintética",
    )
    assert rows[-1]["state"] == "missing"
    assert rows[-1]["case_id"] == GOLD[1]["case_id"]


@pytest.mark.parametrize("target", ["-", "/dev/stdout", "/dev/null", "."])
def test_private_decisions_never_go_to_a_stream_or_a_folder(target: str, folder: Path) -> None:
    done = run(*FILES, "--detalle", target, cwd=folder)
    assert done.returncode == 2
    assert PRIVATE not in done.stdout + done.stderr
    with (folder / "captura.txt").open("w+") as stream:
        subprocess.run(
            [sys.executable, "-m", "scoring.cli.run_abstraction", *FILES, "--detalle", "/dev/stdout"],
            cwd=folder,
            stdout=stream,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    assert PRIVATE not in (folder / "captura.txt").read_text()


def test_the_schema_agrees_with_the_reader_on_good_and_bad_rows(folder: Path) -> None:
    import jsonschema

    schema = json.loads(run("--esquema", cwd=folder).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)

    def valid(name: str, row: Any) -> bool:
        part = {"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]}
        return jsonschema.Draft202012Validator(part).is_valid(row)

    good_chain = chain("f.a")
    outputs = [
        ECHO[0],
        output_row("c", "f.a", 1, evidence_chain=good_chain, normalized_fact_digest=None),
        output_row("c", "f.a", 1, evidence_chain={**good_chain, "uncertainty": 2}),
        output_row("c", "f.a", 1, evidence_chain={**good_chain, "source_locations": {}}),
        output_row("c", "f.a", 1, normalized_fact_digest=DIGEST[:-1]),
        output_row("c", "f.a", [1]),
        output_row("c" * 129, "f.a", 1),
        output_row("c", "f.a.", 1),
        {"case_id": "c", "field_id": "f.a"},
        output_row("c", "f.a", 1, otra=1),
    ]
    for row in outputs:
        read = strict.output_row(json.dumps(row).encode())
        assert valid("output", row) == (not isinstance(read, strict.Fault)), row
    for row in (
        GOLD[0],
        gold_row("c", "f", "texto", "a"),
        {**GOLD[0], "x": 1},
        gold_row("", "f", "text", "a"),
    ):
        read_gold = strict.gold_row(json.dumps(row).encode())
        assert valid("gold", row) == (not isinstance(read_gold, strict.Fault)), row
    for issue in ({"code": "conflicting_facts", "field_id": "f"}, {"code": "x", "field_id": "f"}):
        assert valid("issue", issue) == (
            not isinstance(strict.issue_row(json.dumps(issue).encode()), strict.Fault)
        )


def test_finalizar_prints_the_receipt_or_the_issues(folder: Path) -> None:
    write(folder / "cadenas.jsonl", [chain("f.a"), chain("f.b", reviewer_state="pending")])
    (folder / "campos.txt").write_text("# exigidos\nf.a\n\n  f.b  \n")
    call = ("finalizar", "--evidencia", "cadenas.jsonl", "--campos", "campos.txt")
    done = run(*call, cwd=folder)
    assert done.returncode == 1
    assert "f.b [review_not_approved]" in done.stdout
    write(folder / "cadenas.jsonl", [chain("f.a"), chain("f.b")])
    done = run(*call, cwd=folder)
    chains = [strict.evidence_chain(json.dumps(chain(name)).encode()) for name in ("f.a", "f.b")]
    receipt = ChartAbstractionEvidence(chains).finalize(["f.a", "f.b"])  # type: ignore[arg-type]
    assert (done.returncode, done.stdout) == (0, receipt.to_json() + "\n")
    assert run(*call, "--json", cwd=folder).stdout == receipt.to_json()
    write(folder / "b.jsonl", [{"code": "subject_mismatch", "field_id": "f.a"}])
    blocked = run(*call, "--bloqueos", "b.jsonl", "--json", cwd=folder)
    assert blocked.returncode == 1
    assert json.loads(blocked.stdout)["issues"] == [{"code": "subject_mismatch", "field_id": "f.a"}]


def test_finalizar_tells_bad_files_by_line_and_an_empty_list_as_nothing_to_judge(folder: Path) -> None:
    write(folder / "cadenas.jsonl", [chain("f.a"), chain("f.a"), "{"])
    (folder / "campos.txt").write_text(f"f.a\n{PRIVATE}\nf.a\n")
    call = ("finalizar", "--evidencia", "cadenas.jsonl", "--campos", "campos.txt")
    done = run(*call, cwd=folder)
    assert done.returncode == 3
    assert "evidencia, línea 3 [invalid_json]" in done.stderr
    assert "campos, línea 2 [invalid_field_id]" in done.stderr
    assert PRIVATE not in done.stderr
    write(folder / "cadenas.jsonl", [chain("f.a"), chain("f.a")])
    (folder / "campos.txt").write_text("f.a\nf.a\n")
    done = run(*call, cwd=folder)
    assert "evidencia, línea 2 [duplicate_field]" in done.stderr
    (folder / "campos.txt").write_text("# nada\n")
    write(folder / "cadenas.jsonl", [chain("f.a")])
    assert run(*call, cwd=folder).returncode == 4


@pytest.mark.lento
def test_help_and_version_work_in_both_languages(folder: Path) -> None:
    for arguments in (("--help",), ("finalizar", "--help"), ("sumar", "--help"), ("--version",)):
        for tongue in ("es", "en"):
            done = run(*arguments, "--idioma", tongue, cwd=folder)
            assert (done.returncode, bool(done.stdout)) == (0, True)


def test_a_full_disk_behind_stdout_is_exit_8(folder: Path) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123 - a device
        for extra in ((), ("--json",)):
            done = subprocess.run(
                [sys.executable, "-m", "scoring.cli.run_abstraction", *FILES, *extra],
                cwd=folder,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
            assert done.returncode == 8
            assert "Traceback" not in done.stderr


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stream", [Terminal(), io.StringIO()])
def test_progress_shows_on_a_terminal_only_and_is_taken_away(
    stream: io.StringIO, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr("scoring.cli.run_abstraction.time.monotonic", lambda: now[0])
    paths = [folder / "gold.jsonl", folder / "out.jsonl"]
    total = sum(path.stat().st_size for path in paths)
    progress = Progress(paths)
    progress.tell(total // 4)  # too early: a short run shows nothing
    assert stream.getvalue() == ""
    now[0] += 1
    progress.tell(total // 2)
    progress.tell(total)  # too soon after the last
    progress.clear()
    if stream.isatty():
        assert "██████████░░░░░░░░░░ leído 50 %" in stream.getvalue().replace("49 %", "50 %")
        assert "100" not in stream.getvalue()
        assert stream.getvalue().endswith("\x1b[K")
    else:
        assert stream.getvalue() == ""


def test_the_detail_says_of_an_integer_beyond_all_digits_that_it_is_too_long(folder: Path) -> None:
    """It cannot be written as a number; the command once ended with an error of its own."""
    write(folder / "gold.jsonl", [gold_row("a", "n", "number", 3)])
    write(folder / "out.jsonl", ['{"case_id":"a","field_id":"n","value":' + "9" * 5000 + "}"])
    done = run(*FILES, "--detalle", "d.jsonl", cwd=folder)
    assert done.returncode == 0
    row = json.loads((folder / "d.jsonl").read_text("ascii"))
    assert (row["output"], row["output_too_long"], row["agreement"]) == (None, True, "none")
