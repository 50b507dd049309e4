"""What changed since a case was signed is told field by field, and a respelling is no change."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.changes import Change, changes_between
from reviewer.sheet import build_sheet
from reviewer.signing import Sign
from reviewer.store import Dataset
from scoring.record import content_digest
from tests.support import make_case, write_cases

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a": 24.5, "b": 1}', '{"b":1.0e0,"a":24.50}'),
        ('{"a": -0.0}', '{"a": 0}'),
        ('{"a": "\\u00f1"}', '{"a": "ñ"}'),
        ('{"validado": true, "revisor": "Ana", "a": 1}', '{"a": 1, "fecha_validacion": null}'),
    ],
)
def test_a_respelling_is_no_change(before: str, after: str) -> None:
    assert changes_between(before.encode(), after.encode()) == ()


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        (
            '{"valores": {"hct": 24.50, "alt": 45}, "x": 1}',
            '{"valores": {"alt": 45, "hct": 30}, "y": true}',
            [("valores.hct", "24.50", "30"), ("x", "1", None), ("y", None, "sí")],
        ),
        ('{"n": 9007199254740993}', '{"n": 9007199254740992}', [("n", "9007199254740993", "9007199254740992")]),
        ('{"n": 24}', '{"n": "24"}', [("n", "24", '"24"')]),
        ('{"n": null}', '{"n": false}', [("n", "sin dato", "no")]),
        ('{"n": "sí"}', '{"n": true}', [("n", '"s\\u00ed"', "true")]),
        ('{"n": "\\u00e9"}', '{"n": "e\\u0301"}', [("n", '"\\u00e9"', '"e\\u0301"')]),
        # Lists by element: one goes, one is reworded, one comes; what only moved places is not named.
        (
            '{"d": ["a", "b", "c", "d"]}',
            '{"d": ["b", "x", "d", "e"]}',
            [("d[0]", "a", None), ("d[1]", "c", "x"), ("d[3]", None, "e")],
        ),
        # What only moved is said to have moved: it neither went nor came.
        ('{"d": ["a", "b", "c"]}', '{"d": ["b", "a", "c"]}', [("d[0]", "b", "b")]),
        (
            '{"d": ["a", "b", "c", "x"]}',
            '{"d": ["x", "b", "c", "y"]}',
            [("d[0]", "a", None), ("d[0]", "x", "x"), ("d[3]", None, "y")],
        ),
        # One goes and its neighbour is reworded: the reworded one is told by its likeness, not by its place.
        (
            '{"d": ["falta de factores", "rodenticida", "z"]}',
            '{"d": ["un rodenticida", "z"]}',
            [("d[0]", "falta de factores", None), ("d[0]", "rodenticida", "un rodenticida")],
        ),
        (
            '{"d": ["rodenticida", "z"]}',
            '{"d": ["falta de factores", "un rodenticida", "z"]}',
            [("d[1]", "rodenticida", "un rodenticida"), ("d[0]", None, "falta de factores")],
        ),
        ('{"d": [{"k": 1}, 2]}', '{"d": [{"k": 3}, 2.0]}', [("d[0].k", "1", "3")]),
        ('{"d": []}', '{"d": ["a"]}', [("d[0]", None, "a")]),
        ('{"o": {"k": 1}}', '{"o": [1]}', [("o", "k: 1", "1")]),
        ('{"validado": 1, "e": {"validado": 1}}', '{"validado": 2, "e": {"validado": 2}}', [("e.validado", "1", "2")]),
    ],
)  # fmt: skip
def test_each_field_is_told_with_old_and_new(
    before: str, after: str, changes: list[tuple[str, str | None, str | None]]
) -> None:
    assert changes_between(before.encode(), after.encode()) == tuple(Change(*change) for change in changes)


def test_a_change_is_told_in_the_words_of_the_sheet() -> None:
    told = [
        Change("esperado.diferenciales_aceptables[3]", "ferropenia", None).sentence(),
        Change("esperado.hallazgos_clave[0]", None, "hct").sentence(),
        Change("valores.sin_tabla", "1", "2").sentence(),
        Change("esperado.hallazgos_clave[0]", "hct", "hct").sentence(),
        Change("notas.origen", "a", "b").sentence(),
    ]
    assert told == [
        "diferencial: antes «ferropenia», ya no está",
        "hallazgo clave: no estaba, ahora «Hematocrito (Hct)»",
        "valor de sin_tabla: antes «1», ahora «2»",
        "hallazgo clave: «Hematocrito (Hct)» está en otro lugar de la lista",
        "notas.origen: antes «a», ahora «b»",
    ]


values = st.recursive(
    st.none() | st.booleans() | st.sampled_from([0, 1, -1, 2.5, 24, "24", "sí", "a", "", "ñ", "n\u0303"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.sampled_from(["a", "b", "validado", "revisor"]), values, max_size=4)


@given(objects, objects)
def test_there_are_changes_exactly_when_the_content_differs(
    left: dict[str, Any], right: dict[str, Any]
) -> None:
    before, after = json.dumps(left).encode(), json.dumps(right).encode()
    found = changes_between(before, after)
    assert (found == ()) == (content_digest(before) == content_digest(after))
    for change in found:
        assert change.old != change.new
        assert change.sentence()


def test_the_sheet_of_an_expired_case_shows_what_changed_since_it_was_signed(tmp_path: Path) -> None:
    path = write_cases(tmp_path / "casos.jsonl", make_case("uno"), make_case("dos"))
    signed = Dataset.open(path).apply(Sign(("uno", "dos"), "Ana")).dataset
    assert build_sheet(signed.entry("uno")).changes == ()
    text = path.read_text("utf-8").splitlines()
    text[0] = text[0].replace('"hct": 24,', '"hct": 30,').replace('"ferropenia", ', "")
    path.write_text("\n".join(text) + "\n", "utf-8")
    expired = Dataset.open(path)
    assert build_sheet(expired.entry("uno")).changes == (
        Change("valores.hct", "24", "30"),
        Change("esperado.diferenciales_aceptables[0]", "ferropenia", None),
    )
    assert build_sheet(expired.entry("dos")).changes == ()
    # Signed again, there is nothing to show any more.
    again = expired.apply(Sign(("uno",), "Ana")).dataset
    assert build_sheet(again.entry("uno")).changes == ()
