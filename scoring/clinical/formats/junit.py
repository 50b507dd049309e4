"""JUnit XML: one test per threshold and one for the verdict, so that it fails exactly when the gate does."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from scoring import messages
from scoring.clinical.formats.checks import checks, has_verdict
from scoring.clinical.gate import Verdict
from scoring.clinical.render import lines, verdict_lines
from scoring.plain import plain

if TYPE_CHECKING:
    from scoring.clinical.report import GateReport

_SUITE = "puerta"


def junit(report: GateReport) -> bytes:
    """``report`` as UTF-8 XML.

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
    ET.SubElement(suite, "system-out").text = _text("\n".join(lines(report)))
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
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{written}\n'.encode()


def _text(text: str) -> str:
    """``text`` without what XML 1.0 cannot hold; data in it has been made safe before."""
    return "\n".join(plain(line) for line in text.split("\n")).replace("\ufffe", "?").replace("\uffff", "?")
