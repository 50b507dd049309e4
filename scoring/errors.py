"""Named errors and the exit code each one ends the program with.

One decision explains the module: an error carries a catalogue key and its fields, never a finished
sentence, so the same error reads in Spanish or English and can be asserted in tests by its key.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar

from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scoring.jsonl import Problem


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
