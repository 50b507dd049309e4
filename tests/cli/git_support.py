"""A real git repository with a signed data set in it, for the tests of merging."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from reviewer.signing import Sign
from reviewer.status import status_of
from reviewer.store import Dataset
from scoring.record import Status, record_path
from tests.support import ROOT, make_case, signed, write_cases

if TYPE_CHECKING:
    from pathlib import Path

    from reviewer.store import Applied, Decision

IDS = ("uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho")


def environment(home: Path) -> dict[str, str]:
    """The environment of a person who set nothing up but a name; nothing of the developer's git is seen."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return kept | {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "PYTHONPATH": str(ROOT),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Ana",
        "GIT_AUTHOR_EMAIL": "ana@clinica.example",
        "GIT_COMMITTER_NAME": "Ana",
        "GIT_COMMITTER_EMAIL": "ana@clinica.example",
        "GIT_EDITOR": "true",
        "LC_ALL": "C.UTF-8",
    }


@dataclass(frozen=True)
class Repo:
    """A work tree, the data set in it, and what is run there."""

    top: Path
    data: Path
    env: dict[str, str]

    def run(self, *command: str | Path, code: int | None = 0, **env: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            list(map(str, command)),
            cwd=self.top,
            env=self.env | env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        assert code is None or done.returncode == code, (done.returncode, done.stdout, done.stderr)
        return done

    def git(self, *arguments: str | Path, code: int | None = 0) -> subprocess.CompletedProcess[str]:
        return self.run("git", *arguments, code=code)

    def revision(self, *arguments: str | Path, code: int | None = 0) -> subprocess.CompletedProcess[str]:
        return self.run(sys.executable, "-m", "reviewer", "--casos", self.data, *arguments, code=code)

    def commit(self, message: str = "x") -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", message)

    def branch(self, name: str, start: str = "main") -> None:
        self.git("checkout", "-q", "-b", name, start)

    def to(self, name: str) -> None:
        self.git("checkout", "-q", name)

    def apply(self, decision: Decision, day: int = 1) -> Applied:
        """Decide on the ``day``-th of August 2026, without a process of its own."""
        moment = datetime.fromisoformat(f"2026-08-{day:02d}T10:00:00+02:00")
        return Dataset.open(self.data).apply(decision, moment=moment)

    def sign(self, *ids: str, by: str = "Ana", day: int = 1, resign: bool = False) -> None:
        """Sign and commit."""
        self.apply(Sign(ids, by, resign=resign, way="cli"), day)
        self.commit(f"{by}: {' '.join(ids)}")

    def edit(self, old: str, new: str) -> None:
        """Change bytes of the data with an editor and commit."""
        data = self.data.read_bytes()
        assert old.encode() in data
        self.data.write_bytes(data.replace(old.encode(), new.encode(), 1))
        self.commit(new)

    @property
    def states(self) -> dict[str, Status]:
        return {case_id: state.status for case_id, state in Dataset.open(self.data).states.items()}

    @property
    def counted(self) -> set[str]:
        return {case_id for case_id, state in Dataset.open(self.data).states.items() if state.counts}

    @property
    def record_lines(self) -> list[bytes]:
        return record_path(self.data).read_bytes().splitlines()


def make_repo(top: Path, home: Path, *, name: str = "casos.jsonl", installed: bool = True) -> Repo:
    """A repository with eight cases, of which «ocho» was signed before there was a record."""
    top.mkdir(parents=True)
    home.mkdir(exist_ok=True)
    data = top / name
    data.parent.mkdir(parents=True, exist_ok=True)
    cases = [make_case(case_id) for case_id in IDS[:-1]]
    write_cases(data, *cases, signed(make_case(IDS[-1]), "Eva", "2026-01-02"))
    repo = Repo(top, data, environment(home))
    repo.git("init", "-q", "-b", "main", ".")
    if installed:
        repo.revision("--instalar-git")
    repo.commit("casos")
    return repo


def copied(template: Repo, tmp_path: Path) -> Repo:
    top = tmp_path / "repo"
    shutil.copytree(template.top, top)
    return replace(template, top=top, data=top / template.data.name)


def require_whole(repo: Repo, *signed: str) -> None:
    """These cases count and no other, nothing is amiss, and every id is there once."""
    assert repo.counted == set(signed)
    dataset = Dataset.open(repo.data)
    assert [entry.id for entry in dataset.entries].count(signed[0]) == 1
    assert (dataset.problems, dataset.record.breaks) == ((), ())
    assert status_of(dataset).exit_code == 0
    assert repo.git("status", "--short").stdout == ""
