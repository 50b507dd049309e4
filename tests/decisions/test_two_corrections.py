"""A correction on a line that somebody changed meanwhile: what only one side touched is kept, and nothing typed is lost."""

from __future__ import annotations

import pytest

from reviewer.signing import EditSession

LINE = (
    '{"id": "uno", "validado": false, "paciente": {"especie": "canino"}, "valores": {"hct": 24, "alt": 45},'
    ' "signos_clinicos": "Tos", "esperado": {"hallazgos_clave": ["hct"],'
    ' "diferenciales_aceptables": ["anemia", "ferropenia", "linfoma"], "requiere_derivacion": false}}'
)


def correcting() -> EditSession:
    return EditSession("uno", LINE.encode())


def on(session: EditSession, *replaced: tuple[str, str]) -> tuple[EditSession, tuple[str, ...]]:
    """The session on the line as somebody else has left it."""
    line = LINE
    for old, new in replaced:
        assert old in line
        line = line.replace(old, new)
    return session.onto(line.encode())


def test_steps_on_different_differentials_are_put_together() -> None:
    session = correcting()
    session.remove_differential(0)
    session.accept_differential(2)
    session.add_differential("hemólisis")
    carried, asked = on(session, ('"ferropenia"', '"ferropenia por pulgas"'))
    assert asked == ()
    # They reworded the second one; we took out the first, accepted the third and added (and so accepted) a fourth.
    assert carried.current.texts == ("ferropenia por pulgas", "linfoma", "hemólisis")
    assert carried.accepted == ("linfoma", "hemólisis")
    assert carried.undo()
    assert carried.changes() == ()


@pytest.mark.parametrize(
    ("theirs", "texts", "asked"),
    [
        # They reworded what we reworded: both are there, and somebody has to choose.
        ('"anemia grave"', ("anemia grave", "ferropenia", "linfoma", "anemia leve"), True),
        # They had the same thought.
        ('"Anemia leve"', ("Anemia leve", "ferropenia", "linfoma"), False),
    ],
)
def test_the_same_differential_reworded_by_both(theirs: str, texts: tuple[str, ...], *, asked: bool) -> None:
    session = correcting()
    session.reword_differential(0, "anemia leve")
    carried, about = on(session, ('"anemia"', theirs))
    assert carried.current.texts == texts
    assert about == (("esperado.diferenciales_aceptables",) if asked else ())


def test_what_we_took_out_and_they_reworded_is_asked_about() -> None:
    session = correcting()
    session.remove_differential(0)
    carried, asked = on(session, ('"anemia"', '"anemia grave"'))
    assert carried.current.texts == ("anemia grave", "ferropenia", "linfoma")
    assert asked == ("esperado.diferenciales_aceptables",)
    same, nothing = on(session, ('"anemia", ', ""))
    assert (same.changes(), nothing) == ((), ()), "both took it out"


def test_what_we_reworded_into_something_they_added_is_there_once() -> None:
    session = correcting()
    session.reword_differential(0, "hemólisis")
    carried, _ = on(session, ('"linfoma"', '"linfoma", "Hemólisis"'))
    assert carried.current.texts == ("ferropenia", "linfoma", "Hemólisis")


def test_key_findings_of_both_sides_are_put_together() -> None:
    session = correcting()
    session.set_finding("alt", named=True)
    session.set_finding("hct", named=False)
    carried, asked = on(session, ('["hct"]', '["hct", "reti"]'))
    assert (carried.current.findings, asked) == (("reti", "alt"), ())


def test_the_order_of_key_findings_stays_ours_where_the_other_side_did_not_touch_them() -> None:
    session = correcting()
    session.set_finding("hct", named=False)
    session.set_finding("alt", named=True)
    session.set_finding("hct", named=True)
    carried, asked = on(session, ('"canino"', '"felino"'))
    assert (carried.current.findings, asked) == (("alt", "hct"), ())


def test_a_field_that_both_changed_is_asked_about_and_what_was_typed_is_one_step_to_redo() -> None:
    """Three minutes of typing must not vanish because a colleague corrected a letter."""
    session = correcting()
    session.set_signs("Tos seca desde hace tres semanas")
    session.set_value("hct", "25")
    carried, asked = on(session, ('"Tos"', '"Tos y fiebre"'))
    assert asked == ("signos_clinicos",)
    assert [(change.field, str(change.value)) for change in carried.changes()] == [("valores.hct", "25")]
    assert carried.redo()
    assert [(change.field, str(change.value)) for change in carried.changes()] == [
        ("valores.hct", "25"),
        ("signos_clinicos", "Tos seca desde hace tres semanas"),
    ]
    assert carried.undo()
    assert len(carried.changes()) == 1


def test_what_was_overruled_comes_back_after_other_steps_and_through_a_draft() -> None:
    session = correcting()
    session.set_signs("Tos seca")
    carried, _ = on(session, ('"Tos"', '"Tos y fiebre"'))
    carried.set_value("hct", "25")
    carried.undo()
    carried.redo()
    assert carried.value(("signos_clinicos",)) == "Tos y fiebre", "the last step first"
    kept = EditSession.restore("uno", carried.raw, carried.to_dict())
    assert kept.redo()
    assert [(change.field, str(change.value)) for change in kept.changes()] == [
        ("valores.hct", "25"),
        ("signos_clinicos", "Tos seca"),
    ]
    assert not kept.can_redo
    assert kept.undo()
    assert [change.field for change in kept.changes()] == ["valores.hct"]


def test_what_was_overruled_twice_is_kept_until_the_line_says_the_same() -> None:
    session = correcting()
    session.set_signs("Tos seca")
    carried, _ = on(session, ('"Tos"', '"Tos y fiebre"'))
    again, asked = carried.onto(carried.raw.replace(b'"Tos y fiebre"', b'"Fiebre"'))
    assert (asked, again.unsaved) == ((), True)
    same, _ = again.onto(again.raw.replace(b'"Fiebre"', b'"Tos seca"'))
    assert (same.overruled, same.idle) == ((), True)


def test_a_draft_of_an_earlier_version_has_nothing_overruled() -> None:
    session = correcting()
    session.set_value("hct", "25")
    kept = {key: value for key, value in session.to_dict().items() if key != "desbancados"}
    assert EditSession.restore("uno", session.raw, kept).changes() == session.changes()
