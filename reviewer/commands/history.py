"""``--historial``: who decided what about a case, when, how and why, and what changed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reviewer.commands.audit import key_dict, key_words
from reviewer.commands.reviews import opinion_lines
from reviewer.decisions.review import told_of_item
from reviewer.history import history_of
from reviewer.keys import available, check_keys, find_signers
from reviewer.store import Dataset
from scoring import messages
from scoring.cli import console
from scoring.errors import ExitCode
from scoring.plain import plain
from scoring.record import Kind, Meaning
from scoring.record.reviews import is_review

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reviewer.changes import Change
    from reviewer.commands.context import Context
    from reviewer.history import History, HistoryEntry
    from scoring.record.key_checks import KeyCheck

MAX_FIELDS_SHOWN = 20
MAX_SHOWN = 400
_SHORT = 12


def run(context: Context) -> int:
    """Print the history; 0, or 5 when the record is broken and part of it may be missing.

    Raises:
        UsageError: neither data nor record know the case.
    """
    options = context.options
    dataset = Dataset.open(context.readable)
    history = history_of(dataset, options.historial)
    signers = find_signers(options.allowed_signers, os.environ, Path.cwd(), dataset.path)
    # History is for reading: without the program the keys are told unverified.
    keys = check_keys([step.entry for step in history.entries], signers if available() else None)
    if options.json:
        console.out_json(_to_dict(history, keys))
    else:
        if dataset.synthetic:
            console.out(messages.text("clinical.demo_label"))
        for line in _lines(history, keys):
            console.out(plain(line))
    return int(ExitCode.INTEGRITY if history.breaks else ExitCode.OK)


def _lines(history: History, keys: Mapping[str, KeyCheck]) -> list[str]:
    """The history as text. Parts that come from data were made safe by the sentences they stand in."""
    say = messages.text
    said = [say("history.title", id=history.case_id)]
    if history.state is None:
        said.append(say("history.not_in_data"))
    else:
        said.append(say("history.now", sentence=history.state.sentence()))
    if not history.record_exists:
        said.append(say("history.no_record"))
    elif not history.entries and not history.sealed:
        said.append(say("history.nothing"))
    if history.sealed:
        said.append(say("review.sealed", n=history.sealed))
    for number, step in enumerate(history.entries, start=1):
        said += ["", *_step(number, step, keys.get(step.entry.digest))]
    if history.moved_since:
        said += ["", say("history.moved_since"), *_fields(history.changes_since)]
    for problem in (*history.breaks, *history.notices):
        said += ["", say("history.record_line", sentence=problem.sentence())]
    if history.breaks:
        said.append(say("history.may_be_missing"))
    return said


def _step(number: int, step: HistoryEntry, key: KeyCheck | None) -> list[str]:
    say = messages.text
    entry, item = step.entry, step.item
    said = [
        say(
            f"history.did_{deed(step)}",
            number=number,
            when=when_words(step),
            who=entry.reviewer or "?",
        )
    ]
    if step.clock_back:
        said.append("   " + say("history.clock_back"))
    if step.in_force:
        said[0] += " " + say("history.in_force")
    facts = [key_words(step.trust, key)]
    if entry.meaning:
        facts.append(say("history.meaning", meaning=meaning_words(entry.meaning)))
    if entry.role:
        facts.append(say("history.role", role=entry.role))
    if entry.way:
        facts.append(say(f"history.way_{entry.way}") if entry.way in {"app", "cli"} else entry.way)
    said.append("   " + " · ".join(facts))
    if entry.reason:
        said.append("   " + say("history.reason", reason=entry.reason))
    if item.before is not None and item.before != item.after:
        said.append(
            "   " + say("history.content_changed", before=item.before[:_SHORT], after=item.after[:_SHORT])
        )
    else:
        said.append("   " + say("history.content", digest=item.after[:_SHORT]))
    if item.opinion is not None:
        said += [f"   {line}" for line in opinion_lines(told_of_item(entry, item))]
    if step.moved_before:
        said += ["   " + say("history.moved_before"), *_fields(step.moved)]
    if step.moved and step.changes:
        said.append("   " + say("history.changed_then"))
    return [*said, *_fields(step.changes)]


def deed(step: HistoryEntry) -> str:
    """What was done, as the end of a catalogue key."""
    if step.entry.kind is Kind.EDITA and step.entry.writes is not None:
        return "edita_retira"
    if is_review(step.entry, step.item) and not step.entry.writes:
        return "adjudica" if step.entry.meaning == Meaning.ADJUDICADO else "revisa"
    return "retira_revision" if step.voids_review else str(step.entry.kind)


def meaning_words(meaning: str) -> str:
    """What the person said by signing; a meaning of a later version as it stands in the record."""
    return messages.text(f"history.meaning_{meaning}") if meaning in tuple(Meaning) else meaning


def when_words(step: HistoryEntry) -> str:
    """Date, time and zone as the signer's clock had them; for an adoption the date in the data."""
    moment = step.entry.local_time()
    if moment is not None:
        return f"{moment:%Y-%m-%d %H:%M:%S} {step.entry.offset}"
    keys = step.entry.writes
    return (keys.fecha_validacion if keys is not None else None) or "?"


