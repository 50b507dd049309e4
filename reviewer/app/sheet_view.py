"""The review sheet as lines of text for a given width. Decides the layout and nothing else.

Order of reading: whether it can be signed, who the patient is, what was measured, what the engine
says, what the draft proposes, where the two disagree, what the record says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.changes_view import change_lines
from reviewer.app.reviews import state_sentence
from reviewer.app.reviews_view import review_lines
from reviewer.app.rows import state_words
from reviewer.app.text import Content, indent, join, literal, spread, tell
from scoring import messages
from scoring.record import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reviewer.app.reviews import OpenReviews
    from reviewer.changes import Change
    from reviewer.sheet import ReviewSheet, SheetValue

MARGIN = 1
LABEL_CELLS = 10
_SEVERITY = {"leve": theme.CARE, "moderado": theme.CARE, "grave": theme.BAD}
_FULL_TABLE_FROM = 58
_UNUSUAL_REASONS = frozenset({"record.answered", "record.edited"})
_UNUSUAL = frozenset({Status.DEVUELTO, Status.RETIRADO, Status.CADUCADO, Status.DESCUADRADO})


def sheet_lines(
    sheet: ReviewSheet,
    width: int,
    corrected: Sequence[Change] = (),
    reviews: OpenReviews | None = None,
    *,
    beside: bool = False,
) -> list[Content]:
    """Every line of the sheet, none wider than ``width`` cells.

    Args:
        sheet: the case as it reads, corrections in progress included.
        width: cells.
        corrected: what those corrections change; not saved yet.
        reviews: the reviews of the case, once they may be seen and until it is signed.
        beside: show the reviews side by side.
    """
    room = max(1, width - 2 * MARGIN)
    lines: list[Content] = []
    for block in (
        _title(sheet, room, tells=reviews is None),
        review_lines(reviews, room, beside=beside) if reviews is not None else (),
        _corrections(corrected, room),
        _since_signed(sheet, room),
        _problems(sheet, room),
        _patient(sheet, room),
        _values(sheet, room),
        _engine(sheet, room),
        _draft(sheet, room),
        _disagreements(sheet, room),
        _signature(sheet, room),
    ):
        if block:
            lines += [*block, Content("")]
    margin = Content(" " * MARGIN)
    return [join(margin, line) for line in lines[:-1]]


def _heading(key: str, width: int, note: str = "") -> Content:
    words = join(
        literal(messages.text(key if "." in key else f"app.sheet_{key}"), theme.HEADING),
        literal(f"  {note}" if note else "", theme.QUIET),
        Content(" "),
    )
    return join(words, Content.styled("─" * max(0, width - words.cell_length), theme.RULE)).truncate(width)


def _bullets(
    texts: Iterable[Content], width: int, mark: str = "•", style: str = theme.QUIET
) -> list[Content]:
    first = join(Content(" "), literal(mark, style), Content(" "))
    return [line for text in texts for line in indent(text, width, first)]


def _labelled(key: str, text: Content, width: int) -> list[Content]:
    label = literal(messages.text(f"app.sheet_{key}"), theme.QUIET).truncate(LABEL_CELLS, pad=True)
    return indent(text, width, join(label, Content(" ")))


def _title(sheet: ReviewSheet, width: int, *, tells: bool) -> list[Content]:
    """What it is called and where it stands; ``tells`` adds why, where that is out of the ordinary."""
    batch = messages.text("app.sheet_batch", batch=sheet.batch) if sheet.batch else ""
    facts = " · ".join(part for part in (sheet.case_id, sheet.split, batch) if part)
    title = sheet.description or sheet.case_id or messages.text("app.no_id")
    why: list[Content] = []
    state = sheet.state
    half_reviewed = state.status is Status.PENDIENTE and state.reviews > 0
    if tells and (state.status in _UNUSUAL or state.reason in _UNUSUAL_REASONS or half_reviewed):
        why += indent(literal(state_sentence(sheet.state), theme.CARE), width, Content("  "))
    if sheet.state.status is Status.DESCUADRADO:
        why += indent(tell("app_decide.sheet_mismatch", style=theme.CARE), width, Content("  "))
    return [
        *indent(literal(title, theme.STRONG), width, Content("")),
        *indent(
            join(state_words(str(sheet.state.status)), literal(f" · {facts}", theme.QUIET)),
            width,
            Content(""),
        ),
        *why,
    ]


def _corrections(corrected: Sequence[Change], width: int) -> list[Content]:
    if not corrected:
        return []
    how = tell("app_edit.sheet_how", style=theme.QUIET)
    head = _heading("app_edit.sheet_title", width)
    return [head, *change_lines(corrected, width), *indent(how, width, Content("   "))]


def _since_signed(sheet: ReviewSheet, width: int) -> list[Content]:
    if not sheet.changes:
        return []
    return [_heading("app_edit.changes_title", width), *change_lines(sheet.changes, width)]


def _problems(sheet: ReviewSheet, width: int) -> list[Content]:
    if not sheet.problems:
        return []
    return [
        _heading("problems", width),
        *indent(tell("sheet_problems_mean", style=theme.BAD, n=len(sheet.problems)), width, Content("")),
        *_bullets((literal(problem.sentence()) for problem in sheet.problems), width, "⚠", theme.BAD),
    ]


def _patient(sheet: ReviewSheet, width: int) -> list[Content]:
    unknown = messages.text("sheet.unknown")
    about = Content.styled(" · ", theme.QUIET).join(
        literal(f"{label}: {value}", theme.QUIET) if value == unknown else literal(value)
        for label, value in sheet.signalment
    )
    signs = sheet.signs or messages.text("app.sheet_no_signs")
    return [
        *_labelled("patient", about, width),
        *_labelled("signs", literal(signs, multiline=True), width),
    ]


def _values(sheet: ReviewSheet, width: int) -> list[Content]:
    lines = [_heading("values", width, messages.text("app.sheet_legend"))]
    if not sheet.values:
        return [*lines, *indent(tell("sheet_no_values"), width, Content(" "))]
    full = width >= _FULL_TABLE_FROM
    value_cells = min(14, max(len(row.value) for row in sheet.values))
    unit_cells = min(10, max(len(row.unit) for row in sheet.values)) if full else 0
    range_cells = min(16, max((len(row.range) for row in sheet.values), default=0))
    flag_cells = 13
    name_cells = max(
        10, min(30, width - 3 - value_cells - (unit_cells + 2 if full else 0) - range_cells - flag_cells - 4)
    )
    for row in sheet.values:
        lines += _value_rows(row, width, (name_cells, value_cells, unit_cells, range_cells))
    return lines


def _value_rows(row: SheetValue, width: int, cells: tuple[int, int, int, int]) -> list[Content]:
    name_cells, value_cells, unit_cells, range_cells = cells
    tone = _SEVERITY.get(row.severity, "") if row.flag else ""
    mark = Content.styled("◆", theme.LINK) if row.declared else Content(" ")
    if row.flag:
        word = join(literal(f"{row.flag} ", f"bold {tone}"), literal(row.severity, tone))
    elif row.judged:
        word = Content.styled("·", theme.QUIET)
    else:
        word = tell("sheet_not_judged", style=theme.QUIET)
    value = literal(row.value, f"bold {tone}" if row.flag else "")
    wide_value = value.cell_length > value_cells
    pieces = [
        mark,
        Content(" "),
        literal(row.name).truncate(name_cells, pad=True, ellipsis=True),
        Content(" "),
        _right(value, value_cells),
        Content(" "),
    ]
    if unit_cells:
        pieces += [
            literal(row.unit, theme.QUIET).truncate(unit_cells, pad=True, ellipsis=True),
            Content("  "),
        ]
    pieces += [_right(literal(row.range, theme.QUIET), range_cells), Content("  "), word]
    lines = [join(*pieces).truncate(width, ellipsis=True)]
    if wide_value or len(row.name) > name_cells:
        lines += indent(literal(f"{row.name}: {row.value}", theme.QUIET), width, Content("    "))
    if row.moved:
        lines += indent(literal(row.moved, theme.QUIET), width, Content.styled("    ↳ ", theme.QUIET))
    return lines


def _right(text: Content, cells: int) -> Content:
    cut = text.truncate(cells, ellipsis=True)
    return join(Content(" " * (cells - cut.cell_length)), cut)


def _engine(sheet: ReviewSheet, width: int) -> list[Content]:
    lines = [_heading("engine", width)]
    if sheet.engine_text:
        lines += indent(literal(sheet.engine_text, theme.BAD), width, Content.styled(" ⚠ ", theme.BAD))
    if sheet.notices:
        lines += _bullets((literal(notice) for notice in sheet.notices), width, "!", theme.CARE)
    if sheet.engine == "applied":
        if sheet.findings:
            lines += _bullets((literal(found) for found in sheet.findings), width)
        else:
            lines += indent(_nothing_found(sheet), width, Content(" "))
    for pattern in sheet.patterns:
        tone = _SEVERITY.get(pattern.severity, "")
        severity = messages.text("app.sheet_pattern_severity", severity=pattern.severity)
        head = join(literal(pattern.name, theme.STRONG), literal(f" ({severity})", tone))
        lines += indent(head, width, Content.styled(" ▸ ", theme.LINK))
        body = [literal(pattern.explanation)]
        if pattern.note:
            body.append(literal(pattern.note))
        if pattern.parameters:
            body.append(tell("sheet_pattern_from", style=theme.QUIET, names=pattern.parameters))
        if pattern.source:
            body.append(tell("sheet_pattern_source", style=theme.QUIET, source=pattern.source))
        for text in body:
            lines += indent(text, width, Content("   "))
    return lines


def _nothing_found(sheet: ReviewSheet) -> Content:
    """Nothing out of range says as much as was looked at, and no more."""
    judged = [row for row in sheet.values if row.judged]
    if not judged:
        return tell("sheet_nothing_judged", style=theme.CARE)
    if len(judged) < len(sheet.values):
        return tell("sheet_rest_in_range", n=len(sheet.values) - len(judged))
    return tell("sheet_nothing_found")


def _draft(sheet: ReviewSheet, width: int) -> list[Content]:
    lines = [_heading("draft", width)]
    lines += _list("key_findings", sheet.key_findings, "sheet_no_key_findings", width)
    lines += _list("differentials", sheet.differentials, "sheet_no_differentials", width)
    referral = tell("sheet_referral_yes" if sheet.referral else "sheet_referral_no")
    scope = tell("sheet_scope_out" if sheet.out_of_scope else "sheet_scope_in")
    lines += _bullets((referral, scope), width, "→")
    return lines


def _list(key: str, entries: Sequence[str], none: str, width: int) -> list[Content]:
    head = literal(messages.text(f"app.sheet_{key}"), theme.QUIET)
    if not entries:
        return indent(join(head, Content(": "), tell(none)), width, Content(" "))
    if key == "key_findings":
        return indent(join(head, literal(": "), literal(", ".join(entries))), width, Content(" "))
    return [*indent(join(head, literal(":")), width, Content(" ")), *_bullets(map(literal, entries), width)]


def _disagreements(sheet: ReviewSheet, width: int) -> list[Content]:
    if not sheet.disagreements:
        return []
    return [
        _heading("disagreements", width),
        *_bullets((literal(each.text) for each in sheet.disagreements), width, "≠", theme.CARE),
    ]


def _signature(sheet: ReviewSheet, width: int) -> list[Content]:
    state = sheet.state
    lines = [_heading("signature", width)]
    counts = tell("sheet_counts" if state.counts else "sheet_counts_not", style=theme.QUIET)
    lines.append(spread(join(Content(" "), state_words(str(state.status))), counts, width))
    if state.reason:
        lines += indent(literal(state_sentence(state)), width, Content(" "))
    if state.status is Status.DESCUADRADO:
        lines += indent(tell("app_decide.sheet_mismatch", style=theme.CARE), width, Content(" "))
    return lines
