"""``--fusionar BASE A B``: two versions of a data set made one, case by case; git's merge driver."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.merging import merge
from scoring import messages
from scoring.cli import console
from scoring.errors import ConflictError, ExitCode, UsageError
from scoring.files import atomic_write
from scoring.jsonl import read_bytes
from scoring.record.paths import RECORD_END

if TYPE_CHECKING:
    from reviewer.commands.context import Context

MAX_CONFLICTS_SHOWN = 20
MAX_IDS_SHOWN = 5


def run(context: Context) -> int:
    """Leave the merged file in A; 0, or 6 with conflicts, which stand in A between markers.

    Raises:
        UsageError: one of the three cannot be read, or is a record.
        ConflictError: somebody wrote A meanwhile; it stands as they left it.
        WriteError: A could not be written; it stands as it was.
    """
    base, ours, theirs = (Path(name) for name in context.options.fusionar)
    # git gives the versions names of its own; --casos says which file they are versions of.
    shown = context.options.casos or ours
    for path in (shown, ours):
        if path.name.endswith(RECORD_END):
            raise UsageError("merge.is_a_record", path=path)
    before = read_bytes(ours)
    merged = merge(read_bytes(base), before, read_bytes(theirs))
    if merged.data != before:
        if read_bytes(ours) != before:
            raise ConflictError("store.changed_meanwhile", path=ours)
        atomic_write(ours, merged.data)
    for conflict in merged.conflicts[:MAX_CONFLICTS_SHOWN]:
        console.talk(conflict.sentence(shown))
    rest = len(merged.conflicts) - MAX_CONFLICTS_SHOWN
    if rest > 0:
        console.talk(messages.text("cli.more_problems", n=rest))
    if merged.broken:
        console.talk(messages.text("merge.broken_kept", path=shown, n=merged.broken))
    if merged.repeated:
        ids = ", ".join(merged.repeated[:MAX_IDS_SHOWN])
        console.talk(messages.text("merge.repeated_kept", path=shown, ids=ids))
    if merged.conflicts:
        console.talk(messages.text("merge.left_in_file", path=shown, n=len(merged.conflicts)))
        return int(ExitCode.CONFLICT)
    console.out(messages.text("merge.merged", path=shown, n=merged.cases))
    return int(ExitCode.OK)
