"""``run-evals``: score model outputs against the signed cases and say whether the gate passes."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring import messages
from scoring.cases import require_valid
from scoring.cli import console
from scoring.cli.arguments import choose_language
from scoring.cli.evals_options import PROGRAM, check, parser
from scoring.cli.generate_run import make_outputs, save_simulated
from scoring.cli.inputs import protect, read_outputs, read_passages, record_first
from scoring.cli.judge_run import find_judge, run_calibration, run_judge, write_result
from scoring.cli.outputs import rendered_pieces, show
from scoring.cli.reserved import keep_apart, record_single_look, telling, withheld
from scoring.clinical import LiveGate, read_policy, simulate
from scoring.clinical.compare import compare, read_old
from scoring.clinical.render import each_aside_line
from scoring.clinical.report import nameable_ids
from scoring.errors import ExitCode
from scoring.judges.aggregate import with_judge
from scoring.judges.exchange import Cancel
from scoring.judges.keeping import candidates_of
from scoring.record import stored_snapshot
from scoring.record.audit import gate_check
from scoring.record.required import read_rule
from scoring.sources import find_cases, find_thresholds
from scoring.tables import THRESHOLDS, thresholds_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from scoring.clinical import GateReport, Predictions
    from scoring.record import Snapshot


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; answers with its exit code and never raises."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    return console.run(lambda: _body(arguments), program=PROGRAM)


def _body(arguments: Sequence[str]) -> int:
    choose_language(arguments)
    options = parser().parse(arguments)
    check(options)
    source = find_cases(options.casos, os.environ, Path.cwd())
    if options.casos is None:
        console.talk(messages.text(f"run_evals.source_{source.kind}", path=source.path))
    protect(
        source.path,
        read=(
            options.predicciones,
            options.fragmentos,
            options.plantilla,
            options.calibrar_juez,
            options.calibracion,
            options.umbrales,
            options.comparar,
        ),
        written={
            "--guardar-predicciones": options.guardar_predicciones,
            "--guardar-juicios": options.guardar_juicios,
            "--informe": options.informe,
            **{f"--formato {one.name}={one.path}": one.path for one in options.formato},
        },
    )
    thresholds = find_thresholds(options.umbrales, source.path)
    data = thresholds_table(thresholds)
    policy = read_policy(data, name=str(thresholds or THRESHOLDS))
    # A file named here may ask for more reviews than the data set does, never for fewer.
    snapshot = stored_snapshot(source.path, rule=read_rule(data, name=str(thresholds or THRESHOLDS)))
    if thresholds is not None:
        console.talk(messages.text("run_evals.thresholds_from", path=thresholds))
    breaks, states = gate_check(snapshot, nameable_ids(snapshot.file))
    cancel = Cancel()
    with record_first(breaks):
        passages, generator, predictions = _inputs(options, snapshot, cancel, data)
        live = LiveGate(
            snapshot.file,
            predictions,
            states,
            rules=options.reglas or policy.rules,
            thresholds=policy.thresholds,
            breaks=breaks,
            min_cases=policy.min_cases,
            language=policy.language,
        )
    reserved = live.reserved_ids(include_pending=options.incluir_pendientes)
    guarded = options.split != "dev" and not options.detalle_test and bool(reserved)
    hidden = telling(live, reserved, broken=bool(breaks)) if guarded else None
    if guarded and not hidden and options.calibrar_juez is None:  # it shows figures of other cases
        keep_apart(source, reserved, "simulacion" if options.simular else "")
    old = read_old(options.comparar) if options.comparar is not None else None
    if options.detalle_test:
        record_single_look(source, options.split, options.revisor, live.cases_digest, predictions.digest)
    report = live.report(
        options.split, include_pending=options.incluir_pendientes, show_reserved=options.detalle_test
    )
    if hidden:
        report = withheld(report, *hidden)
    if old is not None and not hidden:  # what cannot be compared is refused before a judge is asked
        report = replace(report, comparison=compare(old, report))
    if generator is not None:
        report = replace(report, generator=f"modelo:{generator}")
    _tell(report, [limit.metric for limit in policy.thresholds if limit.metric not in report.aggregate])
    if report.verdict.exit_code is not ExitCode.INTEGRITY:
        chosen = find_judge(options, cancel, data, generator=generator)
        candidates = (
            candidates_of(snapshot, predictions, options.split, passages, everyone=options.incluir_pendientes)
            if chosen.transport is not None and (not hidden or options.calibrar_juez is not None)
            else []
        )
        if options.calibrar_juez is not None:
            return run_calibration(
                options,
                source,
                snapshot,
                candidates,
                chosen,
                cancel,
                data=data,
                cases_digest=report.cases_digest,
            )
        part = run_judge(options, candidates, chosen, cancel, data=data, cases_digest=report.cases_digest)
        if not (hidden and part.present):  # means of one or two cases would tell of them as well
            report = with_judge(report, part)
            if old is not None and not hidden:
                report = replace(report, comparison=compare(old, report))
    show(report, options.formato)
    for one in options.formato:
        if one.path is not None:
            write_result(one.path, rendered_pieces(report, one.name))
    if options.informe is not None:
        write_result(options.informe, rendered_pieces(report, "json"))
    return int(report.verdict.exit_code)


def _inputs(
    options: argparse.Namespace, snapshot: Snapshot, cancel: Cancel, data: Mapping[str, Any]
) -> tuple[Mapping[str, tuple[str, ...]], str | None, Predictions]:
    """The passages, the model that was asked if one was, and the outputs to be scored."""
    passages = read_passages(options.fragmentos, snapshot.file)
    generator = _generated(options, snapshot, passages, cancel, data)
    if options.simular:
        require_valid(snapshot.file)
        predictions = simulate(row.case for row in snapshot.file.rows)
        if options.guardar_predicciones is not None:
            save_simulated(options, predictions, set(nameable_ids(snapshot.file)))
    else:
        predictions = read_outputs(
            options.predicciones, snapshot.file, ignore_unknown=options.ignorar_desconocidas
        )
    for notice in predictions.notices:
        console.talk(messages.text("run_evals.ignored", sentence=notice.sentence()))
    return passages, generator, predictions


def _generated(
    options: argparse.Namespace,
    snapshot: Snapshot,
    passages: Mapping[str, tuple[str, ...]],
    cancel: Cancel,
    data: Mapping[str, Any],
) -> str | None:
    """Make the outputs if a model was named, and have them scored; answers with the model's name."""
    if options.modelo is None:
        return None
    require_valid(snapshot.file)
    cases = [row.case for row in snapshot.file.rows]
    name = make_outputs(options, cases, passages, cancel, data)
    options.predicciones = options.guardar_predicciones
    return name


def _tell(report: GateReport, unmeasured: Sequence[str]) -> None:
    """What a person should not miss, on stderr; thresholds on what the rules do not measure among it."""
    for metric in unmeasured:
        console.talk(messages.text("run_evals.not_measured", metric=metric, rules=report.rules))
    for line in each_aside_line(report):
        console.talk(messages.text("run_evals.does_not_count", sentence=line))
    if report.missing or report.reserved_missing:
        console.talk(messages.text("run_evals.missing", n=len(report.missing) + report.reserved_missing))
    if report.verdict.exit_code is ExitCode.INTEGRITY:
        console.talk(messages.text(f"run_evals.broken_{report.reason}"))


if __name__ == "__main__":
    raise SystemExit(main())
