"""What cannot be trusted, and what the engine leaves unsaid, is told; findings never change by it."""

from __future__ import annotations

from typing import Any

import pytest

from scoring import messages
from scoring.engine import Analysis, Notice, analyse
from scoring.engine.intake import MAX_UNKNOWN_NAMED

ADULT = {"especie": "canino", "edad_meses": 60, "raza": None, "sexo": None}


def run(valores: Any = None, **paciente: Any) -> Analysis:
    return analyse(valores, ADULT | paciente)


def told(valores: Any = None, **paciente: Any) -> list[tuple[str, str, str]]:
    return [(n.level, n.code, n.field) for n in run(valores, **paciente).notices]


def only(valores: Any = None, **paciente: Any) -> Notice:
    (notice,) = run(valores, **paciente).notices
    return notice


def test_sound_input_gets_no_notice() -> None:
    assert told({"hct": 45, "plt": "300", "alb": None, "glob": ""}) == []


@pytest.mark.parametrize(
    ("raw", "code", "read", "words"),
    [
        (
            "7,5",
            "decimal_comma_near",
            7,
            "«7,5» se ha leído como 7, porque la coma corta el número. Si el valor es 7.5,",
        ),
        ("7,5 mg/dL", "decimal_comma_near", 7, "Si el valor es 7.5,"),
        ("-7,5", "decimal_comma_near", -7, "Si el valor es -7.5,"),
        ("1,234.5", "decimal_comma", 1, "sin separador de miles"),
        ("1.5,3", "decimal_comma", 1.5, "una coma"),
        ("40 H", "text_after_number", 40, "«40 H» se ha leído como 40"),
        ("40 g/L", "text_after_number", 40, "escriba solo 40"),
        ("4_0", "text_after_number", 4, "«4_0»"),
        ("<5", "value_comparator", None, "límite del aparato"),
        (" >100", "value_comparator", None, "cuenta como no medido"),
        ("abc", "value_unreadable", None, "no empieza por un número"),
        (",5", "value_unreadable", None, "no empieza por un número"),
        (True, "value_wrong_type", None, "hay un valor verdadero/falso"),
        ([40], "value_wrong_type", None, "hay una lista"),
        ({"v": 40}, "value_wrong_type", None, "hay un objeto"),
        (float("nan"), "value_nan", None, "NaN"),
        ("1e400", "value_infinite", float("inf"), "demasiado grande"),
        (float("inf"), "value_infinite", float("inf"), "demasiado grande"),
        ("-Infinity", "value_infinite", float("-inf"), "demasiado grande"),
    ],
)
def test_a_doubtful_value_is_told(raw: Any, code: str, read: float | None, words: str) -> None:
    notices = [n for n in run({"hct": raw}).notices if n.code == code]
    assert len(notices) == 1
    assert (notices[0].level, notices[0].field, notices[0].read) == ("aviso", "valores.hct", read)
    assert words in notices[0].text
    assert notices[0].text.startswith("Hematocrito (Hct): ")


@pytest.mark.parametrize("raw", ["120 x10³/μL", "120x10^3/uL", "120 X10³/µL"])
def test_the_unit_of_the_table_is_only_a_note(raw: str) -> None:
    assert told({"plt": raw}) == [("nota", "unit_after_number", "valores.plt")]


def test_another_unit_is_a_warning() -> None:
    """Haemoglobin in g/L would be ten times too high."""
    assert ("aviso", "text_after_number", "valores.hgb") in told({"hgb": "150 g/L"})


@pytest.mark.parametrize(
    ("key", "raw", "expected"),
    [
        ("alt", "1.200", True),  # 1.2 U/L against 10-120
        ("amylasa", "1.250", True),
        ("nt_probnp", "1.800", True),
        ("usg", "1.020", False),
        ("gluc", "95.000", False),
        ("alt", "1.20", False),
        ("alt", 1.2, False),
    ],
)
def test_a_point_that_may_separate_thousands(key: str, raw: Any, expected: bool) -> None:
    codes = [n.code for n in run({key: raw}).notices]
    assert ("thousands_point" in codes) is expected


def test_negative_is_told_where_it_cannot_be() -> None:
    assert only({"alb": -1}).code == "value_negative"
    assert only({"alb": "-0.1"}).code == "value_negative"
    assert told({"alb": 0, "exceso_base": -9, "anion_gap": -2}) == []


@pytest.mark.parametrize(
    ("key", "near"),
    [
        ("HCT", "hct"),
        (" hct ", "hct"),
        ("Hematocrito", "hct"),
        ("MCV", "vcm"),
        ("ALP", "fal"),
        ("glucosa", "gluc"),
        ("urea", "bun"),
        ("T4 total", "t4_total"),
        ("fenobarbitol", "fenobarbital"),
        ("Reticulocitos", "reti, reti_abs"),
        ("acidos biliares", "acidos_bil"),
        ("hco₃⁻", "hco3"),
    ],
)
def test_an_unknown_analyte_gets_the_nearest_key(key: str, near: str) -> None:
    notice = only({key: 5})
    assert notice.code == "analyte_near"
    assert f"¿Quiso decir «{near}»?" in notice.text


