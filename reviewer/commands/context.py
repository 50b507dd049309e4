"""What every order is given: the options, the data set they name, and how to name it again."""

from __future__ import annotations

import gc
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reviewer import demo
from scoring import messages
from scoring.cli import console
from scoring.errors import UsageError
from scoring.sources import Source, SourceKind, working_copy_path

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

PROGRAM = "revision"
FELT_BYTES = 20 << 20
"""Reading a larger data set takes some seconds, and nothing else tells that work is under way."""


@dataclass(frozen=True, slots=True)
class Context:
    """One call of ``revision``."""

    options: argparse.Namespace
    source: Source

    @property
    def readable(self) -> Path:
        """The data set to look at; a demo nobody has opened yet is read where it was installed."""
        return self.source.path

    def working(self) -> Path:
        """The data set to work on: the user's own, or the demo's working copy, made if need be."""
        if self.source.kind is not SourceKind.SHIPPED:
            return self.source.path
        path = working_copy_path()
        if demo.ensure_working_copy(path):
            console.talk(messages.text("revision.demo_made", path=path))
        return path

    def say_what_takes_long(self) -> None:
        """A line on stderr before a large data set is read."""
        try:
            size = self.source.path.stat().st_size
        except (OSError, ValueError):
            return  # reading it says what is wrong
        if size >= FELT_BYTES:
            console.talk(messages.text("revision.takes_long", path=self.source.path, size=size >> 20))
            # What is read stays; looking through it for rubbish as it grows is a fifth of the time.
            gc.set_threshold(50_000, 20, 100)

    @property
    def command(self) -> str:
        """How the user calls the program on this data set."""
        if self.source.kind is SourceKind.OPTION:
            return f"{PROGRAM} --casos {shlex.quote(str(self.source.path))}"
        return PROGRAM


def start_demo_afresh(source: Source) -> Source:
    """Set the demo's working copy aside and make a new one.

    Raises:
        UsageError: the data set in force is not the demo.
        WriteError: the user's data folder does not let itself be written.
    """
    if source.named:
        raise UsageError("revision.demo_only", path=source.path)
    path = working_copy_path()
    aside = demo.start_afresh(path)
    if aside is not None:
        console.talk(messages.text("revision.demo_set_aside", path=aside))
    console.talk(messages.text("revision.demo_made", path=path))
    return Source(path, SourceKind.WORKING_COPY)
