"""What the keys behind the entries say.

Pure: what is known of a key was found out by somebody else (``reviewer.keys`` asks ``ssh-keygen``) and is
given here by entry digest.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from scoring import messages
from scoring.problems import Problem
from scoring.record.reviews import sealed_everywhere

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.record.journal import Record


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


def key_problems(record: Record, keys: Mapping[str, KeyCheck]) -> list[Problem]:
    """Entries whose key says something else than the entry."""
    found: list[Problem] = []
    hidden = sealed_everywhere(record)
    for entry in record.entries:
        check = keys.get(entry.digest)
        if check is None or check.state not in {KeyState.FALSA, KeyState.AJENA}:
            continue
        blind = any((entry.digest, item.case_id) in hidden for item in entry.items)
        name = messages.text("second.somebody_blind") if blind else entry.reviewer or "?"
        fields = {"reviewer": name, "key": "…" if blind else check.fingerprint or "?"}
        found.append(Problem(f"audit.key_{check.state}", line=entry.line_number, fields=fields))
    return found
