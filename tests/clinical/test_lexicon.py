from __future__ import annotations

import pytest

from scoring.clinical.lexicon import known_rules, rules_named
from scoring.clinical.normalize import normalize
from scoring.clinical.templates import Templates, Token
from scoring.errors import UsageError
from scoring.tables import ANALYTE_KEYS, table

RULES = rules_named("1")


def test_every_analyte_of_the_ranges_has_terms_and_no_other_has() -> None:
    assert set(RULES.terms) == set(ANALYTE_KEYS)
    assert all(RULES.terms.values())


def test_every_term_is_one_word_in_the_form_in_which_texts_are_compared() -> None:
    for terms in RULES.terms.values():
        for term in terms:
            assert term == normalize(term)
            assert term.isalnum()


def test_every_key_names_itself_by_one_of_its_own_words() -> None:
    for key, terms in RULES.terms.items():
        assert set(key.split("_")) & set(terms), key


@pytest.mark.parametrize(
    ("key", "terms"),
    [
        ("creat", {"creat", "creatinina", "azotemia"}),
        ("pt", {"de", "protrombina", "pt", "tiempo", "tp"}),
        ("exceso_base", {"base", "be", "de", "exceso"}),
        ("hct", {"hct", "hematocrito"}),
        ("ca_ion", {"ca", "calcio", "ica", "ion", "ionizado", "hipercalcemia", "hipocalcemia", "calcemia"}),
    ],
)
def test_the_terms_of_rules_1_include_ordinary_words_where_the_reference_has_them(
    key: str, terms: set[str]
) -> None:
    assert set(RULES.terms_of(key)) == terms


@pytest.mark.parametrize(
    ("key", "terms"),
    [
        ("Zinc_Sérico", ("zinc",)),  # «serico» identifies nothing
        ("cobre-total", ("cobre",)),
        ("x", ()),  # one letter is no word
        ("HCT", ("hct",)),  # keys are looked up letter by letter
        ("b12", ("b12",)),
    ],
)
def test_a_key_outside_the_table_is_named_by_its_own_words(key: str, terms: tuple[str, ...]) -> None:
    assert RULES.terms_of(key) == terms


def test_a_differential_has_its_own_form_and_its_synonyms() -> None:
    assert RULES.forms_of(" Hipoadrenocorticismo ") == (
        "hipoadrenocorticismo",
        "enfermedad de addison",
        "addison",
        "hipocortisolismo",
    )
    assert RULES.forms_of("gastritis") == ("gastritis",)
    assert RULES.forms_of("\u0301 ") == ()


def test_the_synonyms_of_dano_hepatocelular_belong_to_later_rules() -> None:
    # The reference keys that row with ñ and so never finds it; rules 1 score as it does.
    assert RULES.forms_of("daño hepatocelular") == ("dano hepatocelular",)
    assert len(RULES.synonyms) == 20
    assert len(table("lexico.json")["sinonimos"]) == 22


def test_rules_that_do_not_exist_are_refused_by_name() -> None:
    assert known_rules() == ("1", "2")
    with pytest.raises(UsageError, match="«7»"):
        rules_named("7")


def test_a_word_of_a_template_also_leads_on_to_what_its_stem_does() -> None:
    """«no puede ser» had hidden «no puede* descart*» from every text with «no puede descartar»."""
    templates = Templates(["no puede* descart*", "no puede ser", "no pued* olvid*"])

    def length(text: str) -> int:
        return templates.match([Token(word, 0, 0) for word in text.split()])

    assert length("no puede descartar") == length("no pueden descartarse") == 3
    assert length("no puede ser") == length("no puede olvidarse") == 3
    assert length("no pueden ser") == 0
