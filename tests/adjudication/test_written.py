"""What is written is whole and can be read back; else nothing is, and no private copy stays behind."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from reviewer.adjudication.recording import NewDecision, record_decision
from scoring.adjudication.correction import write_correction
from scoring.adjudication.entries import Kind, Verdict
from scoring.adjudication.record import load_record
from scoring.adjudication.standing import State, standings
from scoring.errors import UsageError
from tests.support import ROOT

from .support import MOMENT, WHY, chains_file, decide, desk_on, files

if TYPE_CHECKING:
    from pathlib import Path

B = "b" * 64


def decision(**changes: Any) -> NewDecision:
    base = NewDecision(
        kind=Kind.ROW,
        subject=("a" * 64, B),
        case_id="caso",
        field_id="a.b",
        verdict=Verdict.OUTPUT,
        comment=WHY,
        reviewer="Ana Ruiz",
        moment=MOMENT,
    )
    return replace(base, **changes)


def test_a_comment_that_grows_when_it_is_composed_is_measured_as_it_would_be_recorded(
    tmp_path: Path,
) -> None:
    """U+0958 is two characters once composed: 10,001 of them passed for a short comment and broke the record."""
    record = tmp_path / "r.jsonl"
    with pytest.raises(UsageError) as refused:
        record_decision(record, decision(comment="ab" + "\u0958" * 10_000))  # 20,002 composed
    assert refused.value.key == "deciding.reason_too_long"
    assert not record.exists()
    fits = record_decision(record, decision(comment="ab" + "\u0958" * 9_999))  # 20,000 composed
    assert len(fits.entry.comment) == 20_000
    assert load_record(record).breaks == ()


@pytest.mark.skipif(os.name == "nt", reason="names there are text")
@pytest.mark.parametrize("name", [b"cad\xffenas.jsonl", b"   ", b"a\x1b[31mb\n.jsonl"])
def test_chains_are_reviewed_whatever_the_name_of_their_file(tmp_path: Path, name: bytes) -> None:
    """Such a name ended in an error of the program, or in a record that could not be read any more."""
    evidence = tmp_path / os.fsdecode(name)
    chains_file(tmp_path).rename(evidence)
    sources = replace(files(tmp_path), evidence=evidence)
    desk = desk_on(sources)
    review = desk.reading.chains[0]
    desk.recorded(desk.decide_chain(review, Verdict.APPROVE, ""))
    again = desk_on(sources)
    assert not again.reading.record.breaks
    assert again.reading.chains[0].standing.verdict is Verdict.APPROVE
    # A chain of the same file that changed is known to have been another one.
    lines = evidence.read_text("utf-8").replace('"uncertainty": 0.5', '"uncertainty": 0.25')
    evidence.write_text(lines, "utf-8")
    assert desk_on(sources).reading.chains[0].standing.state is State.EXPIRED


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"field_id": "Á"}, "campo"), ({"case_id": "x" * 129}, "caso"), ({"subject": ("no", B)}, "gold")],
)
def test_nothing_is_written_that_could_not_be_read_back(
    tmp_path: Path, changes: dict[str, Any], field: str
) -> None:
    record = tmp_path / "r.jsonl"
    record_decision(record, decision())
    before = record.read_bytes()
    with pytest.raises(UsageError) as refused:
        record_decision(record, decision(**{"subject": ("c" * 64, B), **changes}))
    assert (refused.value.key, refused.value.fields["field"]) == ("adjudicating.not_recordable", field)
    assert record.read_bytes() == before


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere files have a name from the first byte on")
@pytest.mark.parametrize("ended_by", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_corrected_gold_that_was_not_finished_leaves_no_private_copy(
    tmp_path: Path, ended_by: signal.Signals
) -> None:
    sources = files(tmp_path)
    decide(desk_on(sources), "p1", "dx", Verdict.OUTPUT)
    there = sorted(path.name for path in tmp_path.iterdir())
    code = f"""
import os, signal
from scoring.adjudication import correction
from scoring.cli.run_abstraction import main
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # a runner without a terminal may have it ignored
real = correction.write_all
def ended(descriptor, data):
    real(descriptor, data)
    os.kill(os.getpid(), {int(ended_by)})
correction.write_all = ended
main(["corregir", "--gold", {str(sources.gold)!r}, "--outputs", {str(sources.outputs)!r},
      "--adjudicaciones", {str(sources.record)!r}, "--salida", {str(tmp_path / "nuevo.jsonl")!r}])
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == -ended_by
    assert sorted(path.name for path in tmp_path.iterdir()) == there


def test_without_nameless_files_the_corrected_gold_is_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    sources = files(tmp_path)
    desk = desk_on(sources)
    decide(desk, "p1", "dx", Verdict.OUTPUT)
    new = tmp_path / "nuevo.jsonl"
    found, record = desk.reading.found, desk.reading.record
    assert write_correction(found, standings(record, found), new).changed == 1
    assert b'"neumonia"' in new.read_bytes()
    assert stat.S_IMODE(new.stat().st_mode) == 0o600
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".tmp")]
