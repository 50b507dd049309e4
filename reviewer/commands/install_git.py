"""``--instalar-git``: the repository of the data merges cases by id and joins records of signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.merging import install
from reviewer.store import require_data_file
from scoring import messages
from scoring.cli import console
from scoring.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from reviewer.commands.context import Context


def run(context: Context) -> int:
    """Prepare the repository and say what was done; a second time it changes nothing.

    Raises:
        ProductError: see :func:`reviewer.merging.install`.
    """
    if not context.source.named:
        raise UsageError("merge.name_the_cases")
    path = context.source.path
    require_data_file(path)
    for step in install(path):
        console.out(step.sentence())
    console.out(messages.text("merge.ready"))
    return int(ExitCode.OK)
