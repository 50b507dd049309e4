"""The one door from data to widgets: text comes out literal, harmless and never as markup.

A bare ``str`` given to most widgets is parsed as markup: ``ALT [H] 120`` would lose its flag and
``[URGENTE]`` would end the program. ``Content`` is taken as it is, and :func:`scoring.plain.plain`
makes control, bidi and invisible characters visible before they get there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.content import Content

from scoring import messages
from scoring.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import App
    from textual.notifications import SeverityLevel
    from textual.style import Style

_FEWEST_CELLS = 8

__all__ = ["Content", "indent", "join", "lines_of", "literal", "say", "spread", "tell", "wrap_lines"]


def literal(value: object, style: str | Style = "", *, multiline: bool = False) -> Content:
    """``value`` as text that shows exactly its characters, unsafe ones as visible stand-ins.

    Args:
        value: any text, also from a file; other values are shown as ``str`` shows them.
        style: one of our own styles, never something read from data.
        multiline: keep line feeds; otherwise they show as ``⏎``.
    """
    text = plain(value if isinstance(value, str) else str(value), multiline=multiline)
    return Content.styled(text, style, strip_control_codes=False) if text else Content("")


def tell(key: str, /, style: str | Style = "", **fields: object) -> Content:
    """The catalogue sentence ``app.<key>`` (or ``<area>.<key>``) as literal text."""
    return literal(messages.text(key if "." in key else f"app.{key}", **fields), style, multiline=True)


def join(*parts: Content) -> Content:
    """The parts one after the other."""
    return Content("").join(parts)


def wrap_lines(text: Content, width: int) -> list[Content]:
    """``text`` broken at blanks into lines of at most ``width`` cells (at least one line)."""
    return text.wrap(max(1, width)) or [Content("")]


def indent(text: Content, width: int, first: Content, rest: str | None = None) -> list[Content]:
    """``text`` wrapped behind ``first``, later lines hanging under its beginning.

    Args:
        text: what is to be wrapped.
        width: cells of the whole line.
        first: what stands before the first line (a bullet, a label).
        rest: what stands before the others; blanks as wide as ``first`` when left out.
    """
    margin = Content(" " * first.cell_length if rest is None else rest)
    if max(first.cell_length, margin.cell_length) > width - _FEWEST_CELLS:
        # No room beside it: what stands before the text gets a line of its own.
        step = min(2, max(0, width - 1))
        below = [join(Content(" " * step), line) for line in wrap_lines(text, width - step)]
        return [first.truncate(width), *below] if first.plain.strip() else below
    lines = wrap_lines(text, width - max(first.cell_length, margin.cell_length))
    return [join(first if number == 0 else margin, line) for number, line in enumerate(lines)]


def spread(left: Content, right: Content, width: int) -> Content:
    """``left`` and ``right`` at both ends of ``width`` cells; the left one gives way."""
    if right.cell_length >= width:
        return right.truncate(width, ellipsis=True)
    room = width - right.cell_length
    cut = left.truncate(max(0, room - 1), ellipsis=True)
    return join(cut, Content(" " * (room - cut.cell_length)), right)


def lines_of(parts: Iterable[Content]) -> Content:
    """The parts as lines of one text."""
    return Content("\n").join(list(parts))


def say(app: App[Any], text: str, *, severity: SeverityLevel = "information", timeout: float = 6) -> None:
    """A toast with ``text`` shown literally; said again, it takes the place of the one that is there."""
    shown = plain(text, multiline=True)
    for note in [note for note in app._notifications if note.message == shown]:  # noqa: SLF001 - no other way
        app._unnotify(note, refresh=False)  # noqa: SLF001 - to take one toast away; the release is pinned
    app.notify(shown, severity=severity, timeout=timeout, markup=False)
