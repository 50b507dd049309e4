"""JSON as it would be written in one piece, given out piece by piece."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_AT_ONCE = 1 << 15
_INDENT = "  "


class OneByOne(Iterable[Any]):
    """A list of a JSON text whose elements are made one after the other.

    Args:
        items: what they are made of.
        make: an element of JSON out of an item.
    """

    def __init__(self, items: Sequence[Any], make: Callable[[Any], Any]) -> None:
        self._items = items
        self._make = make

    def __iter__(self) -> Iterator[Any]:
        return map(self._make, self._items)


def whole(content: Mapping[str, Any]) -> dict[str, Any]:
    """``content`` with its lists as lists."""
    return {key: list(one) if isinstance(one, OneByOne) else one for key, one in content.items()}


def json_pieces(content: Mapping[str, Any]) -> Iterator[str]:
    """The text of ``json.dumps(whole(content), ensure_ascii=False, indent=2, allow_nan=False)``.

    Args:
        content: an object with at least one key; its own values may be :class:`OneByOne`.
    """
    encode = json.JSONEncoder(ensure_ascii=False, indent=len(_INDENT), allow_nan=False).encode
    before = "{\n"
    for key, value in content.items():
        yield f"{before}{_INDENT}{json.dumps(key, ensure_ascii=False)}: "
        before = ",\n"
        if not isinstance(value, OneByOne):
            yield _deeper(encode(value), 1)
            continue
        between, end = f"[\n{_INDENT * 2}", "[]"
        for item in value:
            yield between + _deeper(encode(item), 2)
            between, end = f",\n{_INDENT * 2}", f"\n{_INDENT}]"
        yield end
    yield "\n}"


def _deeper(text: str, levels: int) -> str:
    """``text`` further in; a line feed in JSON is always one between two tokens."""
    return text.replace("\n", "\n" + _INDENT * levels)


def encoded(pieces: Iterable[str], *, errors: str = "strict") -> Iterator[bytes]:
    """``pieces`` as UTF-8, in larger ones."""
    some: list[str] = []
    size = 0
    for piece in pieces:
        some.append(piece)
        size += len(piece)
        if size >= _AT_ONCE:
            yield "".join(some).encode(errors=errors)
            some, size = [], 0
    if some:
        yield "".join(some).encode(errors=errors)
