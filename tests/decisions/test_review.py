"""Two reviews per case: who may review, when a case counts, what stays sealed, against a small model."""

from __future__ import annotations

import json
import re
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reviewer.decisions.review import build_opinion, correction_of, desk_of
from reviewer.history import history_of
from reviewer.signing import Edit, FieldEdit, Return, Sign, Withdraw
from reviewer.store import Dataset
from scoring.errors import ConflictError, DataError, IntegrityError, ProductError, UsageError
from scoring.record import Meaning, Status, record_path, take_snapshot
from scoring.record.audit import audit
from scoring.record.required import SignatureRule, rule_beside
from scoring.record.reviews import Stage
from tests.refusals import refused
from tests.support import make_case, signed, write_cases

if TYPE_CHECKING:
    from reviewer.store import Decision
    from scoring.record.opinion import Opinion

TWO = "[firmas]\ndev = 2\ntest = 2\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "datos"
    folder.mkdir()
    return make_set(folder)


def make_set(folder: Path, rule: str = TWO) -> Path:
    (folder / "umbrales.toml").write_text(rule, encoding="utf-8")
    return write_cases(
        folder / "casos.jsonl",
        make_case("uno"),
        make_case("dos", split="test"),
        signed(make_case("vieja"), "Eva", "2026-01-02"),
    )


def opinion(data: Path, case_id: str = "uno", *, reject: tuple[str, ...] = (), **more: object) -> Opinion:
    row = Dataset.open(data).entry(case_id).row
    return build_opinion(row, reject=reject, **more)  # type: ignore[arg-type]


def review(
    data: Path, who: str, case_id: str = "uno", said: Opinion | None = None, **more: object
) -> Dataset:
    opinions = {} if said is None else {case_id: said}
    return Dataset.open(data).apply(Sign((case_id,), who, opinions=opinions, **more)).dataset  # type: ignore[arg-type]


def raised(data: Path, decision: Decision) -> ProductError:
    return refused(Dataset.open(data), decision)


def in_order(data: Path) -> bool:
    found = audit(take_snapshot(data), now=datetime.now(UTC))
    return not [problem.sentence() for problem in found.breaks]


def test_the_first_review_leaves_the_data_alone_and_nothing_tells_whose_it_is(data: Path) -> None:
    before = data.read_bytes()
    said = opinion(data, reject=("ferropenia",), comment="sin microcitosis")
    after = review(data, "Ana Ruiz", said=said)
    assert data.read_bytes() == before
    state = after.states["uno"]
    assert (state.status, state.counts, state.stage) == (Status.PENDIENTE, False, Stage.PARTIAL)
    assert (state.reviews, state.asked) == (1, 2)
    assert (state.reviewer, state.date, state.entry) == (None, None, None)
    assert "Ana" not in repr(state)
    assert desk_of(after.entry("uno").row, after.snapshot).told == ()
    found = history_of(after, "uno")
    assert (found.entries, found.sealed) == ((), 1)
    assert in_order(data)


def test_two_persons_who_agree_sign_the_case_with_the_last_ones_name(data: Path) -> None:
    review(data, "Ana Ruiz")
    after = review(data, "Luis")
    state = after.states["uno"]
    assert (state.status, state.counts, state.reviewer, state.reviews) == (Status.FIRMADO, True, "Luis", 2)
    assert len(state.support) == 2
    line = json.loads(data.read_bytes().splitlines()[0])
    assert (line["validado"], line["revisor"]) == (True, "Luis")
    assert [step.entry.reviewer for step in history_of(after, "uno").entries] == ["Ana Ruiz", "Luis"]
    assert in_order(data)


def test_one_person_is_not_two_however_the_name_is_spelled(data: Path) -> None:
    review(data, "Ana Ruiz")
    assert raised(data, Sign(("uno",), "ana  RUIZ")).key == "review.already_yours"
    alike = raised(data, Sign(("uno",), "Ana Ruíz"))
    assert isinstance(alike, UsageError)
    assert alike.key == "review.name_alike_hidden"
    assert "Ana Ruiz" not in str(alike)
    assert review(data, "Ana Ruíz", apart=True).states["uno"].status is Status.FIRMADO


def test_a_person_may_change_the_own_review_while_it_is_alone(data: Path) -> None:
    review(data, "Ana", said=opinion(data, reject=("ferropenia",)))
    assert review(data, "Ana", resign=True).states["uno"].reviews == 1
    assert review(data, "Luis").states["uno"].counts, "what holds is Ana's second word"


