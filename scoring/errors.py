"""Named errors and the exit code each one ends the program with.

One decision explains the module: an error carries a catalogue key and its fields, never a finished
sentence, so the same error reads in Spanish or English and can be asserted in tests by its key.
"""

from __future__ import annotations

import errno
import re
from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar

from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scoring.problems import Problem


class ExitCode(IntEnum):
    """What the program says to the shell; the same everywhere."""

    OK = 0
    GATE_FAILED = 1
    USAGE = 2
    DATA_INVALID = 3
    NOTHING_TO_JUDGE = 4
    INTEGRITY = 5
    CONFLICT = 6
    NO_VERDICT = 7
    WRITE_FAILED = 8
    INTERRUPTED = 130


class ProductError(Exception):
    """Something the user can act on; never shown as a traceback.

    Args:
        key: catalogue key of the sentence (``area.name``).
        fields: what the sentence names; text among them is made safe when shown.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.USAGE

    def __init__(self, key: str, /, **fields: object) -> None:
        super().__init__(key)
        self.key = key
        self.fields = fields

    @property
    def code(self) -> str:
        """The stable name of the error: the catalogue key without its area."""
        return self.key.rpartition(".")[2]

    def __str__(self) -> str:
        return messages.text(self.key, **self.fields)


class UsageError(ProductError):
    """The command was called wrongly (exit 2)."""


class DataError(ProductError):
    """The data set or the predictions cannot be trusted as they are (exit 3)."""

    exit_code = ExitCode.DATA_INVALID

    def __init__(self, key: str, /, *, problems: Sequence[Problem] = (), **fields: object) -> None:
        super().__init__(key, **fields)
        self.problems = tuple(problems)


class NothingToJudgeError(ProductError):
    """There is nothing, or too little, to give a verdict on (exit 4)."""

    exit_code = ExitCode.NOTHING_TO_JUDGE


class IntegrityError(ProductError):
    """Record and data contradict one another (exit 5)."""

    exit_code = ExitCode.INTEGRITY


class ConflictError(ProductError):
    """Locked, changed meanwhile, or already signed (exit 6)."""

    exit_code = ExitCode.CONFLICT


class WriteError(ProductError):
    """The disk or a permission refused a write; the old file stands whole (exit 8)."""

    exit_code = ExitCode.WRITE_FAILED


_SYSTEM_REASONS = {
    errno.ENOENT: "not_found",
    errno.ENOTDIR: "not_a_folder",
    errno.EISDIR: "is_folder",
    errno.EACCES: "no_permission",
    errno.EPERM: "no_permission",
    errno.ENOSPC: "no_space",
    errno.EDQUOT: "quota",
    errno.EFBIG: "too_large",
    errno.ENAMETOOLONG: "name_too_long",
    errno.EEXIST: "exists",
    errno.ENOTEMPTY: "not_empty",
    errno.EROFS: "read_only",
    errno.ELOOP: "link_circle",
    errno.EMLINK: "many_links",
    errno.EIO: "disk_fault",
    errno.EPIPE: "nobody_reads",
    errno.ENXIO: "nobody_reads",
    errno.EBADF: "closed",
    errno.EBUSY: "in_use",
    errno.ETXTBSY: "in_use",
    errno.EMFILE: "many_open",
    errno.ENFILE: "many_open",
    errno.ENOMEM: "no_memory",
    errno.EXDEV: "other_disk",
    errno.ENODEV: "no_device",
    errno.EINVAL: "not_supported",
    errno.ENOSYS: "not_supported",
    errno.EOPNOTSUPP: "not_supported",
    errno.ETIMEDOUT: "no_answer",
}
_TOML_PLACE = re.compile(r"at line (?P<line>\d+), column (?P<column>\d+)")


def system_reason(error: BaseException) -> str:
    """Why the system or a reader of texts refused, in the language in force; it goes inside a sentence.

    The texts of the system itself come in whatever language the system speaks, and never in the one of
    the interface. What has no words of ours is told by its symbol (``ENOTCONN``).
    """
    if isinstance(error, OSError):
        number = error.errno
        if number in _SYSTEM_REASONS:
            return messages.text(f"system.{_SYSTEM_REASONS[number]}")
        symbol = errno.errorcode.get(number, str(number)) if number else type(error).__name__
        return messages.text("system.unknown", code=symbol)
    if type(error).__name__ == "TimeoutExpired":  # of a program that was called
        return messages.text("system.no_answer")
    if isinstance(error, UnicodeDecodeError):
        return messages.text("system.not_utf8")
    if isinstance(error, UnicodeEncodeError):
        return messages.text("system.odd_name")
    if type(error).__name__ == "TOMLDecodeError":
        place = _TOML_PLACE.search(str(error))
        if place is None:
            return messages.text("system.toml_cut")
        return messages.text("system.toml", line=int(place["line"]), column=int(place["column"]))
    if isinstance(error, RuntimeError):  # how `Path.resolve` tells of a circle before Python 3.13
        return messages.text("system.link_circle")
    if isinstance(error, ValueError):  # a path with a NUL
        return messages.text("system.odd_name")
    return messages.text("system.unknown", code=type(error).__name__)
