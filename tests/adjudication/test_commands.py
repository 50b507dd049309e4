"""run-abstraction with a record: figures beside, a new gold file, the gate over reviews, the audit."""

from __future__ import annotations

import json
import os
import stat
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reviewer.cli import main as revision
from scoring.adjudication.entries import Verdict
from scoring.cli.run_abstraction import main
from scoring.record import entry_digest
from tests.abstraction.rows import OTHER, chain, write

from .support import GOLD, OUTPUTS, PRIVATE, WHY, chains_file, decide, desk_on, files

if TYPE_CHECKING:
    from reviewer.adjudication.desk import Sources

    Capture = pytest.CaptureFixture[str]


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    """Five decisions of the six that there are to take, three of them against the gold."""
    sources = files(tmp_path)
    desk = desk_on(sources)
    decide(desk, "p1", "dx", Verdict.OUTPUT, f"{PRIVATE} lo confirma")
    decide(desk, "p2", "dx", Verdict.BOTH)
    decide(desk, "p3", "dx", Verdict.GOLD, "")
    decide(desk, "p3", "edad", Verdict.UNANSWERABLE)
    decide(desk, "p2", "edad", Verdict.OUTPUT)
    return sources


def scored(sources: Sources, *more: str) -> int:
    return main(["--gold", str(sources.gold), "--outputs", str(sources.outputs), *more])


def test_scoring_knows_nothing_of_a_record_unless_it_is_named(sources: Sources, capfd: Capture) -> None:
    assert scored(sources) == 0
    told = capfd.readouterr().out
    assert "djudica" not in told
    assert scored(sources, "--json") == 0
    plain = capfd.readouterr()
    assert scored(sources, "--json", "--adjudicaciones", str(sources.record)) == 0
    named = capfd.readouterr()
    assert named.out == plain.out  # the canonical bytes stay those of the files given
    assert "gold adjudicado" in named.err


def test_with_a_record_the_figures_of_the_adjudicated_gold_stand_beside(
    sources: Sources, capfd: Capture
) -> None:
    assert scored(sources, "--adjudicaciones", str(sources.record)) == 0
    told = [" ".join(line.split()) for line in capfd.readouterr().out.splitlines()]
    assert "6 desacuerdos: 5 con dictamen, 1 sin decidir" in told
    for line in ("gold correcto 1", "salida correcta 2", "valen ambos 1", "sin respuesta en la historia 1"):
        assert line in told
    # As it is 1 of 7 («Asma»); adjudicated also p1's diagnosis and p2's age, and p3's age has no answer.
    agreement = next(line for line in told if line.startswith("coincidencia normalizada gold tal cual"))
    assert agreement.endswith("gold tal cual 0,143 (1/7) → gold adjudicado 0,500 (3/6)")
    assert any("El gold adjudicado cambiaría 3 filas" in line for line in told)
    assert any("coincidencia normalizada sería 0,667 (4/6)" in line for line in told)  # with «ambos»
    assert PRIVATE not in "\n".join(told)


def test_expired_and_impossible_decisions_are_counted_and_do_not_count(
    sources: Sources, capfd: Capture
) -> None:
    write(sources.outputs, [OUTPUTS[0] | {"value": "bronquitis"}, *OUTPUTS[1:]])
    assert scored(sources, "--adjudicaciones", str(sources.record)) == 0
    told = capfd.readouterr().out
    assert "6 desacuerdos: 4 con dictamen, 2 sin decidir" in told
    assert "una decisión caducada" in told


@pytest.mark.parametrize("order", ["score", "finalizar", "corregir", "auditar"])
def test_a_broken_record_is_exit_five_and_nothing_is_written(
    sources: Sources, tmp_path: Path, capfd: Capture, order: str
) -> None:
    lines = sources.record.read_bytes().splitlines(keepends=True)
    sources.record.write_bytes(b"".join(lines[1:]))
    new = tmp_path / "nuevo.jsonl"
    evidence = chains_file(tmp_path)
    required = tmp_path / "campos.txt"
    required.write_text("dx\n")
    both = ["--gold", str(sources.gold), "--outputs", str(sources.outputs)]
    record = ["--adjudicaciones", str(sources.record)]
    told = {
        "score": [*both, *record, "--informe", str(new)],
        "finalizar": ["finalizar", "--evidencia", str(evidence), "--campos", str(required), *record],
        "corregir": ["corregir", *both, *record, "--salida", str(new)],
        "auditar": ["auditar", *record],
    }
    assert main(told[order]) == 5
    captured = capfd.readouterr()
    assert "línea 1" in captured.out + captured.err
    assert PRIVATE not in captured.out + captured.err
    assert not new.exists()


