"""``--estado``: the counts and the integrity line; also what a call without a terminal shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.decisions.common import listed
from reviewer.drafts import Drafts
from reviewer.status import StatusReport, status_lines, status_of
from reviewer.store import Dataset
from scoring import messages
from scoring.cli import console
from scoring.plain import plain

if TYPE_CHECKING:
    from reviewer.commands.context import Context


def run(context: Context) -> int:
    """Print the status; 0, 3 with problems in the data, 5 with a broken record or a mismatch."""
    dataset = Dataset.open(context.readable)
    report = status_of(dataset)
    if context.options.json:
        console.out_json(report.to_dict())
        return int(report.exit_code)
    print_status(report)
    tell_problems(report)
    waiting = Drafts(dataset.path).waiting()
    if waiting:
        console.talk(messages.text("deciding.drafts_waiting", n=len(waiting), ids=listed(waiting)))
    return int(report.exit_code)


def run_without_terminal(context: Context) -> int:
    """Print the status and how to open the app."""
    code = run(context)
    console.out()
    console.out(messages.text("revision.how_to_open", command=context.command))
    return code


def print_status(report: StatusReport) -> None:
    """The counts on stdout, made safe to show."""
    for line in status_lines(report):
        console.out(plain(line))


def tell_problems(report: StatusReport) -> None:
    """The problems of the data on stderr, at most twenty of them."""
    if not report.problems:
        return
    console.talk(messages.text("revision.problems", n=len(report.problems)))
    for problem in report.problems[: console.MAX_PROBLEMS_SHOWN]:
        console.talk(f"  {problem.sentence()}")
    rest = len(report.problems) - console.MAX_PROBLEMS_SHOWN
    if rest > 0:
        console.talk("  " + messages.text("cli.more_problems", n=rest))
