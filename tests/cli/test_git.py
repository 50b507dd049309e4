"""Data set and record in a real git: merge, rebase, cherry-pick, older commits, Windows line ends."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from reviewer.signing import Sign
from reviewer.status import status_of
from reviewer.store import Dataset, LineChange, Plan
from scoring.record import Kind, Status, record_path
from tests.cli.git_support import IDS, Repo, make_repo

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from scoring.record import Snapshot

pytestmark = pytest.mark.lento


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Repo]:
    """A repository made ready with --instalar-git, and one where nobody did."""
    folder = tmp_path_factory.mktemp("plantillas")
    return {
        installed: make_repo(folder / str(installed), folder / "casa", installed=installed)
        for installed in (True, False)
    }


def copied(template: Repo, tmp_path: Path) -> Repo:
    top = tmp_path / "repo"
    shutil.copytree(template.top, top)
    return replace(template, top=top, data=top / template.data.name)


@pytest.fixture
def repo(templates: dict[bool, Repo], tmp_path: Path) -> Repo:
    return copied(templates[True], tmp_path)


@pytest.fixture
def plain(templates: dict[bool, Repo], tmp_path: Path) -> Repo:
    return copied(templates[False], tmp_path)


def require_whole(repo: Repo, *signed: str) -> None:
    """These cases count and no other, nothing is amiss, and every id is there once."""
    assert repo.counted == set(signed)
    dataset = Dataset.open(repo.data)
    assert [entry.id for entry in dataset.entries].count(signed[0]) == 1
    assert (dataset.problems, dataset.record.breaks) == ((), ())
    assert status_of(dataset).exit_code == 0
    assert repo.git("status", "--short").stdout == ""


@dataclass(frozen=True)
class SendBack:
    """Send a case back to its author: a decision that stands in the record and not in the data."""

    case_id: str
    reviewer: str

    def plan(self, snapshot: Snapshot, expected: Mapping[str, str], moment: datetime) -> Plan:
        raw = snapshot.file.by_id()[self.case_id].row.line.raw
        change = LineChange(self.case_id, raw, raw)
        return Plan(
            Kind.DEVUELVE, (change,), None, self.reviewer, moment, "cli", reason="falta la edad del paciente"
        )


# Different cases.


def test_two_branches_that_sign_neighbouring_cases_merge_without_a_conflict(repo: Repo) -> None:
    repo.branch("clinica-b")
    repo.sign("dos", "cuatro", by="Luis", day=2)
    repo.to("main")
    repo.sign("uno", "tres", by="Ana", day=1)
    before = repo.data.read_bytes().splitlines()
    repo.git("merge", "-q", "-m", "fusión", "clinica-b")
    require_whole(repo, "uno", "dos", "tres", "cuatro", "ocho")
    repo.revision("--comprobar")
    assert "registro y datos coinciden" in repo.revision("--estado").stdout
    after = repo.data.read_bytes().splitlines()
    assert [n for n, (old, new) in enumerate(zip(before, after, strict=True)) if old != new] == [1, 3]


def test_the_adoption_that_both_branches_wrote_is_one_line_after_the_merge(repo: Repo) -> None:
    repo.branch("b")
    repo.sign("dos", by="Luis")
    there = repo.record_lines
    repo.to("main")
    repo.sign("uno", by="Ana")
    here = repo.record_lines
    assert here[0] == there[0], "the adoption of «ocho» has no clock and no host"
    repo.git("merge", "-q", "-m", "fusión", "b")
    assert sorted(repo.record_lines) == sorted({*here, *there})
    assert len(repo.record_lines) == 3


def test_three_branches_merged_one_after_the_other_keep_every_signature(repo: Repo) -> None:
    for name, case_id in (("b", "dos"), ("c", "tres"), ("d", "cuatro")):
        repo.branch(name)
        repo.sign(case_id, by=name.upper() + "ea")
    repo.to("main")
    repo.sign("uno")
    for name in "bcd":
        repo.git("merge", "-q", "-m", name, name)
    require_whole(repo, "uno", "dos", "tres", "cuatro", "ocho")
    repo.sign("cinco")
    assert len(Dataset.open(repo.data).record.tips) == 1, "the next signature joins all branches"
    require_whole(repo, "uno", "dos", "tres", "cuatro", "cinco", "ocho")


def test_git_refuses_to_merge_two_branches_at_once_and_leaves_everything_as_it_was(repo: Repo) -> None:
    """Its octopus strategy asks no driver and no attribute; it gives up where lines meet."""
    for name, case_id in (("b", "dos"), ("c", "cuatro")):
        repo.branch(name)
        repo.sign(case_id, by="Luis")
    repo.to("main")
    repo.sign("seis")
    repo.git("merge", "-q", "-m", "pulpo", "b", "c", code=2)
    require_whole(repo, "seis", "ocho")


def test_a_rebase_keeps_the_signatures_of_both_branches(repo: Repo) -> None:
    repo.branch("b")
    repo.sign("dos", by="Luis")
    repo.sign("cuatro", by="Luis", day=2)
    repo.to("main")
    repo.sign("uno")
    repo.sign("tres")
    repo.to("b")
    repo.git("rebase", "-q", "main")
    require_whole(repo, "uno", "dos", "tres", "cuatro", "ocho")


def test_a_signature_can_be_picked_from_another_branch(repo: Repo) -> None:
    repo.branch("b")
    repo.sign("dos", by="Luis")
    repo.to("main")
    repo.sign("uno")
    repo.git("cherry-pick", "b")
    require_whole(repo, "uno", "dos", "ocho")
    repo.git("merge", "-q", "-m", "y después la rama entera", "b")
    require_whole(repo, "uno", "dos", "ocho")


def test_a_commit_picked_without_the_one_before_it_shows_what_the_data_lack(repo: Repo) -> None:
    """The union takes the neighbouring line of the record along; the data line of that signature stays behind."""
    repo.sign("uno")
    repo.branch("b")
    repo.sign("dos", by="Luis")
    repo.sign("cuatro", by="Luis")
    repo.to("main")
    repo.git("cherry-pick", "b")
    assert repo.counted == {"uno", "cuatro", "ocho"}
    assert Dataset.open(repo.data).states["dos"].reason == "record.data_older"
    repo.revision("--estado", code=5)
    repo.git("merge", "-q", "-m", "la rama entera", "b")
    require_whole(repo, "uno", "dos", "cuatro", "ocho")


def test_branches_that_crossed_twice_merge_again(repo: Repo) -> None:
    repo.branch("b")
    repo.sign("dos", by="Luis")
    repo.to("main")
    repo.sign("uno")
    repo.git("branch", "cruce")
    repo.git("merge", "-q", "-m", "b en main", "b")
    repo.sign("tres")
    repo.to("b")
    repo.git("merge", "-q", "-m", "main en b", "cruce")
    repo.sign("cuatro", by="Luis", day=2)
    repo.to("main")
    assert len(repo.git("merge-base", "--all", "main", "b").stdout.split()) == 2, "a criss-cross"
    repo.git("merge", "-q", "-m", "otra vez", "b")
    require_whole(repo, "uno", "dos", "tres", "cuatro", "ocho")


def test_a_conflict_settled_in_two_ways_by_two_branches_is_a_conflict_again(repo: Repo) -> None:
    repo.branch("b")
    repo.sign("dos", by="Luis")
    repo.to("main")
    repo.sign("dos", by="Ana")
    repo.git("branch", "cruce")
    for branch, other, keep in (("main", "b", "Ana"), ("b", "cruce", "Luis")):
        repo.to(branch)
        repo.git("merge", "-q", "-m", "x", other, code=1)
        settle(repo, keep)
        repo.commit("resuelto")
    repo.to("main")
    done = repo.git("merge", "-m", "otra vez", "b", code=1)
    assert done.stderr.count("Conflicto en") == 1, "the conflict of the ancestors is nobody's to read"
    assert "esta rama lo tiene firmado por Ana" in done.stderr
    assert "la otra rama lo tiene firmado por Luis" in done.stderr


# The same case.


def settle(repo: Repo, keep: str | None) -> None:
    """What a person does in an editor: keep the line signed by ``keep``, delete the other and the markers."""
    kept: list[str] = []
    side = ""
    for line in repo.data.read_text(encoding="utf-8").splitlines(keepends=True):
        if line.startswith(("<<<<<<<", "=======", ">>>>>>>")):
            side = line[0].replace(">", "")
        elif not side or json.loads(line).get("revisor") == keep:
            kept.append(line)
    repo.data.write_text("".join(kept), encoding="utf-8")


def test_two_decisions_on_one_case_are_a_conflict_that_names_both_and_is_settled_step_by_step(
    repo: Repo,
) -> None:
    repo.branch("b")
    repo.sign("dos", by="Luis Gil", day=2)
    repo.sign("cuatro", by="Luis Gil", day=2)
    repo.to("main")
    repo.sign("dos", by="Ana Ruiz", day=1)
    merge = repo.git("merge", "-m", "fusión", "b", code=1)
    assert (
        "Conflicto en «casos.jsonl», caso «dos»: esta rama lo tiene firmado por Ana Ruiz el 2026-08-01; "
        "la otra rama lo tiene firmado por Luis Gil el 2026-08-02."
    ) in merge.stderr
    assert "CONFLICT (content): Merge conflict in casos.jsonl" in merge.stdout
    assert repo.git("status", "--short").stdout.splitlines() == ["M  casos.firmas.jsonl", "UU casos.jsonl"]

    check = repo.revision("--comprobar", code=3)
    assert check.stdout.count("marca de conflicto de una fusión de git") == 3
    assert not Dataset.open(repo.data).states["dos"].counts

    settle(repo, keep="Luis Gil")
    assert repo.revision("--comprobar").returncode == 0
    state = Dataset.open(repo.data).states["dos"]
    assert state.status is Status.DESCUADRADO
    assert state.sentence().startswith(
        "descuadrado: hay dos decisiones distintas sobre el mismo caso (Ana Ruiz, Luis Gil)"
    )
    told = repo.revision("--estado", code=5).stdout
    assert "no dicen lo mismo; no cuentan; véalos con --reparar): dos" in told
    assert "coinciden" not in told
    assert "dos" in repo.revision("--auditar", code=5).stdout
    refused = repo.revision("--validar", "dos", "--revisor", "Eva", code=5)
    assert "--refirmar" in refused.stderr

    repo.revision("--validar", "dos", "--revisor", "Eva", "--refirmar")
    repo.commit("fusión, con el caso dos leído de nuevo")
    require_whole(repo, "dos", "cuatro", "ocho")
    repo.revision("--auditar")
    who = [entry.reviewer for entry in Dataset.open(repo.data).record.of_case("dos")]
    assert sorted(filter(None, who[:2])) == ["Ana Ruiz", "Luis Gil"], "both decisions stay in the record"
    assert who[2:] == ["Eva"]


def test_the_case_does_not_count_although_somebody_took_one_of_the_sides_whole(repo: Repo) -> None:
    repo.branch("b")
    repo.sign("dos", "cuatro", by="Luis")
    repo.to("main")
    repo.sign("dos", by="Ana")
    repo.git("merge", "-q", "-m", "x", "b", code=1)
    repo.git("checkout", "--ours", "casos.jsonl")
    repo.commit("a la ligera")
    assert repo.counted == {"ocho"}
    assert repo.states["dos"] is Status.DESCUADRADO
    assert Dataset.open(repo.data).states["cuatro"].reason == "record.data_older", (
        "a signature lost in the data is seen"
    )
    repo.revision("--estado", code=5)


def test_the_same_person_signing_the_same_content_on_two_branches_is_one_decision(repo: Repo) -> None:
    repo.branch("b")
    repo.apply(Sign(("dos",), "Ana", way="app"), day=3)
    repo.commit("en b")
    repo.to("main")
    repo.apply(Sign(("dos",), "Ana", way="cli"), day=3)
    repo.commit("en main")
    repo.git("merge", "-q", "-m", "x", "b")
    require_whole(repo, "dos", "ocho")


def test_a_signature_and_an_edit_of_the_same_case_are_a_conflict_and_the_signature_does_not_pass_over(
    repo: Repo,
) -> None:
    repo.branch("b")
    repo.edit('"id": "dos", "descripcion": "Anemia', '"id": "dos", "descripcion": "Ferropenia')
    repo.to("main")
    repo.sign("dos", by="Ana")
    done = repo.git("merge", "-m", "x", "b", code=1)
    assert "la otra rama ha cambiado el contenido (descripcion). La firma es de otro contenido" in done.stderr
    repo.revision("--comprobar", code=3)


@pytest.mark.parametrize(("keep", "status"), [("Ana", Status.FIRMADO), (None, Status.DESCUADRADO)])
def test_what_becomes_of_that_signature_depends_on_the_line_that_is_kept(
    repo: Repo, keep: str | None, status: Status
) -> None:
    repo.branch("b")
    repo.edit('"id": "dos", "descripcion": "Anemia', '"id": "dos", "descripcion": "Ferropenia')
    repo.to("main")
    repo.sign("dos", by="Ana")
    repo.git("merge", "-q", "-m", "x", "b", code=1)
    settle(repo, keep)
    repo.commit("resuelto")
    assert repo.states["dos"] is status
    repo.sign("dos", by="Eva", day=2, resign=True)
    require_whole(repo, "dos", "ocho")


def test_a_signature_picked_into_a_branch_without_a_record_brings_the_record_along(repo: Repo) -> None:
    repo.branch("b")
    repo.sign("dos", by="Luis")
    repo.sign("cuatro", by="Luis")
    repo.to("main")
    done = repo.git("cherry-pick", "b", code=1)
    assert "CONFLICT (modify/delete): casos.firmas.jsonl" in done.stdout
    repo.git("add", "casos.firmas.jsonl")
    repo.git("cherry-pick", "--continue")
    assert repo.counted == {"cuatro", "ocho"}
    assert Dataset.open(repo.data).states["dos"].reason == "record.data_older"


def test_a_case_sent_back_on_one_branch_and_signed_on_the_other_does_not_count(repo: Repo) -> None:
    repo.branch("b")
    repo.apply(SendBack("dos", "Luis"))
    repo.commit("devuelto")
    repo.to("main")
    repo.sign("dos", by="Ana")
    repo.git("merge", "-q", "-m", "x", "b")
    state = Dataset.open(repo.data).states["dos"]
    assert (state.status, state.reason) == (Status.DESCUADRADO, "record.two_decisions")
    repo.revision("--estado", code=5)
    repo.sign("dos", by="Eva", day=2, resign=True)
    require_whole(repo, "dos", "ocho")


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
