"""Withdrawing, returning, correcting and repairing at every call that can fail or be killed: old or new, never torn."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from reviewer.signing import Edit, FieldEdit, FollowRecord, Return, Sign, Withdraw
from reviewer.store import Dataset
from scoring.errors import WriteError
from scoring.record import record_path
from scoring.record.audit import audit
from scoring.strict_json import Number
from tests.store import faults
from tests.store.faults import Faults
from tests.support import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from reviewer.store import Decision

WHY = "el hematocrito es de otro animal"
HCT = FieldEdit(("valores", "hct"), Number("30.10"))
DECISIONS: dict[str, Decision] = {
    "firma": Sign(("uno",), "Ana"),
    "retira": Withdraw(("firmado",), "Ana", WHY),
    "devuelve": Return(("uno", "dos"), "Ana", WHY),
    "edita": Edit("uno", (HCT,), "Ana"),
    "edita_firmado": Edit("firmado", (HCT,), "Ana", WHY),
    "repara": FollowRecord(("tres",), "Ana"),
}
MIN_POINTS = 200


@dataclass(frozen=True)
class Scene:
    """A data set with its record, one decision, and what a whole save of it leaves."""

    decision: Decision
    data: bytes
    record: bytes
    new: bytes
    before: dict[str, str]
    after: dict[str, str]
    calls: int

    def lay_out(self, folder: Path) -> Dataset:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        path = folder / "casos.jsonl"
        path.write_bytes(self.data)
        record_path(path).write_bytes(self.record)
        return Dataset.open(path)


def reasons(dataset: Dataset) -> dict[str, str]:
    return {case_id: state.reason for case_id, state in dataset.states.items()}


@pytest.fixture
def scenes(casos: Path, tmp_path: Path) -> dict[str, Scene]:
    extra = casos.read_bytes().splitlines()[1].replace(b'"uno"', b'"tres"') + b"\n"
    casos.write_bytes(casos.read_bytes() + extra)
    signed = Dataset.open(casos).apply(Sign(("tres",), "Eva")).dataset
    record = record_path(casos).read_bytes()
    # «tres» is signed by the record alone: the data are from before.
    data = signed.file.document.data.replace(signed.entry("tres").row.row.line.raw + b"\n", extra)
    found: dict[str, Scene] = {}
    for name, decision in DECISIONS.items():
        scene = Scene(decision, data, record, b"", {}, {}, 0)
        dataset = scene.lay_out(tmp_path / "entera")
        with Faults() as counted:
            after = dataset.apply(decision).dataset
        assert Counter(counted.made)["fsync"] >= 5
        found[name] = Scene(
            decision,
            data,
            record,
            dataset.path.read_bytes(),
            reasons(dataset),
            reasons(after),
            len(counted.made),
        )
        assert found[name].before != found[name].after
    return found


def verified(dataset: Dataset, place: str) -> None:
    """The record verifies; the only mismatch is the one that was there."""
    found = audit(dataset.snapshot, now=datetime.now(UTC))
    assert found.record_breaks == (), place
    assert {problem.case_id for problem in found.data_breaks} <= {"tres"}, place
    assert dataset.problems == (), place


WRONG: dict[str, tuple[faults.Wrong, bool]] = {
    "EIO once": (faults.raising(errno.EIO), False),
    "quota from then on": (faults.raising(errno.EDQUOT), True),
    "short write, then full": (faults.short_then_full, False),
}


def but(states: dict[str, str], case_id: str) -> dict[str, str]:
    return {key: value for key, value in states.items() if key != case_id}


@pytest.mark.lento
@pytest.mark.timeout(300)
def test_refused_at_each_call(scenes: dict[str, Scene], tmp_path: Path) -> None:
    points = 0
    for name, scene in scenes.items():
        for fault, (wrong, lasting) in WRONG.items():
            said: Counter[str] = Counter()
            for at in range(1, scene.calls + 1):
                points += 1
                outcome = refuse(scene, tmp_path / "punto", at, wrong, lasting, f"{name}, {fault}, call {at}")
                said[outcome] += 1
            assert said["saved"] < scene.calls, name
    assert points >= MIN_POINTS, points


def refuse(scene: Scene, folder: Path, at: int, wrong: faults.Wrong, lasting: bool, place: str) -> str:
    dataset = scene.lay_out(folder)
    try:
        with Faults(at, wrong, lasting=lasting):
            dataset.apply(scene.decision)
        outcome = "saved"
    except WriteError as error:
        outcome = error.code
    now = Dataset.open(dataset.path)
    verified(now, place)
    done = outcome in {"saved", "unsure", "half_saved"}
    expected = scene.after if done else scene.before
    mine = {k: v for k, v in reasons(now).items() if v != "record.under_way"}
    assert mine.items() <= expected.items(), place
    if outcome == "half_saved":
        assert lasting, place
        assert dataset.path.read_bytes() == scene.data, place
    else:
        assert dataset.path.read_bytes() == (scene.new if done else scene.data), place
    # The disk works again: nothing is in the way of the next decision.
    again = now.apply(Sign(("firmado",), "Eva", resign=True)).dataset
    verified(again, place)
    assert but(reasons(again), "firmado") == but(expected, "firmado"), place
    return outcome


@pytest.mark.lento
@pytest.mark.timeout(300)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_at_each_call(scenes: dict[str, Scene], tmp_path: Path) -> None:
    points = 0
    stages: Counter[str] = Counter()
    for name, scene in scenes.items():
        for death in ("dying_before", "dying_halfway", "dying_after"):
            for at in range(1, scene.calls + 1):
                points += 1
                stages[kill(scene, tmp_path / "punto", at, death, f"{name}, {death}, call {at}")] += 1
    assert points >= MIN_POINTS, points
    assert set(stages) == {"none", "begun", "committed"}


def kill(scene: Scene, folder: Path, at: int, death: str, place: str) -> str:
    """What the intent file tells afterwards."""
    dataset = scene.lay_out(folder)
    child = os.fork()
    if child == 0:
        try:
            with Faults(at, getattr(faults, death)):
                dataset.apply(scene.decision)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 137, place
    before_looking = {p.name: p.read_bytes() for p in folder.iterdir()}
    now = Dataset.open(dataset.path)
    found = audit(now.snapshot, now=datetime.now(UTC))
    verified(now, place)
    assert dataset.path.read_bytes() in {scene.data, scene.new}, place
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before_looking, place
    if found.step is not None:
        assert any(notice.code.startswith("step_") for notice in found.notices), place
    committed = len(now.record.entries) > scene.record.count(b"\n")
    expected = scene.after if committed else scene.before
    # A step under way is shown as done, for a signature with a word about it.
    seen = {k: expected[k] if v == "record.under_way" else v for k, v in reasons(now).items()}
    assert seen == expected, place
    again = now.apply(Sign(("firmado",), "Eva", resign=True)).dataset
    verified(again, place)
    assert but(reasons(again), "firmado") == but(expected, "firmado"), place
    assert not dataset.path.with_name("casos.pendiente").exists(), place
    return "none" if found.step is None else "committed" if found.step.committed else "begun"


# -- from outside, by the kernel --------------------------------------------------------------------

STEP = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from reviewer.signing import Edit, FieldEdit
    from reviewer.store import Dataset
    from scoring.errors import WriteError
    from scoring.strict_json import Number
    dataset = Dataset.open(Path(sys.argv[1]))
    decision = Edit("firmado", (FieldEdit(("valores", "hct"), Number("30.10")),), "Ana", "era de otro animal")
    try:
        dataset.apply(decision)
    except WriteError as error:
        print(error.code)
        sys.exit(8)
    print("guardado")
    """
)
WRITING = ("fsync", "rename", "unlink", "ftruncate", "pwrite64", "fchmod")


