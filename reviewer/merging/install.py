"""Telling a git repository how to merge a data set and its record.

Three places: the driver in the repository's own configuration (git takes no command from a versioned
file, so every clone needs it once), ``.gitattributes`` and ``.gitignore`` (versioned, for everybody). What
git says is in force already is left as it is; otherwise a line is added and nothing else is touched.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scoring import messages
from scoring.errors import ConflictError, ExitCode, UsageError, system_reason
from scoring.files import atomic_write, resolve, write_error
from scoring.record import intent_path, lock_path, record_path, torn_path
from scoring.record.paths import RECORD_END

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DRIVER = "revision-clinica"
_INNER_DRIVER = f"{DRIVER}-antepasado"
PAPERS = ("revision_pendiente.md", "revision_devueltos.md")
_TIMEOUT_SECONDS = 60
# Only what the repository itself says is there for everybody who clones it.
_SHARED_ONLY = ("-c", f"core.attributesFile={os.devnull}", "-c", f"core.excludesFile={os.devnull}")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was done, was there already, or asks for attention: catalogue key and fields."""

    key: str
    fields: tuple[tuple[str, object], ...] = ()

    def sentence(self) -> str:
        """What to tell the person."""
        return messages.text(self.key, **dict(self.fields))


def _step(key: str, **fields: object) -> Step:
    return Step(f"merge.{key}", tuple(fields.items()))


@dataclass(frozen=True, slots=True)
class _Repository:
    """The work tree that holds the data set."""

    top: Path

    def git(self, *arguments: str, accept: Sequence[int] = (0,)) -> subprocess.CompletedProcess[bytes]:
        """Run git at the top of the work tree; another exit code than those of ``accept`` is an error."""
        return _git(self.top, *arguments, accept=accept)

    def name(self, path: Path) -> str:
        """``path`` as git names it: from the top, with slashes."""
        return path.relative_to(self.top).as_posix()


def _git(folder: Path, *arguments: str, accept: Sequence[int] = (0,)) -> subprocess.CompletedProcess[bytes]:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise UsageError("merge.no_git") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError("merge.git_refused", reason=system_reason(error)) from None
    if done.returncode not in accept:
        said = done.stderr.decode("utf-8", "replace").strip() or f"git {arguments[0]}: {done.returncode}"
        if "not a git repository" in said or "must be run in a work tree" in said:
            raise UsageError("merge.no_repository", path=folder)
        raise UsageError("merge.git_refused", reason=said)
    return done


def driver_command(interpreter: str, tongue: str) -> str:
    """The shell command that git runs to merge a data set.

    It needs no active environment: the interpreter is named by its path, and ``-P`` keeps it from
    loading modules of the repository. git fills in (and quotes) ``%P``. If the program cannot do its
    part, git's own line merge is left in the file and the merge is a conflict, for a person to look at.
    """
    program = shlex.quote(interpreter).replace("%", "%%")
    warning = shlex.quote(messages.text("merge.fallback")).replace("%", "%%")
    labels = [
        f"-L {shlex.quote(messages.text(f'merge.{side}'))}"
        for side in ("this_side", "base_side", "other_side")
    ]
    settled = f"{int(ExitCode.OK)}|{int(ExitCode.CONFLICT)}"
    return (
        f"{program} -P -m reviewer --idioma={tongue} --casos=%P --fusionar %O %A %B; s=$?; "
        f"case $s in {settled}) exit $s;; esac; echo {warning} >&2; "
        f"git merge-file -q {' '.join(labels)} %A %O %B; exit {int(ExitCode.CONFLICT)}"
    )


def install(data_path: Path) -> tuple[Step, ...]:
    """Make the repository of ``data_path`` merge it by case. Doing it twice changes nothing.

    Returns:
        What was done and what the person should know, in order.

    Raises:
        UsageError: no git, no repository, or a file there that is no text.
        ConflictError: another rule of the repository has the last word.
        WriteError: the disk or a permission refused.
    """
    data = resolve(data_path)
    if not data.is_file():
        raise UsageError("jsonl.file_missing", path=data_path)
    top = _git(data.parent, "rev-parse", "--show-toplevel").stdout
    repository = _Repository(resolve(Path(os.fsdecode(top.removesuffix(b"\n").removesuffix(b"\r")))))
    _require_program(repository.top)
    steps = [
        _configure(repository),
        _attributes(repository, data),
        _ignored(repository, data),
        *_warnings(repository, data),
    ]
    return tuple(steps)


def _require_program(folder: Path) -> None:
    """The driver has to start from anywhere, not only from the folder of its source."""
    command = [sys.executable, "-P", "-m", "reviewer", "--version"]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
        starts = done.returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        starts = False
    if not starts:
        raise UsageError("merge.not_installed", path=sys.executable)


# The configuration.


