"""Whatever a reviewer does to a correction, it can be undone, and what is saved is exactly what is shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from reviewer.decisions.session import EditSession
from reviewer.store.edit import edit_members
from scoring.cases import parse_case
from scoring.errors import ProductError, UsageError
from scoring.jsonl import parse_object
from scoring.record import content_digest

if TYPE_CHECKING:
    from reviewer.decisions.edit_state import EditState

RAW = (
    b'{"id": "uno", "validado": false, "paciente": {"especie": "canino"}, "valores": {"hct": 24.50, "alt": "45 U/L"},'
    b' "esperado": {"hallazgos_clave": ["hct"], "diferenciales_aceptables": ["anemia", "ferropenia", "linfoma"],'
    b' "requiere_derivacion": false}}'
)
texts = st.sampled_from(["anemia", "Anemia", "hígado", "linfoma B", "ferropenia", " bazo ", "", "x\x1b"])
numbers = st.sampled_from(["24.5", "24.50", "30", "3,4", "-1e2", "", "doce", "45"])


class Reviewing(RuleBasedStateMachine):
    """Random steps; the states that were shown are remembered here, apart from the session."""

    def __init__(self) -> None:
        super().__init__()
        self.session = EditSession("uno", RAW)
        self.shown: list[EditState] = [self.session.current]

    def note(self) -> None:
        if self.session.current != self.shown[-1]:
            self.shown.append(self.session.current)

    def attempt(self, call: Any, *arguments: Any, **options: Any) -> None:
        before = self.session.current
        try:
            call(*arguments, **options)
        except ProductError:
            assert self.session.current == before
        self.note()

    @rule(text=texts)
    def add(self, text: str) -> None:
        self.attempt(self.session.add_differential, text)

    @precondition(lambda self: self.session.current.differentials)
    @rule(data=st.data(), text=texts, what=st.sampled_from(["reword", "remove", "accept", "doubt"]))
    def touch(self, data: st.DataObject, text: str, what: str) -> None:
        index = data.draw(st.integers(0, len(self.session.current.differentials) - 1))
        if what == "reword":
            self.attempt(self.session.reword_differential, index, text)
        elif what == "remove":
            self.attempt(self.session.remove_differential, index)
        else:
            self.attempt(self.session.accept_differential, index, accepted=what == "accept")

    @rule(flag=st.booleans())
    def refer(self, flag: bool) -> None:
        self.attempt(self.session.set_referral, needed=flag)

    @rule(flag=st.booleans())
    def scope(self, flag: bool) -> None:
        self.attempt(self.session.set_scope, outside=flag)

    @rule(key=st.sampled_from(["hct", "alt", "creat", "nada"]), flag=st.booleans())
    def finding(self, key: str, flag: bool) -> None:
        self.attempt(self.session.set_finding, key, named=flag)

    @rule(key=st.sampled_from(["hct", "alt", "creat", "nada"]), typed=numbers)
    def value(self, key: str, typed: str) -> None:
        self.attempt(self.session.set_value, key, typed)

    @rule(typed=texts)
    def signs(self, typed: str) -> None:
        self.attempt(self.session.set_signs, typed)

    @precondition(lambda self: len(self.shown) > 1)
    @rule()
    def undo(self) -> None:
        assert self.session.undo()
        self.shown.pop()
        assert self.session.current == self.shown[-1]

    @precondition(lambda self: len(self.shown) > 1)
    @rule()
    def undo_and_redo(self) -> None:
        before = self.session.current
        assert self.session.undo()
        assert self.session.redo()
        assert self.session.current == before

    @invariant()
    def what_is_saved_is_what_is_shown(self) -> None:
        session = self.session
        after = edit_members(RAW, {change.path: change.value for change in session.changes()})
        case, problems = parse_case(parse_object(after))
        assert problems == ()
        assert case.esperado.diferenciales_aceptables == session.current.texts
        assert case.esperado.hallazgos_clave == session.current.findings
        assert case.esperado.requiere_derivacion is session.value(("esperado", "requiere_derivacion"))
        assert case.esperado.fuera_de_alcance is session.value(("esperado", "fuera_de_alcance"))
        assert (content_digest(after) == content_digest(RAW)) == (session.changes() == ())
        assert set(session.accepted) <= set(session.current.texts)
        folded = [text.casefold() for text in session.current.texts]
        assert len(folded) == len(set(folded))

    @invariant()
    def it_survives_being_kept(self) -> None:
        kept = json.loads(json.dumps(self.session.to_dict()))
        back = EditSession.restore("uno", RAW, kept)
        assert back.current == self.session.current
        assert back.changes() == self.session.changes()
        if back.undo():
            assert back.current == back.original

    @invariant()
    def nothing_else_moved_nothing_is_asked(self) -> None:
        carried, asked = self.session.onto(RAW.replace(b"canino", b"felino"))
        assert asked == ()
        assert carried.changes() == self.session.changes()

    def teardown(self) -> None:
        for _ in self.shown[1:]:
            assert self.session.undo()
        assert not self.session.undo()
        assert self.session.current == self.session.original
        assert self.session.changes() == ()


TestReviewing = Reviewing.TestCase
TestReviewing.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


def test_a_removed_differential_is_still_shown_and_comes_back() -> None:
    session = EditSession("uno", RAW)
    session.remove_differential(0)
    assert session.current.texts == ("ferropenia", "linfoma")
    assert session.current.differentials[0].removed
    session.accept_differential(0)
    assert session.changes() == ()
    assert session.accepted == ("anemia",)


def test_accepting_changes_nothing_in_the_data_and_can_be_undone() -> None:
    session = EditSession("uno", RAW)
    session.accept_differential(1)
    assert (session.accepted, session.changes(), session.can_undo) == (("ferropenia",), (), True)
    assert session.undo()
    assert (session.accepted, session.can_undo, session.can_redo) == ((), False, True)


def test_out_of_scope_refers_in_one_step() -> None:
    session = EditSession("uno", RAW)
    session.set_scope(outside=True)
    assert [(c.field, c.value) for c in session.changes()] == [
        ("esperado.fuera_de_alcance", True),
        ("esperado.requiere_derivacion", True),
    ]
    with pytest.raises(UsageError, match="siempre se deriva"):
        session.set_referral(needed=False)
    assert session.undo()
    assert session.changes() == ()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("24,5", "escriba 24.5"),
        ("-0,30", "escriba -0.30"),
        ("1,234", "escriba 1.234"),
        ("1.234,5", "no es un número"),
        ("<0.5", "no es un número"),
        ("٢٤", "no es un número"),
        ("1e400", "demasiado grande"),
        ("\ud800", "no es un número"),
    ],
)
def test_what_is_no_number_is_said_and_never_guessed(typed: str, said: str) -> None:
    session = EditSession("uno", RAW)
    with pytest.raises(UsageError, match=said):
        session.set_value("hct", typed)
    assert session.changes() == ()


@given(st.recursive(st.none() | st.booleans() | st.text(max_size=3), lambda x: st.lists(x) | st.dictionaries(
    st.sampled_from(["diferenciales", "hallazgos", "campos", "campo", "valor", "texto"]), x)))  # fmt: skip
def test_a_damaged_draft_is_refused_by_name(kept: Any) -> None:
    try:
        EditSession.restore("uno", RAW, kept)
    except ValueError:
        return
    assert isinstance(kept, dict)
