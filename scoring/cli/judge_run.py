"""The judge of one run of ``run-evals``: which one, where its answers are kept, what is said meanwhile."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring import messages
from scoring.cli import console
from scoring.cli.reserved import keep_apart
from scoring.clinical.calibration_state import CalibrationState
from scoring.clinical.report import RESERVED_SPLIT
from scoring.errors import ExitCode, NothingToJudgeError
from scoring.files import write_report
from scoring.judges.aggregate import judge_thresholds
from scoring.judges.calibration import calibrate, standing
from scoring.judges.calibration_text import lines
from scoring.judges.choose import AUTO, NONE, AbsentError, Chosen, choose, destination
from scoring.judges.human import load_human
from scoring.judges.journal import Journal
from scoring.judges.judging import Judgement, Progress, judge, judge_name, part_of
from scoring.judges.keeping import forget, own_path, set_aside
from scoring.looks import LEAST_CASES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping, Sequence

    from scoring.clinical.judged import JudgePart
    from scoring.judges.exchange import Cancel
    from scoring.judges.judging import Candidate
    from scoring.judges.settings import Settings
    from scoring.judges.transport import Transport
    from scoring.record import Snapshot
    from scoring.sources import Source


def find_judge(
    options: argparse.Namespace,
    cancel: Cancel,
    data: Mapping[str, Any],
    *,
    generator: str | None = None,
) -> Chosen:
    """The judge that the options ask for; with ``--simular`` only one that was named.

    Args:
        options: of the command.
        cancel: ends the trial.
        data: the table of thresholds and settings in force.
        generator: name of the model under test, if it is known.
    """
    asked = NONE if options.simular and options.juez == AUTO else options.juez
    chosen = choose(asked, os.environ, cancel, data=data)
    if chosen.transport is not None and generator == judge_name(chosen.transport):
        console.talk(messages.text("generate.same_model", model=generator))
    return chosen


def run_judge(
    options: argparse.Namespace,
    candidates: Sequence[Candidate],
    chosen: Chosen,
    cancel: Cancel,
    *,
    data: Mapping[str, Any],
    cases_digest: str,
) -> JudgePart:
    """Have the outputs judged and answer with the judge's part of the report.

    Raises:
        ProductError: the file of judgements, or that of the calibration, cannot be used.
        SystemExit: 130 after Control-C; what was judged is kept.
    """
    transport, settings = chosen.transport, chosen.settings
    judgement: Judgement | None = None
    calibration = CalibrationState()
    if transport is not None and settings is not None:
        calibration = standing(
            _calibration_path(options), judge=judge_name(transport), cases_digest=cases_digest
        )
        judgement = _judged(options, candidates, transport, settings, cancel)
        _tell_spent(judgement, settings)
    return part_of(
        candidates,
        chosen,
        judgement,
        informative=options.juez_informativo,
        calibration=calibration,
        thresholds=judge_thresholds(data),
        shows_reserved=options.detalle_test,
    )


def _calibration_path(options: argparse.Namespace) -> Path | None:
    if options.calibracion is not None:
        return Path(options.calibracion)
    named = os.environ.get("REVISION_JUEZ_CALIBRACION", "").strip()
    return Path(named) if named else None


def run_calibration(
    options: argparse.Namespace,
    source: Source,
    snapshot: Snapshot,
    candidates: Sequence[Candidate],
    chosen: Chosen,
    cancel: Cancel,
    *,
    data: Mapping[str, Any],
    cases_digest: str,
) -> int:
    """Have the scored cases judged, hold the judge against the vets, and answer with the exit code.

    Raises:
        ProductError: no judge (exit 7), no case to compare or too few of the reserved split (exit 4), a
            look too near to an earlier one (exit 2), a file that cannot be used.
        SystemExit: 130 after Control-C; what was judged is kept.
    """
    cases = [row.case for row in snapshot.file.rows]
    reserved = {case.id for case in cases if case.split == RESERVED_SPLIT}
    human = load_human(options.calibrar_juez, {case.id for case in cases}, reserved=reserved)
    transport, settings = chosen.transport, chosen.settings
    if transport is None or settings is None:
        raise AbsentError("calibration.no_judge", why=chosen.why_not)
    scored = {score.case_id for score in human}
    mine = [candidate for candidate in candidates if candidate.case.id in scored]
    if not any(candidate.judgeable for candidate in mine):
        raise NothingToJudgeError("calibration.nothing", path=options.calibrar_juez, split=options.split)
    told = frozenset(one.case.id for one in mine if one.judgeable and one.reserved)
    if told:
        if len(told) < LEAST_CASES:
            raise NothingToJudgeError("calibration.few_reserved", n=len(told), least=LEAST_CASES)
        keep_apart(source, told)
    judgement = _judged(options, mine, transport, settings, cancel)
    _tell_spent(judgement, settings)
    if not judgement.rubrics:
        raise AbsentError("calibration.no_rubric", why=judgement.sentence)
    result = calibrate(
        judgement.rubrics,
        human,
        judge=judge_name(transport),
        split=options.split,
        judgeable={candidate.case.id for candidate in mine if candidate.judgeable},
        in_split={candidate.case.id for candidate in candidates},
        reserved=reserved,
        thresholds=judge_thresholds(data),
        cases_digest=cases_digest,
    )
    console.out("\n".join(lines(result)))
    if options.informe is not None:
        write_result(options.informe, result.to_json(generated=datetime.now(UTC)))
    return int(ExitCode.OK if result.enough else ExitCode.NOTHING_TO_JUDGE)


def write_result(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a result, its folder too if need be (:func:`scoring.files.write_report`)."""
    write_report(path, data)
    console.talk(messages.text("run_evals.report_written", path=path))


