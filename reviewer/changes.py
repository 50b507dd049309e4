"""What differs between two texts of one case, field by field: what was signed, and what stands there now.

It answers for the content alone, as the digest does: another order of keys, another spelling of a number
and the signature keys are no change.
"""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from reviewer.field_names import field_words, value_words
from scoring import messages
from scoring.cases import SIGNATURE_KEYS
from scoring.jsonl import kind_of
from scoring.record import number_text
from scoring.strict_json import Number, StrictJSONError, loads

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_MAX_PAIRS = 400


@dataclass(frozen=True, slots=True)
class Change:
    """One field that differs.

    Attributes:
        path: dotted path; an element of a list by its place, from 0 (``esperado.hallazgos_clave[2]``): that
            in the new list, or of one that was taken out, that in the old list.
        old: what stood there, as a person reads it; None if the field was not there.
        new: what stands there now; None if the field is gone.

    An element of a list that only stands in another place has the same text as ``old`` and as ``new``.
    """

    path: str
    old: str | None
    new: str | None

    @property
    def moved(self) -> bool:
        """An element of a list that stands in another place, and says what it said."""
        return self.old is not None and self.old == self.new

    def sentence(self) -> str:
        """«Hematocrito (Hct): antes «24»…», in the words of the sheet and the language in force."""
        field = field_words(self.path)
        old, new = (value_words(self.path, value or "") for value in (self.old, self.new))
        if self.old is None:
            return messages.text("changes.added", field=field, new=new)
        if self.new is None:
            return messages.text("changes.removed", field=field, old=old)
        if self.moved:
            return messages.text("changes.moved", field=field, new=new)
        return messages.text("changes.changed", field=field, old=old, new=new)


def changes_between(before: bytes, after: bytes) -> tuple[Change, ...]:
    """The fields that differ between two lines of one case, in the order of the old one, new ones last.

    Empty exactly when both have the same content digest.

    Raises:
        StrictJSONError: one of them is not a JSON object that every reader reads alike.
    """
    found: list[Change] = []
    _compare_members("", _content(before), _content(after), found)
    return tuple(found)


def _content(raw: bytes) -> dict[str, Any]:
    value = loads(raw, exact_numbers=True)
    if not isinstance(value, dict):
        raise StrictJSONError("not_an_object", found=kind_of(value))
    return {name: inner for name, inner in value.items() if name not in SIGNATURE_KEYS}


def _compare(path: str, old: Any, new: Any, found: list[Change]) -> None:
    if _key(old) == _key(new):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        _compare_members(f"{path}.", old, new, found)
    elif isinstance(old, list) and isinstance(new, list):
        _compare_elements(path, old, new, found)
    else:
        found.append(Change(path, *_readable(old, new)))


def _compare_members(
    prefix: str, old: Mapping[str, Any], new: Mapping[str, Any], found: list[Change]
) -> None:
    for name, value in old.items():
        if name in new:
            _compare(f"{prefix}{name}", value, new[name], found)
        else:
            found.append(Change(f"{prefix}{name}", _shown(value), None))
    found.extend(
        Change(f"{prefix}{name}", None, _shown(value)) for name, value in new.items() if name not in old
    )


def _compare_elements(path: str, old: Sequence[Any], new: Sequence[Any], found: list[Change]) -> None:
    """Elements that stay are told from those that were reworded, taken out, put in, or only moved."""
    before, after = [_key(item) for item in old], [_key(item) for item in new]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    blocks = [block for block in matcher.get_opcodes() if block[0] != "equal"]
    moved = _moved(before, after, blocks)
    left = set(moved.values())
    for _, i1, i2, j1, j2 in blocks:
        gone = [index for index in range(i1, i2) if index not in left]
        come = [index for index in range(j1, j2) if index not in moved]
        pairs = dict(_alike(gone, come, old, new))
        for index in gone:
            if index in pairs:
                _compare(f"{path}[{pairs[index]}]", old[index], new[pairs[index]], found)
            else:
                found.append(Change(f"{path}[{index}]", _shown(old[index]), None))
        kept = set(pairs.values())
        for index in range(j1, j2):
            if index not in kept:
                shown = _shown(new[index])
                found.append(Change(f"{path}[{index}]", shown if index in moved else None, shown))


