"""``--validar``: sign cases by their ids, all or none."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.commands.status import print_status
from reviewer.keys import find_signer
from reviewer.signing import Sign, check_reviewer
from reviewer.status import status_of
from reviewer.store import Dataset
from scoring import messages
from scoring.cli import console
from scoring.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from reviewer.commands.context import Context


def run(context: Context) -> int:
    """Sign, say what was signed, and show the counts.

    Raises:
        ProductError: whatever the store refuses; nothing was written then.
    """
    options = context.options
    if options.revisor is None:
        raise UsageError("revision.no_reviewer")
    reviewer = check_reviewer(options.revisor)
    decision = Sign(
        ids=tuple(options.validar),
        reviewer=reviewer,
        resign=options.refirmar,
        way="cli",
        signer=find_signer(options.clave, os.environ, Path.cwd()),
    )
    applied = Dataset.open(context.working()).apply(decision)
    trust = messages.text("keys.by_name" if decision.signer is None else "keys.by_key")
    for case_id in applied.signed:
        state = applied.dataset.states[case_id]
        said = messages.text(
            "revision.signed", id=case_id, reviewer=state.reviewer or "", date=state.date or "", trust=trust
        )
        console.out(said)
    for notice in applied.notices:
        console.talk(notice.sentence())
    console.out()
    print_status(status_of(applied.dataset))
    return int(ExitCode.OK)
