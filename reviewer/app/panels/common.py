"""What the views of the dashboard share: names, marks, headings, and the table of measured figures."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from reviewer.app import theme
from reviewer.app.panels.bars import share_cells, styled
from reviewer.app.text import Content, indent, join, literal, tell
from scoring import messages
from scoring.clinical import Verdict
from scoring.clinical.gate import Kind
from scoring.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scoring.clinical import MetricResult
    from scoring.clinical.gate import Threshold
    from scoring.clinical.judged import JudgeMetric

VERDICT_STYLE = {Verdict.PASSES: f"bold {theme.GOOD}", Verdict.FAILS: theme.BAD}
_VERDICT_MARK = {Verdict.PASSES: "✓", Verdict.FAILS: "✗"}
_NAME_CELLS = 24
_FEWEST_NAME_CELLS = 8
_LONGEST_BAR, _SHORTEST_BAR = 36, 8


def number(text: str) -> str:
    """A figure as the language in force writes it: «0,83» in Spanish."""
    return text.replace(".", ",") if messages.language() == "es" else text


def metric_name(metric: str) -> str:
    """The metric in words; one that nobody knows, from a stored report, as it is called there."""
    for area in ("app", "board"):
        if f"metric_{metric}" in messages.catalogue(area):
            return messages.text(f"{area}.metric_{metric}")
    return plain(metric)


def outputs_name(generator: str) -> str:
    """What a report was made from; the word that is the same for all files leaves room for their names."""
    return generator.removeprefix("predicciones:") or "–"


def verdict_words(verdict: Verdict) -> str:
    """The verdict in a few words: «PASA», «NO PASA»."""
    return messages.text(f"app.verdict_{verdict.value}")


def verdict_text(verdict: Verdict) -> Content:
    """The verdict with its mark."""
    mark = _VERDICT_MARK.get(verdict, "–")
    return literal(f"{mark} {verdict_words(verdict)}", VERDICT_STYLE.get(verdict, ""))


def limit_words(threshold: Threshold | None, limit: str) -> str:
    """«≥ 0,80» or «≤ 0»."""
    if threshold is None:
        return "–"
    sign = "≥" if threshold.kind is Kind.FLOOR else "≤"
    return f"{sign} {number(limit)}"


def rule(words: str, width: int) -> Content:
    """A heading with a line to the right edge."""
    head = join(literal(words, theme.HEADING), Content(" "))
    return join(head, Content.styled("─" * max(0, width - head.cell_length), theme.RULE)).truncate(width)


def paragraph(key: str, width: int, style: str = "", **fields: object) -> list[Content]:
    """A sentence of the catalogue, wrapped."""
    return indent(tell(key, style=style, **fields), width, Content(" "))


def mark_of(passes: bool | None) -> tuple[str, str]:  # noqa: FBT001 - three states of one thing
    """The mark of a figure against its threshold, and its colour."""
    if passes is None:
        return "–", theme.QUIET
    return ("✓", theme.GOOD) if passes else ("✗", theme.BAD)


def some(ids: Iterable[str], shown: int = 6) -> str:
    """The first of some names, and how many more there are."""
    names = [plain(name) for name in ids]
    rest = len(names) - shown
    listed = ", ".join(names[:shown])
    return messages.text("app.board_and_more", listed=listed, n=rest) if rest > 0 else listed


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure as a row of a table; the texts are those of the report.

    Attributes:
        name: in words.
        figure: as printed.
        limit: the threshold as printed.
        passes: whether it is met; None without one.
        over: what it was worked out from («12/30»; for a mean of fractions «25,5/30»).
        sure: the interval in words, or empty.
        share: the figure as a share, for the bar; None without figure.
        interval: both ends as shares, or None.
        at: the threshold as a share, or None.
        ceiling: the threshold is one from above.
    """

    name: str
    figure: str
    limit: str
    passes: bool | None
    over: str
    sure: str = ""
    share: float | None = None
    interval: tuple[float, float] | None = None
    at: float | None = None
    ceiling: bool = False