def test_a_disagreement_waits_for_a_third_person_who_has_to_ask_for_it(data: Path) -> None:
    review(data, "Ana", said=opinion(data, reject=("ferropenia",)))
    after = review(data, "Luis")
    assert after.states["uno"].status is Status.DESACUERDO
    assert not after.states["uno"].counts
    told = desk_of(after.entry("uno").row, after.snapshot).told
    assert [(one.reviewer, one.rejected) for one in told] == [("Ana", ("ferropenia",)), ("Luis", ())]
    assert raised(data, Sign(("uno",), "Marta")).key == "review.needs_adjudication"
    for one in ("Ana", "luis"):
        assert raised(data, Sign(("uno",), one, meaning=Meaning.ADJUDICADO)).key == "review.third_person"
    after = review(data, "Marta", meaning=Meaning.ADJUDICADO)
    assert (after.states["uno"].status, after.states["uno"].reviewer) == (Status.FIRMADO, "Marta")
    assert after.record.entries[-1].meaning == "adjudicado"
    assert in_order(data)


def test_one_of_both_settles_it_only_where_the_set_says_so(data: Path) -> None:
    rules = data.parent / "umbrales.toml"
    rules.write_text(TWO + "adjudica_uno_de_los_dos = true\n", "utf-8")
    review(data, "Ana", said=opinion(data, reject=("ferropenia",)))
    review(data, "Luis")
    after = review(data, "Ana", meaning=Meaning.ADJUDICADO)
    assert after.states["uno"].counts
    rules.write_text(TWO, "utf-8")
    assert Dataset.open(data).states["uno"].status is Status.DESACUERDO, "the rule in force judges it"


def test_there_is_nothing_to_adjudicate_before_a_disagreement(data: Path) -> None:
    for _ in range(2):
        error = raised(data, Sign(("uno",), "Marta", meaning=Meaning.ADJUDICADO))
        assert error.key == "review.nothing_to_adjudicate"
        review(data, "Ana", resign=True)


def test_what_both_want_changed_is_corrected_first_and_then_signed_by_one_of_them(data: Path) -> None:
    for who in ("Ana", "Luis"):
        after = review(data, who, said=opinion(data, reject=("ferropenia",), add=("parásitos",)))
    assert (after.states["uno"].stage, after.states["uno"].counts) == (Stage.CORRECT, False)
    assert raised(data, Sign(("uno",), "Luis")).key == "review.correct_first"
    changes = correction_of(after.entry("uno").row, after.snapshot)
    assert changes == (
        FieldEdit(("esperado", "diferenciales_aceptables"), ("hemorragia crónica", "parásitos")),
    )
    after = Dataset.open(data).apply(Edit("uno", changes, "Luis")).dataset
    assert after.states["uno"].stage is Stage.CLOSE, "both reviews asked for exactly this case"
    assert raised(data, Sign(("uno",), "Marta")).key == "review.close_other"
    after = review(data, "Ana")
    assert (after.states["uno"].counts, after.states["uno"].reviewer) == (True, "Ana")
    assert in_order(data)


def test_the_order_in_which_two_add_the_same_makes_no_disagreement(data: Path) -> None:
    review(data, "Ana", said=opinion(data, add=("úlcera", "parásitos")))
    after = review(data, "Luis", said=opinion(data, add=("parásitos", "úlcera"), comment="otra cosa"))
    assert after.states["uno"].stage is Stage.CORRECT


def test_any_other_edit_voids_the_reviews_and_keeps_them_sealed(data: Path) -> None:
    review(data, "Ana")
    data.write_bytes(data.read_bytes().replace(b'"hct": 24', b'"hct": 25', 1))
    after = Dataset.open(data)
    assert (after.states["uno"].reviews, after.states["uno"].status) == (0, Status.PENDIENTE)
    assert history_of(after, "uno").entries == ()
    assert review(data, "Luis").states["uno"].reviews == 1, "a first review again"
    assert history_of(Dataset.open(data), "uno").sealed == 2
    after = review(data, "Marta")
    assert after.states["uno"].counts
    assert history_of(after, "uno").sealed == 0


def test_a_return_and_a_withdrawal_end_the_round(data: Path) -> None:
    review(data, "Ana")
    after = Dataset.open(data).apply(Withdraw(("uno",), "Ana", "me equivoqué de caso")).dataset
    assert (after.states["uno"].status, after.states["uno"].reviews) == (Status.RETIRADO, 0)
    review(data, "Ana")
    after = Dataset.open(data).apply(Return(("uno",), "Luis", "falta la edad")).dataset
    assert (after.states["uno"].status, after.states["uno"].reviews) == (Status.DEVUELTO, 0)
    assert raised(data, Sign(("uno",), "Marta")).key == "signing.returned"
    assert review(data, "Marta", resign=True).states["uno"].reviews == 1
    assert in_order(data)


