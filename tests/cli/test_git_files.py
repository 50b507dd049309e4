"""Git without the driver, other commits, other line ends, and the order of the driver by itself."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from reviewer.store import Dataset
from scoring.record import Status, record_path
from tests.cli.git_support import IDS, Repo, require_whole

if TYPE_CHECKING:
    from pathlib import Path


pytestmark = pytest.mark.lento


# Without the driver.


def test_plain_git_leaves_markers_between_neighbours_and_they_are_refused(plain: Repo) -> None:
    plain.branch("b")
    plain.sign("dos", by="Luis")
    plain.to("main")
    plain.sign("uno", by="Ana")
    plain.git("merge", "-q", "-m", "x", "b", code=1)
    check = plain.revision("--comprobar", code=3)
    assert "marca de conflicto de una fusión de git" in check.stdout
    state = plain.revision("--estado", code=3)
    assert "registro" in state.stdout
    dataset = Dataset.open(plain.data)
    assert {found.key for found in dataset.record.breaks} == {"record.conflict_marker"}
    assert "merge=union" in dataset.record.breaks[0].sentence()
    assert plain.counted == set()


def test_markers_alone_taken_out_of_the_record_mend_it(plain: Repo) -> None:
    plain.branch("b")
    plain.sign("siete", by="Luis")
    plain.to("main")
    plain.sign("uno", by="Ana")
    done = plain.git("merge", "-q", "-m", "x", "b", code=1)
    assert "casos.firmas.jsonl" in plain.git("diff", "--name-only", "--diff-filter=U").stdout, done
    record = record_path(plain.data)
    lines = record.read_bytes().splitlines(keepends=True)
    record.write_bytes(b"".join(line for line in lines if line.startswith(b"{")))
    plain.commit("x")
    require_whole(plain, "uno", "siete", "ocho")


def test_plain_git_that_merges_two_copies_of_a_case_is_refused(plain: Repo) -> None:
    line = plain.data.read_bytes().splitlines(keepends=True)[1]
    new = line.replace(b'"dos"', b'"nuevo"')
    plain.branch("b")
    plain.data.write_bytes(new + plain.data.read_bytes())
    plain.commit("al principio")
    plain.to("main")
    plain.data.write_bytes(plain.data.read_bytes() + new)
    plain.commit("al final")
    plain.git("merge", "-q", "-m", "x", "b")
    assert "este id ya está en la línea 1" in plain.revision("--comprobar", code=3).stdout


def test_the_driver_merges_the_copies_into_one(repo: Repo) -> None:
    line = repo.data.read_bytes().splitlines(keepends=True)[1]
    new = line.replace(b'"dos"', b'"nuevo"')
    repo.branch("b")
    repo.data.write_bytes(new + repo.data.read_bytes())
    repo.commit("al principio")
    repo.to("main")
    repo.data.write_bytes(repo.data.read_bytes() + new)
    repo.commit("al final")
    repo.git("merge", "-q", "-m", "x", "b")
    assert repo.data.read_bytes().count(new) == 1
    repo.revision("--comprobar")


def test_a_fresh_clone_without_the_configuration_falls_back_to_lines_and_is_refused(
    repo: Repo, tmp_path: Path
) -> None:
    repo.branch("b")
    repo.sign("dos", by="Luis")
    repo.to("main")
    repo.sign("uno")
    clone = replace(repo, top=tmp_path / "copia", data=tmp_path / "copia" / "casos.jsonl")
    repo.git("clone", "-q", repo.top, clone.top)
    clone.git("merge", "-q", "-m", "x", "origin/b", code=1)
    clone.revision("--comprobar", code=3)
    assert Dataset.open(clone.data).record.breaks == (), "the union of the record is git's own"
    clone.git("merge", "--abort")
    clone.revision("--instalar-git")
    clone.git("merge", "-q", "-m", "x", "origin/b")
    require_whole(clone, "uno", "dos", "ocho")


# Other commits, other line ends.


def test_an_older_commit_of_data_and_record_together_is_whole(repo: Repo) -> None:
    repo.sign("uno")
    repo.sign("dos")
    repo.to("HEAD~1")
    require_whole(repo, "uno", "ocho")


def test_older_data_beside_a_newer_record_do_not_count(repo: Repo) -> None:
    repo.sign("uno")
    repo.sign("dos")
    repo.git("checkout", "-q", "HEAD~1", "--", "casos.jsonl")
    assert repo.counted == {"uno", "ocho"}
    state = Dataset.open(repo.data).states["dos"]
    assert (state.status, state.reason) == (Status.DESCUADRADO, "record.data_older")
    repo.revision("--estado", code=5)


def test_newer_data_beside_an_older_record_do_not_count(repo: Repo) -> None:
    repo.sign("uno")
    repo.sign("dos")
    repo.git("checkout", "-q", "HEAD~1", "--", "casos.firmas.jsonl")
    assert repo.counted == {"uno", "ocho"}
    assert repo.states["dos"] is Status.DESCUADRADO


def windows_clone(repo: Repo, tmp_path: Path) -> Repo:
    clone = replace(repo, top=tmp_path / "windows", data=tmp_path / "windows" / "casos.jsonl")
    repo.git("clone", "-q", "-c", "core.autocrlf=true", repo.top, clone.top)
    return clone


def test_a_checkout_with_windows_line_ends_keeps_every_signature_and_takes_new_ones(
    plain: Repo, tmp_path: Path
) -> None:
    plain.sign("uno")
    clone = windows_clone(plain, tmp_path)
    assert b"\r\n" in clone.data.read_bytes()
    assert b"\r\n" in record_path(clone.data).read_bytes()
    require_whole(clone, "uno", "ocho")
    clone.sign("dos", by="Luis")
    require_whole(clone, "uno", "dos", "ocho")
    plain.git("pull", "-q", clone.top, "main")
    assert b"\r" not in plain.data.read_bytes()
    require_whole(plain, "uno", "dos", "ocho")


def test_in_a_prepared_repository_no_conversion_touches_data_or_record(repo: Repo, tmp_path: Path) -> None:
    repo.sign("uno")
    clone = windows_clone(repo, tmp_path)
    assert clone.data.read_bytes() == repo.data.read_bytes()
    assert record_path(clone.data).read_bytes() == record_path(repo.data).read_bytes()
    require_whole(clone, "uno", "ocho")


def test_a_branch_whose_editor_wrote_windows_line_ends_merges_case_by_case(repo: Repo) -> None:
    repo.branch("b")
    repo.sign("dos", by="Luis")
    repo.data.write_bytes(repo.data.read_bytes().replace(b"\n", b"\r\n"))
    repo.commit("un editor de Windows")
    repo.to("main")
    repo.sign("uno")
    repo.git("merge", "-q", "-m", "x", "b")
    require_whole(repo, "uno", "dos", "ocho")
    assert repo.data.read_bytes().count(b"\r\n") == len(IDS), "the change of line ends was theirs alone"


# The order by itself.


def versions(tmp_path: Path, base: str, ours: str, theirs: str) -> list[Path]:
    paths = [tmp_path / name for name in ("base.jsonl", "a.jsonl", "b.jsonl")]
    for path, content in zip(paths, (base, ours, theirs), strict=True):
        path.write_text(content, encoding="utf-8")
    return paths


def test_the_order_leaves_the_result_in_a_and_says_so(repo: Repo, tmp_path: Path) -> None:
    base, ours, theirs = versions(tmp_path, '{"id":"x"}\n', '{"id":"x","n":1}\n', '{"id":"x"}\n{"id":"y"}\n')
    done = repo.revision("--fusionar", base, ours, theirs)
    assert ours.read_text(encoding="utf-8") == '{"id":"x","n":1}\n{"id":"y"}\n'
    assert "fusionado caso por caso, sin conflictos (2 casos)" in done.stdout
    assert done.stderr == ""


def test_a_version_that_is_not_there_changes_nothing_and_is_not_taken_for_a_conflict(
    repo: Repo, tmp_path: Path
) -> None:
    base, ours, theirs = versions(tmp_path, '{"id":"x"}\n', '{"id":"x","n":1}\n', "")
    theirs.unlink()
    done = repo.revision("--fusionar", base, ours, theirs, code=2)
    assert "No existe el archivo" in done.stderr
    assert ours.read_text(encoding="utf-8") == '{"id":"x","n":1}\n'
    repo.revision("--fusionar", base, ours, code=2)


def test_a_record_is_not_merged_by_case(repo: Repo) -> None:
    repo.sign("uno")
    record = record_path(repo.data)
    before = record.read_bytes()
    done = repo.run(sys.executable, "-m", "reviewer", "--fusionar", record, record, record, code=2)
    assert "merge=union" in done.stderr
    assert record.read_bytes() == before
