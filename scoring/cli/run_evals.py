"""``run-evals``: score model outputs against the signed cases and say whether the gate passes."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from scoring import messages
from scoring.cases import require_valid
from scoring.cli import console
from scoring.cli.arguments import ArgumentParser, choose_language, file_path, one_of
from scoring.clinical import SPLIT_CHOICES, LiveGate, known_rules, load_predictions, simulate
from scoring.clinical.gate import default_rules
from scoring.clinical.render import aside_lines, lines
from scoring.clinical.report import nameable_ids
from scoring.errors import DataError, ExitCode, UsageError
from scoring.files import resolve, write_report
from scoring.record import companions, take_snapshot
from scoring.record.audit import gate_check
from scoring.sources import find_cases

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from scoring.clinical import GateReport, Predictions
    from scoring.record import Snapshot

PROGRAM = "run-evals"
_JUDGES = ("ninguno",)
# Named in the documentation of what is to come; asked for now they must not be taken for a mistake.
_RULES_TO_COME = frozenset({"2"})
_JUDGES_TO_COME = frozenset({"auto", "cli", "ollama", "claude", "openai"})


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        PROGRAM,
        description="run_evals.description",
        examples=(
            "run-evals --predicciones salidas.jsonl",
            "run-evals --casos casos.jsonl --predicciones salidas.jsonl --informe informe.json",
            "run-evals --predicciones salidas.jsonl --split test",
            "run-evals --simular",
        ),
        notes="run_evals.exit_codes",
    )

    def say(name: str) -> str:
        return messages.text(f"run_evals.help_{name}")

    file = messages.text("run_evals.metavar_file")
    parser.add_argument("--casos", metavar=file, type=file_path("--casos"), help=say("cases"))
    parser.add_argument(
        "--predicciones", metavar=file, type=file_path("--predicciones"), help=say("predictions")
    )
    parser.add_argument("--simular", action="store_true", help=say("simulate"))
    parser.add_argument(
        "--split",
        metavar="|".join(SPLIT_CHOICES),
        type=one_of("--split", SPLIT_CHOICES),
        default="dev",
        help=say("split"),
    )
    parser.add_argument("--incluir-pendientes", action="store_true", help=say("pending"))
    parser.add_argument("--reglas", metavar="|".join(known_rules()), type=_rules, help=say("rules"))
    parser.add_argument(
        "--juez", metavar="|".join(_JUDGES), type=_judge, default=_JUDGES[0], help=say("judge")
    )
    parser.add_argument("--informe", metavar=file, type=file_path("--informe"), help=say("report"))
    parser.add_argument("--ignorar-desconocidas", action="store_true", help=say("ignore_unknown"))
    parser.add_common()
    return parser


def _rules(found: str) -> str:
    return _existing("--reglas", found, known_rules(), _RULES_TO_COME)


def _judge(found: str) -> str:
    return _existing("--juez", found, _JUDGES, _JUDGES_TO_COME)


def _existing(option: str, found: str, known: Sequence[str], to_come: frozenset[str]) -> str:
    if found in to_come and found not in known:
        raise UsageError("run_evals.not_yet", option=option, found=found, known=", ".join(known))
    return one_of(option, known)(found)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; answers with its exit code and never raises."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    return console.run(lambda: _body(arguments), program=PROGRAM)


def _body(arguments: Sequence[str]) -> int:
    choose_language(arguments)
    options = _parser().parse(arguments)
    if options.simular and options.predicciones is not None:
        raise UsageError("run_evals.both_sources")
    if not options.simular and options.predicciones is None:
        raise UsageError("run_evals.no_source")
    source = find_cases(options.casos, os.environ, Path.cwd())
    if options.casos is None:
        console.talk(messages.text(f"run_evals.source_{source.kind}", path=source.path))
    _protect_inputs(options, source.path)
    snapshot = take_snapshot(source.path)
    predictions = _predictions(options, snapshot)
    for notice in predictions.notices:
        console.talk(messages.text("run_evals.ignored", sentence=notice.sentence()))
    breaks, states = gate_check(snapshot, nameable_ids(snapshot.file))
    live = LiveGate(
        snapshot.file, predictions, states, rules=options.reglas or default_rules(), breaks=breaks
    )
    report = live.report(options.split, include_pending=options.incluir_pendientes)
    _tell(report)
    console.out("\n".join(lines(report)))
    if options.informe is not None:
        _write_report(options.informe, report)
    return int(report.verdict.exit_code)


def _protect_inputs(options: argparse.Namespace, cases: Path) -> None:
    """Refuse a report path that names a file the run reads; nothing has been written yet."""
    if options.informe is None:
        return
    target = resolve(options.informe)
    inputs = [cases, *companions(cases)]
    if options.predicciones is not None:
        inputs.append(options.predicciones)
    if any(resolve(path) == target for path in inputs):
        raise UsageError("run_evals.report_over_input", path=options.informe)


def _predictions(options: argparse.Namespace, snapshot: Snapshot) -> Predictions:
    """The outputs to score, after both files were found to be in order.

    Problems of the data set and of the predictions are told in one go, so that whoever mends them does
    not have to come twice.
    """
    file = snapshot.file
    if options.simular:
        require_valid(file)
        return simulate(row.case for row in file.rows)
    refused: list[DataError] = []
    try:
        require_valid(file)
    except DataError as refusal:
        refused.append(refusal)
    # With unreadable lines or faulty ids in the data set it is not known which ids it has.
    ids_in_doubt = file.document.problems or any(problem.where == "id" for problem in file.problems)
    known = None if ids_in_doubt else {row.case.id for row in file.rows}
    nameable = nameable_ids(file)
    try:
        predictions = load_predictions(
            options.predicciones,
            known,
            ignore_unknown=options.ignorar_desconocidas,
            suggestions=nameable,
        )
        if not refused:
            return predictions
    except DataError as refusal:
        refused.append(refusal)
    for earlier in refused[:-1]:
        console.report(earlier)
    raise refused[-1]


def _write_report(path: Path, report: GateReport) -> None:
    """Write the report, its folder too if need be (:func:`scoring.files.write_report`)."""
    write_report(path, report.to_json(generated=datetime.now(UTC)))
    console.talk(messages.text("run_evals.report_written", path=path))


def _tell(report: GateReport) -> None:
    """What a person should not miss, on stderr."""
    for line in aside_lines(report):
        console.talk(messages.text("run_evals.does_not_count", sentence=line))
    if report.missing or report.reserved_missing:
        console.talk(messages.text("run_evals.missing", n=len(report.missing) + report.reserved_missing))
    if report.verdict.exit_code is ExitCode.INTEGRITY:
        console.talk(messages.text(f"run_evals.broken_{report.reason}"))


if __name__ == "__main__":
    raise SystemExit(main())
