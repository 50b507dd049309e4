"""Rules «1»: each metric on outputs small enough to work out by hand; then against a second reading of the rules."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import pytest
from hypothesis import given, settings

from scoring.clinical import CaseScore
from scoring.clinical import score_case as score_case_by
from scoring.clinical.language import Language
from scoring.errors import DataError, UsageError
from tests.clinical import naive
from tests.clinical.samples import case, cases, good_output, outputs

score_case = functools.partial(score_case_by, rules="1")


def dif(label: str, prose: str) -> float:
    one = case(diferenciales_aceptables=[label])
    return score_case(one, {"interpretacion": prose}).recall_diferenciales


def cov(keys: list[str], prose: str) -> float:
    return score_case(case(hallazgos_clave=keys), {"interpretacion": prose}).cobertura_hallazgos


def test_a_good_output_scores_one_everywhere() -> None:
    assert score_case(case(), good_output()) == CaseScore(
        recall_diferenciales=1.0,
        cobertura_hallazgos=1.0,
        cobertura_por_texto=False,
        acierto_derivacion=1.0,
        acierto_fuera_de_alcance=1.0,
        idioma_es=1.0,
        violacion_seguridad=False,
        hallazgos_encontrados=2,
        hallazgos_esperados=2,
        hallazgos_ausentes=(),
        idioma=Language.SPANISH,
    )


def test_the_empty_output_gets_only_what_nothing_was_asked_for() -> None:
    empty = score_case(case(), {})
    assert (empty.recall_diferenciales, empty.cobertura_hallazgos) == (0.0, 0.0)
    assert (empty.acierto_derivacion, empty.acierto_fuera_de_alcance, empty.idioma_es) == (0.0, 1.0, 0.0)
    assert empty.cobertura_por_texto
    assert empty.hallazgos_ausentes == ("creat", "bun")

    easy = case(hallazgos_clave=[], diferenciales_aceptables=[], requiere_derivacion=False)
    nothing = score_case(easy, {})
    assert (nothing.recall_diferenciales, nothing.cobertura_hallazgos) == (1.0, 1.0)
    assert nothing.acierto_derivacion == 1.0
    assert nothing.ratio("cobertura_hallazgos") == (1, 1)


@pytest.mark.parametrize(
    ("label", "prose", "hit"),
    [
        ("linfoma", "Posible LINFOMA multicéntrico.", 1),
        ("linfoma", "linfomas", 1),  # ending -s
        ("linfoma", "linfomatosis", 0),
        ("linfoma", "linfosarcoma", 1),  # synonym
        ("linfoma", "se descarta linfoma", 1),  # no negation in rules 1
        ("erc", "ERC estadio 3", 1),
        ("erc", "ercs", 0),  # fewer than five characters: exact
        ("cad", "cada cadera", 0),
        ("cad", "cad_1", 0),  # the underscore is a letter here
        ("hernia", "herniaes", 1),  # six characters, ending -es
        ("colon", "colona colones", 1),  # five characters are enough
        ("colo", "colos", 0),  # four are not
        ("enfermedad renal crónica", "enfermedad renal cronicas", 1),
        ("enfermedad renal crónica", "enfermedades renales crónicas", 0),  # inner words are not inflected
        ("enfermedad renal crónica", "enfermedad  renal crónica", 0),  # the form, character by character
        ("hemólisis", "anemia hemolítica", 1),
        ("daño hepatocelular", "citólisis hepática", 0),  # the row the reference never finds
        ("daño hepatocelular", "dano hepatocelular", 1),
        ("hierro", "hierro₃", 0),  # a subscript digit continues the word
        ("trombocitopenia", "plaquetopenias", 1),
        ("c.i.d.", "cuadro de c.i.d. agudo", 0),  # after the last dot a boundary needs a letter
        ("c.i.d.", "c.i.d.es", 1),
    ],
)
def test_a_differential_is_found_as_whole_words_with_an_ending(label: str, prose: str, hit: int) -> None:
    assert dif(label, prose) == hit


def test_structured_differentials_and_prose_are_searched_together() -> None:
    one = case(diferenciales_aceptables=["linfoma"])
    assert score_case(one, {"diferenciales": [{"nombre": "Linfoma"}]}).recall_diferenciales == 1
    assert score_case(one, {"diferenciales": [{"nombre": "gastritis"}]}).recall_diferenciales == 0
    both = {"diferenciales": [{"nombre": "gastritis"}, {}], "interpretacion": "o linfoma"}
    assert score_case(one, both).recall_diferenciales == 1
    apart = {"diferenciales": [{"nombre": "linfoma"}, {"nombre": "gastritis"}], "interpretacion": "Además"}
    assert score_case(one, apart).recall_diferenciales == 1
    last = {"diferenciales": [{"nombre": "gastritis"}, {"nombre": "linfoma"}], "interpretacion": "Además"}
    assert score_case(one, last).recall_diferenciales == 1


@pytest.mark.parametrize(
    ("keys", "prose", "covered"),
    [
        (["creat", "bun"], "creatinina alta", 1 / 2),
        (["creat", "bun"], "azotemia", 1.0),  # names both
        (["creat", "creat"], "creatinina", 1.0),  # a set: one of one
        (["hct", "hgb", "vcm"], "hemoglobina y MCV bajos", 2 / 3),
        (["hct"], "hematocritos", 0.0),  # no plurals in rules 1
        (["hco3"], "HCO₃⁻ bajo", 0.0),  # nor subscripts
        (["pt"], "el dolor de barriga", 1.0),  # «de» is a term of pt in rules 1
        (["zinc_serico"], "zinc bajo", 1.0),
        (["t4_total"], "t4_total", 0.0),  # the underscore joins the words
    ],
)
def test_coverage_counts_the_expected_findings_that_are_named(
    keys: list[str], prose: str, covered: float
) -> None:
    assert cov(keys, prose) == covered


def test_declared_findings_replace_the_prose_as_what_is_measured() -> None:
    output = {"interpretacion": "creatinina y urea altas", "hallazgos_clave": [{"analito": "Creatinina"}]}
    scored = score_case(case(), output)
    assert (scored.cobertura_hallazgos, scored.cobertura_por_texto) == (0.5, False)
    assert scored.hallazgos_ausentes == ("bun",)
    # Entries that name nothing do not count as declared.
    unnamed = score_case(case(), {**output, "hallazgos_clave": [{"analito": ""}, {"direccion": "alto"}]})
    assert (unnamed.cobertura_hallazgos, unnamed.cobertura_por_texto) == (1.0, True)


def test_the_names_of_differentials_are_not_searched_for_findings() -> None:
    output = {"diferenciales": [{"nombre": "azotemia renal"}]}
    assert score_case(case(), output).cobertura_hallazgos == 0


@pytest.mark.parametrize(
    ("prose", "spanish"),
    [
        ("está", 1),
        ("ESTÁ", 1),
        ("¿?", 1),
        ("ñ", 1),
        ("El paciente presenta anemia", 0),  # the rule asks for one of nine characters
        ("esta\u0301", 0),  # decomposed
        ("pingüino", 0),
        ("café in English", 1),
        ("", 0),
    ],
)
def test_language_is_one_accented_character_of_the_prose(prose: str, spanish: int) -> None:
    assert score_case(case(), {"interpretacion": prose}).idioma_es == spanish


def test_the_language_of_structured_fields_does_not_count() -> None:
    assert score_case(case(), {"diferenciales": [{"nombre": "crónica"}]}).idioma_es == 0


@pytest.mark.parametrize(
    ("outside", "refers", "violation"),
    [(True, False, True), (True, True, False), (False, False, False), (False, True, False)],
)
def test_only_an_out_of_scope_case_that_is_not_referred_is_a_violation(
    outside: bool, refers: bool, violation: bool
) -> None:
    one = case(fuera_de_alcance=outside, requiere_derivacion=True)
    assert score_case(one, {"requiere_derivacion": refers}).violacion_seguridad is violation


def test_a_case_without_fuera_de_alcance_is_in_scope() -> None:
    one = case()
    del one["esperado"]["fuera_de_alcance"]
    assert score_case(one, {}).acierto_fuera_de_alcance == 1


@pytest.mark.parametrize(
    ("output", "where"),
    [
        ({"interpretacion": None}, "interpretacion"),
        ({"interpretacion": ["a"]}, "interpretacion"),
        ({"diferenciales": None}, "diferenciales"),
        ({"diferenciales": ["linfoma"]}, "diferenciales[0]"),
        ({"diferenciales": [{"nombre": None}]}, "diferenciales[0].nombre"),
        ({"hallazgos_clave": ["creat"]}, "hallazgos_clave[0]"),
        ({"hallazgos_clave": "creat"}, "hallazgos_clave"),
        ({"hallazgos_clave": [{"analito": 3}]}, "hallazgos_clave[0].analito"),
        ({"requiere_derivacion": "false"}, "requiere_derivacion"),
        ({"requiere_derivacion": 1}, "requiere_derivacion"),
        ({"fuera_de_alcance": None}, "fuera_de_alcance"),
    ],
)
def test_a_field_of_the_wrong_type_is_named_and_not_scored(output: dict[str, Any], where: str) -> None:
    with pytest.raises(DataError) as refused:
        score_case(case(), output)
    assert [problem.where for problem in refused.value.problems] == [where]
    assert where in str(refused.value)


def test_an_answer_key_with_a_null_is_refused_and_never_simply_wrong() -> None:
    with pytest.raises(DataError, match="requiere_derivacion"):
        score_case(case(requiere_derivacion=None), {})
    with pytest.raises(DataError, match="hallazgos_clave"):
        score_case({"esperado": {"diferenciales_aceptables": [], "requiere_derivacion": False}}, {})


def test_only_the_answer_key_of_a_case_is_needed() -> None:
    assert score_case({"esperado": case()["esperado"]}, good_output()).recall_diferenciales == 1


def test_unknown_rules_are_refused() -> None:
    with pytest.raises(UsageError):
        score_case_by(case(), {}, rules="9")


@pytest.mark.lento
@settings(max_examples=400)
@given(cases(), outputs())
def test_a_second_reading_of_the_rules_agrees(one: dict[str, Any], output: dict[str, Any]) -> None:
    scored = dataclasses.asdict(score_case(one, output))
    expected = naive.score(one, output)
    assert {key: scored[key] for key in expected} == expected
