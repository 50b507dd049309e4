"""Several processes, several clinics: nobody's signature is lost, and nothing is counted that should not be."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from reviewer.signing import Sign
from reviewer.store import Dataset
from scoring.errors import ConflictError, ExitCode, WriteError
from scoring.record import Intent, Kind, Status, lock_path, record_path
from scoring.record.paths import intent_path

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
REST = (
    '"split": "dev", "paciente": {}, "valores": {"hct": 24.50}, "esperado": {"hallazgos_clave": [], '
    '"diferenciales_aceptables": [], "requiere_derivacion": false}'
)

SIGNER = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from reviewer.signing import Sign
    from reviewer.store import Dataset
    path, who = Path(sys.argv[1]), sys.argv[2]
    dataset = Dataset.open(path)
    for case_id in sys.argv[3:]:
        dataset = dataset.apply(Sign((case_id,), who, way="cli"), wait=60).dataset
        print(case_id, flush=True)
    """
)


def many(path: Path, count: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f'{{"id": "c{n}", "validado": false, {REST}}}\n' for n in range(count)]
    lines[0] = lines[0].replace("false", 'true, "revisor": "Eva", "fecha_validacion": "2026-01-02"', 1)
    path.write_text("".join(lines), "utf-8")
    return path


def signer(path: Path, who: str, ids: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SIGNER, str(path), who, *ids], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def test_two_processes_sign_fifty_cases_each_and_none_is_lost(tmp_path: Path) -> None:
    path = many(tmp_path / "datos" / "casos.jsonl", 101)
    before = path.read_bytes().splitlines()
    left = [f"c{n}" for n in range(1, 51)]
    right = [f"c{n}" for n in range(51, 101)]
    processes = [signer(path, "Ana", left), signer(path, "Luis", right[::-1])]
    for process in processes:
        output, _ = process.communicate(timeout=110)
        assert process.returncode == 0
        assert len(output.split()) == 50
    dataset = Dataset.open(path)
    assert dataset.record.breaks == ()
    # One adoption (c0) and a hundred signatures, one after another.
    assert len(dataset.record.entries) == 101
    assert len(dataset.record.tips) == 1
    assert all(state.counts for state in dataset.states.values())
    assert {dataset.states[case_id].reviewer for case_id in left} == {"Ana"}
    assert {dataset.states[case_id].reviewer for case_id in right} == {"Luis"}
    for old, new in zip(before[1:], path.read_bytes().splitlines()[1:], strict=True):
        assert new.startswith(old[:-1].replace(b"false", b"true", 1))
    assert {p.name for p in path.parent.iterdir()} == {"casos.jsonl", "casos.firmas.jsonl", "casos.lock"}


@pytest.mark.lento
@pytest.mark.timeout(400)
def test_a_thousand_signatures_from_two_processes_none_lost_none_doubled(tmp_path: Path) -> None:
    path = many(tmp_path / "datos" / "casos.jsonl", 1001)
    before = path.read_bytes().splitlines()
    left = [f"c{n}" for n in range(1, 501)]
    right = [f"c{n}" for n in range(501, 1001)]
    random.Random(1000).shuffle(left)
    processes = [signer(path, "Ana", left), signer(path, "Luis", right)]
    for process in processes:
        output, _ = process.communicate(timeout=380)
        assert process.returncode == 0
        assert len(output.split()) == 500
    dataset = Dataset.open(path)
    assert dataset.record.breaks == ()
    kinds = [entry.kind for entry in dataset.record.entries]
    assert (kinds.count(Kind.FIRMA), kinds.count(Kind.ADOPTA)) == (1000, 1)
    decided = [item.case_id for entry in dataset.record.entries for item in entry.items]
    assert sorted(decided) == sorted({f"c{n}" for n in range(1001)}), "each case once"
    assert all(state.counts for state in dataset.states.values())
    assert {dataset.states[case_id].reviewer for case_id in left} == {"Ana"}
    assert {dataset.states[case_id].reviewer for case_id in right} == {"Luis"}
    for old, new in zip(before[1:], path.read_bytes().splitlines()[1:], strict=True):
        assert new.startswith(old[:-1].replace(b"false", b"true", 1))


DECIDER = textwrap.dedent(
    """
    import sys, time
    from pathlib import Path
    from reviewer.signing import Edit, FieldEdit, Return, Withdraw
    from reviewer.store import Dataset
    from scoring.errors import ConflictError
    from scoring.strict_json import Number
    dataset = Dataset.open(Path(sys.argv[1]))
    decision = {
        "retira": Withdraw(("c0",), "Ana", "es de otro animal"),
        "devuelve": Return(("c1",), "Ana", "falta la edad"),
        "edita": Edit("c2", (FieldEdit(("valores", "hct"), Number("30.10")),), "Ana"),
    }[sys.argv[2]]
    print("listo", flush=True)
    sys.stdin.readline()
    try:
        dataset.apply(decision, wait=60)
    except ConflictError as error:
        print(error.code)
    else:
        print("guardado")
    """
)


