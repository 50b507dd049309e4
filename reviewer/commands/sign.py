"""``--validar``: sign cases by their ids, all or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.commands.deciding import carry_out, draft_of, reviewer_of, signer_of
from reviewer.commands.status import print_status
from reviewer.signing import Sign
from reviewer.status import status_of
from reviewer.store import Dataset
from scoring import messages
from scoring.cli import console
from scoring.errors import ExitCode, UsageError
from scoring.record import Kind

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
    dataset = Dataset.open(context.working())
    reviewer = reviewer_of(context, dataset)
    ids = tuple(options.validar)
    decision = Sign(ids, reviewer, resign=options.refirmar, way="cli", signer=signer_of(context))
    draft = draft_of(Kind.FIRMA, reviewer, resign=options.refirmar)
    applied = carry_out(dataset, decision, draft, ids)
    trust = messages.text("keys.by_name" if decision.signer is None else "keys.by_key")
    for case_id in applied.signed:
        state = applied.dataset.states[case_id]
        said = messages.text(
            "revision.signed", id=case_id, reviewer=state.reviewer or "", date=state.date or "", trust=trust
        )
        console.out(said)
    console.out()
    print_status(status_of(applied.dataset))
    return int(ExitCode.OK)
