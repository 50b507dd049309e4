"""Runs of the judge: interrupted and taken up again, priced, refused, calibrated."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING, Any

import pytest

from tests.clinical.samples import case, line, pending, write
from tests.judges import loopback
from tests.judges.command_support import GIVEN, about, report_of
from tests.judges.loopback import rubric, serving, until
from tests.judges.processes import environment, finish, run, start

if TYPE_CHECKING:
    from pathlib import Path


def test_control_c_keeps_what_was_judged_and_reanudar_asks_only_for_the_rest(
    folder: Path, tmp_path: Path
) -> None:
    data = {"XDG_DATA_HOME": str(tmp_path / "datos")}

    def script(number: int, request: dict[str, Any]) -> Any:
        return rubric() if number <= 3 else loopback.stall(300)

    with serving(script) as server:
        process = start(
            "run_evals", *GIVEN, "--juez", "ollama", cwd=folder, env=environment(server.url, **data)
        )
        until(lambda: len(server.requests) == 4)
        process.send_signal(signal.SIGINT)
        done = finish(process)
        assert done.code == 130
        assert "Quedan guardados 3 casos juzgados" in done.err
        assert "--reanudar" in done.err
        assert not (folder / "informe.json").exists()
        kept = list((tmp_path / "datos").rglob("juicios/*.jsonl"))
        assert len(kept) == 1
        assert kept[0].read_bytes().count(b"\n") == 3  # each once
        server.script = lambda number, request: rubric()
        server.requests.clear()
        again = run("run_evals", *GIVEN, "--juez", "ollama", "--reanudar", cwd=folder, url=server.url, **data)
    assert again.code == 0
    assert sorted(about(request) for request in server.requests) == [3, 4, 5, 90]
    assert report_of(folder)["juez_ejecucion"]["reutilizados"] == 3
    # A finished run leaves no clinical text behind.
    assert list((tmp_path / "datos").rglob("*.jsonl")) == []


def test_reanudar_works_after_a_kill_and_a_half_line(folder: Path) -> None:
    def script(number: int, request: dict[str, Any]) -> Any:
        return rubric() if number <= 2 else loopback.stall(300)

    kept = ("--guardar-juicios", "j.jsonl")
    with serving(script) as server:
        process = start("run_evals", *GIVEN, *kept, cwd=folder, env=environment(server.url))
        until(lambda: len(server.requests) == 3)
        process.kill()
        process.communicate()
        with (folder / "j.jsonl").open("ab") as torn:
            torn.write(b'{"clave": "abc", "id": "c2", "rubr')
        server.script = lambda number, request: rubric()
        server.requests.clear()
        refused = run("run_evals", *GIVEN, *kept, cwd=folder, url=server.url)
        assert refused.code == 2
        assert "--reanudar" in refused.err
        assert server.requests == []
        again = run("run_evals", *GIVEN, *kept, "--reanudar", cwd=folder, url=server.url)
    assert again.code == 0
    assert "estaba a medias" in again.err
    assert len(server.requests) == 5
    rows = [json.loads(row) for row in (folder / "j.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sorted(row["id"] for row in rows) == ["c0", "c1", "c2", "c3", "c4", "c5", "p0"]


def test_a_fresh_run_sets_the_judgements_of_an_interrupted_one_aside(folder: Path, tmp_path: Path) -> None:
    data = {"XDG_DATA_HOME": str(tmp_path / "datos")}

    def script(number: int, request: dict[str, Any]) -> Any:
        return "nada" if about(request) == 5 else rubric()

    with serving(script) as server:
        for _ in range(2):
            assert run("run_evals", *GIVEN, cwd=folder, url=server.url, **data).code == 1
    names = sorted(path.name for path in (tmp_path / "datos").rglob("*.jsonl"))
    assert len(names) == 2
    assert names[0].removesuffix(".jsonl") == names[1].removesuffix(".anterior.jsonl") or names[0].endswith(
        ".anterior.jsonl"
    )


def test_the_order_of_reasons_integrity_then_judge_then_nothing_to_judge(folder: Path) -> None:
    write(folder / "casos.jsonl", pending("c0"))
    write(folder / "salidas.jsonl", line("c0"))
    assert run("run_evals", *GIVEN, cwd=folder).code == 4
    assert run("run_evals", *GIVEN, "--juez", "ollama", cwd=folder).code == 7
    (folder / "casos.firmas.jsonl").write_text('{"esto": "no es una entrada"}\n', encoding="utf-8")
    with serving() as server:
        assert run("run_evals", *GIVEN, "--juez", "ollama", cwd=folder, url=server.url).code == 5
    assert server.requests == []


def test_a_judge_that_is_there_with_nothing_to_judge_leaves_the_other_reason(folder: Path) -> None:
    write(folder / "salidas.jsonl", line("p0"))
    with serving() as server:
        done = run("run_evals", *GIVEN, "--juez", "ollama", cwd=folder, url=server.url)
    assert done.code == 4
    assert report_of(folder)["motivo"] == "ninguna_prediccion"


def test_a_simulation_is_not_judged_unless_a_judge_is_named(folder: Path) -> None:
    with serving() as server:
        done = run("run_evals", "--casos", "casos.jsonl", "--simular", cwd=folder, url=server.url)
        assert done.code == 0
        assert server.requests == []
        named = run(
            "run_evals", "--casos", "casos.jsonl", "--simular", "--juez", "ollama", cwd=folder, url=server.url
        )
    assert named.code == 0
    assert len(server.requests) == 7


def test_the_canonical_report_is_the_same_whatever_the_order_and_speed_of_the_answers(folder: Path) -> None:
    import time

    def script(number: int, request: dict[str, Any]) -> Any:
        time.sleep((number * 7 % 5) / 100)
        return rubric(completitud=about(request) / 100)

    found: list[dict[str, Any]] = []
    with serving(script) as server:
        for concurrency in ("1", "5"):
            run("run_evals", *GIVEN, cwd=folder, url=server.url, REVISION_JUEZ_CONCURRENCIA=concurrency)
            report = report_of(folder)
            del report["juez_ejecucion"], report["generado"]
            found.append(report)
    assert json.dumps(found[0]) == json.dumps(found[1])


def test_the_price_of_a_run_is_told_when_prices_are_set(folder: Path) -> None:
    with serving() as server:
        done = run(
            "run_evals",
            *GIVEN,
            cwd=folder,
            url=server.url,
            REVISION_JUEZ_PRECIO_ENTRADA="3",
            REVISION_JUEZ_PRECIO_SALIDA="15",
        )
    # seven questions: 7000 tokens in at 3 a million, 350 out at 15: 0.021 + 0.00525
    assert "7000 de entrada y 350 de salida; coste 0.0262" in done.err or "coste 0.0263" in done.err
    assert report_of(folder)["juez_ejecucion"]["coste"] in {"0.0262", "0.0263"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--juez", "olama"), "¿Quería decir «ollama»?"),
        (("--juez", "cli"), "Valores posibles"),
        (("--juez", "http://u:p@127.0.0.1"), "no vale como dirección"),
        (("--calibrar-juez", "h.jsonl", "--juez", "ninguno"), "necesita un juez"),
        (("--reanudar", "--juez", "ninguno"), "--reanudar"),
        (("--guardar-predicciones", "x.jsonl"), "--modelo"),
        (("--guardar-juicios", "salidas.jsonl"), "encima de"),
        (("--guardar-juicios", "informe.json"), "encima de"),
        (("--fragmentos", "nada.jsonl"), "nada.jsonl"),
        (("--calibracion", "salidas.jsonl"), "calibración"),
    ],
)
def test_wrong_usage_is_2_and_asks_nobody_anything(
    folder: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    with serving() as server:
        done = run("run_evals", *GIVEN, *arguments, cwd=folder, url=server.url)
    assert done.code == 2, done.err
    assert sentence in done.err
    assert server.requests == []


@pytest.mark.parametrize("value", ["cero", "1.5"])
def test_a_setting_that_is_none_is_told_by_its_name(folder: Path, value: str) -> None:
    done = run("run_evals", *GIVEN, cwd=folder, REVISION_JUEZ_CONCURRENCIA=value)
    assert done.code == 2
    assert "REVISION_JUEZ_CONCURRENCIA" in done.err


def test_calibration_from_end_to_end_and_a_later_run_that_knows_of_it(folder: Path) -> None:
    rows = [
        {"id": f"c{n}", "revisor": "Ana", "completitud": 0.6, "seguridad": 1, "violacion_seguridad": False}
        for n in range(6)
    ]
    write(folder / "h.jsonl", *rows)
    with serving() as server:
        done = run(
            "run_evals",
            *GIVEN[:4],
            "--calibrar-juez",
            "h.jsonl",
            "--informe",
            "cal.json",
            cwd=folder,
            url=server.url,
        )
        assert done.code == 0, done.err
        assert len(server.requests) == 6
        # The judge gives 0.7 where the vet gives 0.6: for 0.60 of the vet it would need 0.70.
        assert "este juez necesitaría 0.70 (prudente: 0.70)" in done.out
        content = json.loads((folder / "cal.json").read_text(encoding="utf-8"))
        assert content["tipo"] == "calibracion_juez"
        later = run("run_evals", *GIVEN, "--calibracion", "cal.json", cwd=folder, url=server.url)
    assert "Juez calibrado con 6 casos" in later.out
    assert report_of(folder)["juez_detalle"]["calibrado"] is True


def test_calibration_without_a_judge_is_7_without_cases_4_with_bad_scores_3(folder: Path) -> None:
    write(folder / "h.jsonl", {"id": "c0", "seguridad": 1})
    asked = (*GIVEN[:4], "--calibrar-juez", "h.jsonl")
    assert run("run_evals", *asked, cwd=folder).code == 7
    with serving() as server:
        few = run("run_evals", *asked, cwd=folder, url=server.url)
        assert few.code == 4
        assert "hacen falta al menos 5" in few.out
        assert run("run_evals", *asked, "--split", "test", cwd=folder, url=server.url).code == 4
        write(folder / "h.jsonl", {"id": "c0", "seguridad": "1"})
        bad = run("run_evals", *asked, cwd=folder, url=server.url)
    assert bad.code == 3
    assert "seguridad" in bad.err
    with serving("nada") as broken:
        write(folder / "h.jsonl", {"id": "c0", "seguridad": 1})
        assert run("run_evals", *asked, cwd=folder, url=broken.url).code == 7


def test_a_calibration_tells_no_figure_of_one_or_two_reserved_cases(folder: Path) -> None:
    asked = (*GIVEN[:4], "--calibrar-juez", "h.jsonl", "--informe", "cal.json")
    own = {"XDG_DATA_HOME": str(folder / "datos")}
    scored = [{"id": f"secreto{n}", "seguridad": 0.4} for n in range(3)]
    scored += [{"id": f"c{n}", "seguridad": 0.4} for n in range(6)]
    with serving() as server:
        for split, rows in (("test", scored[:1]), ("test", scored[:2]), ("todos", scored[1:])):
            write(folder / "h.jsonl", *rows)
            few = run("run_evals", *asked, "--split", split, cwd=folder, url=server.url, **own)
            assert few.code == 4
            assert "de menos de 3" in few.err
            assert few.out == ""
        assert server.requests == []
        assert not (folder / "cal.json").exists()
        write(folder / "h.jsonl", *scored)
        assert run("run_evals", *asked, "--split", "todos", cwd=folder, url=server.url, **own).code == 0


def test_two_calibrations_one_reserved_case_apart_are_refused(folder: Path) -> None:
    more = [case(f"secreto{n}", split="test") for n in (3, 4)]
    lines = (folder / "casos.jsonl").read_text(encoding="utf-8")
    (folder / "casos.jsonl").write_text(lines + "".join(json.dumps(c) + "\n" for c in more), encoding="utf-8")
    write(folder / "salidas.jsonl", *(line(f"secreto{n}") for n in range(5)))
    asked = (*GIVEN[:4], "--calibrar-juez", "h.jsonl", "--split", "test")
    own = {"XDG_DATA_HOME": str(folder / "datos")}
    with serving() as server:
        for n, code in ((5, 0), (4, 2), (5, 0)):
            write(folder / "h.jsonl", *({"id": f"secreto{i}", "seguridad": 0.4} for i in range(n)))
            done = run("run_evals", *asked, cwd=folder, url=server.url, **own)
            assert done.code == code, done.err


def test_two_runs_with_the_same_judge_are_compared_in_its_figures_too(folder: Path) -> None:
    better = False

    def script(number: int, request: dict[str, Any]) -> Any:
        return rubric(completitud=0.9 if better else 0.6)

    with serving(script) as server:
        asked = (*GIVEN[:4], "--juez", "ollama", "--informe")
        assert run("run_evals", *asked, "antes.json", cwd=folder, url=server.url).code == 0
        better = True
        done = run("run_evals", *asked, "ahora.json", "--comparar", "antes.json", cwd=folder, url=server.url)
    assert done.code == 0, done.err
    told = next(one for one in done.out.splitlines() if "juez_completitud" in one and "->" in one)
    assert told.split() == ["juez_completitud", "0.60", "->", "0.90", "+0.30", "[+0.30,", "+0.30]", "mejor"]
    content = json.loads((folder / "ahora.json").read_text(encoding="utf-8"))
    assert content["comparacion"]["veredicto"] == "mejor"
