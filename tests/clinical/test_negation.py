"""What a sentence denies and what it leaves standing, on sentences written for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.clinical import score_case
from scoring.clinical.lexicon import rules_named
from scoring.clinical.normalize import blanked, words_of
from tests.clinical.samples import case, prose

RULES = rules_named("2")

DENIED = [
    ("leucemia", "Ni leucemia ni mieloma, linfoma."),
    ("mieloma", "Ni leucemia ni mieloma, linfoma."),
    ("linfoma", "Ni leucemia, ni mieloma, ni linfoma."),
    ("linfoma", "Linfoma: no."),
    ("linfoma", "Linfoma: no hay datos."),
    ("linfoma", "Linfoma: sin evidencia."),
    ("linfoma", "Linfoma: no, por ahora."),
    ("linfoma", "Linfoma: no\nPancreatitis: sí"),
    ("linfoma", "Sospecha de linfoma: no."),
    ("linfoma", "¿Linfoma? No."),
    ("linfoma", "¿Linfoma? No, pancreatitis."),
    ("linfoma", "¿Linfoma? Descartado."),
    ("linfoma", "¿Podría ser un linfoma? No."),
    ("leucemia", "¿Linfoma o leucemia? No hay datos."),
    ("linfoma", "Linfoma (no)."),
    ("linfoma", "Linfoma (descartado)."),
    ("linfoma", "Nada sugiere linfoma."),
    ("linfoma", "Ningún dato apoya un linfoma."),
    ("linfoma", "Incompatible con linfoma."),
    ("linfoma", "No consta diagnóstico previo de linfoma."),
    ("linfoma", "Se rechaza el diagnóstico de linfoma."),
    ("linfoma", "El linfoma se ha descartado razonablemente."),
    ("linfoma", "Nunca se ha demostrado linfoma."),
    ("linfoma", "Jamás tuvo linfoma."),
    ("linfoma", "Se descarta linfoma."),
    ("linfoma", "Se descarta el linfoma como causa de la hipercalcemia."),
    ("linfoma", "No hay datos de linfoma."),
    ("linfoma", "No hay datos compatibles con linfoma."),
    ("linfoma", "No hay hallazgos sugestivos de linfoma ni de mieloma."),
    ("mieloma", "No hay hallazgos sugestivos de linfoma ni de mieloma."),
    ("linfoma", "Sin evidencia de linfoma."),
    ("linfoma", "Sin evidencia clara de linfoma en la citología."),
    ("linfoma", "La citología permite descartar linfoma."),
    ("linfoma", "Se puede descartar un linfoma."),
    ("linfoma", "Linfoma descartado por citología."),
    ("linfoma", "El linfoma queda descartado."),
    ("linfoma", "El linfoma multicéntrico queda descartado tras la punción."),
    ("linfoma", "Queda descartado el linfoma."),
    ("linfoma", "Descartado el linfoma, lo más probable es una pancreatitis."),
    ("linfoma", "Una vez descartado el linfoma, se piensa en hiperparatiroidismo."),
    ("linfoma", "Se descartan: linfoma, mieloma y leucemia."),
    ("leucemia", "Se descartan: linfoma, mieloma y leucemia."),
    ("leucemia", "Linfoma y leucemia descartados."),
    ("linfoma", "Linfoma y leucemia descartados."),
    ("linfoma", "No hay datos de linfoma, la pancreatitis es lo más probable."),
    ("linfoma", "No es un linfoma sino una pancreatitis."),
    ("hemolitica", "Anemia no hemolítica."),
    ("hipercalcemia", "No hay hipercalcemia."),
    ("hipercalcemia", "Sin hipercalcemia ni hiperfosfatemia."),
    ("hiperfosfatemia", "Sin hipercalcemia ni hiperfosfatemia."),
    ("mieloma", "Sin evidencia de linfoma, leucemia o mieloma."),
    ("leucemia", "Ausencia de linfoma y leucemia."),
    ("normal", "Valor fuera del rango normal."),
    ("limites normales", "No está dentro de los límites normales."),
    ("leishmaniosis", "Serología negativa a leishmaniosis."),
    ("ehrlichiosis", "Prueba de ehrlichiosis negativa."),
    ("linfoma", "El linfoma no se observa en las imágenes."),
    ("pancreatitis", "La pancreatitis no se confirma."),
    ("ictericia", "En esta pancreatitis no se observa ictericia."),
    ("linfoma", "No parece que haya linfoma."),
    ("linfoma", "No hay nada que sugiera linfoma."),
    ("linfoma", "No se han detectado signos de linfoma."),
    ("linfoma", "No se ha observado linfoma."),
    ("linfoma", "Nunca ha tenido linfoma."),
    ("linfoma", "Se excluye linfoma."),
    ("linfoma", "La biopsia excluye linfoma."),
    ("linfoma", "Hallazgos no compatibles con linfoma."),
    ("leucemia", "Sin neoplasias (p. ej. leucemia)."),
    ("linfoma", "No existen indicios de linfoma."),
    ("linfoma", "El paciente no presenta linfoma."),
    ("linfoma", "El perfil no sugiere linfoma."),
    ("linfoma", "No se sospecha linfoma."),
    ("pancreatitis", "Se descartó pancreatitis mediante ecografía."),
    ("pancreatitis", "Pancreatitis: descartada."),
    ("linfoma", "Libre de linfoma."),
    ("shunt", "Ecografía sin shunt portosistémico visible."),
    ("hemolisis", "No hay signos de hemólisis ni de hemorragia."),
    ("hemorragia", "No hay signos de hemólisis ni de hemorragia."),
    ("diabetes", "No cumple criterios de diabetes."),
    ("diabetes", "No se trata de una diabetes."),
    ("diabetes", "No padece diabetes."),
    ("diabetes", "No tiene diabetes mellitus."),
    ("linfoma", "Queda excluido el linfoma."),
    ("linfoma", "No se aprecian datos ecográficos de linfoma."),
    ("linfoma", "Los resultados no son compatibles con linfoma."),
    ("linfoma", "No apoya el diagnóstico de linfoma."),
    ("linfoma", "Se ha descartado un linfoma mediante biopsia."),
    ("linfoma", "Se descartaron linfoma y mieloma."),
    ("mieloma", "Se descartaron linfoma y mieloma."),
    ("linfoma", "Descartamos linfoma."),
    ("linfoma", "El linfoma se descarta por la edad."),
    ("linfoma", "El linfoma está descartado."),
    ("linfoma", "Linfoma: descartado."),
    ("anemia", "No existe anemia."),
    ("anemia", "El perro no está anémico; sin anemia."),
    ("pancreatitis", "La lipasa normal hace poco probable... descartada la pancreatitis."),
    ("hipercalcemia", "Ausencia de hipercalcemia."),
    ("babesia", "PCR negativa para babesia."),
    ("leishmania", "Negativo a leishmania."),
    ("ictericia", "No presenta ictericia ni fiebre."),
    ("fiebre", "No presenta ictericia ni fiebre."),
    ("cetoacidosis", "No hay cetonuria que indique cetoacidosis."),
    ("hipoadrenocorticismo", "Un cortisol de 6 descarta hipoadrenocorticismo."),
    ("hipoadrenocorticismo", "Un cortisol de 6 permite excluir el hipoadrenocorticismo."),
    ("sepsis", "Tampoco hay signos de sepsis."),
    ("sepsis", "Ni sepsis ni hemorragia."),
    ("sepsis", "En ningún caso se trata de sepsis."),
    ("sepsis", "Se considera improbable... no hay sepsis."),
    ("shunt", "Los ácidos biliares normales excluyen un shunt portosistémico."),
    ("erc", "No hay ERC."),
    ("petequias", "Trombocitopenia sin petequias."),
    ("coagulopatia", "Nunca ha mostrado coagulopatía."),
    ("piometra", "La ecografía permitió descartar una piometra."),
    ("piometra", "La piometra ha sido descartada."),
    ("piometra", "La piometra fue descartada con ecografía."),
    ("linfoma", "Ningún dato de linfoma."),
]

STANDING = [
    ("linfoma", "Ni leucemia ni mieloma, linfoma."),
    ("linfoma", "Ni la leucemia ni el mieloma, el linfoma."),
    ("pancreatitis", "¿Linfoma? No, pancreatitis."),
    ("pancreatitis", "¿Linfoma? No: pancreatitis."),
    ("pancreatitis", "Linfoma: no\nPancreatitis: sí"),
    ("linfoma", "Tratamiento del linfoma: no."),
    ("linfoma", "¿Tiene curación el linfoma? No."),
    ("linfoma", "¿Se puede descartar un linfoma? No."),
    ("linfoma", "Es un linfoma, ¿no?"),
    ("linfoma", "Linfoma (no, no se ha tratado)."),
    ("linfoma", "Linfoma. Derivación: no."),
    ("linfoma", "Linfoma multicéntrico, leucemia: no."),
    ("linfoma", "Linfoma: no hay datos de metástasis."),
    ("linfoma", "¿Linfoma? No se puede descartar."),
    ("linfoma", "¿Linfoma? No está claro."),
    ("anemia", "Anemia: no regenerativa."),
    ("hepatopatia", "Hepatopatía: sin signos clínicos."),
    ("linfoma", "Sin tratamiento el linfoma progresa."),
    ("linfoma", "Una vez descartada la infección, linfoma."),
    ("linfoma", "De no ser infección, sería linfoma."),
    ("linfoma", "No sin antes pensar en linfoma."),
    ("linfoma", "Linfoma poco probable."),
    ("linfoma", "Es poco probable un linfoma."),
    ("linfoma", "Un linfoma es menos probable."),
    ("linfoma", "No se puede descartar linfoma."),
    ("linfoma", "No se descarta linfoma."),
    ("linfoma", "No permite descartar un linfoma."),
    ("linfoma", "Se recomienda ecografía para descartar linfoma."),
    ("linfoma", "Hay que descartar linfoma."),
    ("linfoma", "Sin descartar un linfoma."),
    ("linfoma", "No es posible descartar por completo un linfoma."),
    ("pancreatitis", "Descartado el linfoma, lo más probable es una pancreatitis."),
    ("hiperparatiroidismo", "Una vez descartado el linfoma, se piensa en hiperparatiroidismo."),
    ("pancreatitis", "No hay datos de linfoma, la pancreatitis es lo más probable."),
    ("pancreatitis", "No hay linfoma, pero sí pancreatitis."),
    ("pancreatitis", "No hay linfoma y la pancreatitis es probable."),
    ("pancreatitis", "No es un linfoma sino una pancreatitis."),
    ("enfermedad renal", "Anemia no regenerativa por enfermedad renal crónica."),
    ("trombocitopenia", "Anemia no hemolítica, trombocitopenia y leucocitosis."),
    ("pancreatitis", "Sin fiebre, con pancreatitis."),
    ("pancreatitis", "Sin embargo, la pancreatitis explica los vómitos."),
    ("pancreatitis", "No obstante, pancreatitis."),
    ("pancreatitis", "No solo hay pancreatitis, también colangitis."),
    ("colangitis", "No solo hay pancreatitis, también colangitis."),
    ("pancreatitis", "En esta pancreatitis no se observa ictericia."),
    ("linfoma", "La biopsia no excluye linfoma."),
    ("linfoma", "Si se descarta linfoma, valorar hiperparatiroidismo."),
    ("linfoma", "Hasta descartar linfoma, evitar los corticoides."),
    ("linfoma", "No hay duda de que es un linfoma."),
    ("linfoma", "No cabe duda: linfoma."),
    ("linfoma", "El cuadro no explica el linfoma."),
    ("pancreatitis", "Sin linfoma. Pancreatitis aguda."),
    ("pancreatitis", "Sin linfoma; pancreatitis aguda."),
    ("hipoadrenocorticismo", "No hay leucograma de estrés, lo que apoya un hipoadrenocorticismo."),
    ("ferropenia", "No hay pérdidas visibles, aunque la ferropenia es clara."),
    ("linfoma", "No es probable un linfoma."),
    ("linfoma", "No se ha podido descartar un linfoma."),
    ("anemia", "La anemia no responde al tratamiento."),
    ("colangitis", "Sin descartar pancreatitis ni colangitis."),
    ("shunt", "Un shunt no está confirmado, pero es la primera opción."),
    ("hemorragia", "No hay hemólisis; la hemorragia explica la anemia."),
    ("diabetes", "La glucosuria no justifica por sí sola la diabetes."),
    ("diabetes", "Hasta que no se demuestre lo contrario, diabetes."),
    ("linfoma", "Linfoma: poco probable, pero no descartado."),
    ("linfoma", "El linfoma no queda descartado."),
    ("linfoma", "El linfoma no se puede descartar."),
    ("linfoma", "No se puede excluir un linfoma."),
    ("linfoma", "No habría que descartar un linfoma."),
    ("linfoma", "Debe descartarse un linfoma."),
    ("linfoma", "Convendría descartar linfoma y leucemia."),
    ("leucemia", "Convendría descartar linfoma y leucemia."),
    ("linfoma", "Pruebas para descartar linfoma: citología."),
    ("anemia", "La anemia no es regenerativa."),
    ("hepatitis", "No se observan alteraciones renales, sino una hepatitis."),
    ("hepatitis", "Sin alteraciones renales; hepatitis crónica."),
    ("diabetes", "No hay cetonuria, por lo que se trata de una diabetes no complicada."),
    ("hipoadrenocorticismo", "Un cortisol normal no descarta hipoadrenocorticismo."),
    ("sepsis", "No se han realizado hemocultivos; sepsis probable."),
    ("sepsis", "Sepsis improbable."),
    ("neoplasia", "Aunque no se palpa masa, la neoplasia sigue en la lista."),
    ("pancreatitis", "Ecografía sin hallazgos, lo cual no excluye pancreatitis."),
    ("trombocitopenia", "Trombocitopenia sin petequias."),
    ("hepatopatia", "Hepatopatía no específica."),
    ("piometra", "La ecografía no permite descartar una piometra."),
    ("linfoma", "Ninguna duda: linfoma."),
    ("colangitis", "El gato no vomita ni tiene fiebre; colangitis."),
]


def denies(sentence: str, term: str) -> bool:
    text = RULES.comparable(sentence)
    assert RULES.negation is not None
    denials = RULES.negation.of(text, f" {blanked(text)} ", set(words_of(text)))
    at = text.find(RULES.comparable(term))
    assert at >= 0, (sentence, term)
    return denials is not None and denials.denies(at)


@pytest.mark.parametrize(("term", "sentence"), DENIED)
def test_a_sentence_that_denies_or_rules_out(term: str, sentence: str) -> None:
    assert denies(sentence, term)


@pytest.mark.parametrize(("term", "sentence"), STANDING)
def test_a_sentence_that_leaves_it_standing(term: str, sentence: str) -> None:
    assert not denies(sentence, term)


def test_the_sentences_are_as_many_as_promised() -> None:
    assert len({sentence for _, sentence in (*DENIED, *STANDING)}) >= 80


def test_one_mention_that_stands_is_enough() -> None:
    one = case(diferenciales_aceptables=["linfoma"])
    said = "Se descarta linfoma cutáneo. El linfoma multicéntrico es lo más probable."
    assert score_case(one, prose(said)).recall_diferenciales == 1
    only = "Se descarta linfoma cutáneo."
    assert score_case(one, prose(only)).recall_diferenciales == 0


def test_a_label_that_denies_by_itself_is_found() -> None:
    one = case(diferenciales_aceptables=["sin alteraciones"], hallazgos_clave=[])
    for said in ("Analítica sin alteraciones.", "No hay evidencia de alteraciones relevantes."):
        assert score_case(one, prose(said)).recall_diferenciales == 1
    outside = "Varios valores fuera de los límites de referencia."
    label = case(diferenciales_aceptables=["límites de referencia"], hallazgos_clave=[])
    assert score_case(label, prose(outside)).recall_diferenciales == 0


@given(st.text(alphabet="no sin, y.;:()\n descarta linfoma", max_size=120))
def test_any_text_has_an_answer(text: str) -> None:
    folded = RULES.comparable(text)
    assert RULES.negation is not None
    denials = RULES.negation.of(folded, f" {blanked(folded)} ", set(words_of(folded)))
    if denials is not None:
        for at in range(len(folded)):
            assert denials.denies(at) in {True, False}


@pytest.mark.parametrize(
    "unit", ["pero no linfoma ", "no así linfoma, ", "descartados:\n- linfoma\n", "¿linfoma? ninguno "]
)
def test_a_long_run_of_the_same_cue_is_read_to_its_end(unit: str) -> None:
    """Cues that look back at earlier ones had called one another until the interpreter gave up."""
    one = case(diferenciales_aceptables=["leucemia"], hallazgos_clave=[])
    assert score_case(one, prose(unit * 2000 + "\n\nLeucemia.")).recall_diferenciales == 1
