"""A Markdown summary, as job pages of CI systems show it. Data is text there too, never markup."""

from __future__ import annotations

import re
from html import escape as escape_html
from typing import TYPE_CHECKING

from scoring import messages
from scoring.clinical.compare_text import lines as compare_lines
from scoring.clinical.formats.checks import checks
from scoring.clinical.gate import Verdict
from scoring.clinical.render import each_aside_line, slice_lines, verdict_lines
from scoring.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scoring.clinical.report import GateReport

_SIGNS = {Verdict.PASSES: "✅", Verdict.FAILS: "❌", Verdict.SIMULATED: "⚪"}
_ACTIVE = re.compile(
    r"[\\`*\[\]<>&|~@]|(?<!\w)_|_(?!\w)|:(?=//)|(?<=www)\.|^\s*[-+#=]|^\s*\d+(?=[.)]\s)", re.IGNORECASE
)


def escape(text: str) -> str:
    """``text`` as Markdown that shows just these characters: no link, mention, HTML or table cell."""
    return _ACTIVE.sub(lambda match: "".join(f"&#{ord(char)};" for char in match[0]), plain(text))


def summary(report: GateReport) -> str:
    """``report`` as Markdown: verdict, figures, what failed, what to know."""
    return "".join(f"{line}\n" for line in summary_lines(report))


def summary_lines(report: GateReport) -> Iterator[str]:
    """The lines of :func:`summary`, one after the other."""
    say = messages.text
    said = [f"## {_SIGNS.get(report.verdict, '⚠️')} {say('formats.title', split=report.split)}", ""]
    if report.synthetic:
        said += [f"*{escape(say('clinical.demo_label'))}*", ""]
    said += [f"**{escape(line.strip())}**" for line in verdict_lines(report)]
    said += [
        "",
        escape(say("formats.counted", counted=report.counted, total=report.total, rules=report.rules)),
        "",
    ]
    head = say("formats.columns").split("|")
    said += [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for check in checks(report):
        cells = (check.metric, check.figure, check.count, check.interval, check.limit, check.word)
        said.append("| " + " | ".join(escape(cell) for cell in cells) + " |")
    said += _list(say("formats.failures"), report.failures)
    said += _list(say("formats.judge"), report.judge.notes())
    said += _list(say("render.advice"), [one.sentence() for one in report.advice])
    said += _list("", [line.strip() for line in slice_lines(report)[2:]], heading=say("render.slices"))
    yield from said
    if report.aside or report.reserved_aside:
        yield from ("", f"### {escape(say('formats.aside'))}", "")
        yield from (f"- {escape(line)}" for line in each_aside_line(report))
    if report.comparison is not None:
        yield from ("", "<pre>")
        yield from (escape_html(plain(line)) for line in compare_lines(report.comparison))
        yield "</pre>"


def _list(title: str, items: Sequence[str], *, heading: str = "") -> list[str]:
    if not items:
        return []
    return ["", f"### {escape(heading or title)}", "", *(f"- {escape(item)}" for item in items)]