def test_the_corrected_gold_is_a_new_private_file_and_its_changed_lines_are_named(
    sources: Sources, tmp_path: Path, capfd: Capture
) -> None:
    new = tmp_path / "gold-2.jsonl"
    call = ["corregir", "--gold", str(sources.gold), "--outputs", str(sources.outputs)]
    call += ["--adjudicaciones", str(sources.record), "--salida"]
    before = sources.gold.read_bytes()
    assert main([*call, str(new)]) == 0
    told = capfd.readouterr().out
    assert "han cambiado 3 filas" in told
    assert "dx: línea 1\n" in told
    assert "edad: líneas 6, 7\n" in told
    assert stat.S_IMODE(new.stat().st_mode) == 0o600
    rows = [json.loads(line) for line in new.read_text("utf-8").splitlines()]
    assert [row["value"] for row in rows] == ["neumonia", "HTA", None, "Asma", 61, 71.0, None, 44]
    assert type(rows[5]["value"]) is float
    for taken in (new, sources.gold, sources.record):
        assert main([*call, str(taken)]) == 2
    assert sources.gold.read_bytes() == before
    # Scored with the new gold, the decided rows have nothing left to decide; the others stand as before.
    capfd.readouterr()
    scored(replace(sources, gold=new), "--adjudicaciones", str(sources.record))
    assert "3 filas decididas ya no son un desacuerdo" in capfd.readouterr().out


def test_with_nothing_to_correct_nothing_is_written(tmp_path: Path, capfd: Capture) -> None:
    sources = files(tmp_path)
    decide(desk_on(sources), "p1", "dx", Verdict.GOLD, "")
    call = ["corregir", "--gold", str(sources.gold), "--outputs", str(sources.outputs)]
    call += ["--adjudicaciones", str(sources.record), "--salida", str(tmp_path / "n.jsonl")]
    assert main(call) == 4
    assert not (tmp_path / "n.jsonl").exists()
    # The chart does not answer, and the gold says just that: a decision against the gold that changes nothing.
    decide(desk_on(sources), "p3", "dx", Verdict.UNANSWERABLE)
    assert main(call) == 4
    assert not (tmp_path / "n.jsonl").exists()


class Gate:
    def __init__(self, folder: Path) -> None:
        self.evidence = chains_file(folder, chain("dx"), chain("edad", normalized_fact_digest=OTHER))
        self.required = folder / "campos.txt"
        self.required.write_text("dx\nedad\n")
        self.sources = replace(files(folder), evidence=self.evidence)
        self.desk = desk_on(self.sources)

    def review(self, field: str, verdict: Verdict) -> None:
        review = next(r for r in self.desk.reading.chains if r.chain.field_id == field)
        self.desk.recorded(self.desk.decide_chain(review, verdict, WHY))

    def run(self, *more: str) -> int:
        return main(["finalizar", "--evidencia", str(self.evidence), "--campos", str(self.required), *more])

    def with_record(self, *more: str) -> int:
        return self.run("--adjudicaciones", str(self.sources.record), *more)


def test_with_a_record_its_approvals_are_the_review_and_the_file_s_own_are_not(
    tmp_path: Path, capfd: Capture
) -> None:
    gate = Gate(tmp_path)
    assert gate.run() == 0  # the file says that both are approved
    gate.review("dx", Verdict.APPROVE)
    capfd.readouterr()
    assert gate.with_record() == 1
    told = capfd.readouterr()
    assert "edad [review_not_approved]" in told.out
    assert "dx [" not in told.out
    assert "aprobadas 1 · rechazadas 0 · caducadas 0 · en conflicto 0 · sin decidir 1" in told.err
    gate.review("edad", Verdict.APPROVE)
    assert gate.with_record("--json") == 0
    receipt = capfd.readouterr().out
    assert gate.run("--json") == 0
    # Both approved by the record is what the file says, so the receipt is the same to the byte.
    assert capfd.readouterr().out == receipt


def test_a_rejected_chain_is_an_issue_and_named_with_who_rejected_it(tmp_path: Path, capfd: Capture) -> None:
    gate = Gate(tmp_path)
    gate.review("dx", Verdict.APPROVE)
    gate.review("edad", Verdict.REJECT)
    assert gate.with_record() == 1
    told = capfd.readouterr()
    assert "edad [review_not_approved]" in told.out
    assert "edad: rechazada por Ana Ruiz el 2026-08-05" in told.err
    assert WHY not in told.err + told.out


def test_a_decision_on_a_chain_that_changed_is_named_as_expired(tmp_path: Path, capfd: Capture) -> None:
    gate = Gate(tmp_path)
    gate.review("dx", Verdict.APPROVE)
    gate.review("edad", Verdict.APPROVE)
    chains_file(tmp_path, chain("dx", uncertainty=0.25), chain("edad", normalized_fact_digest=OTHER))
    assert gate.with_record() == 1
    assert "dx: decisión caducada" in capfd.readouterr().err
    # The state that the file claims is no part of what was reviewed, nor is the name of the file.
    chains_file(
        tmp_path,
        chain("dx", reviewer_state="rejected"),
        chain("edad", normalized_fact_digest=OTHER, reviewer_state="pending"),
    )
    gate.evidence = gate.evidence.rename(tmp_path / "otro.jsonl")
    assert gate.with_record() == 0