def strace(path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["strace", "-f", "-qq", *options, sys.executable, "-c", STEP, str(path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def strace_works() -> bool:
    if shutil.which("strace") is None:
        return False
    done = subprocess.run(
        ["strace", "-e", "inject=fsync:error=EIO", "true"], capture_output=True, check=False
    )
    return done.returncode == 0


@pytest.mark.lento
@pytest.mark.timeout(300)
def test_the_kernel_refuses_or_kills_at_each_call(scenes: dict[str, Scene], tmp_path: Path) -> None:
    """The same from outside the process, where no layer of ours stands between: strace injects the faults."""
    if not strace_works():
        pytest.skip(
            "SIN PROBAR: no hay strace que inyecte fallos en este equipo; solo se probó la capa propia"
        )
    scene = scenes["edita_firmado"]
    folder = tmp_path / "punto"
    path = folder / "casos.jsonl"
    scene.lay_out(folder)
    log = tmp_path / "llamadas"
    assert strace(path, "-o", str(log), "-e", f"trace={','.join(WRITING)}").returncode == 0
    counts = Counter(re.findall(r"\b([a-z0-9]+)\(", log.read_text()))
    counts = Counter({name: n for name, n in counts.items() if name in WRITING})
    assert counts["fsync"] >= 5
    assert counts["rename"] >= 2
    outcomes: Counter[str] = Counter()
    for call, times in counts.items():
        for at in range(1, times + 1):
            for fault in ("error=EIO", "error=ENOSPC", "signal=KILL"):
                place = f"{call} {at} {fault}"
                scene.lay_out(folder)
                done = strace(
                    path, "-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={call}:{fault}:when={at}"
                )
                now = Dataset.open(path)
                verified(now, place)
                assert path.read_bytes() in {scene.data, scene.new}, place
                new = reasons(now) == scene.after
                assert new or reasons(now) == scene.before, place
                if fault == "signal=KILL":
                    assert done.returncode not in {0, 8}, place
                else:
                    saved = done.stdout.strip() in {"guardado", "unsure", "half_saved"}
                    assert done.returncode == (0 if done.stdout.strip() == "guardado" else 8), done.stderr
                    assert saved is new, place
                outcomes[f"{fault} {'new' if new else 'old'}"] += 1
                again = now.apply(Sign(("uno",), "Eva")).dataset
                verified(again, place)
                assert (again.states["firmado"].reason == scene.after["firmado"]) is new, place
    # Each fault was met before and after the commit.
    assert all(
        outcomes[f"{fault} {side}"] for fault in ("error=EIO", "signal=KILL") for side in ("new", "old")
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_after_a_kill_the_audit_is_good_and_tells_of_the_step(
    scenes: dict[str, Scene], tmp_path: Path
) -> None:
    """Nobody has written in between; exit 0 and a word about the save that is to be finished."""
    scene = scenes["edita_firmado"]
    folder = tmp_path / "punto"
    # The mismatch of the scene would be a break of its own.
    data = scene.data.splitlines(keepends=True)
    scene = Scene(scene.decision, b"".join(data[:3]), record_without_tres(scene), b"", {}, {}, scene.calls)
    for at in range(scene.calls, 0, -1):
        dataset = scene.lay_out(folder)
        child = os.fork()
        if child == 0:
            try:
                with Faults(at, faults.dying_before):
                    dataset.apply(scene.decision)
            finally:
                os._exit(1)
        os.waitpid(child, 0)
        step = audit(Dataset.open(dataset.path).snapshot, now=datetime.now(UTC)).step
        if step is not None and step.committed and step.case_ids:
            break
    else:
        pytest.fail("no kill left a committed step")
    done = subprocess.run(
        [sys.executable, "-m", "reviewer", "--casos", str(dataset.path), "--auditar"],
        cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "firmado" in done.stdout
    assert "Ana" in done.stdout
    assert dataset.path.read_bytes() == scene.data


def record_without_tres(scene: Scene) -> bytes:
    """The record of the same data without the case whose data are older: its adoption alone."""
    return scene.record.splitlines(keepends=True)[0]
