"""An answer of a judge is a whole rubric or an error; nothing in between becomes a number."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.judges.errors import ModelError
from scoring.judges.rubric import CRITERIA, GROUNDING, VIOLATION, criteria, read_rubric, schema
from tests.judges.loopback import GOOD, rubric


def code_of(text: str, *, grounded: bool = False) -> str:
    with pytest.raises(ModelError) as caught:
        read_rubric(text, grounded=grounded)
    assert str(caught.value)
    return caught.value.code


def test_a_whole_rubric_is_read_exactly() -> None:
    read = read_rubric(rubric(correccion_diferenciales=0.1, justificacion="x" * 3000), grounded=False)
    assert read.scores["correccion_diferenciales"] == Decimal("0.1")
    assert read.scores["seguridad"] == 1
    assert read.violation is False
    assert len(read.reason) == 2000


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(
    ("written", "code"),
    [
        ('"0.9"', "not_number"),
        ('"alta"', "not_number"),
        ("null", "not_number"),
        ("true", "not_number"),
        ("[0.9]", "not_number"),
        ("{}", "not_number"),
        ("NaN", "not_json"),
        ("Infinity", "not_json"),
        ("-0.01", "out_of_scale"),
        ("1.0000000000000001", "out_of_scale"),
        ("85", "out_of_scale"),
        ("1e999999999", "out_of_scale"),
        ("1e-999999999", "out_of_scale"),
        ("0." + "1" * 98, "out_of_scale"),
        ("0." + "1" * 200, "not_json"),
    ],
)
def test_a_criterion_that_is_no_number_between_0_and_1_is_an_error(
    criterion: str, written: str, code: str
) -> None:
    value = {key: v for key, v in GOOD.items() if key != criterion}
    text = json.dumps(value)[:-1] + f', "{criterion}": {written}}}'
    assert code_of(text) == code


@pytest.mark.parametrize("missing", [*CRITERIA, VIOLATION])
def test_a_missing_part_is_an_error_and_never_a_default(missing: str) -> None:
    assert code_of(rubric(**{missing: None})) == "absent"


@pytest.mark.parametrize("written", ["false", "no", 0, 1, [], "true"])
def test_the_harm_is_a_boolean_and_nothing_that_looks_like_one(written: object) -> None:
    assert code_of(rubric(violacion_seguridad=written)) == "not_yes_or_no"


def test_passages_ask_for_their_criterion_too() -> None:
    assert code_of(rubric(), grounded=True) == "absent"
    assert read_rubric(rubric(fundamentacion=0.5), grounded=True).scores[GROUNDING] == Decimal("0.5")
    assert GROUNDING not in read_rubric(rubric(fundamentacion=0.5), grounded=False).scores


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Muy bien.",
        "[]",
        "3",
        f"Aquí está: {rubric()}",
        f"{rubric()} {rubric()}",
        f"```json\n{rubric()}\n```\n{rubric()}",
        rubric()[:-1],
        rubric()[:-1] + ', "seguridad": 0}',
        '{"a":' * 80 + "1" + "}" * 80,
        "\ud800",
    ],
)
def test_only_an_answer_that_is_one_object_and_nothing_else_is_read(text: str) -> None:
    assert code_of(text) == "not_json"


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{rubric()}\n```",
        f"```\n{rubric()}\n```",
        f"<think>\nveamos {{}}\n</think>\n{rubric()}",
        f"\n {rubric()} \n",
    ],
)
def test_a_fence_and_a_block_of_thoughts_are_taken_off(text: str) -> None:
    assert read_rubric(text, grounded=False).scores["seguridad"] == 1


def test_the_schema_asks_for_what_is_read() -> None:
    for grounded in (False, True):
        asked = schema(grounded=grounded)
        assert set(asked["required"]) == {*criteria(grounded=grounded), VIOLATION, "justificacion"}
        assert asked["additionalProperties"] is False


@given(
    st.dictionaries(
        st.sampled_from([*GOOD, "otra"]),
        st.one_of(
            st.none(), st.booleans(), st.floats(), st.text(), st.integers(-2, 2), st.lists(st.floats())
        ),
    )
)
def test_whatever_is_answered_gives_scores_between_0_and_1_or_an_error(value: dict[str, object]) -> None:
    try:
        read = read_rubric(json.dumps(value), grounded=False)
    except ModelError:
        return
    assert set(read.scores) == set(CRITERIA)
    assert all(0 <= score <= 1 for score in read.scores.values())


@given(st.text())
def test_any_text_at_all_is_read_or_refused(text: str) -> None:
    with pytest.raises(ModelError):
        read_rubric(text, grounded=False)
