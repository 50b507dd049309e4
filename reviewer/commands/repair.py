"""``--reparar``: mismatches explained and settled, one by one; nothing is done that nobody confirmed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from reviewer.commands.deciding import carry_out, draft_of, reviewer_of, signer_of
from reviewer.decisions.settle import NOTE, FollowRecord
from reviewer.export.markdown import case_markdown
from reviewer.names import require_clear_name
from reviewer.repair import Way, decision_for, mismatches, missing_cases
from reviewer.sheet import build_sheet
from reviewer.signing import Sign, Withdraw, check_reason, check_reviewer
from reviewer.store import Dataset
from scoring import messages
from scoring.cli import console
from scoring.errors import ConflictError, ExitCode, IntegrityError, UsageError
from scoring.plain import plain
from scoring.record import Kind
from scoring.record.audit import record_faults

if TYPE_CHECKING:
    from reviewer.commands.context import Context
    from reviewer.drafts import Draft
    from reviewer.repair import Mismatch
    from reviewer.store import Decision
    from scoring.errors import ProductError

_YES = frozenset({"sí", "si", "s", "yes", "y"})
_DRAFT_KINDS = {Way.SIGN: Kind.FIRMA, Way.WITHDRAW: Kind.RETIRA}


def run(context: Context) -> int:
    """0 when nothing is left to settle, else 5.

    Raises:
        ProductError: whatever is refused; nothing was written then.
    """
    options = context.options
    ids = tuple(options.reparar)
    if options.segun is not None:
        if not ids:
            raise UsageError("repair.one_way_needs_ids", way=options.segun)
        return _settle(context, ids, Way(options.segun))
    dataset = Dataset.open(context.readable)
    for case_id in ids:
        dataset.entry(case_id)
    found = mismatches(dataset)
    wanted = [mismatch for mismatch in found if not ids or mismatch.case_id in ids]
    for case_id in ids:
        if not any(mismatch.case_id == case_id for mismatch in found):
            console.out(
                messages.text("repair.not_mismatched", id=case_id, why=dataset.states[case_id].sentence())
            )
    missing = missing_cases(dataset)
    faults = record_faults(dataset.record)
    if faults:
        console.out(messages.text("repair.damaged", n=len(faults), first=faults[0].sentence()))
        if not ids:
            # Every way out of every case is closed: one line says so, and nothing is asked.
            if wanted:
                listed = ", ".join(mismatch.case_id for mismatch in wanted)
                console.out(plain(messages.text("status.uncounted", ids=listed)))
            return int(ExitCode.INTEGRITY)
    if wanted:
        console.out(messages.text("repair.count", n=len(wanted)))
    elif not missing and not faults and not ids:
        console.out(messages.text("repair.none"))
    for case_id, reviewer in missing:
        console.out(messages.text("repair.missing", id=case_id, reviewer=reviewer))
    asking = not faults and sys.stdin.isatty() and sys.stdout.isatty()
    for mismatch in wanted:
        _print(mismatch)
        if asking:
            _step(context, dataset, mismatch)
            dataset = dataset.reload()
    if wanted and not asking and not faults:
        console.out()
        console.out(messages.text("repair.how_to", command=context.command))
    left = [m.case_id for m in mismatches(dataset) if not ids or m.case_id in ids]
    return int(ExitCode.INTEGRITY if left or missing or faults else ExitCode.OK)


def _settle(context: Context, ids: tuple[str, ...], way: Way) -> int:
    """Take one way out for all of ``ids``, in one transaction."""
    dataset = Dataset.open(context.working())
    faults = record_faults(dataset.record)
    if faults:
        raise IntegrityError(
            "store.record_broken", path=dataset.record.path, n=len(faults), first=faults[0].sentence()
        )
    reviewer = reviewer_of(context, dataset)
    motive = context.options.motivo
    found = {mismatch.case_id: mismatch for mismatch in mismatches(dataset)}
    for case_id in ids:
        mismatch = found.get(case_id)
        if mismatch is None:
            state = dataset.entry(case_id).state
            raise ConflictError("deciding.no_mismatch", id=case_id, why=state.sentence())
        if not mismatch.way(way).open:
            raise IntegrityError("deciding.record_cannot_settle", id=case_id, why=mismatch.way(way).text)
    signer = signer_of(context)
    decision: Decision
    if way is Way.RECORD:
        note = NOTE if motive is None else motive
        decision = FollowRecord(ids, reviewer, note, way="cli", signer=signer)
    elif way is Way.SIGN:
        decision = Sign(ids, reviewer, resign=True, way="cli", signer=signer)
    else:
        decision = Withdraw(ids, reviewer, check_reason(motive or ""), settles=True, way="cli", signer=signer)
    draft = _draft(way, reviewer, motive)
    applied = carry_out(dataset, decision, draft, ids)
    for case_id in applied.signed:
        _say_settled(applied.dataset, case_id)
    return int(ExitCode.OK)


def _print(mismatch: Mismatch) -> None:
    lines = [
        "",
        f"== {mismatch.case_id}",
        mismatch.data,
        *mismatch.record,
        mismatch.how,
    ]
    if mismatch.changes:
        lines.append(messages.text("repair.changes"))
        lines += [f"  - {change.sentence()}" for change in mismatch.changes]
    lines.append(messages.text("repair.ways"))
    for number, way in enumerate(mismatch.ways, start=1):
        text = way.text if way.open else messages.text("repair.closed", text=way.text)
        lines.append(f"  {number}. [{way.way}] {text}")
    for line in lines:
        console.out(plain(line))


def _step(context: Context, dataset: Dataset, mismatch: Mismatch) -> None:
    """Ask for one case; whatever is refused is said, and the next case follows."""
    answer = _ask(messages.text("repair.which"))
    chosen = {str(number): way for number, way in enumerate(mismatch.ways, start=1)}.get(answer)
    if chosen is None or not chosen.open:
        if chosen is not None:
            console.out(messages.text("repair.not_open"))
        console.out(messages.text("repair.left", id=mismatch.case_id))
        return
    try:
        _take(context, dataset, mismatch, chosen.way)
    except (UsageError, ConflictError, IntegrityError) as error:
        _refused(error, mismatch)


def _take(context: Context, dataset: Dataset, mismatch: Mismatch, way: Way) -> None:
    options = context.options
    typed = options.revisor if options.revisor is not None else _ask(messages.text("repair.ask_name"))
    reviewer = check_reviewer(typed)
    require_clear_name(reviewer, dataset, confirmed=options.nombre_nuevo)
    reason = options.motivo
    if way is Way.WITHDRAW:
        reason = check_reason(reason if reason is not None else _ask(messages.text("repair.ask_reason")))
    if way is Way.SIGN:
        for line in case_markdown(build_sheet(dataset.entry(mismatch.case_id))).splitlines():
            console.out(line)
    question = "repair.confirm_read" if way is Way.SIGN else "repair.confirm"
    if _ask(messages.text(question, reviewer=reviewer)).casefold() not in _YES:
        console.out(messages.text("repair.left", id=mismatch.case_id))
        return
    decision = decision_for(mismatch, way, reviewer, reason, via="cli", signer=signer_of(context))
    draft = _draft(way, reviewer, reason)
    applied = carry_out(dataset, decision, draft, (mismatch.case_id,))
    _say_settled(applied.dataset, mismatch.case_id)


def _draft(way: Way, reviewer: str, reason: str | None) -> Draft | None:
    """What is kept if the disk refuses; following the record is simply ordered again."""
    kind = _DRAFT_KINDS.get(way)
    return None if kind is None else draft_of(kind, reviewer, reason=reason or "", resign=True)


def _refused(error: ProductError, mismatch: Mismatch) -> None:
    console.report(error)
    console.out(messages.text("repair.left", id=mismatch.case_id))


def _say_settled(dataset: Dataset, case_id: str) -> None:
    console.out(messages.text("repair.settled", id=case_id, why=dataset.states[case_id].sentence()))


def _ask(question: str) -> str:
    """One line from the person; empty when there is none any more."""
    sys.stdout.write(question)
    sys.stdout.flush()
    return sys.stdin.readline().strip()
