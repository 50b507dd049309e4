"""--retirar, --devolver, --reparar and expired signatures: what they say, write and end with."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from reviewer.drafts import Drafts
from reviewer.signing import Sign
from reviewer.store import Dataset
from scoring.record import Intent, Kind, Status, intent_path, lock_path, record_path
from tests.cli.processes import revision as call_revision
from tests.cli.processes import run_evals
from tests.support import ROOT, make_case, signed, write_cases

WHY = "el hematocrito es de otro animal"


def revision(cases: Path, *arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return call_revision("--casos", cases, *arguments, cwd=cases.parent, **environment)


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    folder = tmp_path / "datos"
    folder.mkdir()
    (folder / "umbrales.toml").write_text("minimo_casos = 1\n", encoding="utf-8")
    return write_cases(folder / "casos.jsonl", signed(make_case("uno")), make_case("dos"), make_case("tres"))


def states(cases: Path) -> dict[str, str]:
    return {case_id: state.status.value for case_id, state in Dataset.open(cases).states.items()}


def test_a_withdrawal_says_what_it_did_and_the_history_keeps_both(cases: Path) -> None:
    done = revision(cases, "--retirar", "uno", "--revisor", "Luis Gil", "--motivo", WHY)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"Firma retirada: uno — Luis Gil. Motivo: {WHY}\n")
    assert states(cases)["uno"] == "retirado"
    history = revision(cases, "--historial", "uno").stdout
    assert "Ana Ruiz" in history
    assert WHY in history
    assert revision(cases, "--auditar").returncode == 0
    again = revision(cases, "--retirar", "uno", "--revisor", "Luis Gil", "--motivo", WHY)
    assert again.returncode == 6
    assert WHY in again.stderr


def test_ids_given_in_two_orders_are_all_decided_and_two_names_are_refused(cases: Path) -> None:
    done = revision(cases, "--validar", "dos", "--validar", "tres", "--revisor", "Luis Gil")
    assert done.returncode == 0, done.stderr
    assert states(cases) == {"uno": "firmado", "dos": "firmado", "tres": "firmado"}
    both = revision(cases, "--retirar", "dos", "--revisor", "Luis Gil", "--revisor", "Eva", "--motivo", WHY)
    assert both.returncode == 2
    assert "«--revisor» está dos veces, con «Luis Gil» y con «Eva»" in both.stderr
    assert states(cases)["dos"] == "firmado"


def test_returned_cases_are_listed_for_their_author_with_the_reason(cases: Path) -> None:
    assert revision(cases, "--devolver", "dos", "tres", "--revisor", "Eva", "--motivo", WHY).returncode == 0
    status = revision(cases, "--estado")
    assert f"  dos — Eva, {Dataset.open(cases).states['dos'].date}: {WHY}" in status.stdout
    told = json.loads(revision(cases, "--estado", "--json").stdout)
    assert [(case["id"], case["revisor"], case["motivo"]) for case in told["devueltos"]] == [
        ("dos", "Eva", WHY),
        ("tres", "Eva", WHY),
    ]
    assert revision(cases, "--hoja").returncode == 0
    assert "## dos" not in cases.with_name("revision_pendiente.md").read_text("utf-8")
    paper = revision(cases, "--hoja", "--devueltos")
    assert paper.returncode == 0
    text = cases.with_name("revision_devueltos.md").read_text("utf-8")
    assert "## dos" in text
    assert WHY in text
    assert "## uno" not in text
    refused = revision(cases, "--validar", "dos", "--revisor", "Eva")
    assert refused.returncode == 6
    assert WHY in refused.stderr
    cases.write_text(cases.read_text("utf-8").replace("Letargia", "Letargia y fiebre"), "utf-8")
    assert revision(cases, "--validar", "dos", "--revisor", "Eva").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--retirar", "uno"], 2, "quién"),
        (["--retirar", "uno", "--revisor", "Eva"], 2, "Falta el motivo"),
        (["--retirar", "uno", "--revisor", "Eva", "--motivo", " "], 2, "Falta el motivo"),
        (["--retirar", "uno", "--revisor", "Eva", "--motivo", "."], 2, "al menos 3 letras"),
        (["--devolver", "dos", "--revisor", "Eva", "--motivo", "..."], 2, "al menos 3 letras"),
        (["--devolver", "dso", "--revisor", "Eva", "--motivo", WHY], 2, "¿Quería decir «dos»?"),
        (["--devolver", "dos", "dos", "--revisor", "Eva", "--motivo", WHY], 2, "repetidos"),
        (["--devolver", "dos", "uno", "--revisor", "Eva", "--motivo", WHY], 6, "--retirar"),
        (["--retirar", "dos", "--revisor", "Eva", "--motivo", WHY], 6, "no lleva firma"),
        (["--validar", "dos", "--revisor", "Eva", "--motivo", WHY], 2, "--motivo solo tiene sentido con"),
        (["--estado", "--nombre-nuevo"], 2, "--nombre-nuevo solo tiene sentido con"),
        (["--retirar", "uno", "--devolver", "dos"], 2, "una orden cada vez"),
        (["--reparar", "--segun", "registro", "--revisor", "Eva"], 2, "qué casos"),
        (["--reparar", "dos", "--segun", "adivinar"], 2, "no vale para"),
        (["--reparar", "dos", "--segun", "registro", "--revisor", "Eva"], 6, "no está descuadrado"),
        (["--reparar", "nadie"], 2, "nadie"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(
    cases: Path, arguments: list[str], code: int, said: str
) -> None:
    before = cases.read_bytes()
    done = revision(cases, *arguments)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    assert cases.read_bytes() == before
    assert not record_path(cases).exists()


@pytest.mark.parametrize("name", ["ana ruiz", "Ana Ruíz", "\u0410na Ruiz", "Ana Ru\u0456z", "L\u0443is"])
def test_a_name_that_only_looks_like_a_known_one_is_asked_about(cases: Path, name: str) -> None:
    for order in (
        ["--validar", "dos"],
        ["--devolver", "dos", "--motivo", WHY],
        ["--retirar", "uno", "--motivo", WHY],
    ):
        refused = revision(cases, *order, "--revisor", name)
        assert refused.returncode == 2
        assert "--nombre-nuevo" in refused.stderr
    assert not record_path(cases).exists()
    done = revision(cases, "--validar", "dos", "--revisor", name, "--nombre-nuevo")
    assert done.returncode == 0, done.stderr
    # Once it is known it is known.
    assert revision(cases, "--validar", "tres", "--revisor", name).returncode == 0


def test_double_blanks_do_not_make_two_people(cases: Path) -> None:
    assert revision(cases, "--validar", "dos", "--revisor", "Ana   Ruiz").returncode == 0


def gate(cases: Path) -> tuple[int, str]:
    predictions = cases.with_name("salidas.jsonl")
    predictions.write_text(
        "".join(f'{{"id": "{i}", "interpretacion": {{}}}}\n' for i in ("uno", "dos", "tres"))
    )
    done = run_evals("--casos", cases, "--predicciones", predictions, cwd=cases.parent)
    return done.code, done.out + done.err


def test_an_edit_after_the_signature_drops_the_case_from_the_gate_and_says_why(cases: Path) -> None:
    assert revision(cases, "--validar", "dos", "tres", "--revisor", "Eva").returncode == 0
    assert gate(cases)[0] == 1, "three empty answers: the gate fails, and it judged"
    text = cases.read_text("utf-8")
    # Another order of keys and another spelling of a number are no edit.
    respelled = text.replace('"hct": 24, "hgb": 7.5', '"hgb": 7.50, "hct": 2.4e1')
    cases.write_text(respelled, "utf-8")
    assert set(states(cases).values()) == {"firmado"}
    cases.write_text(text.replace('"id": "dos"', '"id": "dos", "nota": 9007199254740993'), "utf-8")
    assert states(cases) == {"uno": "firmado", "dos": "caducado", "tres": "firmado"}
    _, said = gate(cases)
    assert "dos" in said
    assert "caducada" in said
    paper = revision(cases, "--hoja")
    assert paper.returncode == 0
    assert "nota: no estaba, ahora «9007199254740993»" in cases.with_name("revision_pendiente.md").read_text(
        "utf-8"
    )
    assert revision(cases, "--validar", "dos", "--revisor", "Eva").returncode == 0
    cases.write_text(cases.read_text("utf-8").replace("9007199254740993", "9007199254740992"), "utf-8")
    assert states(cases)["dos"] == "caducado"


def test_a_read_only_data_set_keeps_the_decision_as_a_draft_and_says_so(cases: Path) -> None:
    cases.chmod(0o444)
    done = revision(cases, "--devolver", "dos", "tres", "--revisor", "Eva", "--motivo", WHY)
    assert done.returncode == 8
    assert "borrador" in done.stderr
    drafts = Drafts(cases)
    kept = drafts.load("tres")
    assert kept is not None
    assert (kept.kind, kept.reviewer, kept.reason) == (Kind.DEVUELVE, "Eva", WHY)
    assert kept.line.encode() == cases.read_bytes().splitlines()[2]
    assert kept.refused
    assert "dos, tres" in revision(cases, "--estado").stderr
    # Once it can be saved, the draft has done its work.
    cases.chmod(0o644)
    assert revision(cases, "--devolver", "dos", "--revisor", "Eva", "--motivo", WHY).returncode == 0
    assert drafts.waiting() == ("tres",)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_decision_that_stands_is_said_to_stand_though_its_result_could_not_be_written(cases: Path) -> None:
    asked = ["--casos", cases, "--validar", "dos", "tres", "--revisor", "Ana Ruiz"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "reviewer", *map(str, asked)],
            cwd=cases.parent,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert done.returncode == 8
    assert states(cases) == {"uno": "firmado", "dos": "firmado", "tres": "firmado"}
    told = done.stderr.decode()
    assert "no se ha podido escribir el resultado" in told
    assert "Lo decidido está guardado y vale: dos, tres. No repita la orden." in told


def test_nowhere_to_keep_a_draft_is_said_too(cases: Path, tmp_path: Path) -> None:
    cases.chmod(0o444)
    (tmp_path / "estado").write_text("no es una carpeta")
    done = revision(cases, "--validar", "dos", "--revisor", "Eva", XDG_STATE_HOME=str(tmp_path / "estado"))
    assert done.returncode == 8
    assert "Apunte lo que quería hacer" in done.stderr


@pytest.mark.lento
def test_whoever_finds_the_lock_taken_waits_then_keeps_a_draft(cases: Path) -> None:
    with FileLock(lock_path(cases)):
        done = revision(cases, "--validar", "dos", "--revisor", "Eva")
    assert done.returncode == 6
    assert "está guardando" in done.stderr
    assert Drafts(cases).waiting() == ("dos",)


@pytest.mark.lento
def test_whoever_waits_is_told_for_whom_and_saves_once_the_lock_is_free(cases: Path) -> None:
    lock = FileLock(lock_path(cases))
    lock.acquire()
    intent = Intent("0" * 64, (), "Luis Gil", 4321, "recepcion", "2026-11-30T10:00:00.000Z")
    intent_path(cases).write_bytes(intent.encode())
    process = subprocess.Popen(
        [sys.executable, "-m", "reviewer", "--casos", str(cases), "--validar", "dos", "--revisor", "Eva"],
        cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    told = process.stderr.readline()
    lock.release()
    assert "Luis Gil está guardando" in told
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert states(cases)["dos"] == "firmado"


# -- repair ------------------------------------------------------------------------------------------


@pytest.fixture
def mismatched(cases: Path) -> Path:
    """uno: the data are from before its signature. dos: flagged by hand. tres: signed, then made older and edited."""
    Dataset.open(cases).apply(Sign(("tres",), "Eva"))
    lines = cases.read_text("utf-8").splitlines()
    lines[0] = lines[0].replace('"validado": true', '"validado": false')
    lines[1] = lines[1].replace(
        '"validado": false', '"validado": true, "revisor": "X", "fecha_validacion": "2026-01-01"'
    )
    lines[2] = lines[2].replace('"validado": true', '"validado": false').replace('"hct": 24', '"hct": 25')
    cases.write_text("\n".join(lines) + "\n", "utf-8")
    assert set(states(cases).values()) == {"descuadrado"}
    return cases


def test_each_mismatch_is_explained_with_every_way_out_and_nothing_is_touched(mismatched: Path) -> None:
    before = {path.name: path.read_bytes() for path in mismatched.parent.iterdir()}
    done = revision(mismatched, "--reparar")
    assert done.returncode == 5
    blocks = done.stdout.split("== ")[1:]
    assert [block.split()[0] for block in blocks] == ["uno", "dos", "tres"]
    assert "Los datos dicen: sin firmar." in blocks[0]
    assert "la firma de Ana Ruiz del 2026-08-01" in blocks[0]
    assert "1. [registro] Seguir al registro: se escribe en los datos la firma de Ana Ruiz" in blocks[0]
    assert "Los datos dicen: firmado por X el 2026-01-01." in blocks[1]
    assert "El registro dice: nadie ha decidido" in blocks[1]
    assert "1. [registro] Seguir al registro: se quita de los datos la marca de firmado" in blocks[1]
    assert "Hematocrito (Hct): antes «24», ahora «25»" in blocks[2]
    assert "1. [registro] (cerrada)" in blocks[2]
    assert all("2. [refirmar]" in block and "3. [retirar]" in block for block in blocks)
    assert "--segun registro|refirmar|retirar" in done.stdout
    assert {path.name: path.read_bytes() for path in mismatched.parent.iterdir()} == before
    assert revision(mismatched, "--reparar", "dos").stdout.count("== ") == 1


def test_following_the_record_puts_the_signature_back_as_it_was(mismatched: Path) -> None:
    done = revision(mismatched, "--reparar", "uno", "dos", "--segun", "registro", "--revisor", "Luis Gil")
    assert done.returncode == 0, done.stderr
    assert "Resuelto: «uno» está firmado por Ana Ruiz el 2026-08-01" in done.stdout
    dataset = Dataset.open(mismatched)
    uno, dos = dataset.states["uno"], dataset.states["dos"]
    assert (uno.status, uno.counts, uno.reviewer, uno.date) == (
        Status.FIRMADO,
        True,
        "Ana Ruiz",
        "2026-08-01",
    )
    assert (dos.status, dataset.entry("dos").case.validado) == (Status.PENDIENTE, False)
    note = dataset.record.of_case("uno")[-1]
    assert (note.kind, note.reviewer, note.writes) == (Kind.NOTA, "Luis Gil", None)
    assert revision(mismatched, "--auditar").returncode == 5, "tres is still to be settled"
    refused = revision(mismatched, "--reparar", "tres", "--segun", "registro", "--revisor", "Luis Gil")
    assert refused.returncode == 5
    assert "no es el que se firmó" in refused.stderr
    assert (
        revision(mismatched, "--reparar", "tres", "--segun", "retirar", "--revisor", "Luis Gil").returncode
        == 2
    )
    last = revision(
        mismatched, "--reparar", "tres", "--segun", "retirar", "--revisor", "Luis Gil", "--motivo", WHY
    )
    assert last.returncode == 0
    assert states(mismatched) == {"uno": "firmado", "dos": "pendiente", "tres": "retirado"}
    assert revision(mismatched, "--auditar").returncode == 0
    nothing = revision(mismatched, "--reparar")
    assert (nothing.returncode, nothing.stdout) == (
        0,
        "Datos y registro coinciden: no hay nada que reparar.\n",
    )


def test_signing_anew_settles_what_the_record_cannot(mismatched: Path) -> None:
    done = revision(mismatched, "--reparar", "tres", "--segun", "refirmar", "--revisor", "Luis Gil")
    assert done.returncode == 0, done.stderr
    assert Dataset.open(mismatched).states["tres"].reviewer == "Luis Gil"


def test_all_or_nothing_when_one_way_is_closed(mismatched: Path) -> None:
    before = mismatched.read_bytes(), record_path(mismatched).read_bytes()
    done = revision(mismatched, "--reparar", "uno", "tres", "--segun", "registro", "--revisor", "Luis Gil")
    assert done.returncode == 5
    assert (mismatched.read_bytes(), record_path(mismatched).read_bytes()) == before


def test_a_signed_case_that_is_gone_from_the_data_is_named(cases: Path) -> None:
    Dataset.open(cases).apply(Sign(("tres",), "Eva"))
    cases.write_text("".join(line + "\n" for line in cases.read_text("utf-8").splitlines()[:2]), "utf-8")
    done = revision(cases, "--reparar")
    assert done.returncode == 5
    assert "«tres» está firmado por Eva" in done.stdout


def test_a_damaged_record_is_no_matter_for_a_repair(mismatched: Path) -> None:
    record_path(mismatched).write_bytes(record_path(mismatched).read_bytes().replace(b"Ana", b"Eva", 1))
    before = {path.name: path.read_bytes() for path in mismatched.parent.iterdir()}
    listed = revision(mismatched, "--reparar")
    assert listed.returncode == 5
    assert "El registro de firmas está dañado" in listed.stdout
    assert "no cuentan hasta recuperar el registro: dos, tres" in listed.stdout
    assert "Para elegir una" not in listed.stdout, "there is none to choose"
    named = revision(mismatched, "--reparar", "dos")
    assert named.stdout.count("mientras el registro esté dañado") == 3, "each way is told closed, with why"
    assert "Para elegir una" not in named.stdout
    status = revision(mismatched, "--estado")
    assert "no cuentan hasta recuperar el registro: dos, tres" in status.stdout
    assert "--reparar" not in status.stdout
    for way in ("registro", "refirmar", "retirar"):
        done = revision(mismatched, "--reparar", "uno", "--segun", way, "--revisor", "Luis", "--motivo", WHY)
        assert done.returncode == 5
    assert {path.name: path.read_bytes() for path in mismatched.parent.iterdir()} == before


def test_good_data_with_a_broken_record_are_not_called_good(cases: Path) -> None:
    """As after a merge without ``merge=union``: the data merged well, the record holds git's marker lines."""
    Dataset.open(cases).apply(Sign(("tres",), "Eva"))
    with record_path(cases).open("ab") as stream:
        stream.write(b"=======\n")
    done = revision(cases, "--comprobar")
    assert done.returncode == 5
    assert "Su registro de firmas está roto" in done.stdout
    assert "marca de conflicto" in done.stdout
    as_json = revision(cases, "--comprobar", "--json")
    assert as_json.returncode == 5
    assert [fault["codigo"] for fault in json.loads(as_json.stdout)["registro_roto"]] == ["conflict_marker"]


