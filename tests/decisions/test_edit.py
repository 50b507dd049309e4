"""A correction changes the fields it names, of one line, and takes the signature off that stood on the old ones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from reviewer.signing import Edit, EditSession, FieldEdit, Sign
from reviewer.store import Dataset
from scoring.errors import DataError, ExitCode, UsageError
from scoring.record import Kind, Status, record_path
from scoring.strict_json import Number
from tests.refusals import refused

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HCT = ("valores", "hct")
WHY = "error de transcripción"


def edit(case_id: str, *changes: tuple[tuple[str, ...], Any], reason: str | None = None) -> Edit:
    return Edit(case_id, tuple(FieldEdit(path, value) for path, value in changes), "Ana", reason)


def test_a_value_is_written_as_it_was_typed_and_nothing_else_moves(
    dataset: Dataset, lines: Callable[[], list[bytes]]
) -> None:
    before = lines()
    applied = dataset.apply(edit("uno", (HCT, Number("30.10"))))
    after = lines()
    assert [after[0], after[2]] == [before[0], before[2]]
    assert after[1] == before[1].replace(b'"hct": 24.50', b'"hct": 30.10')
    state = applied.dataset.states["uno"]
    assert (state.status, state.reason) == (Status.PENDIENTE, "record.edited")
    entry = applied.dataset.record.of_case("uno")[-1]
    assert (entry.kind, entry.writes, entry.reason) == (Kind.EDITA, None, None)


def test_fields_that_are_missing_are_added_where_they_belong(
    dataset: Dataset, lines: Callable[[], list[bytes]]
) -> None:
    before = lines()[2]
    dataset.apply(
        edit(
            "dos",
            (("valores", "alt"), Number("1E2")),
            (("esperado", "fuera_de_alcance"), True),
            (("esperado", "requiere_derivacion"), True),
            (("paciente", "edad_meses"), Number("84")),
            (("signos_clinicos",), "Tos y año"),
        )
    )
    assert lines()[2] == before.replace(b'"hct":2.40e1', b'"hct":2.40e1,"alt":1E2').replace(
        b'"requiere_derivacion":false}}', b'"requiere_derivacion":true,"fuera_de_alcance":true},'
        b'"signos_clinicos":"Tos y a\\u00f1o"}',
    ).replace(b'"paciente":{}', b'"paciente":{"edad_meses":84}')  # fmt: skip


def test_the_differentials_that_stay_keep_their_spelling(
    dataset: Dataset, lines: Callable[[], list[bytes]]
) -> None:
    session = EditSession("dos", dataset.entry("dos").row.row.line.raw)
    session.add_differential("bazo")
    session.reword_differential(1, "riñón izquierdo")
    before = lines()[2]
    dataset.apply(session.decision("Ana"))
    assert lines()[2] == before.replace(
        b'["h\\u00edgado" , "ri\\u00f1\\u00f3n"]',
        b'["h\\u00edgado" , "ri\\u00f1\\u00f3n izquierdo" , "bazo"]',
    )


def test_all_differentials_can_go_and_come(dataset: Dataset, lines: Callable[[], list[bytes]]) -> None:
    gone = dataset.apply(edit("dos", (("esperado", "diferenciales_aceptables"), ()))).dataset
    assert b'"diferenciales_aceptables":[]' in lines()[2]
    gone.apply(edit("dos", (("esperado", "diferenciales_aceptables"), ("a b", "c"))))
    assert b'"diferenciales_aceptables":["a b","c"]' in lines()[2]


def test_an_edit_of_a_signed_case_withdraws_the_signature_in_the_same_transaction(
    dataset: Dataset, lines: Callable[[], list[bytes]]
) -> None:
    signed_line = lines()[0]
    change = (HCT, Number("30"))
    for reason in (None, "", "  "):
        error = refused(dataset, edit("firmado", change, reason=reason))
        assert (error.code, error.exit_code) == ("edit_needs_reason", ExitCode.USAGE)
        assert "Eva" in str(error)
    assert refused(dataset, edit("firmado", change, reason=".")).code == "reason_too_short"
    applied = dataset.apply(edit("firmado", change, reason=WHY))
    assert len(record_path(dataset.path).read_bytes().splitlines()) == 2
    assert lines()[0] == signed_line.replace(b"24.50", b"30").replace(
        b'true, "revisor": "Eva", "fecha_validacion": "2026-01-02"',
        b'false, "revisor": null, "fecha_validacion": null',
    )
    state = applied.dataset.states["firmado"]
    assert (state.status, state.counts) == (Status.RETIRADO, False)
    assert WHY in state.sentence()
    adopted, edited = applied.dataset.record.of_case("firmado")
    assert (edited.kind, edited.reason) == (Kind.EDITA, WHY)
    before, after = adopted.item("firmado"), edited.item("firmado")
    assert before is not None
    assert after is not None
    assert before.text == signed_line.decode()
    assert (after.before, after.previous) == (before.after, (adopted.digest,))
    assert applied.dataset.apply(Sign(("firmado",), "Ana")).dataset.states["firmado"].counts


def test_an_expired_case_is_corrected_without_a_reason_and_signed_anew(casos: Path, dataset: Dataset) -> None:
    dataset.apply(Sign(("uno",), "Ana"))
    casos.write_bytes(casos.read_bytes().replace(b"Letargia", b"Fiebre"))
    edited = Dataset.open(casos).apply(edit("uno", (HCT, Number("30")))).dataset
    assert edited.states["uno"].status is Status.RETIRADO
    assert edited.apply(Sign(("uno",), "Ana")).dataset.states["uno"].counts


REFUSED: list[tuple[tuple[str, ...], Any, str]] = [
    (HCT, Number("24.5"), "nothing_changed"),
    (HCT, Number("2.450e1"), "nothing_changed"),
    (HCT, Number("NaN"), "not_a_number"),
    (HCT, Number("024"), "not_a_number"),
    (HCT, Number("1e999"), "number_too_large"),
    (HCT, "24.5", "field_value"),
    (HCT, True, "field_value"),
    (("valores", "htc"), Number("1"), "unknown_analyte_near"),
    (("valores", "☃"), Number("1"), "unknown_analyte"),
    (("id",), "otro", "field_not_editable"),
    (("validado",), True, "field_not_editable"),
    (("split",), "test", "field_not_editable"),
    (("esperado",), None, "field_not_editable"),
    (("signos_clinicos",), "a\x1b[2J", "text_unprintable"),
    (("signos_clinicos",), " con blancos ", "field_value"),
    (("esperado", "requiere_derivacion"), None, "field_value"),
    (("esperado", "diferenciales_aceptables"), ("anemia", " "), "text_blank"),
    (("esperado", "diferenciales_aceptables"), ("x\u202ey",), "text_unprintable"),
    (("esperado", "diferenciales_aceptables"), ("bazo", "bazo"), "text_twice"),
    (("esperado", "diferenciales_aceptables"), None, "field_value"),
    (("esperado", "hallazgos_clave"), ("hct", "hgbb"), "unknown_analyte_near"),
    (("paciente", "raza"), "x" * 121, "text_too_long"),
]


@pytest.mark.parametrize(("path", "value", "code"), REFUSED, ids=lambda value: str(value)[:30])
def test_what_a_field_cannot_hold_is_refused(
    dataset: Dataset, path: tuple[str, ...], value: Any, code: str
) -> None:
    error = refused(dataset, edit("uno", (path, value)))
    assert isinstance(error, UsageError)
    assert error.code == code


def test_the_corrected_case_must_pass_its_checks(dataset: Dataset) -> None:
    error = refused(
        dataset,
        edit("uno", (("esperado", "fuera_de_alcance"), True), (("esperado", "requiere_derivacion"), False)),
    )
    assert isinstance(error, DataError)
    assert error.code == "edit_invalid"
    assert "esperado.requiere_derivacion" in str(error)


def test_a_line_that_moved_on_refuses_and_the_correction_is_carried_over(
    casos: Path, dataset: Dataset
) -> None:
    session = EditSession("uno", dataset.entry("uno").row.row.line.raw)
    session.set_value("hct", "30")
    session.add_differential("leucemia")
    casos.write_bytes(casos.read_bytes().replace(b'"Letargia"', b'"Fiebre"'))
    stale = session.decision("Ana")
    assert refused(Dataset.open(casos), stale).code == "changed_since_read"
    now = Dataset.open(casos)
    carried, asked = session.onto(now.entry("uno").row.row.line.raw)
    assert asked == ()
    after = now.apply(carried.decision("Ana")).dataset.entry("uno").case
    assert (after.valores["hct"], after.signos_clinicos) == (30, "Fiebre")
    assert after.esperado.diferenciales_aceptables == ("anemia", "ferropenia", "leucemia")


def test_where_both_changed_one_field_the_person_is_asked(dataset: Dataset) -> None:
    raw = dataset.entry("uno").row.row.line.raw
    session = EditSession("uno", raw)
    session.set_value("hct", "30")
    session.set_value("alt", "50")
    session.reword_differential(0, "anemia grave")
    session.add_differential("leucemia")
    session.remove_differential(1)
    theirs = raw.replace(b"24.50", b"31").replace(b": 45", b": 50.0").replace(b'["anemia"', b'["anemia leve"')
    carried, asked = session.onto(theirs)
    assert asked == ("esperado.diferenciales_aceptables", "valores.hct")
    # Theirs stands, what this person wrote stands beside it, and «ferropenia», which only they touched, is out.
    assert carried.current.texts == ("anemia leve", "anemia grave", "leucemia")
    assert carried.value(HCT) == "31"
    assert [change.field for change in carried.changes()] == ["esperado.diferenciales_aceptables"]


def test_the_record_verifies_after_many_kinds_of_decision(dataset: Dataset) -> None:
    from datetime import UTC, datetime

    from reviewer.signing import Return, Withdraw
    from scoring.record.audit import audit

    now = dataset.apply(edit("firmado", (HCT, Number("30")), reason=WHY)).dataset
    now = now.apply(Sign(("firmado", "uno"), "Eva")).dataset
    now = now.apply(Withdraw(("uno",), "Ana", WHY)).dataset
    now = now.apply(edit("uno", (HCT, Number("31")))).dataset
    now = now.apply(Return(("uno", "dos"), "Ana", WHY)).dataset
    now = now.apply(edit("uno", (HCT, Number("32")))).dataset
    now = now.apply(Sign(("uno",), "Luis")).dataset
    found = audit(now.snapshot, now=datetime.now(UTC))
    assert found.breaks == ()
    assert [state.status.value for state in now.states.values()] == ["firmado", "firmado", "devuelto"]
    for line in record_path(dataset.path).read_bytes().splitlines():
        assert json.loads(line)["v"] == 1
