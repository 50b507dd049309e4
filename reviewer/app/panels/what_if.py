"""What signing the pending cases would do to the gate: figures before and after, clearly a preview."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.panels.common import (
    VERDICT_STYLE,
    limit_words,
    mark_of,
    metric_name,
    number,
    paragraph,
    rule,
    verdict_text,
    verdict_words,
)
from reviewer.app.text import Content, indent, join, literal, tell
from reviewer.app.what_if import Which
from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reviewer.app.gate_board import GateBoard
    from reviewer.app.what_if import Preview
    from scoring.clinical.standing import Standing

_NAME_CELLS = 24
_FIGURE_CELLS = 6
_BATCHES_SHOWN = 30


def lines(previews: Sequence[Preview], board: GateBoard, width: int) -> list[Content]:
    """The view for a width."""
    said = [rule(messages.text("board.what_if"), width)]
    if not previews:
        said += paragraph("board.what_if_none", width)
    else:
        said += paragraph("board.what_if_preview", width, theme.CARE)
        for preview in previews:
            if preview.group.which is not Which.BATCH:
                said += [Content(""), *_whole(preview, width)]
        batches = [preview for preview in previews if preview.group.which is Which.BATCH]
        if batches:
            said += [Content(""), literal(messages.text("board.what_if_batches"), theme.STRONG)]
            for preview in batches[:_BATCHES_SHOWN]:
                said += _brief(preview, width)
            if len(batches) > _BATCHES_SHOWN:
                said += paragraph("board.parts_more", width, theme.QUIET, n=len(batches) - _BATCHES_SHOWN)
        if board.judged is not None:
            said += [Content(""), *paragraph("board.what_if_no_judge", width, theme.QUIET)]
    return [*said, Content(""), *_reserved(board, width)]


def _whole(preview: Preview, width: int) -> list[Content]:
    n = len(preview.group.ids)
    said = indent(tell(f"board.what_if_{preview.group.which}", style=theme.STRONG, n=n), width, Content(""))
    said.append(_verdicts(preview.before, preview.after, width))
    if preview.unpredicted:
        text = tell("board.what_if_unpredicted", n=preview.unpredicted)
        said += indent(text, width, Content.styled(" ! ", theme.BAD))
    said += _figures(preview.before, preview.after, width)
    return said


def _verdicts(before: Standing, after: Standing, width: int) -> Content:
    counts = tell("board.what_if_counts", before=before.counted, after=after.counted)
    return join(
        Content(" "),
        verdict_text(before.verdict),
        literal(" → ", theme.QUIET),
        verdict_text(after.verdict),
        Content("  "),
        counts.stylize(theme.QUIET),
    ).truncate(width, ellipsis=True)


def _figures(before: Standing, after: Standing, width: int) -> list[Content]:
    # A figure that would round to its threshold has more decimals than the others.
    old, new = (
        max([_FIGURE_CELLS, *(len(number(one.figure)) + 2 for one in side.aggregate.values())])
        for side in (before, after)
    )
    name = max(8, min(_NAME_CELLS, width - old - new - 18))
    said: list[Content] = []
    for metric, then in after.aggregate.items():
        now = before.aggregate[metric]
        mark, style = mark_of(then.passes)
        moved = now.figure != then.figure
        said.append(
            join(
                Content(" "),
                literal(mark, style),
                Content(" "),
                literal(metric_name(metric)).truncate(name, pad=True, ellipsis=True),
                literal(number(now.figure).rjust(old), theme.QUIET),
                literal(" → " if moved else " = ", theme.QUIET),
                literal(
                    number(then.figure).ljust(new),
                    style if then.passes is False else theme.STRONG if moved else theme.QUIET,
                ),
                literal(limit_words(then.threshold, then.limit), theme.QUIET),
            ).truncate(width)
        )
    return said


def _brief(preview: Preview, width: int) -> list[Content]:
    """A batch in a sentence: verdicts, and the figures that move."""
    name = preview.group.name or messages.text("board.no_batch")
    before, after = preview.before, preview.after
    moved = [
        f"{metric_name(metric)} {number(before.aggregate[metric].figure)}→{number(then.figure)}"
        for metric, then in after.aggregate.items()
        if before.aggregate[metric].figure != then.figure
    ]
    n = len(preview.group.ids)
    batch = tell("board.what_if_batch", name=name, n=n)
    if preview.unpredicted:
        batch = tell("board.what_if_batch_unpredicted", name=name, total=n, n=preview.unpredicted)
    head = join(
        batch,
        Content(" "),
        literal(verdict_words(before.verdict)),
        literal(" → ", theme.QUIET),
        literal(verdict_words(after.verdict), VERDICT_STYLE.get(after.verdict, "")),
    )
    what = literal(f": {', '.join(moved)}" if moved else f": {messages.text('app.effect_same_figures')}")
    return indent(join(head, what), width, Content(" · "))


def _reserved(board: GateBoard, width: int) -> list[Content]:
    """The reserved split is only counted: its figures are not told in advance, not even all together.

    An aggregate of all its cases would stand too near to the real ones once few are pending.
    """
    counted, waiting = board.counted("test"), board.waiting("test")
    key = "board.what_if_reserved" if waiting else "board.what_if_reserved_none"
    return [
        rule(messages.text("app.board_test"), width),
        *paragraph(key, width, n=waiting, before=counted, after=counted + waiting),
    ]
