"""Workflow commands of GitHub Actions: an error per unmet threshold, what changed, a warning per caution."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING

from scoring import messages
from scoring.clinical.compare_text import verdict as compared
from scoring.clinical.comparison import Change
from scoring.clinical.gate import Verdict
from scoring.clinical.render import each_aside_line, verdict_lines
from scoring.plain import plain

if TYPE_CHECKING:
    from scoring.clinical.report import GateReport

_AT_MOST = 10
"""GitHub shows ten annotations of a kind per step; the rest stands in the summary."""


def workflow_commands(report: GateReport) -> str:
    """``report`` as workflow commands, one per line, the verdict first."""
    title = messages.text("formats.title", split=report.split)
    verdict = " ".join(line.strip() for line in verdict_lines(report))
    kind = "notice" if report.verdict in {Verdict.PASSES, Verdict.SIMULATED} else "error"
    said = [_command(kind, title, verdict)]
    if report.verdict is Verdict.FAILS:
        said += [_command("error", title, line) for line in report.failures[: _AT_MOST - 1]]
    if report.comparison is not None:
        worse = report.comparison.change is Change.WORSE
        said.append(_command("warning" if worse else "notice", title, compared(report.comparison)))
    cautions = chain(each_aside_line(report), (one.sentence() for one in report.advice))
    said += [_command("warning", title, line) for line in islice(cautions, _AT_MOST - 1)]
    return "\n".join(said) + "\n"


def _command(kind: str, title: str, message: str) -> str:
    """One command; a line break or a per cent sign in data cannot begin another."""
    body = _escape(plain(message))
    heading = _escape(plain(title)).replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={heading}::{body}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