def test_an_analyte_like_no_other_is_only_named() -> None:
    assert only({"xyz": 5}).text == "El analito «xyz» no está en la tabla y no se ha juzgado."


def test_an_unknown_analyte_without_a_value_says_nothing() -> None:
    assert told({"xyz": None, "HCT": ""}) == []


def test_many_unknown_analytes_are_counted_in_the_end() -> None:
    notices = run({f"x{i:04}": 1 for i in range(1000)}).notices
    assert len(notices) == MAX_UNKNOWN_NAMED + 1
    assert notices[-1].code == "analytes_unknown_more"
    assert str(1000 - MAX_UNKNOWN_NAMED) in notices[-1].text


def test_the_order_of_the_input_does_not_show() -> None:
    valores = {"plt": "1,5", "zz": 1, "hct": "x", "aa": 1, "alb": -1}
    backwards = dict(reversed(valores.items()))
    assert run(valores).notices == run(backwards).notices
    assert [n.field for n in run(valores).notices] == [
        "valores.hct",
        "valores.plt",
        "valores.alb",
        "valores.aa",
        "valores.zz",
    ]


@pytest.mark.parametrize(
    ("species", "code", "words"),
    [
        (None, "species_missing", "canino, felino"),
        ("", "species_missing", "canino, felino"),
        ("Canino", "species_near", "¿Quiso decir «canino»?"),
        ("canino ", "species_near", "¿Quiso decir «canino»?"),
        ("perro", "species_near", "¿Quiso decir «canino»?"),
        ("Gata", "species_near", "¿Quiso decir «felino»?"),
        ("equino", "species_unknown", "«equino» no tiene rangos"),
        (5, "species_wrong_type", "canino, felino"),
        (["canino"], "species_wrong_type", "una lista"),
    ],
)
def test_without_a_known_species_the_engine_is_not_applied_and_says_so(
    species: object, code: str, words: str
) -> None:
    found = run({"hct": 5}, especie=species)
    assert (found.findings, found.patterns, found.ranges, found.applied) == ((), (), (), False)
    (notice,) = found.notices
    assert (notice.code, notice.level) == (code, "aviso")
    assert words in notice.text
    assert "no se ha aplicado" in notice.text


def test_doubtful_values_are_told_even_without_a_species() -> None:
    assert [n.code for n in run({"hct": "7,5"}, especie=None).notices] == [
        "species_missing",
        "decimal_comma_near",
    ]


@pytest.mark.parametrize(
    ("age", "level", "code", "category"),
    [
        (None, "nota", "age_missing", "adulto"),
        (" ", "nota", "age_missing", "adulto"),
        ("132", "aviso", "age_as_text", "geriatrico"),
        (" 6 ", "aviso", "age_as_text", "cachorro"),
        ("2 años", "aviso", "age_unreadable", "adulto"),  # never read as 2 months
        ("6,5", "aviso", "age_unreadable", "adulto"),
        ("seis", "aviso", "age_unreadable", "adulto"),
        (float("nan"), "aviso", "age_unreadable", "adulto"),
        (True, "aviso", "age_wrong_type", "adulto"),
        ([6], "aviso", "age_wrong_type", "adulto"),
        (-1, "aviso", "age_negative", "cachorro"),
        (361, "aviso", "age_implausible", "geriatrico"),
        (float("inf"), "aviso", "age_implausible", "geriatrico"),
        (10**400, "aviso", "age_implausible", "geriatrico"),
    ],
)
def test_a_doubtful_age_is_told_with_the_ranges_used(
    age: object, level: str, code: str, category: str
) -> None:
    found = run(edad_meses=age)
    (notice,) = found.notices
    assert (notice.level, notice.code, notice.field) == (level, code, "paciente.edad_meses")
    assert found.age_category == category
    assert notice.text.endswith(".")


@pytest.mark.parametrize("age", [0, 11.5, 60, 360])
def test_a_sound_age_is_not_told(age: float) -> None:
    assert told(edad_meses=age) == []


def test_cats_may_grow_older_than_dogs() -> None:
    assert told(especie="felino", edad_meses=480) == []
    assert told(especie="felino", edad_meses=481) == [("aviso", "age_implausible", "paciente.edad_meses")]


def test_breeds() -> None:
    assert told(raza="Galgo") == told(raza="") == told(raza="Mestizo") == []
    assert told(raza=5) == [("aviso", "breed_not_text", "paciente.raza")]
    assert told(raza="Maine Coon") == [("nota", "breed_of_other_species", "paciente.raza")]
    assert "«Greyhound» parece de otra especie (canino, grupo «lebreles»)" in (
        only(especie="felino", raza="Greyhound").text
    )


@pytest.mark.parametrize("given", [[], "x", 5, True])
def test_what_is_no_object_is_told(given: Any) -> None:
    assert [n.code for n in analyse({}, given).notices] == ["patient_not_object"]
    assert [n.code for n in analyse(given, ADULT).notices] == ["values_not_object"]


