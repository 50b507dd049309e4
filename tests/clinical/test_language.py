"""Language under rules «2»: from the words, and undecided where a text does not tell."""

from __future__ import annotations

import sys
import unicodedata
from dataclasses import replace

import pytest

from scoring.clinical import score_case
from scoring.clinical.language import Language, LinguaTest
from scoring.clinical.lexicon import _with_lingua, decided_by, rules_named
from scoring.clinical.normalize import fold, words_of
from scoring.errors import UsageError
from tests.clinical.samples import case, prose

SPANISH = [
    "El paciente presenta anemia",
    "Los valores de urea y creatinina están elevados.",
    "Anemia grave con respuesta regenerativa; se recomienda un frotis.",
    "Se sospecha hipoadrenocorticismo por el cociente Na:K.",
    "La gata tiene pérdida de peso y poliuria.",
    "Hay azotemia y la densidad de la orina es baja.",
    "Elevación de ALT y bilirrubina con descenso de la albúmina en un perro joven.",
    "pingüino y cigüeña en las mismas condiciones",
    "No se detectan alteraciones en los resultados.",
    "Compatible con pancreatitis aguda; conviene medir la lipasa pancreática.",
    "Hypercalcemia (ver «Total calcium») en el perfil del perro, muy por encima del rango.",
]
OTHER = [
    "The patient shows severe anemia with a café-coloured mucosa and low platelets.",
    "Findings are consistent with chronic kidney disease in this cat.",
    "O paciente apresenta anemia com aumento de creatinina e não há sinais de hemólise.",
    "O gato apresenta níveis elevados de ureia, o que é compatível com doença renal.",
    "Il paziente presenta anemia e la creatinina è elevata nel siero.",
    "Le chien présente une anémie et les plaquettes sont basses.",
    "El pacient presenta anèmia amb plaquetes baixes i els valors són alts.",
    "Der Patient hat eine Anämie und die Werte sind nicht normal.",
    "O can ten unha anemia moi grave coa creatinina alta.",
    "У пациента тяжёлая анемия и высокий уровень креатинина.",
    "患者表现为重度贫血和肌酐升高。",
]
UNDECIDED = ["ALT 450, AST 230", "Anemia.", "anemia regenerativa", "K+ 7.4; Na+ 130", "Linfoma", "12.5"]


def said(text: str) -> str:
    return str(score_case(case(), prose(text)).idioma)


@pytest.mark.parametrize("text", SPANISH)
@pytest.mark.parametrize("form", ["NFC", "NFD", "plain", "upper"])
def test_spanish_is_spanish_with_accents_of_either_kind_or_none(text: str, form: str) -> None:
    decomposed = unicodedata.normalize("NFD", text)
    written = {
        "NFC": text,
        "NFD": decomposed,
        "plain": "".join(c for c in decomposed if not unicodedata.combining(c)),
        "upper": text.upper(),
    }[form]
    assert said(written) == "es"


@pytest.mark.parametrize("text", OTHER)
def test_another_language_is_not_spanish_whatever_accents_it_has(text: str) -> None:
    assert said(text) == "no_es"
    assert score_case(case(), prose(text)).idioma_es == 0


@pytest.mark.parametrize("text", UNDECIDED)
def test_what_has_no_language_is_undecided_and_does_not_fail(text: str) -> None:
    assert said(text) == "indeterminado"
    assert score_case(case(), prose(text)).idioma_es == 1


@pytest.mark.parametrize(
    "text", ["", "  \n", "...", "—", "- ¿? -", "**", "\u200b", "\N{SLIGHTLY SMILING FACE}"]
)
def test_no_text_is_no_spanish(text: str) -> None:
    assert said(text) == "sin_texto"
    assert score_case(case(), prose(text)).idioma_es == 0


def test_a_text_half_in_english_is_undecided_and_named_so() -> None:
    half = "El paciente presenta una anemia grave. The platelets are low and this is severe."
    assert said(half) in {"indeterminado", "no_es"}


def test_lingua_is_asked_only_about_what_the_words_leave_open() -> None:
    pytest.importorskip("lingua")
    rules = decided_by(rules_named("2"), "lingua")
    asked: list[str] = []

    def spanish(text: str) -> bool | None:
        asked.append(text)
        return None

    assert isinstance(rules.language, LinguaTest)
    counted = replace(rules.language, spanish=spanish)
    for text in (*SPANISH[:3], *OTHER[:3], "ALT 450"):
        counted.decide(text, set(words_of(fold(text))))
    assert asked == ["ALT 450"]
    text = "Anemia severa não regenerativa"
    assert rules.language.decide(text, set(words_of(fold(text)))) is Language.OTHER


def test_lingua_asked_for_and_absent_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lingua", None)
    _with_lingua.cache_clear()
    with pytest.raises(UsageError, match=r"revision-clinica\[idioma\]"):
        decided_by(rules_named("2"), "lingua")
    assert decided_by(rules_named("1"), "lingua") is rules_named("1")


def test_the_signs_of_spanish_count_composed_and_decomposed() -> None:
    """«-ción» with its accent apart once left this sentence undecided."""
    text = "El perro presenta una anemia crónica de evolución"
    for form in ("NFC", "NFD"):
        said = unicodedata.normalize(form, text)
        assert score_case(case(), prose(said)).idioma is Language.SPANISH
