"""The range of one patient: every row of the age and breed tables, with the products worked out by hand."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from scoring.engine import analyse
from scoring.engine.ranges import adjusted_ranges, age_table, breed_groups, matching_groups
from scoring.tables import ANALYTE_KEYS, SPECIES, analytes


def limits(
    species: str, key: str, *, age: float | None = 40, breed: str | None = None
) -> tuple[float, float]:
    found = adjusted_ranges(species, age, breed)[key]
    return found.low, found.high


@pytest.mark.parametrize(
    ("species", "months", "category"),
    [
        ("canino", None, "adulto"),
        ("canino", -1, "cachorro"),
        ("canino", 0, "cachorro"),
        ("canino", 11.999, "cachorro"),
        ("canino", 12, "adulto"),
        ("canino", 83.999, "adulto"),
        ("canino", 84, "senior"),
        ("canino", 119, "senior"),
        ("canino", 120, "geriatrico"),
        ("canino", 10**400, "geriatrico"),
        ("canino", math.inf, "geriatrico"),
        ("canino", -math.inf, "cachorro"),
        ("felino", None, "adulto"),
        ("felino", 11, "cachorro"),
        ("felino", 12, "adulto"),
        ("felino", 84, "adulto"),
        ("felino", 119.5, "adulto"),
        ("felino", 120, "senior"),
        ("felino", 240, "senior"),
    ],
)
def test_an_age_at_a_limit_belongs_to_the_next_category(
    species: str, months: float | None, category: str
) -> None:
    assert age_table(species).of(months).name == category


# Upper limits after the age factor; the figures are limit x factor done on paper.
@pytest.mark.parametrize(
    ("species", "age", "key", "high"),
    [
        ("canino", 3, "fal", 840.0),  # 280 x 3
        ("canino", 3, "wbc", 21.25),  # 17 x 1.25
        ("canino", 3, "fosf", 10.98),  # 6.1 x 1.8
        ("canino", 90, "bun", 32.2),  # 28 x 1.15
        ("canino", 90, "creat", 1.955),  # 1.7 x 1.15
        ("canino", 90, "fal", 280.0),
        ("canino", 150, "bun", 35.0),  # 28 x 1.25
        ("canino", 150, "creat", 2.125),  # 1.7 x 1.25
        ("canino", 150, "fal", 392.0),  # 280 x 1.4
        ("felino", 3, "fal", 270.0),  # 90 x 3
        ("felino", 3, "wbc", 23.4),  # 19.5 x 1.2
        ("felino", 3, "fosf", 10.14),  # 7.8 x 1.3
        ("felino", 150, "bun", 38.4),  # 32 x 1.2
        ("felino", 150, "creat", 2.52),  # 2.1 x 1.2
    ],
)
def test_age_moves_upper_limits_only(species: str, age: int, key: str, high: float) -> None:
    found = limits(species, key, age=age)
    assert found[1] == pytest.approx(high, rel=1e-15)
    assert found[0] == analytes(species)[key].low


def test_age_moves_nothing_else() -> None:
    moved = {
        ("canino", 3): {"fal", "wbc", "fosf"},
        ("canino", 40): set(),
        ("canino", 90): {"bun", "creat"},
        ("canino", 150): {"bun", "creat", "fal"},
        ("felino", 3): {"fal", "wbc", "fosf"},
        ("felino", 90): set(),
        ("felino", 150): {"bun", "creat"},
    }
    for (species, age), keys in moved.items():
        found = adjusted_ranges(species, age, None)
        changed = {k for k, r in found.items() if (r.low, r.high) != (r.analyte.low, r.analyte.high)}
        assert changed == keys, (species, age)


@pytest.mark.parametrize(
    ("breed", "key", "low", "high"),
    [
        ("Galgo español", "rbc", 6.325, 9.775),  # 5.5 and 8.5 x 1.15
        ("greyhound", "hgb", 13.44, 20.16),  # 12 and 18 x 1.12
        ("Whippet", "hct", 41.44, 61.6),  # 37 and 55 x 1.12
        ("Lebrel irlandés", "plt", 150.0, 375.0),  # 200 and 500 x 0.75
        ("Afgano", "t4_total", 9.5, 46.4),  # 19 x 0.5 and 58 x 0.8
        ("Afghan hound", "t4_libre", 4.5, 29.6),  # 9 x 0.5 and 37 x 0.8
        ("Saluki", "creat", 0.9, 1.955),  # upper limit only, 1.7 x 1.15
        ("sloughi", "creat", 0.9, 1.955),
        ("Shiba Inu", "vcm", 51.0, 66.24),  # 60 x 0.85 and 72 x 0.92
        ("Akita", "vcm", 51.0, 66.24),
        ("Jindo", "vcm", 51.0, 66.24),
        ("Chow chow", "vcm", 51.0, 66.24),
        ("Shar Pei", "vcm", 51.0, 66.24),
        ("shar-pei", "vcm", 51.0, 66.24),
        ("sharpei", "vcm", 51.0, 66.24),
        ("Chowder", "vcm", 51.0, 66.24),  # a word counts wherever it stands
        ("Shiba", "plt", 150.0, 450.0),  # 200 x 0.75 and 500 x 0.9
        ("Akita", "plt", 200.0, 500.0),
        ("Cruce de SHIBA y galgo", "plt", 112.5, 337.5),  # 200 x 0.5625 and 500 x 0.675
    ],
)
def test_breeds_of_dogs(breed: str, key: str, low: float, high: float) -> None:
    assert limits("canino", key, breed=breed) == pytest.approx((low, high), rel=1e-15)


@pytest.mark.parametrize(
    ("breed", "key", "low", "high"),
    [
        ("Maine Coon", "hct", 27.6, 45.0),  # 24 x 1.15, lower limit only
        ("maine", "hgb", 9.2, 15.0),  # 8 x 1.15
        ("Birmano", "creat", 0.9, 2.52),  # 2.1 x 1.2, upper limit only
        ("Birmania", "creat", 0.9, 2.52),
        ("Sagrado de Birmania", "creat", 0.9, 2.52),
        ("Greyhound", "hct", 24.0, 45.0),  # a dog's word on a cat
    ],
)
def test_breeds_of_cats(breed: str, key: str, low: float, high: float) -> None:
    assert limits("felino", key, breed=breed) == pytest.approx((low, high), rel=1e-15)


@pytest.mark.parametrize("breed", [None, "", "   ", "Mestizo", "Pastor alemán", "Gálgo", "Maine Coon"])
def test_other_breeds_move_nothing(breed: str | None) -> None:
    """An accent makes another word; a cat's group does not apply to a dog."""
    found = adjusted_ranges("canino", 40, breed)
    assert all((r.low, r.high) == (r.analyte.low, r.analyte.high) and r.moves == () for r in found.values())


