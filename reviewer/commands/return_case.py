"""``--devolver``: send pending cases back to their author, with a reason, all or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.commands.deciding import carry_out, draft_of, reviewer_of, signer_of
from reviewer.commands.status import print_status
from reviewer.signing import Return, check_reason
from reviewer.status import status_of
from reviewer.store import Dataset
from scoring import messages
from scoring.cli import console
from scoring.errors import ExitCode
from scoring.record import Kind

if TYPE_CHECKING:
    from reviewer.commands.context import Context


def run(context: Context) -> int:
    """Return, say what was returned, and show the counts.

    Raises:
        ProductError: whatever is refused; nothing was written then.
    """
    dataset = Dataset.open(context.working())
    reviewer = reviewer_of(context, dataset)
    reason = check_reason(context.options.motivo or "")
    ids = tuple(context.options.devolver)
    decision = Return(ids, reviewer, reason, way="cli", signer=signer_of(context))
    applied = carry_out(dataset, decision, draft_of(Kind.DEVUELVE, reviewer, reason=reason), ids)
    for case_id in applied.signed:
        console.out(messages.text("deciding.returned", id=case_id, reviewer=reviewer, why=reason))
    console.out()
    print_status(status_of(applied.dataset))
    return int(ExitCode.OK)
