"""``--comprobar``: every problem of the data set, with line, case, field and what to do.

Somebody who has just merged by hand asks this; a record that git has broken meanwhile is told as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.store import Dataset
from scoring import messages
from scoring.cli import console
from scoring.errors import ExitCode
from scoring.record.audit import record_faults

if TYPE_CHECKING:
    from reviewer.commands.context import Context


def run(context: Context) -> int:
    """Print the problems; 0 when there are none, else 3; 5 when the record alone is broken."""
    dataset = Dataset.open(context.readable)
    problems = dataset.problems
    broken = record_faults(dataset.record)
    if context.options.json:
        found = {
            "archivo": str(dataset.path),
            "problemas": [problem.to_dict() for problem in problems],
            "registro_roto": [problem.to_dict() for problem in broken],
        }
        console.out_json(found)
    elif problems:
        console.out(messages.text("revision.check_bad", path=dataset.path, n=len(problems)))
        for problem in problems:
            console.out(f"  {problem.sentence()}")
    else:
        console.out(messages.text("revision.check_good", path=dataset.path, n=len(dataset.entries)))
    if broken and not context.options.json:
        first = broken[0].sentence()
        console.out(messages.text("revision.check_record", n=len(broken), first=first))
    if problems:
        return int(ExitCode.DATA_INVALID)
    return int(ExitCode.INTEGRITY if broken else ExitCode.OK)