def test_an_earlier_signature_is_worth_one_review_of_two(data: Path) -> None:
    for registered in (False, True):
        state = Dataset.open(data).states["vieja"]
        assert (state.status, state.counts, state.reviews) == (Status.PENDIENTE, False, 1), registered
        assert state.reason == "second.one_of_two_signed"
        assert raised(data, Sign(("vieja",), "eva")).key == "review.already_yours"
        review(data, "Ana", resign=True)  # the first write adopts it
    after = review(data, "Luis", "vieja")
    assert (after.states["vieja"].counts, after.states["vieja"].reviewer) == (True, "Luis")
    assert in_order(data)


def test_a_second_review_against_an_earlier_signature_is_a_disagreement(data: Path) -> None:
    after = review(data, "Luis", "vieja", opinion(data, "vieja", referral=False))
    assert after.states["vieja"].status is Status.DESACUERDO
    assert not after.states["vieja"].counts, "whatever the line says"
    assert in_order(data)


def test_several_first_reviews_go_together_and_nothing_else_does(data: Path) -> None:
    after = Dataset.open(data).apply(Sign(("uno", "dos"), "Ana")).dataset
    assert [after.states[one].reviews for one in ("uno", "dos")] == [1, 1]
    error = raised(data, Sign(("uno", "dos"), "Luis"))
    assert (error.key, error.exit_code) == ("review.one_at_a_time", 6)


def test_a_review_is_taken_beside_another_persons_that_came_in_meanwhile(data: Path) -> None:
    seen = Dataset.open(data)
    review(data, "Ana")
    assert seen.apply(Sign(("uno",), "Luis")).dataset.states["uno"].counts
    # The same decision sent twice is one.
    seen = Dataset.open(data)
    seen.apply(Sign(("dos",), "Ana"))
    with pytest.raises(ConflictError):
        seen.apply(Sign(("dos",), "Ana"))
    assert Dataset.open(data).states["dos"].reviews == 1


def test_other_decisions_on_a_case_reviewed_meanwhile_are_refused_without_a_name(data: Path) -> None:
    seen = Dataset.open(data)
    review(data, "Zenobia")
    with pytest.raises(ConflictError) as caught:
        seen.apply(Return(("uno",), "Luis", "falta la edad"))
    assert caught.value.key == "store.reviewed_meanwhile"
    assert "Zenobia" not in str(caught.value)


def test_nobody_adjudicates_without_having_seen_the_reviews(data: Path) -> None:
    review(data, "Ana", said=opinion(data, reject=("ferropenia",)))
    seen = Dataset.open(data)
    review(data, "Luis")
    with pytest.raises(ConflictError) as caught:
        seen.apply(Sign(("uno",), "Marta", meaning=Meaning.ADJUDICADO))
    assert caught.value.key == "store.decided_meanwhile"
    with pytest.raises(ConflictError):
        seen.apply(Sign(("uno",), "Marta"))


def test_a_flag_set_by_hand_has_to_be_settled_before_the_review(data: Path) -> None:
    review(data, "Ana")
    data.write_bytes(data.read_bytes().replace(b'"validado": false', b'"validado": true', 1))
    assert Dataset.open(data).states["uno"].status is Status.DESCUADRADO
    error = raised(data, Sign(("uno",), "Luis", resign=True))
    assert isinstance(error, (IntegrityError, DataError)), "the line names nobody"


def test_an_opinion_that_makes_the_case_invalid_is_refused(data: Path) -> None:
    said = opinion(data, referral=False, out_of_scope=True)
    assert raised(data, Sign(("uno",), "Ana", opinions={"uno": said})).key == "review.invalid"
    with pytest.raises(UsageError):
        opinion(data, reject=("leptospirosis",))
    with pytest.raises(UsageError):
        opinion(data, add=("Hemorragia Cronica",))


def test_opinions_need_a_set_that_asks_for_two(data: Path) -> None:
    make_set(data.parent, "[firmas]\ndev = 1\ntest = 2\n")
    said = opinion(data, reject=("ferropenia",))
    assert raised(data, Sign(("uno",), "Ana", opinions={"uno": said})).key == "review.not_asked"
    assert review(data, "Ana").states["uno"].counts
    assert review(data, "Ana", "dos").states["dos"].reviews == 1


