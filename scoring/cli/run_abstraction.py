"""``run-abstraction``: score two files, judge a finalization, add up tallies, use what was adjudicated.

stdout is the result, stderr the talk. With ``--json`` stdout holds the canonical bytes and nothing else,
not even a line end.
"""

from __future__ import annotations

import sys
import time
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

import orjson

from scoring import messages
from scoring.abstraction.clustered import cluster_sums
from scoring.abstraction.decisions import decisions
from scoring.abstraction.evidence_report import receipt_of
from scoring.abstraction.files import MAX_PROBLEMS
from scoring.abstraction.finalize_files import evaluate_files
from scoring.abstraction.minimums import check, load_bounds
from scoring.abstraction.parallel import MAX_PROCESSES, score_files_in_parallel
from scoring.abstraction.private import require_private_target, write_private
from scoring.abstraction.report import ChartAbstractionBenchmarkReport, report_of
from scoring.abstraction.stored import load_report, load_tally
from scoring.abstraction.tally import merge
from scoring.adjudication.disagreements import find_disagreements
from scoring.adjudication.figures import figures
from scoring.adjudication.record import sound_record
from scoring.adjudication.standing import gone
from scoring.cli import abstraction_view as view
from scoring.cli import adjudication_orders, adjudication_view, console
from scoring.cli.arguments import ArgumentParser, choose_language
from scoring.errors import DataError, ExitCode, NothingToJudgeError, UsageError, WriteError, system_reason
from scoring.files import atomic_write, resolve
from scoring.jsonl import require_file

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence

    from scoring.abstraction.decisions import Decision
    from scoring.abstraction.minimums import Bound
    from scoring.adjudication.record import AdjudicationRecord