def test_a_case_whose_id_stands_in_two_lines_is_named_once(mismatched: Path) -> None:
    """As git leaves a conflict: both versions of the case."""
    lines = mismatched.read_text("utf-8").splitlines()
    mismatched.write_text("\n".join([*lines, lines[1]]) + "\n", "utf-8")
    assert "véalos con --reparar): uno, dos, tres\n" in revision(mismatched, "--estado").stdout


def dialogue(cases: Path, *answers: tuple[str, str], options: tuple[str, ...] = ()) -> tuple[int, str]:
    """``--reparar`` on a real terminal; each answer is typed once the screen shows what it waits for."""
    import pty

    child, terminal = pty.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            os.environ["PYTHONPATH"] = str(ROOT)
            os.chdir(cases.parent)
            command = [sys.executable, "-m", "reviewer", "--casos", str(cases), "--reparar", *options]
            os.execv(sys.executable, command)
        os._exit(127)
    seen = ""
    left = list(answers)
    place = 0
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        seen += piece.decode("utf-8", "replace")
        while left and (found := seen.find(left[0][0], place)) >= 0:
            place = found + len(left[0][0])
            os.write(terminal, (left.pop(0)[1] + "\n").encode())
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    assert left == [], seen
    return os.waitstatus_to_exitcode(status), seen


