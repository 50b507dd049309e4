"""A write is seen whole or not at all, and changes nothing about the file but its content."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

import pytest

from scoring import files
from scoring.errors import ExitCode, WriteError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def refuse(number: int) -> Callable[..., int]:
    def call(*_: object, **__: object) -> int:
        raise OSError(number, os.strerror(number))

    return call


def test_a_new_file_gets_the_usual_rights(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        files.atomic_write(tmp_path / "a.txt", b"hola")
    finally:
        os.umask(old)
    assert (tmp_path / "a.txt").read_bytes() == b"hola"
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o640


def test_mode_stays_and_nothing_is_left_beside(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"viejo")
    path.chmod(0o604)
    files.atomic_write(path, b"nuevo")
    assert path.read_bytes() == b"nuevo"
    assert stat.S_IMODE(path.stat().st_mode) == 0o604
    assert [p.name for p in tmp_path.glob("*a.txt*")] == ["a.txt"]


def test_a_new_file_may_take_the_rights_of_another(tmp_path: Path) -> None:
    model = tmp_path / "m"
    model.write_bytes(b"")
    model.chmod(0o600)
    files.atomic_write(tmp_path / "n", b"x", like=model)
    assert stat.S_IMODE((tmp_path / "n").stat().st_mode) == 0o600


def test_a_link_stays_a_link_and_its_target_changes(tmp_path: Path) -> None:
    folder = tmp_path / "lejos"
    folder.mkdir()
    (folder / "real.txt").write_bytes(b"viejo")
    link = tmp_path / "atajo.txt"
    link.symlink_to(folder / "real.txt")
    files.atomic_write(link, b"nuevo")
    assert link.is_symlink()
    assert (folder / "real.txt").read_bytes() == b"nuevo"
    assert [p.name for p in folder.iterdir()] == ["real.txt"]


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(WriteError):
        files.atomic_write(tmp_path / "a", b"x")


@pytest.mark.parametrize(
    ("call", "number", "code"),
    [
        ("write", errno.ENOSPC, "disk_full"),
        ("write", errno.EIO, "cannot_write"),
        ("fsync", errno.EIO, "cannot_write"),
        ("fsync", errno.EDQUOT, "disk_full"),
        ("open", errno.EACCES, "not_allowed"),
        ("open", errno.EROFS, "not_allowed"),
        ("replace", errno.EIO, "cannot_write"),
        ("fchmod", errno.EPERM, "not_allowed"),
    ],
)
def test_a_refusal_leaves_the_old_file_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int, code: str
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"viejo")
    with monkeypatch.context() as patched:
        patched.setattr(os, call, refuse(number))
        with pytest.raises(WriteError) as caught:
            files.atomic_write(path, b"nuevo")
    assert caught.value.code == code
    assert caught.value.exit_code is ExitCode.WRITE_FAILED
    assert "a.txt" in str(caught.value)
    assert path.read_bytes() == b"viejo"
    assert [p.name for p in tmp_path.glob("*a.txt*")] == ["a.txt"]


def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write

    def three(descriptor: int, data: bytes) -> int:
        return real(descriptor, bytes(data)[:3])

    monkeypatch.setattr(os, "write", three)
    files.atomic_write(tmp_path / "a", b"0123456789")
    assert (tmp_path / "a").read_bytes() == b"0123456789"


def test_a_write_of_nothing_is_an_error_and_not_an_endless_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "write", lambda *_: 0)
    with pytest.raises(WriteError):
        files.atomic_write(tmp_path / "a", b"x")
    assert not (tmp_path / "a").exists()


def test_a_folder_that_cannot_be_flushed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.fsync

    def only_files(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EIO, "fallo")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", only_files)
    with pytest.raises(WriteError) as caught:
        files.atomic_write(tmp_path / "a", b"x")
    assert caught.value.code == "unsure"
    assert (tmp_path / "a").read_bytes() == b"x"


def test_a_file_system_without_folder_flush_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync

    def only_files(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "no")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", only_files)
    files.atomic_write(tmp_path / "a", b"x")


@pytest.mark.parametrize(("place", "code"), [("file", "read_only"), ("folder", "folder_read_only")])
def test_what_is_marked_read_only_is_refused_also_for_the_superuser(
    tmp_path: Path, place: str, code: str
) -> None:
    folder = tmp_path / "f"
    folder.mkdir()
    path = folder / "a"
    path.write_bytes(b"x")
    files.require_writable(path)
    files.require_writable(folder / "todavía-no-existe")
    (path if place == "file" else folder).chmod(0o444 if place == "file" else 0o555)
    try:
        with pytest.raises(WriteError) as caught:
            files.require_writable(path)
    finally:
        folder.chmod(0o755)
    assert caught.value.code == code


def test_leftovers_of_a_killed_writer_are_removed_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with files.prepared(path, b"x") as temporary:
        leftover = temporary.with_name(temporary.name.replace(".tmp", "00.tmp"))
        leftover.write_bytes(b"medio")
    mine = tmp_path / ".a.txt.swp"
    mine.write_bytes(b"editor")
    other = tmp_path / ".b.txt.revision-00.tmp"
    other.write_bytes(b"otro")
    files.remove_leftovers(path)
    assert not leftover.exists()
    assert mine.exists()
    assert other.exists()


def test_identity_changes_with_each_replace(tmp_path: Path) -> None:
    path = tmp_path / "a"
    assert files.identity(path) is None
    files.atomic_write(path, b"x")
    first = files.identity(path)
    files.atomic_write(path, b"y")
    assert first is not None
    assert files.identity(path) != first
