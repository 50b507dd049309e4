"""One line of the record: a transaction as it is written and as it is read back.

The format is fixed (``docs/data.md``): a reader never re-serializes a line to verify it, digests are
over the stored bytes. Unknown members are kept by the bytes and ignored here; an unknown version is
refused, because guessing at a signature is worse than asking for a newer program.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

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
from scoring.record.opinion import MEMBER, Opinion, parse_opinion
from scoring.strict_json import StrictJSONError, loads

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

VERSION = 1
SIGNATURE_NAMESPACE = "revision-clinica"
MAX_RECORD_LINE_BYTES = 16 << 20
MAX_BATCH = 1000


class Kind(StrEnum):
    """What a transaction does."""

    ADOPTA = "adopta"
    FIRMA = "firma"
    RETIRA = "retira"
    DEVUELVE = "devuelve"
    EDITA = "edita"
    NOTA = "nota"


class Meaning(StrEnum):
    """What the person says by signing."""

    REVISADO = "revisado"
    APROBADO = "aprobado"
    ADJUDICADO = "adjudicado"


WAYS = ("app", "cli")
# What `validado` each kind may write; None: the signature keys stay as they are.
_MAY_WRITE: dict[Kind, tuple[bool | None, ...]] = {
    Kind.ADOPTA: (True,),
    Kind.FIRMA: (True, None),
    Kind.RETIRA: (False,),
    Kind.DEVUELVE: (None, False),
    Kind.EDITA: (False, None),
    Kind.NOTA: (None,),
}


@dataclass(frozen=True, slots=True)
class SignatureKeys:
    """The three keys of a data line that a transaction writes."""

    validado: bool
    revisor: str | None
    fecha_validacion: str | None

    def to_dict(self) -> dict[str, str | bool | None]:
        """In the order in which they are written."""
        return {
            "validado": self.validado,
            "revisor": self.revisor,
            "fecha_validacion": self.fecha_validacion,
        }


@dataclass(frozen=True, slots=True)
class CaseItem:
    """What a transaction says of one case; the digests are hexadecimal.

    Attributes:
        case_id: id of the case.
        before: content digest before, None for an adoption.
        after: content digest after; for a signature, the content that was signed.
        line_before: digest of the raw data line before, None for an adoption.
        line: digest of the raw data line after.
        previous: digests of the entries of this case that this one follows: none for the first,
            several after a merge.
        text: the data line after the transaction, as it stands in the file; what was signed can be shown
            again, and put back. None for a kind that leaves the line alone.
        text_before: the data line before a correction, where no entry it follows holds that content, so
            that what was corrected can be told for ever; else None.
        opinion: what a review decided; None for a signature that takes the case as it stands.
    """

    case_id: str
    before: str | None
    after: str
    line_before: str | None
    line: str
    previous: tuple[str, ...]
    text: str | None = field(default=None, repr=False)
    text_before: str | None = field(default=None, repr=False)
    opinion: Opinion | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, object]:
        """In the order in which it is written."""
        more: dict[str, object] = {} if self.text_before is None else {"texto_antes": self.text_before}
        if self.opinion is not None:
            more[MEMBER] = self.opinion.to_dict()
        return {
            "id": self.case_id,
            "antes": self.before,
            "despues": self.after,
            "linea_antes": self.line_before,
            "linea": self.line,
            "previo": list(self.previous),
            "texto": self.text,
            **more,
        }


@dataclass(frozen=True, slots=True)
class Transaction:
    """One line of the record.

    Attributes:
        kind: what it does.
        items: the cases, in the order of the data file.
        tips: digests of every tip of the record when it was written, sorted.
        writes: the signature keys it writes in each of its data lines; None when it leaves them alone.
        reviewer: the person as typed (NFC, trimmed); None only for a gathering line of an adoption.
        role, meaning, reason: what the person said about it, or None.
        utc: ``YYYY-MM-DDTHH:MM:SS.mmmZ``; None for an adoption, which has no clock.
        offset: local offset from UTC at that moment, ``+HH:MM``.
        tool: version of the program.
        way: ``app`` or ``cli``.
        digest: SHA-256 of the stored line without its end; empty before it is encoded.
        line_number: 1-based line in the record file; 0 before it is stored.
        has_key: the line carries an SSH signature.
        raw: the stored line of an entry with a key, to verify it; empty for the others.
    """

    kind: Kind
    items: tuple[CaseItem, ...]
    tips: tuple[str, ...]
    writes: SignatureKeys | None
    reviewer: str | None
    role: str | None = None
    meaning: str | None = None
    reason: str | None = None
    utc: str | None = None
    offset: str | None = None
    tool: str | None = None
    way: str | None = None
    digest: str = ""
    line_number: int = 0
    has_key: bool = False
    raw: bytes = field(default=b"", repr=False, compare=False)

    def item(self, case_id: str) -> CaseItem | None:
        """What it says of ``case_id``."""
        return next((item for item in self.items if item.case_id == case_id), None)

    def local_time(self) -> datetime | None:
        """The moment in the signer's own zone."""
        if self.utc is None or self.offset is None:
            return None
        return local_time(self.utc, self.offset)

    def encode(self) -> bytes:
        """The line without its end. Keys in the fixed order, UTF-8, no blanks."""
        value = {
            "v": VERSION,
            "tipo": str(self.kind),
            "casos": [item.to_dict() for item in self.items],
            "puntas": list(self.tips),
            "escribe": None if self.writes is None else self.writes.to_dict(),
            "revisor": self.reviewer,
            "rol": self.role,
            "significado": self.meaning,
            "motivo": self.reason,
            "utc": self.utc,
            "desfase": self.offset,
            "version": self.tool,
            "via": self.way,
        }
        return write_object(value)


