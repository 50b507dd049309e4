"""``run-ragas``: say whether the outputs rest on the passages that were retrieved for them."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring import messages
from scoring.cli import console
from scoring.cli.arguments import ArgumentParser, choose_language, one_of
from scoring.cli.evals_options import judge_type
from scoring.cli.inputs import protect, read_outputs, read_passages
from scoring.cli.judge_run import write_result
from scoring.cli.reserved import keep_apart
from scoring.clinical import SPLIT_CHOICES
from scoring.clinical.report import RESERVED_SPLIT, nameable_ids
from scoring.errors import IntegrityError, NothingToJudgeError, UsageError
from scoring.judges.choose import Chosen, choose, destination
from scoring.judges.citations import CitationCheck, add_up, check_citations
from scoring.judges.claude import MissingExtraError
from scoring.judges.exchange import Cancel
from scoring.judges.grounding import (
    Grounding,
    GroundingReport,
    Limits,
    dangling_metric,
    failures_of,
    metric_results,
    read_grounding_limits,
)
from scoring.judges.judging import judge_name
from scoring.judges.passages import digest_of
from scoring.judges.question import is_empty
from scoring.judges.ragas_lib import METRICS, Measured, load_library, measure
from scoring.judges.samples import Sample, sample
from scoring.judges.servers import Server
from scoring.looks import LEAST_CASES
from scoring.record import take_snapshot
from scoring.record.audit import gate_check
from scoring.record.required import read_rule
from scoring.sources import find_cases, find_thresholds
from scoring.tables import THRESHOLDS, thresholds_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from scoring.cases import Case
    from scoring.clinical import Predictions
    from scoring.clinical.judged import GroundingMetric
    from scoring.sources import Source

PROGRAM = "run-ragas"
_JUDGES = "auto|ollama|openai|URL"
_CITED = "citas"
_KIND = "anclaje"


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        PROGRAM,
        description="ragas.description",
        examples=(
            "run-ragas --predicciones salidas.jsonl --fragmentos fragmentos.jsonl",
            "run-ragas --predicciones salidas.jsonl --fragmentos fragmentos.jsonl --solo-citas --puerta",
            "run-ragas --predicciones salidas.jsonl --fragmentos fragmentos.jsonl --informe anclaje.json",
        ),
        notes="ragas.exit_codes",
    )
    file = messages.text("run_evals.metavar_file")

    def say(name: str) -> str:
        return messages.text(f"ragas.help_{name}")

    def shared(name: str) -> str:
        return messages.text(f"run_evals.help_{name}")

    add = parser.add_argument
    add("--casos", metavar=file, type=Path, help=shared("cases"))
    add("--predicciones", metavar=file, type=Path, help=shared("predictions"))
    add("--fragmentos", metavar=file, type=Path, help=say("passages"))
    splits = "|".join(SPLIT_CHOICES)
    split_type = one_of("--split", SPLIT_CHOICES)
    add("--split", metavar=splits, type=split_type, default="dev", help=shared("split"))
    add("--incluir-pendientes", action="store_true", help=shared("pending"))
    add("--umbrales", metavar=file, type=Path, help=shared("thresholds"))
    add("--juez", metavar=_JUDGES, type=judge_type, default="auto", help=say("judge"))
    add(
        "--workers", metavar="N", type=_number("--workers", 1, 64, whole=True), default=2, help=say("workers")
    )
    add("--timeout", metavar="S", type=_number("--timeout", 0.1, 86_400), default=900.0, help=say("timeout"))
    add("--embed", metavar=messages.text("run_evals.metavar_name"), help=say("embed"))
    add("--solo-citas", action="store_true", help=say("citations_only"))
    add("--puerta", action="store_true", help=say("gate"))
    add("--informe", metavar=file, type=Path, help=shared("report"))
    add("--ignorar-desconocidas", action="store_true", help=shared("ignore_unknown"))
    parser.add_common()
    return parser


def _number(option: str, low: float, high: float, *, whole: bool = False) -> Callable[[str], float]:
    def convert(found: str) -> float:
        try:
            value = Decimal(found)
        except InvalidOperation:
            value = Decimal("NaN")
        if not value.is_finite() or not low <= value <= high or (whole and value % 1):
            raise UsageError("ragas.bad_number", option=option, found=found, low=f"{low:g}", high=f"{high:g}")
        return int(value) if whole else float(value)

    return convert


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; answers with its exit code and never raises."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    return console.run(lambda: _body(arguments), program=PROGRAM)


def _body(arguments: Sequence[str]) -> int:
    choose_language(arguments)
    options = _options(arguments)
    source = find_cases(options.casos, os.environ, Path.cwd())
    if options.casos is None:
        console.talk(messages.text(f"run_evals.source_{source.kind}", path=source.path))
    protect(
        source.path,
        read=(options.predicciones, options.fragmentos, options.umbrales),
        written={"--informe": options.informe},
    )
    thresholds = find_thresholds(options.umbrales, source.path)
    data = thresholds_table(thresholds)
    limits = read_grounding_limits(data)
    snapshot = take_snapshot(source.path, rule=read_rule(data, name=str(thresholds or THRESHOLDS)))
    predictions = read_outputs(
        options.predicciones, snapshot.file, ignore_unknown=options.ignorar_desconocidas
    )
    for notice in predictions.notices:
        console.talk(messages.text("run_evals.ignored", sentence=notice.sentence()))
    passages = read_passages(options.fragmentos, snapshot.file)
    breaks, states = gate_check(snapshot, nameable_ids(snapshot.file))
    if breaks:
        raise IntegrityError("ragas.broken_record")
    rows = [row.case for row in snapshot.file.rows if options.split in (row.case.split, "todos")]
    counted = [case for case in rows if options.incluir_pendientes or states[case.id].counts]
    cases = _select(counted, predictions, passages)
    samples = [sample(case, predictions.by_id[case.id], passages[case.id]) for case in cases.ready]
    for kind, told in ((_CITED, cases.looked), (_KIND, () if options.solo_citas else cases.ready)):
        _guard_reserved(source, told, kind)
    checks = {
        case.id: check_citations(predictions.by_id[case.id], len(passages[case.id])) for case in cases.looked
    }
    citations = add_up(list(checks.values()))
    dangling = dangling_metric(citations, limits)
    measured = _Measurement() if options.solo_citas else _measured(options, samples, data)
    metrics = measured.results(limits, samples)
    verdict, why = _verdict(options, samples, cases.looked, metrics, measured, limits)
    failures = failures_of(metrics, dangling, limits.thresholds)
    if verdict is Grounding.PASSES and failures:
        verdict = Grounding.FAILS
    open_checks: dict[str, CitationCheck] = {
        case.id: checks[case.id]
        for case in sorted(cases.looked, key=lambda case: case.id)
        if case.split != RESERVED_SPLIT
    }
    report = GroundingReport(
        split=options.split,
        judge=measured.judge,
        destination=measured.server.address if measured.server is not None else "",
        local=measured.server is None or measured.server.local,
        gate=options.puerta,
        counted=len(counted),
        samples=len(samples),
        no_passages=len(cases.with_output) - len(cases.ready),
        no_output=len(counted) - len(cases.with_output),
        pending=len(rows) - len(counted),
        citations=citations,
        checks=open_checks,
        metrics=metrics,
        dangling=dangling,
        failures=failures,
        verdict=verdict,
        why_not=why,
        rows=measured.rows(set(open_checks)),
        digests={
            "digest_predicciones": predictions.digest,
            "digest_fragmentos": digest_of(passages),
        },
        run={"segundos": round(measured.seconds, 3)},
    )
    console.out("\n".join(report.lines()))
    if options.informe is not None:
        write_result(options.informe, report.to_json(generated=datetime.now(UTC)))
    return int(report.exit_code)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line, once what this command needs is there and what it cannot do was not asked for."""
    options = _parser().parse(arguments)
    if options.predicciones is None:
        raise UsageError("ragas.no_predictions")
    if options.fragmentos is None:
        raise UsageError("ragas.no_passages")
    if options.juez == "claude":
        raise UsageError("ragas.no_claude")
    if options.embed is not None:
        console.talk(messages.text("ragas.embed_unused"))
    return options


