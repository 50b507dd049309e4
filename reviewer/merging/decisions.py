"""What each side of a merge did to a case, in words: a conflict names decisions, not lines."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scoring import messages
from scoring.cases import SIGNATURE_KEYS
from scoring.record import content_digest
from scoring.strict_json import loads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reviewer.merging.versions import Item

_SHOWN_FIELDS = 4


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a line says, however it is spelled: its content and its three signature keys."""

    content: str
    keys: tuple[str, ...]


def meaning(item: Item) -> Meaning:
    """The meaning of a case line; an absent signature key is a null one, an absent ``validado`` false."""
    value = item.value or {}
    keys = tuple(json.dumps(value.get(name)) for name in SIGNATURE_KEYS)
    signed = "false" if keys[0] == "null" else keys[0]
    return Meaning(content_digest(item.raw), (signed, *keys[1:]))


@dataclass(frozen=True, slots=True)
class Conflict:
    """A case that both sides changed, each in its own way.

    Attributes:
        case_id: id of the case.
        base, ours, theirs: its lines before, here and there: none where it is absent, several where
            the file repeats the id.
    """

    case_id: str
    base: tuple[Item, ...]
    ours: tuple[Item, ...]
    theirs: tuple[Item, ...]

    def sentence(self, path: object) -> str:
        """Both decisions by name, and what they ask of a person."""
        return messages.text(
            "merge.conflict",
            path=path,
            id=self.case_id,
            ours=_told(self.base, self.ours),
            theirs=_told(self.base, self.theirs),
            advice=messages.text(self._advice()),
        )

    def _advice(self) -> str:
        if not self.ours or not self.theirs:
            return "merge.advice_deleted"
        changes = [
            _change(_single(self.base), side)
            for side in (_single(self.ours), _single(self.theirs))
            if side is not None
        ]
        signs = [change.signature for change in changes]
        if len(changes) == 2 and all(signs):
            return "merge.advice_two_decisions"
        return "merge.advice_other_content" if any(signs) else "merge.advice_two_contents"


def _single(items: tuple[Item, ...]) -> Item | None:
    return items[0] if len(items) == 1 else None


@dataclass(frozen=True, slots=True)
class _Change:
    """What one side did: the fields of the content it changed, and whether it touched the signature."""

    fields: tuple[str, ...]
    signature: bool


def _change(before: Item | None, after: Item) -> _Change:
    if before is None:
        return _Change((), signature=(after.value or {}).get("validado") is True)
    old, new = meaning(before), meaning(after)
    fields = () if old.content == new.content else _changed_fields(before.raw, after.raw)
    return _Change(fields, signature=old.keys != new.keys)


def _changed_fields(before: bytes, after: bytes) -> tuple[str, ...]:
    """Dotted names of what differs, two levels deep, in the order of the new line."""
    old: Mapping[str, Any] = loads(before, exact_numbers=True)
    new: Mapping[str, Any] = loads(after, exact_numbers=True)
    found: list[str] = []
    for name in (*new, *(name for name in old if name not in new)):
        if name in SIGNATURE_KEYS or (name in old and name in new and old[name] == new[name]):
            continue
        was, now = old.get(name), new.get(name)
        if isinstance(was, dict) and isinstance(now, dict):
            inner = (*now, *(key for key in was if key not in now))
            found += [f"{name}.{key}" for key in inner if was.get(key) != now.get(key)]
        else:
            found.append(name)
    return tuple(found)


def _told(base: tuple[Item, ...], side: tuple[Item, ...]) -> str:
    """What one side did, as the rest of a sentence that begins with the name of the side."""
    if not side:
        return messages.text("merge.deleted")
    after = _single(side)
    if after is None:
        return messages.text("merge.repeated", n=len(side))
    before = _single(base)
    if before is None:
        if base:
            return _signature(after, "merge.signed", "merge.unsigned")
        return _signature(after, "merge.added_signed", "merge.added")
    change = _change(before, after)
    parts: list[str] = []
    if change.fields:
        named = ", ".join(change.fields[:_SHOWN_FIELDS])
        more = len(change.fields) - _SHOWN_FIELDS
        parts.append(messages.text("merge.edited", fields=f"{named} … (+{more})" if more > 0 else named))
    if change.signature:
        signed = (after.value or {}).get("validado") is True
        parts.append(_signature(after if signed else before, "merge.signed" if signed else "merge.withdrawn"))
    return messages.text("merge.and").join(parts) or messages.text("merge.respelled")


def _signature(item: Item, signed: str, unsigned: str | None = None) -> str:
    value = item.value or {}
    if unsigned is not None and value.get("validado") is not True:
        return messages.text(unsigned)
    return messages.text(
        signed, reviewer=_shown(value.get("revisor")), date=_shown(value.get("fecha_validacion"))
    )


def _shown(value: object) -> str:
    return value if isinstance(value, str) and value.strip() else "?"
