"""The value-free report: counts, six binomial metrics with their intervals, per field, type and overall."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from scoring.abstraction.canonical import canonical_json
from scoring.abstraction.intervals import Interval, wilson
from scoring.abstraction.tally import WIDTH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scoring.abstraction.normalize import AbstractionFieldType
    from scoring.abstraction.tally import Tally

METRICS: Final = (
    "exact_agreement",
    "normalized_agreement",
    "abstention_correctness",
    "answerable_abstention",
    "unanswerable_answer",
    "evidence_support",
)
"""The metrics of a slice; the fourth and the fifth count errors."""

ERROR_METRICS: Final = frozenset({"answerable_abstention", "unanswerable_answer"})
COUNTS: Final = (
    "field_count",
    "answerable_count",
    "unanswerable_count",
    "missing_count",
    "answered_count",
    "abstained_count",
)


@dataclass(frozen=True, slots=True)
class AbstractionMetric:
    """Successes among trials.

    Raises:
        ValueError: ``invalid_metric_counts``, unless both are ints with 0 <= successes <= trials.
    """

    success_count: int
    total_count: int

    def __post_init__(self) -> None:
        if (
            type(self.success_count) is not int
            or type(self.total_count) is not int
            or not 0 <= self.success_count <= self.total_count
        ):
            raise ValueError("invalid_metric_counts")

    @property
    def interval(self) -> Interval | None:
        """95 % Wilson interval, descriptive, per field decision; None without trials."""
        return wilson(self.success_count, self.total_count)

    def to_dict(self) -> dict[str, Any]:
        """Both counts and the interval (a list of two, or None)."""
        interval = self.interval
        return {
            "success_count": self.success_count,
            "total_count": self.total_count,
            "interval": None if interval is None else list(interval),
        }


@dataclass(frozen=True, slots=True)
class AbstractionScores:
    """One slice: six counts of rows and six metrics.

    ``field_count`` = answerable + unanswerable = missing + answered + abstained.
    """

    field_count: int
    answerable_count: int
    unanswerable_count: int
    missing_count: int
    answered_count: int
    abstained_count: int
    exact_agreement: AbstractionMetric
    normalized_agreement: AbstractionMetric
    abstention_correctness: AbstractionMetric
    answerable_abstention: AbstractionMetric
    unanswerable_answer: AbstractionMetric
    evidence_support: AbstractionMetric

    def metric(self, name: str) -> AbstractionMetric:
        """The metric of that name (one of :data:`METRICS`)."""
        found = getattr(self, name)
        if not isinstance(found, AbstractionMetric):
            raise KeyError(name)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Counts as ints, metrics as their dicts."""
        counts: dict[str, Any] = {name: getattr(self, name) for name in COUNTS}
        return counts | {name: self.metric(name).to_dict() for name in METRICS}


@dataclass(frozen=True, slots=True)
class ChartAbstractionBenchmarkReport:
    """The slices of one run: overall, by field id and by type label, the last two in that order."""

    overall: AbstractionScores
    by_field: tuple[tuple[str, AbstractionScores], ...]
    by_field_type: tuple[tuple[AbstractionFieldType, AbstractionScores], ...]

    def to_dict(self) -> dict[str, Any]:
        """``overall``, ``by_field`` and ``by_field_type`` as JSON values."""
        return {
            "overall": self.overall.to_dict(),
            "by_field": {name: scores.to_dict() for name, scores in self.by_field},
            "by_field_type": {kind.value: scores.to_dict() for kind, scores in self.by_field_type},
        }

    def to_json(self) -> str:
        """Canonical JSON of :meth:`to_dict`: the same bytes for any order of the input rows.

        Field ids and labels are plain ASCII, so the text is put together from parts that are written
        once for each pair of counts.
        """
        fields = ",".join(
            f'"{name}":{_slice_json(scores)}' for name, scores in sorted(self.by_field, key=itemgetter(0))
        )
        types = sorted(((kind.value, scores) for kind, scores in self.by_field_type), key=itemgetter(0))
        kinds = ",".join(f'"{kind}":{_slice_json(scores)}' for kind, scores in types)
        return (
            f'{{"by_field":{{{fields}}},"by_field_type":{{{kinds}}},"overall":{_slice_json(self.overall)}}}'
        )


