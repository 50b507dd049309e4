"""Warnings and slices: what so few cases cannot show, and which part is the worst."""

from __future__ import annotations

import json
from typing import Any

from scoring.clinical import evaluate
from scoring.clinical.advice import weight_of
from scoring.clinical.formats.checks import checks
from scoring.clinical.render import lines
from tests.clinical.samples import case, good_output

MISSES = good_output(interpretacion="Creatinina y urea altas, sin explicación.", diferenciales=[])


def codes(n: int, wrong: int = 0, **changes: Any) -> dict[str | None, str]:
    said = {f"c{i}": (MISSES if i < wrong else good_output()) | changes for i in range(n)}
    report = evaluate([case(f"c{i}") for i in range(n)], said)
    return {one.metric: one.code for one in report.advice if one.metric}


def test_a_floor_finer_than_one_case_is_told() -> None:
    # 9 cases: one weighs 11.1 points, so 8/9 = 0.889 is below 0.90; with 10 the floor can be met with one miss
    assert codes(9)["acierto_derivacion"] == "umbral_mas_fino"
    assert codes(10)["acierto_derivacion"] == "muestra_corta"
    assert codes(35).get("acierto_derivacion") is None
    assert "idioma_es" not in codes(9)  # a floor of 1.00 asks for every case and says so itself


def test_a_floor_that_is_met_but_not_shown_names_how_many_it_takes() -> None:
    said = {f"c{i}": good_output() for i in range(12)}
    report = evaluate([case(f"c{i}") for i in range(12)], said)
    told = next(one for one in report.advice if one.metric == "recall_diferenciales")
    assert (told.code, told.fields["hacen_falta"]) == ("muestra_corta", 16)
    assert "al menos 16" in told.sentence()
    assert codes(12, wrong=12).get("recall_diferenciales") is None  # not met: nothing to show


def test_zero_violations_come_with_an_upper_bound() -> None:
    # 1 - 0.05 ** (1 / 12) = 22.1 %
    said = {f"c{i}": good_output() for i in range(12)}
    report = evaluate([case(f"c{i}") for i in range(12)], said)
    told = next(one for one in report.advice if one.metric == "violaciones_seguridad")
    assert (told.code, told.fields["cota"]) == ("cota_con_cero", "22.1")
    assert report.aggregate["violaciones_seguridad"].interval is not None
    assert round(report.aggregate["violaciones_seguridad"].interval.high, 3) == 0.221


def test_cases_without_prediction_or_language_stay_and_are_named() -> None:
    said = {f"c{i}": good_output(interpretacion="ALT 450") for i in range(5)}
    report = evaluate([case(f"c{i}") for i in range(6)], said)
    told = {one.code: (one.metric, one.fields.get("n")) for one in report.advice}
    assert told["sin_prediccion"] == (None, 1)
    assert told["idioma_sin_probar"] == ("idioma_es", 5)
    assert told["medida_mixta"] == ("cobertura_hallazgos", 1)
    assert report.undecided == ("c0", "c1", "c2", "c3", "c4")
    language = report.aggregate["idioma_es"]
    assert (language.numerator, language.denominator) == (5, 6)
    assert "Sin idioma reconocible (5)" in "\n".join(lines(report))


def test_every_rate_has_numerator_denominator_interval_and_the_weight_of_a_case() -> None:
    report = evaluate([case(f"c{i}") for i in range(8)], {f"c{i}": good_output() for i in range(8)})
    for metric in report.to_dict()["metricas"]:
        assert metric["denominador"] > 0
        assert metric["intervalo"][0] <= metric["intervalo"][1]
        # In the precision, which pools findings, a case has no weight of its own.
        assert metric["peso_caso"] == (None if metric["metrica"] == "precision_hallazgos" else 0.125)
    assert weight_of(0) is None


