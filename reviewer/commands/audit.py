"""``--auditar``: verify record and data against one another, name every break, print the tips to pin."""

from __future__ import annotations

import os
import re
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reviewer.keys import check_keys, find_signers
from reviewer.store import require_data_file
from scoring import messages
from scoring.cli import console
from scoring.errors import ExitCode, UsageError
from scoring.plain import plain
from scoring.record import Status, take_snapshot
from scoring.record.audit import audit
from scoring.record.trust import Trust

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reviewer.commands.context import Context
    from scoring.problems import Problem
    from scoring.record.audit import Audit
    from scoring.record.key_checks import KeyCheck
    from scoring.record.trust import Signature

_DIGEST = re.compile(r"[0-9a-f]{64}\Z", re.ASCII)


def run(context: Context) -> int:
    """Print the audit; 0, 5 with any break, 3 when only the data have problems of their own. Writes nothing.

    Raises:
        UsageError: a tip is no digest, or keys are asked for and nothing says whose they are.
    """
    options = context.options
    pins = _pins(options.cabeza or ())
    path = context.readable
    require_data_file(path)
    signers = find_signers(options.allowed_signers, os.environ, Path.cwd(), path)
    if options.exigir_clave and signers is None:
        raise UsageError("keys.signers_needed")
    snapshot = take_snapshot(path)
    found = audit(
        snapshot,
        now=datetime.now(UTC),
        pins=pins,
        keys=check_keys(snapshot.record.entries, signers),
        require_keys=options.exigir_clave,
    )
    code = _exit_code(found)
    label = messages.text("clinical.demo_label") if snapshot.file.synthetic else None
    command = _command(context, found)
    if options.json:
        told = _to_dict(found, label=label, command=command, signers=signers, pins=pins, code=code)
        console.out_json(told)
    else:
        for line in _lines(found, label=label, command=command, pins=pins):
            console.out(plain(line))
    return int(code)


def _pins(given: Sequence[str]) -> tuple[str, ...]:
    pins = tuple(dict.fromkeys(pin.strip().lower() for pin in given))
    for pin in pins:
        if not _DIGEST.match(pin):
            raise UsageError("audit_order.not_a_digest", found=pin)
    return pins


def _exit_code(found: Audit) -> ExitCode:
    if found.breaks:
        return ExitCode.INTEGRITY
    return ExitCode.DATA_INVALID if found.problems else ExitCode.OK


def _command(context: Context, found: Audit) -> str | None:
    """The line that pins the tips of this record in continuous integration; None when there are none."""
    if not found.tips or found.breaks:
        return None
    options = context.options
    words = [context.command, "--auditar"]
    if options.exigir_clave:
        words.append("--exigir-clave")
    if options.allowed_signers is not None:
        words.append(f"--allowed-signers {shlex.quote(str(options.allowed_signers))}")
    return " ".join([*words, "--cabeza", *found.tips])


def _lines(found: Audit, *, label: str | None, command: str | None, pins: Sequence[str]) -> list[str]:
    say = messages.text
    said = [] if label is None else [label]
    said.append(say("status.data", path=found.path))
    key = "record_is" if found.exists else "record_none"
    said.append(say(f"audit_order.{key}", path=found.record_path, n=found.entries))
    said += ["", _verdict(found)]
    said += _section("record_breaks", found.record_breaks)
    said += _section("data_breaks", found.data_breaks)
    said += _section("notices", found.notices)
    if found.signatures:
        said += ["", _totals(found), *_table(found.signatures)]
    if found.breaks:
        only_keys = all(problem.code.startswith("key_") for problem in found.breaks)
        said += ["", say("audit_order.tips_keys" if only_keys else "audit_order.tips_broken")]
    elif found.tips:
        said += ["", say("audit_order.tips", n=len(found.tips)), *(f"  {tip}" for tip in found.tips)]
    if pins and not found.breaks:
        said.append(say("audit_order.pins_held", n=len(pins)))
    if command is not None:
        said += ["", say("audit_order.pin_with"), f"  {command}"]
    return said


def _verdict(found: Audit) -> str:
    if found.breaks:
        return messages.text("audit_order.broken", n=len(found.breaks))
    expired = sum(signature.status is Status.CADUCADO for signature in found.signatures)
    if expired:
        return messages.text("audit_order.whole_but_expired", n=expired)
    return messages.text("audit_order.whole" if found.exists else "audit_order.whole_without_record")


