"""What the keys behind the entries say, and which entries a case rests on.

A key that did not sign its line is a break for ever. One that signed it and is not the named person's is a
break only while something rests on that entry: whoever signed with the wrong key, or whose name somebody
else used, signs the case again, and the earlier entry stays as what it is, to be looked at.

Pure: what is known of a key was found out by somebody else (``reviewer.keys`` asks ``ssh-keygen``) and is
given here by entry digest.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from scoring import messages
from scoring.people import person_key
from scoring.problems import Problem
from scoring.record.entries import Kind
from scoring.record.reviews import sealed_everywhere

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.record.entries import Transaction
    from scoring.record.journal import Record
    from scoring.record.states import CaseState


class KeyState(StrEnum):
    """What is known of the key behind an entry.

    ``comprobada``: it is the named person's, and it signed this; ``sin_comprobar``: it signed this, and
    nothing says whose it is; ``ajena``: it signed this and is not the named person's; ``falsa``: it did
    not sign this; ``sin_programa``: there is nothing here to verify it with.
    """

    COMPROBADA = "comprobada"
    SIN_COMPROBAR = "sin_comprobar"
    AJENA = "ajena"
    FALSA = "falsa"
    SIN_PROGRAMA = "sin_programa"


@dataclass(frozen=True, slots=True)
class KeyCheck:
    """The key behind one entry.

    Attributes:
        state: what was found out.
        fingerprint: ``SHA256:...`` of the public key that the signature names; empty if it names none.
        principal: the name in the allowed signers that it was verified for, or None.
    """

    state: KeyState
    fingerprint: str = ""
    principal: str | None = None


@dataclass(frozen=True, slots=True)
class KeyFindings:
    """What there is to say about keys.

    Attributes:
        breaks: entries with a key that did not sign them, or that somebody else holds and a case rests on.
        notices: entries with somebody else's key that nothing rests on any more.
    """

    breaks: tuple[Problem, ...]
    notices: tuple[Problem, ...]


def key_findings(
    record: Record, states: Mapping[str, CaseState], keys: Mapping[str, KeyCheck]
) -> KeyFindings:
    """Entries whose key says something else than the entry.

    Args:
        record: the record; in one that is broken every such entry is a break.
        states: case id -> its state, for the reviews that it counts by.
        keys: entry digest -> what its key was found to be.
    """
    breaks: list[Problem] = []
    notices: list[Problem] = []
    hidden = sealed_everywhere(record)
    for entry in record.entries:
        check = keys.get(entry.digest)
        if check is None or check.state not in {KeyState.FALSA, KeyState.AJENA}:
            continue
        blind = any((entry.digest, item.case_id) in hidden for item in entry.items)
        name = messages.text("second.somebody_blind") if blind else entry.reviewer or "?"
        fields = {"reviewer": name, "key": "…" if blind else check.fingerprint or "?"}
        key = f"audit.key_{check.state}"
        if check.state is KeyState.AJENA and not record.breaks and _is_left_behind(entry, record, states):
            notices.append(Problem(f"{key}_left_behind", line=entry.line_number, fields=fields))
        else:
            breaks.append(Problem(key, line=entry.line_number, fields=fields))
    return KeyFindings(tuple(breaks), tuple(notices))


def _is_left_behind(entry: Transaction, record: Record, states: Mapping[str, CaseState]) -> bool:
    """Whether no case that the entry decided on rests on it any more."""
    for item in entry.items:
        state = states.get(item.case_id)
        counted = () if state is None else (state.entry, *state.support)
        if entry.digest in counted or entry.digest in _standing(record, item.case_id):
            return False
    return True


def _standing(record: Record, case_id: str) -> set[str]:
    """Digests of the last entries of a case, back to those that settled it.

    A decision is about what it found: behind a signature in the data, a withdrawal or a return lies history,
    and so does a review behind a later one of the same person.
    """
    found: set[str] = set()
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [(entry, frozenset[str]()) for entry in record.heads.get(case_id, ())]
    while waiting:
        entry, later = waiting.pop()
        item = entry.item(case_id)
        if item is None or (entry.digest, later) in seen:
            continue
        seen.add((entry.digest, later))
        if entry.kind is Kind.FIRMA:
            person = person_key(entry.reviewer or "")
            if person not in later:
                found.add(entry.digest)
            later |= {person}
        else:
            found.add(entry.digest)
        signed = entry.kind is Kind.FIRMA and entry.writes is not None
        if not signed and entry.kind not in {Kind.RETIRA, Kind.DEVUELVE}:
            waiting.extend((record.by_digest[one], later) for one in item.previous if one in record.by_digest)
    return found
