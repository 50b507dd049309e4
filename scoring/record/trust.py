"""What stands behind a signature: a name that was typed, a key, or nothing but the data itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from scoring.problems import Problem
from scoring.record.entries import Kind
from scoring.record.key_checks import KeyCheck, KeyState
from scoring.record.states import CaseState, Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scoring.record.entries import Transaction
    from scoring.record.snapshot import Snapshot


class Trust(StrEnum):
    """What stands behind a signature.

    ``nombre``: a name that was typed; ``clave``: a key; ``adoptada``: it was in the data before there was a
    record, so nobody saw it given; ``sin_registro``: it is in the data and in no record.
    """

    NOMBRE = "nombre"
    CLAVE = "clave"
    ADOPTADA = "adoptada"
    SIN_REGISTRO = "sin_registro"


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature in force.

    Attributes:
        case_id, status, counts, reviewer, date: as in :class:`~scoring.record.states.CaseState`.
        trust: by name, by key, adopted, or outside any record.
        key: for ``clave``, what is known of the key; None if nobody looked.
        entry: digest of its entry, or None without a record.
    """

    case_id: str
    status: Status
    counts: bool
    reviewer: str | None
    date: str | None
    trust: Trust
    key: KeyCheck | None
    entry: str | None


def trust_of(entry: Transaction) -> Trust:
    """Whether a name or a key stands behind an entry of the record, or nothing but what was in the data."""
    if entry.kind is Kind.ADOPTA:
        return Trust.ADOPTADA
    return Trust.CLAVE if entry.has_key else Trust.NOMBRE


def signatures_in_force(snapshot: Snapshot, keys: Mapping[str, KeyCheck]) -> tuple[Signature, ...]:
    """Every signature in force, in file order; a repeated id has none.

    Args:
        snapshot: data and record of one moment.
        keys: entry digest -> what its key was found to be.
    """
    times = Counter(place.case_id for place in snapshot.file.places)
    found: list[Signature] = []
    for case_id, state in snapshot.states.items():
        entry = snapshot.record.by_digest.get(state.entry or "")
        if times[case_id] > 1:
            continue
        if entry is None:
            if state.status is Status.FIRMADO:
                found.append(_signature(state, Trust.SIN_REGISTRO, None, None))
        elif entry.writes is not None and entry.writes.validado and entry.kind is not Kind.NOTA:
            trust = trust_of(entry)
            found.append(_signature(state, trust, keys.get(entry.digest), entry.digest))
    return tuple(found)


def _signature(state: CaseState, trust: Trust, key: KeyCheck | None, entry: str | None) -> Signature:
    return Signature(state.case_id, state.status, state.counts, state.reviewer, state.date, trust, key, entry)


def without_verified_key(
    signatures: Sequence[Signature], snapshot: Snapshot, keys: Mapping[str, KeyCheck]
) -> list[Problem]:
    """Signatures that count although a key behind them, or behind one of their reviews, was not verified."""

    def verified(digest: str) -> bool:
        check = keys.get(digest)
        return check is not None and check.state is KeyState.COMPROBADA

    return [
        Problem(
            "audit.key_required",
            case_id=signature.case_id,
            fields={"reviewer": signature.reviewer or "?", "date": signature.date or "?"},
        )
        for signature in signatures
        if signature.counts
        and not (
            signature.entry is not None
            and all(map(verified, {signature.entry, *snapshot.states[signature.case_id].support}))
        )
    ]
