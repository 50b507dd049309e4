"""``--comprobar``: every problem of the data set, with line, case, field and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.store import Dataset
from scoring import messages
from scoring.cli import console
from scoring.errors import ExitCode

if TYPE_CHECKING:
    from reviewer.commands.context import Context


def run(context: Context) -> int:
    """Print the problems; 0 when there are none, else 3."""
    dataset = Dataset.open(context.readable)
    problems = dataset.problems
    if context.options.json:
        found = {"archivo": str(dataset.path), "problemas": [problem.to_dict() for problem in problems]}
        console.out_json(found)
    elif problems:
        console.out(messages.text("revision.check_bad", path=dataset.path, n=len(problems)))
        for problem in problems:
            console.out(f"  {problem.sentence()}")
    else:
        console.out(messages.text("revision.check_good", path=dataset.path, n=len(dataset.entries)))
    return int(ExitCode.DATA_INVALID if problems else ExitCode.OK)
