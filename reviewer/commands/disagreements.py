"""``--abstraccion``: adjudicating chart abstraction in the app; without a terminal, how far it is."""

from __future__ import annotations

import shlex
from collections import Counter
from typing import TYPE_CHECKING

from reviewer.adjudication.desk import Desk, Sources, read
from reviewer.commands.context import PROGRAM
from reviewer.signing import check_reviewer
from scoring import messages
from scoring.adjudication.record import record_path
from scoring.cli import console
from scoring.cli.adjudication_view import chains_lines, rows_fields
from scoring.errors import ExitCode, UsageError
from scoring.files import resolve
from scoring.jsonl import require_file

if TYPE_CHECKING:
    import argparse

FIELDS_SHOWN = 20
FELT_BYTES = 20 << 20
"""Larger files take more than a second to read."""


def run(options: argparse.Namespace, has_terminal: bool) -> int:  # noqa: FBT001 - one caller, by name enough
    """Open the app, or print the status; 0, 3 with problems in the files, 5 with a broken record."""
    if options.gold is None or options.outputs is None:
        raise UsageError("disagreements.needs_both")
    if options.revisor is not None:
        check_reviewer(options.revisor)
    record = options.registro if options.registro is not None else record_path(options.gold)
    sources = Sources(options.gold, options.outputs, resolve(record), options.evidencia)
    read_ones = [path for path in (options.gold, options.outputs, options.evidencia) if path is not None]
    for path in read_ones:
        require_file(path)
    if sources.record in {resolve(path) for path in read_ones}:
        raise UsageError("disagreements.same_file", path=record)
    if sources.record.exists() and not sources.record.is_file() and not sources.record.is_dir():
        raise UsageError("adjudicated.not_a_file", path=record)
    _say_what_takes_long(sources)
    if has_terminal:
        from reviewer.commands import open_app

        return open_app.open_desk(sources, options.revisor)
    return _status(sources, options)


def _say_what_takes_long(sources: Sources) -> None:
    size = sum(path.stat().st_size for path in (sources.gold, sources.outputs))
    if size >= FELT_BYTES:
        console.talk(messages.text("disagreements.reading", size=size >> 20))


def _status(sources: Sources, options: argparse.Namespace) -> int:
    """The counts by field, most waiting first, and how to open the app. No case id, no value."""
    reading = read(sources)
    desk = Desk(sources, reading)
    found = reading.found
    say = messages.text
    console.out(say("disagreements.status_rows", n=len(found.items), rows=found.rows, missing=found.missing))
    if reading.record.breaks:
        console.out(say("adjudicated.audit_broken", n=len(reading.record.breaks)))
        for problem in reading.record.breaks[: console.MAX_PROBLEMS_SHOWN]:
            console.out(f"  {problem.sentence()}")
    fields = rows_fields(desk.states())
    fields.pop("n")
    console.out(say("disagreements.status_states", **fields))
    decided = Counter(item.field_id for item in found.items if not desk.standing(item).state.waits)
    order = sorted(found.by_field.items(), key=lambda entry: (decided[entry[0]] - entry[1], entry[0]))
    for name, count in order[:FIELDS_SHOWN]:
        console.out(say("disagreements.status_field", name=name, decided=decided[name], n=count))
    if len(order) > FIELDS_SHOWN:
        console.out(say("disagreements.status_more_fields", n=len(order) - FIELDS_SHOWN))
    if sources.evidence is not None:
        for line in chains_lines(reading.chains):
            console.out(line)
    console.out()
    console.out(say("disagreements.how_to_open", command=_command(options)))
    return ExitCode.INTEGRITY if reading.record.breaks else ExitCode.OK


def _command(options: argparse.Namespace) -> str:
    words = [PROGRAM, "--abstraccion"]
    for name in ("gold", "outputs", "evidencia", "registro", "revisor"):
        value = getattr(options, name)
        if value is not None:
            words += [f"--{name}", shlex.quote(str(value))]
    return " ".join(words)
