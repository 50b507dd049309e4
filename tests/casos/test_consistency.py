"""The values of each case fit one another, as those of one sample from one animal do.

Each check names its formula and tolerance. The tolerances cover the rounding of an analyser's report
(half a unit of the last printed digit, carried through the formula) and, where nature itself varies,
the range that is seen in dogs and cats.
"""

from __future__ import annotations

import json
import math
from importlib import resources
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (resources.files("casos") / "casos.jsonl").read_text(encoding="utf-8").splitlines()
]


def having(*keys: str) -> list[Any]:
    """The cases that measured all of ``keys``, as test parameters; there must be some."""
    chosen = [case for case in CASES if set(keys) <= set(case["valores"])]
    assert chosen, keys
    return [pytest.param(case["valores"], id=case["id"]) for case in chosen]


@pytest.mark.parametrize("v", having("hgb", "hct"))
def test_haematocrit_is_about_three_times_the_haemoglobin(v: dict[str, float]) -> None:
    # The table's MCHC is 34 to 38 in dogs and 33 to 37 in cats: a ratio of 2.6 to 3.0; hypochromia raises it.
    assert 2.6 <= v["hct"] / v["hgb"] <= 3.5


@pytest.mark.parametrize("v", having("rbc", "hct", "vcm"))
def test_mean_cell_volume_is_haematocrit_over_red_cells(v: dict[str, float]) -> None:
    assert v["vcm"] == pytest.approx(v["hct"] * 10 / v["rbc"], rel=0.01)


@pytest.mark.parametrize("v", having("rbc", "hct"))
def test_red_cells_and_haematocrit_imply_a_possible_cell_volume(v: dict[str, float]) -> None:
    # From a microcytic cat to a dog full of reticulocytes.
    assert 38 <= v["hct"] * 10 / v["rbc"] <= 80


@pytest.mark.parametrize("v", having("rbc", "hgb", "hcm"))
def test_mean_cell_haemoglobin_is_haemoglobin_over_red_cells(v: dict[str, float]) -> None:
    assert v["hcm"] == pytest.approx(v["hgb"] * 10 / v["rbc"], rel=0.01)


@pytest.mark.parametrize("v", having("hgb", "hct", "chcm"))
def test_mean_cell_haemoglobin_concentration_is_haemoglobin_over_haematocrit(v: dict[str, float]) -> None:
    assert v["chcm"] == pytest.approx(v["hgb"] * 100 / v["hct"], rel=0.01)


@pytest.mark.parametrize("v", having("rbc", "reti", "reti_abs"))
def test_absolute_reticulocytes_are_their_percentage_of_the_red_cells(v: dict[str, float]) -> None:
    # % of 10^6/uL in 10^3/uL: reti / 100 x rbc x 1000. The percentage is printed with one decimal.
    assert v["reti_abs"] == pytest.approx(v["reti"] * v["rbc"] * 10, rel=0.01, abs=0.05 * v["rbc"] * 10)


DIFFERENTIAL = ("neutro", "linfo", "mono", "eosino", "baso")


@pytest.mark.parametrize("v", having("wbc", *DIFFERENTIAL))
def test_the_differential_adds_up_to_a_hundred_percent(v: dict[str, float]) -> None:
    assert sum(v[key] for key in DIFFERENTIAL) == 100


def counted_cells() -> Iterator[Any]:
    for case in CASES:
        v = case["valores"]
        for key in DIFFERENTIAL:
            if key in v and f"{key}_abs" in v and "wbc" in v:
                yield pytest.param(v["wbc"], v[key], v[f"{key}_abs"], id=f"{case['id']}-{key}")


@pytest.mark.parametrize(("wbc", "percent", "absolute"), counted_cells())
def test_each_absolute_count_is_its_percentage_of_the_leucocytes(
    wbc: float, percent: float, absolute: float
) -> None:
    assert absolute == pytest.approx(wbc * percent / 100, abs=0.006)


@pytest.mark.parametrize("v", having("wbc", "neutro_abs"))
def test_the_absolute_counts_never_exceed_the_leucocytes(v: dict[str, float]) -> None:
    total = sum(v.get(f"{key}_abs", 0) for key in DIFFERENTIAL)
    assert total <= v["wbc"] + 0.05