def _slice_json(scores: AbstractionScores) -> str:
    """The canonical JSON of one slice; the keys stand in the order of their code points."""
    return (
        f'{{"abstained_count":{scores.abstained_count}'
        f',"abstention_correctness":{_metric_json(scores.abstention_correctness)}'
        f',"answerable_abstention":{_metric_json(scores.answerable_abstention)}'
        f',"answerable_count":{scores.answerable_count}'
        f',"answered_count":{scores.answered_count}'
        f',"evidence_support":{_metric_json(scores.evidence_support)}'
        f',"exact_agreement":{_metric_json(scores.exact_agreement)}'
        f',"field_count":{scores.field_count}'
        f',"missing_count":{scores.missing_count}'
        f',"normalized_agreement":{_metric_json(scores.normalized_agreement)}'
        f',"unanswerable_answer":{_metric_json(scores.unanswerable_answer)}'
        f',"unanswerable_count":{scores.unanswerable_count}}}'
    )


@lru_cache(maxsize=65_536)
def _metric_json(metric: AbstractionMetric) -> str:
    return canonical_json(metric.to_dict())


def binomials(counts: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Successes and trials of each of :data:`METRICS`, from a row of tally columns.

    The row may be that of one field or a sum over fields, cases or both.
    """
    (
        answerable,
        unanswerable,
        abstained_answerable,
        abstained_unanswerable,
        wrong,
        wrong_supported,
        normalized,
        normalized_supported,
        exact,
        exact_supported,
        spurious,
        spurious_supported,
    ) = counts
    same = exact + exact_supported
    equal = same + normalized + normalized_supported
    answered_answerable = equal + wrong + wrong_supported
    answered_unanswerable = spurious + spurious_supported
    supported = wrong_supported + normalized_supported + exact_supported + spurious_supported
    return (
        (same, answerable),
        (equal, answerable),
        (answered_answerable + abstained_unanswerable, answerable + unanswerable),
        (abstained_answerable, answerable),
        (answered_unanswerable, unanswerable),
        (supported, answered_answerable + answered_unanswerable),
    )


def scores(counts: Sequence[int]) -> AbstractionScores:
    """The slice of a row of tally columns, of one field or summed over several."""
    answerable, unanswerable, abstained_answerable, abstained_unanswerable = counts[:4]
    answered = sum(counts[4:])
    abstained = abstained_answerable + abstained_unanswerable
    return AbstractionScores(
        answerable + unanswerable,
        answerable,
        unanswerable,
        answerable + unanswerable - answered - abstained,
        answered,
        abstained,
        *(AbstractionMetric(successes, trials) for successes, trials in binomials(counts)),
    )


def report_of(tally: Tally) -> ChartAbstractionBenchmarkReport:
    """The report of a tally: types and overall are sums over the fields."""
    overall = [0] * WIDTH
    by_type: dict[AbstractionFieldType, list[int]] = {}
    by_field: list[tuple[str, AbstractionScores]] = []
    for name, part in sorted(tally.fields.items()):
        by_field.append((name, scores(part.counts)))
        sums = by_type.setdefault(part.field_type, [0] * WIDTH)
        for column, count in enumerate(part.counts):
            sums[column] += count
            overall[column] += count
    return ChartAbstractionBenchmarkReport(
        overall=scores(overall),
        by_field=tuple(by_field),
        by_field_type=tuple(
            (kind, scores(sums)) for kind, sums in sorted(by_type.items(), key=lambda item: item[0].value)
        ),
    )
