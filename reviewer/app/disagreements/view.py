"""What is shown of one disagreement or one chain, as lines of text. Everything from a file stays literal."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from reviewer.adjudication.desk import refusal
from reviewer.adjudication.difference import CONTEXT, Difference, Piece, difference, written
from reviewer.app import theme
from reviewer.app.text import Content, indent, join, literal, spread, tell
from scoring import messages
from scoring.abstraction.decisions import shown_form
from scoring.abstraction.evidence import SourceKind
from scoring.abstraction.normalize import is_too_long, normalize
from scoring.adjudication.content import chain_digest
from scoring.adjudication.disagreements import Sort
from scoring.adjudication.entries import Verdict
from scoring.adjudication.standing import State
from scoring.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reviewer.adjudication.desk import Look
    from scoring.abstraction.evidence import AbstractionEvidenceChain
    from scoring.abstraction.normalize import Normal, Scalar
    from scoring.adjudication.chains import ChainReview
    from scoring.adjudication.disagreements import Disagreement
    from scoring.adjudication.entries import Entry, Subject
    from scoring.adjudication.record import AdjudicationRecord
    from scoring.adjudication.standing import Standing

_MARK: Final = ("⟦", "⟧")
_FORM_SHOWN: Final = 400
_CONTEXT_IN_SHORT: Final = 12
_LABEL_CELLS: Final = 12
_SOURCES_SHOWN: Final = 20
_PLAIN_DIGITS: Final = 20
SYMBOLS: Final = {
    State.UNDECIDED: ("○", theme.CARE),
    State.DECIDED: ("●", theme.GOOD),
    State.EXPIRED: ("!", theme.BAD),
    State.CONFLICT: ("≠", theme.BAD),
    State.IMPOSSIBLE: ("✗", theme.BAD),
}


_Pieces = tuple[tuple[Piece, ...], tuple[int, int]] | None


def symbol(state: State) -> Content:
    """The symbol of a state."""
    sign, style = SYMBOLS[state]
    return literal(sign, style)


def state_words(standing: Standing) -> str:
    """The verdict that counts, or how it stands."""
    if standing.verdict is not None:
        return messages.text(f"disagreements.short_{standing.verdict}")
    return messages.text(f"adjudicated.state_{standing.state}")


def heading(name: str, count: int, width: int) -> Content:
    """The heading of a field's disagreements."""
    words = join(literal(name, theme.HEADING), literal(f" · {count} ", theme.QUIET))
    return join(Content(" "), words, Content.styled("─" * max(0, width - words.cell_length - 1), theme.RULE))


def row_line(item: Disagreement, standing: Standing, width: int, *, chosen: bool, drafted: bool) -> Content:
    """One line: state, case, how they disagree."""
    edge = Content.styled("▌", theme.KEY) if chosen else Content(" ")
    mark = literal("✎ ", theme.CARE) if drafted else Content("")
    undecided = standing.state is State.UNDECIDED
    right = messages.text(f"disagreements.sort_{item.sort}") if undecided else state_words(standing)
    name = literal(item.case_id, "bold" if chosen else "")
    left = join(edge, symbol(standing.state), Content(" "), mark, name)
    return spread(left, join(literal(right, theme.QUIET), Content(" ")), width)


def chain_line(review: ChainReview, width: int, *, chosen: bool, drafted: bool) -> Content:
    """One line: state, field, what the gate would object to."""
    edge = Content.styled("▌", theme.KEY) if chosen else Content(" ")
    mark = literal("✎ ", theme.CARE) if drafted else Content("")
    standing = review.standing
    style = theme.BAD if standing.verdict is Verdict.REJECT else SYMBOLS[standing.state][1]
    sign = "✗" if standing.verdict is Verdict.REJECT else SYMBOLS[standing.state][0]
    left = join(
        edge,
        literal(sign, style),
        Content(" "),
        mark,
        literal(review.chain.field_id, "bold" if chosen else ""),
    )
    sourceless = [code for code in review.issues if code != "review_not_approved"]
    words = messages.text("disagreements.no_source") if sourceless else state_words(standing)
    return spread(left, join(literal(words, theme.QUIET), Content(" ")), width)