@pytest.mark.parametrize("v", having("plt", "mpv", "pct"))
def test_plateletcrit_is_platelets_times_their_volume(v: dict[str, float]) -> None:
    assert v["pct"] == pytest.approx(v["plt"] * v["mpv"] / 10_000, abs=0.005)


@pytest.mark.parametrize("v", having("prot", "alb", "glob"))
def test_total_protein_is_albumin_plus_globulins(v: dict[str, float]) -> None:
    assert v["prot"] == pytest.approx(v["alb"] + v["glob"], abs=0.05)


@pytest.mark.parametrize("v", having("bili", "bili_dir"))
def test_direct_bilirubin_is_part_of_the_total(v: dict[str, float]) -> None:
    assert 0 <= v["bili_dir"] <= v["bili"]


@pytest.mark.parametrize("v", having("anion_gap", "sodio", "potasio", "cloro", "hco3"))
def test_the_anion_gap_is_what_the_electrolytes_leave(v: dict[str, float]) -> None:
    assert v["anion_gap"] == pytest.approx(v["sodio"] + v["potasio"] - v["cloro"] - v["hco3"], abs=0.1)


@pytest.mark.parametrize("v", having("ph_sangre", "pco2", "hco3"))
def test_ph_carbon_dioxide_and_bicarbonate_obey_henderson_and_hasselbalch(v: dict[str, float]) -> None:
    # pH = 6.1 + log10(HCO3 / (0.0307 x pCO2)); one decimal of bicarbonate near 7 moves the pH by 0.003.
    assert v["ph_sangre"] == pytest.approx(6.1 + math.log10(v["hco3"] / (0.0307 * v["pco2"])), abs=0.01)


@pytest.mark.parametrize("v", having("ph_sangre", "hco3", "exceso_base"))
def test_base_excess_follows_from_ph_and_bicarbonate(v: dict[str, float]) -> None:
    # Standard base excess, Van Slyke form of Siggaard-Andersen: 0.93 (HCO3 - 24.4 + 14.8 (pH - 7.4)).
    expected = 0.93 * (v["hco3"] - 24.4 + 14.8 * (v["ph_sangre"] - 7.4))
    assert v["exceso_base"] == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize("v", having("hco3", "tco2", "pco2"))
def test_total_carbon_dioxide_is_bicarbonate_plus_what_is_dissolved(v: dict[str, float]) -> None:
    assert v["tco2"] == pytest.approx(v["hco3"] + 0.0307 * v["pco2"], abs=0.1)


@pytest.mark.parametrize("v", having("po2", "so2"))
def test_saturation_follows_the_dissociation_curve(v: dict[str, float]) -> None:
    # Hill, n = 2.7; P50 from 28 mmHg (dog) to 36 mmHg (cat, or an acidotic dog).
    low, high = (100 * v["po2"] ** 2.7 / (v["po2"] ** 2.7 + p50**2.7) for p50 in (36, 28))
    assert low - 1 <= v["so2"] <= high + 1


@pytest.mark.parametrize("v", having("calc", "ca_ion"))
def test_ionised_calcium_is_a_plausible_part_of_the_total(v: dict[str, float]) -> None:
    # 4.008 mg/dL of calcium are 1 mmol/L; about half is ionised, more when albumin is low.
    assert 0.40 <= v["ca_ion"] / (v["calc"] / 4.008) <= 0.62


@pytest.mark.parametrize("v", having("cortisol_bas", "cortisol_acth"))
def test_cortisol_after_acth_is_not_below_the_basal_one(v: dict[str, float]) -> None:
    assert v["cortisol_acth"] >= v["cortisol_bas"]


@pytest.mark.parametrize("v", having("gluc", "fruc"))
def test_fructosamine_agrees_with_glucose_or_the_thyroid_explains_it(v: dict[str, float]) -> None:
    # Two to three weeks of glucose: high together in diabetes, low together in insulinoma. In
    # hypothyroidism slow protein turnover raises it alone.
    if v["gluc"] > 300:
        assert v["fruc"] > 400
    elif v["gluc"] < 65:
        assert v["fruc"] < 225
    else:
        assert v["t4_total"] < 19


def test_no_value_is_negative_but_the_base_excess() -> None:
    for case in CASES:
        negative = {key for key, value in case["valores"].items() if value < 0}
        assert negative <= {"exceso_base"}, case["id"]
