"""JUnit XML: one test per threshold and one for the verdict, so that it fails exactly when the gate does."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from scoring import messages
from scoring.clinical.formats.checks import checks, has_verdict
from scoring.clinical.gate import Verdict
from scoring.clinical.render import each_line, verdict_lines
from scoring.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scoring.clinical.report import GateReport

_SUITE = "puerta"


# Stands for the text report until the rest is written: nothing that passed `_text` holds it.
_HERE = "\ufffe"


def junit(report: GateReport) -> bytes:
    """``report`` as UTF-8 XML; see :func:`junit_pieces`."""
    return "".join(junit_pieces(report)).encode()


def junit_pieces(report: GateReport) -> Iterator[str]:
    """``report`` as XML, piece by piece.

    A threshold that is not met is a ``failure``; no verdict is an ``error`` of the test ``veredicto``; a
    simulation is ``skipped``. The text report stands in ``system-out``.
    """
    suite = ET.Element("testsuite", {"name": f"{_SUITE}.{report.split}"})
    listed = checks(report) if has_verdict(report) else ()
    failures = 0
    for check in listed:
        if not check.binds:
            continue
        case = ET.SubElement(suite, "testcase", {"classname": _SUITE, "name": check.metric, "time": "0"})
        if check.failure:
            failures += 1
            ET.SubElement(case, "failure", {"message": _text(check.failure), "type": "umbral"})
    said = " ".join(verdict_lines(report))
    verdict = ET.SubElement(suite, "testcase", {"classname": _SUITE, "name": "veredicto", "time": "0"})
    errors = skipped = 0
    if report.verdict is Verdict.FAILS:
        failures += 1
        ET.SubElement(verdict, "failure", {"message": _text(said), "type": "veredicto"})
    elif report.verdict is Verdict.SIMULATED:
        skipped = 1
        ET.SubElement(verdict, "skipped", {"message": _text(messages.text("clinical.simulated_banner"))})
    elif report.verdict is not Verdict.PASSES:
        errors = 1
        ET.SubElement(verdict, "error", {"message": _text(said), "type": report.reason or ""})
    ET.SubElement(suite, "system-out").text = _HERE
    counts = {
        "tests": str(len(suite.findall("testcase"))),
        "failures": str(failures),
        "errors": str(errors),
        "skipped": str(skipped),
    }
    suite.attrib.update(counts)
    root = ET.Element("testsuites", {"name": "run-evals", **counts})
    root.append(suite)
    ET.indent(root)
    written: str = ET.tostring(root, encoding="unicode")
    before, _, after = written.partition(_HERE)
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n{before}'
    between = ""
    for line in each_line(report):
        yield between + escape(_text(line), quote=False)
        between = "\n"
    yield f"{after}\n"


def _text(text: str) -> str:
    """``text`` without what XML 1.0 cannot hold; data in it has been made safe before."""
    return "\n".join(plain(line) for line in text.split("\n")).replace("\ufffe", "?").replace("\uffff", "?")
