"""``run-evals --modelo``: outputs asked for case by case, saved as they come, taken up where they stopped."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING, Any

import pytest

from scoring.cases import parse_case
from scoring.judges.generate import fill, read_template
from tests.clinical.samples import case, good_output, line, pending, write
from tests.judges import loopback
from tests.judges.loopback import MODEL, Raw, nobody, rubric, serving, until
from tests.judges.processes import environment, finish, run, start

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.processes import Done
    from tests.judges.loopback import LoopbackServer

FULL: dict[str, Any] = {
    **good_output(),
    "diferenciales": [{"nombre": "Enfermedad renal crónica", "probabilidad": "alta", "evidencia": ["SDMA"]}],
    "siguientes_pruebas": [],
    "confianza": "media",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six signed dev cases, a pending one and a reserved one."""
    here = tmp_path / "trabajo"
    here.mkdir()
    cases = [case(f"c{n}", signos_clinicos=f"signo-{n}.") for n in range(6)]
    cases += [
        pending("p0", signos_clinicos="signo-90."),
        case("secreto", split="test", signos_clinicos="signo-80."),
    ]
    write(here / "casos.jsonl", *cases)
    return here


def about(request: dict[str, Any]) -> int:
    text = json.dumps(request["json"])
    return next(n for n in range(100) if f"signo-{n}." in text)


def answer(number: int, request: dict[str, Any]) -> Any:
    return json.dumps(FULL, ensure_ascii=False)


def generate(
    folder: Path, server: LoopbackServer, *arguments: object, path: str = "", **changes: str
) -> Done:
    return run(
        "run_evals",
        *arguments_of(server, path),
        *arguments,
        cwd=folder,
        **changes,
    )


def arguments_of(server: LoopbackServer, path: str = "") -> tuple[object, ...]:
    return (
        "--casos",
        "casos.jsonl",
        "--modelo",
        server.url + path,
        "--guardar-predicciones",
        "s.jsonl",
        "--informe",
        "informe.json",
        "--juez",
        "ninguno",
    )


