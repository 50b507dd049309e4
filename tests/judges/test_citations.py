"""Citations without a model: what counts as a mark, as a statement, as a passage nobody cites."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.judges.citations import add_up, check_citations, cited_numbers, statements
from scoring.sources import shipped_path
from tests.support import HOSTILE


@pytest.mark.parametrize(
    ("text", "passages", "numbers"),
    [
        ("anemia [1]", 3, [1]),
        ("anemia [1][2]", 3, [1, 2]),
        ("anemia [1, 3]", 3, [1, 3]),
        ("anemia [ 2 ;3 ]", 3, [2, 3]),
        ("anemia [1-3]", 3, [1, 2, 3]),
        ("anemia [1 y 3]", 3, [1, 3]),
        ("anemia [1, 2 y 3]", 3, [1, 2, 3]),
        ("anemia [2–4]", 3, [2, 3, 4]),
        ("anemia [1, 3-4]", 5, [1, 3, 4]),
        ("anemia [1, 5-7]", 4, [1, 5, 6, 7]),  # in a list it is no reference interval
        ("anemia [7]", 3, [7]),
        ("anemia [0]", 3, [0]),
        ("[texto](http://x) [H] [1.5] [2024] [a1] []", 3, []),
        ("glucosa 120 [70-110], potasio [3.5-5.5]", 5, []),
        ("véase [1](http://x)", 3, [1]),
        ("nada", 0, []),
        ("[1]", 0, [1]),
        ("anemia [^1]", 3, [1]),
        ("anemia [^1, ^7]", 3, [1, 7]),
        ("anemia [1 e 2] y [1 and 3]", 3, [1, 2, 1, 3]),
        ("anemia [1 a 3]", 3, [1, 2, 3]),
        (
            "anemia [1\u20113] [1\u20143] [1\u22123]",
            3,
            [1, 2, 3] * 3,
        ),  # non-breaking hyphen, long dash, minus
        ("anemia [7-2]", 3, [7, 2]),  # no range and no interval: both are cited
        ("glucosa [70 a 110]", 5, []),
        ("anemia 【2】", 3, [2]),
    ],
)
def test_what_a_mark_cites(text: str, passages: int, numbers: list[int]) -> None:
    assert cited_numbers(text, passages) == numbers


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("La creatinina está elevada por deshidratación. El sodio está bajo por vómitos.", 2),
        ("La creatinina está elevada por deshidratación. [1] El sodio está bajo por vómitos.", 2),
        ("**Interpretación clínica:**\n\nLa creatinina está elevada por deshidratación.", 1),
        ("# Hallazgos de este caso y su lectura\nLa creatinina está elevada por deshidratación.", 1),
        ("1. **Linfoma**\n2. La hipercalcemia sugiere un proceso neoplásico subyacente.", 1),
        ("Creatinina alta.", 0),
        ("¿Ha comido el animal algo raro esta semana?", 0),
        (
            "Hay signos de pancreatitis, p. ej. dolor abdominal y vómitos. El Dr. Ruiz lo confirma con ecografía.",
            2,
        ),
        ("La creatinina de 3.1 mg/dL indica azotemia moderada (aprox. 2 veces el límite).", 1),
        ("", 0),
        ("\n\n", 0),
    ],
)
def test_what_a_statement_is(prose: str, expected: int) -> None:
    found = list(statements(prose))
    assert len(found) == expected, found


def test_a_mark_after_the_full_stop_belongs_to_the_sentence_before_it() -> None:
    prose = "La creatinina está elevada por deshidratación. [1] El sodio está bajo por los vómitos."
    check = check_citations({"interpretacion": prose}, 1)
    assert check.unmarked == ("El sodio está bajo por los vómitos.",)


def test_a_footnote_mark_that_points_to_no_passage_shows_and_marks_its_statement() -> None:
    prose = "La creatinina está elevada por deshidratación. [^9] El sodio está bajo por los vómitos [^1]."
    check = check_citations({"interpretacion": prose}, 2)
    assert check.dangling == (9,)
    assert check.unmarked == ()
    assert check.uncited == (2,)


def test_passages_are_counted_from_one() -> None:
    check = check_citations({"interpretacion": "Hay azotemia [0], [1], [3]."}, 2)
    assert (check.dangling, check.dangling_marks, check.uncited) == ((0, 3), 2, (2,))


def test_a_mark_that_never_ends_costs_no_more_than_its_length() -> None:
    endless = "La creatinina sigue hoy muy elevada. [1, " + "^1 , " * 2000
    assert cited_numbers(endless, 3) == []
    assert len(list(statements(endless))) == 1


def test_one_output_by_hand() -> None:
    output = {
        "interpretacion": (
            "Hay azotemia con densidad urinaria baja [1]. El fósforo acompaña a la pérdida de filtrado [4]. "
            "La anemia es propia de la enfermedad crónica."
        ),
        "diferenciales": [{"nombre": "ERC", "evidencia": ["SDMA alta [2, 4]"], "citas": ["[1]"]}],
        "requiere_derivacion": True,
    }
    check = check_citations(output, 3)
    # cited: 1 and 4 in the prose, 2 and 4 in the evidence, 1 in the list
    assert (check.marks, check.dangling, check.dangling_marks) == (5, (4,), 2)
    assert (check.statements, check.unmarked) == (3, ("La anemia es propia de la enfermedad crónica.",))
    assert check.uncited == (3,)
    tally = add_up([check, check_citations({}, 2)])
    assert tally.to_dict() == {
        "casos": 2,
        "fragmentos": 5,
        "marcas": 5,
        "citas_sin_fragmento": 2,
        "casos_con_citas_sin_fragmento": 1,
        "afirmaciones": 3,
        "afirmaciones_sin_marca": 1,
        "fragmentos_sin_citar": 3,
    }


def test_every_mark_points_nowhere_when_nothing_was_retrieved() -> None:
    assert check_citations({"interpretacion": "x [1] y [2]"}, 0).dangling == (1, 2)


def test_a_shipped_output_has_the_marks_a_reader_counts() -> None:
    line = shipped_path("predicciones_ejemplo.jsonl").read_text(encoding="utf-8").splitlines()[0]
    output = json.loads(line)["interpretacion"]
    check = check_citations(output, 2)
    assert (check.marks, check.dangling, check.uncited) == (2, (), ())


@given(st.text(alphabet=st.sampled_from("[]0123456789,;-– .a\n"), max_size=60), st.integers(0, 50))
def test_any_text_is_read_and_the_counts_agree(text: str, passages: int) -> None:
    check = check_citations({"interpretacion": text}, passages)
    assert check.dangling_marks <= check.marks
    assert len(check.uncited) <= passages
    assert len(check.unmarked) <= check.statements
    assert not set(check.dangling) & set(range(1, passages + 1))


@pytest.mark.parametrize("text", [*HOSTILE, "[" * 50_000, "[1" * 20_000, ". " * 50_000, "a. [1] " * 5_000])
def test_hostile_text_takes_no_time(text: str) -> None:
    start = time.process_time()
    check_citations({"interpretacion": text, "diferenciales": [{"evidencia": [text]}]}, 3)
    assert time.process_time() - start < 20
