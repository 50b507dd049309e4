"""All forms of a report say the same verdict, are read by their usual readers, and show data as text."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.cases import parse_case
from scoring.clinical import GateReport, LiveGate, Verdict, evaluate, simulate
from scoring.clinical.calibration_state import CalibrationState
from scoring.clinical.compare import compare
from scoring.clinical.formats import junit, page, summary, workflow_commands
from scoring.clinical.judged import JudgePart
from scoring.judges.aggregate import with_judge
from scoring.problems import Problem
from tests.clinical.samples import case, cases, good_output, outputs, pending

SCHEMA = json.loads(files("scoring").joinpath("schemas/informe-2.schema.json").read_text(encoding="utf-8"))
BAD = {"interpretacion": "no sé"}
EVIL = [
    "a|b\n# c",
    "<script>alert(1)</script>",
    "[x](http://evil.example)",
    "::error::hola",
    "%0A::error::x",
    "a\x1b[31m\u202eb",
    "@equipo #12 `x` *y* _z_",
    "]]>\x00\ufffe",
]


def of(verdict: str) -> GateReport:
    six = [case(f"c{n}") for n in range(6)]
    said: dict[str, Any] = {f"c{n}": good_output() for n in range(6)}
    if verdict == "pasa":
        return evaluate(six, said)
    if verdict == "falla":
        return evaluate(six, said | {"c0": BAD})
    if verdict == "simulado":
        parsed = [parse_case(one)[0] for one in six]
        return evaluate(parsed, simulate(parsed))
    if verdict == "nada_que_juzgar":
        return evaluate([pending("c0")], {"c0": good_output()})
    return evaluate(six, said, breaks=[Problem("record.unreadable_entry", line=2)])


VERDICTS = ["pasa", "falla", "simulado", "nada_que_juzgar", "integridad_rota"]


@pytest.mark.parametrize("verdict", VERDICTS)
def test_junit_fails_exactly_when_the_gate_does(verdict: str) -> None:
    report = of(verdict)
    assert str(report.verdict) == verdict
    root = ET.fromstring(junit(report))
    suite = root.find("testsuite")
    assert suite is not None
    assert (root.tag, suite.get("name")) == ("testsuites", "puerta.dev")
    tests = suite.findall("testcase")
    counts = {kind: len(suite.findall(f"testcase/{kind}")) for kind in ("failure", "error", "skipped")}
    assert suite.get("tests") == str(len(tests))
    assert suite.get("failures") == str(counts["failure"])
    assert suite.get("errors") == str(counts["error"])
    assert (counts["failure"] > 0) == (verdict == "falla")
    assert (counts["error"] > 0) == (verdict in {"nada_que_juzgar", "integridad_rota"})
    assert (counts["skipped"] > 0) == (verdict == "simulado")
    assert tests[-1].get("name") == "veredicto"


def test_junit_has_one_test_per_threshold_with_the_line_that_fails() -> None:
    root = ET.fromstring(junit(of("falla")))
    failed = {
        one.get("name"): one.find("failure")
        for one in root.iter("testcase")
        if one.find("failure") is not None
    }
    # c0 names nothing and does not refer: 5 of 6 = 0.833 in the others
    assert set(failed) == {"acierto_derivacion", "derivaciones_omitidas", "veredicto"}
    line = failed["acierto_derivacion"]
    assert line is not None
    assert line.get("message") == "acierto_derivacion=0.83 < 0.90"


@pytest.mark.parametrize("verdict", VERDICTS)
def test_every_form_begins_with_the_same_verdict(verdict: str) -> None:
    report = of(verdict)
    sentences = {
        "pasa": "LA PUERTA PASA",
        "falla": "LA PUERTA NO PASA",
        "simulado": "respuestas simuladas",
        "nada_que_juzgar": "NO HAY VEREDICTO",
        "integridad_rota": "NO HAY VEREDICTO",
    }
    for text in (summary(report), workflow_commands(report), page(report), junit(report).decode()):
        assert sentences[verdict] in text
        for other in ("LA PUERTA PASA", "LA PUERTA NO PASA"):
            assert (other in text) == (other == sentences[verdict])
    first = workflow_commands(report).splitlines()[0]
    assert first.startswith("::notice " if verdict in {"pasa", "simulado"} else "::error ")


def test_whoever_sees_only_the_annotations_learns_that_the_run_is_worse_than_the_last() -> None:
    before, now = of("pasa"), of("falla")
    worse = replace(now, comparison=compare(json.loads(before.to_json()), now))
    told = [line for line in workflow_commands(worse).splitlines() if "PEOR que antes" in line]
    # c0 is not referred any more: a new missed referral is worse at once.
    assert told == [
        "::warning title=Puerta de despliegue (dev)::PEOR que antes: hay una derivación omitida nueva."
    ]
    same = replace(before, comparison=compare(json.loads(before.to_json()), before))
    assert "::notice title=Puerta de despliegue (dev)::SIN CAMBIO DEMOSTRABLE" in workflow_commands(same)


def test_summary_and_page_say_whether_there_was_a_judge_and_what_it_left_open() -> None:
    absent = replace(of("pasa"), judge=JudgePart(why_not="No responde nada en http://127.0.0.1:11434."))
    left = JudgePart(
        name="ollama:uno",
        destination="http://127.0.0.1:11434",
        calibration=CalibrationState(said="Este juez no se ha calibrado nunca."),
        judged=5,
        judgeable=6,
        unjudged=("c3",),
        reasons={"too_slow": 1},
    )
    for form in (summary, page):
        assert "No responde nada en http" in re.sub("&#(\\d+);", lambda m: chr(int(m[1])), form(absent))
        told = re.sub("&#(\\d+);", lambda m: chr(int(m[1])), form(replace(absent, judge=left)))
        assert "Este juez no se ha calibrado nunca." in told
        assert "Sin rúbrica (1): c3" in told


def test_the_page_tells_each_case_why_it_is_marked_and_where_nothing_was_answered() -> None:
    report = evaluate(
        [case("omitida"), case("humana", fuera_de_alcance=True), case("vacia")],
        {"omitida": good_output(requiere_derivacion=False), "humana": good_output(requiere_derivacion=False)},
        min_cases=1,
    )
    html = page(report)
    rows = {row[0]: row for row in (re.findall("<td>(.*?)</td>", one) for one in html.split("<tr>")) if row}
    head = re.findall("<th>(.*?)</th>", html.rpartition("<thead>")[2])
    assert rows["omitida"][head.index("Avisos")] == "derivación omitida"
    assert rows["humana"][head.index("Avisos")] == "violación de seguridad"
    assert rows["vacia"][head.index("Avisos")] == "derivación omitida, sin predicción"
    assert [rows[name][head.index("Alcance")] for name in ("omitida", "humana", "vacia")] == ["1", "0", "1"]


def hostile() -> GateReport:
    evil = [parse_case(case(f"{text}-{n}"))[0] for n, text in enumerate(EVIL)]
    marked = [
        replace(one, tanda=EVIL[n], paciente=replace(one.paciente, especie=EVIL[n]))
        for n, one in enumerate(evil)
    ]
    said = {one.id: BAD for one in marked[1:]} | {marked[0].id: good_output()}
    return LiveGate(marked, said, min_cases=1).report()


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_data_is_text_in_every_form() -> None:
    report = hostile()
    reader = Reader()
    reader.feed(page(report))
    assert {tag for tag, _ in reader.tags} <= {
        "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "em", "br", "table", "thead", "tbody",
        "tr", "th", "td", "ul", "li", "svg", "line", "circle", "pre", "small",
    }  # fmt: skip
    assert not any("src" in attrs or "href" in attrs or "onload" in attrs for _, attrs in reader.tags)
    for text in (page(report), summary(report), workflow_commands(report), junit(report).decode()):
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "\x00" not in text
    markdown = summary(report)
    assert "<script" not in markdown
    assert "](http" not in markdown
    assert "\n# c" not in markdown
    assert "@equipo" not in markdown
    rows = [row for row in markdown.splitlines() if row.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {7}
    for command in workflow_commands(report).splitlines():
        assert re.match(r"::(error|warning|notice) title=[^:]*::", command)
    ET.fromstring(junit(report))


@settings(max_examples=25, deadline=None)
@given(st.lists(cases(), min_size=1, max_size=4), st.data())
def test_any_report_has_the_shipped_schema_and_every_form(
    some: list[dict[str, Any]], data: st.DataObject
) -> None:
    named = [
        {**one, "id": f"c{n}", "split": data.draw(st.sampled_from(["dev", "test"]))}
        for n, one in enumerate(some)
    ]
    said = {one["id"]: data.draw(outputs()) for one in named if data.draw(st.booleans())}
    for split in ("dev", "test", "todos"):
        report = evaluate(named, said, split=split, min_cases=1)
        jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(report.to_json()))
        ET.fromstring(junit(report))
        assert summary(report)
        assert page(report)
        assert workflow_commands(report)


def test_a_report_with_a_comparison_has_the_shipped_schema() -> None:
    report = of("falla")
    both = replace(report, comparison=compare(json.loads(of("pasa").to_json()), report))
    content = json.loads(both.to_json())
    jsonschema.Draft202012Validator(SCHEMA).validate(content)
    assert content["comparacion"]["veredicto"] == "peor"
    for text in (summary(both), page(both)):
        assert "PEOR que antes" in text


def test_the_schema_says_the_version_the_report_has() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    content = json.loads(of("pasa").to_json())
    assert SCHEMA["properties"]["version_esquema"]["const"] == content["version_esquema"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate(content | {"casos_cuentan": "12"})
    assert Verdict("pasa") is Verdict.PASSES


def test_a_line_break_that_data_spells_with_a_per_cent_sign_begins_no_other_annotation() -> None:
    # What the runner decodes again: %25 is %, %0D and %0A end the line.
    spoken = JudgePart(by_name=True, why_not="No responde x%0A::error::y\n::warning::z a 100 %,")
    said = workflow_commands(with_judge(of("pasa"), spoken)).splitlines()
    assert [line.partition(" ")[0] for line in said] == ["::error", *["::warning"] * (len(said) - 1)]
    assert "x%250A::error::y" in said[0]
    assert "100 %25," in said[0]


def test_the_page_loads_nothing_even_where_data_asks_for_it() -> None:
    html = page(of("falla"))
    assert "content=\"default-src 'none'; style-src 'unsafe-inline'\"" in html
    assert re.findall(r"(?:src|href|url|@import|srcset)\s*[=(]", html) == []
    assert re.findall(r"<(?:script|link|iframe|object|img|form|base)\b", html) == []
