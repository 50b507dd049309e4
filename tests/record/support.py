"""Records and data files in memory, written by a few calls."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from scoring.cases import case_file
from scoring.jsonl import parse
from scoring.record import (
    CaseItem,
    CaseState,
    Kind,
    Record,
    SignatureKeys,
    Transaction,
    case_states,
    clock,
    content_digest,
    entry_digest,
    line_digest,
    parse_record,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scoring.cases import CaseFile


EXPECTED = '"esperado": {"hallazgos_clave": [], "diferenciales_aceptables": [], "requiere_derivacion": false}'
REST = f'"paciente": {{}}, "valores": {{"hct": 24}}, {EXPECTED}'
UNSIGNED = SignatureKeys(validado=False, revisor=None, fecha_validacion=None)


def data_line(case_id: str, signer: str | None = None, *, rest: str = REST) -> str:
    keys = f'"validado": true, "revisor": "{signer}", "fecha_validacion": "2026-01-02", ' if signer else ""
    return f'{{"id": "{case_id}", {keys}{rest}}}'


def file_of(tmp_path: Path, *lines: str) -> CaseFile:
    return case_file(parse(tmp_path / "casos.jsonl", "".join(f"{line}\n" for line in lines).encode()))


class Journal:
    """Writes stored lines as the product would, one transaction after another."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.minute = 0

    def add(
        self,
        kind: Kind,
        case_id: str,
        line: str,
        *,
        writes: SignatureKeys | None,
        previous: Sequence[str] = (),
        tips: Sequence[str] | None = None,
        who: str = "Ana",
        reason: str | None = None,
    ) -> str:
        raw = line.encode()
        self.minute += 1
        utc, offset = clock(datetime(2026, 3, 1, 10, self.minute, tzinfo=timezone(timedelta(hours=1))))
        item = CaseItem(
            case_id, content_digest(raw), content_digest(raw), line_digest(raw), line_digest(raw),
            tuple(previous), line,
        )  # fmt: skip
        entry = Transaction(
            kind, (item,), tuple(self.tips() if tips is None else tips), writes, who,
            None, "revisado", reason, utc, offset, "0.1.0", "cli",
        )  # fmt: skip
        self.lines.append(entry.encode())
        return entry_digest(self.lines[-1])

    def sign(self, case_id: str, line: str, who: str, previous: Sequence[str] = ()) -> str:
        keys = SignatureKeys(validado=True, revisor=who, fecha_validacion="2026-01-02")
        return self.add(Kind.FIRMA, case_id, line, writes=keys, previous=previous, who=who)

    def tips(self) -> tuple[str, ...]:
        return self.record().tips

    def record(self) -> Record:
        return record_of(self.lines)


def record_of(lines: Sequence[bytes], end: bytes = b"\n") -> Record:
    from pathlib import Path

    return parse_record(Path("casos.firmas.jsonl"), b"".join(line + end for line in lines))


def state_of(file: CaseFile, record: Record, case_id: str = "a") -> CaseState:
    return case_states(file, record)[case_id]
