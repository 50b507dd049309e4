"""The session behind the screens, without a screen: it reads, plans and follows; Textual is not needed."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from reviewer.app.session import Reading, Session
from reviewer.app.settings import Settings
from reviewer.review_queue import Filter
from reviewer.signing import Sign
from reviewer.store import Dataset
from scoring.errors import ConflictError, UsageError
from scoring.record import content_digest, record_path
from tests.app.support import session_on, small_set
from tests.support import make_case, signed, write_cases

if TYPE_CHECKING:
    from pathlib import Path


def test_opening_shows_the_first_pending_case_and_writes_nothing(tmp_path: Path) -> None:
    session = session_on(small_set(tmp_path))
    assert session.filter is Filter.PENDING
    assert session.entry is not None
    assert session.entry.id == "pendiente-bueno"
    written = {path.name for path in tmp_path.iterdir() if path.is_file()}
    assert written - {"umbrales.toml"} == {"casos.jsonl"}, "the thresholds belong to the test"


def test_a_set_with_nothing_pending_opens_on_all_cases(tmp_path: Path) -> None:
    session = session_on(write_cases(tmp_path / "casos.jsonl", signed(make_case("a"))))
    assert session.filter is Filter.ALL
    assert session.entry is not None


def test_the_plan_says_what_will_be_recorded(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    session = session_on(cases)
    plan = session.plan()
    assert plan is not None
    raw = cases.read_bytes().splitlines()[3]
    assert (plan.case_id, plan.reviewer, plan.date) == ("pendiente-bueno", "Ana Ruiz", "2026-08-05")
    assert plan.digest == content_digest(raw)[:12]
    assert plan.adopts == 3, "the signatures the file already has enter the record with the first one"
    assert plan.refusals == ()


def test_a_plan_made_before_a_change_is_refused(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    session = session_on(cases)
    plan = session.plan()
    assert plan is not None
    cases.write_text(cases.read_text(encoding="utf-8").replace("Letargia", "Otra cosa"), encoding="utf-8")
    kept = cases.read_bytes()
    done = session.commit(plan)
    assert done.applied is None
    assert isinstance(done.refusal, ConflictError)
    assert cases.read_bytes() == kept


def test_a_bad_reviewer_or_file_is_refused_before_anything_is_painted(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    with pytest.raises(UsageError):
        Session.open(Settings(cases, None, "  "))
    with pytest.raises(UsageError):
        Session.open(Settings(tmp_path / "no-esta.jsonl"))


def test_the_selection_follows_the_case_when_lines_move(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    session = session_on(cases)
    session.position = session.position_of("pendiente-flojo")
    lines = cases.read_text(encoding="utf-8").splitlines(keepends=True)
    cases.write_text("".join(reversed(lines)), encoding="utf-8")
    assert session.changed()
    assert session.adopt(session.reread()) is False, "the line itself is the same"
    assert session.entry is not None
    assert session.entry.id == "pendiente-flojo"


def test_next_pending_starts_over_and_ends_when_none_is_left(tmp_path: Path) -> None:
    session = session_on(write_cases(tmp_path / "casos.jsonl", make_case("a"), make_case("b")))
    assert session.go_to_next("b")
    assert session.entry is not None
    assert session.entry.id == "a"
    session.adopt(Reading.of(session.dataset.apply(Sign(ids=("a", "b"), reviewer="Ana Ruiz")).dataset))
    assert not session.go_to_next("a")


def test_importing_the_package_and_its_plain_modules_needs_no_textual() -> None:
    plain = "session gate_board plans desk keeper editing refused waiting settings actions"
    names = ", ".join(f"reviewer.app.{name}" for name in plain.split())
    code = f"import sys, reviewer.app, {names}\nprint('textual' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_damaged_record_is_a_problem_of_the_file_from_the_start(tmp_path: Path) -> None:
    cases = small_set(tmp_path)
    dataset = Dataset.open(cases)
    for case_id in ("pendiente-bueno", "pendiente-flojo"):
        dataset = dataset.apply(Sign((case_id,), "Ana Ruiz")).dataset
    assert not session_on(cases).record_damaged
    record = record_path(cases)
    lines = record.read_bytes().splitlines(keepends=True)
    record.write_bytes(b"".join(lines[:-2] + lines[-1:]))
    session = session_on(cases)
    assert session.record_damaged
    assert "El registro de firmas está dañado y ninguna firma cuenta" in session.file_problems()[0]


def test_a_case_that_was_only_respelled_since_it_was_on_the_screen_is_signed(tmp_path: Path) -> None:
    """A colleague's editor sorts the keys and drops a zero while the vet reads: she sees no difference."""
    cases = small_set(tmp_path)
    session = session_on(cases)
    plan = session.plan()
    assert plan is not None
    lines = cases.read_text("utf-8").splitlines()
    lines[3] = json.dumps(json.loads(lines[3]), sort_keys=True, ensure_ascii=False)
    cases.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    assert session.adopt(session.reread()) is False, "there is nothing to read again"
    done = session.commit(plan)
    assert (done.signed, done.refusal) == (True, None)
    written = json.loads(cases.read_text("utf-8").splitlines()[3])
    there = list(json.loads(lines[3]))
    assert list(written)[: len(there)] == there, "in the order that the file has by now"


def test_a_correction_in_progress_is_not_called_overtaken_by_a_line_that_was_only_respelled(
    tmp_path: Path,
) -> None:
    cases = small_set(tmp_path)
    session = session_on(cases)
    assert session.entry is not None
    correction, _ = session.desk.begin(session.entry)
    correction.set_signs("Letargia y anorexia")
    lines = cases.read_text("utf-8").splitlines()
    lines[3] = json.dumps(json.loads(lines[3]), sort_keys=True, ensure_ascii=False)
    cases.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    session.adopt(session.reread())
    assert session.follow_corrections() == ()
    assert session.desk.begin(session.entry) == (correction, ())
    assert correction.raw == lines[3].encode()
    plan = session.plan()
    assert plan is not None
    assert session.commit(plan).signed
