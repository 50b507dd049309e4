"""The rows of the adjudication screen, and what each key does to the decision. No Textual here.

The steps are those of ``Adjudication``; this module only says which step a key means on which row.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from reviewer.app import theme
from reviewer.app.half_typed import check_comment
from reviewer.app.reviews_view import answer_words
from reviewer.app.row_layout import Laid, highlighted, ruled, under_headings
from reviewer.app.text import Content, indent, join, literal
from reviewer.decisions.fields import typed_text
from scoring import messages
from scoring.errors import UsageError
from scoring.record.agreed import Decided

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reviewer.decisions.adjudication import Adjudication, Point
    from reviewer.decisions.review import Told


class RowKind(StrEnum):
    """What a row is for."""

    POINT = "punto"
    ADD = "nuevo"
    COMMENT = "comentario"


@dataclass(frozen=True, slots=True)
class SettleRow:
    """One row.

    Attributes:
        kind: what it is for.
        section: the end of the key of its heading.
        point: what it decides; None for the other rows.
        answer: what was said of it; None while it is open.
        told: the reviews, for what they say of it.
        text: the comment, in its row.
    """

    kind: RowKind
    section: str
    point: Point | None = None
    answer: bool | None = None
    told: tuple[Told, ...] = ()
    text: str = ""


def rows_of(settling: Adjudication) -> tuple[SettleRow, ...]:
    """Every row of an adjudication in progress, in the order of the screen."""
    rows: list[SettleRow] = []
    for point in settling.points:
        if point.about is not Decided.DIFFERENTIAL and not any(row.kind is RowKind.ADD for row in rows):
            rows.append(SettleRow(RowKind.ADD, "differentials"))
        section = "differentials" if point.about is Decided.DIFFERENTIAL else "answer"
        rows.append(SettleRow(RowKind.POINT, section, point, settling.answer(point), settling.told))
    rows.append(SettleRow(RowKind.COMMENT, "comment", told=settling.told, text=settling.comment))
    return tuple(rows)


def _say(key: str, **fields: object) -> str:
    return messages.text(f"app_settle.{key}", **fields)


# -- what it looks like ----------------------------------------------------------------------------


def lay_out(rows: Sequence[SettleRow], cursor: int, width: int) -> Laid:
    """Every row in ``width`` cells, under the heading of its group."""
    return under_headings(
        rows,
        lambda section: _heading(section, width),
        lambda number, row: _row_lines(row, width, chosen=number == cursor),
    )


def _heading(section: str, width: int) -> Content:
    words = join(Content(" "), literal(_say(f"section_{section}"), theme.HEADING), Content(" "))
    return ruled(words, width)


def _row_lines(row: SettleRow, width: int, *, chosen: bool) -> list[Content]:
    edge = Content.styled("▌", theme.KEY) if chosen else Content(" ")
    differs = row.point is not None and row.point.differs
    first = join(edge, Content.styled("≠ ", theme.CARE) if differs else Content("  "))
    rest = join(edge, Content("  "))
    body = _body(row, width - 3)
    made = [join(first if number == 0 else rest, line) for number, line in enumerate(body)]
    return highlighted(made, width, chosen=chosen)


def _body(row: SettleRow, room: int) -> list[Content]:
    if row.kind is RowKind.ADD:
        return indent(literal(_say("add"), theme.LINK), room, literal("+ ", theme.LINK))
    if row.kind is RowKind.COMMENT:
        lines = [
            line
            for one in row.told
            if one.comment
            for line in indent(
                literal(_say("their_comment", name=one.reviewer, text=one.comment), theme.QUIET),
                room,
                Content(""),
            )
        ]
        own = literal(row.text, multiline=True) if row.text else literal(_say("no_comment"), theme.LINK)
        return [*indent(own, room, Content("")), *lines]
    point = row.point
    if point is None:
        return [Content("")]
    lines = indent(answer_words(point, row.answer), room, Content(""))
    if point.own:
        return [*lines, *indent(literal(_say("yours"), theme.QUIET), room, Content("  "))]
    said = [
        join(literal(f"{number} ", theme.KEY), literal(_said(point, answer, one), theme.QUIET))
        for number, (answer, one) in enumerate(zip(point.answers, row.told, strict=True), start=1)
    ]
    return [*lines, *indent(Content("   ").join(said), room, Content("  "))]


def _said(point: Point, answer: bool, told: Told) -> str:  # noqa: FBT001 - the answer
    """«Ana Ruiz: sí»."""
    if point.about is Decided.SCOPE:
        return _say("said_out" if answer else "said_in", name=told.reviewer)
    return _say("said_yes" if answer else "said_no", name=told.reviewer)


# -- what the keys do ------------------------------------------------------------------------------


def toggle(settling: Adjudication, row: SettleRow) -> None:
    """The other answer; an open point is answered with yes first.

    Raises:
        UsageError: what the adjudication refuses, or a row without an answer.
    """
    if row.point is None:
        raise UsageError("app_settle.nothing_to_answer")
    settling.say(row.point, answer=not row.answer)


def refuse(settling: Adjudication, row: SettleRow) -> None:
    """The answer «no».

    Raises:
        UsageError: as for :func:`toggle`.
    """
    if row.point is None:
        raise UsageError("app_settle.nothing_to_answer")
    settling.say(row.point, answer=False)


def follow(settling: Adjudication, row: SettleRow, review: int) -> None:
    """The answer of one of the reviews.

    Raises:
        UsageError: as for :func:`toggle`; or the point is of the person's own.
    """
    if row.point is None:
        raise UsageError("app_settle.nothing_to_answer")
    settling.follow(row.point, review)


def typed_at_first(row: SettleRow) -> str:
    """What stands in the line to type in."""
    return row.text if row.kind is RowKind.COMMENT else row.point.text if row.point is not None else ""


def check_typed(row: SettleRow, typed: str) -> None:
    """Refuse what a row cannot hold, while it is being typed.

    Raises:
        UsageError: says what is wrong with it.
    """
    if row.kind is not RowKind.COMMENT:
        typed_text(typed)
    else:
        check_comment(typed)


def put(settling: Adjudication, row: SettleRow, typed: str) -> None:
    """Take what was typed: the comment, a new differential, or one in place of that of the row.

    Raises:
        UsageError: what the adjudication refuses.
    """
    check_typed(row, typed)
    if row.kind is RowKind.COMMENT:
        settling.comment = typed.strip()
    elif row.point is None or typed.strip() != row.point.text:
        settling.add(typed, row.point)
    else:
        settling.say(row.point, answer=True)


# -- a line half typed -----------------------------------------------------------------------------


def keep_half(row: SettleRow, typed: str) -> dict[str, Any]:
    """The row and the text as JSON values, for a draft."""
    return {"fila": str(row.kind), "punto": row.point.text if row.point is not None else "", "texto": typed}


def half_row(kept: Mapping[str, Any], rows: Sequence[SettleRow]) -> SettleRow | None:
    """The row in which it was typed; None when it is not known, or no longer there."""
    for row in rows:
        text = row.point.text if row.point is not None else ""
        if (str(row.kind), text) == (kept.get("fila"), kept.get("punto")):
            return row
    return None