pty_only = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a pseudo-terminal")


@pty_only
def test_step_by_step_on_a_terminal(mismatched: Path) -> None:
    code, seen = dialogue(
        mismatched,
        ("Elija", "1"), ("Su nombre", "Luis Gil"), ("¿Lo hace", "sí"),
        ("Elija", "3"), ("Su nombre", "Luis Gil"), ("Motivo", WHY), ("¿Lo hace", "s"),
        ("Elija", "1"),
    )  # fmt: skip
    assert code == 5, seen
    assert "no está abierta" in seen
    assert states(mismatched) == {"uno": "firmado", "dos": "retirado", "tres": "descuadrado"}
    code, seen = dialogue(
        mismatched, ("Elija", "2"), ("¿Ha leído", "sí"), options=("tres", "--revisor", "Luis Gil")
    )
    assert code == 0, seen
    assert "Signos clínicos" in seen, "what is signed is shown before it is asked for"
    assert states(mismatched)["tres"] == "firmado"


@pty_only
def test_nothing_is_done_without_a_clear_yes(mismatched: Path) -> None:
    before = {path.name: path.read_bytes() for path in mismatched.parent.iterdir()}
    code, _ = dialogue(
        mismatched,
        ("Elija", ""),
        ("Elija", "1"), ("Su nombre", "Luis Gil"), ("¿Lo hace", ""),
        ("Elija", "3"), ("Su nombre", "Luis Gil"), ("Motivo", "."),
    )  # fmt: skip
    assert code == 5
    assert {path.name: path.read_bytes() for path in mismatched.parent.iterdir()} == before
