"""What one review decides about a case: which differentials hold, referral, scope; and what follows from it.

An opinion is bound to the content that was read by the entry it stands in. What the case would say if it
were followed is its *target*: two opinions agree exactly when their targets are one content.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from scoring.record.content import value_digest
from scoring.strict_json import StrictJSONError, loads

if TYPE_CHECKING:
    from collections.abc import Mapping

EXPECTED = "esperado"
DIFFERENTIALS = "diferenciales_aceptables"
REFERRAL = "requiere_derivacion"
SCOPE = "fuera_de_alcance"
MEMBER = "decision"
"""The member of a case of a transaction that holds the opinion."""
_ACCEPTED, _ADDED, _COMMENT = "diferenciales_aceptados", "diferenciales_nuevos", "comentario"


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a reviewer decided.

    Attributes:
        accepted: the differentials of the case as read that hold, in its order.
        added: those that are missing, sorted by code point.
        referral: the case requires referral.
        out_of_scope: it is out of scope.
        comment: what the reviewer adds, or None.
    """

    accepted: tuple[str, ...]
    added: tuple[str, ...]
    referral: bool
    out_of_scope: bool
    comment: str | None = None

    def to_dict(self) -> dict[str, object]:
        """In the order in which it is written."""
        return {
            _ACCEPTED: list(self.accepted),
            _ADDED: list(self.added),
            REFERRAL: self.referral,
            SCOPE: self.out_of_scope,
            _COMMENT: self.comment,
        }


def parse_opinion(value: object) -> Opinion:
    """The opinion of a stored entry; members that this version does not know are ignored.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(value, dict):
        raise ValueError(MEMBER)  # noqa: TRY004  one error for every form it may not have
    comment = value.get(_COMMENT)
    referral, scope = value.get(REFERRAL), value.get(SCOPE)
    if not isinstance(referral, bool) or not isinstance(scope, bool):
        raise ValueError(REFERRAL)  # noqa: TRY004  likewise
    if comment is not None and not isinstance(comment, str):
        raise ValueError(_COMMENT)
    return Opinion(_texts(value, _ACCEPTED), _texts(value, _ADDED), referral, scope, comment)


def _texts(value: Mapping[str, Any], name: str) -> tuple[str, ...]:
    found = value.get(name)
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise ValueError(name)
    if len(set(found)) != len(found):
        raise ValueError(name)
    return tuple(found)


def expected_of(content: Mapping[str, Any]) -> tuple[tuple[str, ...], bool, bool]:
    """Differentials, referral and scope as the case says them now."""
    inner = content.get(EXPECTED)
    inner = inner if isinstance(inner, dict) else {}
    texts = inner.get(DIFFERENTIALS)
    texts = tuple(text for text in texts if isinstance(text, str)) if isinstance(texts, list) else ()
    return texts, inner.get(REFERRAL) is True, inner.get(SCOPE) is True


def as_read(content: Mapping[str, Any], comment: str | None = None) -> Opinion:
    """The opinion of whoever accepts the case as it stands."""
    texts, referral, scope = expected_of(content)
    return Opinion(tuple(dict.fromkeys(texts)), (), referral, scope, comment)


def changes_of(content: Mapping[str, Any], opinion: Opinion) -> dict[str, tuple[str, ...] | bool]:
    """The members of ``esperado`` that have to change for the case to say what the opinion says.

    Empty when it says so already: a member that is missing and means the same is not added.
    """
    texts, referral, scope = expected_of(content)
    wanted = (*(text for text in texts if text in opinion.accepted), *opinion.added)
    found: dict[str, tuple[str, ...] | bool] = {}
    if wanted != texts:
        found[DIFFERENTIALS] = wanted
    if opinion.referral != referral:
        found[REFERRAL] = opinion.referral
    if opinion.out_of_scope != scope:
        found[SCOPE] = opinion.out_of_scope
    return found


@lru_cache(maxsize=1 << 14)
def target_digest(text: str, opinion: Opinion) -> str | None:
    """Content digest of the case in ``text`` (its line) after ``opinion``.

    None when the opinion does not belong to that text: it accepts what is not there, or adds what is.
    """
    try:
        content = loads(text.encode("utf-8"), exact_numbers=True)
    except StrictJSONError:
        return None
    if not isinstance(content, dict):
        return None
    there = set(expected_of(content)[0])
    if not there.issuperset(opinion.accepted) or there.intersection(opinion.added):
        return None
    changed = dict(content)
    changes = changes_of(content, opinion)
    if changes:
        inner = content.get(EXPECTED)
        told = {name: list(value) if isinstance(value, tuple) else value for name, value in changes.items()}
        changed[EXPECTED] = {**(inner if isinstance(inner, dict) else {}), **told}
    return value_digest(changed)