def test_the_order_of_refusals_is_usage_data_integrity(tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    assert gate.with_record() == 2  # there is no record yet
    gate.review("dx", Verdict.APPROVE)
    gate.sources.record.write_bytes(b"{}\n" + gate.sources.record.read_bytes())
    assert gate.with_record() == 5
    gate.evidence.write_bytes(b"{}\n")
    assert gate.with_record() == 3


def test_the_audit_prints_the_tips_to_pin_and_how_the_rows_stand(sources: Sources, capfd: Capture) -> None:
    call = ["auditar", "--adjudicaciones", str(sources.record)]
    assert main([*call, "--gold", str(sources.gold), "--outputs", str(sources.outputs)]) == 0
    told = capfd.readouterr().out
    assert "El registro está íntegro: 5 decisiones" in told
    assert "6 desacuerdos: en vigor 5 · caducados 0 · en conflicto 0 · imposibles 0 · sin decidir 1" in told
    tip = told.rstrip().splitlines()[-1].strip()
    assert main([*call, "--cabeza", tip, "--json"]) == 0
    value = json.loads(capfd.readouterr().out)
    assert (value["decisiones"], value["cabeza"], value["faltas"]) == (5, [tip], [])
    cut = sources.record.read_bytes().splitlines(keepends=True)[:-1]
    sources.record.write_bytes(b"".join(cut))
    assert main([*call, "--cabeza", tip]) == 5
    assert f"falta la entrada {tip[:12]}" in capfd.readouterr().out
    assert main([*call, "--cabeza", "corta"]) == 2
    assert main([*call, "--gold", str(sources.gold)]) == 2
    assert PRIVATE not in told


def test_the_schema_of_the_record_is_printed(capfd: Capture) -> None:
    assert main(["auditar", "--esquema"]) == 0
    assert json.loads(capfd.readouterr().out)["$id"] == "urn:revision-clinica:adjudication-record:1"


def test_a_record_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    sources = files(tmp_path)
    for call in ([], ["auditar"], ["corregir", "--salida", str(tmp_path / "n")]):
        both = (
            []
            if call[:1] == ["auditar"]
            else ["--gold", str(sources.gold), "--outputs", str(sources.outputs)]
        )
        assert main([*call, *both, "--adjudicaciones", str(sources.record)]) == 2
    assert main(["auditar"]) == 2
    assert main(["corregir", "--gold", str(sources.gold)]) == 2


@pytest.mark.parametrize("order", ["corregir", "auditar", "finalizar"])
@pytest.mark.parametrize("language", ["es", "en"])
def test_the_help_has_an_example_and_the_exit_codes(capfd: Capture, order: str, language: str) -> None:
    assert main([order, "--idioma", language, "--help"]) == 0
    told = capfd.readouterr().out
    assert f"run-abstraction {order} --" in told
    assert "5 re" in told  # «5 registro» or «5 record»


def test_the_report_of_the_given_files_is_not_moved_by_a_record_beside_them(
    tmp_path: Path, capfd: Capture
) -> None:
    alone = files(tmp_path / "a", GOLD, OUTPUTS)
    assert scored(alone, "--json") == 0
    before = capfd.readouterr().out
    decide(desk_on(alone), "p1", "dx", Verdict.OUTPUT)
    assert scored(alone, "--json") == 0
    assert capfd.readouterr().out == before


def test_an_audit_says_nothing_of_what_counts_in_a_record_that_was_altered(
    sources: Sources, capfd: Capture
) -> None:
    lines = sources.record.read_bytes().splitlines(keepends=True)
    sources.record.write_bytes(b"".join(lines[1:]))
    call = ["auditar", "--adjudicaciones", str(sources.record)]
    call += ["--gold", str(sources.gold), "--outputs", str(sources.outputs)]
    assert main(call) == 5
    told = capfd.readouterr().out
    assert "Nada de él cuenta" in told
    assert "En vigor" not in told
    assert "Quién ha decidido" not in told
    assert "No fije ahora la cabeza" in told
    assert entry_digest(lines[-1].rstrip()) not in told
    assert "Con estos archivos" not in told
    assert main([*call, "--json"]) == 5
    found = json.loads(capfd.readouterr().out)
    assert found["filas"] is None
    assert found["en_vigor"] is None
    assert found["en_conflicto"] is None


def test_scoring_beside_a_record_reads_it_once_so_it_may_come_through_a_pipe(
    sources: Sources, tmp_path: Path, capfd: Capture
) -> None:
    pipe = tmp_path / "tubo"
    os.mkfifo(pipe)
    data = sources.record.read_bytes()
    writer = threading.Thread(target=lambda: pipe.write_bytes(data), daemon=True)
    writer.start()
    assert scored(sources, "--adjudicaciones", str(pipe)) == 0
    assert "6 desacuerdos: 5 con dictamen" in capfd.readouterr().out


def test_the_app_refuses_a_record_that_is_no_file_instead_of_waiting_for_it(
    sources: Sources, tmp_path: Path, capfd: Capture
) -> None:
    pipe = tmp_path / "tubo"
    os.mkfifo(pipe)
    call = ["--abstraccion", "--gold", str(sources.gold), "--outputs", str(sources.outputs), "--registro"]
    for odd in (pipe, Path("/dev/null")):
        assert revision([*call, str(odd)]) == 2
        assert "no es un archivo corriente" in capfd.readouterr().err
