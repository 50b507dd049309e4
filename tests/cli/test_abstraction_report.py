"""``revision --informe-abstraccion`` without a terminal: the same table as text, and clear refusals."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from reviewer.cli import main
from reviewer.commands.abstraction import report_files
from scoring.abstraction import run_chart_abstraction_benchmark, synthetic_chart_abstraction_gold


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The report of the built-in set without a single output: everything is missing."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "informe.json"
    made = run_chart_abstraction_benchmark(synthetic_chart_abstraction_gold(), [])
    path.write_text(made.to_json(), encoding="utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    said = capsys.readouterr()
    return code, said.out, said.err


def test_the_table_says_what_the_screen_says_and_ends_with_0(
    report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("m.toml").write_text("[general]\nexact_agreement = { minimo = 0.5 }\n", encoding="utf-8")
    arguments = ("--minimos-abstraccion", "m.toml", "--comparar-abstraccion", "informe.json")
    code, out, err = run(capsys, "--informe-abstraccion", "informe.json", *arguments)
    # It shows, it does not judge: 0 although a floor is not kept.
    assert code == 0
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[0] == "GENERAL"
    # 8 fields with an answer, all missing: 0 of 8, upper bound 3.8415/(8 + 3.8415) = 0.324
    assert "coincidencia exacta ────────── 0 [0; 0,324] 8 de 8" in lines
    assert "responde sin haber dato (error) ────────── 0 [0; 0,490] 0 de 4" in lines
    assert "respuesta con evidencia ·········· – sin casos" in lines
    fields = [line.split()[0] for line in lines if line.startswith("registry.")]
    assert fields == ["registry.flag", "registry.label", "registry.measurement", "registry.status"]
    assert "NO CUMPLE coincidencia exacta: 0 (mínimo 0,5)" in lines
    assert "Cambian 0 de 54 comparaciones" in out
    assert "misma orden en un terminal" in err


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("--informe-abstraccion", "no.json"), 2, "No existe el archivo «no.json»"),
        (("--informe-abstraccion", "."), 2, "«.» no es un archivo normal"),
        (("--informe-abstraccion", "cortado.json"), 3, "«cortado.json» está cortado"),
        (("--informe-abstraccion", "informe.json", "--minimos-abstraccion", "no.toml"), 2, "no.toml"),
        (("--informe-abstraccion", "informe.json", "--comparar-abstraccion", "cortado.json"), 3, "cortado"),
        (("--minimos-abstraccion", "m.toml"), 2, "falta el informe que se quiere ver"),
        (("--estado", "--informe-abstraccion", "informe.json"), 2, "al abrir la aplicación"),
    ],
)
def test_what_cannot_be_shown_is_said_in_a_sentence(
    report: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    Path("cortado.json").write_text(report.read_text(encoding="utf-8")[:-40], encoding="utf-8")
    found, out, err = run(capsys, *arguments)
    assert (found, out) == (code, "")
    assert sentence in err


def test_each_file_is_named_by_its_option_its_variable_or_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "revision.toml").write_text(
        'informe_abstraccion = "i.json"\nminimos_abstraccion = "m.toml"\n', encoding="utf-8"
    )
    options = argparse.Namespace(
        informe_abstraccion=Path("mio.json"), minimos_abstraccion=None, comparar_abstraccion=None
    )
    files = report_files(options, {"REVISION_COMPARAR_ABSTRACCION": " antes.json "}, tmp_path)
    assert files.report == Path("mio.json")
    assert files.minimums == tmp_path / "m.toml"
    assert files.earlier == Path("antes.json")
    options.informe_abstraccion = None
    assert report_files(options, {"REVISION_INFORME_ABSTRACCION": ""}, tmp_path).report == tmp_path / "i.json"


def test_a_report_named_in_the_configuration_does_not_stand_in_the_way_of_other_orders(
    report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("revision.toml").write_text('informe_abstraccion = "no.json"\n', encoding="utf-8")
    code, out, _ = run(capsys, "--estado")
    assert code == 0
    assert "Todos" in out
