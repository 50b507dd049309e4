"""A data set of any length is judged as one that is held in memory: the same bytes, and hardly any memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from scoring import spool
from scoring.cli import outputs
from scoring.cli import run_evals as command
from scoring.record import take_snapshot
from tests.cli.processes import Done, revision, run_evals
from tests.clinical.samples import case, good_output, line, pending, prose, write

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = ("texto", "json", "junit", "markdown", "github", "html")
NOW = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)


class _Clock(datetime):
    @classmethod
    def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
        return NOW


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Signed, pending, expired, signed by nobody, without an output, in no clear language, and reserved."""
    monkeypatch.setattr(outputs, "datetime", _Clock)
    here = tmp_path / "trabajo"
    here.mkdir()
    cases = [
        *(case(f"z {n} ñ", tanda=f"tanda {n % 2}") for n in range(6)),
        *(pending(f"pendiente con un nombre largo {n}") for n in range(70)),
        case("de nadie", revisor=" "),
        pending("b1"),
        *(case(f"secreto-{n}", split="test", hallazgos_clave=["creat"]) for n in range(6)),
        pending("secreto-p", split="test"),
        case("a", hallazgos_clave=["hct", "creat"]),
    ]
    write(here / "casos.jsonl", *(one for one in cases if one["id"] != "de nadie"))
    signed = revision("--casos", "casos.jsonl", "--validar", "b1", "--revisor", "Ana Prueba", cwd=here)
    assert signed.returncode == 0, signed.stderr
    text = (here / "casos.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(one) for one in text.splitlines()]
    edited = [{**one, "signos_clinicos": "Otra cosa"} if one["id"] == "b1" else one for one in rows]
    write(here / "casos.jsonl", *edited)
    said = {
        "z 1 ñ": prose("Creatinine is high."),
        "z 2 ñ": prose("creat 3,1"),
        "z 3 ñ": prose("Todo normal."),
    }
    left_out = {"z 0 ñ", "secreto-1"}
    write(
        here / "salidas.jsonl",
        *(
            line(one, said.get(one, good_output()))
            for one in (row["id"] for row in rows)
            if one not in left_out
        ),
    )
    return here


def everything(folder: Path, *options: str) -> tuple[Done, dict[str, bytes]]:
    wanted = [part for name in FORMATS for part in ("--formato", f"{name}=salida.{name}")]
    done = run_evals(
        *("--casos", "casos.jsonl", "--predicciones", "salidas.jsonl", "--juez", "ninguno"),
        *(*wanted, "--informe", "informe.json", *options),
        cwd=folder,
    )
    written = [folder / "informe.json", *(folder / f"salida.{name}" for name in FORMATS)]
    return done, {path.name: path.read_bytes() for path in written}


def both_ways(folder: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> tuple[Done, dict[str, bytes]]:
    """What the command says of cases read one by one, after a check that it says the same of those it holds."""
    kept: list[object] = []
    put = spool.Spool.put

    def counted(self: spool.Spool, value: object) -> int:
        kept.append(value)
        return put(self, value)

    monkeypatch.setattr(spool.Spool, "put", counted)
    stored = everything(folder, *options)
    assert kept
    kept.clear()
    with monkeypatch.context() as held:
        held.setattr(command, "stored_snapshot", take_snapshot)
        assert everything(folder, *options) == stored
    assert not kept
    return stored


@pytest.mark.parametrize("split", ["dev", "test", "todos"])
@pytest.mark.parametrize("extra", [(), ("--incluir-pendientes",), ("--reglas", "1"), ("--idioma", "en")])
def test_every_output_has_the_bytes_that_it_has_when_the_cases_are_held(
    folder: Path, monkeypatch: pytest.MonkeyPatch, split: str, extra: tuple[str, ...]
) -> None:
    done, written = both_ways(folder, monkeypatch, "--split", split, *extra)
    assert done.code in {0, 1}
    report = json.loads(written["informe.json"])
    whole = json.dumps(report, ensure_ascii=False, indent=2) + "\n"
    assert written["informe.json"].decode() == written["salida.json"].decode() == whole
    if split != "test":
        assert [row["id"] for row in report["firmas_no_validas"]] == (
            [] if "--incluir-pendientes" in extra else ["b1"]
        )
        assert report["sin_prediccion"] == ["z 0 ñ"]
        # 7 signed, 70 pending and the one that was edited
        assert len(report["casos"]) == 78
        assert len(report["pendientes"]) == (0 if "--incluir-pendientes" in extra else 71)


def test_the_rows_of_the_reserved_split_and_a_comparison_are_the_same_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (_, before) = both_ways(folder, monkeypatch, "--split", "dev")
    (folder / "antes.json").write_bytes(before["informe.json"])
    rows = [json.loads(one) for one in (folder / "salidas.jsonl").read_text(encoding="utf-8").splitlines()]
    worse = [line(row["id"], prose("Nada.")) if row["id"] == "a" else row for row in rows]
    write(folder / "salidas.jsonl", *worse)
    _, compared = both_ways(folder, monkeypatch, "--split", "dev", "--comparar", "antes.json")
    lost = json.loads(compared["informe.json"])["comparacion"]
    assert lost is not None
    assert b"a" in compared["salida.texto"]
    look = ("--split", "todos", "--detalle-test", "--revisor", "Ana Prueba")
    _, shown = both_ways(folder, monkeypatch, *look)
    ids = [row["id"] for row in json.loads(shown["informe.json"])["casos"]]
    assert ids == sorted(ids)
    assert "secreto-3" in ids


def test_with_data_that_do_not_agree_with_the_record_both_tell_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "casos.jsonl"
    rows = [json.loads(one) for one in path.read_text(encoding="utf-8").splitlines()]
    by_hand = {"validado": True, "revisor": "Ana Prueba", "fecha_validacion": "2026-01-02"}
    changed = {"pendiente con un nombre largo 3", "secreto-p"}
    write(path, *(row | by_hand if row["id"] in changed else row for row in rows))
    done, written = both_ways(folder, monkeypatch, "--split", "dev")
    report = json.loads(written["informe.json"])
    assert (done.code, report["motivo"]) == (5, "datos_descuadrados")
    assert [row["id"] for row in report["firmas_no_validas"]] == ["b1", "pendiente con un nombre largo 3"]
    # the one that may be named, and the number of those that may not
    assert len(report["registro_roto"]) == 2
    record = folder / "casos.firmas.jsonl"
    record.write_bytes(b"{}\n" + record.read_bytes())
    done, written = both_ways(folder, monkeypatch, "--split", "dev")
    report = json.loads(written["informe.json"])
    assert (done.code, report["motivo"], report["casos_cuentan"]) == (5, "registro_roto", 0)


def test_a_temporary_folder_that_takes_nothing_is_told_and_gives_no_verdict(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: spool.Spool, value: object) -> int:
        raise spool._refused(OSError(28, "x"))

    monkeypatch.setattr(spool.Spool, "put", full)
    done = run_evals("--casos", "casos.jsonl", "--predicciones", "salidas.jsonl", cwd=folder)
    assert (done.code, done.out) == (8, "")
    assert "fichero temporal" in done.err
    assert "No se ha dado ningún veredicto" in done.err


# `ru_maxrss` would be that of these tests, from which the process was forked, where that is more.
MEASURED = """
import sys
from pathlib import Path
from scoring.cli.run_evals import main
code = main(sys.argv[1:])
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(code, status["VmHWM"].split()[0], file=sys.stderr)
"""


def peak(folder: Path, count: int) -> int:
    """Most memory, in kB, of a run on ``count`` cases, a third of them pending, with a report."""
    rows = [(case if n % 3 else pending)(f"caso-numero-{n}") for n in range(count)]
    write(folder / "casos.jsonl", *rows)
    write(folder / "salidas.jsonl", *(line(f"caso-numero-{n}") for n in range(count)))
    options = ("--casos", "casos.jsonl", "--predicciones", "salidas.jsonl", "--juez", "ninguno")
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *options, "--informe", "i.json", "--formato", "html=i.html"],
        cwd=folder,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        capture_output=True,
        check=True,
        timeout=300,
    )
    code, most = done.stderr.split()[-2:]
    assert int(code) in {0, 1}
    return int(most)


@pytest.mark.lento
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system tells it on Linux only")
def test_ten_times_the_cases_take_hardly_more_memory(tmp_path: Path) -> None:
    few, many = peak(tmp_path, 1000), peak(tmp_path, 10_000)
    assert many <= 1.15 * few, (few, many)
