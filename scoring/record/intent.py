"""The intent: what a save is about to do, on the disk before it does it.

Readers judge a step under way by it, the next writer finishes the step by it; both by the same function,
so that a reader after a crash sees what the next save will make true.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scoring.errors import UsageError, system_reason
from scoring.record.content import line_digest
from scoring.record.paths import intent_path
from scoring.strict_json import StrictJSONError, loads

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from scoring.cases import CaseFile
    from scoring.record.journal import Record

VERSION = 1


@dataclass(frozen=True, slots=True)
class IntentLine:
    """The data line of one case: digest before and after, and its new bytes without the line end."""

    case_id: str
    line_before: str
    line: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class Intent:
    """A step under way.

    Attributes:
        transaction: digest of the record line that commits it; empty if the file could not be understood.
        lines: the data lines it changes.
        reviewer, process, host, utc: who was saving, for whoever waits.
    """

    transaction: str
    lines: tuple[IntentLine, ...]
    reviewer: str | None = None
    process: int | None = None
    host: str | None = None
    utc: str | None = None

    def encode(self) -> bytes:
        """The bytes of the intent file."""
        value = {
            "v": VERSION,
            "transaccion": self.transaction,
            "casos": [
                {
                    "id": line.case_id,
                    "linea_antes": line.line_before,
                    "linea": line.line,
                    "nueva": line.raw.decode("utf-8"),
                }
                for line in self.lines
            ],
            "quien": {
                "revisor": self.reviewer,
                "proceso": self.process,
                "equipo": self.host,
                "utc": self.utc,
            },
        }
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"


def load_intent(data_path: Path) -> Intent | None:
    """The step under way of a data set, or None.

    A file that is not an intent (it is replaced in one step, so only somebody else can have written
    it) names no transaction: nothing will ever be finished by it.

    Raises:
        UsageError: the file is there and cannot be read.
    """
    path = intent_path(data_path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError("jsonl.file_unreadable", path=path, reason=system_reason(error)) from None
    try:
        return _parse(loads(data))
    except (StrictJSONError, KeyError, TypeError, ValueError):
        return Intent("", ())


def _parse(value: Any) -> Intent:
    if value["v"] != VERSION:
        raise ValueError("version")
    lines = tuple(
        IntentLine(
            str(line["id"]), str(line["linea_antes"]), str(line["linea"]), str(line["nueva"]).encode("utf-8")
        )
        for line in value["casos"]
    )
    who = value["quien"]
    process = who["proceso"]
    return Intent(
        transaction=str(value["transaccion"]),
        lines=lines,
        reviewer=_text(who["revisor"]),
        process=process if isinstance(process, int) and not isinstance(process, bool) else None,
        host=_text(who["equipo"]),
        utc=_text(who["utc"]),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def steps_under_way(file: CaseFile, record: Record, intent: Intent | None) -> Mapping[str, bytes]:
    """The data lines that a restart may write by itself: case id -> new bytes of the line.

    Only for a transaction that the record holds, and only where the data line still is what it was
    before it, the new line is what the record says, and the id is unique.
    """
    if intent is None:
        return {}
    entry = record.by_digest.get(intent.transaction)
    if entry is None:
        return {}
    seen: dict[str, list[bytes]] = {}
    for row in file.rows:
        seen.setdefault(row.case.id, []).append(row.row.line.raw)
    found: dict[str, bytes] = {}
    for line in intent.lines:
        item = entry.item(line.case_id)
        present = seen.get(line.case_id, [])
        if (
            item is not None
            and len(present) == 1
            and line_digest(present[0]) == item.line_before == line.line_before
            and line_digest(line.raw) == item.line == line.line
            and item.line != item.line_before
        ):
            found[line.case_id] = line.raw
    return found
