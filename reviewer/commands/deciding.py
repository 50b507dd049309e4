"""What the orders that decide have in common: who decides, and that nothing typed is lost by a refusal."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.decisions.common import listed
from reviewer.drafts import Draft, Drafts
from reviewer.keys import Announced, Occasion, find_signer, find_signers, stranger_notice
from reviewer.names import require_clear_name
from reviewer.signing import check_reviewer
from reviewer.store.lock import WAIT_SECONDS
from scoring import messages
from scoring.cli import console
from scoring.errors import ConflictError, ProductError, UsageError, WriteError
from scoring.people import person_key
from scoring.plain import plain

if TYPE_CHECKING:
    from reviewer.commands.context import Context
    from reviewer.store import Applied, Dataset, Decision
    from reviewer.store.plan import Signer
    from scoring.record import Kind
    from scoring.record.opinion import Opinion

# After these the decision stands in the record; it must not be offered again.
_STANDS = frozenset({"store.half_saved", "store.unsure", "store.saved_unread"})
# The data could not be read in mid-save, so nothing was saved.
_UNREAD = frozenset({"jsonl.file_unreadable", "jsonl.file_missing"})
_TAKEN = frozenset({"store.locked", "store.locked_by"})
_PATIENCE_SECONDS = 1.0


def reviewer_of(context: Context, dataset: Dataset) -> str:
    """Who decides: ``--revisor``, checked, and not a name that only looks like a known one.

    Raises:
        UsageError: see above.
    """
    if context.options.revisor is None:
        raise UsageError("revision.no_reviewer")
    reviewer = check_reviewer(context.options.revisor)
    require_clear_name(reviewer, dataset, confirmed=context.options.nombre_nuevo)
    return reviewer


def signer_of(context: Context, steps: int = 1) -> Signer | None:
    """The key that signs, if one was named by option, environment or setting.

    Args:
        context: the order.
        steps: how many decisions the order is known to come to, 1 to 3; each is signed by itself.
    """
    signer = find_signer(context.options.clave, os.environ, Path.cwd())
    return None if signer is None else Announced(signer, partial(_announce, signer.path, steps))


def _announce(path: Path, steps: int, occasion: Occasion) -> None:
    """``ssh-keygen`` asks for itself; what is not clear from its words is said before."""
    if occasion is not Occasion.FIRST:
        console.talk(messages.text(f"deciding.key_{occasion}", path=path))
    elif steps > 1:
        load = f"ssh-add -t 5m {shlex.quote(str(path))}"
        console.talk(messages.text(f"deciding.key_steps_{steps}", path=path, load=load))


def carry_out(dataset: Dataset, decision: Decision, draft: Draft | None, ids: tuple[str, ...]) -> Applied:
    """Apply a decision; refused by the disk or by somebody else's save, it is kept as a draft.

    Args:
        dataset: as it was read.
        decision: what was decided.
        draft: what to keep of it, without case and line, which are filled in for each of ``ids``; None
            for what can simply be ordered again.
        ids: the cases.

    Raises:
        ProductError: as the store refused it; the person has been told about the draft.
    """
    drafts = Drafts(dataset.path)
    try:
        applied = _apply(dataset, decision)
    except (WriteError, ConflictError, UsageError) as error:
        if draft is not None and lost(error):
            _keep(drafts, dataset, draft, ids, error)
        raise
    if draft is not None:
        console.carried_out(messages.text("deciding.stands", ids=listed(ids)))
        for case_id in applied.signed:
            _forget(drafts, case_id, draft)
    for notice in applied.notices:
        console.talk(notice.sentence())
    _tell_of_key(applied)
    return applied


def _tell_of_key(applied: Applied) -> None:
    """A key that is not the person's breaks the audit; they should hear it now, not from CI."""
    try:
        signers = find_signers(None, os.environ, Path.cwd(), applied.dataset.path)
        said = stranger_notice(applied.dataset.record.by_digest[applied.transaction], signers)
    except ProductError:
        return  # the decision is saved; whose keys are whose is for the audit to say
    if said:
        console.talk(plain(said))


def _apply(dataset: Dataset, decision: Decision) -> Applied:
    """Apply it; who has to be waited for is told before the wait gets long."""
    if getattr(decision, "signer", None) is not None:
        # A key would be asked twice.
        return dataset.apply(decision)
    try:
        return dataset.apply(decision, wait=_PATIENCE_SECONDS)
    except ConflictError as error:
        if error.key not in _TAKEN:
            raise
        who = str(error.fields.get("reviewer") or messages.text("deciding.somebody"))
        console.talk(messages.text("deciding.waiting", who=who, n=round(WAIT_SECONDS)))
    return dataset.apply(decision, wait=WAIT_SECONDS)


def draft_of(
    kind: Kind,
    reviewer: str,
    *,
    reason: str = "",
    resign: bool = False,
    opinion: Opinion | None = None,
    adjudicates: bool = False,
) -> Draft:
    """What a refused decision leaves, still without its case."""
    decided = None if opinion is None else opinion.to_dict()
    return Draft("", kind, reviewer, reason, resign=resign, opinion=decided, adjudicates=adjudicates)


def lost(error: ProductError) -> bool:
    """Whether a refused decision is worth keeping: it is not in the data, and was not wrong by itself."""
    if isinstance(error, WriteError):
        return error.key not in _STANDS
    if isinstance(error, UsageError):
        return error.key in _UNREAD
    return error.key.startswith("store.") or error.key in {
        "signing.changed_since_read",
        "record.never_still",
    }


def _keep(drafts: Drafts, dataset: Dataset, draft: Draft, ids: tuple[str, ...], error: ProductError) -> None:
    lines = {entry.id: entry.raw for entry in dataset.entries}
    try:
        for case_id in ids:
            _forget(drafts, case_id, draft)
            line = lines.get(case_id, b"").decode("utf-8", "replace")
            drafts.save(replace(draft, case_id=case_id, line=line, refused=str(error)))
    except WriteError as second:
        console.talk(messages.text("deciding.draft_not_kept", why=str(second)))
    else:
        console.talk(messages.text("deciding.draft_kept", ids=listed(ids)))
    finally:
        drafts.close()


def _forget(drafts: Drafts, case_id: str, draft: Draft) -> None:
    """Forget what the same person was refused before about the case, if it is that kind of decision."""
    mine = person_key(draft.reviewer or "")
    for kept in drafts.all().drafts:
        same = kept.case_id == case_id and kept.kind is draft.kind and kept.edit is None
        if same and kept.refused and person_key(kept.reviewer or "") == mine:
            drafts.discard(case_id, kept.slot)