def look_lines(look: Look, record: AdjudicationRecord, width: int) -> list[Content]:
    """One disagreement: both values, their forms, where they differ, the evidence, what was decided."""
    item, pair = look.item, look.pair
    kind = item.field_type.value
    lines = [
        *indent(literal(item.field_id, theme.HEADING), width, Content("")),
        *indent(tell("disagreements.case", id=item.case_id, kind=kind), width, Content("")),
        Content(""),
    ]
    compared, (left, right) = _compared(look)
    lines += _value_lines("gold", pair.gold.value, left, width)
    lines += _form_lines(pair.gold.value, look, width)
    lines += _value_lines("output", pair.output.value, right, width)
    lines += _form_lines(pair.output.value, look, width)
    if compared is not None:
        lines += _difference_lines(look, compared, width)
    if Verdict.OUTPUT not in look.verdicts:
        lines += indent(literal(str(refusal(look, Verdict.OUTPUT)), theme.CARE), width, literal("⚠ "))
    if pair.decision.evidence is not None:
        lines += [Content(""), *_evidence_lines(look, record, width)]
    return [*lines, Content(""), *decision_lines(look.standing, look.entries, pair.subject, record, width)]


def values_in_short(look: Look, width: int) -> list[Content]:
    """Both values in a line each, cut to where they differ; what does not fit ends in «…»."""
    compared = _compared(look, _CONTEXT_IN_SHORT)
    values = look.pair.gold.value, look.pair.output.value
    found = []
    for side, value, pieces in zip(("gold", "output"), values, compared[1], strict=True):
        first, *rest = _value_lines(side, value, pieces, width)
        found.append(join(first, Content("…")).truncate(width, ellipsis=True) if rest else first)
    return found


def chain_lines(
    review: ChainReview, record: AdjudicationRecord, subject: Subject, width: int
) -> list[Content]:
    """One chain: its sources, how it was made, what the gate objects to, what was decided."""
    lines = [*indent(literal(review.chain.field_id, theme.HEADING), width, Content("")), Content("")]
    lines += _chain_facts(review.chain, width)
    lines += [Content(""), tell("disagreements.issues", style=theme.STRONG)]
    for code in review.issues:
        said = literal(messages.text(f"abstraction.issue_{code}"))
        lines += indent(said, width, literal(" ✗ ", theme.BAD))
    if not review.issues:
        lines += indent(tell("disagreements.no_issues"), width, literal(" ✓ ", theme.GOOD))
    return [*lines, Content(""), *decision_lines(review.standing, review.entries, subject, record, width)]


def decision_lines(
    standing: Standing, entries: Iterable[Entry], subject: Subject, record: AdjudicationRecord, width: int
) -> list[Content]:
    """Every decision about it, the latest last, and which of them counts."""
    lines = [tell("disagreements.decisions", style=theme.STRONG)]
    state = messages.text(f"disagreements.state_{standing.state}")
    lines += indent(literal(state), width, join(Content(" "), symbol(standing.state), Content(" ")))
    superseded = {digest for entry in record.entries for digest in entry.previous}
    for entry in entries:
        head = messages.text(
            "disagreements.decision",
            moment=f"{entry.local_time():%Y-%m-%d %H:%M}",
            reviewer=entry.reviewer,
            verdict=messages.text(f"adjudicated.verdict_{entry.verdict}"),
        )
        if entry.subject != subject:
            head += messages.text("disagreements.on_other_content")
        elif entry.digest in superseded:
            head += messages.text("disagreements.superseded")
        lines += indent(literal(head), width, Content("   "))
        if entry.comment:
            comment = literal(entry.comment, theme.QUIET, multiline=True)
            lines += indent(comment, width, Content("     "))
    return lines


def value_kind(value: Scalar) -> str:
    """What a value is, in a word."""
    names = {str: "text", bool: "boolean", int: "integer", float: "decimal", type(None): "nothing"}
    return messages.text(f"disagreements.kind_{names[type(value)]}")


def _compared(look: Look, context: int = CONTEXT) -> tuple[Difference | None, tuple[_Pieces, _Pieces]]:
    """Where the two answers differ, and the pieces of each; nothing where there are no two to compare."""
    pair = look.pair
    if look.item.sort is not Sort.DIFFERENT or is_too_long(pair.output.value):
        return None, (None, None)
    found = difference(written(pair.gold.value), written(pair.output.value), context)
    return found, ((found.left, found.left_cut), (found.right, found.right_cut))


def _value_lines(side: str, value: Scalar, pieces: _Pieces, width: int) -> list[Content]:
    label = tell(f"disagreements.{side}", style=theme.STRONG).truncate(_LABEL_CELLS, pad=True)
    kind = literal(f"  ({value_kind(value)})", theme.QUIET)
    if value is None:
        return indent(tell(f"disagreements.silent_{side}", style=theme.CARE), width, label)
    if is_too_long(value):
        return indent(tell("disagreements.too_long", style=theme.CARE), width, label)
    text = written(value)
    if pieces is None:
        cut = len(text) - _FORM_SHOWN
        shown = join(literal(text[:_FORM_SHOWN]), _left_out(cut))
    else:
        (before, after), parts = pieces[1], pieces[0]
        shown = join(_left_out(before), *(_piece(piece) for piece in parts), _left_out(after))
    if not text.strip():
        kind = join(kind, tell("disagreements.blank", style=theme.CARE))
    return indent(join(shown, kind), width, label)