def some_parts() -> tuple[list[dict[str, Any]], dict[str, Any]]:
    cases = [
        case(f"perro-{i}", tanda="uno", hallazgos_clave=["creat"], paciente={"especie": "canino"})
        for i in range(6)
    ]
    cases += [
        case(f"gato-{i}", tanda="dos", hallazgos_clave=["creat", "hct"], paciente={"especie": "felino"})
        for i in range(6)
    ]
    cases += [case("sano", hallazgos_clave=[], requiere_derivacion=False, paciente={"especie": "felino"})]
    cases += [case(f"secreto-{i}", split="test", tanda="oculta") for i in range(3)]
    said = {one["id"]: good_output() for one in cases}
    said["gato-0"] = said["gato-1"] = said["gato-2"] = MISSES
    return cases, said


def test_slices_put_the_worst_first_and_mark_the_small_ones() -> None:
    report = evaluate(*some_parts(), split="todos")
    found = {(one.dimension, one.value): one for one in report.slices}
    # cats: 7 counted, 3 miss the differential, 4/7 = 0.571; the healthy one was referred
    cats = found["especie", "felino"]
    assert (cats.cases, cats.small) == (7, False)
    assert cats.results["recall_diferenciales"].numerator == 4
    assert [one.value for one in report.slices if one.dimension == "especie"] == ["felino", "canino"]
    assert found["tipo", "sin alteraciones"].small
    assert {value for dimension, value in found if dimension == "grupo"} == {"bioquímica", "hematología"}
    assert found["grupo", "hematología"].results["cobertura_hallazgos"].value == 0.5
    assert found["tanda", "sin dato"].cases == 1


def test_the_worst_part_is_the_one_with_the_larger_share_of_missed_patients_not_the_larger_part() -> None:
    dogs = [case(f"perro-{i}", paciente={"especie": "canino"}) for i in range(12)]
    cats = [case(f"gato-{i}", paciente={"especie": "felino"}) for i in range(6)]
    missed = {f"perro-{i}" for i in range(6)} | {f"gato-{i}" for i in range(5)}
    said = {
        one["id"]: good_output(**({"requiere_derivacion": False} if one["id"] in missed else {}))
        for one in (*dogs, *cats)
    }
    report = evaluate([*dogs, *cats], said)
    parts = [one for one in report.slices if one.dimension == "especie"]
    # 5 cats of 6 (0.83) against 6 dogs of 12 (0.50): more dogs, and yet it goes worse for the cats.
    assert [one.value for one in parts] == ["felino", "canino"]
    assert [round(one.shortfall, 2) for one in parts] == [0.83, 0.5]


def test_a_part_with_just_as_many_cases_as_are_asked_for_is_not_small() -> None:
    for n, small in ((4, True), (5, False)):
        found = evaluate([case(f"c{i}") for i in range(n)], {f"c{i}": MISSES for i in range(n)}).slices
        assert {one.small for one in found} == {small}


def test_the_reserved_split_has_no_slices() -> None:
    assert evaluate(*some_parts(), split="test", min_cases=1).slices == ()
    for split in ("test", "todos"):
        report = evaluate(*some_parts(), split=split, min_cases=1)
        text = report.to_json().decode() + "\n".join(lines(report))
        assert "oculta" not in text
        assert sum(one.cases for one in report.slices if one.dimension == "especie") in {0, 13}


def test_hostile_names_of_parts_are_shown_and_never_sent() -> None:
    cases = [case(f"c{i}", tanda="a\x1b[31m\u202e") for i in range(5)]
    report = evaluate(cases, {f"c{i}": MISSES for i in range(5)})
    text = "\n".join(lines(report))
    assert "\x1b" not in text + json.loads(report.to_json())["tramos"][1]["valor"]
    assert "\u202e" not in text


def test_every_rate_is_printed_with_what_it_was_worked_out_from() -> None:
    # Each case expects creatinine and urea; the second output names creatinine alone: 1 + 1/2 of 2.
    half = good_output(interpretacion="El animal está enfermo.", hallazgos_clave=[{"analito": "creatinina"}])
    report = evaluate([case("a"), case("b")], {"a": good_output(), "b": half})
    coverage = report.aggregate["cobertura_hallazgos"]
    assert (coverage.numerator, coverage.denominator, coverage.over) == (3, 4, "1.5/2")
    said = next(line for line in lines(report) if line.startswith("  cobertura_hallazgos"))
    assert "(1.5/2)" in said
    counts = {check.metric: check.count for check in checks(report)}
    assert all(counts.values()), counts
