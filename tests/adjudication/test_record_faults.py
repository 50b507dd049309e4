"""The record of adjudications under faults: refused calls, kills, other writers, whatever order of decisions."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reviewer.adjudication.recording import record_decision
from scoring.adjudication.entries import ROW_VERDICTS, Verdict
from scoring.adjudication.record import load_record, lock_path
from scoring.errors import ConflictError, ProductError, UsageError, WriteError
from tests.store import faults
from tests.store.faults import Faults
from tests.support import ROOT

from .support import decision

if TYPE_CHECKING:
    from pathlib import Path


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    steps=st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from([*ROW_VERDICTS, Verdict.NONE]), st.sampled_from("AE")),
        max_size=12,
    ),
    cut=st.integers(0, 4000),
)
def test_whatever_is_decided_the_record_verifies_and_any_prefix_of_it_holds_whole_decisions(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, Verdict, str]], cut: int
) -> None:
    """Also after the file was cut at any byte, as by a power cut, and gone on with."""
    path = tmp_path_factory.mktemp("r") / "r.jsonl"
    record = load_record(path)
    wanted: dict[tuple[str, ...], Verdict] = {}
    for number, verdict, who in steps:
        asked = decision(number, verdict, reviewer=f"Persona {who}")
        seen = tuple(head.digest for head in record.heads.get(asked.subject, ()))
        if verdict is Verdict.NONE and wanted.get(asked.subject, Verdict.NONE) is Verdict.NONE:
            if asked.subject not in wanted:
                with pytest.raises(ConflictError):
                    record_decision(path, replace(asked, seen=seen), record)
            continue
        record = record_decision(path, replace(asked, seen=seen), record).record
        wanted[asked.subject] = verdict
    assert record.breaks == ()
    for subject, verdict in wanted.items():
        stands = record.in_force(subject)
        assert (Verdict.NONE if stands is None else stands.verdict) is verdict
    if not record.exists:
        return
    whole = path.read_bytes()
    path.write_bytes(whole[:cut])
    part = load_record(path)
    assert part.breaks == ()
    done = whole[:cut].count(b"\n") + (cut > 0 and whole[cut : cut + 1] == b"\n")
    assert len(part.entries) == min(done, len(record.entries))
    after = record_decision(path, decision(7)).record
    assert after.breaks == ()
    assert len(after.entries) == len(part.entries) + 1


WRONG = {
    "EIO": faults.raising(errno.EIO),
    "ENOSPC": faults.raising(errno.ENOSPC),
    "short": faults.short_then_full,
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("with_record", [False, True])
def test_whatever_call_goes_wrong_a_decision_is_recorded_whole_or_refused(
    tmp_path: Path, name: str, *, with_record: bool
) -> None:
    def fresh(number: int) -> Path:
        folder = tmp_path / f"{number}"
        folder.mkdir()
        if with_record:
            record_decision(folder / "r.jsonl", decision(5))
        return folder / "r.jsonl"

    path = fresh(0)
    with Faults() as counted:
        record_decision(path, decision())
    assert "fsync" in counted.made
    refused = 0
    for at in range(1, len(counted.made) + 1):
        path = fresh(at)
        before = path.read_bytes() if with_record else b""
        told: ProductError | None = None
        with Faults(at, WRONG[name]):
            try:
                record_decision(path, decision())
            except (WriteError, ConflictError, UsageError) as error:
                told = error
        record = load_record(path)
        assert record.breaks == ()
        if told is None or told.key == "adjudicating.unsure":
            assert record.in_force(decision().subject) is not None
        else:
            refused += 1
            assert (path.read_bytes() if path.exists() else b"") == before
        # Whatever happened, the same decision can be sent again.
        assert len(record_decision(path, decision()).record.entries) == 1 + with_record
    assert refused >= 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("wrong", [faults.dying_before, faults.dying_after, faults.dying_halfway])
def test_killed_at_any_call_the_record_is_whole_and_the_decision_there_or_not(
    tmp_path: Path, wrong: faults.Wrong
) -> None:
    base = tmp_path / "base.jsonl"
    record_decision(base, decision(5))
    with Faults() as counted:
        record_decision(tmp_path / "cuenta.jsonl", decision())
    seen = set()
    for at in range(1, len(counted.made) + 1):
        path = tmp_path / f"{at}.jsonl"
        path.write_bytes(base.read_bytes())
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException), Faults(at, wrong):
                record_decision(path, decision())
            os._exit(0)
        os.waitpid(child, 0)
        record = load_record(path)
        assert record.breaks == ()
        assert record.in_force(decision(5).subject) is not None
        seen.add(record.in_force(decision().subject) is not None)
        after = record_decision(path, decision()).record
        assert (len(after.entries), after.torn) == (2, b"")
    assert seen == {True, False}


@pytest.mark.lento
def test_processes_that_write_at_once_lose_nothing_and_the_record_verifies(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from tests.adjudication.support import decision\n"
        "from reviewer.adjudication.recording import record_decision\n"
        "for n in range(12):\n"
        "    record_decision(Path(sys.argv[1]), decision(int(sys.argv[2]) * 100 + n), wait=60)\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(path), str(number)], cwd=ROOT)
        for number in range(3)
    ]
    assert [process.wait(100) for process in running] == [0, 0, 0]
    record = load_record(path)
    assert record.breaks == ()
    assert len(record.entries) == 36
    assert len(record.tips) == 1


def test_a_writer_that_finds_the_lock_taken_says_so(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    record_decision(path, decision())
    code = (
        "import sys, time\nfrom filelock import FileLock\n"
        "lock = FileLock(sys.argv[1])\nlock.acquire()\nprint('ya', flush=True)\ntime.sleep(60)\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(lock_path(path))], stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "ya\n"
        with pytest.raises(ConflictError) as refused:
            record_decision(path, decision(1), wait=0.05)
        assert refused.value.key == "adjudicating.locked"
    finally:
        holder.kill()
        holder.wait()
    assert len(record_decision(path, decision(1)).record.entries) == 2  # the system freed the lock
