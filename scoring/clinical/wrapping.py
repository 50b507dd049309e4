"""Ids as a paragraph, line by line: as :mod:`textwrap` would break it, without holding the paragraph."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_AT_ONCE = 64


def wrapped_list(items: Iterable[str], *, width: int, indent: str = "  ") -> Iterator[str]:
    """The items, with a comma and a blank between two, broken at blanks into lines of ``width``.

    Args:
        items: texts without control characters (:func:`scoring.plain.plain`); one that is wider than a
            line stands in a line of its own.
        width: characters of a line, ``indent`` included.
        indent: at the beginning of each line.
    """
    wrapper = textwrap.TextWrapper(
        width, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    # Lines are filled from the left, so the last one is all that what follows can change.
    held, lead, some = "", "", []
    for item in items:
        some.append(item)
        if len(some) > _AT_ONCE:
            # The last item waits, for it may end the list, which has no comma behind it.
            last = some.pop()
            lines = wrapper.wrap(held + lead + ", ".join(some) + ",")
            yield from lines[:-1]
            held, lead, some = lines[-1].removeprefix(indent), " ", [last]
    yield from wrapper.wrap(held + lead + ", ".join(some))