def _configure(repository: _Repository) -> Step:
    command = driver_command(sys.executable, messages.language())
    wanted = {
        f"merge.{DRIVER}.name": messages.text("merge.driver_name"),
        f"merge.{DRIVER}.driver": command,
        # For the common ancestors of criss-cross merges: their conflicts are nobody's to settle.
        f"merge.{DRIVER}.recursive": _INNER_DRIVER,
        f"merge.{_INNER_DRIVER}.name": messages.text("merge.driver_name"),
        f"merge.{_INNER_DRIVER}.driver": f"exec >/dev/null 2>&1; {command}",
    }
    changed = existed = False
    for name, value in wanted.items():
        found = repository.git("config", "--local", "--get-all", name, accept=(0, 1))
        existed = existed or found.returncode == 0
        if found.stdout != value.encode("utf-8") + b"\n":
            repository.git("config", "--local", "--replace-all", name, value)
            changed = True
    if not changed:
        return _step("driver_there", name=DRIVER)
    return _step("driver_updated" if existed else "driver_set", name=DRIVER)


# The versioned files.


def _attributes(repository: _Repository, data: Path) -> Step:
    record = repository.name(record_path(data))
    wanted = (
        # -text: no conversion of line ends may touch bytes that signatures and reports name by digest.
        (
            repository.name(data),
            {"text": "unset", "merge": DRIVER},
            f"{_quoted_pattern(repository.name(data))} -text merge={DRIVER}",
        ),
        (record, {"text": "unset", "merge": "union"}, f"*{RECORD_END} merge=union -text"),
    )
    path = repository.top / ".gitattributes"
    missing = [line for name, values, line in wanted if not _in_force(repository, name, values, _SHARED_ONLY)]
    if not missing:
        return _step("lines_there", path=path)
    _add_lines(path, missing)
    for name, values, _ in wanted:
        if not _in_force(repository, name, values):
            raise ConflictError("merge.attribute_overridden", path=path, name=name)
    return _step("lines_added", path=path, lines=" · ".join(missing), n=len(missing))


def _in_force(
    repository: _Repository, name: str, values: dict[str, str], options: Sequence[str] = ()
) -> bool:
    done = repository.git(*options, "check-attr", "-z", *values, "--", name)
    fields = os.fsdecode(done.stdout).split("\0")
    return dict(zip(fields[1::3], fields[2::3], strict=False)) == values


def _ignored(repository: _Repository, data: Path) -> Step:
    intent = intent_path(data)
    names = [
        lock_path(data),
        intent,
        intent.with_name(f"{intent.name}.rotas"),
        torn_path(data),
        *map(data.with_name, PAPERS),
    ]
    wanted = [(repository.name(name), _pattern(repository.name(name))) for name in names]
    leftover = data.with_name(f".{data.name}.revision-000000000000.tmp")
    wanted.append((repository.name(leftover), ".*.revision-*.tmp"))
    path = repository.top / ".gitignore"
    missing = [line for name, line in wanted if not _is_ignored(repository, name, _SHARED_ONLY)]
    if not missing:
        return _step("lines_there", path=path)
    _add_lines(path, missing)
    for name, _ in wanted:
        if not _is_ignored(repository, name):
            raise ConflictError("merge.ignore_overridden", path=path, name=name)
    return _step("lines_added", path=path, lines=" · ".join(missing), n=len(missing))


def _is_ignored(repository: _Repository, name: str, options: Sequence[str] = ()) -> bool:
    done = repository.git(*options, "check-ignore", "-q", "--no-index", "--", name, accept=(0, 1))
    return done.returncode == 0


def _pattern(name: str) -> str:
    """A line of ``.gitignore`` that names exactly one path, from the top."""
    # A line break cannot be written there; the sign for «any one character» stands for it.
    return "/" + "".join(
        "?" if char in "\r\n\t" else f"\\{char}" if char in "\\*?[" else char for char in name
    )


def _quoted_pattern(name: str) -> str:
    """A line of ``.gitattributes`` that names exactly one path; with blanks in it, it has to be quoted."""
    pattern = _pattern(name)
    if not set(pattern) & {" ", '"', "\\"}:
        return pattern
    escaped = pattern.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _add_lines(path: Path, lines: Iterable[str]) -> None:
    """Add lines to a text file, in its own line ends; what is there stays byte for byte.

    Raises:
        UsageError: it is no UTF-8 text.
        WriteError: it cannot be written.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        data = b""
    except OSError as error:
        raise write_error(path, error) from None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise UsageError("merge.not_text", path=path)
    end = b"\r\n" if b"\r\n" in data else b"\n"
    if data and not data.endswith(b"\n"):
        data += end
    atomic_write(path, data + b"".join(line.encode("utf-8", "surrogateescape") + end for line in lines))


# What deserves a look.


def _warnings(repository: _Repository, data: Path) -> Iterable[Step]:
    for name in (repository.name(data), repository.name(record_path(data))):
        done = repository.git("check-ignore", "-q", "--", name, accept=(0, 1))
        if done.returncode == 0:
            yield _step("ignored_by_git", name=name)
    for name in (repository.name(data), repository.name(record_path(data))):
        said = repository.git("ls-files", "--eol", "--", f":(literal){name}").stdout.split()
        if len(said) > 1 and said[0] == b"i/lf" and said[1] in {b"w/crlf", b"w/mixed"}:
            yield _step("other_line_ends", name=name)
