"""``revision --historial``: who, when, how, why and what changed, readable for ever."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

from reviewer.history import history_of
from reviewer.signing import Edit, FieldEdit, Sign
from reviewer.store import Dataset
from scoring.errors import UsageError
from scoring.record import content_digest, record_path
from scoring.strict_json import Number
from tests.cli.processes import revision
from tests.support import HOSTILE, make_case, signed, write_cases

if TYPE_CHECKING:
    from pathlib import Path

MADRID = timezone(timedelta(hours=1))
FIRST = datetime(2026, 12, 2, 0, 30, 15, tzinfo=MADRID)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Eva signed before there was a record; Ana signs again; the content is edited; Luis signs again."""
    folder = tmp_path / "datos"
    folder.mkdir()
    path = write_cases(
        folder / "casos.jsonl", signed(make_case("uno"), "Eva", "2026-01-02"), make_case("dos")
    )
    Dataset.open(path).apply(
        Sign(("uno",), "Ana Ruiz", resign=True, way="cli", role="patóloga"), moment=FIRST
    )
    path.write_text(path.read_text("utf-8").replace('"hct": 24', '"hct": 25.0', 1), "utf-8")
    Dataset.open(path).apply(Sign(("uno",), "Luis"), moment=FIRST + timedelta(days=1))
    return path


def history(data: Path, case_id: str, *more: str, code: int = 0) -> str:
    done = revision("--casos", data, "--historial", case_id, *more, cwd=data.parent)
    assert done.returncode == code, done.stderr
    return done.stdout