def test_age_and_breed_multiply_in_this_order() -> None:
    """Geriatric greyhound: (1.7 x 1.25) x 1.15 is 2.4437499999999996; in another order it is 2.44375."""
    assert limits("canino", "creat", age=150, breed="galgo")[1] == 2.4437499999999996
    assert 1.7 * (1.25 * 1.15) == 2.44375
    found = analyse({"creat": 2.44375}, {"especie": "canino", "edad_meses": 150, "raza": "galgo"})
    assert found.finding("creat") is not None


def test_sex_never_moves_a_limit() -> None:
    valores = dict.fromkeys(ANALYTE_KEYS, 1)
    for species in SPECIES:
        answers = {
            sex: analyse(valores, {"especie": species, "edad_meses": 60, "sexo": sex}).ranges
            for sex in (None, "Macho", "Hembra", "Macho castrado", 5)
        }
        assert len(set(answers.values())) == 1


def test_what_moved_a_limit_is_told_with_its_source() -> None:
    """A senior greyhound: creatinine is moved twice, haematocrit on both sides, ALT not at all."""
    paciente = {"especie": "canino", "raza": "Galgo", "edad_meses": 100}
    told = {r.key: r for r in analyse({"alt": 50, "hct": "50 %", "creat": 2}, paciente).ranges}
    assert list(told) == ["hct", "alt", "creat"]
    assert [(m.kind, m.label, m.side, m.factor) for m in told["creat"].moves] == [
        ("edad", "senior", "superior", 1.15),
        ("raza", "lebreles", "superior", 1.15),
    ]
    assert [(m.side, m.factor) for m in told["hct"].moves] == [("inferior", 1.12), ("superior", 1.12)]
    assert "213-214" in (told["hct"].moves[0].source or "")
    assert told["alt"].moves == ()
    assert (told["hct"].value, told["hct"].raw) == (50, "50 %")
    assert (told["hct"].low, told["hct"].high) == (37.0, 55.0)
    assert (told["hct"].adjusted_low, told["hct"].adjusted_high) == (37 * 1.12, 55 * 1.12)


def test_no_adjusted_range_loses_its_width() -> None:
    for species in SPECIES:
        words = " ".join(word for group in breed_groups(species) for word in group.words)
        for age in (1, 40, 90, 150):
            for r in (
                *adjusted_ranges(species, age, None).values(),
                *adjusted_ranges(species, age, words).values(),
            ):
                assert r.low < r.high, r


def test_age_categories_ascend_and_the_last_is_open() -> None:
    for species in SPECIES:
        ceilings = [c.below_months for c in age_table(species).categories]
        assert ceilings[-1] is None
        assert all(a is not None and (b is None or a < b) for a, b in pairwise(ceilings))


def test_every_adjustment_names_an_analyte_of_the_table() -> None:
    for species in SPECIES:
        by_age = {a.analyte for category in age_table(species).categories for a in category.adjustments}
        by_breed = {a.analyte for group in breed_groups(species) for a in group.adjustments}
        assert by_age | by_breed <= set(ANALYTE_KEYS)


def test_every_matching_group_counts_in_table_order() -> None:
    assert [g.name for g in matching_groups("canino", "whippet x shiba")] == [
        "lebreles",
        "razas asiáticas de VCM bajo",
        "shiba",
    ]
