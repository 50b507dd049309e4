"""The dashboard of a chart-abstraction report as plain lines, for a pipe or a terminal that cannot paint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from reviewer.abstraction_board import bar, disagreements, label
from reviewer.abstraction_report import OVERALL
from scoring import messages
from scoring.abstraction.compare import compare
from scoring.abstraction.report import METRICS
from scoring.cli.abstraction_view import comparison_lines, counts_text, metric_name, minimums_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reviewer.abstraction_board import AbstractionBoard

BAR_CELLS: Final = 10
_NAME_CELLS: Final = 60
_RATE_CELLS: Final = 8
_INTERVAL_CELLS: Final = 16


def table_lines(board: AbstractionBoard) -> Iterator[str]:
    """Overall by every metric, then every slice by the chosen one, in the order of the board."""
    state = board.state
    report = state.report.value
    if report is None:
        return
    yield messages.text("abstraction.title_overall")
    yield "  " + counts_text(report.overall)
    names = max(len(metric_name(metric)) for metric in METRICS)
    for metric in METRICS:
        yield _row(board, metric_name(metric), names, metric)
    yield ""
    yield messages.text("informe.title_fields", order=board.order_words())
    places = board.places()
    width = min(_NAME_CELLS, max(map(len, map(label, places)), default=0))
    for place in places:
        if place != OVERALL:
            cells = board.cells(place)
            marks = f"{cells.bound or ' '}{cells.change or ' '}"
            line = f"  {marks} {label(place):<{width}}  {''.join(bar(cells.share, BAR_CELLS))}"
            figures = f"{cells.rate:>{_RATE_CELLS}}  {cells.interval:<{_INTERVAL_CELLS}}  {cells.wrong}"
            yield f"{line}  {figures}".rstrip()
    findings = [finding for found in state.findings.values() for finding in found]
    if findings:
        yield ""
        yield from minimums_lines(findings)
    if state.earlier.value is not None:
        yield ""
        yield from comparison_lines(compare(state.earlier.value, report), all_fields=True)
    yield ""
    waiting = disagreements(report.overall)
    if waiting:
        yield messages.text("informe.adjudicate", n=waiting)
    yield messages.text("informe.legend")
    yield messages.text("informe.footer")


def _row(board: AbstractionBoard, name: str, width: int, metric: str) -> str:
    cells = board.cells(OVERALL, metric)
    line = f"  {name:<{width}}  {''.join(bar(cells.share, BAR_CELLS))}  {cells.rate:>{_RATE_CELLS}}"
    return f"{line}  {cells.interval:<{_INTERVAL_CELLS}}  {cells.wrong}".rstrip()