def _fields(changes: Sequence[Change]) -> list[str]:
    said = ["     " + _cut(change.sentence()) for change in changes[:MAX_FIELDS_SHOWN]]
    rest = len(changes) - MAX_FIELDS_SHOWN
    if rest > 0:
        said.append("     " + messages.text("cli.more_problems", n=rest))
    return said


def _cut(sentence: str) -> str:
    return sentence if len(sentence) <= MAX_SHOWN else f"{sentence[:MAX_SHOWN]}…"


def _to_dict(history: History, keys: Mapping[str, KeyCheck]) -> dict[str, Any]:
    state = history.state
    return {
        "id": history.case_id,
        "estado": None if state is None else str(state.status),
        "motivo_estado": None if state is None else state.sentence(),
        "cuenta": state is not None and state.counts,
        "registro": history.record_exists,
        "revisiones_a_ciegas": history.sealed,
        "entradas": [_entry_dict(step, keys.get(step.entry.digest)) for step in history.entries],
        "cambiado_despues": history.moved_since,
        "cambios_despues": _changes(history.changes_since),
        "roturas": [problem.to_dict() for problem in history.breaks],
        "avisos": [problem.to_dict() for problem in history.notices],
    }


def _entry_dict(step: HistoryEntry, key: KeyCheck | None) -> dict[str, Any]:
    entry, item = step.entry, step.item
    moment = entry.local_time()
    return {
        "entrada": entry.digest,
        "linea": entry.line_number,
        "tipo": str(entry.kind),
        "en_vigor": step.in_force,
        "revisor": entry.reviewer,
        "rol": entry.role,
        "utc": entry.utc,
        "hora_local": None if moment is None else moment.isoformat(timespec="milliseconds"),
        "escribe": None if entry.writes is None else entry.writes.to_dict(),
        "via": entry.way,
        "version": entry.tool,
        "significado": entry.meaning,
        "motivo": entry.reason,
        "firma": str(step.trust),
        "clave": None if key is None else key_dict(key),
        "contenido_antes": item.before,
        "contenido_despues": item.after,
        "previo": list(item.previous),
        "hora_atrasada": step.clock_back,
        "cambiado_antes": step.moved_before,
        "cambios_de_fuera": _changes(step.moved),
        "cambios": _changes(step.changes),
        "decision": None if item.opinion is None else item.opinion.to_dict(),
        "texto": item.text,
    }


def _changes(changes: Sequence[Change]) -> list[dict[str, Any]]:
    return [{"campo": change.path, "antes": change.old, "despues": change.new} for change in changes]
