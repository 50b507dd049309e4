"""The history of a case as lines of text: each decision with who, when, how, why, and what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.changes_view import change_lines
from reviewer.app.reviews import state_sentence
from reviewer.app.text import Content, indent, join, literal, spread, tell
from reviewer.commands.audit import key_words
from reviewer.commands.history import deed, meaning_words, when_words
from reviewer.commands.reviews import opinion_lines
from reviewer.decisions.review import told_of_item
from scoring import messages
from scoring.record import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reviewer.changes import Change
    from reviewer.history import History, HistoryEntry
    from scoring.record.key_checks import KeyCheck

_STYLES = {
    Kind.FIRMA: theme.GOOD,
    Kind.ADOPTA: theme.GOOD,
    Kind.RETIRA: theme.CARE,
    Kind.EDITA: theme.CARE,
    Kind.DEVUELVE: theme.LINK,
}
DIGEST_SHOWN = 12
CHANGES_SHOWN = 40


def history_lines(history: History, keys: Mapping[str, KeyCheck], width: int) -> list[Content]:
    """The whole history, the latest decision last, as it came about.

    Args:
        history: of :func:`reviewer.history.history_of`.
        keys: what is known of the key behind each entry, by digest.
        width: cells.
    """
    say = messages.text
    now = (
        say("history.not_in_data")
        if history.state is None
        else say("history.now", sentence=state_sentence(history.state))
    )
    lines = [
        *indent(tell("history.title", style=theme.HEADING, id=history.case_id), width, Content("")),
        *indent(literal(now), width, Content("")),
    ]
    if not history.record_exists:
        lines += indent(tell("history.no_record"), width, Content(""))
    elif not history.entries and not history.sealed:
        lines += indent(tell("history.nothing"), width, Content(""))
    if history.sealed:
        lines += indent(tell("review.sealed", n=history.sealed), width, Content(""))
    for number, step in enumerate(history.entries, start=1):
        lines += [Content(""), *_step(number, step, keys.get(step.entry.digest), width)]
    if history.moved_since:
        lines += [Content(""), *indent(tell("history.moved_since", style=theme.BAD), width, Content(""))]
        lines += change_lines(history.changes_since, width, CHANGES_SHOWN)
    for problem in (*history.breaks, *history.notices):
        told = tell("history.record_line", style=theme.BAD, sentence=problem.sentence())
        lines += [Content(""), *indent(told, width, Content(""))]
    if history.breaks:
        lines += indent(tell("history.may_be_missing", style=theme.BAD), width, Content(""))
    return lines


def _step(number: int, step: HistoryEntry, key: KeyCheck | None, width: int) -> list[Content]:
    say, entry, item = messages.text, step.entry, step.item
    said = say(f"history.did_{deed(step)}", number=number, when=when_words(step), who=entry.reviewer or "?")
    force = tell("history.in_force", style=theme.KEY) if step.in_force else Content("")
    head = literal(said, f"bold {_STYLES.get(entry.kind, '')}".strip())
    fits = head.cell_length + force.cell_length < width
    lines = (
        [spread(head, force, width)]
        if fits
        else [*indent(join(head, Content(" "), force), width, Content(""))]
    )
    facts = [key_words(step.trust, key)]
    if entry.meaning:
        facts.append(say("history.meaning", meaning=meaning_words(entry.meaning)))
    if entry.role:
        facts.append(say("history.role", role=entry.role))
    if entry.way:
        facts.append(say(f"history.way_{entry.way}") if entry.way in {"app", "cli"} else entry.way)
    margin = Content("   ")
    if step.clock_back:
        lines += indent(tell("history.clock_back", style=theme.CARE), width, margin)
    lines += indent(literal(" · ".join(facts), theme.QUIET), width, margin)
    if entry.reason:
        why = literal(say("history.reason", reason="")).plain
        lines += indent(join(literal(why, theme.QUIET), literal(entry.reason, multiline=True)), width, margin)
    if item.before is not None and item.before != item.after:
        digests = tell(
            "history.content_changed",
            style=theme.QUIET,
            before=item.before[:DIGEST_SHOWN],
            after=item.after[:DIGEST_SHOWN],
        )
    else:
        digests = tell("history.content", style=theme.QUIET, digest=item.after[:DIGEST_SHOWN])
    lines += indent(digests, width, margin)
    if item.opinion is not None:
        for told in opinion_lines(told_of_item(entry, item)):
            lines += indent(literal(told, theme.QUIET), width, margin)
    if step.moved_before:
        lines += indent(tell("history.moved_before", style=theme.CARE), width, margin)
        lines += _fields(step.moved, width)
    if step.moved and step.changes:
        lines += indent(tell("history.changed_then", style=theme.QUIET), width, margin)
    return [*lines, *_fields(step.changes, width)]


def _fields(changes: Sequence[Change], width: int) -> list[Content]:
    return [join(Content("  "), line) for line in change_lines(changes, width - 2, CHANGES_SHOWN)]
