"""``run-abstraction auditar`` and ``run-abstraction corregir``: what a record of adjudications is good for.

Neither decides anything: a person does, in ``revision --abstraccion``.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from scoring import messages
from scoring.adjudication.audit import audit
from scoring.adjudication.chains import review_chains, source_name
from scoring.adjudication.correction import write_correction
from scoring.adjudication.disagreements import find_disagreements
from scoring.adjudication.record import load_record, sound_record
from scoring.adjudication.standing import State, standings
from scoring.cli import adjudication_view as view
from scoring.cli import console
from scoring.cli.arguments import ArgumentParser, file_path
from scoring.errors import ExitCode, UsageError
from scoring.files import resolve
from scoring.jsonl import require_file
from scoring.plain import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from scoring.abstraction.evidence import AbstractionEvidenceChain
    from scoring.adjudication.audit import RecordAudit
    from scoring.adjudication.chains import ChainReview
    from scoring.adjudication.record import AdjudicationRecord

_DIGEST: Final = re.compile(r"[0-9a-f]{64}\Z", re.ASCII)
SCHEMA_FILE: Final = "record.schema.json"
FILES: Final = (("--gold", "abstraction.help_gold"), ("--outputs", "abstraction.help_outputs"))


def correct(arguments: Sequence[str], program: str) -> int:
    """Write a new gold file with the adjudicated values; 0, or 4 when no value would change."""
    parser = ArgumentParser(
        program,
        description="adjudicated.correct_description",
        examples=(
            f"{program} --gold gold.jsonl --outputs outputs.jsonl --adjudicaciones R.jsonl --salida N.jsonl",
        ),
        notes="adjudicated.correct_notes",
    )
    for option, key in (
        *FILES,
        ("--adjudicaciones", "adjudicated.help_record"),
        ("--salida", "adjudicated.help_target"),
    ):
        parser.add_argument(option, metavar="F", type=file_path(option), help=messages.text(key))
    parser.add_common()
    options = parser.parse(arguments)
    paths = (options.gold, options.outputs, options.adjudicaciones, options.salida)
    if None in paths:
        raise UsageError("adjudicated.needs_all")
    if options.salida.exists() or resolve(options.salida) in {resolve(path) for path in paths[:3]}:
        raise UsageError("adjudicated.target_exists", path=options.salida)
    record = sound_record(options.adjudicaciones)
    found = find_disagreements(options.gold, options.outputs)
    standing = standings(record, found)
    done = write_correction(found, standing, options.salida)
    console.out(messages.text("adjudicated.corrected", n=done.changed, path=options.salida))
    for line in view.correction_lines(done):
        console.out(line)
    for line in view.states_lines(Counter(state.state for state in standing.values()), 0):
        console.out(line)
    return ExitCode.OK


def verify(arguments: Sequence[str], program: str) -> int:
    """Verify a record; 0, or 5 with any break."""
    parser = ArgumentParser(
        program,
        description="adjudicated.audit_description",
        examples=(
            f"{program} --adjudicaciones gold.adjudicaciones.jsonl",
            f"{program} --adjudicaciones gold.adjudicaciones.jsonl --gold gold.jsonl --outputs outputs.jsonl",
        ),
        notes="adjudicated.audit_notes",
    )
    for option, key in (("--adjudicaciones", "adjudicated.help_record"), *FILES):
        parser.add_argument(option, metavar="F", type=file_path(option), help=messages.text(key))
    parser.add_argument(
        "--cabeza",
        nargs="+",
        action="extend",
        metavar="HUELLA",
        help=messages.text("adjudicated.help_pins"),
    )
    for option, key in (("--json", "help_json"), ("--esquema", "help_schema")):
        parser.add_argument(option, action="store_true", help=messages.text(f"adjudicated.{key}"))
    parser.add_common()
    options = parser.parse(arguments)
    if options.esquema:
        console.out(files("scoring.adjudication").joinpath(SCHEMA_FILE).read_text(encoding="utf-8").rstrip())
        return ExitCode.OK
    if options.adjudicaciones is None:
        raise UsageError("adjudicated.needs_record")
    if (options.gold is None) != (options.outputs is None):
        raise UsageError("adjudicated.needs_both")
    pins = _pins(options.cabeza or ())
    if not pins:
        require_file(options.adjudicaciones)
    record = load_record(options.adjudicaciones)
    found = audit(record, now=datetime.now(UTC), pins=pins)
    rows = None
    if options.gold is not None and not found.breaks:
        rows = _rows(record, options.gold, options.outputs)
    if options.json:
        console.out_json(_to_dict(found, options.adjudicaciones, rows))
    else:
        for line in view.audit_lines(found, options.adjudicaciones, rows):
            console.out(plain(line))
    return ExitCode.INTEGRITY if found.breaks else ExitCode.OK


class Review:
    """Gives the chains the state that the record of adjudications came to."""

    def __init__(self, record: Path, evidence: Path) -> None:
        require_file(record)
        self._record = record
        self._source = source_name(evidence)
        self.found: tuple[ChainReview, ...] = ()

    def __call__(self, chains: Sequence[AbstractionEvidenceChain]) -> list[AbstractionEvidenceChain]:
        """The chains in the state of the record; what it says of each is in ``found``."""
        self.found = review_chains(sound_record(self._record), chains, self._source)
        return [review.reviewed for review in self.found]


def _pins(given: Sequence[str]) -> tuple[str, ...]:
    pins = tuple(dict.fromkeys(pin.strip().lower() for pin in given))
    for pin in pins:
        if not _DIGEST.match(pin):
            raise UsageError("adjudicated.not_a_digest", found=pin)
    return pins


def _rows(record: AdjudicationRecord, gold: Path, outputs: Path) -> Mapping[State, int]:
    found = find_disagreements(gold, outputs)
    states = Counter(state.state for state in standings(record, found).values())
    states[State.UNDECIDED] += len(found.items) - sum(states.values())
    return states


def _to_dict(found: RecordAudit, path: Path, rows: Mapping[State, int] | None) -> dict[str, object]:
    return {
        "registro": str(path),
        "existe": found.exists,
        "decisiones": found.entries,
        "en_vigor": None
        if found.breaks
        else {str(verdict): count for verdict, count in found.in_force.items()},
        "en_conflicto": None if found.breaks else found.conflicts,
        "personas": dict(found.people),
        "cabeza": list(found.tips),
        "faltas": [problem.to_dict() for problem in found.breaks],
        "avisos": [problem.to_dict() for problem in found.notices],
        "filas": None if rows is None else {str(state): rows[state] for state in State},
        "codigo": int(ExitCode.INTEGRITY if found.breaks else ExitCode.OK),
    }