@dataclass(frozen=True, slots=True)
class _Selection:
    """Which of the counted cases can be looked at, each list in file order.

    Attributes:
        with_output: those whose output says anything.
        ready: those among them with a passage: their grounding can be measured.
        looked: those among them whose passages were looked for, found or not. Their citations are checked:
            a case without passages can still cite one that is not there.
    """

    with_output: tuple[Case, ...]
    ready: tuple[Case, ...]
    looked: tuple[Case, ...]


def _select(
    counted: Iterable[Case], predictions: Predictions, passages: Mapping[str, tuple[str, ...]]
) -> _Selection:
    with_output = tuple(case for case in counted if not is_empty(predictions.by_id.get(case.id, {})))
    return _Selection(
        with_output=with_output,
        ready=tuple(case for case in with_output if passages.get(case.id)),
        looked=tuple(case for case in with_output if case.id in passages),
    )


def _guard_reserved(source: Source, told: Sequence[Case], kind: str) -> None:
    """Refuse sums over one or two reserved cases, and such as differ by one or two from earlier ones.

    Raises:
        NothingToJudgeError: of fewer than three.
        UsageError: too near to an earlier one.
    """
    reserved = frozenset(case.id for case in told if case.split == RESERVED_SPLIT)
    if not reserved:
        return
    if len(reserved) < LEAST_CASES:
        raise NothingToJudgeError("ragas.few_reserved", n=len(reserved), least=LEAST_CASES)
    keep_apart(source, reserved, kind)