def _piece(piece: Piece) -> Content:
    if not piece.marked:
        return literal(piece.text)
    return join(
        literal(_MARK[0], theme.CARE), literal(piece.text, "bold underline"), literal(_MARK[1], theme.CARE)
    )


def _left_out(count: int) -> Content:
    return tell("disagreements.left_out", style=theme.QUIET, n=count) if count > 0 else Content("")


def _form_lines(value: Scalar, look: Look, width: int) -> list[Content]:
    """The normalized form; nothing where there is no value."""
    if value is None:
        return []
    label = tell("disagreements.normalized", style=theme.QUIET).truncate(_LABEL_CELLS, pad=True)
    form = None if is_too_long(value) else _form(normalize(value, look.item.field_type))
    if form is None:
        said = tell("disagreements.no_form", style=theme.CARE, kind=look.item.field_type.value)
        return indent(said, width, label)
    text = form if isinstance(form, str) else written(form)
    shown = join(literal(text[:_FORM_SHOWN], theme.QUIET), _left_out(len(text) - _FORM_SHOWN))
    return indent(shown, width, label)


def _form(form: Normal) -> str | bool | None:
    """A normalized form to be read: a number in plain digits unless that would be long."""
    if isinstance(form, Decimal) and -_PLAIN_DIGITS < form.adjusted() < _PLAIN_DIGITS:
        plain_digits = format(form, "f")
        if len(plain_digits) <= 2 * _PLAIN_DIGITS:
            whole = "." in plain_digits
            return plain_digits.rstrip("0").rstrip(".") if whole else plain_digits
    return shown_form(form)


def _difference_lines(look: Look, compared: Difference, width: int) -> list[Content]:
    left, right = look.pair.gold.value, look.pair.output.value
    forms = [
        None if is_too_long(value) else normalize(value, look.item.field_type) for value in (left, right)
    ]
    if type(left) is not type(right) and None in forms:
        kinds = {"left": value_kind(left), "right": value_kind(right)}
        return indent(tell("disagreements.other_kind", style=theme.QUIET, **kinds), width, Content(""))
    if isinstance(forms[0], str) and isinstance(forms[1], str):
        compared = difference(forms[0], forms[1])  # capitals and blanks make no difference to the scorer
    ours, theirs = compared.first
    if ours and theirs:
        fields = {"left": _named(ours), "right": _named(theirs)}
        return indent(tell("disagreements.first", style=theme.QUIET, **fields), width, Content(""))
    return []


def _named(char: str) -> str:
    return f"«{plain(char)}» (U+{ord(char):04X})"


def _evidence_lines(look: Look, record: AdjudicationRecord, width: int) -> list[Content]:
    state = look.pair.decision.evidence
    sign = ("✓", theme.GOOD) if state == "supported" else ("✗", theme.BAD)
    lines = [tell("disagreements.evidence", style=theme.STRONG)]
    said = literal(messages.text(f"disagreements.evidence_{state}"))
    lines += indent(said, width, join(Content(" "), literal(*sign), Content(" ")))
    chain = look.pair.output.evidence_chain
    if chain is not None:
        lines += _chain_facts(chain, width)
        stands = record.in_force((chain_digest(chain),))
        word = "nobody" if stands is None else str(stands.verdict)
        lines += indent(tell(f"disagreements.chain_{word}"), width, Content("   "))
    return lines


def _chain_facts(chain: AbstractionEvidenceChain, width: int) -> list[Content]:
    clinical = sum(place.kind is SourceKind.CLINICAL_RECORD for place in chain.source_locations)
    lines = indent(
        tell(
            "disagreements.chain_facts",
            n=len(chain.source_locations),
            clinical=clinical,
            how=messages.text(f"disagreements.made_by_{chain.transformation_kind.value}"),
            uncertainty=_decimal(chain.uncertainty),
            state=messages.text(f"disagreements.claims_{chain.reviewer_state.value}"),
        ),
        width,
        Content("   "),
    )
    for place in chain.source_locations[:_SOURCES_SHOWN]:
        said = tell(
            f"disagreements.source_{place.kind.value}",
            style=theme.QUIET,
            digest=place.source_digest.removeprefix("sha256:")[:12],
            start=place.start_offset,
            end=place.end_offset,
        )
        lines += indent(said, width, literal("   · "))
    more = len(chain.source_locations) - _SOURCES_SHOWN
    if more > 0:
        lines += indent(tell("disagreements.more_sources", n=more), width, literal("   · "))
    return lines


def _decimal(value: float) -> str:
    return repr(value).replace(".", "," if messages.language() == "es" else ".")
