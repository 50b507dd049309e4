"""``run-evals``: score model outputs against the signed cases and say whether the gate passes."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
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
    from scoring.sources import Source


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; answers with its exit code and never raises."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    return console.run(lambda: _body(arguments), program=PROGRAM)


@dataclass(frozen=True, slots=True)
class _Scored:
    """The report before a judge was asked, and what a judge's part of it must not undo.

    Attributes:
        report: the report.
        hidden: why its figures would tell of single reserved cases, and of how many; None if they do not.
        old: the earlier report it is compared with, or None.
    """

    report: GateReport
    hidden: tuple[str, int] | None
    old: Mapping[str, Any] | None

    def compared(self, report: GateReport) -> GateReport:
        """``report`` beside the earlier one; as it is where there is none or where figures are withheld."""
        if self.old is None or self.hidden:
            return report
        return replace(report, comparison=compare(self.old, report))


def _body(arguments: Sequence[str]) -> int:
    choose_language(arguments)
    options = parser().parse(arguments)
    check(options)
    source = _source(options)
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
    scored = _scored(options, source, live, predictions.digest, generator, broken=bool(breaks))
    report = scored.report
    _tell(report, [limit.metric for limit in policy.thresholds if limit.metric not in report.aggregate])
    if report.verdict.exit_code is not ExitCode.INTEGRITY:
        chosen = find_judge(options, cancel, data, generator=generator)
        candidates = (
            candidates_of(snapshot, predictions, options.split, passages, everyone=options.incluir_pendientes)
            if chosen.transport is not None and (not scored.hidden or options.calibrar_juez is not None)
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
        if not (scored.hidden and part.present):  # means of one or two cases would tell of them as well
            report = scored.compared(with_judge(report, part))
    _write(report, options)
    return int(report.verdict.exit_code)


def _source(options: argparse.Namespace) -> Source:
    """The data set to work on, once no file to be written is one that is read."""
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
    return source


def _scored(
    options: argparse.Namespace,
    source: Source,
    live: LiveGate,
    outputs_digest: str,
    generator: str | None,
    *,
    broken: bool,
) -> _Scored:
    """The report of the asked split, after its looks at the reserved split were allowed and noted.

    Args:
        options: of the command line.
        source: the data set.
        live: the gate over it.
        outputs_digest: of the outputs.
        generator: name of the model that made the outputs in this run, or None.
        broken: record and data do not agree, or the record is damaged.

    Raises:
        UsageError: an earlier aggregate of the reserved split is too near, or runs do not compare.
    """
    reserved = live.reserved_ids(include_pending=options.incluir_pendientes)
    guarded = options.split != "dev" and not options.detalle_test and bool(reserved)
    hidden = telling(live, reserved, broken=broken) if guarded else None
    if guarded and not hidden and options.calibrar_juez is None:  # it shows figures of other cases
        keep_apart(source, reserved, "simulacion" if options.simular else "")
    old = read_old(options.comparar) if options.comparar is not None else None
    if options.detalle_test:
        record_single_look(source, options.split, options.revisor, live.cases_digest, outputs_digest)
    report = live.report(
        options.split, include_pending=options.incluir_pendientes, show_reserved=options.detalle_test
    )
    if hidden:
        report = withheld(report, *hidden)
    scored = _Scored(report, hidden, old)
    report = scored.compared(report)  # what cannot be compared is refused before a judge is asked
    if generator is not None:
        report = replace(report, generator=f"modelo:{generator}")
    return replace(scored, report=report)


def _write(report: GateReport, options: argparse.Namespace) -> None:
    """Show the report, and write it wherever it was asked for."""
    show(report, options.formato)
    for one in options.formato:
        if one.path is not None:
            write_result(one.path, rendered_pieces(report, one.name))
    if options.informe is not None:
        write_result(options.informe, rendered_pieces(report, "json"))


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