class _Measurement:
    """What the metrics came to, or why there are none."""

    def __init__(self) -> None:
        self.judge = "ninguno"
        self.server: Server | None = None
        self.figures: list[Measured] = []
        self.why_not = ""
        self.seconds = 0.0

    def results(self, limits: Limits, samples: Sequence[Sample]) -> tuple[GroundingMetric, ...]:
        """Each metric over the samples; nothing if none was tried."""
        reserved = frozenset(item.case_id for item in samples if item.reserved)
        return metric_results(self.figures, limits, reserved=reserved) if self.figures else ()

    def rows(self, open_ids: set[str]) -> dict[str, dict[str, float | None]]:
        """Case id of the open split -> metric -> figure."""
        rows: dict[str, dict[str, float | None]] = {}
        for one in self.figures:
            if one.case_id in open_ids:
                rows.setdefault(one.case_id, {})[one.metric] = one.value
        return rows


def _measured(
    options: argparse.Namespace, samples: Sequence[Sample], data: Mapping[str, Any]
) -> _Measurement:
    result = _Measurement()
    if not samples:
        return result
    try:
        load_library()  # before anything is asked: it is the likelier part to be missing
    except MissingExtraError as error:
        result.why_not = str(error)
        return result
    cancel = Cancel()
    chosen = choose(options.juez, os.environ, cancel, data=data)
    if chosen.transport is None or chosen.settings is None:
        result.why_not = chosen.why_not
        return result
    console.talk(destination(chosen.transport))
    result.judge = judge_name(chosen.transport)
    result.server = chosen.transport.server
    reserved = {item.case_id for item in samples if item.reserved}
    total = len(samples) * len(METRICS)
    done = 0

    def tell(one: Measured) -> None:
        nonlocal done
        done += 1
        who = messages.text("judges.reserved_case") if one.case_id in reserved else one.case_id
        fields = {"done": done, "total": total, "who": who, "metric": one.metric}
        if one.value is None:
            why = messages.text(f"ragas.reason_{one.reason}")
            console.talk(messages.text("ragas.progress_not", **fields, why=why))
        else:
            console.talk(messages.text("ragas.progress", **fields, seconds=f"{one.seconds:.1f}"))

    start = time.monotonic()
    result.figures = measure(
        samples,
        _chat_server(chosen),
        chosen.transport.model,
        chosen.settings.key,
        workers=options.workers,
        seconds=options.timeout,
        pause=chosen.settings.pause,
        cancel=cancel,
        progress=tell,
    )
    result.seconds = time.monotonic() - start
    return result


def _chat_server(chosen: Chosen) -> Server:
    """Where the chosen server speaks the OpenAI chat protocol: an Ollama server does under ``/v1``."""
    assert chosen.transport is not None  # noqa: S101 - the caller has looked
    server = chosen.transport.server
    if chosen.transport.kind == "ollama":
        return Server(server.scheme, server.host, server.port, f"{server.path}/v1")
    return server


def _verdict(
    options: argparse.Namespace,
    samples: Sequence[Sample],
    looked: Sequence[object],
    metrics: Sequence[GroundingMetric],
    measured: _Measurement,
    limits: Limits,
) -> tuple[Grounding, str]:
    if not samples and not (options.solo_citas and looked):
        return Grounding.NOTHING, messages.text("ragas.no_sample", split=options.split)
    if options.solo_citas:
        return Grounding.CITATIONS_ONLY, ""
    if measured.why_not or not metrics:
        return Grounding.NOT_MEASURED, measured.why_not or messages.text("ragas.no_model")
    few = [
        messages.text("ragas.reserved_gap", metric=result.figure.metric, n=result.samples - result.measured)
        if result.withheld
        else messages.text(
            "ragas.too_few",
            metric=result.figure.metric,
            measured=result.measured,
            samples=result.samples,
            fewest=limits.fewest,
            share=f"{limits.share * 100:f}".partition(".")[0],
        )
        for result in metrics
        if not result.enough
    ]
    return (Grounding.NOT_MEASURED, " ".join(few)) if few else (Grounding.PASSES, "")


if __name__ == "__main__":
    raise SystemExit(main())
