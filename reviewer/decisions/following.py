"""What a review leads to by itself: the correction that was decided, and then the signature of the case.

Both are decisions of their own, whole by themselves, under the name of one of those who decided. The command
line and the app take them in the same order; what is interrupted in between is taken up again later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.decisions.edit import Edit
from reviewer.decisions.review import correction_of, round_of
from reviewer.decisions.sign import Sign
from scoring import messages
from scoring.people import person_key
from scoring.record import Status
from scoring.record.reviews import Stage

if TYPE_CHECKING:
    from reviewer.store import Dataset
    from reviewer.store.plan import Signer

STEPS = 2
"""A decided case is at most this many steps from its signature."""


def decided_correction(
    dataset: Dataset, case_id: str, reviewer: str, *, way: str = "app", signer: Signer | None = None
) -> Edit | None:
    """The correction that the reviews of a case ask for; None when it asks for none, or not ``reviewer``.

    Args:
        dataset: as read.
        case_id: the case; one that is not there asks for nothing.
        reviewer: has to be one of those who decided it.
        way: ``app`` or ``cli``.
        signer: the person's key; None for a decision by name.
    """
    if not _may_conclude(dataset, case_id, reviewer, Stage.CORRECT):
        return None
    row = dataset.entry(case_id).row
    names = ", ".join(sorted({one.name for one in round_of(row, dataset.snapshot).supporters}))
    return Edit(
        case_id,
        correction_of(row, dataset.snapshot),
        reviewer,
        messages.text("review.edit_reason", names=names),
        way=way,
        expected={case_id: row.row.line.raw},
        signer=signer,
    )


def next_step(
    dataset: Dataset,
    case_id: str,
    reviewer: str,
    *,
    way: str = "app",
    signer: Signer | None = None,
    apart: bool = False,
) -> Edit | Sign | None:
    """The next decision that follows by itself; None when the case is signed, or waits for somebody else.

    The arguments are those of :func:`decided_correction`; ``apart``: the person is not the colleague whose
    name theirs looks like.
    """
    correction = decided_correction(dataset, case_id, reviewer, way=way, signer=signer)
    if correction is not None:
        return correction
    if not _may_conclude(dataset, case_id, reviewer, Stage.CLOSE):
        return None
    return Sign((case_id,), reviewer, way=way, signer=signer, apart=apart)


def _may_conclude(dataset: Dataset, case_id: str, reviewer: str, stage: Stage) -> bool:
    state = dataset.states.get(case_id)
    if state is None or state.stage is not stage or state.status is not Status.PENDIENTE:
        return False
    supporters = round_of(dataset.entry(case_id).row, dataset.snapshot).supporters
    return person_key(reviewer) in {one.person for one in supporters}