@pytest.mark.parametrize("kind", ["retira", "devuelve", "edita"])
def test_the_same_decision_from_two_processes_is_recorded_once(tmp_path: Path, kind: str) -> None:
    """Both have read the same lines before either writes, as two windows of one person have."""
    path = many(tmp_path / "datos" / "casos.jsonl", 3)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", DECIDER, str(path), kind],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for _ in range(2)
    ]  # fmt: skip
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "listo\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("ya\n")
        process.stdin.flush()
    said = [process.communicate(timeout=110)[0].strip() for process in processes]
    refusals = {
        "retira": {"nothing_to_withdraw", "changed_since_read"},
        "devuelve": {"already_returned", "decided_meanwhile"},
        "edita": {"changed_since_read", "decided_meanwhile"},
    }
    assert said.count("guardado") == 1
    assert (set(said) - {"guardado"}) <= refusals[kind]
    dataset = Dataset.open(path)
    assert [entry.kind.value for entry in dataset.record.entries] == ["adopta", kind]
    assert dataset.record.breaks == ()


def test_two_processes_that_sign_the_same_cases_record_each_once(tmp_path: Path) -> None:
    path = many(tmp_path / "datos" / "casos.jsonl", 12)
    ids = [f"c{n}" for n in range(1, 12)]
    script = SIGNER.replace(
        "    dataset = dataset.apply(",
        "    from scoring.errors import ConflictError\n    try: dataset = dataset.apply(",
    ).replace(".dataset\n    print", ".dataset\n    except ConflictError: continue\n    print")
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(path), who, *ids],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for who in ("Ana", "Luis")
    ]
    said = [process.communicate(timeout=110)[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert sorted(said[0] + said[1]) == sorted(ids)
    dataset = Dataset.open(path)
    assert len(dataset.record.entries) == 12
    for who, signed in zip(("Ana", "Luis"), said, strict=True):
        assert {dataset.states[case_id].reviewer for case_id in signed} <= {who}


@pytest.mark.lento
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_what_was_said_to_be_saved_is_there_after_kill_9(tmp_path: Path) -> None:
    path = many(tmp_path / "datos" / "casos.jsonl", 400)
    chance = random.Random(20261130)
    said: set[str] = set()
    start = 1
    for _ in range(12):
        process = signer(path, "Ana", [f"c{n}" for n in range(start, 400)])
        assert process.stdout is not None
        said.add(process.stdout.readline().strip())
        time.sleep(chance.uniform(0.0, 0.05))
        process.kill()
        said |= set(process.stdout.read().split())
        process.wait(timeout=30)
        dataset = Dataset.open(path)
        assert dataset.record.breaks == ()
        assert dataset.file.problems == ()
        assert all(dataset.states[case_id].counts for case_id in said)
        assert {s.status for s in dataset.states.values()} <= {Status.FIRMADO, Status.PENDIENTE}
        start = 1 + max(int(case_id[1:]) for case_id, s in dataset.states.items() if s.counts)
    dataset = Dataset.open(path).apply(Sign(("c399",), "Eva")).dataset
    assert all(dataset.states[case_id].counts for case_id in said | {"c0", "c399"})
    assert {p.name for p in path.parent.iterdir()} - {"casos.firmas.jsonl.rotas"} == {
        "casos.jsonl", "casos.firmas.jsonl", "casos.lock",
    }  # fmt: skip


def test_a_reader_beside_a_writer_never_sees_a_contradiction(tmp_path: Path) -> None:
    path = many(tmp_path / "datos" / "casos.jsonl", 41)
    # Each signature begins when a reading has ended, and goes on beside the next one.
    process = subprocess.Popen(
        [sys.executable, "-c", SIGNER.replace("    dataset = ", "    sys.stdin.readline()\n    dataset = "),
         str(path), "Ana", *(f"c{n}" for n in range(1, 41))],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    counts = 1
    for _ in range(40):
        dataset = Dataset.open(path)
        print(file=process.stdin, flush=True)
        assert {s.status for s in dataset.states.values()} <= {Status.FIRMADO, Status.PENDIENTE}
        now = sum(state.counts for state in dataset.states.values())
        assert now >= counts, "a signature that was seen does not go away"
        counts = now
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert sum(state.counts for state in Dataset.open(path).states.values()) == 41


def test_whoever_waits_is_told_who_is_saving(casos: Path) -> None:
    dataset = Dataset.open(casos)
    with FileLock(lock_path(casos)):
        start = time.monotonic()
        with pytest.raises(ConflictError, match="Otra persona u otro programa") as caught:
            dataset.apply(Sign(("uno",), "Ana"), wait=0.2)
        assert time.monotonic() - start < 60
        assert caught.value.exit_code is ExitCode.CONFLICT
        intent = Intent("0" * 64, (), "Luis Gil", 4321, "recepcion", "2026-11-30T10:00:00.000Z")
        intent_path(casos).write_bytes(intent.encode())
        with pytest.raises(
            ConflictError, match=r"Luis Gil está guardando.*proceso 4321 del equipo recepcion"
        ):
            dataset.apply(Sign(("uno",), "Ana"), wait=0.0)
    assert dataset.apply(Sign(("uno",), "Ana")).dataset.states["uno"].counts


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_lock_file_that_is_a_link_is_refused_by_name_and_never_followed(casos: Path) -> None:
    """The fault: «los enlaces se apuntan unos a otros sin fin»."""
    aim = casos.with_name("ajeno.txt")
    aim.write_bytes(b"nada mio")
    lock_path(casos).symlink_to(aim)
    with pytest.raises(WriteError, match="es un enlace"):
        Dataset.open(casos).apply(Sign(("uno",), "Ana"))
    assert aim.read_bytes() == b"nada mio"
    assert not record_path(casos).exists()


def test_a_dead_holder_frees_the_lock(casos: Path) -> None:
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            lock = FileLock(lock_path(casos))
            lock.acquire()
            os.write(tell, b"x")
            time.sleep(60)
        finally:
            os._exit(1)
    assert os.read(ready, 1) == b"x"
    with pytest.raises(ConflictError):
        Dataset.open(casos).apply(Sign(("uno",), "Ana"), wait=0.1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(ready)
    os.close(tell)
    assert Dataset.open(casos).apply(Sign(("uno",), "Ana"), wait=1).dataset.states["uno"].counts


def test_an_editor_that_writes_at_the_moment_of_the_save_is_not_overwritten(
    casos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever writes without the lock is seen before the replace; then nothing is saved, the record included."""
    dataset = Dataset.open(casos).apply(Sign(("dos",), "Eva")).dataset
    record_before = record_path(casos).read_bytes()
    edited = casos.read_bytes().replace(b"24.50", b"30")
    real = os.fsync

    def edit_while_flushing(descriptor: int) -> None:
        real(descriptor)
        if record_path(casos).read_bytes() != record_before and casos.read_bytes() != edited:
            casos.write_bytes(edited)

    monkeypatch.setattr(os, "fsync", edit_while_flushing)
    with pytest.raises(ConflictError) as caught:
        dataset.apply(Sign(("uno",), "Ana"))
    assert caught.value.code == "changed_meanwhile"
    assert casos.read_bytes() == edited
    assert record_path(casos).read_bytes() == record_before
    assert not intent_path(casos).exists()


def test_a_record_written_without_the_lock_is_not_cut(casos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the save has to be taken back, only its own bytes are."""
    dataset = Dataset.open(casos).apply(Sign(("dos",), "Eva")).dataset
    foreign = b'{"v":1,"otro":"programa"}\n'
    real = os.replace

    def fail(source: str, target: str) -> None:
        if Path(target).name == "casos.jsonl":
            with record_path(casos).open("ab") as stream:
                stream.write(foreign)
            raise OSError(5, "fallo")
        real(source, target)

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(Exception, match="La decisión está en el registro"):
        dataset.apply(Sign(("uno",), "Ana"))
    lines = record_path(casos).read_bytes().splitlines(keepends=True)
    assert lines[-1] == foreign
    assert b'"Ana"' in lines[-2]
    assert intent_path(casos).exists()


def git(folder: Path, *args: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@x", "-c", "init.defaultBranch=base", *args],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_two_clinics_that_sign_apart_merge_with_git(tmp_path: Path) -> None:
    """Both create the record from the same data, so both adopt alike; then each signs its own cases."""
    origin = many(tmp_path / "a" / "casos.jsonl", 30)
    git(origin.parent, "init", "-q")
    (origin.parent / ".gitattributes").write_text("*.firmas.jsonl merge=union -text\n")
    (origin.parent / ".gitignore").write_text("*.lock\n*.pendiente\n")
    git(origin.parent, "add", ".")
    git(origin.parent, "commit", "-qm", "casos")
    git(tmp_path, "clone", "-q", "a", "b")
    other = tmp_path / "b" / "casos.jsonl"
    Dataset.open(origin).apply(Sign(("c3",), "Ana")).dataset.apply(Sign(("c4",), "Ana"))
    Dataset.open(other).apply(Sign(("c20",), "Luis")).dataset.apply(Sign(("c24", "c25"), "Luis"))
    for clone in (origin.parent, other.parent):
        git(clone, "add", "casos.jsonl", "casos.firmas.jsonl")
        git(clone, "commit", "-qm", "firmas")
    git(other.parent, "pull", "-q", "--no-rebase", "--no-edit")
    merged = Dataset.open(other)
    assert merged.record.breaks == ()
    signed = {case_id for case_id, state in merged.states.items() if state.counts}
    assert signed == {"c0", "c3", "c4", "c20", "c24", "c25"}
    assert len(merged.record.entries) == 5
    assert len(merged.record.tips) == 2
    after = merged.apply(Sign(("c10",), "Eva")).dataset
    assert len(after.record.tips) == 1
    # An older data file with the newer record: the signatures it lacks do not count, and it is said.
    git(other.parent, "checkout", "-q", "HEAD~1", "--", "casos.jsonl")
    older = Dataset.open(other)
    assert older.states["c3"].reason == "record.data_older"
    assert older.states["c20"].counts
