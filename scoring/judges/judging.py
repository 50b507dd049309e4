"""Judging the outputs of a split: which are asked about, what is kept, what the report gets of it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from scoring.clinical.judged import JudgePart
from scoring.clinical.report import RESERVED_SPLIT
from scoring.errors import DataError
from scoring.judges.aggregate import judge_thresholds, measure, untold
from scoring.judges.errors import ModelError
from scoring.judges.question import addresses_judge, is_empty, question, rubric_digest
from scoring.judges.rubric import REASON, VIOLATION, Rubric, criteria, exact_score, read_rubric, schema
from scoring.judges.transport import Ask
from scoring.judges.work import Job, ask_all
from scoring.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scoring.cases import Case
    from scoring.clinical.calibration_state import CalibrationState
    from scoring.clinical.gate import Threshold
    from scoring.judges.choose import Chosen
    from scoring.judges.exchange import Cancel
    from scoring.judges.journal import Journal
    from scoring.judges.settings import Settings
    from scoring.judges.transport import Transport
    from scoring.judges.work import Outcome

_MILLION = Decimal(1_000_000)
_ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A case of the split with its output.

    Attributes:
        case: the case.
        output: the object under ``interpretacion``; None without prediction.
        counted: it counts for the gate in this run.
        passages: what was retrieved for it, or None.
    """

    case: Case
    output: Mapping[str, Any] | None
    counted: bool
    passages: tuple[str, ...] | None = None

    @property
    def reserved(self) -> bool:
        """Nothing may be told of it by name."""
        return self.case.split == RESERVED_SPLIT

    @property
    def judgeable(self) -> bool:
        """There is something to judge."""
        return self.output is not None and not is_empty(self.output)


@dataclass(frozen=True, slots=True)
class Progress:
    """One step of a run.

    Attributes:
        done: questions that are settled.
        total: questions of the run.
        case_id: whose turn it was; None for a case of the reserved split.
        seconds: what it took; 0 for one taken from an earlier run.
        error: the sentence of the error, or None.
    """

    done: int
    total: int
    case_id: str | None
    seconds: float
    error: str | None


@dataclass(slots=True)
class Judgement:
    """What came of a run.

    Attributes:
        rubrics: case id -> rubric, of both splits.
        errors: case id -> code of the error that left it without one.
        sentence: the last error in words, or nothing.
        asked: questions that were put.
        reused: rubrics taken from an earlier run.
        seconds: wall time of the run.
        answering: sum of the time of the single questions.
        tokens_in: as counted by the server; None if it does not count.
        tokens_out: likewise.
    """

    rubrics: dict[str, Rubric] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    sentence: str = ""
    asked: int = 0
    reused: int = 0
    seconds: float = 0.0
    answering: float = 0.0
    tokens_in: int | None = None
    tokens_out: int | None = None

    def take(self, outcome: Outcome[Rubric]) -> None:
        """Count one outcome in."""
        self.asked += 1
        self.answering += outcome.seconds
        if outcome.tokens_in is not None:
            self.tokens_in = (self.tokens_in or 0) + outcome.tokens_in
        if outcome.tokens_out is not None:
            self.tokens_out = (self.tokens_out or 0) + outcome.tokens_out
        if outcome.value is not None:
            self.rubrics[outcome.case_id] = outcome.value
        elif outcome.error is not None:
            self.errors[outcome.case_id] = outcome.error.code
            self.sentence = str(outcome.error)

    def cost(self, settings: Settings) -> Decimal | None:
        """What the tokens cost at the prices that were set; None without prices or counts."""
        if settings.price_in is None or settings.price_out is None:
            return None
        if self.tokens_in is None or self.tokens_out is None:
            return None
        total = self.tokens_in * settings.price_in + self.tokens_out * settings.price_out
        return (total / _MILLION).quantize(Decimal("0.0001"))

    def run(self, settings: Settings) -> dict[str, Any]:
        """Time and cost as the report has them."""
        cost = self.cost(settings)
        return {
            "preguntados": self.asked,
            "reutilizados": self.reused,
            "segundos": round(self.seconds, 3),
            "segundos_por_caso": round(self.answering / self.asked, 3) if self.asked else None,
            "tokens_entrada": self.tokens_in,
            "tokens_salida": self.tokens_out,
            "coste": None if cost is None else f"{cost:f}",
        }


