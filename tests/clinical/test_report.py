from __future__ import annotations

import functools
import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from scoring.cases import parse_case
from scoring.clinical import GateReport, LiveGate
from scoring.clinical import evaluate as evaluate_by
from scoring.clinical.entries import state_from_data
from scoring.clinical.render import lines
from scoring.errors import DataError
from scoring.problems import Problem
from scoring.record import CaseState, Status
from scoring.record.audit import DataBreak
from tests.clinical.samples import case, good_output, pending

evaluate = functools.partial(evaluate_by, min_cases=1)


def mixed() -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Signed, pending and unpredicted cases in both splits; the reserved ones are called «secreto»."""
    cases = [
        case("abierto-1"),
        case("secreto-1", split="test"),
        pending("abierto-2"),
        pending("secreto-2", split="test"),
        case("abierto-3"),
        case("secreto-3", split="test"),
    ]
    return cases, {name: good_output() for name in ("abierto-1", "abierto-2", "secreto-1", "secreto-2")}


def said(report: GateReport) -> str:
    return "\n".join([*lines(report), report.to_json().decode()])


def test_the_report_has_the_fields_others_rely_on() -> None:
    report = json.loads(evaluate(*mixed()).to_json())
    assert {
        "version_esquema",
        "version_herramienta",
        "split",
        "reglas",
        "generador",
        "juez",
        "digest_casos",
        "digest_predicciones",
        "incluye_pendientes",
        "umbrales",
        "veredicto",
        "motivo",
        "codigo_salida",
        "agregado",
        "fallos",
        "sin_prediccion",
        "no_juzgados",
        "casos",
    } <= set(report)
    assert report["umbrales"]["recall_diferenciales"] == {"tipo": "suelo", "valor": "0.80"}
    assert (report["veredicto"], report["motivo"]) == ("falla", "umbrales_incumplidos")
    assert report["codigo_salida"] == 1
    assert report["sin_prediccion"] == ["abierto-3"]
    row = report["casos"][1]
    assert (row["id"], row["cuenta"], row["estado_firma"], row["validado"], row["rubrica"]) == (
        "abierto-2",
        False,
        "pendiente",
        False,
        None,
    )


def test_the_time_of_writing_stands_apart_at_the_end() -> None:
    report = evaluate(*mixed())
    moment = datetime(2026, 8, 1, 12, 30, tzinfo=UTC)
    stamped = json.loads(report.to_json(generated=moment))
    assert list(stamped)[-1] == "generado"
    assert stamped.pop("generado") == "2026-08-01T12:30:00+00:00"
    assert stamped == json.loads(report.to_json())


def test_no_reserved_case_is_named_or_detailed_whichever_split_is_asked_for() -> None:
    for split in ("dev", "test", "todos"):
        for everything in (False, True):
            report = evaluate(*mixed(), split=split, include_pending=everything)
            assert "secreto" not in said(report)
            assert all(row.split == "dev" for row in report.rows)


def test_reserved_cases_are_counted_where_they_are_not_named() -> None:
    report = evaluate(*mixed(), split="test")
    assert (report.total, report.counted) == (3, 2)
    assert (report.reserved_pending, report.reserved_missing) == (1, 1)
    assert report.aggregate["recall_diferenciales"].value == 0.5
    assert not report.rows
    assert not report.pending
    assert not report.missing


def expired(case_id: str) -> CaseState:
    return CaseState(
        case_id,
        Status.CADUCADO,
        counts=False,
        reviewer="Ana",
        date="2026-01-02",
        registered=True,
        reason="record.expired",
        fields={"reviewer": "Ana", "date": "2026-01-02"},
    )


def test_an_expired_signature_does_not_count_and_is_named_with_why() -> None:
    cases, outputs = mixed()
    states = {name: expired(name) for name in ("abierto-1", "secreto-1")}
    report = evaluate(cases, outputs, split="todos", states=states)
    assert report.counted == 2
    assert "abierto-1" in report.pending
    (aside,) = json.loads(report.to_json())["firmas_no_validas"]
    assert (aside["id"], aside["estado_firma"], aside["motivo"]) == ("abierto-1", "caducado", "expired")
    assert "el contenido ha cambiado" in aside["texto"]
    assert report.reserved_aside == 1
    text = "\n".join(lines(report))
    assert "abierto-1: firma caducada" in text
    assert "(firma caducada)" in text
    assert "secreto" not in said(report)


def test_a_broken_record_withholds_the_verdict_whatever_the_figures_say() -> None:
    broken = [Problem("record.unreadable_entry", line=2)]
    report = evaluate([case("c0")], {"c0": good_output()}, breaks=broken)
    assert (report.verdict.exit_code, report.reason) == (5, "registro_roto")
    assert "línea 2" in json.loads(report.to_json())["registro_roto"][0]
    assert "dañado" in lines(report)[-2]
    nothing = evaluate([pending("c0")], {}, breaks=broken)
    assert nothing.verdict.exit_code == 5


def test_data_against_a_sound_record_are_told_from_a_damaged_record() -> None:
    moved = DataBreak("record.data_older", line=2, case_id="c0")
    report = evaluate([case("c0")], {"c0": good_output()}, breaks=[moved])
    assert (report.verdict.exit_code, report.reason) == (5, "datos_descuadrados")
    assert "está entero, pero los datos no cuadran" in lines(report)[-2]
    both = evaluate([case("c0")], {}, breaks=[moved, Problem("record.unreadable_entry", line=2)])
    assert both.reason == "registro_roto"


def test_both_splits_together_have_a_name_in_words() -> None:
    some = [case("c0"), case("c1", split="test")]
    said = lines(evaluate(some, {"c0": good_output(), "c1": good_output()}, split="todos"))
    assert "Agregado de los dos grupos: 2 de 2 cuentan para la puerta" in said
    assert (
        said[-1]
        == "LA PUERTA PASA: con los 2 casos de los dos grupos que cuentan se cumplen todos los umbrales."
    )


def test_rows_and_lists_are_by_id_whatever_the_order_of_the_cases() -> None:
    some = [pending("d"), case("c"), pending("b"), case("a")]
    there = evaluate(some, {"b": good_output()})
    back = evaluate(some[::-1], {"b": good_output()})
    assert there.to_json() == back.to_json()
    assert lines(there) == lines(back)
    assert [row.case_id for row in there.rows] == ["a", "b", "c", "d"]
    assert (there.pending, there.missing) == (("b", "d"), ("a", "c"))


def test_a_synthetic_set_bears_its_label_and_a_users_own_does_not() -> None:
    invented = evaluate([case("c0", origen="sintetico")], {"c0": good_output()})
    assert json.loads(invented.to_json())["etiqueta"].startswith("demostración")
    assert "datos sintéticos" in "\n".join(lines(invented))
    own = evaluate([case("c0")], {"c0": good_output()})
    assert "demostración" not in said(own)
    assert "etiqueta" not in json.loads(own.to_json())


def test_case_lines_keep_their_form() -> None:
    prose = {"interpretacion": "Creatinina y urea: enfermedad renal crónica", "requiere_derivacion": True}
    outside = case("c1", fuera_de_alcance=True)
    text = lines(
        evaluate(
            [case("c0"), outside, pending("c2")],
            {"c0": prose, "c1": good_output() | {"requiere_derivacion": False}},
        )
    )
    assert text[0].split() == ["[ok]", "c0", "dev", "dif=1", "cob=1.00~", "deriv=1", "es=1", "alc=1"]
    assert text[1].split() == ["[⚠SEG]", "c1", "dev", "dif=1", "cob=1.00", "deriv=0", "es=1", "alc=0"]
    assert "(pendiente)" in text[2]
    assert "sin predicción" in text[2]


def test_hostile_ids_in_a_hand_made_case_are_shown_and_never_sent() -> None:
    evil = "a\x1b[31m\u202eb"
    parsed, _ = parse_case(case(evil))
    text = "\n".join(lines(LiveGate([parsed], {evil: good_output()}).report()))
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_the_digest_of_the_cases_is_of_their_content_and_not_of_signatures_or_order() -> None:
    cases, outputs = mixed()
    digest = evaluate(cases, outputs).cases_digest
    signed_otherwise = [{**one, "revisor": "Otra Persona"} if one["validado"] else one for one in cases]
    assert evaluate(signed_otherwise[::-1], outputs).cases_digest == digest
    edited = [{**cases[0], "signos_clinicos": "Otros"}, *cases[1:]]
    assert evaluate(edited, outputs).cases_digest != digest


def test_a_hand_made_case_that_no_file_could_hold_is_refused() -> None:
    with pytest.raises(DataError):
        evaluate([case("c0", valores={"creat": float("nan")})], {"c0": good_output()})


def test_a_line_of_a_missed_referral_and_the_legend_leave_no_ok_unexplained() -> None:
    text = lines(evaluate([case("c0")], {"c0": good_output(requiere_derivacion=False)}))
    assert text[0].startswith("[ok]")
    assert text[0].endswith("deriv=0  es=1  alc=1  DERIVACIÓN OMITIDA")
    legend = " ".join(text[1:4])
    for word in ("dif,", "deriv,", "es,", "alc,", "cob,", "no que todo esté bien"):
        assert word in legend


def test_the_verdict_says_that_expired_signatures_were_left_out() -> None:
    cases = [parse_case(case(f"c{n}"))[0] for n in range(2)]
    states = {
        "c0": state_from_data(cases[0]),
        "c1": replace(
            state_from_data(cases[1]), status=Status.CADUCADO, counts=False, reason="record.expired"
        ),
    }
    outputs = {one.id: good_output() for one in cases}
    text = lines(evaluate(cases, outputs, states=states))
    assert text[-2].startswith("LA PUERTA PASA")
    assert text[-1].startswith("No ha contado un caso con una firma que no vale")
    assert not any("firma que no vale" in one for one in lines(evaluate(cases[:1], outputs))[-2:])
