"""``--validar``: sign cases by their ids, all or none; or review them, where the set asks for two reviews."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

from reviewer.changes import changes_between
from reviewer.commands.deciding import carry_out, draft_of, reviewer_of, signer_of
from reviewer.commands.reviews import desk_lines
from reviewer.commands.status import print_status
from reviewer.decisions.adjudication import followed
from reviewer.decisions.following import STEPS, decided_correction, next_step
from reviewer.decisions.review import build_opinion, desk_of
from reviewer.signing import Edit, Sign
from reviewer.status import status_of
from reviewer.store import Dataset
from scoring import messages
from scoring.cli import console
from scoring.errors import ConflictError, ExitCode, ProductError, UsageError
from scoring.plain import plain
from scoring.record import Kind, Meaning, Status
from scoring.record.reviews import Stage

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from reviewer.commands.context import Context
    from reviewer.store.plan import Signer
    from scoring.record.opinion import Opinion

_OPINION = ("rechazar", "proponer", "derivacion", "alcance", "comentario")
YES, OUTSIDE = "si", "fuera"


def run(context: Context) -> int:
    """Sign or review, say what came of it, and show the counts.

    Raises:
        ProductError: whatever the store refuses; nothing was written then.
    """
    options = context.options
    if options.revisor is None:
        raise UsageError("revision.no_reviewer")
    dataset = Dataset.open(context.working())
    reviewer = reviewer_of(context, dataset)
    ids = tuple(options.validar)
    opinions = _opinions(options, dataset, ids)
    correction = None
    if not opinions and len(ids) == 1:
        correction = decided_correction(dataset, ids[0], reviewer, way="cli")
    first = 1 if correction is None else STEPS
    signer = signer_of(context, 1 + STEPS if options.adjudicar and _rewrites(dataset, opinions) else first)
    if correction is not None:
        dataset = _correct(dataset, replace(correction, signer=signer))
    decision = Sign(
        ids,
        reviewer,
        resign=options.refirmar,
        meaning=Meaning.ADJUDICADO if options.adjudicar else Meaning.REVISADO,
        way="cli",
        signer=signer,
        opinions=opinions,
        apart=options.nombre_nuevo,
    )
    draft = draft_of(
        Kind.FIRMA,
        reviewer,
        resign=options.refirmar,
        opinion=opinions.get(ids[0]),
        adjudicates=options.adjudicar,
    )
    try:
        applied = carry_out(dataset, decision, draft, ids)
    except ConflictError as error:
        if error.key == "review.needs_adjudication":
            _show_both(dataset, ids[0])
        raise
    dataset = applied.dataset
    for case_id in applied.signed:
        try:
            dataset = _conclude(dataset, case_id, reviewer, signer, apart=options.nombre_nuevo)
        except (ProductError, KeyboardInterrupt):
            command = f"{context.command} --validar {shlex.quote(case_id)} --revisor {shlex.quote(reviewer)}"
            if options.clave is not None:
                command += f" --clave {shlex.quote(str(options.clave))}"
            console.carried_out(messages.text("deciding.to_finish", id=case_id, command=command))
            raise
        _say(dataset, case_id, signer)
    console.out()
    print_status(status_of(dataset))
    return int(ExitCode.OK)


def _opinions(options: argparse.Namespace, dataset: Dataset, ids: tuple[str, ...]) -> dict[str, Opinion]:
    if not any(getattr(options, name) is not None for name in _OPINION):
        return {}
    if len(ids) != 1:
        raise UsageError("review.one_case")
    opinion = build_opinion(
        dataset.entry(ids[0]).row,
        reject=options.rechazar or (),
        add=options.proponer or (),
        referral=None if options.derivacion is None else options.derivacion == YES,
        out_of_scope=None if options.alcance is None else options.alcance == OUTSIDE,
        comment=options.comentario,
    )
    return {ids[0]: opinion}


def _rewrites(dataset: Dataset, opinions: Mapping[str, Opinion]) -> bool:
    """Some case will have to be corrected if what was decided stands."""
    return any(
        followed(dataset.entry(case_id).raw, opinion) != dataset.entry(case_id).raw
        for case_id, opinion in opinions.items()
    )


def _conclude(
    dataset: Dataset, case_id: str, reviewer: str, signer: Signer | None, *, apart: bool
) -> Dataset:
    """What follows from a review by itself, as far as it goes."""
    for _ in range(STEPS):
        step = next_step(dataset, case_id, reviewer, way="cli", signer=signer, apart=apart)
        if step is None:
            break
        if isinstance(step, Edit):
            dataset = _correct(dataset, step)
        else:
            dataset = carry_out(dataset, step, None, (case_id,)).dataset
    return dataset


def _correct(dataset: Dataset, edit: Edit) -> Dataset:
    """Write into the case what was decided; the signature follows as a decision of its own."""
    before = dataset.entry(edit.case_id).row.row.line.raw
    applied = carry_out(dataset, edit, None, (edit.case_id,))
    console.out(plain(messages.text("review.corrected", id=edit.case_id)))
    for change in changes_between(before, applied.dataset.entry(edit.case_id).row.row.line.raw):
        console.out(plain(f"  {change.sentence()}"))
    return applied.dataset


def _show_both(dataset: Dataset, case_id: str) -> None:
    for line in desk_lines(desk_of(dataset.entry(case_id).row, dataset.snapshot)):
        console.out(plain(line))


def _say(dataset: Dataset, case_id: str, signer: Signer | None) -> None:
    state = dataset.states[case_id]
    if state.status is Status.FIRMADO:
        trust = messages.text("keys.by_name" if signer is None else "keys.by_key")
        said = messages.text(
            "revision.signed", id=case_id, reviewer=state.reviewer or "", date=state.date or "", trust=trust
        )
    elif state.stage is Stage.PARTIAL:
        said = messages.text("review.saved_first", id=case_id, n=state.reviews, asked=state.asked)
    else:
        said = messages.text("review.saved", id=case_id, why=state.sentence())
    console.out(said)
    if state.status is Status.DESACUERDO:
        _show_both(dataset, case_id)
