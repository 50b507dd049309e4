"""What a person looks at in the report of a chart-abstraction run: metric, order, search, selection.

No Textual and no painting: the screen and the printed table both ask here which slices come in which
order, and what stands in the cells of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from reviewer.abstraction_report import OVERALL, ReportState
from scoring import messages
from scoring.abstraction.intervals import shown
from scoring.abstraction.ranking import Order, errors, matching, ranked
from scoring.abstraction.report import METRICS
from scoring.cli.abstraction_view import decimal_text, interval_text, metric_name, whole

if TYPE_CHECKING:
    from reviewer.abstraction_report import ReportFiles, Slice
    from scoring.abstraction.report import AbstractionScores

FIRST_METRIC: Final = "normalized_agreement"
FAILS, HOLDS, UNJUDGED = "✗", "✓", "–"
WORSE, BETTER = "▼", "▲"


class Show(StrEnum):
    """Which fields are listed.

    Attributes:
        ALL: every field.
        OUT: those with a bound that does not hold.
        MOVED: those in which some metric moved since the earlier report.
    """

    ALL = "todos"
    OUT = "fuera"
    MOVED = "cambiados"


@dataclass(frozen=True, slots=True)
class Cells:
    """The texts of one row.

    Attributes:
        rate: the rate of the metric; a dash without decisions.
        interval: its 95 % interval; empty without decisions.
        errors: how many decisions are wrong; empty without decisions.
        wrong: «88 de 1.000»: wrong decisions of all, or that there is none.
        share: the rate as a number from 0 to 1; None without decisions.
        bound: mark of the bounds: one of any metric fails, all hold, or nothing to say (empty).
        change: mark of the change of the metric; empty when it did not move.
    """

    rate: str
    interval: str
    errors: str
    wrong: str
    share: Fraction | None
    bound: str = ""
    change: str = ""


class AbstractionBoard:
    """The choices of one person over a :class:`ReportState`."""

    def __init__(self, files: ReportFiles) -> None:
        self.files = files
        self.state = ReportState()
        self.metric = FIRST_METRIC
        self.order = Order.ERRORS
        self.show = Show.ALL
        self.search = ""
        self.selected: Slice = OVERALL
        self._listed: tuple[object, tuple[Slice, ...]] = (None, ())

    def adopt(self, state: ReportState) -> None:
        """Go on with another reading; choices that have lost their ground go back to the first one."""
        self.state = state
        if self.order not in self.orders:
            self.order = Order.ERRORS
        if self.show not in self.shows:
            self.show = Show.ALL

    # -- choices -------------------------------------------------------------------------------

    @property
    def orders(self) -> tuple[Order, ...]:
        """The orders there is ground for."""
        return tuple(order for order in Order if order is not Order.CHANGE or self.state.changes)

    @property
    def shows(self) -> tuple[Show, ...]:
        """The selections there is ground for."""
        ground = {Show.ALL: True, Show.OUT: bool(self.state.findings), Show.MOVED: bool(self.state.changes)}
        return tuple(show for show in Show if ground[show])

    def next_metric(self, step: int = 1) -> None:
        """The next metric (or with -1 the one before), round and round."""
        self.metric = METRICS[(METRICS.index(self.metric) + step) % len(METRICS)]

    def choose_metric(self, number: int) -> None:
        """The metric of that number, from 1; others do nothing."""
        if 1 <= number <= len(METRICS):
            self.metric = METRICS[number - 1]

    def next_order(self) -> None:
        """The next order there is ground for."""
        self.order = self.orders[(self.orders.index(self.order) + 1) % len(self.orders)]

    def next_show(self) -> None:
        """The next selection there is ground for."""
        self.show = self.shows[(self.shows.index(self.show) + 1) % len(self.shows)]

    # -- what is listed ------------------------------------------------------------------------

    def places(self) -> tuple[Slice, ...]:
        """Overall and types, then the fields in order; when searching fields only."""
        asked = (self.state, self.metric, self.order, self.show, self.search)
        known, listed = self._listed
        if known != asked:
            listed = self._sorted()
            self._listed = (asked, listed)
        return listed

    def _sorted(self) -> tuple[Slice, ...]:
        report = self.state.report.value
        if report is None:
            return ()
        fields = [item for item in matching(report.by_field, self.search) if self._wanted(("field", item[0]))]
        changes = self.state.differences(self.metric) if self.order is Order.CHANGE else None
        listed = tuple(("field", name) for name, _ in ranked(fields, self.metric, self.order, changes))
        if self.search.split():
            return listed
        kinds = (("type", kind.value) for kind, _ in report.by_field_type)
        return (*filter(self._wanted, (OVERALL, *kinds)), *listed)

    def _wanted(self, place: Slice) -> bool:
        """Whether the selection in force lets the slice be listed."""
        if self.show is Show.OUT:
            return self.state.fails(place)
        return self.show is not Show.MOVED or place in self.state.moved

    def cells(self, place: Slice, metric: str | None = None) -> Cells:
        """The texts of a slice for a metric (the chosen one if None)."""
        name = metric or self.metric
        return cells(self.state, place, name, chosen_only=metric is not None)

    def order_words(self) -> str:
        """How the fields are sorted, in words."""
        return messages.text(f"informe.order_{self.order.value}", metric=metric_name(self.metric))


def cells(state: ReportState, place: Slice, metric: str, *, chosen_only: bool = False) -> Cells:
    """The texts of a slice that the report has.

    Args:
        state: what was read.
        place: the slice.
        metric: one of :data:`scoring.abstraction.report.METRICS`.
        chosen_only: let the mark of the bounds speak of this metric alone and not of any.
    """
    found = state.slices[place].metric(metric)
    findings = [
        finding
        for finding in state.findings.get(place, ())
        if not chosen_only or finding.bound.metric == metric
    ]
    bound = ""
    if findings:
        kept = {finding.holds for finding in findings}
        bound = FAILS if False in kept else HOLDS if True in kept else UNJUDGED
    change = state.changes.get(place, {}).get(metric)
    moved = "" if change is None or not change.moved else WORSE if change.worse else BETTER
    interval = shown(found.success_count, found.total_count)
    if interval is None:
        return Cells("–", "", "", messages.text("abstraction.no_trials"), None, bound, moved)
    rate = Fraction(found.success_count, found.total_count)
    wrong = whole(errors(metric, found))
    of_all = messages.text("informe.wrong", wrong=wrong, total=whole(found.total_count))
    return Cells(decimal_text(rate), interval_text(interval), wrong, of_all, rate, bound, moved)


def bar(share: Fraction | None, width: int) -> tuple[str, str]:
    """The filled and the empty part; full only at exactly 1, empty only at exactly 0."""
    if share is None:
        return "", "·" * width
    done = round(share * width)
    if 0 < share < 1:
        done = max(1, min(done, width - 1))
    return "━" * done, "─" * (width - done)


def disagreements(scores: AbstractionScores) -> int:
    """Rows that adjudication would list: answers that do not agree with the gold, and wrong abstentions.

    A row without an output is none of them.
    """
    agreed = scores.normalized_agreement.success_count
    return scores.answered_count - agreed + scores.answerable_abstention.success_count


def label(place: Slice) -> str:
    """What a slice is called in the list."""
    scope, name = place
    if scope == "overall":
        return messages.text("informe.overall")
    return messages.text("informe.type", name=name) if scope == "type" else name