def measure_of(result: MetricResult) -> Measure:
    """A metric of the gate as a row."""
    ends = result.interval
    return Measure(
        metric_name(result.metric),
        number(result.figure),
        limit_words(result.threshold, result.limit),
        result.passes,
        number(result.over),
        interval_words(ends.low, ends.high) if ends is not None else "",
        _share(result.exact, result.cases, is_count=result.is_count),
        (ends.low, ends.high) if ends is not None else None,
        _at(result.threshold, result.cases, is_count=result.is_count),
        result.threshold is not None and result.threshold.kind is Kind.CEILING,
    )


def judge_measure(metric: JudgeMetric, over: str | None = None) -> Measure:
    """A figure of the judge or of the grounding as a row.

    Args:
        metric: the figure.
        over: what it rests on; the number of cases when left out.
    """
    if over is None:
        over = f"{metric.figure}/{metric.cases}" if metric.is_count else f"n={metric.cases}"
    ends = metric.interval
    return Measure(
        metric_name(metric.metric),
        number(metric.figure),
        limit_words(metric.threshold, metric.limit),
        metric.passes,
        over,
        interval_words(ends.low, ends.high) if ends is not None else "",
        share=_share(metric.exact, metric.cases, is_count=metric.is_count),
        interval=(ends.low, ends.high) if ends is not None else None,
        at=_at(metric.threshold, metric.cases, is_count=metric.is_count),
        ceiling=metric.threshold is not None and metric.threshold.kind is Kind.CEILING,
    )


def _share(exact: Fraction | None, cases: int, *, is_count: bool) -> float | None:
    if exact is None:
        return None
    if is_count:
        return float(exact / cases) if cases else 0.0
    return float(exact)


def _at(threshold: Threshold | None, cases: int, *, is_count: bool) -> float | None:
    if threshold is None:
        return None
    value = Fraction(threshold.value)
    return float(value / cases if is_count and cases else value)


def interval_words(low: float, high: float) -> str:
    """«0,38–0,96»."""
    return number(f"{low:.2f}–{high:.2f}")


def measure_lines(measures: Sequence[Measure], width: int) -> list[Content]:
    """The figures as a table: mark, name, figure, threshold, what it rests on, interval, bar.

    What does not fit leaves in this order: bar, interval, what it rests on; the name is cut last.
    """
    if not measures:
        return []
    limit = max(len(row.limit) for row in measures)
    figure = max(5, *(len(row.figure) for row in measures))
    over = max(len(row.over) for row in measures)
    sure = max(len(row.sure) for row in measures)
    name = max(_FEWEST_NAME_CELLS, min(_NAME_CELLS, width - figure - limit - 6))
    left = width - (3 + name + 1 + figure + 2 + limit)
    columns = {"over": 0, "sure": 0, "bar": 0}
    for key, cells in (("over", over), ("sure", sure)):
        if cells and left >= cells + 2:
            columns[key] = cells
            left -= cells + 2
    if left >= _SHORTEST_BAR + 3:
        columns["bar"] = min(_LONGEST_BAR, left - 3)
    return [_measure_line(row, name, figure, limit, columns).truncate(width) for row in measures]


def _measure_line(row: Measure, name: int, figure: int, limit: int, columns: dict[str, int]) -> Content:
    mark, style = mark_of(row.passes)
    parts = [
        Content(" "),
        literal(mark, style),
        Content(" "),
        literal(row.name).truncate(name, pad=True, ellipsis=True),
        Content(" "),
        literal(row.figure.rjust(figure), style if row.passes is False else theme.STRONG),
    ]
    if columns["bar"]:
        scale = share_cells(
            row.share,
            columns["bar"],
            interval=row.interval,
            limit=row.at,
            ceiling=row.ceiling,
            passes=row.passes,
        )
        tone = theme.QUIET if row.passes is None else theme.GOOD if row.passes else theme.BAD
        parts += [Content("  "), styled(scale, tone)]
    parts += [Content("  "), literal(row.limit.ljust(limit), theme.QUIET)]
    if columns["over"]:
        parts += [Content("  "), literal(row.over.rjust(columns["over"]), theme.QUIET)]
    if columns["sure"]:
        parts += [Content("  "), literal(row.sure.rjust(columns["sure"]), theme.QUIET)]
    return join(*parts)
