"""Branches that sign are merged by git with our driver."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from reviewer.signing import Sign
from reviewer.store import Dataset, LineChange, Plan
from scoring.record import Kind, Status
from tests.cli.git_support import require_whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from scoring.record import Snapshot
    from tests.cli.git_support import Repo


pytestmark = pytest.mark.lento


@dataclass(frozen=True)
class SendBack:
    """Send a case back to its author: a decision that stands in the record and not in the data."""

    case_id: str
    reviewer: str

    def plan(self, snapshot: Snapshot, expected: Mapping[str, bytes], moment: datetime) -> Plan:
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
