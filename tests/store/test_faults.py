"""Whatever call of a save goes wrong: old data or new, never a torn line, and the person is told which."""

from __future__ import annotations

import contextlib
import errno
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reviewer.signing import Sign
from reviewer.store import Dataset
from scoring.errors import UsageError, WriteError
from scoring.record import Status, record_path
from tests.store import faults
from tests.store.faults import Faults

if TYPE_CHECKING:
    from collections.abc import Iterator

POSIX = hasattr(os, "fork")
WRONG = {
    "EIO": faults.raising(errno.EIO),
    "ENOSPC": faults.raising(errno.ENOSPC),
    "EACCES": faults.raising(errno.EACCES),
    "short": faults.short_then_full,
}


def fresh(folder: Path, model: bytes, *, with_record: bool) -> Dataset:
    folder.mkdir(parents=True)
    path = folder / "casos.jsonl"
    path.write_bytes(model)
    dataset = Dataset.open(path)
    return dataset.apply(Sign(("dos",), "Eva")).dataset if with_record else dataset


def calls_of_a_save(folder: Path, model: bytes, *, with_record: bool) -> int:
    dataset = fresh(folder, model, with_record=with_record)
    with Faults() as counted:
        dataset.apply(Sign(("uno",), "Ana"))
    # A save that stopped touching the disk through these calls would make the tests below say nothing.
    assert Counter(counted.made)["fsync"] >= 5
    assert Counter(counted.made)["replace"] >= 2
    return len(counted.made)


def each_call(folder: Path, model: bytes, *, with_record: bool) -> Iterator[tuple[int, Dataset, str]]:
    """For each call that a save makes: its number, a fresh data set to save into, and words for a failure."""
    for at in range(1, calls_of_a_save(folder / "cuenta", model, with_record=with_record) + 1):
        yield at, fresh(folder / str(at), model, with_record=with_record), f"call {at}"


def reopened(path: Path, place: str) -> Dataset:
    """What a reader finds after the fault: the record sound, and the older signature in force."""
    now = Dataset.open(path)
    assert now.record.breaks == (), place
    assert now.states["firmado"].counts, place
    return now


def next_save(now: Dataset, decision: Sign, place: str) -> Dataset:
    """The next person goes on: nothing is in the way, and nothing half written stays behind."""
    after = now.apply(decision).dataset
    assert after.record.breaks == (), place
    assert after.file.problems == (), place
    assert after.states["firmado"].counts, place
    assert all(after.states[case_id].counts for case_id in decision.ids), place
    assert leftovers(now.path.parent) - {"casos.firmas.jsonl.rotas"} == set(), place
    return after


def leftovers(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"casos.jsonl", "casos.firmas.jsonl", "casos.lock"}


@pytest.mark.parametrize("with_record", [False, True])
@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize("name", WRONG)
def test_each_call_refused_in_turn(
    casos: Path, tmp_path: Path, name: str, *, lasting: bool, with_record: bool
) -> None:
    seen: Counter[str] = Counter()
    for at, dataset, call in each_call(tmp_path, casos.read_bytes(), with_record=with_record):
        path, old = dataset.path, dataset.file.document.data
        try:
            with Faults(at, WRONG[name], lasting=lasting):
                dataset.apply(Sign(("uno",), "Ana"))
            said = "saved"
        except WriteError as error:
            said = error.code
        seen[said] += 1
        place = f"{call}: {said}"
        now = reopened(path, place)
        assert (now.states["dos"].status is Status.FIRMADO) == with_record, place
        signed = now.states["uno"].status is Status.FIRMADO
        if said in {"saved", "unsure"}:
            assert signed, place
            assert now.states["uno"].reason == "record.signed", place
        elif said == "half_saved":
            assert lasting, place
            assert now.states["uno"].reason == "record.under_way", place
        else:
            assert not signed, place
            assert path.read_bytes() == old, place
            assert lasting or leftovers(path.parent) == set(), place
        # The disk works again: the same person repeats or goes on, and nothing is in the way.
        after = next_save(now, Sign(("uno",), "Ana", resign=signed), place)
        assert after.states["uno"].reason == "record.signed", place
    assert sum(seen.values()) - seen["saved"] >= 15


@pytest.mark.skipif(not POSIX, reason="needs fork")
@pytest.mark.parametrize("with_record", [False, True])
@pytest.mark.parametrize("death", ["dying_before", "dying_after", "dying_halfway"])
def test_killed_at_each_call(casos: Path, tmp_path: Path, death: str, *, with_record: bool) -> None:
    outcomes: Counter[str] = Counter()
    for at, dataset, place in each_call(tmp_path, casos.read_bytes(), with_record=with_record):
        path, old = dataset.path, dataset.file.document.data
        child = os.fork()
        if child == 0:
            try:
                with Faults(at, getattr(faults, death)):
                    dataset.apply(Sign(("uno",), "Ana"))
            finally:
                os._exit(1)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 137, place
        before_reading = {p.name: p.read_bytes() for p in path.parent.iterdir()}
        now = reopened(path, place)
        assert {p.name: p.read_bytes() for p in path.parent.iterdir()} == before_reading, place
        state = now.states["uno"]
        assert state.status in {Status.PENDIENTE, Status.FIRMADO}, place
        outcomes[state.reason] += 1
        if path.read_bytes() == old:
            assert state.reason in {"record.pending", "record.under_way"}, place
        else:
            assert state.reason == "record.signed", place
        # What a reader saw is what the next save makes true.
        after = next_save(now, Sign(("dos",), "Eva", resign=with_record), place)
        assert after.states["uno"].status is state.status, place
        assert after.states["uno"].counts is state.counts, place
    # Every stage was met: before the commit, between record and data, after the data.
    assert set(outcomes) == {"record.pending", "record.under_way", "record.signed"}


