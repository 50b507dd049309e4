"""What becomes of signed files: edits, older data, other line ends, damage; and what never writes."""

from __future__ import annotations

import os
import stat
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from reviewer.signing import Sign, preview
from reviewer.store import Dataset
from scoring.errors import ConflictError, ExitCode, IntegrityError, UsageError
from scoring.record import Status, content_digest, record_path
from tests.refusals import refused
from tests.store.signing_support import NIGHT
from tests.support import make_case, write_cases

if TYPE_CHECKING:
    from pathlib import Path


def test_an_edit_after_signing_makes_the_signature_expire(casos: Path) -> None:
    dataset = Dataset.open(casos).apply(Sign(("uno",), "Ana")).dataset
    casos.write_text(casos.read_text("utf-8").replace("24.50", "24.5"), "utf-8")
    assert dataset.reload().states["uno"].counts, "another spelling is no other content"
    casos.write_text(casos.read_text("utf-8").replace("24.5", "25"), "utf-8")
    edited = dataset.reload()
    for case_id in ("uno", "firmado"):
        state = edited.states[case_id]
        assert (state.status, state.counts) == (Status.CADUCADO, False)
    assert "caducada" in edited.states["uno"].sentence()
    again = edited.apply(Sign(("uno",), "Ana"))
    assert again.dataset.states["uno"].counts, "signing an expired case needs no --refirmar"


def test_a_flag_set_by_hand_does_not_count(casos: Path) -> None:
    dataset = Dataset.open(casos).apply(Sign(("uno",), "Ana")).dataset
    casos.write_text(
        casos.read_text("utf-8").replace(
            '"id":"dos","validado":false',
            '"id":"dos","validado":true,"revisor":"Ana","fecha_validacion":"2026-01-01"',
        ),
        "utf-8",
    )
    forged = dataset.reload()
    assert (forged.states["dos"].status, forged.states["dos"].counts) == (Status.DESCUADRADO, False)
    error = refused(forged, Sign(("dos",), "Ana"))
    assert isinstance(error, IntegrityError)
    assert "a mano" in str(error)
    assert forged.apply(Sign(("dos",), "Ana", resign=True)).dataset.states["dos"].counts


def test_data_older_than_the_record_does_not_count(casos: Path) -> None:
    old = casos.read_bytes()
    dataset = Dataset.open(casos).apply(Sign(("uno",), "Ana")).dataset
    casos.write_bytes(old)
    state = dataset.reload().states["uno"]
    assert (state.status, state.reason) == (Status.DESCUADRADO, "record.data_older")


def test_a_damaged_record_takes_no_more_signatures(casos: Path) -> None:
    dataset = Dataset.open(casos).apply(Sign(("uno",), "Ana")).dataset
    dataset.apply(Sign(("dos",), "Ana"))
    record = record_path(casos)
    lines = record.read_bytes().splitlines(keepends=True)
    record.write_bytes(lines[0] + lines[2])
    broken = Dataset.open(casos)
    assert not any(state.counts for state in broken.states.values())
    error = refused(broken, Sign(("dos",), "Ana", resign=True))
    assert (error.code, error.exit_code) == ("record_broken", ExitCode.INTEGRITY)
    assert "línea 2" in str(error)


@pytest.mark.parametrize("place", ["file", "folder", "record"])
def test_what_is_read_only_is_refused(casos: Path, place: str) -> None:
    dataset = Dataset.open(casos).apply(Sign(("dos",), "Ana")).dataset
    target = {"file": casos, "folder": casos.parent, "record": record_path(casos)}[place]
    mode = target.stat().st_mode
    target.chmod(mode & ~0o222)
    try:
        error = refused(dataset, Sign(("uno",), "Ana"))
    finally:
        target.chmod(mode)
    assert error.exit_code is ExitCode.WRITE_FAILED
    assert "solo lectura" in str(error)


