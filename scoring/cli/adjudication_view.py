"""Adjudications as text for people: counts, figures side by side, an audit. No case id, no value."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from scoring import messages
from scoring.abstraction.report import METRICS
from scoring.adjudication.chains import chain_counts
from scoring.adjudication.entries import ROW_VERDICTS, Verdict
from scoring.adjudication.standing import State
from scoring.cli.abstraction_view import decimal_text, metric_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scoring.abstraction.report import AbstractionMetric
    from scoring.adjudication.audit import RecordAudit
    from scoring.adjudication.chains import ChainReview
    from scoring.adjudication.correction import Correction
    from scoring.adjudication.figures import Figures


def figures_lines(found: Figures, gone: int) -> Iterator[str]:
    """How much was adjudicated, in which way, and the overall figures beside those of the gold as it is."""
    say = messages.text
    decided = found.states[State.DECIDED]
    yield say("adjudicated.title")
    yield say(
        "adjudicated.counted",
        n=found.disagreements,
        decided=decided,
        undecided=found.disagreements - decided,
    )
    for verdict in ROW_VERDICTS:
        yield say("adjudicated.line", name=verdict_name(verdict), count=found.by_verdict[verdict])
    yield from states_lines(found.states, gone)
    width = max(len(metric_name(name)) for name in METRICS)
    for name in METRICS:
        given, after = found.given.overall.metric(name), found.adjudicated.overall.metric(name)
        yield say(
            "adjudicated.beside",
            metric=f"{metric_name(name):<{width}}",
            given=_rate(given),
            adjudicated=_rate(after),
        )
    if found.changed:
        yield say("adjudicated.changed", n=found.changed)
    if found.both:
        metric = found.adjudicated.overall.normalized_agreement
        rate = Fraction(metric.success_count + found.both, metric.total_count)
        yield say(
            "adjudicated.both",
            n=found.both,
            metric=metric_name("normalized_agreement"),
            rate=f"{decimal_text(rate)} ({metric.success_count + found.both}/{metric.total_count})",
        )


def states_lines(states: Mapping[State, int], gone: int) -> Iterator[str]:
    """What was decided and does not count, each with its reason."""
    for state, key in (
        (State.EXPIRED, "expired"),
        (State.CONFLICT, "conflicts"),
        (State.IMPOSSIBLE, "impossible"),
    ):
        if states[state]:
            yield messages.text(f"adjudicated.{key}", n=states[state])
    if gone:
        yield messages.text("adjudicated.gone", n=gone)


def chains_lines(found: Sequence[ChainReview]) -> Iterator[str]:
    """What the record says of the chains, and by name those that were rejected or do not count."""
    counts = chain_counts(found)
    yield messages.text(
        "adjudicated.chains",
        approved=counts[Verdict.APPROVE],
        rejected=counts[Verdict.REJECT],
        expired=counts[State.EXPIRED],
        conflict=counts[State.CONFLICT],
        undecided=counts[State.UNDECIDED],
    )
    for review in found:
        standing = review.standing
        if standing.state is State.CONFLICT:
            yield messages.text("adjudicated.chain_conflict", name=review.chain.field_id)
        elif standing.entry is not None and (
            standing.state is State.EXPIRED or standing.verdict is Verdict.REJECT
        ):
            key = "chain_expired" if standing.state is State.EXPIRED else "chain_rejected"
            yield messages.text(
                f"adjudicated.{key}",
                name=review.chain.field_id,
                reviewer=standing.entry.reviewer,
                date=standing.entry.local_time().date().isoformat(),
            )


def correction_lines(found: Correction) -> Iterator[str]:
    """Which lines changed, by field."""
    for name, numbers in found.lines.items():
        key = "corrected_line" if len(numbers) == 1 else "corrected_lines"
        yield messages.text(f"adjudicated.{key}", name=name, lines=", ".join(map(str, numbers)))
    if found.kept:
        yield messages.text("adjudicated.corrected_kept", n=found.kept)


def audit_lines(found: RecordAudit, path: object, rows: Mapping[State, int] | None) -> Iterator[str]:
    """The whole audit."""
    say = messages.text
    if not found.exists and not found.breaks:
        yield say("adjudicated.audit_none", path=path)
        return
    yield say("adjudicated.audit_record", path=path)
    if found.breaks:
        yield say("adjudicated.audit_broken", n=len(found.breaks))
        yield from (f"  {problem.sentence()}" for problem in found.breaks)
    else:
        yield say("adjudicated.audit_whole", n=found.entries)
    if found.notices:
        yield ""
        yield say("adjudicated.audit_notices")
        yield from (f"  {problem.sentence()}" for problem in found.notices)
    if found.people and not found.breaks:
        yield ""
        yield say("adjudicated.audit_people")
        for name, count in found.people.items():
            yield say("adjudicated.line", name=name, count=count)
    if not found.breaks and (any(found.in_force.values()) or found.conflicts):
        yield ""
        yield say("adjudicated.audit_force")
        for verdict, count in found.in_force.items():
            if count:
                yield say("adjudicated.line", name=verdict_name(verdict), count=count)
        if found.conflicts:
            yield say("adjudicated.line", name=state_name(State.CONFLICT), count=found.conflicts)
    if rows is not None:
        yield ""
        yield say("adjudicated.audit_rows", **rows_fields(rows))
    if found.breaks:
        yield ""
        yield say("adjudicated.audit_tips_broken")
    elif found.tips:
        yield ""
        yield say("adjudicated.audit_tips")
        yield from (f"  {tip}" for tip in found.tips)


def rows_fields(states: Mapping[State, int]) -> dict[str, int]:
    """The fields of a sentence about how the rows stand."""
    return {
        "n": sum(states.values()),
        "decided": states[State.DECIDED],
        "expired": states[State.EXPIRED],
        "conflict": states[State.CONFLICT],
        "impossible": states[State.IMPOSSIBLE],
        "undecided": states[State.UNDECIDED],
    }


def verdict_name(verdict: Verdict) -> str:
    """What people call a verdict."""
    return messages.text(f"adjudicated.verdict_{verdict}")


def state_name(state: State) -> str:
    """What people call a state."""
    return messages.text(f"adjudicated.state_{state}")


def _rate(metric: AbstractionMetric) -> str:
    if not metric.total_count:
        return messages.text("abstraction.no_trials")
    rate = Fraction(metric.success_count, metric.total_count)
    return f"{decimal_text(rate)} ({metric.success_count}/{metric.total_count})"
