"""One line of the record of adjudications: a decision as it is written and as it is read back.

The format is fixed (``docs/abstraction.md``). A decision is about content, not about a place: it names the
digests of what the person saw, so that it says nothing about rows that changed since. Values are not
repeated here; case id and comment are private.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from scoring.abstraction.grammar import is_case_id, is_field_id
from scoring.cases import MAX_NAME, MAX_TEXT
from scoring.record.lines import (
    EntryError,
    entry_digest,
    is_digest,
    is_offset,
    is_utc,
    local_time,
    read_object,
    write_object,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

VERSION: Final = 1
MAX_LINE_BYTES: Final = 1 << 20
MAX_COMMENT: Final = MAX_TEXT
"""Characters of a comment."""
WAYS: Final = ("app", "cli")


class Kind(StrEnum):
    """What a decision is about."""

    ROW = "adjudica"
    CHAIN = "cadena"


class Verdict(StrEnum):
    """What the person decided. The first four are about rows, the next two about evidence chains."""

    GOLD = "gold"
    OUTPUT = "salida"
    BOTH = "ambos"
    UNANSWERABLE = "sin_respuesta"
    APPROVE = "aprueba"
    REJECT = "rechaza"
    NONE = "sin_decidir"
    """What was decided before is taken back."""


ROW_VERDICTS: Final = (Verdict.GOLD, Verdict.OUTPUT, Verdict.BOTH, Verdict.UNANSWERABLE)
CHAIN_VERDICTS: Final = (Verdict.APPROVE, Verdict.REJECT)
NEEDS_COMMENT: Final = frozenset({Verdict.OUTPUT, Verdict.BOTH, Verdict.UNANSWERABLE, Verdict.REJECT})
"""Decisions against the gold or against a chain: whoever reads them later has to learn why."""

Subject = tuple[str, ...]
"""What a decision is about: the digests of a gold and an output row, or that of a chain."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the record.

    Attributes:
        kind: row or chain.
        case_id: case of the row, private; None for a chain.
        field_id: the field.
        gold, output: digests of the gold row and of the output row as they were read; None for a chain.
        chain: digest of the chain without its review state; None for a row.
        source: name of the file of chains, for telling which of its chains changed; None for a row.
        verdict: what was decided.
        comment: why, private; empty where none was needed or given.
        previous: digests of the entries on the same content that this one supersedes.
        tips: digests of every tip of the record when it was written, sorted.
        reviewer: the person as typed (NFC, trimmed).
        utc: ``YYYY-MM-DDTHH:MM:SS.mmmZ``.
        offset: local offset from UTC at that moment, ``+HH:MM``.
        tool: version of the program.
        way: ``app`` or ``cli``.
        digest: SHA-256 of the stored line without its end; empty before it is encoded.
        line_number: 1-based line in the record; 0 before it is stored.
    """

    kind: Kind
    field_id: str
    verdict: Verdict
    previous: tuple[str, ...]
    tips: tuple[str, ...]
    reviewer: str
    utc: str
    offset: str
    tool: str
    way: str
    case_id: str | None = field(default=None, repr=False)
    gold: str | None = None
    output: str | None = None
    chain: str | None = None
    source: str | None = field(default=None, repr=False)
    comment: str = field(default="", repr=False)
    digest: str = ""
    line_number: int = 0

    @property
    def subject(self) -> Subject:
        """Equal for two decisions on the same content."""
        return (self.chain or "",) if self.kind is Kind.CHAIN else (self.gold or "", self.output or "")

    @property
    def place(self) -> tuple[str, str]:
        """Case id and field of a row, whatever it says now; private."""
        return self.case_id or "", self.field_id

    @property
    def says(self) -> tuple[Verdict, str, str]:
        """Verdict, comment and person: what makes two decisions on the same content the same one."""
        return self.verdict, self.comment, self.reviewer

    def local_time(self) -> datetime:
        """The moment in the person's own zone."""
        return local_time(self.utc, self.offset)

    def encode(self) -> bytes:
        """The line without its end: keys in a fixed order, UTF-8, no blanks."""
        value = {
            "v": VERSION,
            "tipo": str(self.kind),
            "caso": self.case_id,
            "campo": self.field_id,
            "gold": self.gold,
            "salida": self.output,
            "cadena": self.chain,
            "archivo": self.source,
            "dictamen": str(self.verdict),
            "comentario": self.comment,
            "previo": list(self.previous),
            "puntas": list(self.tips),
            "revisor": self.reviewer,
            "utc": self.utc,
            "desfase": self.offset,
            "version": self.tool,
            "via": self.way,
        }
        return write_object(value)


def parse_entry(line: bytes, number: int) -> Entry:
    """Read one stored line.

    Raises:
        EntryError: it is no JSON, of another version, or a member is not what the program writes there;
            it names the member and shows no content.
    """
    value = read_object(line, version=VERSION, max_bytes=MAX_LINE_BYTES)
    wrong = _wrong_member(value)
    if wrong is not None:
        raise EntryError("record.bad_entry", field=wrong)
    return Entry(
        kind=Kind(value["tipo"]),
        case_id=value["caso"],
        field_id=value["campo"],
        gold=value["gold"],
        output=value["salida"],
        chain=value["cadena"],
        source=value["archivo"],
        verdict=Verdict(value["dictamen"]),
        comment=value["comentario"],
        previous=tuple(value["previo"]),
        tips=tuple(value["puntas"]),
        reviewer=value["revisor"],
        utc=value["utc"],
        offset=value["desfase"],
        tool=value["version"],
        way=value["via"],
        digest=entry_digest(line),
        line_number=number,
    )


def _wrong_member(value: Mapping[str, Any]) -> str | None:
    """The first member that the program would never have written so, or None."""
    kind = value.get("tipo")
    if kind not in tuple(Kind):
        return "tipo"
    is_row = kind == Kind.ROW
    verdict = value.get("dictamen")
    if verdict not in ((*ROW_VERDICTS, Verdict.NONE) if is_row else (*CHAIN_VERDICTS, Verdict.NONE)):
        return "dictamen"
    comment = value.get("comentario")
    checks = {
        "caso": is_case_id(value.get("caso")) if is_row else _is_absent(value, "caso"),
        "campo": is_field_id(value.get("campo")),
        "gold": is_digest(value.get("gold")) if is_row else _is_absent(value, "gold"),
        "salida": is_digest(value.get("salida")) if is_row else _is_absent(value, "salida"),
        "cadena": _is_absent(value, "cadena") if is_row else is_digest(value.get("cadena")),
        "archivo": _is_absent(value, "archivo") if is_row else _is_text(value.get("archivo")),
        "comentario": isinstance(comment, str)
        and len(comment) <= MAX_COMMENT
        and (bool(comment.strip()) or verdict not in NEEDS_COMMENT),
        "previo": _are_digests(value.get("previo")),
        "puntas": _are_digests(value.get("puntas")),
        "revisor": _is_text(value.get("revisor")) and len(value["revisor"]) <= MAX_NAME,
        "utc": is_utc(value.get("utc")),
        "desfase": is_offset(value.get("desfase")),
        "version": _is_text(value.get("version")),
        "via": value.get("via") in WAYS,
    }
    return next((name for name, right in checks.items() if not right), None)


def _is_absent(value: Mapping[str, Any], name: str) -> bool:
    return name in value and value[name] is None


def _is_text(found: object) -> bool:
    return isinstance(found, str) and bool(found.strip())


def _are_digests(found: object) -> bool:
    return isinstance(found, list) and all(map(is_digest, found)) and len(set(found)) == len(found)
