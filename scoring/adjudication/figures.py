"""What decided rows come to: counts, and the report of the adjudicated gold beside that of the gold as it is.

The adjudicated report is that of the file which :mod:`scoring.adjudication.correction` writes, byte for
byte, worked from the tally without writing it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from scoring.abstraction.decisions import ABSTAINED, MISSING, Decision, decide
from scoring.abstraction.report import report_of
from scoring.abstraction.tally import COLUMNS, FieldTally, Tally
from scoring.adjudication.entries import ROW_VERDICTS, Verdict
from scoring.adjudication.standing import State, new_value, standings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.abstraction.report import ChartAbstractionBenchmarkReport
    from scoring.adjudication.disagreements import Disagreements
    from scoring.adjudication.record import AdjudicationRecord
    from scoring.adjudication.standing import Standing

_COLUMN: Final = {name: place for place, name in enumerate(COLUMNS)}
_AGREEMENT: Final = {"none": "wrong", "normalized": "normalized", "exact": "exact"}


@dataclass(frozen=True, slots=True)
class Figures:
    """Value-free.

    Attributes:
        disagreements: how many rows disagree.
        by_verdict: how many were decided in each way, every way named.
        states: how many stand how; the undecided ones included.
        given: the report of the files as they are.
        adjudicated: the report with the decided rows' gold values in place.
        changed: gold rows whose value would change.
    """

    disagreements: int
    by_verdict: Mapping[Verdict, int]
    states: Mapping[State, int]
    given: ChartAbstractionBenchmarkReport
    adjudicated: ChartAbstractionBenchmarkReport
    changed: int

    @property
    def both(self) -> int:
        """Rows where both are right: the gold row stays, and the scorer goes on counting a disagreement."""
        return self.by_verdict[Verdict.BOTH]


def figures(
    record: AdjudicationRecord,
    found: Disagreements,
    standing: Mapping[tuple[str, str], Standing] | None = None,
) -> Figures:
    """Work out what the record's decisions come to.

    Args:
        record: a sound record.
        found: the disagreements of the two files.
        standing: of :func:`~scoring.adjudication.standing.standings`, if that is known already.

    Raises:
        ConflictError: a file changed since it was listed.
    """
    known = standings(record, found) if standing is None else standing
    counts = {name: list(part.counts) for name, part in found.tally.fields.items()}
    verdicts = Counter(dict.fromkeys(ROW_VERDICTS, 0))
    states = Counter(dict.fromkeys(State, 0))
    changed = 0
    for item in found.items:
        state = known.get(item.place)
        states[State.UNDECIDED if state is None else state.state] += 1
        verdict = None if state is None else state.verdict
        if verdict is None:
            continue
        verdicts[verdict] += 1
        if verdict not in {Verdict.OUTPUT, Verdict.UNANSWERABLE}:
            continue
        pair = found.pair(item)
        value = new_value(verdict, pair)
        if value is None and pair.gold.value is None:
            continue
        changed += 1
        after = decide(item.case_id, item.field_id, item.field_type, value, pair.output)
        row = counts[item.field_id]
        for decision, step in ((pair.decision, -1), (after, 1)):
            row[_COLUMN["gold_unanswerable" if decision.gold is None else "gold_answerable"]] += step
            column = _column(decision)
            if column is not None:
                row[column] += step
    adjudicated = Tally(
        {name: FieldTally(part.field_type, tuple(counts[name])) for name, part in found.tally.fields.items()}
    )
    return Figures(
        len(found.items), verdicts, states, report_of(found.tally), report_of(adjudicated), changed
    )


def _column(decision: Decision) -> int | None:
    """The tally column, beside that of its gold row, which a row counts for."""
    if decision.state == MISSING:
        return None
    if decision.state == ABSTAINED:
        return _COLUMN["abstained_unanswerable" if decision.gold is None else "abstained_answerable"]
    name = "spurious" if decision.gold is None else _AGREEMENT[decision.agreement or ""]
    return _COLUMN[f"{name}_supported" if decision.evidence == "supported" else name]