def _moved(
    before: Sequence[Any], after: Sequence[Any], blocks: Sequence[tuple[str, int, int, int, int]]
) -> dict[int, int]:
    """Elements that stand in another place than before: place in ``after`` -> place in ``before``."""
    waiting: dict[Any, list[int]] = {}
    for _, i1, i2, _, _ in blocks:
        for index in range(i1, i2):
            waiting.setdefault(before[index], []).append(index)
    found: dict[int, int] = {}
    for _, _, _, j1, j2 in blocks:
        for index in range(j1, j2):
            if waiting.get(after[index]):
                found[index] = waiting[after[index]].pop(0)
    return found


def _alike(
    before: Sequence[int], after: Sequence[int], old: Sequence[Any], new: Sequence[Any]
) -> list[tuple[int, int]]:
    """Which elements of ``old`` became which of ``new``, in order: as many as can be, the most alike ones."""
    both = min(len(before), len(after))
    if len(before) == len(after) or both * max(len(before), len(after)) > _MAX_PAIRS:
        return list(zip(before[:both], after[:both], strict=True))
    # best[i][j]: likeness and pairs of the first i and j; the shorter side is paired whole.
    longer, shorter = (before, after) if len(before) > len(after) else (after, before)
    none: tuple[float, list[tuple[int, int]]] = (0.0, [])
    best = [[none] * (both + 1) for _ in range(len(longer) + 1)]
    for i, one in enumerate(longer, 1):
        for j, other in enumerate(shorter[:i], 1):
            pair = (one, other) if longer is before else (other, one)
            likeness, pairs = best[i - 1][j - 1]
            taken = (likeness + _likeness(old[pair[0]], new[pair[1]]), [*pairs, pair])
            best[i][j] = taken if i == j else max(taken, best[i - 1][j], key=lambda found: found[0])
    return best[-1][-1][1]


def _likeness(old: Any, new: Any) -> float:
    return SequenceMatcher(None, _shown(old), _shown(new), autojunk=False).ratio()


def _key(value: Any) -> tuple[Any, ...]:
    """Equal for two values that are one content, different otherwise; can be hashed."""
    # Number before str: a number token is a text that is not quoted.
    if isinstance(value, Number):
        return ("number", number_text(value))
    if isinstance(value, list):
        return ("list", *(_key(item) for item in value))
    if isinstance(value, dict):
        return ("object", *((name, _key(value[name])) for name in sorted(value)))
    return (type(value).__name__, value)


def _readable(old: Any, new: Any) -> tuple[str, str]:
    """Both values as text; where they would look the same (24 and "24", two spellings of é), as JSON."""
    shown = _shown(old), _shown(new)
    if shown[0] != shown[1]:
        composed = [unicodedata.normalize("NFC", text) for text in shown]
        return shown if composed[0] != composed[1] else (_exact(old), _exact(new))
    return _exact(old), _exact(new)


def _shown(value: Any) -> str:
    if value is None:
        return messages.text("changes.null")
    if isinstance(value, bool):
        return messages.text("changes.true" if value else "changes.false")
    if isinstance(value, str):
        return str(value)
    if isinstance(value, list):
        return ", ".join(_shown(item) for item in value) or "[]"
    return "; ".join(f"{name}: {_shown(inner)}" for name, inner in value.items()) or "{}"


def _exact(value: Any) -> str:
    """As JSON, escaped where two characters could look alike."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(_exact(item) for item in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(name)}: {_exact(inner)}' for name, inner in value.items())}}}"
    return json.dumps(value)
