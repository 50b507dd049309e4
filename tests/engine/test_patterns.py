"""Every pattern fires on the smallest input that makes it, and falls silent when one part is taken away."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from scoring.engine import Analysis, analyse
from scoring.engine.rules import parse_rule, rules
from scoring.tables import analytes, table

DOG, CAT = "canino", "felino"

# Values of an adult dog well out of range, high and low (ranges: casos/valores_referencia.json).
HIGH: dict[str, float] = {key: a.high + 0.2 * (a.high - a.low) for key, a in analytes(DOG).items()}
LOW: dict[str, float] = {key: a.low - 0.2 * (a.high - a.low) for key, a in analytes(DOG).items()}


def values(marks: str) -> dict[str, float]:
    """``"wbc+ neutro-"`` -> a high and a low value."""
    return {m[:-1]: (HIGH if m[-1] == "+" else LOW)[m[:-1]] for m in marks.split()}


def run(valores: dict[str, Any], species: str = DOG) -> Analysis:
    return analyse(valores, {"especie": species, "edad_meses": 60})


def keys(valores: dict[str, Any], species: str = DOG) -> list[str]:
    return [pattern.clave for pattern in run(valores, species).patterns]


# Pattern, what fires it alone, the parameters it names.
FIRES = [
    ("anemia", "hct-", "hct"),
    ("anemia", "hgb-", "hgb"),
    ("anemia", "rbc-", "rbc"),
    ("anemia", "hct- hgb- rbc- vcm-", "hct hgb rbc vcm"),
    ("eritrocitosis", "hct+", "hct"),
    ("eritrocitosis", "rbc+", "rbc"),
    ("eritrocitosis", "hct+ rbc+ hgb+", "hct rbc hgb"),
    ("leucocitosis_neutrofilica", "wbc+ neutro+", "wbc neutro"),
    ("leucocitosis_linfocitica", "wbc+ linfo+", "wbc linfo"),
    ("leucocitosis", "wbc+", "wbc"),
    ("leucopenia", "wbc-", "wbc"),
    ("neutropenia", "neutro-", "neutro"),
    ("linfopenia", "linfo-", "linfo"),
    ("eosinofilia", "eosino+", "eosino"),
    ("trombocitopenia", "plt-", "plt"),
    ("trombocitosis", "plt+", "plt"),
    ("dano_hepatocelular", "alt+ ast+", "alt ast"),
    ("alt_aislada", "alt+", "alt"),
    ("patron_colestasico", "fal+", "fal"),
    ("hiperbilirrubinemia", "bili+", "bili"),
    ("hiperuremia_bun", "bun+", "bun"),
    ("bun_disminuido", "bun-", "bun"),
    ("hiperglucemia", "gluc+", "gluc"),
    ("hipoglucemia", "gluc-", "gluc"),
    ("hiperproteinemia", "prot+", "prot"),
    ("hipoproteinemia_hipoalbuminemia", "alb- prot-", "alb prot"),
    ("hipoalbuminemia", "alb-", "alb"),
    ("hipernatremia", "sodio+", "sodio"),
    ("hiponatremia", "sodio-", "sodio"),
    ("hipercalcemia", "calc+", "calc"),
    ("hipocalcemia", "calc-", "calc"),
    ("hipopotasemia", "potasio-", "potasio"),
    ("hiperpotasemia", "potasio+", "potasio"),
    ("hiperfosforemia", "fosf+", "fosf"),
    ("hipotiroidismo", "t4_total-", "t4_total"),
    ("hipertiroidismo", "t4_total+", "t4_total"),
    ("hiperadrenocorticismo", "cortisol_acth+", "cortisol_acth"),
    ("hiperadrenocorticismo", "cortisol_acth+ cortisol_bas+", "cortisol_acth cortisol_bas"),
    ("hipoadrenocorticismo_cortisol", "cortisol_acth-", "cortisol_acth"),
    ("hipoadrenocorticismo_cortisol", "cortisol_acth- cortisol_bas-", "cortisol_acth cortisol_bas"),
    ("cortisol_basal_bajo", "cortisol_bas-", "cortisol_bas"),
    ("pancreatitis", "pli+", "pli"),
    ("pancreatitis", "pli+ lipasa+ amylasa-", "pli lipasa amylasa"),
    ("hiperamylasemia", "amylasa+", "amylasa"),
    ("tsh_elevado", "tsh+", "tsh"),
    ("tsh_suprimido", "tsh-", "tsh"),
    ("t4_libre_baja", "t4_libre-", "t4_libre"),
    ("dano_miocardico", "ctni+", "ctni"),
    ("cardiopatia_bnp", "nt_probnp+", "nt_probnp"),
    ("inflamacion_aguda", "crp+", "crp"),
    ("inflamacion_aguda", "saa+", "saa"),
    ("inflamacion_aguda", "crp+ saa+", "crp saa"),
    ("progesterona_elevada", "progesterona+", "progesterona"),
    ("hipomagnesemia", "magnesio-", "magnesio"),
    ("hipermagnesemia", "magnesio+", "magnesio"),
    ("ferropenia_hierro", "hierro-", "hierro"),
    ("ac_urico_elevado", "ac_urico+", "ac_urico"),
    ("ldh_elevada", "ldh+", "ldh"),
    ("fenobarbital_subterapeutico", "fenobarbital-", "fenobarbital"),
    ("fenobarbital_toxico", "fenobarbital+", "fenobarbital"),
    ("ciclosporina_subterapeutica", "ciclosporina-", "ciclosporina"),
    ("ciclosporina_toxica", "ciclosporina+", "ciclosporina"),
    ("coagulopatia_extrinseca", "pt+", "pt"),
    ("coagulopatia_extrinseca", "pt+ aptt-", "pt"),
    ("coagulopatia_intrinseca", "aptt+", "aptt"),
    ("coagulopatia_mixta", "pt+ aptt+", "pt aptt"),
    ("coagulopatia_mixta", "pt+ aptt+ act-", "pt aptt act"),
    ("cid", "ddimeros+ fibrinogeno-", "ddimeros fibrinogeno"),
    ("cid", "fdp+ fibrinogeno-", "fdp fibrinogeno"),
    ("hiperfibrinogenemia", "fibrinogeno+", "fibrinogeno"),
    ("hipofibrinogenemia", "fibrinogeno-", "fibrinogeno"),
    ("deficit_vwf", "vwf-", "vwf"),
    ("antitrombina_baja", "antitrombina-", "antitrombina"),
    ("hematuria_uri", "rbc_uri+", "rbc_uri"),
    ("piuria", "wbc_uri+", "wbc_uri"),
    ("proteinuria_upc", "upc+", "upc"),
    ("acidosis_respiratoria+acidosis_metabolica", "ph_sangre- pco2+ hco3-", "ph_sangre pco2 hco3"),
    (
        "acidosis_respiratoria+acidosis_metabolica",
        "ph_sangre- pco2+ exceso_base-",
        "ph_sangre pco2 exceso_base",
    ),
    ("acidosis_respiratoria", "ph_sangre- pco2+", "ph_sangre pco2"),
    ("acidosis_metabolica", "ph_sangre- hco3-", "ph_sangre hco3"),
    ("acidosis_metabolica", "ph_sangre- exceso_base-", "ph_sangre exceso_base"),
    ("alcalosis_respiratoria+alcalosis_metabolica", "ph_sangre+ pco2- hco3+", "ph_sangre pco2 hco3"),
    ("alcalosis_respiratoria", "ph_sangre+ pco2-", "ph_sangre pco2"),
    ("alcalosis_metabolica", "ph_sangre+ hco3+", "ph_sangre hco3"),
    ("alcalosis_metabolica", "ph_sangre+ exceso_base+", "ph_sangre exceso_base"),
    ("hipoxemia", "po2-", "po2"),
    ("hiperlactatemia", "lactato+", "lactato"),
    ("ca_ionizado_bajo", "ca_ion-", "ca_ion"),
    ("ca_ionizado_alto", "ca_ion+", "ca_ion"),
    ("anion_gap_elevado", "anion_gap+", "anion_gap"),
]


@pytest.mark.parametrize(("pattern", "marks", "parameters"), FIRES)
def test_a_pattern_fires_and_names_its_parameters(pattern: str, marks: str, parameters: str) -> None:
    found = next((p for p in run(values(marks)).patterns if p.clave == pattern), None)
    assert found is not None
    assert found.parametros == tuple(parameters.split())


@pytest.mark.parametrize(("pattern", "marks"), [(p, m) for p, m, _ in FIRES if len(m.split()) == 1])
def test_a_pattern_of_one_value_is_silent_on_the_other_side(pattern: str, marks: str) -> None:
    opposite = marks[:-1] + ("-" if marks[-1] == "+" else "+")
    assert pattern not in keys(values(opposite))
    assert pattern not in keys({})


# What silences a pattern, or makes another of it.
NOT = [
    ("eritrocitosis", "hgb+"),
    ("leucocitosis_neutrofilica", "wbc+ neutro-"),
    ("leucocitosis_neutrofilica", "neutro+"),
    ("leucocitosis_linfocitica", "wbc+ linfo-"),
    ("leucocitosis", "wbc+ neutro+"),
    ("leucocitosis", "wbc+ linfo+"),
    ("neutropenia", "neutro_abs-"),  # the percentage counts, never the absolute number
    ("linfopenia", "linfo_abs-"),
    ("eosinofilia", "eosino_abs+"),
    ("dano_hepatocelular", "alt+ ast-"),
    ("dano_hepatocelular", "ast+"),
    ("alt_aislada", "alt+ ast+"),
    ("azotemia", "bun+ creat-"),
    ("azotemia", "bun- creat+"),
    ("hiperuremia_bun", "bun+ creat+"),
    ("creatinina_aislada", "bun+ creat+"),
    ("hipoproteinemia_hipoalbuminemia", "prot-"),
    ("hipoproteinemia_hipoalbuminemia", "alb- prot+"),
    ("hipoalbuminemia", "alb- prot-"),
    ("cortisol_basal_bajo", "cortisol_bas- cortisol_acth+"),
    ("cortisol_basal_bajo", "cortisol_bas- cortisol_acth-"),
    ("deficit_insulina", "insulina-"),
    ("deficit_insulina", "insulina+ gluc+"),
    ("deficit_insulina", "insulina- gluc-"),
    ("hiperamylasemia", "amylasa+ pli+"),
    ("t4_libre_baja", "t4_libre- tsh+"),
    ("t4_libre_baja", "t4_libre- tsh-"),
    ("coagulopatia_extrinseca", "pt+ aptt+"),
    ("coagulopatia_intrinseca", "pt+ aptt+"),
    ("coagulopatia_mixta", "pt+ aptt-"),
    ("cid", "ddimeros+ fibrinogeno+"),
    ("cid", "fibrinogeno- plt-"),
    ("hiperfibrinogenemia", "fibrinogeno+ ddimeros+"),
    ("hiperfibrinogenemia", "fibrinogeno+ fdp+"),
    ("hipofibrinogenemia", "fibrinogeno- ddimeros+"),
    ("hipofibrinogenemia", "fibrinogeno- fdp+"),
    ("acidosis_respiratoria", "ph_sangre- pco2+ hco3-"),
    ("acidosis_respiratoria", "ph_sangre- pco2-"),
    ("acidosis_metabolica", "ph_sangre- pco2+ hco3-"),
    ("acidosis_metabolica", "ph_sangre- hco3+"),
    ("alcalosis_respiratoria", "ph_sangre+ pco2+"),
    ("alcalosis_respiratoria", "ph_sangre+ pco2- hco3+"),
    ("alcalosis_metabolica", "ph_sangre+ pco2- hco3+"),
    ("hipoxemia", "so2-"),
]


@pytest.mark.parametrize(("pattern", "marks"), NOT)
def test_a_pattern_is_silent(pattern: str, marks: str) -> None:
    assert pattern not in keys(values(marks))


def test_every_pattern_of_the_table_is_seen_firing() -> None:
    elsewhere = {
        "azotemia",
        "creatinina_aislada",
        "erc_iris",
        "ratio_nak",
        "hiposthenuria",
        "isosthenuria",
        "deficit_insulina",
    }
    assert {pattern for pattern, _, _ in FIRES} | elsewhere == {rule.key for rule in rules()}
    assert len(rules()) == 81


def test_azotaemia_and_its_parts() -> None:
    """BUN 45 (0.81 widths: moderado), creatinine 2.1 (below the cut of 2.8: leve): creatinine decides."""
    azotaemia = run({"bun": 45, "creat": 2.1}).patterns[0]
    assert (azotaemia.clave, azotaemia.gravedad) == ("azotemia", "leve")
    assert azotaemia.parametros == ("bun", "creat")
    assert keys({"creat": 2.1}) == ["creatinina_aislada", "erc_iris"]
    assert keys({"creat": 2.1, "bun": 3}) == ["creatinina_aislada", "erc_iris", "bun_disminuido"]


def test_two_leucocytoses_may_come_together() -> None:
    assert keys(values("wbc+ neutro+ linfo+")) == ["leucocitosis_neutrofilica", "leucocitosis_linfocitica"]


def test_insulin_deficit_is_always_moderate() -> None:
    """Glucose 900 is grave by itself; the deficit stays moderado."""
    found = {p.clave: p.gravedad for p in run({"insulina": 1, "gluc": 900}).patterns}
    assert found == {"hiperglucemia": "grave", "deficit_insulina": "moderado"}


def test_low_basal_cortisol_is_always_moderate_even_beside_a_normal_stimulation() -> None:
    found = run({"cortisol_bas": -9, "cortisol_acth": 10}).patterns
    assert [(p.clave, p.gravedad) for p in found] == [("cortisol_basal_bajo", "moderado")]


def test_dic_is_always_grave() -> None:
    """Fibrinogen 149 (150-400) and D-dimers 251 (0-250) are both leve."""
    found = run({"ddimeros": 251, "fibrinogeno": 149})
    assert {f.gravedad for f in found.findings} == {"leve"}
    assert [(p.clave, p.gravedad) for p in found.patterns] == [("cid", "grave")]


def test_mixed_acid_base_disorders_are_always_grave() -> None:
    """pH 7.34 and 7.46, pCO2 46 and 34, bicarbonate 17 and 25: each one leve."""
    for valores in (
        {"ph_sangre": 7.34, "pco2": 46, "hco3": 17},
        {"ph_sangre": 7.46, "pco2": 34, "hco3": 25},
    ):
        found = run(valores)
        assert {f.gravedad for f in found.findings} == {"leve"}
        assert [p.gravedad for p in found.patterns] == ["grave"]


def test_acid_base_needs_the_blood_ph() -> None:
    assert keys({"pco2": 60, "hco3": 10}) == []
    assert keys({"ph_sangre": 7.4, "pco2": 60, "hco3": 10}) == []
    assert keys({"ph_sangre": 7.2}) == []


def test_metabolic_acidosis_names_the_anion_gap() -> None:
    found = run({"ph_sangre": 7.2, "hco3": 10, "anion_gap": 30, "lactato": 9}).patterns
    assert [(p.clave, p.parametros) for p in found] == [
        ("acidosis_metabolica", ("ph_sangre", "hco3", "anion_gap")),
        ("hiperlactatemia", ("lactato",)),
        ("anion_gap_elevado", ("anion_gap", "lactato")),
    ]


@pytest.mark.parametrize(
    ("volume", "name"),
    [(50, "Anemia microcítica"), (80, "Anemia macrocítica"), (65, "Anemia"), (None, "Anemia")],
)
def test_anaemia_is_named_by_mcv_only_when_it_is_out_of_range(volume: float | None, name: str) -> None:
    found = run({"hct": 25, "vcm": volume}).patterns[0]
    assert found.nombre == name


def test_severity_is_lent_by_the_first_finding_whatever_its_direction() -> None:
    """Haematocrit 60 (high, 5/18 widths: leve) goes before red cells 3 (low, 2.5/3: moderado)."""
    found = run({"hct": 60, "rbc": 3}).patterns
    assert [(p.clave, p.gravedad) for p in found] == [("anemia", "leve"), ("eritrocitosis", "leve")]


# Sodium 145-158, potassium 4.1-5.5 mEq/L of the dog; quotients worked out by hand.
@pytest.mark.parametrize(
    ("sodium", "potassium", "severity"),
    [
        (140, 3, None),  # 46.7
        (135, 5.6, "leve"),  # 24.1
        (134.4, 5.6, "leve"),  # exactly 24
        (134.3, 5.6, "moderado"),  # 23.98
        (120, 6, "moderado"),  # exactly 20
        (119.9, 6, "grave"),  # 19.98
        (162, 6, None),  # exactly 27
        (161.9, 6, "leve"),  # 26.98
        (120, 5, None),  # 24, potassium in range
        (150, 7, None),  # 21.4, sodium in range
        (140, 0, None),
        (140, -1, None),
    ],
)
def test_sodium_potassium_quotient(sodium: float, potassium: float, severity: str | None) -> None:
    found = {p.clave: p for p in run({"sodio": sodium, "potasio": potassium}).patterns}
    if severity is None:
        assert "ratio_nak" not in found
    else:
        assert found["ratio_nak"].gravedad == severity
        assert found["ratio_nak"].parametros == ("sodio", "potasio")


def test_the_quotient_is_told_to_one_decimal() -> None:
    """132 / 7.4 = 17.837..."""
    for species in (DOG, CAT):
        found = next(
            p for p in run({"sodio": 132, "potasio": 7.4}, species).patterns if p.clave == "ratio_nak"
        )
        assert "Na:K de 17.8 (" in found.explicacion


@pytest.mark.parametrize(
    ("usg", "pattern", "severity"),
    [
        (1.0049, "hiposthenuria", "grave"),
        (1.005, "hiposthenuria", "moderado"),
        (1.0069, "hiposthenuria", "moderado"),
        (1.007, "isosthenuria", "leve"),
        (1.0129, "isosthenuria", "leve"),
        (1.013, None, None),
        (1.1, None, None),
        (1.101, None, None),  # a finding without a pattern
    ],
)
def test_urine_density(usg: float, pattern: str | None, severity: str | None) -> None:
    found = [(p.clave, p.gravedad) for p in run({"usg": usg}).patterns]
    assert found == ([] if pattern is None else [(pattern, severity)])


def test_low_t4_is_hypothyroidism_in_the_dog_only() -> None:
    assert keys({"t4_total": 10}, DOG) == ["hipotiroidismo"]
    assert keys({"t4_total": 10}, CAT) == []
    assert keys({"t4_total": 90}, DOG) == keys({"t4_total": 90}, CAT) == ["hipertiroidismo"]


def test_patterns_come_in_table_order_whatever_the_input_order() -> None:
    valores = {key: HIGH[key] for key in analytes(DOG)}
    backwards = dict(reversed(valores.items()))
    order = [rule.key for rule in rules()]
    found = keys(valores)
    assert found == keys(backwards)
    assert found == sorted(found, key=order.index)
    assert [f.clave for f in run(backwards).findings] == list(analytes(DOG))


@pytest.mark.parametrize(
    ("valores", "pattern", "words"),
    [
        ({"hct": 20, "vcm": 50}, "anemia", "pequeños"),
        ({"hct": 20, "vcm": 80}, "anemia", "grandes"),
        ({"calc": 14, "fosf": 1}, "hipercalcemia", "hiperparatiroidismo primario"),
        ({"calc": 14, "fosf": 9}, "hipercalcemia", "vitamina D"),
    ],
)
def test_the_explanation_follows_the_findings(valores: dict[str, float], pattern: str, words: str) -> None:
    found = next(p for p in run(valores).patterns if p.clave == pattern)
    assert words in found.explicacion


@pytest.mark.parametrize(
    "pattern",
    [
        "patron_colestasico",
        "hiperglucemia",
        "pancreatitis",
        "hipertiroidismo",
        "tsh_elevado",
        "t4_libre_baja",
        "hiperadrenocorticismo",
        "cardiopatia_bnp",
        "inflamacion_aguda",
        "progesterona_elevada",
    ],
)
def test_the_explanation_follows_the_species(pattern: str) -> None:
    marks = next(m for p, m, _ in FIRES if p == pattern)
    said = set()
    for species in (DOG, CAT):
        own = analytes(species)
        valores = {
            m[:-1]: (own[m[:-1]].high * 1.3 if m[-1] == "+" else own[m[:-1]].low * 0.5) for m in marks.split()
        }
        said.add(next(p for p in run(valores, species).patterns if p.clave == pattern).explicacion)
    assert len(said) == 2


def test_every_explanation_is_a_short_sentence_for_both_species() -> None:
    for rule in rules():
        for species in rule.species:
            fitting = [v for v in rule.variants if v.species in {None, species} and v.when is None]
            assert fitting, (rule.key, species)
        for variant in rule.variants:
            assert variant.text[0].isalpha(), rule.key
            assert variant.text.endswith("."), rule.key
            assert len(variant.text) <= 200, (rule.key, len(variant.text))
            assert variant.text.replace("{cociente}", "").isprintable(), rule.key
            assert "{" not in variant.text.replace("{cociente}", ""), rule.key


def row(key: str) -> dict[str, Any]:
    return copy.deepcopy(next(r for r in table("patrones.json")["patrones"] if r["clave"] == key))


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("anemia", {"alguno": ["hematocrito-"]}),
        ("anemia", {"gravedad": "gravísima"}),
        ("anemia", {"gravedad": "cortes"}),  # without a measure
        ("anemia", {"parametros": ["hct", "xyz"]}),
        ("anemia", {"especies": ["equino"]}),
        ("anemia", {"supone_no_alterado": ["BUN"]}),
        ("erc_iris", {"regla": "kdigo"}),
        ("ratio_nak", {"medida": {"de": [], "menor_que": 1, "gravedad": [["leve", None]]}}),
        ("ratio_nak", {"medida": {"de": ["sodio"], "menor_que": 1, "gravedad": [["leve", 3]]}}),
        ("ratio_nak", {"medida": {"de": ["sodio"], "gravedad": [["leve", None]]}}),
    ],
)
def test_a_row_outside_the_notation_is_refused_by_name(key: str, change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"patrones.json, {key}: "):
        parse_rule(row(key) | change)