def parse_entry(line: bytes, number: int) -> Transaction:
    """Read one stored line.

    Raises:
        EntryError: the line is not JSON, of another version, or lacks something.
    """
    value = read_object(line, version=VERSION, max_bytes=MAX_RECORD_LINE_BYTES)
    read = _Reader(value)
    kind = read.one_of("tipo", tuple(Kind))
    adopts = kind == Kind.ADOPTA
    items = tuple(_item(inner, Kind(kind)) for inner in read.objects("casos"))
    if len({item.case_id for item in items}) != len(items):
        raise EntryError("record.bad_entry", field="casos")
    writes = None if value.get("escribe") is None else _keys(value["escribe"])
    claims = None if writes is None else writes.validado
    if claims not in _MAY_WRITE[Kind(kind)] and (items or claims is not None):
        raise EntryError("record.bad_entry", field="escribe")
    return Transaction(
        kind=Kind(kind),
        items=items,
        tips=read.digests("puntas"),
        writes=writes,
        reviewer=read.text("revisor", optional=adopts and not items),
        role=read.text("rol", optional=True),
        meaning=read.text("significado", optional=True),
        reason=read.text("motivo", optional=True),
        utc=read.moment("utc", is_utc, optional=adopts),
        offset=read.moment("desfase", is_offset, optional=adopts),
        tool=read.text("version", optional=adopts),
        way=read.text("via", optional=adopts),
        digest=entry_digest(line),
        line_number=number,
        has_key="clave" in value,
        raw=line if "clave" in value else b"",
    )


