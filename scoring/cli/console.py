"""The two streams of a command and its way out: results on stdout, talk on stderr, one exit code.

Everything that can end a command passes :func:`run`: a named error becomes a sentence and its code, an
interruption is 130, a closed pipe is quiet, and what nobody foresaw becomes a sentence that tells where
it happened without showing any data.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from scoring import messages
from scoring.cli.runner_log import inert, inert_json
from scoring.errors import DataError, ExitCode, ProductError, WriteError, system_reason
from scoring.plain import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MAX_PROBLEMS_SHOWN = 20

EXIT_UNFORESEEN = 70
"""An error of the program itself (the ``EX_SOFTWARE`` of sysexits); never confused with a verdict."""

_closed: set[int] = set()
_carried_out: list[str] = []


def prepare_streams() -> None:
    """A character the terminal cannot show is written as an escape; it never ends the program."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def out(text: str = "") -> None:
    """Write a line of the result.

    Raises:
        WriteError: the disk behind a redirected stdout refused it.
    """
    _write(sys.stdout, inert(text))


def out_pieces(pieces: Iterable[str]) -> None:
    """Write a result that comes piece by piece; it ends with one line feed, however many it came with.

    Raises:
        WriteError: the disk behind a redirected stdout refused it.
    """
    ends = ""
    for piece in pieces:
        if reader_gone():
            return
        text = piece.rstrip("\n")
        if text:
            _write(sys.stdout, ends + text, end="")
            ends = ""
        ends += "\n" * (len(piece) - len(text))
    _write(sys.stdout, "")


def out_json(value: object) -> None:
    r"""Write a result as JSON.

    Characters that a terminal could obey or that cannot be seen go out as ``\uXXXX``; a reader of JSON
    gets them back as they were.

    Raises:
        WriteError: the disk behind a redirected stdout refused it.
    """
    text = json.dumps(value, ensure_ascii=False, indent=1)
    harmless = "".join(char if char == "\n" or plain(char) == char else _escaped(char) for char in text)
    _write(sys.stdout, inert_json(harmless))


def _escaped(char: str) -> str:
    return json.dumps(char)[1:-1]


def talk(text: str = "") -> None:
    """Write a line for the person at the terminal; a stderr that cannot be written to is no error."""
    with contextlib.suppress(WriteError):
        _write(sys.stderr, inert(text))


def carried_out(text: str) -> None:
    """Note what stands whatever follows: told after the error, if the command does not end well.

    The exit code alone would say of a decision that is on the disk that it failed.
    """
    _carried_out.append(text)


def reader_gone() -> bool:
    """Whether nobody reads stdout any more, so that a long answer may stop."""
    return id(sys.stdout) in _closed


def _write(stream: TextIO | None, text: str, *, end: str = "\n") -> None:
    if stream is None or id(stream) in _closed:
        return
    try:
        stream.write(text + end)
        stream.flush()
    except BrokenPipeError:
        _abandon(stream)
    except (OSError, ValueError) as error:
        _abandon(stream)
        raise WriteError("cli.stream_refused", reason=system_reason(error)) from None


def _abandon(stream: TextIO) -> None:
    """Nobody reads this stream any more; the interpreter must not fail on it when it closes down."""
    _closed.add(id(stream))
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def report(error: ProductError, *, shown: int = MAX_PROBLEMS_SHOWN) -> None:
    """«Error: what happened» on stderr, with the problems of a data error, at most ``shown`` of them."""
    talk(messages.text("cli.error", sentence=_Ready(str(error))))
    if isinstance(error, DataError):
        for problem in error.problems[:shown]:
            talk(f"  {problem.sentence()}")
        rest = len(error.problems) - shown
        if rest > 0:
            talk("  " + messages.text("cli.more_problems", n=rest))


class _Ready:
    """A sentence already made safe, so that the catalogue does not treat it a second time."""

    def __init__(self, sentence: str) -> None:
        self._sentence = sentence

    def __str__(self) -> str:
        return self._sentence


def run(body: Callable[[], int], *, program: str) -> int:
    """The exit code of ``body``, whatever happens in it.

    Args:
        body: the command; answers with its exit code.
        program: its name, for «more in ``program --help``» after wrong usage.
    """
    prepare_streams()
    _carried_out.clear()
    if sys.stdout is None:  # the shell closed it: nobody would see the result, so nothing is done
        talk(messages.text("cli.error", sentence=messages.text("cli.no_output")))
        return int(ExitCode.WRITE_FAILED)
    try:
        return int(body())
    except ProductError as error:
        report(error)
        if error.exit_code == ExitCode.USAGE:
            talk(messages.text("cli.see_help", program=program))
        _tell_carried_out()
        return int(error.exit_code)
    except KeyboardInterrupt:
        talk(messages.text("cli.interrupted"))
        _tell_carried_out()
        return int(ExitCode.INTERRUPTED)
    except SystemExit as leaving:  # --help and --version
        return leaving.code if isinstance(leaving.code, int) else int(ExitCode.OK)
    except Exception as error:  # noqa: BLE001 - the boundary that reports what nobody foresaw
        talk(messages.text("cli.unforeseen", kind=type(error).__name__, place=_place(error)))
        _tell_carried_out()
        return EXIT_UNFORESEEN


def _tell_carried_out() -> None:
    for text in _carried_out:
        talk(text)


def _place(error: BaseException) -> str:
    """Module and line where it happened: enough to find the fault, and nothing of the data."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return "?"
    last = frames[-1]
    return f"{Path(last.filename).name}:{last.lineno}"
