"""The reviews of a case as lines of text: side by side where there is room, else one under the other."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.changes_view import change_lines
from reviewer.app.text import Content, indent, join, literal
from scoring import messages
from scoring.record.agreed import Decided
from scoring.record.reviews import Stage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reviewer.app.reviews import OpenReviews
    from reviewer.decisions.adjudication import Point
    from reviewer.decisions.review import Told

_FEWEST_CELLS = 26
_BETWEEN = " │ "


def _say(key: str, **fields: object) -> str:
    return messages.text(f"app_review.{key}", **fields)


def review_lines(reviews: OpenReviews, width: int, *, beside: bool) -> list[Content]:
    """What happened, what is to be done, and each review.

    Args:
        reviews: of a case of which nothing is hidden any more.
        width: cells.
        beside: side by side, if the columns are not too narrow for it.
    """
    what = "split" if reviews.stage is Stage.SPLIT else "correct" if reviews.changes else "close"
    words = join(literal(_say(f"title_{what}"), theme.HEADING), Content(" "))
    lines = [join(words, Content.styled("─" * max(0, width - words.cell_length), theme.RULE)).truncate(width)]
    if not reviews.under_way:
        told = literal(_say(f"next_{what}", names=reviews.names), theme.CARE)
        lines += indent(told, width, Content(""))
    if reviews.changes:
        lines += change_lines(reviews.changes, width)
    return [*lines, *told_lines(reviews.told, reviews.points, width, beside=beside)]


def told_lines(told: Sequence[Told], points: Sequence[Point], width: int, *, beside: bool) -> list[Content]:
    """Each review: who, when and how, then point by point, then the comment."""
    cells = (width - len(_BETWEEN) * (len(told) - 1)) // max(1, len(told))
    if not beside or cells < _FEWEST_CELLS:
        blocks = [
            [line for part in _parts(told, points, number) for line in _lines(part, width)]
            for number in range(len(told))
        ]
        return [line for block in blocks for line in (Content(""), *block)][1:]
    lines: list[Content] = []
    columns = [list(_parts(told, points, number)) for number in range(len(told))]
    for parts in zip(*columns, strict=True):
        # The same point begins on the same line everywhere, however long the words of the others are.
        blocks = [_lines(part, cells) for part in parts]
        for row in zip_longest(*blocks, fillvalue=Content("")):
            padded = [join(line, Content(" " * max(0, cells - line.cell_length))) for line in row]
            lines.append(Content.styled(_BETWEEN, theme.RULE).join(padded))
    return lines


_Part = tuple[Content, Content]
"""What stands before a text, and the text."""


def _lines(part: _Part, width: int) -> list[Content]:
    return indent(part[1], width, part[0])


def _parts(told: Sequence[Told], points: Sequence[Point], number: int) -> Iterator[_Part]:
    one = told[number]
    when = f"{one.moment:%Y-%m-%d %H:%M}" if one.moment is not None else messages.text("review.no_date")
    key = f"{number + 1} "
    yield literal(key, theme.KEY), literal(one.reviewer, theme.STRONG)
    how = _say("plain") if one.plain else one.meaning
    yield Content("  "), literal(" · ".join(text for text in (when, how) if text), theme.QUIET)
    for point in points:
        edge = Content.styled("≠ ", theme.CARE) if point.differs else Content("  ")
        yield edge, answer_words(point, point.answers[number], one)
    comment = _say("comment", text=one.comment) if one.comment else ""
    yield Content("  "), literal(comment, theme.QUIET, multiline=True)


def answer_words(point: Point, answer: bool | None, told: Told | None = None) -> Content:  # noqa: FBT001 - yes, no or open
    """One answer to a point, as symbol and words.

    Args:
        point: what it is about.
        answer: None while it is open.
        told: whose answer it is; None for that of the person who settles it.
    """
    if answer is None:
        text = point.text or _say(f"about_{point.about}")
        return join(literal("? ", theme.CARE), literal(text, theme.STRONG))
    if point.about is not Decided.DIFFERENTIAL:
        said = _say(f"is_{point.about}_{'yes' if answer else 'no'}")
        return join(literal("→ ", theme.LINK), literal(said))
    added = told is not None and point.text in told.added
    if answer:
        symbol, tone = ("+", theme.GOOD) if added else ("✓", theme.GOOD)
        word = _say("adds") if added else ""
    else:
        known = told is None or point.text in told.rejected
        symbol, tone = ("✗", theme.BAD) if known else ("·", theme.QUIET)
        word = _say("rejects" if known else "lacks")
    note = literal(f" ({word})", theme.QUIET) if word else Content("")
    return join(literal(f"{symbol} ", tone), literal(point.text), note)
