"""Taking into the record the signatures that the data had before there was one.

The entries have no clock, no host and no program version, and each depends on its case alone: two
branches that adopt the same case write the same bytes, and git merges them into one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scoring.record.content import content_digest, line_digest
from scoring.record.entries import CaseItem, Kind, SignatureKeys, Transaction
from scoring.record.lines import entry_digest
from scoring.record.states import signed_properly

if TYPE_CHECKING:
    from scoring.cases import CaseFile, CaseRow

# More tips than this are first gathered by lines of their own, so that no line grows with the data set.
MAX_TIPS = 256


@dataclass(frozen=True, slots=True)
class Adoption:
    """What a first write puts into an empty record.

    Attributes:
        lines: stored lines without their ends, in file order, gathering lines last.
        entries: the entry of each adopted case by id.
        tips: digests that the first transaction names, sorted.
        left_out: ids that claim a signature which could not be taken over (no person, no date, repeated id).
    """

    lines: tuple[bytes, ...]
    entries: dict[str, Transaction]
    tips: tuple[str, ...]
    left_out: tuple[str, ...]


def adopt(file: CaseFile) -> Adoption:
    """The adoption of every proper signature of ``file``."""
    times = Counter(row.case.id for row in file.rows)
    lines: list[bytes] = []
    entries: dict[str, Transaction] = {}
    left_out: list[str] = []
    for row in file.rows:
        if not row.case.validado:
            continue
        if not row.case.id or times[row.case.id] > 1 or not signed_properly(row):
            left_out.append(row.case.id)
            continue
        entry = _entry(row)
        line = entry.encode()
        lines.append(line)
        entries[row.case.id] = replace(entry, digest=entry_digest(line))
    tips = sorted(entry.digest for entry in entries.values())
    while len(tips) > MAX_TIPS:
        gathered = [
            Transaction(Kind.ADOPTA, (), tuple(tips[start : start + MAX_TIPS]), None, None).encode()
            for start in range(0, len(tips), MAX_TIPS)
        ]
        lines.extend(gathered)
        tips = sorted(entry_digest(line) for line in gathered)
    return Adoption(tuple(lines), entries, tuple(tips), tuple(dict.fromkeys(left_out)))


def _entry(row: CaseRow) -> Transaction:
    case, raw = row.case, row.row.line.raw
    item = CaseItem(case.id, None, content_digest(raw), None, line_digest(raw), (), raw.decode("utf-8"))
    keys = SignatureKeys(validado=True, revisor=case.revisor, fecha_validacion=case.fecha_validacion)
    return Transaction(Kind.ADOPTA, (item,), (), keys, case.revisor)