def saved(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(row) for row in (folder / "s.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("path", ["", "/v1"])
def test_outputs_are_asked_for_saved_and_scored(folder: Path, path: str) -> None:
    with serving(answer) as server:
        done = generate(folder, server, path=path)
    assert done.code == 0, done.err
    # Several are asked for at once where the server takes it, and each is saved as it comes.
    assert sorted(row["id"] for row in saved(folder)) == ["c0", "c1", "c2", "c3", "c4", "c5", "p0"]
    assert saved(folder)[0]["interpretacion"] == FULL
    kind = "openai" if path else "ollama"
    report = json.loads((folder / "informe.json").read_text(encoding="utf-8"))
    assert report["generador"] == f"modelo:{kind}:{MODEL}"
    assert "este equipo" in done.err
    again = run("run_evals", "--casos", "casos.jsonl", "--predicciones", "s.jsonl", cwd=folder)
    assert again.code == 0


def test_the_model_is_shown_patient_values_and_signs_and_never_the_answer(folder: Path) -> None:
    with serving(answer) as server:
        generate(folder, server)
    said = server.said(0)
    assert "signo-0." in said
    assert "3.1" in said
    for word in ("c0", "Caso de prueba", "erc", "hallazgos_esperados", "Ana Prueba", "renal"):
        assert word not in said.replace("ejercicio", "")


def test_a_single_failure_costs_that_case_only_and_is_made_up_for_later(folder: Path) -> None:
    def script(number: int, request: dict[str, Any]) -> Any:
        return "no es JSON" if about(request) == 2 else answer(number, request)

    with serving(script) as server:
        done = generate(folder, server)
        assert done.code == 1
        assert "un caso se ha quedado sin salida" in done.err
        assert "c2" in done.err
        server.script = answer
        server.requests.clear()
        refused = generate(folder, server)
        assert refused.code == 2
        assert server.requests == []
        again = generate(folder, server, "--reanudar")
    assert again.code == 0
    assert [about(request) for request in server.requests] == [2]
    assert sorted(row["id"] for row in saved(folder)) == ["c0", "c1", "c2", "c3", "c4", "c5", "p0"]


@pytest.mark.parametrize("quota", [Raw(402), Raw(429, b'{"error": {"code": "insufficient_quota"}}')])
def test_a_used_up_quota_stops_the_asking_and_what_there_is_is_scored(folder: Path, quota: Raw) -> None:
    with serving(lambda number, request: answer(number, request) if number <= 2 else quota) as server:
        done = generate(folder, server)
    assert len(server.requests) == 3
    assert "cupo" in done.err
    assert done.code == 1
    assert len(saved(folder)) == 2


def test_a_busy_server_on_one_case_does_not_end_the_run(folder: Path) -> None:
    def script(number: int, request: dict[str, Any]) -> Any:
        return Raw(429, headers={"Retry-After": "0"}) if number == 5 else answer(number, request)

    with serving(script) as server:
        assert generate(folder, server).code == 0
    assert len(server.requests) == 8


def test_a_killed_run_is_taken_up_where_it_stopped_also_in_mid_line(folder: Path) -> None:
    with serving(
        lambda number, request: answer(number, request) if number <= 3 else loopback.stall(300)
    ) as server:
        process = start("run_evals", *arguments_of(server), cwd=folder, env=environment())
        until(lambda: len(server.requests) == 4)
        process.kill()
        process.communicate()
        with (folder / "s.jsonl").open("ab") as torn:
            torn.write(b'{"id": "c3", "interpretacion": {"interpretacion": "Azot')
        server.script = answer
        server.requests.clear()
        done = generate(folder, server, "--reanudar")
    assert done.code == 0, done.err
    assert "estaba a medias" in done.err
    assert sorted(about(request) for request in server.requests) == [3, 4, 5, 90]
    assert [row["id"] for row in saved(folder)] == ["c0", "c1", "c2", "c3", "c4", "c5", "p0"]


def test_each_output_is_on_disk_before_the_next_case_is_asked_about(folder: Path) -> None:
    there: list[int] = []

    def script(number: int, request: dict[str, Any]) -> Any:
        path = folder / "s.jsonl"
        there.append(path.read_bytes().count(b"\n") if path.exists() else 0)
        return answer(number, request)

    with serving(script) as server:
        assert generate(folder, server).code == 0
    assert there == [0, 1, 2, 3, 4, 5, 6]


def test_control_c_keeps_what_came_and_says_how_to_go_on(folder: Path) -> None:
    with serving(
        lambda number, request: answer(number, request) if number <= 2 else loopback.stall(300)
    ) as server:
        process = start("run_evals", *arguments_of(server), cwd=folder, env=environment())
        until(lambda: len(server.requests) == 3)
        process.send_signal(signal.SIGINT)
        done = finish(process)
    assert done.code == 130
    assert "--reanudar" in done.err
    assert [row["id"] for row in saved(folder)] == ["c0", "c1"]


@pytest.mark.parametrize("change", ["model", "template", "case", "foreign"])
def test_outputs_of_another_model_template_or_case_are_not_continued(folder: Path, change: str) -> None:
    with serving(answer) as server:
        assert generate(folder, server).code == 0
        before = (folder / "s.jsonl").read_bytes()
        extra: tuple[str, ...] = ()
        if change == "model":
            server.models = ("otro:1b",)
        elif change == "template":
            (folder / "t.md").write_text("Otra pregunta: {ficha}", encoding="utf-8")
            extra = ("--plantilla", "t.md")
        elif change == "case":
            text = (folder / "casos.jsonl").read_text(encoding="utf-8")
            (folder / "casos.jsonl").write_text(text.replace("signo-3.", "signo-33."), encoding="utf-8")
        else:
            with (folder / "s.jsonl").open("a", encoding="utf-8") as more:
                more.write(json.dumps(line("secreto")) + "\n")
            before = (folder / "s.jsonl").read_bytes()
        server.requests.clear()
        done = generate(folder, server, "--reanudar", *extra)
    assert done.code == 3, done.err
    assert "no se puede continuar" in done.err
    assert "secreto" not in done.err
    assert (folder / "s.jsonl").read_bytes() == before
    assert server.requests == []


BAD_OUTPUTS: list[Any] = [
    "texto suelto",
    "[]",
    json.dumps({**FULL, "requiere_derivacion": "false"}),
    json.dumps({**FULL, "diferenciales": None}),
    json.dumps(FULL)[:-1] + ', "confianza": NaN}',
    '{"a": ' * 64 + "1" + "}" * 64,
    json.dumps({**FULL, "interpretacion": "x" * (1 << 20)}),
    Raw(500),
    loopback.cut,
]


BAD_NAMES = ("prose", "list", "no_boolean", "null", "nan", "deep", "long", "error", "cut")


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(bad, id=name, marks=[pytest.mark.lento] if name in {"list", "nan", "error"} else [])
        for name, bad in zip(BAD_NAMES, BAD_OUTPUTS, strict=True)
    ],
)
def test_what_is_no_interpretation_is_not_saved(folder: Path, bad: Any) -> None:
    with serving(lambda number, request: bad if about(request) == 1 else answer(number, request)) as server:
        done = generate(folder, server)
    assert done.code == 1
    assert "c1" in done.err
    assert "c1" not in [row["id"] for row in saved(folder)]
    assert len(saved(folder)) == 6


def test_nothing_but_failures_is_no_verdict(folder: Path) -> None:
    with serving("nada") as server:
        done = generate(folder, server)
    assert done.code == 4
    assert "LA PUERTA" not in done.out


def test_a_server_or_model_that_is_not_there_is_told_before_anything_is_written(folder: Path) -> None:
    with serving(models=("a:1b", "b:1b")) as server:
        several = generate(folder, server)
        assert several.code == 4
        assert "a:1b, b:1b" in several.err
        named = generate(folder, server, "--modelo-nombre", "c:1b")
        assert named.code == 4
    with nobody() as gone:
        done = run(
            "run_evals",
            "--modelo",
            gone,
            "--guardar-predicciones",
            "s.jsonl",
            "--casos",
            "casos.jsonl",
            cwd=folder,
        )
    assert done.code == 4
    assert "No responde nada" in done.err
    assert not (folder / "s.jsonl").exists()


