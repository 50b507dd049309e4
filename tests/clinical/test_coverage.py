"""Which findings an output names under rules «2»: words, typography, direction, precision."""

from __future__ import annotations

from typing import Any

import pytest

from scoring.clinical import score_case
from scoring.clinical.lexicon import rules_named
from scoring.clinical.mentions import read_forms
from scoring.tables import ANALYTE_KEYS, analytes, table
from tests.clinical.samples import case, good_output, prose

RULES = rules_named("2")


def missing(keys: list[str], text: str, **values: Any) -> list[str]:
    one = case(hallazgos_clave=keys, valores=values)
    return list(score_case(one, prose(text)).hallazgos_ausentes)


def test_every_analyte_has_a_form_and_no_form_belongs_to_two() -> None:
    forms = read_forms(table("formas.json"))
    assert {owner for form in forms for owner in form.owners} == set(ANALYTE_KEYS)
    texts = [form.text for form in forms]
    assert sorted({text for text in texts if texts.count(text) > 1}) == []


def test_every_analyte_belongs_to_one_group() -> None:
    grouped = [key for keys in table("formas.json")["grupos"].values() for key in keys]
    assert sorted(grouped) == sorted(ANALYTE_KEYS)


@pytest.mark.parametrize("species", ["canino", "felino"])
def test_the_name_in_the_reference_table_names_its_analyte(species: str) -> None:
    for key, analyte in analytes(species).items():
        output = good_output(interpretacion="", hallazgos_clave=[{"analito": analyte.name}])
        assert score_case(case(hallazgos_clave=[key]), output).cobertura_hallazgos == 1, analyte.name


@pytest.mark.parametrize("key", ANALYTE_KEYS)
def test_a_declared_finding_may_be_the_key_itself(key: str) -> None:
    output = good_output(interpretacion="", hallazgos_clave=[{"analito": key}])
    assert score_case(case(hallazgos_clave=[key]), output).cobertura_hallazgos == 1


def test_no_ordinary_word_names_an_analyte() -> None:
    ordinary = (
        "El nivel basal de la base de datos, con tiempo de sobra, a saturación cardiaca y arterial, "
        "post operatorio, directo y neutro, en cociente de total a libre; el mono de la densidad at fe."
    )
    for key in ANALYTE_KEYS:
        assert missing([key], ordinary) == [key]


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("hct", "Los hematocritos seriados"),
        ("plt", "pocas plaquetas"),
        ("plt", "una plaqueta gigante"),
        ("acidos_bil", "ácido biliar posprandial"),
        ("hco3", "HCO₃⁻ de 12 mEq/L"),
        ("hco3", "HCO3- de 12 mEq/L"),
        ("pco2", "pCO₂ de 50 mmHg"),
        ("pco2", "PaCO₂"),
        ("tco2", "TCO₂"),
        ("so2", "SO₂ del 88 %"),
        ("ca_ion", "Ca²⁺ iónico"),
        ("ca_ion", "calcio\nionizado"),
        ("potasio", "K⁺ de 7"),
        ("sodio", "Na⁺ de 130"),
        ("bili_dir", "bilirrubinas directas"),
        ("nt_probnp", "NT‑proBNP"),
        ("neutro_abs", "Neutrófilos #"),
        ("alb", "hipo­albuminemia".replace("­", "")),
        ("alb", "**Albúmina**"),
        ("alb", "_albúmina_"),
        ("prot", "proteínas totales"),
        ("vwf", "factor de von Willebrand"),
        ("sodio", "cociente Na:K"),
    ],
)
def test_plurals_and_typography_are_read(key: str, text: str) -> None:
    assert missing([key], text) == []


@pytest.mark.parametrize(
    ("keys", "text", "left"),
    [
        # A specific form names its own analyte only; a shared one vouches for one, in the order of the table.
        (["calc", "ca_ion"], "El calcio ionizado", ["calc"]),
        (["calc", "ca_ion"], "El calcio", ["ca_ion"]),
        (["calc", "ca_ion"], "El calcio y el calcio iónico", []),
        (["ca_ion"], "El calcio", []),
        (["bili", "bili_dir"], "La bilirrubina directa", ["bili"]),
        (["prot"], "proteína C reactiva", ["prot"]),
        (["crp"], "proteína C reactiva", []),
        (["crp"], "PCR de Ehrlichia", ["crp"]),
        (["creat"], "cociente proteína/creatinina", ["creat"]),
        (["lactato"], "lactato deshidrogenasa", ["lactato"]),
        (["lipasa", "pli"], "lipasa pancreática", ["lipasa"]),
        (["neutro", "neutro_abs"], "neutrofilia", ["neutro"]),
        (["neutro", "neutro_abs"], "neutrófilos", ["neutro_abs"]),
        (["neutro", "neutro_abs"], "neutrófilos 85 % (18.2 x10³/µL)", []),
        (["neutro", "neutro_abs"], "neutrófilos de 18.2 x10³/µL", ["neutro"]),
        (["neutro_abs"], "neutrofilia relativa", ["neutro_abs"]),
        (["neutro"], "neutrofilia absoluta", ["neutro"]),
        (["neutro", "neutro_abs"], "neutrofilia relativa", ["neutro_abs"]),
        (["linfo_abs"], "linfocitos relativos bajos", ["linfo_abs"]),
        (["eosino_abs"], "eosinofilia absoluta", []),
        (["bun", "creat"], "azotemia", ["creat"]),
        (["bun", "creat"], "azotemia con creatinina de 4", []),
        (["t4_total", "t4_libre"], "T4 libre", ["t4_total"]),
        (["rbc"], "eritrocitos en orina", ["rbc"]),
        (["prot"], "enteropatía perdedora de proteínas", ["prot"]),
        (["fdp"], "Se adjunta el informe en PDF.", ["fdp"]),
        (["fdp"], "PDF aumentados", []),
    ],
)
def test_the_specific_form_goes_before_the_shared_one(keys: list[str], text: str, left: list[str]) -> None:
    assert missing(keys, text) == left