def judge(
    candidates: Sequence[Candidate],
    transport: Transport,
    settings: Settings,
    *,
    cancel: Cancel,
    journal: Journal | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Judgement:
    """Have every output judged that can be, the counted cases first.

    Args:
        candidates: the cases of the split.
        transport: the way to the judge.
        settings: how it is asked.
        cancel: ends the run from another thread.
        journal: keeps each rubric of the open split as it comes, and gives back those of an earlier run
            that answer the very same question. Rubrics of the reserved split are never written.
        progress: told of every step, in the caller's thread.

    Raises:
        DataError: a line of the journal is no rubric.
        KeyboardInterrupt: after everything judged so far was kept.
    """
    start = time.monotonic()
    wanted = sorted((c for c in candidates if c.judgeable), key=lambda c: not c.counted)
    by_id = {candidate.case.id: candidate for candidate in wanted}
    asks = {case_id: _ask(candidate, settings) for case_id, candidate in by_id.items()}
    keys = {case_id: question_key(transport, ask) for case_id, ask in asks.items()}
    result = Judgement()
    kept = _kept(journal) if journal is not None else {}
    jobs: list[Job] = []
    done = 0

    def tell(case_id: str, seconds: float, error: str | None) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            named = None if by_id[case_id].reserved else case_id
            progress(Progress(done, len(by_id), named, seconds, error))

    for case_id, ask in asks.items():
        earlier = kept.get(keys[case_id])
        if earlier is not None and set(earlier.scores) == set(criteria(grounded=_grounded(by_id[case_id]))):
            result.rubrics[case_id] = earlier
            result.reused += 1
            tell(case_id, 0.0, None)
        else:
            jobs.append(Job(case_id, ask))

    def read(job: Job, text: str) -> Rubric:
        return read_rubric(text, grounded=_grounded(by_id[job.case_id]))

    def keep(outcome: Outcome[Rubric]) -> None:
        result.take(outcome)
        if outcome.value is not None and journal is not None and not by_id[outcome.case_id].reserved:
            journal.add(_row(keys[outcome.case_id], outcome, outcome.value, transport))

    try:
        with contextlib.closing(ask_all(jobs, transport, settings, read, cancel, keep)) as outcomes:
            for outcome in outcomes if jobs else ():
                tell(outcome.case_id, outcome.seconds, str(outcome.error) if outcome.error else None)
    finally:
        result.seconds = time.monotonic() - start
    for case_id in by_id:
        if case_id not in result.rubrics:
            result.errors.setdefault(case_id, _ABANDONED)
    return result


def _grounded(candidate: Candidate) -> bool:
    return bool(candidate.passages)


def _ask(candidate: Candidate, settings: Settings) -> Ask:
    asked = question(candidate.case, candidate.output or {}, candidate.passages)
    return Ask(asked.system, asked.user, schema(grounded=asked.grounded), settings.seconds, settings.tokens)


def question_key(transport: Transport, ask: Ask) -> str:
    """SHA-256 (hex) of who is asked what; an earlier answer serves only if this is the same."""
    asked = [
        transport.kind,
        transport.model,
        transport.server.address,
        ask.system,
        ask.user,
        ask.schema,
        ask.tokens,
    ]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def _row(key: str, outcome: Outcome[Rubric], rubric: Rubric, transport: Transport) -> dict[str, Any]:
    return {
        "clave": key,
        "id": outcome.case_id,
        "juez": judge_name(transport),
        "rubrica": rubric.to_exact(),
        "segundos": round(outcome.seconds, 3),
        "tokens_entrada": outcome.tokens_in,
        "tokens_salida": outcome.tokens_out,
    }


def _kept(journal: Journal) -> dict[str, Rubric]:
    kept: dict[str, Rubric] = {}
    problems: list[Problem] = []
    for number, row in journal.rows:
        try:
            key, stored = row["clave"], row["rubrica"]
            if not isinstance(key, str):
                raise TypeError  # noqa: TRY301 - one refusal for every way of being wrong
            scores = {
                name: exact_score(written, name)
                for name, written in stored.items()
                if name not in {VIOLATION, REASON}
            }
            if set(scores) not in ({*criteria(grounded=False)}, {*criteria(grounded=True)}):
                raise TypeError  # noqa: TRY301 - likewise
            if not isinstance(stored[VIOLATION], bool) or not isinstance(stored[REASON], str):
                raise TypeError  # noqa: TRY301 - likewise
            kept[key] = Rubric(scores, stored[VIOLATION], stored[REASON])
        except (KeyError, TypeError, AttributeError, ModelError):
            problems.append(Problem("judges.no_rubric_line", line=number))
    if problems:
        raise DataError("judges.journal_broken", path=journal.path, n=len(problems), problems=problems)
    return kept


def judge_name(transport: Transport) -> str:
    """What reports call a judge: its kind and model."""
    return f"{transport.kind}:{transport.model}"


def part_of(
    candidates: Sequence[Candidate],
    chosen: Chosen,
    judgement: Judgement | None,
    *,
    informative: bool,
    calibration: CalibrationState,
    thresholds: Sequence[Threshold] | None = None,
    shows_reserved: bool = False,
) -> JudgePart:
    """The judge's part of the report.

    Args:
        candidates: the cases of the split; the lists of the part are by id whatever their order.
        chosen: which judge there was, or why there was none.
        judgement: what it answered; None without a judge.
        informative: its thresholds do not bind.
        calibration: what is known of its agreement with the vets.
        thresholds: None for those in force.
        shows_reserved: single cases of the reserved split may be told of.
    """
    transport, settings = chosen.transport, chosen.settings
    if transport is None or settings is None or judgement is None:
        return JudgePart(by_name=chosen.by_name, informative=informative, why_not=chosen.why_not)
    limits = judge_thresholds() if thresholds is None else tuple(thresholds)
    judgeable = sorted((c for c in candidates if c.judgeable), key=lambda c: c.case.id)
    counted = [c for c in judgeable if c.counted]
    rubrics = [judgement.rubrics[c.case.id] for c in counted if c.case.id in judgement.rubrics]
    reserved = [] if shows_reserved else [judgement.rubrics.get(c.case.id) for c in counted if c.reserved]
    withheld = untold(reserved)
    metrics, failures = measure(rubrics, len(counted) - len(rubrics), limits, withheld)
    without = [c for c in judgeable if c.case.id not in judgement.rubrics]
    speaking = [c for c in judgeable if addresses_judge(c.output or {})]
    return JudgePart(
        name=judge_name(transport),
        destination=transport.server.address,
        local=transport.server.local,
        by_name=chosen.by_name,
        informative=informative,
        why_not="" if rubrics else judgement.sentence,
        calibration=calibration,
        metrics=metrics,
        failures=failures,
        withheld=tuple(one.metric for one in metrics if one.metric in withheld),
        judged=len(rubrics),
        judgeable=len(counted),
        unjudged=tuple(c.case.id for c in without if not c.reserved),
        reserved_unjudged=sum(c.reserved for c in without),
        reasons=dict(Counter(judgement.errors[c.case.id] for c in without)),
        addressed=tuple(c.case.id for c in speaking if not c.reserved),
        reserved_addressed=sum(c.reserved for c in speaking),
        rubrics={
            c.case.id: judgement.rubrics[c.case.id].to_dict()
            for c in judgeable
            if not c.reserved and c.case.id in judgement.rubrics
        },
        rubric=rubric_digest(),
        run=judgement.run(settings),
    )
