"""``run-ragas``: citations always, metrics by the real library against a loopback server."""

from __future__ import annotations

import importlib.util
import json
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from scoring.cases import parse_case
from scoring.judges.grounding import metric_results, read_grounding_limits
from scoring.judges.ragas_lib import METRICS, Measured, usable
from scoring.judges.samples import sample
from tests.clinical.samples import case, good_output, line, pending, write
from tests.judges import loopback
from tests.judges.command_support import held_to
from tests.judges.loopback import Raw, serving, until
from tests.judges.processes import environment, finish, run, start

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.processes import Done

HAS_RAGAS = importlib.util.find_spec("ragas") is not None
real = [
    pytest.mark.lento,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not HAS_RAGAS, reason="the extra ragas is not installed"),
]
GIVEN = (
    "--casos",
    "casos.jsonl",
    "--predicciones",
    "salidas.jsonl",
    "--fragmentos",
    "fragmentos.jsonl",
    "--informe",
    "anclaje.json",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six signed dev cases, a pending one and three reserved ones; outputs that cite the first of two passages."""
    here = tmp_path / "trabajo"
    here.mkdir()
    cases = [case(f"c{n}", signos_clinicos=f"signo-{n}.") for n in range(6)]
    cases += [pending("p0"), *(case(f"secreto{n}", split="test") for n in range(3))]
    output = {
        **good_output(),
        "interpretacion": "La creatinina y la urea elevadas indican azotemia renal [1].",
    }
    write(here / "casos.jsonl", *cases)
    write(here / "salidas.jsonl", *(line(one["id"], output) for one in cases))
    write(
        here / "fragmentos.jsonl",
        *({"id": c["id"], "fragmentos": ["La azotemia...", "El fósforo..."]} for c in cases),
    )
    return here


def report_of(folder: Path) -> dict[str, Any]:
    return held_to("anclaje-1", json.loads((folder / "anclaje.json").read_text(encoding="utf-8")))


def ragas(folder: Path, *arguments: object, url: str | None = None, **changes: str) -> Done:
    return run("run_ragas", *GIVEN, *arguments, cwd=folder, url=url, **changes)


def test_the_citations_alone_need_no_model_and_no_library(folder: Path) -> None:
    done = ragas(folder, "--solo-citas", "--puerta")
    assert done.code == 0, done.err
    assert "6 citas; 0 no remiten a ningún fragmento" in done.out
    assert "12 fragmentos; 6 no los cita nadie" in done.out
    report = report_of(folder)
    assert report["veredicto"] == "solo_citas"
    assert report["citas"]["casos"] == 6  # neither the pending nor the reserved one
    assert [row["fragmentos_sin_citar"] for row in report["casos"]] == [[2]] * 6


def test_a_citation_that_points_nowhere_closes_the_gate_and_without_it_informs(folder: Path) -> None:
    bad = {**good_output(), "interpretacion": "La creatinina elevada indica azotemia renal [3]."}
    write(folder / "salidas.jsonl", *(line(f"c{n}", bad if n == 4 else None) for n in range(6)))
    assert ragas(folder, "--solo-citas").code == 0
    done = ragas(folder, "--solo-citas", "--puerta")
    assert done.code == 1
    assert "c4: [3]" in done.out
    assert report_of(folder)["fallos"] == ["citas_sin_fragmento=1 (máx 0)"]


def test_the_reserved_split_is_told_in_sums_only(folder: Path) -> None:
    bad = {**good_output(), "interpretacion": "Secretísimo: la creatinina elevada indica azotemia renal [9]."}
    reserved = [line("secreto0", bad), line("secreto1"), line("secreto2")]
    write(folder / "salidas.jsonl", *reserved, *(line(f"c{n}") for n in range(6)))
    for split in ("test", "todos"):
        done = ragas(folder, "--solo-citas", "--split", split)
        told = done.out + done.err + (folder / "anclaje.json").read_text(encoding="utf-8")
        assert "1 no remiten" in done.out
        assert "secreto" not in told.lower()


@pytest.mark.parametrize("given", [("--solo-citas",), ("--juez", "ollama")])
@pytest.mark.parametrize(("split", "others"), [("test", 0), ("todos", 6)])
def test_sums_of_one_or_two_reserved_cases_are_not_told(
    folder: Path, given: tuple[str, ...], split: str, others: int
) -> None:
    outputs = [*(line(f"c{n}") for n in range(others)), line("secreto0"), line("secreto1")]
    write(folder / "salidas.jsonl", *outputs)
    with serving() as server:
        done = ragas(folder, *given, "--split", split, url=server.url)
        assert server.requests == []
    assert (done.code, done.out) == (4, "")
    assert "2 casos con salida y fragmentos" in done.err
    assert not (folder / "anclaje.json").exists()


def test_sums_that_differ_by_one_reserved_case_are_not_told(folder: Path, tmp_path: Path) -> None:
    own = {"XDG_DATA_HOME": str(tmp_path / "datos")}
    lines = (folder / "casos.jsonl").read_text(encoding="utf-8")
    (folder / "casos.jsonl").write_text(lines + json.dumps(case("secreto3", split="test")) + "\n", "utf-8")
    write(folder / "fragmentos.jsonl", *({"id": f"secreto{n}", "fragmentos": ["La..."]} for n in range(4)))
    for n, code in ((3, 0), (4, 2), (3, 0)):
        write(folder / "salidas.jsonl", *(line(f"secreto{i}") for i in range(n)))
        assert ragas(folder, "--solo-citas", "--split", "test", **own).code == code


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("--workers", "0"), 2, "--workers"),
        (("--workers", "dos"), 2, "--workers"),
        (("--timeout", "nan"), 2, "--timeout"),
        (("--juez", "claude"), 2, "--juez claude"),
        (("--juez", "ninguno"), 7, "NO HAY VEREDICTO"),
        (("--split", "test", "--solo-citas"), 0, "Solo se han comprobado"),
    ],
)
def test_usage(folder: Path, arguments: tuple[str, ...], code: int, sentence: str) -> None:
    done = ragas(folder, *arguments)
    assert done.code == code, done.err
    assert sentence in done.out + done.err


def test_the_report_is_not_written_over_what_is_read(folder: Path) -> None:
    done = run("run_ragas", *GIVEN[:-1], "salidas.jsonl", cwd=folder)
    assert done.code == 2
    assert "encima de" in done.err


def test_missing_inputs_are_2_and_broken_ones_3(folder: Path) -> None:
    assert run("run_ragas", cwd=folder).code == 2
    assert run("run_ragas", "--predicciones", "salidas.jsonl", cwd=folder).code == 2
    write(folder / "fragmentos.jsonl", {"id": "c0", "fragmentos": "no"})
    assert ragas(folder).code == 3


def test_without_any_passage_there_is_nothing_to_measure(folder: Path) -> None:
    write(folder / "fragmentos.jsonl", {"id": "c0", "fragmentos": []})
    done = ragas(folder, "--puerta")
    assert done.code == 4
    assert report_of(folder)["veredicto"] == "nada_que_medir"


def test_a_damaged_record_is_5(folder: Path) -> None:
    (folder / "casos.firmas.jsonl").write_text('{"esto": "no es una entrada"}\n', encoding="utf-8")
    assert ragas(folder, "--solo-citas").code == 5


@pytest.mark.parametrize("gate", [(), ("--puerta",)])
def test_without_library_or_model_the_citations_are_told_and_there_is_no_verdict(
    folder: Path, gate: tuple[str, ...]
) -> None:
    # A module of that name that cannot be imported stands for a library that is not installed.
    (folder / "ragas.py").write_text("raise ImportError\n", encoding="utf-8")
    import os

    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH", "")]))
    with serving() as server:
        done = ragas(folder, *gate, url=server.url, PYTHONPATH=path)
    assert done.code == 7
    assert "revision-clinica[ragas]" in done.out
    assert "6 citas" in done.out
    assert server.requests == []
    assert report_of(folder)["veredicto"] == "sin_medir"


def test_help_and_version(folder: Path) -> None:
    helped = run("run_ragas", "--help", cwd=folder)
    assert helped.code == 0
    assert "códigos de salida" in helped.out
    assert run("run_ragas", "--version", cwd=folder).out.startswith("run-ragas ")


def test_a_sample_asks_what_a_retrieval_would_ask_and_tells_no_id() -> None:
    parsed, _ = parse_case(case("erc-canino", valores={"creat": 3.1, "bun": 60, "fosf": 9.0}))
    output = {
        "interpretacion": "Azotemia.",
        "diferenciales": [{"nombre": "ERC", "evidencia": ["SDMA", "USG"]}, {"nombre": "LRA"}],
    }
    made = sample(parsed, output, ("p",))
    assert made.answer == "Azotemia.\nERC: SDMA; USG\nLRA"
    assert made.reference == "enfermedad renal crónica; erc"
    assert "reatinina" in made.question
    assert "erc-canino" not in made.question + made.answer
    none, _ = parse_case(case(diferenciales_aceptables=[], valores={}))
    bare = sample(none, {}, ("p",))
    assert bare.reference == "Caso de prueba"
    assert bare.question == "canino Poliuria"


@pytest.mark.parametrize(
    ("found", "figure"),
    [
        (0.7, 0.7),
        (1, 1.0),
        (0.99999999995, 1.0),  # what the library gives for a perfect precision
        (0.49999999995, 0.5),
        (float("nan"), None),
        (float("inf"), None),
        (1.2, None),
        (-0.5, None),
        ("0.9", None),
        (None, None),
        (True, None),
    ],
)
def test_a_figure_of_the_library_is_between_0_and_1_or_not_measured(
    found: object, figure: float | None
) -> None:
    assert usable(found) == figure


def measured(metric: str, *values: float | None) -> list[Measured]:
    return [Measured(f"c{n}", metric, v, "" if v is not None else "nan", 1.0) for n, v in enumerate(values)]


def test_a_mean_is_taken_over_the_measured_and_says_how_many_they_were() -> None:
    limits = read_grounding_limits()
    faithful = metric_results(measured(METRICS[0], 0.6, 0.8, 0.6, 0.8, None), limits, reserved=frozenset())[0]
    assert (faithful.figure.value, faithful.measured, faithful.samples) == (0.7, 4, 5)
    assert not faithful.enough  # four are fewer than five
    assert faithful.figure.passes is None
    exact = metric_results(measured(METRICS[0], *[0.6, 0.8] * 3), limits, reserved=frozenset())[0]
    assert exact.figure.passes is True  # 0.7 is the floor itself
    share = metric_results(measured(METRICS[0], *[0.9] * 7, *[None] * 3), limits, reserved=frozenset({"c9"}))[
        0
    ]
    assert not share.enough  # 7 of 10 are less than 80 %
    assert share.unmeasured == ("c7", "c8")
    assert share.reasons == {"nan": 3}


# --- the real library


def speak(number: int, request: dict[str, Any], **wanted: Any) -> Any:
    """Answers each prompt of the library with the object it asks for."""
    text = "\n".join(str(message["content"]) for message in request["json"]["messages"])
    if "attributed" in text:
        entry = {"statement": "s", "reason": "r", "attributed": wanted.get("recall", 1)}
        return json.dumps({"classifications": wanted.get("classifications", [entry])})
    if re.search(r"verdict", text) and "statements" in text:
        verdicts = wanted.get("faithful", [1, 1])
        return json.dumps({"statements": [{"statement": "s", "reason": "r", "verdict": v} for v in verdicts]})
    if "verdict" in text:
        return json.dumps({"reason": "r", "verdict": wanted.get("precision", 1)})
    return json.dumps({"statements": wanted.get("statements", ["uno", "dos"])})


class TestRealLibrary:
    pytestmark = real

    def test_three_metrics_measured_and_met(self, folder: Path) -> None:
        with serving(speak) as server:
            done = ragas(folder, "--puerta", url=server.url)
        assert done.code == 0, done.out + done.err
        assert "EL ANCLAJE CUMPLE" in done.out
        assert "medido en 6 de 6" in done.out
        report = report_of(folder)
        assert [m["valor"] for m in report["metricas"]] == [1.0, 1.0, 1.0]
        assert [m["medidas"] for m in report["metricas"]] == [6, 6, 6]
        assert report["pendientes"] == 1
        assert report["muestras"] == 6
        paths = {request["path"] for request in server.requests}
        assert paths == {"/v1/chat/completions"}
        said = json.dumps([request["json"] for request in server.requests], ensure_ascii=False)
        assert "c0" not in said.replace("\\u00c0", "")

    def test_a_floor_that_is_not_met_informs_and_with_the_gate_closes(self, folder: Path) -> None:
        # Half of the statements are supported: 0.5 < 0.70.
        with serving(lambda number, request: speak(number, request, faithful=[1, 0])) as server:
            informed = ragas(folder, url=server.url)
            assert informed.code == 0
            assert "solo se informa" in informed.out
            done = ragas(folder, "--puerta", url=server.url)
        assert done.code == 1
        assert report_of(folder)["fallos"] == ["faithfulness=0.50 < 0.70"]

    def test_all_nan_is_7_with_and_without_the_gate(self, folder: Path) -> None:
        # No statement and no classification: the library answers NaN for two of the three metrics.
        def script(number: int, request: dict[str, Any]) -> Any:
            return speak(number, request, statements=[], classifications=[])

        with serving(script) as server:
            for gate in ((), ("--puerta",)):
                done = ragas(folder, *gate, url=server.url)
                assert done.code == 7, done.out
                assert "NO HAY VEREDICTO" in done.out
        report = report_of(folder)
        values = {m["metrica"]: m["valor"] for m in report["metricas"]}
        assert values["context_recall"] is None
        assert values["faithfulness"] is None
        assert report["metricas"][2]["motivos"] == {"nan": 6}
        assert [row["metricas"]["context_recall"] for row in report["casos"]] == [None] * 6

    @pytest.mark.parametrize(
        ("fault", "reason"),
        [
            ("no es JSON", "no_answer"),
            (Raw(500), "status"),
            (Raw(401), "status"),
            (Raw(429), "busy"),
            (loopback.cut, "cut"),
            (loopback.not_http, "not_http"),
            (Raw(307, headers={"Location": "http://192.0.2.1/"}), "redirect"),
        ],
    )
    def test_a_server_that_lies_or_dies_is_7_and_never_a_pass(
        self, folder: Path, fault: Any, reason: str
    ) -> None:
        with serving(fault) as server:
            done = ragas(folder, "--puerta", url=server.url)
        assert done.code == 7, done.out
        assert reason in report_of(folder)["metricas"][0]["motivos"]
        assert "192.0.2.1" not in done.out + done.err

    def test_a_server_that_stalls_is_left_at_the_deadline(self, folder: Path) -> None:
        with serving(loopback.stall(300)) as server:
            done = ragas(folder, "--timeout", "0.5", "--workers", "6", url=server.url)
        assert done.code == 7
        assert report_of(folder)["metricas"][0]["motivos"] == {"too_slow": 6}

    def test_a_few_gaps_are_counted_and_named(self, folder: Path) -> None:
        def script(number: int, request: dict[str, Any]) -> Any:
            if "signo-3." in json.dumps(request["json"]) or number == 1:
                return "no"
            return speak(number, request)

        with serving(script) as server:
            done = ragas(folder, "--puerta", "--workers", "1", url=server.url)
        report = report_of(folder)
        gaps = sum(len(metric["no_medidas"]) for metric in report["metricas"])
        assert gaps <= 1
        assert done.code == 0

    def test_statistics_and_proxies_of_the_environment_get_nothing(self, folder: Path) -> None:
        with serving() as proxy, serving(speak) as server:
            away = dict.fromkeys(
                ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"), proxy.url
            )
            done = ragas(folder, url=server.url, RAGAS_DO_NOT_TRACK="false", **away)
            assert done.code == 0, done.err
            assert (proxy.requests, proxy.paths) == ([], [])
        headers = [{k.lower() for k in request["headers"]} for request in server.requests]
        assert not any("authorization" in names for names in headers)

    def test_the_reserved_split_is_measured_in_sums_only(self, folder: Path) -> None:
        with serving(speak) as server:
            done = ragas(folder, "--split", "todos", url=server.url)
        told = done.out + done.err + (folder / "anclaje.json").read_text(encoding="utf-8")
        assert "secreto" not in told
        assert report_of(folder)["muestras"] == 9

    def test_control_c_ends_it_at_once(self, folder: Path) -> None:
        with serving(loopback.stall(300)) as server:
            process = start("run_ragas", *GIVEN, cwd=folder, env=environment(server.url))
            until(lambda: len(server.requests) >= 1, 120)
            process.send_signal(signal.SIGINT)
            done = finish(process)
        assert done.code == 130
        assert not (folder / "anclaje.json").exists()


@pytest.mark.parametrize("configured", ["", "logging.basicConfig(); "])
def test_what_the_library_logs_of_a_case_reaches_no_stream(configured: str) -> None:
    # Its client logs an answer it cannot read, with a part of it: the text of a reserved case may stand there.
    told = "logging.getLogger('instructor.v2.retry').error('input_value=%r', 'texto de un caso')"
    code = f"import logging; from scoring.judges.ragas_lib import hush; {configured}hush(); {told}"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_citations_of_one_more_reserved_case_are_not_told_beside_the_same_means(
    folder: Path, tmp_path: Path
) -> None:
    # Nothing was found for the fourth: no metric is of it, and what it cites is counted.
    own = {"XDG_DATA_HOME": str(tmp_path / "datos")}
    lines = (folder / "casos.jsonl").read_text(encoding="utf-8")
    (folder / "casos.jsonl").write_text(lines + json.dumps(case("secreto3", split="test")) + "\n", "utf-8")
    write(folder / "salidas.jsonl", *(line(f"secreto{n}") for n in range(4)))
    found = [{"id": f"secreto{n}", "fragmentos": ["La..."]} for n in range(3)]
    for last, code in (([], 7), ([{"id": "secreto3", "fragmentos": []}], 2)):
        write(folder / "fragmentos.jsonl", *found, *last)
        assert ragas(folder, "--juez", "http://127.0.0.1:1", "--split", "test", **own).code == code


def test_thresholds_that_ask_for_two_reviews_hold_here_too(folder: Path) -> None:
    (folder / "estrictos.toml").write_text("[firmas]\ndev = 2\n", encoding="utf-8")
    assert ragas(folder, "--solo-citas").code == 0
    done = ragas(folder, "--solo-citas", "--umbrales", "estrictos.toml")
    assert done.code == 4, done.out