HIGH = {"creat": 4.0, "bun": 90, "calc": 14.0, "plt": 900, "hct": 60}
LOW = {"creat": 0.2, "calc": 6.0, "plt": 20, "hct": 15, "hgb": 5, "alb": 1.2, "potasio": 2.5, "reti": 0}


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("calc", "Hipocalcemia"),
        ("creat", "La creatinina está baja."),
        ("creat", "creatinina disminuida"),
        ("creat", "creatinina (4.0 mg/dL) baja"),
        ("creat", "creatinina de 4.0 mg/dL, baja"),
        ("creat", "niveles bajos de creatinina"),
        ("creat", "descenso marcado de la creatinina"),
        ("creat", "creatinina muy por debajo del rango"),
        ("creat", "creatinina normal"),
        ("creat", "creatinina dentro de rango"),
        ("creat", "La creatinina no está elevada."),
        ("creat", "La creatinina no es alta sino baja."),
        ("creat", "Creatinina 4.0. Más abajo: creatinina baja."),
        ("plt", "Trombocitopenia grave"),
        ("creat", "Creatinina: 4.0 mg/dL (bajo)"),
        ("hct", "hemoglobina y hematocrito bajos"),
    ],
)
def test_a_high_result_called_low_or_normal_is_not_covered(key: str, text: str) -> None:
    score = score_case(case(hallazgos_clave=[key], valores=HIGH), prose(text))
    assert (score.hallazgos_ausentes, score.hallazgos_contrarios) == ((key,), (key,))


@pytest.mark.parametrize(
    ("key", "values", "text"),
    [
        ("calc", HIGH, "Hipercalcemia; no hay hipocalcemia"),
        ("creat", HIGH, "Creatinina de 4.0 mg/dL"),
        ("creat", HIGH, "creatinina elevada y potasio bajo"),
        ("creat", HIGH, "potasio bajo y creatinina elevada"),
        ("creat", HIGH, "calcio bajo, creatinina, urea"),
        ("creat", HIGH, "Creatinina claramente por encima del rango normal"),
        ("creat", HIGH, "aumento de la creatinina, con densidad baja"),
        ("creat", HIGH, "BUN y creatinina elevados"),
        ("creat", HIGH, "creatinina fuera de rango"),
        ("creat", HIGH, "La creatinina no es baja, sino alta."),
        ("creat", HIGH, "La creatinina no está baja."),  # normal or high: left open
        ("bun", HIGH, "BUN alto con creatinina normal"),
        ("creat", HIGH, "creatinina de 4.0 mg/dL, déficit de base"),
        ("creat", HIGH, "suben la creatinina, la urea y el fósforo, y descienden la albúmina y el calcio"),
        ("plt", LOW, "Las plaquetas (20 x10³/µL) y los tiempos TP y TTPa prolongados"),
        ("plt", LOW, "recuento plaquetario de 20"),
        ("plt", LOW, "plaquetas, hematocrito y los eosinófilos altos"),
        ("hct", LOW, "El hematocrito no es normal: bajo"),
        ("hct", LOW, "hematocrito reducido (15 %)"),
        ("hct", LOW, "eritrocitos, hemoglobina y hematocrito bajos"),
        ("alb", LOW, "albúmina baja y globulina alta"),
        ("plt", LOW, "plaquetas disminuidas"),
        ("potasio", LOW, "K⁺ bajo"),
        ("reti", LOW | {"reti": -1}, "Anemia no regenerativa por enfermedad renal"),
    ],
)
def test_the_right_direction_or_none_is_covered(key: str, values: dict[str, Any], text: str) -> None:
    score = score_case(case(hallazgos_clave=[key], valores=values), prose(text))
    assert (score.hallazgos_ausentes, score.hallazgos_contrarios) == ((), ())


@pytest.mark.parametrize(
    ("said", "covered"),
    [("alto", 1), ("Elevado", 1), ("", 1), ("¿?", 1), (None, 1), ("bajo", 0), ("normal", 0)],
)
def test_the_declared_direction_is_held_against_the_result(said: Any, covered: int) -> None:
    declared = [{"analito": "Creatinina", "direccion": said}]
    output = good_output(interpretacion="", hallazgos_clave=declared)
    assert score_case(case(hallazgos_clave=["creat"], valores=HIGH), output).cobertura_hallazgos == covered


