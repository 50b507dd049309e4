"""A comparison of two runs as text for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring import messages
from scoring.clinical.comparison import Change
from scoring.clinical.judged import NO_JUDGE
from scoring.clinical.score import COVERAGE
from scoring.plain import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scoring.clinical.comparison import Comparison


def _gathered(what: Sequence[str]) -> str:
    """The metrics that changed, the findings of the coverage together behind its name."""
    findings = [one.removeprefix(f"{COVERAGE}: ") for one in what if one.startswith(f"{COVERAGE}: ")]
    said: list[str] = []
    for one in what:
        name = f"{COVERAGE} ({', '.join(findings)})" if one.startswith(f"{COVERAGE}: ") else one
        said += [] if name in said else [name]
    return ", ".join(said)


def verdict(comparison: Comparison, name: Callable[[str], str] = str) -> str:
    """The sentence over the whole: what is worse by its name, new faults of a patient first.

    ``name`` turns the key of a metric into what the reader calls it.
    """
    say = messages.text
    faults = comparison.new_faults
    reasons = [say(f"compare.new_{metric}", n=n) for metric, n in faults.items()]
    if comparison.change is not Change.WORSE:
        said = say(f"compare.verdict_{comparison.change}")
        return said + (" " + say("compare.even_so", reasons="; ".join(reasons)) if reasons else "")
    worse = [one for one in comparison.metrics if one.change is Change.WORSE]
    if any(one.better for one in worse if one.metric in faults):
        reasons.append(say("compare.not_offset"))
    figures = [name(one.metric) for one in worse if one.metric not in faults]
    if figures:
        reasons.append(say("compare.worse_figures", n=len(figures), names=", ".join(figures)))
    return say("compare.verdict_peor", reasons="; ".join(reasons))


def judges_sentence(then: str, now: str) -> str:
    """Why the figures of the judges of two runs are not compared."""
    then, now = plain(then), plain(now)
    if NO_JUDGE in {then, now}:
        return messages.text("compare.one_judge", name=now if then == NO_JUDGE else then)
    if then == now:
        return messages.text("compare.other_rubric", name=now)
    return messages.text("compare.other_judge", old=then, new=now)


def lines(comparison: Comparison) -> list[str]:
    """The comparison as text for a person."""
    say = messages.text
    said = [say("compare.title", name=comparison.old_generator, date=comparison.old_date or "-")]
    if comparison.same_outputs:
        said.append("  " + say("compare.same_outputs"))
    if comparison.other_thresholds:
        names = ", ".join(comparison.other_thresholds)
        said.append("  " + say("compare.other_thresholds", names=names))
    if comparison.judges is not None:
        said.append("  " + judges_sentence(*comparison.judges))
    if comparison.paired:
        said.append("  " + say("compare.paired", n=comparison.paired))
    for key, ids in (("only_old", comparison.only_old), ("only_new", comparison.only_new)):
        if ids:
            said.append("  " + say(f"compare.{key}", n=len(ids), ids=", ".join(ids)))
    width = max([25, *(len(one.metric) + 1 for one in comparison.metrics)])
    for one in comparison.metrics:
        shape = ".0f" if one.is_count else ".2f"
        old = "-" if one.old is None else f"{one.old:{shape}}"
        new = "-" if one.new is None else f"{one.new:{shape}}"
        gap = one.difference
        sure = f"{gap.value:+.2f} [{gap.low:+.2f}, {gap.high:+.2f}]" if gap is not None else "-"
        p = "" if one.p is None else f"p={one.p:.3f}"
        word = say(f"compare.{one.change}")
        said.append(f"  {one.metric:<{width}}{old:>5} -> {new:<5} {sure:<24} {p:<9}{word}".rstrip())
    for key, pick in (("broken", "lost"), ("mended", "gained")):
        changed = [(one.case_id, getattr(one, pick)) for one in comparison.cases if getattr(one, pick)]
        if changed:
            said.append("  " + say(f"compare.{key}", n=len(changed)))
            said += [f"    {plain(case_id)}: {plain(_gathered(what))}" for case_id, what in changed]
    said.append("  " + verdict(comparison))
    return said