@pytest.mark.parametrize(
    "form",
    [
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data[:-1],
        lambda data: b"\n \t\n" + data + b"\n\n",
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: b"\xef\xbb\xbf\r\n" + data.replace(b"\n", b"\r\n")[:-2],
    ],
    ids=["crlf", "no final newline", "blank lines", "bom", "all of it"],
)
def test_line_ends_blanks_and_marks_stay(casos: Path, form: object) -> None:
    assert callable(form)
    before: bytes = form(casos.read_bytes())
    casos.write_bytes(before)
    applied = Dataset.open(casos).apply(Sign(("uno", "dos"), "Ana"))
    after = casos.read_bytes()
    pieces_before, pieces_after = before.split(b"\n"), after.split(b"\n")
    changed = [n for n, (a, b) in enumerate(zip(pieces_before, pieces_after, strict=True)) if a != b]
    assert len(changed) == 2
    for n in changed:
        assert pieces_after[n].endswith(b"\r") == pieces_before[n].endswith(b"\r")
        assert b'"Ana"' in pieces_after[n]
    assert applied.dataset.states["uno"].counts
    assert applied.dataset.states["dos"].counts


def test_a_signature_outlives_a_change_of_line_ends(casos: Path) -> None:
    dataset = Dataset.open(casos).apply(Sign(("uno",), "Ana")).dataset
    for path in (casos, record_path(casos)):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    converted = dataset.reload()
    assert converted.record.breaks == ()
    assert converted.states["uno"].counts
    applied = converted.apply(Sign(("dos",), "Eva"))
    assert applied.dataset.record.breaks == ()
    assert applied.dataset.states["dos"].counts


