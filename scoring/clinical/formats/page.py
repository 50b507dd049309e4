"""A page that stands alone: no script, no font, nothing loaded from anywhere; data is escaped text."""

from __future__ import annotations

from html import escape as escape_html
from typing import TYPE_CHECKING

from scoring import messages
from scoring.clinical.compare_text import lines as compare_lines
from scoring.clinical.formats.checks import checks
from scoring.clinical.gate import Verdict
from scoring.clinical.render import each_aside_line, slice_lines, verdict_lines
from scoring.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scoring.clinical.gate import MetricResult
    from scoring.clinical.report import GateReport
    from scoring.clinical.rows import Row

_STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:64rem;padding:0 1rem}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8886;vertical-align:top}
.veredicto{padding:.8rem 1rem;border-left:.5rem solid;font-weight:600}
.pasa{border-color:#2a7d3c}.falla{border-color:#b3261e}.otro{border-color:#8a6d00}
svg{width:12rem;height:1.2rem}
pre{white-space:pre-wrap}
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def escape(text: str) -> str:
    """``text`` as HTML that shows just these characters."""
    return escape_html(plain(text), quote=True)


def page(report: GateReport) -> str:
    """``report`` as one HTML page."""
    return "".join(page_pieces(report))


def page_pieces(report: GateReport) -> Iterator[str]:
    """The text of :func:`page`, piece by piece."""
    say = messages.text
    title = say("formats.title", split=report.split)
    look = {Verdict.PASSES: "pasa", Verdict.FAILS: "falla"}.get(report.verdict, "otro")
    language = messages.language()
    yield (
        f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body>\n"
    )
    yield f"<h1>{escape(title)}</h1>\n"
    if report.synthetic:
        yield f"<p><em>{escape(say('clinical.demo_label'))}</em></p>\n"
    yield f'<p class="veredicto {look}">' + "<br>".join(map(escape, verdict_lines(report))) + "</p>\n"
    counted = say("formats.counted", counted=report.counted, total=report.total, rules=report.rules)
    yield f"<p>{escape(counted)}</p>\n"
    yield from _table([*say("formats.columns").split("|"), ""], _figures(report))
    yield "\n"
    yield from _section(say("formats.failures"), report.failures)
    yield from _section(say("formats.judge"), report.judge.notes())
    yield from _section(say("render.advice"), (one.sentence() for one in report.advice))
    yield from _section(say("render.slices"), (line.strip() for line in slice_lines(report)[2:]))
    yield from _section(say("formats.aside"), each_aside_line(report))
    if report.comparison is not None:
        yield "<pre>" + "\n".join(map(escape, compare_lines(report.comparison))) + "</pre>\n"
    if report.rows:
        yield f"<h2>{escape(say('formats.cases'))}</h2>\n"
        yield from _table(say("formats.case_columns").split("|"), _rows(report))
        yield "\n"
    digests = say("formats.digests", cases=report.cases_digest, outputs=report.predictions_digest)
    yield f"<p><small>{escape(digests)}</small></p>\n</body></html>\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table; headings are text, cells are HTML."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    yield f"<table><thead><tr>{top}</tr></thead><tbody>\n"
    for row in rows:
        yield "<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n"
    yield "</tbody></table>"


def _figures(report: GateReport) -> Iterator[Sequence[str]]:
    for check in checks(report):
        result = report.aggregate.get(check.metric)
        cells = (check.metric, check.figure, check.count, check.interval, check.limit, check.word)
        bar = _bar(result) if result is not None and not result.is_count else ""
        yield [*map(escape, cells), bar]


def _bar(result: MetricResult) -> str:
    """The interval as a line, the figure as a dot, the threshold as a mark, from 0 to 1."""
    if result.value is None or result.interval is None:
        return ""
    low, high = 100 * result.interval.low, 100 * result.interval.high
    parts = [
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="5" y2="5" stroke="currentColor" stroke-width="2"/>',
        f'<circle cx="{100 * result.value:.1f}" cy="5" r="2.5" fill="currentColor"/>',
    ]
    if result.threshold is not None:
        at = f"{100 * float(result.threshold.value):.1f}"
        parts.append(f'<line x1="{at}" x2="{at}" y1="0" y2="10" stroke="#b3261e"/>')
    label = escape(f"{result.figure} [{result.interval.low:.2f}, {result.interval.high:.2f}]")
    return f'<svg viewBox="-3 0 106 10" role="img" aria-label="{label}">{"".join(parts)}</svg>'


def _section(title: str, items: Iterable[str]) -> Iterator[str]:
    """A heading and its list; nothing where there is nothing to list."""
    empty = True
    for item in items:
        if empty:
            yield f"<h2>{escape(title)}</h2>\n<ul>\n"
        empty = False
        yield f"<li>{escape(item)}</li>\n"
    if not empty:
        yield "</ul>\n"


def _marks(row: Row) -> str:
    """What must not be missed about a case, in words."""
    marks = {
        "violation": row.score.violacion_seguridad,
        "missed": row.score.derivacion_omitida,
        "no_output": not row.predicted,
    }
    return ", ".join(messages.text(f"formats.mark_{name}") for name, holds in marks.items() if holds)


def _rows(report: GateReport) -> Iterator[Sequence[str]]:
    """The cases that are shown; of the reserved split none, unless the report shows them."""
    answer = {counts: messages.text("formats.yes" if counts else "formats.no") for counts in (True, False)}
    for row in report.rows:
        score = row.score
        coverage = f"{score.cobertura_hallazgos:.2f}{'~' if score.cobertura_por_texto else ''}"
        cells = (
            row.case_id,
            row.split,
            answer[row.counted],
            f"{score.recall_diferenciales:.0f}",
            coverage,
            f"{score.acierto_derivacion:.0f}",
            f"{score.acierto_fuera_de_alcance:.0f}",
            f"{score.idioma_es:.0f}",
            _marks(row),
            ", ".join(score.hallazgos_ausentes),
        )
        yield [escape(cell) for cell in cells]