PROGRAM: Final = "run-abstraction"
SCHEMA_FILE: Final = "abstraction.schema.json"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv`` (the process's own if None) and answer with the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    choose_language(arguments)
    commands = {"finalizar": _finalize, "sumar": _sum, "corregir": _correct, "auditar": _verify}
    command = commands.get(arguments[0]) if arguments else None
    if command is not None:
        program = f"{PROGRAM} {arguments[0]}"
        return console.run(lambda: command(arguments[1:]), program=program)
    return console.run(lambda: _score(arguments), program=PROGRAM)


# --- run-abstraction ---------------------------------------------------------------------------------


def _score_parser() -> ArgumentParser:
    parser = ArgumentParser(
        PROGRAM,
        description="abstraction.description",
        examples=(
            "run-abstraction --gold gold.jsonl --outputs outputs.jsonl",
            "run-abstraction --gold gold.jsonl --outputs outputs.jsonl --json > informe.json",
            "run-abstraction --gold gold.jsonl --outputs outputs.jsonl --minimos minimos.toml",
            "run-abstraction --gold gold.jsonl --outputs outputs.jsonl --comparar informe.json",
            "run-abstraction finalizar --evidencia cadenas.jsonl --campos exigidos.txt",
        ),
        notes="abstraction.notes",
    )
    for option, key in (
        ("--gold", "gold"),
        ("--outputs", "outputs"),
        ("--informe", "report"),
        ("--minimos", "minimums"),
        ("--comparar", "compare"),
        ("--detalle", "detail"),
        ("--recuento", "tally"),
    ):
        parser.add_argument(option, metavar="F", type=Path, help=messages.text(f"abstraction.help_{key}"))
    parser.add_argument(
        "--adjudicaciones", metavar="R", type=Path, help=messages.text("adjudicated.help_record_score")
    )
    parser.add_argument(
        "--procesos", metavar="N", default="1", help=messages.text("abstraction.help_processes")
    )
    for option, key in (
        ("--json", "json"),
        ("--por-paciente", "by_patient"),
        ("--todos", "all_fields"),
        ("--esquema", "schema"),
    ):
        parser.add_argument(option, action="store_true", help=messages.text(f"abstraction.help_{key}"))
    parser.add_common()
    return parser


def _score(arguments: Sequence[str]) -> int:
    options = _score_parser().parse(arguments)
    if options.esquema:
        console.out(files("scoring.abstraction").joinpath(SCHEMA_FILE).read_text(encoding="utf-8").rstrip())
        return ExitCode.OK
    if options.gold is None or options.outputs is None:
        raise UsageError("abstraction.needs_both")
    _refuse_same_files(options)
    bounds = None if options.minimos is None else load_bounds(options.minimos)
    earlier = None if options.comparar is None else load_report(options.comparar)
    if options.adjudicaciones is not None:
        require_file(options.adjudicaciones)
    progress = _Progress((options.gold, options.outputs))
    try:
        result = score_files_in_parallel(
            options.gold, options.outputs, _processes(options.procesos), progress=progress.tell
        )
    except DataError as error:
        progress.clear()
        return _tell_problems(error)
    finally:
        progress.clear()
    tally = result.tally
    report = report_of(tally)
    record = (
        None if options.adjudicaciones is None else sound_record(options.adjudicaciones)
    )  # before writing anything
    if not result.output_rows:
        console.talk(messages.text("abstraction.no_outputs"))
    clusters = cluster_sums(result.join) if options.por_paciente else None
    del result  # the private cells have served
    if options.detalle is not None:
        rows = write_private(options.detalle, map(_detail_line, decisions(options.gold, options.outputs)))
        console.talk(messages.text("abstraction.detail_saved", n=rows, path=options.detalle))
    if options.recuento is not None:
        _save(options.recuento, orjson.dumps(tally.to_dict()) + b"\n", "tally_saved")
    if options.informe is not None:
        _save(options.informe, report.to_json().encode("ascii"), "saved")
    table = view.report_lines(report, clusters=clusters, all_fields=options.todos)
    return _show(report, table, options, earlier, bounds, record)


def _show(
    report: ChartAbstractionBenchmarkReport,
    table: Iterable[str],
    options: argparse.Namespace,
    earlier: ChartAbstractionBenchmarkReport | None,
    bounds: tuple[Bound, ...] | None,
    record: AdjudicationRecord | None = None,
) -> int:
    """Write the result and say what was asked beside it; the exit code."""
    tell = console.talk if options.json else console.out
    if options.json:
        _write_exactly(report.to_json())
    else:
        for line in table:
            tell(line)
    if earlier is not None:
        from scoring.abstraction.compare import compare

        tell()
        for line in view.comparison_lines(compare(earlier, report), all_fields=options.todos):
            tell(line)
    if record is not None:
        tell()
        for line in _adjudicated(options, record):
            tell(line)
    if bounds is None:
        return ExitCode.OK
    findings = check(report, bounds)
    tell()
    for line in view.minimums_lines(findings):
        tell(line)
    if any(finding.holds is None for finding in findings):
        return ExitCode.NOTHING_TO_JUDGE
    return ExitCode.OK if all(finding.holds for finding in findings) else ExitCode.GATE_FAILED


def _adjudicated(options: argparse.Namespace, record: AdjudicationRecord) -> Iterable[str]:
    """What the record makes of the disagreements; the report itself does not know it."""
    found = find_disagreements(options.gold, options.outputs)
    return adjudication_view.figures_lines(figures(record, found), gone(record, found))


def _processes(written: str) -> int:
    if not written.isascii() or not written.isdigit() or len(written) > 4:
        raise UsageError("abstraction.processes_out_of_bounds", limit=MAX_PROCESSES)
    return int(written)


def _refuse_same_files(options: argparse.Namespace) -> None:
    """An output never replaces an input or another output."""
    inputs = (options.gold, options.outputs, options.minimos, options.comparar, options.adjudicaciones)
    taken = {resolve(path) for path in inputs if path is not None}
    for path in (options.detalle, options.informe, options.recuento):
        if path is None:
            continue
        if resolve(path) in taken:
            raise UsageError("abstraction.same_file", path=path)
        taken.add(resolve(path))
    if options.detalle is not None:
        require_private_target(options.detalle)
    for path in (options.gold, options.outputs):
        if path.exists() and not path.is_file():
            if options.detalle is not None:
                raise UsageError("abstraction.detail_reads_twice", path=path)
            if options.adjudicaciones is not None:
                raise UsageError("adjudicated.not_a_file", path=path)


def _detail_line(decision: Decision) -> str:
    import json

    return json.dumps(decision.to_dict(), ensure_ascii=True)


def _save(path: Path, data: bytes, key: str) -> None:
    atomic_write(path, data)
    console.talk(messages.text(f"abstraction.{key}", path=path))


def _write_exactly(text: str) -> None:
    """Write canonical bytes: no line end is added."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        console.out("")  # finds the same and closes the stream down quietly
    except OSError as error:
        raise WriteError("cli.stream_refused", reason=system_reason(error)) from None


def _tell_problems(error: DataError) -> int:
    """All problems that were collected, not only the first twenty."""
    console.report(error, shown=MAX_PROBLEMS)
    return int(error.exit_code)


class _Progress:
    """A line on a terminal that says how much was read; nothing elsewhere and nothing for a short run."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._total = sum(path.stat().st_size for path in paths if path.is_file())
        self._on = sys.stderr is not None and sys.stderr.isatty()
        self._next = time.monotonic() + 0.5
        self._shown = False

    def tell(self, done: int) -> None:
        """``done`` bytes of both files are read."""
        now = time.monotonic()
        if not self._on or now < self._next or not self._total:
            return
        self._next = now + 0.1
        self._shown = True
        percent = min(100, done * 100 // self._total)
        bar = "█" * (percent // 5) + "░" * (20 - percent // 5)
        sys.stderr.write(f"\r{bar} {messages.text('abstraction.progress', percent=percent)} ")
        sys.stderr.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
        self._shown = False


# --- run-abstraction finalizar -----------------------------------------------------------------------


def _finalize(arguments: Sequence[str]) -> int:
    parser = ArgumentParser(
        f"{PROGRAM} finalizar",
        description="abstraction.finalize_description",
        examples=(
            "run-abstraction finalizar --evidencia cadenas.jsonl --campos exigidos.txt",
            f"{PROGRAM} finalizar --evidencia cadenas.jsonl --campos exigidos.txt --adjudicaciones R.jsonl",
        ),
        notes="abstraction.finalize_notes",
    )
    for option, key in (("--evidencia", "evidence"), ("--campos", "required"), ("--bloqueos", "issues")):
        parser.add_argument(option, metavar="F", type=Path, help=messages.text(f"abstraction.help_{key}"))
    parser.add_argument(
        "--adjudicaciones", metavar="R", type=Path, help=messages.text("adjudicated.help_record_finalize")
    )
    parser.add_argument("--json", action="store_true", help=messages.text("abstraction.help_finalize_json"))
    parser.add_common()
    options = parser.parse(arguments)
    if options.evidencia is None or options.campos is None:
        raise UsageError("abstraction.needs_evidence")
    review = (
        None
        if options.adjudicaciones is None
        else adjudication_orders.Review(options.adjudicaciones, options.evidencia)
    )
    try:
        report = evaluate_files(options.evidencia, options.campos, options.bloqueos, review=review)
    except DataError as error:
        return _tell_problems(error)
    if review is not None:
        for line in adjudication_view.chains_lines(review.found):
            console.talk(line)
    if not report.is_finalizable:
        if options.json:
            _write_exactly(report.to_json())
        else:
            for line in view.issue_lines(report):
                console.out(line)
        return ExitCode.GATE_FAILED
    receipt = receipt_of(report)
    if options.json:
        _write_exactly(receipt.to_json())
    else:
        console.talk(messages.text("abstraction.finalizable", n=report.required_field_count))
        console.out(receipt.to_json())
    return ExitCode.OK


# --- run-abstraction corregir, auditar ---------------------------------------------------------------


def _correct(arguments: Sequence[str]) -> int:
    return _telling(adjudication_orders.correct, arguments, "corregir")


def _verify(arguments: Sequence[str]) -> int:
    return _telling(adjudication_orders.verify, arguments, "auditar")


def _telling(order: Callable[[Sequence[str], str], int], arguments: Sequence[str], name: str) -> int:
    try:
        return order(arguments, f"{PROGRAM} {name}")
    except DataError as error:
        return _tell_problems(error)


# --- run-abstraction sumar ---------------------------------------------------------------------------


def _sum(arguments: Sequence[str]) -> int:
    parser = ArgumentParser(
        f"{PROGRAM} sumar",
        description="abstraction.sum_description",
        examples=("run-abstraction sumar parte1.json parte2.json --json > informe.json",),
        notes="abstraction.notes",
    )
    parser.add_argument(
        "recuentos", nargs="*", metavar="F", type=Path, help=messages.text("abstraction.help_tallies")
    )
    for option, key in (("--informe", "report"), ("--minimos", "minimums"), ("--comparar", "compare")):
        parser.add_argument(option, metavar="F", type=Path, help=messages.text(f"abstraction.help_{key}"))
    for option, key in (("--json", "json"), ("--todos", "all_fields")):
        parser.add_argument(option, action="store_true", help=messages.text(f"abstraction.help_{key}"))
    parser.add_common()
    options = parser.parse(arguments)
    if not options.recuentos:
        raise UsageError("abstraction.needs_tally")
    bounds = None if options.minimos is None else load_bounds(options.minimos)
    earlier = None if options.comparar is None else load_report(options.comparar)
    _refuse_twice(options.recuentos)
    tallies = [load_tally(path) for path in options.recuentos]
    try:
        tally = merge(tallies)
    except ValueError:
        raise DataError("abstraction.tallies_disagree") from None
    report = report_of(tally)
    if not report.overall.field_count:
        raise NothingToJudgeError("abstraction.tallies_empty")
    if options.informe is not None:
        _save(options.informe, report.to_json().encode("ascii"), "saved")
    table = view.report_lines(report, all_fields=options.todos)
    return _show(report, table, options, earlier, bounds)


def _refuse_twice(paths: Sequence[Path]) -> None:
    """A part that is added twice counts its cases twice, and nothing in the sum would show it."""
    seen: set[Path] = set()
    for path in paths:
        if resolve(path) in seen:
            raise UsageError("abstraction.tally_twice", path=path)
        seen.add(resolve(path))


if __name__ == "__main__":
    sys.exit(main())
