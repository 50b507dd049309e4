"""Whatever stands in the data, the engine answers, in strict JSON, and the same way every time."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.engine import analyse
from scoring.tables import ANALYTE_KEYS, SPECIES

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=-(10**400), max_value=10**400),
    st.floats(),
    st.text(max_size=20),
    st.from_regex(r"\A[ +<-]?[0-9]{0,4}[.,]?[0-9]{0,3}[a-z/ %]{0,4}\Z"),
)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
patients = st.one_of(
    anything,
    st.fixed_dictionaries(
        {},
        optional={
            "especie": st.sampled_from(SPECIES) | anything,
            "raza": st.sampled_from(["Galgo", "Shiba", "Maine Coon"]) | anything,
            "edad_meses": anything,
            "sexo": anything,
        },
    ),
)
panels = anything | st.dictionaries(
    st.sampled_from(ANALYTE_KEYS) | st.text(max_size=8), anything, max_size=12
)


@given(panels, patients)
def test_any_json_gets_an_answer_in_strict_json(valores: Any, paciente: Any) -> None:
    found = analyse(valores, paciente)
    written = json.dumps(found.to_dict(), allow_nan=False, ensure_ascii=False)
    written.encode("utf-8")
    assert json.dumps(analyse(valores, paciente).to_dict(), ensure_ascii=False) == written
    assert all(notice.text for notice in found.notices)


@given(panels, patients)
def test_findings_ranges_and_patterns_keep_to_one_another(valores: Any, paciente: Any) -> None:
    found = analyse(valores, paciente)
    measured = [r.key for r in found.ranges]
    assert measured == [key for key in ANALYTE_KEYS if key in set(measured)]
    flagged = [f.clave for f in found.findings]
    assert flagged == [key for key in measured if key in set(flagged)]
    for f in found.findings:
        own = next(r for r in found.ranges if r.key == f.clave)
        beyond = f.valor > own.adjusted_high if f.direccion == "alto" else f.valor < own.adjusted_low
        assert beyond
    for pattern in found.patterns:
        assert pattern.parametros
        assert set(pattern.parametros) <= set(flagged)


@given(
    st.dictionaries(st.sampled_from(ANALYTE_KEYS), st.floats(allow_nan=False), max_size=8),
    st.sampled_from(SPECIES),
)
def test_unknown_keys_and_key_order_change_nothing_but_notices(
    valores: dict[str, float], species: str
) -> None:
    paciente = {"especie": species, "edad_meses": 30}
    more = {"HCT": 1, "xyz": "5", **dict(reversed(valores.items()))}
    one, other = analyse(valores, paciente), analyse(more, paciente)
    assert (one.findings, one.patterns, one.ranges) == (other.findings, other.patterns, other.ranges)


def test_infinite_values_become_null_with_a_notice() -> None:
    found = analyse({"alt": "1e400", "bun": 10**400}, {"especie": "canino", "edad_meses": 60})
    assert [f.gravedad for f in found.findings] == ["grave", "grave"]
    written = found.to_dict()
    assert [h["valor"] for h in written["hallazgos"]] == [None, None]
    assert [r["valor"] for r in written["rangos"]] == [None, None]
    assert [n["codigo"] for n in written["avisos"]][:2] == ["value_infinite", "value_infinite"]


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("1" * 1_000_000, id="digits"),
        pytest.param("1." + "3" * 1_000_000, id="decimals"),
        pytest.param("1e" + "9" * 1_000_000, id="exponent"),
        pytest.param(" " * 1_000_000 + "3", id="blanks"),
        pytest.param("1,2" * 300_000, id="commas"),
        pytest.param("1." + "000." * 250_000, id="points"),
        pytest.param("\u0301" * 1_000_000, id="marks"),
        pytest.param(10**100_000, id="integer"),
        pytest.param(nested(100_000), id="nesting"),
    ],
)
def test_one_huge_value_takes_no_time(raw: Any) -> None:
    """Whatever is looked at of a text is bounded: excerpt, number, suggestion."""
    start = time.process_time()
    found = analyse({"hct": raw, "alt": 300}, {"especie": "canino", "raza": raw, "edad_meses": raw})
    assert time.process_time() - start < 5
    assert any(f.clave == "alt" for f in found.findings)
    assert all(len(n.text) < 400 for n in found.notices)


def test_a_hundred_thousand_unknown_keys_take_no_time() -> None:
    start = time.process_time()
    found = analyse({f"k{i}hematocrit": 1 for i in range(100_000)}, {"especie": "canino"})
    assert time.process_time() - start < 20
    assert len(found.notices) < 40


def test_half_a_character_is_answered() -> None:
    found = analyse({"\ud800": 1, "hct": "\udfff"}, {"especie": "\ud800"})
    json.dumps(found.to_dict(), ensure_ascii=False).encode("utf-8")


def test_keys_that_are_no_text_are_answered() -> None:
    odd: Any = {1: 2, None: 3, (1, 2): 4, "hct": b"3"}
    assert [n.code for n in analyse(odd, {"especie": "canino", "edad_meses": 9}).notices].count(
        "analyte_unknown"
    ) == 3


def test_the_answer_does_not_depend_on_the_hash_seed() -> None:
    program = (
        "import json; from scoring.engine import analyse;"
        "v = {'hct': 20, 'zz': 1, 'aa': 2, 'HCT': 3, 'creat': '3,1', 'alt': 300, 'plt': 20};"
        "print(json.dumps(analyse(v, {'especie': 'canino', 'raza': 'galgo shiba'}).to_dict()))"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(answers) == 1
