"""``--hoja``: the pending cases, or the returned ones, as a Markdown paper."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.commands.status import tell_problems
from reviewer.export.markdown import sheets_markdown, write_sheet
from reviewer.review_queue import Filter, Queue
from reviewer.sheet import build_sheet
from reviewer.status import status_of
from reviewer.store import Dataset
from scoring import messages
from scoring.cli import console
from scoring.errors import ExitCode, UsageError
from scoring.files import is_stream, resolve
from scoring.record.paths import companions

if TYPE_CHECKING:
    from reviewer.commands.context import Context

DEFAULT_NAME = "revision_pendiente.md"
RETURNED_NAME = "revision_devueltos.md"
BESIDE_THE_DATA = Path()
"""What ``--hoja`` without a file stands for."""


def run(context: Context) -> int:
    """Write the paper; 3 when the data have problems, though the paper is written.

    Raises:
        UsageError: the paper would take the place of the data set or of a file that belongs to it.
        ConflictError: somebody wrote on the paper that is there.
        WriteError: the disk refused it.
    """
    path = context.working()
    dataset = Dataset.open(path)
    returned = context.options.devueltos
    wanted_cases = Queue(dataset.entries).view(Filter.RETURNED if returned else Filter.PENDING)
    text = sheets_markdown(
        [build_sheet(dataset.entries[item.position]) for item in wanted_cases],
        total=len(dataset.entries),
        today=date.today(),  # noqa: DTZ011 - the day on the reader's wall
        source=str(path),
        label=messages.text("clinical.demo_label") if dataset.synthetic else None,
        command=None if returned else context.command,
    )
    wanted = context.options.hoja
    target = (
        path.with_name(RETURNED_NAME if returned else DEFAULT_NAME) if wanted == BESIDE_THE_DATA else wanted
    )
    _require_no_data(target, path)
    write_sheet(target, text, force=context.options.forzar)
    said = "hoja.written_returned" if returned else "revision.paper_written"
    # On stdout this sentence would stand in the paper.
    tell = console.talk if is_stream(target) else console.out
    tell(messages.text(said, path=target, n=len(wanted_cases)))
    report = status_of(dataset)
    tell_problems(report)
    return int(ExitCode.DATA_INVALID if report.problems else ExitCode.OK)


def _require_no_data(target: Path, data: Path) -> None:
    """Not even ``--forzar`` writes a paper over the cases or a file kept beside them."""
    if resolve(target) in {resolve(data), *companions(data)}:
        raise UsageError("hoja.is_data", path=target)
