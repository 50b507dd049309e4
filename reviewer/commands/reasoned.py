"""``--retirar`` and ``--devolver``: withdraw signatures or send cases back, with a reason, all or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.commands.deciding import carry_out, draft_of, reviewer_of, signer_of
from reviewer.commands.status import print_status
from reviewer.signing import Return, Withdraw, check_reason
from reviewer.status import status_of
from reviewer.store import Dataset
from scoring import messages
from scoring.cli import console
from scoring.errors import ExitCode
from scoring.record import Status

if TYPE_CHECKING:
    from reviewer.commands.context import Context


def run(context: Context) -> int:
    """Decide, say what was decided, and show the counts.

    Raises:
        ProductError: whatever is refused; nothing was written then.
    """
    options = context.options
    dataset = Dataset.open(context.working())
    reviewer = reviewer_of(context, dataset)
    reason = check_reason(options.motivo or "")
    withdraws = options.retirar is not None
    ids = tuple(options.retirar if withdraws else options.devolver)
    order: type[Withdraw | Return] = Withdraw if withdraws else Return
    decision = order(ids, reviewer, reason, way="cli", signer=signer_of(context))
    applied = carry_out(dataset, decision, draft_of(decision.kind, reviewer, reason=reason), ids)
    said = "deciding.withdrawn" if withdraws else "deciding.returned"
    for case_id in applied.signed:
        before = dataset.states[case_id]
        waiting = before.reviews if before.status is not Status.FIRMADO else 0
        bare = waiting and withdraws and not dataset.entry(case_id).case.validado
        key = "deciding.review_withdrawn" if bare else said
        console.out(messages.text(key, id=case_id, reviewer=reviewer, why=reason))
        if waiting:
            console.out(messages.text("deciding.reviews_voided", id=case_id, n=waiting))
    console.out()
    print_status(status_of(applied.dataset))
    return int(ExitCode.OK)