def test_behind_a_link_the_target_changes_and_the_record_lies_beside_it(casos: Path, tmp_path: Path) -> None:
    link = tmp_path / "atajo.jsonl"
    link.symlink_to(casos)
    casos.chmod(0o640)
    applied = Dataset.open(link).apply(Sign(("uno",), "Ana"))
    assert link.is_symlink()
    assert applied.dataset.path == link
    assert b'"Ana"' in casos.read_bytes()
    assert {p.name for p in tmp_path.iterdir() if p.is_file()} == {"atajo.jsonl"}
    assert record_path(link) == record_path(casos)
    for path in (casos, record_path(casos)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert Dataset.open(casos).states["uno"].counts


def test_a_preview_says_what_will_be_recorded_and_writes_nothing(casos: Path) -> None:
    dataset = Dataset.open(casos)
    before = sorted(casos.parent.iterdir())
    seen = preview(dataset, Sign(("uno",), " Ana "), moment=NIGHT)
    assert (seen.reviewer, seen.date, seen.meaning, seen.adopts) == ("Ana", "2026-12-02", "revisado", 1)
    assert [case.case_id for case in seen.cases] == ["uno"]
    assert seen.cases[0].content_digest == content_digest(casos.read_bytes().splitlines()[1])
    assert sorted(casos.parent.iterdir()) == before
    with pytest.raises(ConflictError):
        preview(dataset, Sign(("firmado",), "Ana"))


def test_opening_and_looking_write_nothing(casos: Path) -> None:
    casos.parent.chmod(0o555)
    try:
        dataset = Dataset.open(casos)
        assert not dataset.changed_on_disk()
        assert dataset.entry("uno").state.status is Status.PENDIENTE
    finally:
        casos.parent.chmod(0o755)
    assert [path.name for path in casos.parent.iterdir()] == ["casos.jsonl"]


def test_what_is_no_data_set_is_refused(casos: Path) -> None:
    Dataset.open(casos).apply(Sign(("uno",), "Ana"))
    with pytest.raises(UsageError, match="registro de firmas"):
        Dataset.open(record_path(casos))
    with pytest.raises(UsageError, match="No existe"):
        Dataset.open(casos.with_name("nada.jsonl"))
    with pytest.raises(UsageError, match="carpeta"):
        Dataset.open(casos.parent)
    pipe = casos.with_name("tubo.jsonl")
    os.mkfifo(pipe)
    with pytest.raises(UsageError, match="archivo normal"):
        Dataset.open(pipe)


def test_a_clock_behind_the_record_is_told_and_no_obstacle(casos: Path) -> None:
    dataset = Dataset.open(casos).apply(Sign(("uno",), "Ana"), moment=NIGHT).dataset
    applied = dataset.apply(Sign(("dos",), "Ana"), moment=NIGHT - timedelta(days=2))
    assert [notice.code for notice in applied.notices] == ["clock_behind"]
    said = applied.notices[0].sentence()
    early, late = NIGHT - timedelta(days=2), NIGHT
    assert f"marca {early:%Y-%m-%d %H:%M:%S}, antes" in said
    assert f"({late:%Y-%m-%d %H:%M:%S})" in said
    assert applied.dataset.states["dos"].counts
    assert [notice.code for notice in applied.dataset.record.notices] == ["clock_went_back"]
    assert applied.dataset.record.breaks == ()


def test_a_torn_last_line_is_set_aside_and_nothing_is_lost(casos: Path) -> None:
    dataset = Dataset.open(casos).apply(Sign(("uno",), "Ana")).dataset
    record = record_path(casos)
    whole = record.read_bytes()
    record.write_bytes(whole + b'{"v":1,"tipo":"fir')
    torn = dataset.reload()
    assert torn.record.breaks == ()
    assert torn.states["uno"].counts
    assert [notice.code for notice in torn.record.notices] == ["torn_line"]
    applied = torn.apply(Sign(("dos",), "Eva"))
    assert [notice.code for notice in applied.notices] == ["torn_set_aside"]
    assert record.read_bytes().startswith(whole)
    assert applied.dataset.record.notices == ()
    assert record.with_name("casos.firmas.jsonl.rotas").read_bytes() == b'{"v":1,"tipo":"fir\n'


@pytest.mark.parametrize("left", [b"", b'{"v":1,"ti'])
def test_an_existing_record_never_adopts_again(casos: Path, left: bytes) -> None:
    record_path(casos).write_bytes(left)
    dataset = Dataset.open(casos)
    assert (dataset.states["firmado"].status, dataset.states["firmado"].counts) == (Status.DESCUADRADO, False)
    after = dataset.apply(Sign(("uno",), "Ana")).dataset
    assert [entry.kind for entry in after.record.entries] == ["firma"]
    assert after.states["firmado"].status is Status.DESCUADRADO


def test_a_record_whose_last_line_end_was_stripped_goes_on(casos: Path) -> None:
    dataset = Dataset.open(casos).apply(Sign(("uno",), "Ana")).dataset
    record = record_path(casos)
    record.write_bytes(record.read_bytes()[:-1])
    applied = dataset.reload().apply(Sign(("dos",), "Eva"))
    assert applied.dataset.states["uno"].counts
    assert applied.dataset.states["dos"].counts
    assert len(record.read_bytes().splitlines()) == 3


def test_a_line_too_long_to_hold_a_signature_is_refused(casos: Path) -> None:
    line = casos.read_text("utf-8").splitlines()[1]
    filler = (1 << 20) - len(line.encode()) - len(', "relleno": ""') - 20
    casos.write_text(line[:-1] + f', "relleno": "{"x" * filler}"}}\n', "utf-8")
    dataset = Dataset.open(casos)
    assert dataset.problems == ()
    error = refused(dataset, Sign(("uno",), "Ana"))
    assert error.exit_code is ExitCode.DATA_INVALID
    assert "bytes" in str(error)


def test_nothing_is_added_to_a_record_whose_last_entry_was_altered(tmp_path: Path) -> None:
    # Nobody names the last entry, so its own members have to give the alteration away.
    path = write_cases(tmp_path / "c.jsonl", make_case("a"), make_case("b"))
    Dataset.open(path).apply(Sign(("a",), "Eva"))
    record = record_path(path)
    altered = record.read_bytes().replace(b'"revisor":"Eva","rol"', b'"revisor":"Eve","rol"')
    assert altered != record.read_bytes()
    record.write_bytes(altered)
    with pytest.raises(IntegrityError):
        Dataset.open(path).apply(Sign(("b",), "Ana"))
    assert record.read_bytes() == altered