def history_json(data: Path, case_id: str, code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(history(data, case_id, "--json", code=code))
    return found


def test_each_decision_is_told_with_its_hour_zone_way_and_what_changed(data: Path) -> None:
    before = content_digest(json.dumps(make_case("uno")).encode())[:12]
    after = content_digest(data.read_bytes().splitlines()[0])[:12]
    assert history(data, "uno").splitlines() == [
        "Historial de «uno»",
        "Ahora: firmado por Luis el 2026-12-03 (firma por nombre).",
        "",
        "1. 2026-01-02 — Eva figuraba en los datos como firmante antes de que hubiera registro.",
        "   adoptada (ya estaba en los datos antes del registro)",
        f"   contenido {before}",
        "",
        "2. 2026-12-02 00:30:15 +01:00 — Ana Ruiz firmó.",
        "   firma por nombre · significado: revisado · como patóloga · desde la terminal",
        f"   contenido {before}",
        "",
        "3. 2026-12-03 00:30:15 +01:00 — Luis firmó. [en vigor]",
        "   firma por nombre · significado: revisado · desde la aplicación",
        f"   contenido {after}",
        "   entre la decisión anterior y esta, alguien había cambiado el contenido:",
        "     Hematocrito (Hct): antes «24», ahora «25.0»",
    ]


def test_json_has_the_whole_digests_and_the_lines_that_were_signed(data: Path) -> None:
    found = history_json(data, "uno")
    assert (found["id"], found["estado"], found["cuenta"]) == ("uno", "firmado", True)
    first, second, third = found["entradas"]
    assert (first["tipo"], first["utc"], first["hora_local"]) == ("adopta", None, None)
    assert [entry["firma"] for entry in found["entradas"]] == ["adoptada", "nombre", "nombre"]
    assert second["utc"] == "2026-12-01T23:30:15.000Z"
    assert second["hora_local"] == "2026-12-02T00:30:15.000+01:00"
    assert second["previo"] == [first["entrada"]]
    assert json.loads(second["texto"])["revisor"] == "Ana Ruiz", "an old signature stays readable"
    assert third["cambiado_antes"]
    assert third["cambios_de_fuera"] == [{"campo": "valores.hct", "antes": "24", "despues": "25.0"}]
    assert third["cambios"] == [], "a signature changes nothing"
    assert [entry["en_vigor"] for entry in found["entradas"]] == [False, False, True]


def test_the_first_correction_of_a_case_nobody_had_decided_about_tells_what_it_changed(data: Path) -> None:
    Dataset.open(data).apply(Edit("dos", (FieldEdit(("valores", "hct"), Number("42.0")),), "Eva"))
    (only,) = history_of(Dataset.open(data), "dos").entries
    assert [(change.path, change.old, change.new) for change in only.changes] == [
        ("valores.hct", "24", "42.0")
    ]
    assert (only.moved_before, only.moved) == (False, ())


def test_what_somebody_edited_before_a_correction_is_not_laid_to_the_person_who_corrects(data: Path) -> None:
    data.write_text(data.read_text("utf-8").replace("Letargia", "Letargia y fiebre", 1), "utf-8")
    change = FieldEdit(("valores", "hct"), Number("26"))
    Dataset.open(data).apply(Edit("uno", (change,), "Eva", "estaba mal copiado"))
    told = history(data, "uno").splitlines()
    assert told[told.index("   entre la decisión anterior y esta, alguien había cambiado el contenido:") :][
        -4:
    ] == [
        "   entre la decisión anterior y esta, alguien había cambiado el contenido:",
        "     signos clínicos: antes «Letargia», ahora «Letargia y fiebre»",
        "   y entonces, en esta decisión:",
        "     Hematocrito (Hct): antes «25.0», ahora «26»",
    ]
    assert revision("--casos", data, "--auditar", cwd=data.parent).returncode == 0


def test_a_kept_line_that_is_not_the_one_before_is_a_break(data: Path) -> None:
    Dataset.open(data).apply(Edit("dos", (FieldEdit(("valores", "hct"), Number("42.0")),), "Eva"))
    place = record_path(data)
    lines = place.read_bytes().splitlines(keepends=True)
    assert lines[-1].count(rb"\"hct\": 24") == 1
    place.write_bytes(b"".join([*lines[:-1], lines[-1].replace(rb"\"hct\": 24", rb"\"hct\": 25")]))
    assert Dataset.open(data).record.breaks


def test_an_edit_after_the_last_decision_is_told(data: Path) -> None:
    data.write_text(data.read_text("utf-8").replace("Letargia", "Letargia y fiebre", 1), "utf-8")
    told = history(data, "uno")
    assert "Ahora: firma caducada" in told
    assert told.endswith(
        "Después de la decisión en vigor, alguien ha cambiado el contenido:\n"
        "     signos clínicos: antes «Letargia», ahora «Letargia y fiebre»\n"
    )


def test_a_case_nobody_decided_about_and_one_without_record(data: Path, tmp_path: Path) -> None:
    assert "ninguna decisión" in history(data, "dos")
    other = write_cases(tmp_path / "otro.jsonl", make_case("x"))
    assert "Aún no hay registro" in history(other, "x")


def test_a_case_removed_from_the_data_keeps_its_history(data: Path) -> None:
    data.write_bytes(data.read_bytes().splitlines(keepends=True)[1])
    told = history(data, "uno")
    assert "ya no está en los datos" in told
    assert "Ana Ruiz firmó" in told


def test_an_unknown_id_suggests_the_nearest(data: Path) -> None:
    done = revision("--casos", data, "--historial", "unoo", cwd=data.parent)
    assert done.returncode == 2
    assert "¿Quería decir «uno»?" in done.stderr
    with pytest.raises(UsageError):
        history_of(Dataset.open(data), "zzzzzz")


def test_a_broken_record_is_said_and_what_can_be_read_is_told(data: Path) -> None:
    record = record_path(data)
    record.write_bytes(b'{"v":1,"tipo":\n' + record.read_bytes())
    told = history(data, "uno", code=5)
    assert "Ana Ruiz firmó" in told
    assert "Registro, línea 1" in told
    assert "puede faltar parte" in told


def test_a_torn_last_line_is_said_and_is_no_fault(data: Path) -> None:
    record = record_path(data)
    record.write_bytes(record.read_bytes() + b'{"v":1')
    assert "quedó a medias" in history(data, "uno")


def test_without_ssh_keygen_the_history_is_read_and_keys_stay_unverified(data: Path, tmp_path: Path) -> None:
    record = record_path(data)
    line = record.read_bytes().splitlines()[-1]
    block = b',"clave":{"formato":"sshsig","espacio":"revision-clinica","firma":"x"}}'
    record.write_bytes(record.read_bytes()[: -len(line) - 1] + line[:-1] + block + b"\n")
    data.with_name("allowed_signers").write_text("", "utf-8")
    done = revision("--casos", data, "--historial", "uno", cwd=data.parent, PATH=str(tmp_path / "vacio"))
    assert done.returncode == 0, done.stderr
    assert "firma con clave, sin comprobar: falta ssh-keygen" in done.stdout
    assert "firma con clave FALSA" in history(data, "uno")


def test_text_from_the_case_is_shown_and_never_obeyed(tmp_path: Path) -> None:
    path = write_cases(tmp_path / "c.jsonl", make_case("uno", descripcion="antes"))
    Dataset.open(path).apply(Sign(("uno",), "Ana"))
    for text in HOSTILE:
        old = json.loads(path.read_text("utf-8"))
        path.write_text(json.dumps(old | {"descripcion": text}) + "\n", "utf-8")
        told = history(path, "uno")
        assert not set("\x1b\x07\x9b\u202e\u200b\ufeff\r") & set(told)
        assert "descripción:" in told


def test_a_time_before_that_of_the_decision_above_is_explained(data: Path) -> None:
    assert "algún reloj iba mal" not in history(data, "uno")
    Dataset.open(data).apply(Sign(("uno",), "Ana Ruiz", resign=True), moment=FIRST - timedelta(days=9))
    said = history(data, "uno").splitlines()
    place = next(n for n, line in enumerate(said) if "2026-11-23" in line and "firmó" in line)
    assert said[place + 1].strip() == (
        "la hora es anterior a la de la decisión de arriba: algún reloj iba mal; el orden es este"
    )
    assert [step["hora_atrasada"] for step in history_json(data, "uno")["entradas"]][-2:] == [False, True]