class _Reader:
    """Typed access to the members of one object; a wrong one names the member."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        self.value = value

    def text(self, name: str, *, optional: bool = False) -> str | None:
        found = self.value.get(name)
        if (found is None and optional) or isinstance(found, str):
            return found
        raise EntryError("record.bad_entry", field=name)

    def one_of(self, name: str, names: Sequence[str]) -> str:
        found = self.value.get(name)
        if not isinstance(found, str) or found not in names:
            raise EntryError("record.bad_entry", field=name)
        return found

    def digest(self, name: str, *, optional: bool = False) -> str | None:
        found = self.text(name, optional=optional)
        if found is not None and not is_digest(found):
            raise EntryError("record.bad_entry", field=name)
        return found

    def digests(self, name: str) -> tuple[str, ...]:
        found = self.value.get(name)
        if not isinstance(found, list) or not all(map(is_digest, found)):
            raise EntryError("record.bad_entry", field=name)
        return tuple(found)

    def objects(self, name: str) -> list[Mapping[str, Any]]:
        found = self.value.get(name)
        if not isinstance(found, list) or not all(isinstance(inner, dict) for inner in found):
            raise EntryError("record.bad_entry", field=name)
        return found

    def moment(self, name: str, right: Callable[[object], bool], *, optional: bool) -> str | None:
        found = self.text(name, optional=optional)
        if found is not None and not right(found):
            raise EntryError("record.bad_entry", field=name)
        return found


def _item(value: Mapping[str, Any], kind: Kind) -> CaseItem:
    read = _Reader(value)
    adopts = kind is Kind.ADOPTA
    keeps_line = kind in {Kind.DEVUELVE, Kind.NOTA}
    case_id, after, line = read.text("id"), read.digest("despues"), read.digest("linea")
    if case_id is None or after is None or line is None:
        raise EntryError("record.bad_entry", field="casos")
    text = read.text("texto", optional=keeps_line)
    if text is not None and entry_digest(text.encode("utf-8")) != line:
        raise EntryError("record.bad_entry", field="texto")
    line_before, text_before = (
        read.digest("linea_antes", optional=adopts),
        read.text("texto_antes", optional=True),
    )
    if text_before is not None and entry_digest(text_before.encode("utf-8")) != line_before:
        raise EntryError("record.bad_entry", field="texto_antes")
    opinion: Opinion | None = None
    if kind is Kind.FIRMA and MEMBER in value:
        try:
            opinion = parse_opinion(value[MEMBER])
        except ValueError:
            raise EntryError("record.bad_entry", field=MEMBER) from None
    return CaseItem(
        case_id=case_id,
        before=read.digest("antes", optional=adopts),
        after=after,
        line_before=line_before,
        line=line,
        previous=read.digests("previo"),
        text=text,
        text_before=text_before,
        opinion=opinion,
    )


def _keys(value: object) -> SignatureKeys:
    if not isinstance(value, dict) or not isinstance(value.get("validado"), bool):
        raise EntryError("record.bad_entry", field="escribe")
    read = _Reader(value)
    return SignatureKeys(
        value["validado"],
        read.text("revisor", optional=True),
        read.text("fecha_validacion", optional=True),
    )


def signed_bytes(line: bytes) -> tuple[bytes, str | None]:
    """What a key signs of a stored line, and the armoured SSH signature the line carries, if any.

    ``clave`` is the last member of the line; without it and the comma before it the line is, byte for
    byte, what was signed. Nothing is re-serialized.

    Raises:
        EntryError: ``clave`` is there and not last, or not of the form that ``docs/data.md`` defines.
    """
    value = loads(line)
    if not isinstance(value, dict) or "clave" not in value:
        return line, None
    block = value["clave"]
    mark = line.rfind(b',"clave":{')
    if list(value)[-1] != "clave" or not isinstance(block, dict) or mark < 0:
        raise EntryError("record.bad_entry", field="clave")
    signature = block.get("firma")
    rest = line[:mark] + b"}"
    try:
        clean = "clave" not in loads(rest)
    except StrictJSONError:
        clean = False
    if block.get("formato") != "sshsig" or not isinstance(signature, str) or not clean:
        raise EntryError("record.bad_entry", field="clave")
    return rest, signature


def with_signature(line: bytes, armoured: str) -> bytes:
    """``line`` with the SSH signature of its bytes added as its last member."""
    block = {"formato": "sshsig", "espacio": SIGNATURE_NAMESPACE, "firma": armoured}
    text = json.dumps(block, ensure_ascii=True, separators=(",", ":"))
    return line[:-1] + b',"clave":' + text.encode("ascii") + b"}"