def _judged(
    options: argparse.Namespace,
    candidates: Sequence[Candidate],
    transport: Transport,
    settings: Settings,
    cancel: Cancel,
) -> Judgement:
    if any(c.judgeable for c in candidates):
        console.talk(destination(transport))
    keeps = options.split != RESERVED_SPLIT and any(c.judgeable for c in candidates)
    if any(c.reserved and c.judgeable for c in candidates):
        console.talk(messages.text("judges.reserved_not_kept"))
    if not keeps:
        return _ask(candidates, transport, settings, cancel, None)
    own = options.guardar_juicios is None
    path = own_path(candidates, transport) if own else options.guardar_juicios
    if own and not options.reanudar:
        set_aside(path)
    with Journal(path, resume=options.reanudar, private=True) as journal:
        if journal.torn:
            console.talk(messages.text("judges.torn", path=path))
        console.talk(messages.text("judges.kept_at", path=path))
        judgement = _ask(candidates, transport, settings, cancel, journal)
    if own and not judgement.errors:
        forget(path)
    return judgement


def _ask(
    candidates: Sequence[Candidate],
    transport: Transport,
    settings: Settings,
    cancel: Cancel,
    journal: Journal | None,
) -> Judgement:
    def tell(step: Progress) -> None:
        who = step.case_id if step.case_id is not None else messages.text("judges.reserved_case")
        fields = {"done": step.done, "total": step.total, "who": who}
        if step.error is not None:
            console.talk(messages.text("judges.progress_error", **fields, error=step.error))
        elif step.seconds:
            console.talk(messages.text("judges.progress", **fields, seconds=f"{step.seconds:.1f}"))
        else:
            console.talk(messages.text("judges.progress_kept", **fields))

    try:
        return judge(candidates, transport, settings, cancel=cancel, journal=journal, progress=tell)
    except KeyboardInterrupt:
        if journal is None:
            raise
        console.talk(
            messages.text("judges.kept_until_now", n=len(journal.rows) + journal.added, path=journal.path)
        )
        raise SystemExit(int(ExitCode.INTERRUPTED)) from None


def _tell_spent(judgement: Judgement, settings: Settings) -> None:
    if not judgement.asked and not judgement.reused:
        return
    each = f"{judgement.answering / judgement.asked:.1f}" if judgement.asked else "-"
    console.talk(
        messages.text(
            "judges.spent",
            asked=judgement.asked,
            reused=judgement.reused,
            seconds=f"{judgement.seconds:.1f}",
            each=each,
        )
    )
    if judgement.tokens_in is not None or judgement.tokens_out is not None:
        cost = judgement.cost(settings)
        console.talk(
            messages.text(
                "judges.spent_tokens",
                tokens_in="?" if judgement.tokens_in is None else judgement.tokens_in,
                tokens_out="?" if judgement.tokens_out is None else judgement.tokens_out,
                cost=messages.text("judges.no_price") if cost is None else f"{cost:f}",
            )
        )
