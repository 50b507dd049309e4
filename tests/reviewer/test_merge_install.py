"""``revision --instalar-git`` in real repositories: what it writes, what it leaves alone, what it refuses."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from reviewer.merging.install import driver_command
from scoring.record import intent_path, lock_path, record_path, torn_path
from tests.cli.git_support import Repo, environment, make_repo
from tests.support import make_case, write_cases

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.lento

CASES_LINE = "/casos.jsonl -text merge=revision-clinica\n"
RECORD_LINE = "*.firmas.jsonl merge=union -text\n"


@pytest.fixture
def bare(tmp_path: Path) -> Repo:
    """A repository in which nobody has run the order yet."""
    return make_repo(tmp_path / "repo", tmp_path / "casa", installed=False)


def written(repo: Repo) -> dict[str, bytes]:
    return {name: (repo.top / name).read_bytes() for name in (".git/config", ".gitattributes", ".gitignore")}


def attributes(repo: Repo, path: Path) -> str:
    return repo.git("check-attr", "merge", "text", "--", path).stdout


def test_it_says_what_it_did_and_a_second_time_that_nothing_was_to_be_done(bare: Repo) -> None:
    first = bare.revision("--instalar-git").stdout
    assert "añadido el controlador de fusión «revision-clinica»" in first
    assert "una vez en cada copia del repositorio" in first
    assert (bare.top / ".gitattributes").read_text() == CASES_LINE + RECORD_LINE
    before = written(bare)
    second = bare.revision("--instalar-git").stdout
    assert written(bare) == before
    assert "ya estaba" in second
    assert second.count("ya decía todo lo necesario; no se ha tocado") == 2


def test_what_a_save_leaves_beside_the_data_is_not_versioned_and_other_locks_are(bare: Repo) -> None:
    bare.revision("--instalar-git")
    bare.commit()
    beside = [place(bare.data) for place in (lock_path, intent_path, torn_path)]
    beside += [intent_path(bare.data).with_name("casos.pendiente.rotas"), bare.top / "revision_pendiente.md"]
    beside.append(bare.top / ".casos.firmas.jsonl.revision-0123456789ab.tmp")
    for path in beside:
        path.touch()
    assert bare.git("status", "--short").stdout == ""
    for path in (bare.top / "poetry.lock", record_path(bare.data)):
        path.touch()
    assert bare.git("status", "--short").stdout == "?? casos.firmas.jsonl\n?? poetry.lock\n"


def test_the_lines_that_are_there_stay_byte_for_byte(bare: Repo) -> None:
    (bare.top / ".gitattributes").write_bytes(
        b"# nuestro\r\n*.png binary\r\n*.firmas.jsonl merge=union -text"
    )
    (bare.top / ".gitignore").write_bytes(b"*.lock\nrevision_pendiente.md\n\n# fin")
    bare.revision("--instalar-git")
    found = written(bare)
    assert found[".gitattributes"] == (
        b"# nuestro\r\n*.png binary\r\n*.firmas.jsonl merge=union -text\r\n"
        + CASES_LINE.encode()[:-1]
        + b"\r\n"
    )
    assert found[".gitignore"] == (
        b"*.lock\nrevision_pendiente.md\n\n# fin\n"
        b"/casos.pendiente\n/casos.pendiente.rotas\n/casos.firmas.jsonl.rotas\n/revision_devueltos.md\n"
        b".*.revision-*.tmp\n"
    )


def test_what_only_this_person_ignores_is_written_for_everybody(bare: Repo, tmp_path: Path) -> None:
    ignored = tmp_path / "casa" / "ignorado"
    ignored.write_text("*.lock\n*.pendiente\n")
    bare.git("config", "--global", "core.excludesFile", ignored)
    bare.revision("--instalar-git")
    assert "/casos.lock\n" in (bare.top / ".gitignore").read_text()


@pytest.mark.parametrize(
    "name", ["mis datos/caso's [1] 100%.jsonl", "año/«x»\\y#.jsonl", "-x.jsonl", "!y.json"]
)
def test_any_file_name_is_merged_by_case_and_no_other_is(tmp_path: Path, name: str) -> None:
    repo = make_repo(tmp_path / "un repo", tmp_path / "casa", name=name)
    assert "merge: revision-clinica" in attributes(repo, repo.data)
    other = repo.data.with_name(repo.data.name.replace("1", "2").replace("x", "z").replace("y", "z"))
    assert "merge: unspecified" in attributes(repo, other)
    assert "merge: union" in attributes(repo, record_path(repo.data))
    repo.branch("b")
    repo.sign("dos", by="Luis")
    repo.to("main")
    repo.sign("uno")
    assert repo.git("status", "--short").stdout == ""
    merge = repo.git("merge", "-m", "x", "b")
    assert f"«{name}»: fusionado caso por caso" in merge.stdout, "the file is told by its own name"
    assert repo.counted == {"uno", "dos", "ocho"}


def test_it_works_from_a_folder_below_and_for_a_link_to_the_data(bare: Repo, tmp_path: Path) -> None:
    link = tmp_path / "enlace.jsonl"
    link.symlink_to(bare.data)
    below = bare.top / "sub"
    below.mkdir()
    replace(bare, top=below).run(sys.executable, "-m", "reviewer", "--casos", link, "--instalar-git")
    assert (bare.top / ".gitattributes").read_text() == CASES_LINE + RECORD_LINE


def test_the_driver_needs_no_active_environment_and_stands_blanks_in_its_own_path(
    bare: Repo, tmp_path: Path
) -> None:
    bare.revision("--instalar-git")
    bare.commit()
    odd = tmp_path / "Archivos de programa (100%) d'Ana"
    odd.mkdir()
    python = odd / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    bare.git("config", "merge.revision-clinica.driver", driver_command(str(python), "es"))
    bare.branch("b")
    bare.sign("dos", by="Luis")
    bare.to("main")
    bare.sign("uno")
    lean = replace(bare, env={**bare.env, "PATH": os.defpath})
    assert "fusionado caso por caso" in lean.git("merge", "-m", "x", "b").stdout
    assert bare.counted == {"uno", "dos", "ocho"}


def test_modules_that_lie_in_the_repository_are_not_run_by_a_merge(bare: Repo) -> None:
    bare.revision("--instalar-git")
    trap = "raise SystemExit(open('trampa', 'w').write('x'))\n"
    (bare.top / "reviewer").mkdir()
    for name in ("reviewer/__init__.py", "reviewer/__main__.py", "json.py"):
        (bare.top / name).write_text(trap)
    bare.commit()
    bare.branch("b")
    bare.sign("dos", by="Luis")
    bare.to("main")
    bare.sign("uno")
    bare.git("merge", "-q", "-m", "x", "b")
    assert not (bare.top / "trampa").exists()
    assert bare.counted == {"uno", "dos", "ocho"}


def test_a_program_that_is_gone_leaves_a_conflict_and_never_one_side_alone(
    bare: Repo, tmp_path: Path
) -> None:
    bare.revision("--instalar-git")
    bare.commit()
    bare.git("config", "merge.revision-clinica.driver", driver_command(str(tmp_path / "no" / "python"), "es"))
    bare.branch("b")
    bare.sign("dos", "siete", by="Luis")
    bare.to("main")
    bare.sign("uno")
    done = bare.git("merge", "-m", "x", "b", code=1)
    assert "revision no ha podido fusionar los casos" in done.stderr
    assert "CONFLICT (content): Merge conflict in casos.jsonl" in done.stdout
    text = bare.data.read_text(encoding="utf-8")
    assert text.count('"revisor": "Luis"') == 2, "both signatures of the other branch are in the file"
    assert text.count('"revisor": "Ana"') == 1
    assert ">>>>>>> la otra rama" in text
    bare.revision("--comprobar", code=3)


def test_the_driver_speaks_the_language_it_was_installed_in(bare: Repo) -> None:
    bare.revision("--instalar-git", "--idioma", "en")
    bare.commit()
    bare.branch("b")
    bare.sign("dos", by="Luis")
    bare.to("main")
    bare.sign("dos")
    done = bare.git("merge", "-m", "x", "b", code=1)
    assert "this branch has it signed by Ana on 2026-08-01" in done.stderr
    assert "<<<<<<< this branch" in bare.data.read_text(encoding="utf-8")
    again = bare.revision("--instalar-git")
    assert "actualizado el controlador de fusión" in again.stdout


def test_a_rule_that_prevails_elsewhere_is_told(bare: Repo) -> None:
    (bare.top / ".git" / "info" / "attributes").write_text("*.jsonl merge=binary\n")
    done = bare.revision("--instalar-git", code=6)
    assert "manda otra regla" in done.stderr


def test_a_record_that_git_leaves_out_is_told(bare: Repo) -> None:
    (bare.top / ".gitignore").write_text("*.firmas.jsonl\n")
    done = bare.revision("--instalar-git")
    assert "git no guarda «casos.firmas.jsonl»" in done.stdout


def test_windows_line_ends_that_git_had_converted_are_told_with_the_way_back(
    bare: Repo, tmp_path: Path
) -> None:
    clone = replace(bare, top=tmp_path / "w", data=tmp_path / "w" / "casos.jsonl")
    bare.git("clone", "-q", "-c", "core.autocrlf=true", bare.top, clone.top)
    done = clone.revision("--instalar-git")
    assert "«casos.jsonl» tiene aquí finales de línea de Windows" in done.stdout
    clone.git("checkout", "--", "casos.jsonl")
    assert clone.data.read_bytes() == bare.data.read_bytes()
    assert "Windows" not in clone.revision("--instalar-git").stdout


# Refusals: exit 2, a sentence, nothing written.


def test_outside_a_repository_it_says_so(tmp_path: Path) -> None:
    data = write_cases(tmp_path / "casos.jsonl", make_case())
    alone = Repo(tmp_path, data, {**environment(tmp_path), "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)})
    done = alone.revision("--instalar-git", code=2)
    assert "no está dentro de un repositorio de git" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "casa") == ["casos.jsonl"]


def test_the_demonstration_has_no_repository_to_prepare(bare: Repo) -> None:
    done = bare.run(sys.executable, "-m", "reviewer", "--instalar-git", code=2)
    assert "Añada --casos F" in done.stderr


def test_without_git_or_without_the_file_it_says_so(bare: Repo, tmp_path: Path) -> None:
    done = bare.run(
        sys.executable, "-m", "reviewer", "--casos", bare.data, "--instalar-git", code=2, PATH=str(tmp_path)
    )
    assert "git no está instalado" in done.stderr
    missing = replace(bare, data=bare.top / "otro.jsonl").revision("--instalar-git", code=2)
    assert "No existe el archivo" in missing.stderr


def test_a_file_that_is_no_text_is_not_touched(bare: Repo) -> None:
    path = bare.top / ".gitattributes"
    path.write_bytes("*.png binary\r\n".encode("utf-16"))
    before = path.read_bytes()
    done = bare.revision("--instalar-git", code=2)
    assert "no es un texto UTF-8" in done.stderr
    assert path.read_bytes() == before