def _section(name: str, problems: Sequence[Problem]) -> list[str]:
    if not problems:
        return []
    return [
        "",
        messages.text(f"audit_order.{name}"),
        *(f"  {problem.sentence()}" for problem in problems),
    ]


def _totals(found: Audit) -> str:
    """How many signatures there are; with a break, no figure that could be taken for a state of the work."""
    n = len(found.signatures)
    if not found.gate_counts:
        return messages.text("audit_order.totals_broken", n=n)
    counting = sum(signature.counts for signature in found.signatures)
    if found.record_breaks:
        return messages.text("audit_order.totals_gate_counts", n=n, counting=counting)
    if found.data_breaks:
        return messages.text("audit_order.totals_data_broken", n=n, counting=counting)
    return messages.text(
        "audit_order.totals",
        n=n,
        key=found.count(Trust.CLAVE),
        name=found.count(Trust.NOMBRE),
        adopted=found.count(Trust.ADOPTADA),
        unregistered=found.count(Trust.SIN_REGISTRO),
    )


def _table(signatures: Sequence[Signature]) -> list[str]:
    rows = [
        (
            plain(signature.case_id),
            plain(signature.reviewer or "?"),
            plain(signature.date or "?"),
            key_words(signature.trust, signature.key) + _aside(signature),
        )
        for signature in signatures
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    return [
        "  " + "  ".join([*(c.ljust(w) for c, w in zip(row, widths, strict=False)), row[3]]) for row in rows
    ]


def _aside(signature: Signature) -> str:
    """Why a signature does not count, in two words."""
    if signature.counts:
        return ""
    if signature.status is Status.FIRMADO:
        return " — " + messages.text("audit_order.not_counted")
    return " — " + messages.text(f"audit_order.state_{signature.status}")


def key_words(trust: Trust, key: KeyCheck | None) -> str:
    """«firma por nombre», «firma con clave, comprobada (SHA256:…)», «adoptada …», «sin registro»."""
    if trust is Trust.NOMBRE:
        return messages.text("keys.by_name")
    if trust is Trust.ADOPTADA:
        return messages.text("keys.adopted")
    if trust is Trust.SIN_REGISTRO:
        return messages.text("keys.unregistered")
    if key is None:
        return messages.text("keys.by_key_unseen")
    return messages.text(f"keys.by_key_{key.state}", key=key.fingerprint or "?")


def key_dict(key: KeyCheck) -> dict[str, Any]:
    """For JSON outputs."""
    return {"estado": str(key.state), "huella": key.fingerprint or None, "titular": key.principal}


def _to_dict(
    found: Audit,
    *,
    label: str | None,
    command: str | None,
    signers: Path | None,
    pins: Sequence[str],
    code: ExitCode,
) -> dict[str, Any]:
    step = found.step
    return {
        "archivo": str(found.path),
        "registro": str(found.record_path),
        "etiqueta": label,
        "existe": found.exists,
        "entradas": found.entries,
        "integro": not found.breaks,
        "roturas": [
            {"en": place, **problem.to_dict()}
            for place, problems in (("registro", found.record_breaks), ("datos", found.data_breaks))
            for problem in problems
        ],
        "avisos": [problem.to_dict() for problem in found.notices],
        "paso_en_curso": None
        if step is None
        else {
            "revisor": step.reviewer,
            "proceso": step.process,
            "equipo": step.host,
            "utc": step.utc,
            "casos": list(step.case_ids),
            "en_registro": step.committed,
        },
        "firmas": [_signature_dict(signature) for signature in found.signatures],
        "recuento": {str(trust): found.count(trust) for trust in Trust},
        "claves_admitidas": None if signers is None else str(signers),
        "puntas": list(found.tips),
        "cabeza": list(pins),
        "orden": command,
        "problemas_de_los_datos": found.problems,
        "codigo_salida": int(code),
    }


def _signature_dict(signature: Signature) -> dict[str, Any]:
    return {
        "id": signature.case_id,
        "estado": str(signature.status),
        "cuenta": signature.counts,
        "revisor": signature.reviewer,
        "fecha": signature.date,
        "firma": str(signature.trust),
        "clave": None if signature.key is None else key_dict(signature.key),
        "entrada": signature.entry,
    }