def test_an_altered_opinion_is_a_break(data: Path) -> None:
    review(data, "Ana", said=opinion(data, reject=("ferropenia",)))
    record = record_path(data)
    lines = record.read_bytes()
    record.write_bytes(
        lines.replace(b'"diferenciales_aceptados":["hemorragia', b'"diferenciales_aceptados":["x hemorragia')
    )
    assert record.read_bytes() != lines
    assert not in_order(data)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[firmas]\ndev = 3\n", "«dev» vale 3"),
        ("[firmas]\ntest = true\n", "«test» vale True"),
        ('[firmas]\ntest = "2"\n', "sin comillas"),
        ("[firmas]\ntets = 2\n", "Quizá quiso escribir: test"),
        ("[firmas]\nadjudica_uno_de_los_dos = 1\n", "Escriba true o false"),
    ],
)
def test_a_mistake_in_the_table_is_named_and_nothing_is_read_as_one_signature(
    tmp_path: Path, text: str, said: str
) -> None:
    data = make_set(tmp_path, text)
    with pytest.raises(DataError) as caught:
        Dataset.open(data)
    assert said in str(caught.value)
    assert "umbrales.toml" in str(caught.value)


def test_a_link_to_the_data_asks_for_no_less_than_the_data(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    data = make_set(tmp_path / "a", "[firmas]\ntest = 2\n")
    link = tmp_path / "b" / "casos.jsonl"
    link.symlink_to(data)
    assert rule_beside(link) == SignatureRule(1, 2)
    (link.parent / "umbrales.toml").write_text("[firmas]\ndev = 2\n", "utf-8")
    assert rule_beside(link) == SignatureRule(2, 2)


ACCEPT, REJECT = "acepta", "rechaza"
Move = tuple[str, str, bool]
MOVES = st.one_of(
    st.tuples(st.sampled_from(("Ana", "Luis", "Marta")), st.sampled_from((ACCEPT, REJECT)), st.booleans()),
    st.tuples(st.just("(edita)"), st.just(""), st.just(value=False)),
    st.tuples(st.just("(retira)"), st.just(""), st.just(value=False)),
)


class Model:
    """What two reviews mean, said as simply as possible."""

    def __init__(self) -> None:
        self.said: dict[str, str] = {}
        self.settled: str | None = None
        self.signed = False

    @property
    def verdict(self) -> str | None:
        if self.settled is not None:
            return self.settled
        answers = set(self.said.values())
        return answers.pop() if len(self.said) >= 2 and len(answers) == 1 else None

    @property
    def split(self) -> bool:
        return len(self.said) >= 2 and self.verdict is None

    def allows(self, who: str, *, adjudicates: bool) -> bool:
        if self.verdict is not None:
            return False
        if self.split:
            return adjudicates and who not in self.said
        return not adjudicates and who not in self.said

    def take(self, who: str, answer: str, *, adjudicates: bool) -> None:
        if adjudicates:
            self.settled = answer
        else:
            self.said[who] = answer
        self.signed = self.verdict == ACCEPT

    def void(self) -> None:
        self.said, self.settled, self.signed = {}, None, False


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(MOVES, max_size=9))
def test_any_sequence_of_reviews_edits_and_withdrawals_follows_the_model(moves: list[Move]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data, model = make_set(Path(folder)), Model()
        for number, (who, answer, adjudicates) in enumerate(moves):
            if who == "(edita)":
                raw = data.read_bytes()
                data.write_bytes(re.sub(rb'"alt": \d+', f'"alt": {100 + number}'.encode(), raw, count=1))
                model.void()
            elif who == "(retira)":
                try:
                    Dataset.open(data).apply(Withdraw(("uno",), "Eva", "para empezar de nuevo"))
                except ConflictError:
                    assert not model.said
                else:
                    model.void()
            else:
                said = opinion(data, reject=("ferropenia",) if answer == REJECT else ())
                meaning = Meaning.ADJUDICADO if adjudicates else Meaning.REVISADO
                allowed = model.allows(who, adjudicates=adjudicates)
                decision = Sign(("uno",), who, opinions={"uno": said}, meaning=meaning)
                try:
                    Dataset.open(data).apply(decision)
                except (ConflictError, UsageError):
                    assert not allowed
                else:
                    assert allowed
                    model.take(who, answer, adjudicates=adjudicates)
            check(data, model)


def check(data: Path, model: Model) -> None:
    found = Dataset.open(data)
    state = found.states["uno"]
    assert state.counts is model.signed
    assert (state.status is Status.DESACUERDO) is model.split
    assert (state.stage is Stage.CORRECT) is (model.verdict == REJECT)
    if len(model.said) == 1:
        assert state.stage is Stage.PARTIAL
        assert history_of(found, "uno").sealed >= 1
        assert desk_of(found.entry("uno").row, found.snapshot).told == ()
    if len(model.said) >= 2:
        assert history_of(found, "uno").sealed == 0
    assert in_order(data)