def test_no_message_names_a_reserved_case(folder: Path) -> None:
    def script(number: int, request: dict[str, Any]) -> Any:
        return "nada de secreto" if about(request) == 80 else answer(number, request)

    with serving(script) as server:
        done = generate(folder, server, "--split", "todos")
    assert "secreto" not in done.out + done.err + (folder / "informe.json").read_text(encoding="utf-8")
    assert "un caso reservado" in done.err


def test_a_model_that_judges_itself_is_remarked(folder: Path) -> None:
    def script(number: int, request: dict[str, Any]) -> Any:
        return (
            rubric()
            if "CLAVE DE RESPUESTA" in json.dumps(request["json"], ensure_ascii=False)
            else answer(number, request)
        )

    with serving(script) as server:
        done = run("run_evals", *arguments_of(server)[:-1], "auto", cwd=folder, url=server.url)
    assert done.code == 0, done.err
    assert "los modelos se puntúan alto a sí mismos" in done.err


def test_simulated_outputs_can_be_saved_in_one_go_and_not_over_a_file(folder: Path) -> None:
    asked = ("--casos", "casos.jsonl", "--simular", "--guardar-predicciones", "s.jsonl")
    assert run("run_evals", *asked, cwd=folder).code == 0
    assert len(saved(folder)) == 7  # the reserved one is left out
    before = (folder / "s.jsonl").read_bytes()
    assert run("run_evals", *asked, cwd=folder).code == 2
    assert (folder / "s.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--modelo", "http://127.0.0.1:9"), "--guardar-predicciones"),
        (("--modelo", "ollama", "--guardar-predicciones", "s.jsonl"), "no vale como dirección"),
        (("--simular", "--plantilla", "t.md"), "--plantilla"),
        (
            ("--modelo", "http://127.0.0.1:9", "--predicciones", "x", "--guardar-predicciones", "s"),
            "no van juntas",
        ),
        (("--modelo", "http://127.0.0.1:9", "--guardar-predicciones", "casos.jsonl"), "encima de"),
        (
            ("--modelo", "http://127.0.0.1:9", "--guardar-predicciones", "s.jsonl", "--plantilla", "t.md"),
            "{ficha}",
        ),
    ],
)
def test_wrong_usage_is_2(folder: Path, arguments: tuple[str, ...], sentence: str) -> None:
    (folder / "t.md").write_text("sin hueco", encoding="utf-8")
    done = run("run_evals", "--casos", "casos.jsonl", *arguments, cwd=folder)
    assert done.code == 2
    assert sentence in done.err


def test_passages_that_the_template_has_no_place_for_are_told_not_to_reach_the_model(folder: Path) -> None:
    (folder / "t.md").write_text("Interpreta: {ficha} {fragmento}", encoding="utf-8")
    (folder / "f.jsonl").write_text('{"id": "c0", "fragmentos": ["Dato raro."]}\n', encoding="utf-8")
    with serving(answer) as server:
        done = generate(folder, server, "--plantilla", "t.md", "--fragmentos", "f.jsonl")
        asked = json.dumps([request["json"] for request in server.requests], ensure_ascii=False)
        (folder / "s.jsonl").unlink()
        whole = generate(folder, server, "--fragmentos", "f.jsonl")
    assert "Dato raro" not in asked
    assert "«t.md» no lleva {fragmentos}" in done.err
    assert "no lleva" not in whole.err


def test_a_case_that_spells_a_placeholder_does_not_get_it_filled_in() -> None:
    parsed, _ = parse_case(case(signos_clinicos="{fragmentos} {ficha}"))
    text = fill(read_template(None), parsed, ["uno"])
    assert text.count("[1]") == 2  # the explanation of the marks and the passage itself
    assert "{fragmentos} {ficha}" in text
    plain = fill(read_template(None), parsed, None)
    assert "bibliografía" not in plain


def test_simulated_outputs_of_the_reserved_split_are_not_saved(tmp_path: Path) -> None:
    # They are its answer key.
    kept = case("abierto")
    secret = case("secreto", split="test", diferenciales_aceptables=["hemangiosarcoma"])
    write(tmp_path / "casos.jsonl", kept, secret)
    for split in ("dev", "test", "todos"):
        asked = (
            "--casos",
            "casos.jsonl",
            "--simular",
            "--split",
            split,
            "--guardar-predicciones",
            f"{split}.jsonl",
        )
        done = run("run_evals", *asked, cwd=tmp_path)
        saved = (tmp_path / f"{split}.jsonl").read_text(encoding="utf-8")
        assert "abierto" in saved
        assert "secreto" not in saved + done.out + done.err
        assert "hemangiosarcoma" not in saved
        assert "la respuesta esperada" in done.err