def test_nothing_at_all_is_an_answer() -> None:
    assert [n.code for n in analyse(None, None).notices] == ["species_missing"]


# What the engine leaves unsaid.


@pytest.mark.parametrize(
    ("valores", "missing"),
    [
        ({"creat": 2.5}, "BUN/Urea"),
        ({"bun": 40}, "Creatinina"),
        ({"alt": 300}, "AST (GOT)"),
        ({"cortisol_bas": 0.2}, "Cortisol post-ACTH"),
        ({"pt": 15}, "TTPa (aPTT)"),
        ({"aptt": 30}, "Tiempo de protrombina (TP)"),
    ],
)
def test_a_name_that_takes_an_unmeasured_analyte_for_normal(valores: dict[str, float], missing: str) -> None:
    notice = next(n for n in run(valores).notices if n.code == "assumed_normal")
    assert notice.level == "nota"
    assert f"da por normal {missing}, que no se ha medido" in notice.text


def test_a_measured_analyte_in_range_is_normal_indeed() -> None:
    assert told({"creat": 2.5, "bun": 20}) == []


@pytest.mark.parametrize(
    ("sodium", "potassium", "words"),
    [
        (120, 5, "es 24.0 (menor de 27)"),  # potassium in range
        (150, 7, "En rango: Sodio."),  # 21.4
        (146, 5.45, "En rango: Sodio, Potasio."),  # 26.8
    ],
)
def test_a_low_quotient_that_goes_unnamed(sodium: float, potassium: float, words: str) -> None:
    notice = next(
        n for n in run({"sodio": sodium, "potasio": potassium}).notices if n.code == "sodium_potassium_hidden"
    )
    assert words in notice.text


@pytest.mark.parametrize(("sodium", "potassium"), [(150, 4.5), (132, 7.4), (150, 0), (150, -1), (150, None)])
def test_no_quotient_to_tell(sodium: float, potassium: float | None) -> None:
    codes = [n.code for n in run({"sodio": sodium, "potasio": potassium}).notices]
    assert "sodium_potassium_hidden" not in codes


def test_severity_lent_by_the_opposite_direction() -> None:
    """Haematocrit high, red cells low: the anaemia takes its grade from the high haematocrit."""
    assert told({"hct": 60, "rbc": 3}) == [("nota", "severity_of_opposite", "valores.hct")]
    assert told({"hct": 30, "rbc": 9}) == [("nota", "severity_of_opposite", "valores.hct")]
    assert told({"hct": 30, "rbc": 3}) == []


def test_red_cells() -> None:
    assert told({"hct": 25, "vcm": 65}) == [("nota", "anaemia_normocytic", "valores.vcm")]
    assert told({"hct": 25, "vcm": 50}) == []
    assert told({"hgb": 20}) == [("nota", "haemoglobin_alone", "valores.hgb")]
    assert told({"hgb": 20, "hct": 60}) == []


def test_kidney() -> None:
    assert told({"creat": 1.6, "sdma": 24}) == [("nota", "iris_in_range", "valores.creat")]
    assert "estadio IRIS 2" in only({"creat": 1.6}).text
    assert told({"creat": 1.4}) == []
    assert told({"sdma": 24}) == [("nota", "iris_without_creatinine", "valores.creat")]
    assert told({"sdma": 100, "creat": 1.2}) == [("nota", "iris_one_step", "valores.sdma")]
    assert told({"creat": 3, "sdma": 50, "bun": 40}) == []


def test_percentage_and_absolute_count() -> None:
    """Neutrophils 60-77 %, 3.0-11.5 x10^3/µL."""
    assert told({"neutro": 50, "neutro_abs": 5}) == [("nota", "percentage_only", "valores.neutro_abs")]
    assert told({"neutro": 65, "neutro_abs": 1}) == [("nota", "count_only", "valores.neutro_abs")]
    assert told({"neutro": 50, "neutro_abs": 1}) == []
    assert told({"eosino": 15, "eosino_abs": 1}) == [("nota", "percentage_only", "valores.eosino_abs")]
    assert told({"linfo": 5, "linfo_abs": 0.5}) == []


def test_sentences_exist_in_english() -> None:
    messages.set_language("en")
    assert only({"hct": "47,5"}).text == (
        "Hematocrito (Hct): “47,5” was read as 47, because the comma cuts the number. "
        "If the value is 47.5, write it with a point."
    )


def test_hostile_text_is_shown_and_not_obeyed() -> None:
    text = " ".join(n.text for n in run({"hct": "\x1b[2J", "\u202ehct": 1}, raza="ok").notices)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "␛[2J" in text


def test_a_notice_as_json() -> None:
    assert only({"hct": "47,5"}).to_dict() == {
        "codigo": "decimal_comma_near",
        "nivel": "aviso",
        "campo": "valores.hct",
        "encontrado": "47,5",
        "leido": 47,
        "texto": "Hematocrito (Hct): «47,5» se ha leído como 47, porque la coma corta el número. "
        "Si el valor es 47.5, escríbalo con punto.",
    }