def test_a_step_under_way_is_finished_when_a_person_returns(casos: Path) -> None:
    leave_a_step_under_way(casos)
    seen = Dataset.open(casos)
    assert "se completará solo" in seen.states["uno"].sentence()
    assert seen.entry("uno").case.validado
    settled, notices = seen.settle()
    assert [notice.code for notice in notices] == ["finished"]
    assert "Ana" in notices[0].sentence()
    assert settled.states["uno"].reason == "record.signed"
    assert settled.settle() == (settled, ())


def test_a_step_under_way_is_not_finished_on_a_line_that_changed(casos: Path) -> None:
    leave_a_step_under_way(casos)
    text = casos.read_text(encoding="utf-8")
    casos.write_text(
        text.replace('{"id": "uno", "validado": false', '{"id":"uno", "validado": false'), "utf-8"
    )
    state = Dataset.open(casos).states["uno"]
    assert state.status is Status.DESCUADRADO
    settled, notices = Dataset.open(casos).settle()
    assert notices == ()
    assert settled.states["uno"].status is Status.DESCUADRADO
    assert settled.snapshot.intent is None
    # A person reads it and settles it by signing anew.
    again = settled.apply(Sign(("uno",), "Ana", resign=True)).dataset
    assert again.states["uno"].counts


def leave_a_step_under_way(casos: Path) -> None:
    """An intent and a committed record line, with the data as before, made by undoing the last step."""
    dataset = Dataset.open(casos)
    old = casos.read_bytes()
    intent = b""
    real = os.replace

    def keep_intent(source: str, target: str) -> None:
        nonlocal intent
        if Path(target).name == "casos.pendiente":
            intent = Path(source).read_bytes()
        real(source, target)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "replace", keep_intent)
        dataset.apply(Sign(("uno",), "Ana"))
    casos.write_bytes(old)
    assert Dataset.open(casos).states["uno"].reason == "record.data_older"
    casos.with_name("casos.pendiente").write_bytes(intent)
    assert Dataset.open(casos).states["uno"].reason == "record.under_way"


def test_other_lines_may_change_while_a_step_is_under_way(casos: Path) -> None:
    leave_a_step_under_way(casos)
    casos.write_text(casos.read_text("utf-8").replace("\\u00f1", "otra nota"), "utf-8")
    settled, _ = Dataset.open(casos).settle()
    assert settled.states["uno"].reason == "record.signed"
    assert "otra nota" in casos.read_text("utf-8")


def test_an_intent_that_names_no_committed_transaction_is_dropped(casos: Path) -> None:
    leave_a_step_under_way(casos)
    record_path(casos).unlink()
    dataset = Dataset.open(casos)
    assert dataset.states["uno"].reason == "record.pending"
    settled, notices = dataset.settle()
    assert notices == ()
    assert settled.snapshot.intent is None
    assert settled.states["uno"].status is Status.PENDIENTE


def test_an_intent_that_nobody_understands_is_set_aside(casos: Path) -> None:
    casos.with_name("casos.pendiente").write_bytes(b"\x00\xff")
    dataset = Dataset.open(casos)
    assert dataset.states["uno"].status is Status.PENDIENTE
    applied = dataset.apply(Sign(("uno",), "Ana"))
    assert "strange_intent" in [notice.code for notice in applied.notices]
    assert casos.with_name("casos.pendiente.rotas").read_bytes() == b"\x00\xff"


@pytest.mark.parametrize("with_record", [False, True])
@pytest.mark.parametrize("moment", ["interrupted_before", "interrupted_after"])
def test_control_c_at_each_call(casos: Path, tmp_path: Path, moment: str, *, with_record: bool) -> None:
    outcomes: Counter[str] = Counter()
    for at, dataset, place in each_call(tmp_path, casos.read_bytes(), with_record=with_record):
        path, old = dataset.path, dataset.file.document.data
        with contextlib.suppress(KeyboardInterrupt), Faults(at, getattr(faults, moment)):
            dataset.apply(Sign(("uno",), "Ana"))
        now = reopened(path, place)
        reason = now.states["uno"].reason
        outcomes[reason] += 1
        assert reason in {"record.pending", "record.signed"}, place
        assert (path.read_bytes() == old) == (reason == "record.pending"), place
        after = next_save(now, Sign(("dos",), "Eva", resign=with_record), place)
        assert after.states["uno"].reason == reason, place
        assert leftovers(path.parent) == set(), place
    assert set(outcomes) == {"record.pending", "record.signed"}


@pytest.mark.lento
def test_a_batch_whose_record_line_would_be_too_long_is_refused(tmp_path: Path) -> None:
    """Eighteen cases of nearly 1 MiB each: their texts do not fit into one line of 16 MiB."""
    rest = (
        '"paciente": {}, "valores": {}, "esperado": {"hallazgos_clave": [], "diferenciales_aceptables": [], '
        '"requiere_derivacion": false}'
    )
    filler = "x" * ((1 << 20) - 600)
    path = tmp_path / "casos.jsonl"
    path.write_text("".join(f'{{"id": "c{n}", {rest}, "relleno": "{filler}"}}\n' for n in range(18)), "utf-8")
    before = path.read_bytes()
    dataset = Dataset.open(path)
    with pytest.raises(UsageError) as caught:
        dataset.apply(Sign(tuple(f"c{n}" for n in range(18)), "Ana"))
    assert caught.value.code == "batch_too_large"
    assert path.read_bytes() == before
    assert not record_path(path).exists()
    assert dataset.apply(Sign(("c1", "c2"), "Ana")).signed == ("c1", "c2")
