"""A write is seen whole or not at all, and changes nothing about the file but its content."""

from __future__ import annotations

import errno
import os
import socket
import stat
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scoring import files, messages
from scoring.errors import ExitCode, WriteError, system_reason

if TYPE_CHECKING:
    from collections.abc import Callable


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


def device(path: Path, minor: int) -> Path:
    """A character device of our own: 3 swallows everything (null), 7 is always full."""
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, minor))
        os.close(os.open(path, os.O_WRONLY))
    except OSError:
        pytest.skip("this user may not make devices here")
    return path


@pytest.mark.parametrize("write", [files.atomic_write, files.write_report])
def test_a_folder_is_refused_with_a_sentence_and_stays(
    tmp_path: Path, write: Callable[[Path, bytes], None]
) -> None:
    folder = tmp_path / "carpeta"
    folder.mkdir()
    link = tmp_path / "atajo"
    link.symlink_to(folder)
    for place in (folder, link):
        with pytest.raises(WriteError) as caught:
            write(place, b"x")
        assert caught.value.key == "files.is_folder"
    assert folder.is_dir()
    assert list(folder.iterdir()) == []


def test_nothing_but_a_file_is_ever_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "tuberia"
    os.mkfifo(pipe)
    with pytest.raises(WriteError) as caught:
        files.atomic_write(pipe, b"x")
    assert caught.value.key == "files.no_regular_file"
    assert pipe.is_fifo()


def test_a_report_into_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    place = Path("s")  # a socket's name is short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        with pytest.raises(WriteError) as caught:
            files.write_report(place, b"x")
    assert caught.value.key == "files.no_regular_file"
    assert place.is_socket()


def test_a_report_goes_through_a_pipe_to_whoever_reads_it(tmp_path: Path) -> None:
    pipe = tmp_path / "tuberia"
    os.mkfifo(pipe)
    data = b"0123456789" * 20_000  # more than a pipe holds
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    files.write_report(pipe, data)
    reader.join(timeout=30)
    assert got == [data]
    assert pipe.is_fifo()
    assert [entry.name for entry in tmp_path.iterdir() if entry.name != "casa"] == ["tuberia"]


def test_a_pipe_that_nobody_reads_is_an_error_and_not_a_hanging_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "READER_WAIT_SECONDS", 0.1)
    pipe = tmp_path / "tuberia"
    os.mkfifo(pipe)
    with pytest.raises(WriteError) as caught:
        files.write_report(pipe, b"x")
    assert "nadie lee al otro lado" in str(caught.value)
    assert pipe.is_fifo()


def test_a_report_to_a_terminal_is_written_to_it() -> None:
    master, slave = os.openpty()
    try:
        files.write_report(Path(os.ttyname(slave)), b"informe")
        assert os.read(master, 100) == b"informe"
    finally:
        os.close(master)
        os.close(slave)


def test_a_device_takes_the_report_and_stays_a_device(tmp_path: Path) -> None:
    null = device(tmp_path / "nada", 3)
    files.write_report(null, b"x")
    assert null.is_char_device()


def test_a_full_device_is_said_and_stays_a_device(tmp_path: Path) -> None:
    full = device(tmp_path / "lleno", 7)
    with pytest.raises(WriteError) as caught:
        files.write_report(full, b"x")
    assert caught.value.code == "disk_full"
    assert caught.value.exit_code is ExitCode.WRITE_FAILED
    assert full.is_char_device()


def test_a_report_makes_its_folders(tmp_path: Path) -> None:
    files.write_report(tmp_path / "a" / "b" / "c.json", b"x")
    assert (tmp_path / "a" / "b" / "c.json").read_bytes() == b"x"


@pytest.mark.parametrize("number", sorted(errno.errorcode))
def test_no_system_speaks_in_its_own_language(number: int) -> None:
    said = system_reason(OSError(number, os.strerror(number)))
    assert os.strerror(number) not in said


@pytest.mark.parametrize(
    ("number", "es", "en"),
    [
        (errno.ENOENT, "no existe el archivo o la carpeta", "the file or folder does not exist"),
        (errno.EISDIR, "es una carpeta", "it is a folder"),
        (errno.EACCES, "no hay permiso", "permission is denied"),
        (errno.ENOSPC, "no queda sitio", "no room is left"),
        (errno.ENAMETOOLONG, "el nombre es demasiado largo", "the name is too long"),
        (errno.EROFS, "ese disco es de solo lectura", "that disk is read-only"),
        (errno.ENOTCONN, "el sistema da el error ENOTCONN", "the system gives the error ENOTCONN"),
        (None, "el sistema da el error OSError", "the system gives the error OSError"),
    ],
)
def test_why_the_system_refused_is_said_in_the_language_in_force(
    number: int | None, es: str, en: str
) -> None:
    error = OSError("sin número") if number is None else OSError(number, "whatever")
    assert system_reason(error) == es
    messages.set_language("en")
    assert system_reason(error) == en


def test_a_name_that_no_file_can_have_is_said(tmp_path: Path) -> None:
    with pytest.raises(WriteError) as caught:
        files.atomic_write(tmp_path / "a\0b", b"x")
    assert "un carácter que el sistema no admite" in str(caught.value)
