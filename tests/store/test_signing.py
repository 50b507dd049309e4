"""A signature: what it writes, what it says, and what is refused."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from reviewer.signing import Sign, check_reviewer
from reviewer.store import Dataset
from scoring.errors import DataError, ExitCode, UsageError
from scoring.record import content_digest, line_digest, record_path
from tests.refusals import refused
from tests.store.signing_support import NIGHT

if TYPE_CHECKING:
    from pathlib import Path


def test_three_keys_of_one_line_change_and_not_one_byte_elsewhere(casos: Path) -> None:
    before = casos.read_bytes().splitlines(keepends=True)
    applied = Dataset.open(casos).apply(Sign(("uno",), "Ana Ruiz", way="cli"), moment=NIGHT)
    after = casos.read_bytes().splitlines(keepends=True)
    assert [before[0], before[2]] == [after[0], after[2]]
    assert after[1] == before[1].replace(b'"validado": false', b'"validado": true').replace(
        b"}}\n", b'}, "revisor": "Ana Ruiz", "fecha_validacion": "2026-12-02"}\n'
    )
    assert applied.signed == ("uno",)
    assert applied.dataset.states["uno"].counts


def test_the_record_says_who_when_how_and_on_what(casos: Path) -> None:
    line = casos.read_bytes().splitlines()[1]
    applied = Dataset.open(casos).apply(
        Sign(("uno",), " Ana  Ruiz ", way="cli", role="patóloga"), moment=NIGHT
    )
    stored = record_path(casos).read_bytes().splitlines()
    adopted, signed = (json.loads(raw) for raw in stored)
    assert applied.transaction == line_digest(stored[1])
    assert adopted["tipo"] == "adopta"
    assert adopted["escribe"] == {"validado": True, "revisor": "Eva", "fecha_validacion": "2026-01-02"}
    assert signed == {
        "v": 1,
        "tipo": "firma",
        "casos": [
            {
                "id": "uno",
                "antes": content_digest(line),
                "despues": content_digest(line),
                "linea_antes": line_digest(line),
                "linea": line_digest(casos.read_bytes().splitlines()[1]),
                "previo": [],
                "texto": casos.read_text("utf-8").splitlines()[1],
            }
        ],
        "puntas": [line_digest(stored[0])],
        "escribe": {"validado": True, "revisor": "Ana  Ruiz", "fecha_validacion": "2026-12-02"},
        "revisor": "Ana  Ruiz",
        "rol": "patóloga",
        "significado": "revisado",
        "motivo": None,
        "utc": "2026-12-01T23:30:15.250Z",
        "desfase": "+01:00",
        "version": signed["version"],
        "via": "cli",
    }


def test_a_first_write_adopts_each_signature_of_the_data(casos: Path) -> None:
    first = Dataset.open(casos)
    assert not first.states["firmado"].registered
    assert "sin registro" in first.states["firmado"].sentence()
    applied = first.apply(Sign(("uno",), "Ana"))
    assert [notice.code for notice in applied.notices] == ["adopted"]
    assert "la firma que ya estaba" in applied.notices[0].sentence()
    state = applied.dataset.states["firmado"]
    assert (state.registered, state.counts, state.reviewer, state.date) == (True, True, "Eva", "2026-01-02")


def test_a_batch_is_one_line_of_the_record(casos: Path) -> None:
    applied = Dataset.open(casos).apply(Sign(("dos", "uno"), "Ana"))
    assert applied.signed == ("uno", "dos")
    assert len(record_path(casos).read_bytes().splitlines()) == 2
    assert casos.read_bytes().count(b'"Ana"') == 2


@pytest.mark.parametrize(
    "name",
    [
        "",
        "   ",
        "\t",
        "\u00a0",
        "Ana\nRuiz",
        "Ana\x1b[2J",
        "Ana\u202eziuR",
        "A\u200bna",
        "\ud800",
        "Ana\x00",
        "Ana\u00a0Ruiz",
        "\u2800",
        "\u3164",
        "-",
        "…",
        "a" * 121,
        "e\u0301" * 121,
        "a" * 100_000,
        "Ana\u2028Ruiz",
        "Ana ‹U+202E›ziuR",  # what a line to type in makes of a pasted one
        "Ana\u240dRuiz",
    ],
)
def test_a_name_that_is_none_is_refused(casos: Path, name: str) -> None:
    error = refused(Dataset.open(casos), Sign(("uno",), name))
    assert isinstance(error, UsageError)
    assert error.exit_code is ExitCode.USAGE


def test_a_name_is_kept_composed_and_trimmed() -> None:
    assert check_reviewer("  In\u0303igo Pe\u0301rez \n") == "Iñigo Pérez"
    assert check_reviewer("e\u0301" * 120) == "é" * 120
    assert check_reviewer("Dra. O'Neill-Łukasz 2ª") == "Dra. O'Neill-Łukasz 2ª"


@pytest.mark.parametrize(
    ("decision", "code", "exit_code", "said"),
    [
        (Sign((), "Ana"), "no_ids", 2, "ningún caso"),
        (Sign(("uno", "dos", "uno"), "Ana"), "id_twice", 2, "uno"),
        (Sign(("uno", "dosx"), "Ana"), "unknown_id_near", 2, "¿Quería decir «dos»?"),
        (Sign(("uno", "zzzzzz"), "Ana"), "unknown_id", 2, "zzzzzz"),
        (Sign(("uno",), "Ana", meaning="visto"), "unknown_meaning", 2, "revisado, aprobado, adjudicado"),
        (Sign(("uno", "firmado"), "Ana"), "already_signed", 6, "Eva el 2026-01-02"),
        (Sign(tuple(f"c{n}" for n in range(1001)), "Ana"), "too_many", 2, "máximo 1000"),
        (Sign(("uno",), "Ana", expected={"uno": b"{}"}), "changed_since_read", 6, "desde que lo leyó"),
    ],
)
def test_all_or_nothing(casos: Path, decision: Sign, code: str, exit_code: int, said: str) -> None:
    error = refused(Dataset.open(casos), decision)
    assert (error.code, int(error.exit_code)) == (code, exit_code)
    assert said in str(error)


def test_the_same_decision_twice_is_recorded_once(casos: Path) -> None:
    dataset = Dataset.open(casos)
    dataset.apply(Sign(("uno",), "Ana"))
    for again in (dataset, Dataset.open(casos)):
        error = refused(again, Sign(("uno",), "Ana"))
        assert (error.code, error.exit_code) == ("already_yours", ExitCode.CONFLICT)
        assert "ya lleva su firma (Ana)" in str(error)
        assert "--refirmar" in str(error)


def test_resigning_keeps_the_first_signature_in_the_record(casos: Path) -> None:
    first = Dataset.open(casos).apply(Sign(("uno",), "Ana"))
    second = first.dataset.apply(Sign(("uno",), "Luis", resign=True))
    assert second.dataset.states["uno"].reviewer == "Luis"
    assert [entry.reviewer for entry in second.dataset.record.of_case("uno")] == ["Ana", "Luis"]
    item = second.dataset.record.by_digest[second.transaction].item("uno")
    assert item is not None
    assert item.previous == (first.transaction,)


def test_resigning_a_signature_of_the_data_follows_its_adoption(casos: Path) -> None:
    applied = Dataset.open(casos).apply(Sign(("firmado",), "Ana", resign=True))
    record = applied.dataset.record
    item = record.by_digest[applied.transaction].item("firmado")
    assert item is not None
    assert [record.by_digest[digest].reviewer for digest in item.previous] == ["Eva"]
    assert applied.dataset.states["firmado"].reviewer == "Ana"


def test_resigning_the_same_on_the_same_day_changes_only_the_record(casos: Path) -> None:
    dataset = Dataset.open(casos).apply(Sign(("uno",), "Ana"), moment=NIGHT).dataset
    data = casos.read_bytes()
    again = dataset.apply(Sign(("uno",), "Ana", resign=True), moment=NIGHT + timedelta(hours=1))
    assert casos.read_bytes() == data
    assert len(again.dataset.record.entries) == 3
    assert again.dataset.states["uno"].counts


def test_nobody_decides_about_a_line_they_have_not_read(casos: Path) -> None:
    read = Dataset.open(casos)
    casos.write_text(casos.read_text("utf-8").replace("24.50", "24.51"), "utf-8")
    assert read.changed_on_disk()
    error = refused(read, Sign(("uno",), "Ana"))
    assert (error.code, error.exit_code) == ("changed_since_read", ExitCode.CONFLICT)
    assert read.reload().apply(Sign(("uno",), "Ana")).dataset.states["uno"].counts


def test_a_record_altered_in_place_is_noticed_even_at_the_same_length(casos: Path) -> None:
    read = Dataset.open(casos).apply(Sign(("uno",), "Ana")).dataset.apply(Sign(("dos",), "Ana")).dataset
    assert not read.changed_on_disk()
    record = record_path(casos)
    data = record.read_bytes()
    # A letter of the first line: length and last entry stay what they were.
    at = data.index(b'"despues":"') + len(b'"despues":"')
    record.write_bytes(data[:at] + b"X" + data[at + 1 :])
    assert read.changed_on_disk()
    assert read.reload().record.breaks


def test_a_change_of_other_lines_is_no_conflict(casos: Path) -> None:
    read = Dataset.open(casos)
    casos.write_text(casos.read_text("utf-8").replace("\\u00f1", "otra"), "utf-8")
    assert read.apply(Sign(("uno",), "Ana")).dataset.states["uno"].counts
    assert "otra" in casos.read_text("utf-8")


@pytest.mark.parametrize(
    ("found", "wanted", "said"),
    [
        ('"requiere_derivacion": true', '"requiere_derivacion": null', "esperado.requiere_derivacion"),
        ('"valores": {"hct": 24.50}', '"valores": []', "valores"),
        ('"split": "dev"', '"split": "train"', "train"),
    ],
)
def test_a_case_that_does_not_pass_its_checks_is_refused_with_its_problems(
    casos: Path, found: str, wanted: str, said: str
) -> None:
    lines = casos.read_text("utf-8").splitlines(keepends=True)
    lines[1] = lines[1].replace(found, wanted)
    casos.write_text("".join(lines), "utf-8")
    error = refused(Dataset.open(casos), Sign(("dos", "uno"), "Ana"))
    assert isinstance(error, DataError)
    assert (error.code, error.exit_code) == ("invalid_case", ExitCode.DATA_INVALID)
    assert [problem.line for problem in error.problems] == [2]
    assert said in str(error)
    # The others can be signed: one faulty case does not stop the clinic.
    assert Dataset.open(casos).apply(Sign(("dos",), "Ana")).signed == ("dos",)


def test_a_case_with_nothing_but_an_id_cannot_be_signed(casos: Path) -> None:
    casos.write_text('{"id": "solo"}\n', "utf-8")
    assert refused(Dataset.open(casos), Sign(("solo",), "Ana")).exit_code is ExitCode.DATA_INVALID


def test_a_flag_without_a_person_can_be_mended_by_signing(casos: Path) -> None:
    casos.write_text(
        casos.read_text("utf-8").replace('"id": "uno", "validado": false', '"id": "uno", "validado": true'),
        "utf-8",
    )
    dataset = Dataset.open(casos)
    assert not dataset.states["uno"].counts
    applied = dataset.apply(Sign(("uno",), "Ana"))
    assert applied.dataset.states["uno"].counts
    assert applied.dataset.problems == ()


def test_a_repeated_id_is_refused_and_the_others_can_be_signed(casos: Path) -> None:
    lines = casos.read_text("utf-8").splitlines(keepends=True)
    casos.write_text("".join([*lines, lines[1]]), "utf-8")
    dataset = Dataset.open(casos)
    error = refused(dataset, Sign(("uno",), "Ana"))
    assert (error.code, error.exit_code) == ("repeated_id", ExitCode.DATA_INVALID)
    assert "línea 4" in str(error)
    assert dataset.apply(Sign(("dos",), "Ana")).dataset.states["dos"].counts


def test_broken_lines_elsewhere_stay_as_they_are_and_do_not_stop_a_signature(casos: Path) -> None:
    broken = b'{"id": "roto", "valores": \n\xff\xfe\n'
    casos.write_bytes(broken + casos.read_bytes())
    dataset = Dataset.open(casos)
    assert len(dataset.problems) == 2
    applied = dataset.apply(Sign(("uno",), "Ana"))
    assert casos.read_bytes().startswith(broken)
    assert applied.dataset.states["uno"].counts
    error = refused(applied.dataset, Sign(("roto",), "Ana"))
    assert error.code == "unknown_id_broken_lines"
    assert "2 líneas" in str(error)


def test_a_signed_line_that_cannot_enter_the_record_is_named(casos: Path) -> None:
    casos.write_text(casos.read_text("utf-8").replace('"revisor": "Eva", ', ""), "utf-8")
    applied = Dataset.open(casos).apply(Sign(("uno",), "Ana"))
    assert [notice.code for notice in applied.notices] == ["left_out"]
    assert "firmado" in applied.notices[0].sentence()
    assert not applied.dataset.states["firmado"].counts