def test_without_values_or_in_range_no_direction_is_wrong() -> None:
    assert missing(["creat"], "creatinina baja") == []
    assert missing(["creat"], "creatinina baja", creat=1.2) == []


def test_a_denied_finding_is_not_named() -> None:
    assert missing(["calc"], "No hay hipercalcemia.") == ["calc"]
    assert missing(["calc"], "No hay hipercalcemia. El calcio ronda el límite.") == []


def test_one_stray_entry_does_not_switch_off_the_prose() -> None:
    output = good_output(interpretacion="Azotemia, creatinina alta", hallazgos_clave=[{"analito": "ALT"}])
    score = score_case(case(), output)
    assert (score.cobertura_hallazgos, score.cobertura_por_texto) == (1, True)
    declared = good_output(hallazgos_clave=[{"analito": "Creatinina"}, {"analito": "BUN"}])
    assert score_case(case(), declared).cobertura_por_texto is False


def test_listing_everything_shows_in_the_precision() -> None:
    everything = [{"analito": analyte.name} for analyte in analytes("canino").values()]
    score = score_case(case(), good_output(interpretacion="", hallazgos_clave=everything))
    assert score.cobertura_hallazgos == 1
    # two of the ninety are expected; «Cociente P/C (UPC)» and the like name neither
    assert (score.hallazgos_citados_esperados, score.hallazgos_citados) == (2, 90)


def test_the_precision_of_prose_counts_the_analytes_its_words_name() -> None:
    text = "Creatinina y urea elevadas, con fósforo alto y más fósforo. Glucosa normal; bilirrubina directa."
    score = score_case(case(), prose(text))
    # expected: creat, bun; named besides: fosf, gluc, bili (a word is enough, whatever is said of it)
    assert (score.hallazgos_citados_esperados, score.hallazgos_citados) == (2, 5)
    everything = " ".join(analyte.name for analyte in analytes("canino").values())
    assert score_case(case(), prose(everything)).hallazgos_citados > 60


def test_a_key_outside_the_table_is_its_words_in_a_row() -> None:
    assert missing(["zinc_serico"], "zinc de 40") == []
    assert missing(["cobre hepático"], "cobre; tejido hepático") == ["cobre hepático"]
    assert missing(["cobre hepático"], "cobre hepático") == []


@pytest.mark.parametrize(
    ("label", "text", "found"),
    [
        ("enfermedad renal crónica", "enfermedades renales crónicas", 1),
        ("enfermedad renal crónica", "enfermedad  **renal**\ncrónica", 1),
        ("erc", "ERC", 1),
        ("cad", "cada cadera", 0),
        ("daño hepatocelular", "citólisis hepática", 1),
        ("shunt portosistémico", "shunts portosistémicos", 1),
        ("pancreatitis", "pancreatitis", 1),
        ("c.i.d.", "cuadro de c.i.d. agudo", 1),
        ("shunt (portosistémico)", "un shunt (portosistémico)", 1),
    ],
)
def test_every_word_of_a_differential_is_inflected(label: str, text: str, found: int) -> None:
    one = case(diferenciales_aceptables=[label])
    assert score_case(one, prose(text)).recall_diferenciales == found


def test_a_missed_referral_is_a_case_in_scope_that_needs_one() -> None:
    stays = good_output(requiere_derivacion=False)
    missed = score_case(case(), stays)
    assert (missed.derivacion_omitida, missed.violacion_seguridad) == (True, False)
    outside = score_case(case(fuera_de_alcance=True), stays)
    assert (outside.derivacion_omitida, outside.violacion_seguridad) == (False, True)
    assert not score_case(case(requiere_derivacion=False), stays).derivacion_omitida


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("ALT ↑ (350 U/L)", []),
        ("ALT 350 U/L ↑", []),
        ("↑ ALT", []),
        ("ALT↓", ["alt"]),
        ("↓ ALT", ["alt"]),
        ("ALT y AST ↓", []),  # of which one it is said stays open
    ],
)
def test_an_arrow_says_the_direction_as_a_word_does(text: str, absent: list[str]) -> None:
    assert missing(["alt"], text, alt=350) == absent


def test_an_arrow_is_understood_as_a_declared_direction_too() -> None:
    one = case(hallazgos_clave=["alt"], valores={"alt": 350})
    for said, covered in (("↑", 1), ("↓", 0)):
        declared = [{"analito": "ALT", "direccion": said}]
        output = good_output(interpretacion="", hallazgos_clave=declared)
        assert score_case(one, output).cobertura_hallazgos == covered


def test_a_negative_base_excess_is_a_low_one_and_no_denial() -> None:
    """«Negativo» behind a name denies it elsewhere: «ehrlichiosis negativa»."""
    assert missing(["exceso_base"], "Exceso de base negativo (-10 mmol/L).", exceso_base=-10) == []
    assert missing(["exceso_base"], "Exceso de base negativo.", exceso_base=10) == ["exceso_base"]
