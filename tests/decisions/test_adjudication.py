"""An adjudication in progress: what is open, what each answer does, and what comes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reviewer.decisions.adjudication import Adjudication, Point, followed
from reviewer.decisions.review import build_opinion, desk_of
from reviewer.signing import Sign
from reviewer.store import Dataset
from scoring.errors import UsageError
from scoring.record.agreed import Decided
from scoring.record.opinion import Opinion
from tests.support import make_case, write_cases

if TYPE_CHECKING:
    from pathlib import Path

IRON, BLEEDING, BABESIA = "ferropenia", "hemorragia crónica", "babesiosis"


def split(tmp_path: Path) -> Dataset:
    """Ana rejects the iron deficiency and adds babesiosis; Eva keeps both and does not refer."""
    (tmp_path / "umbrales.toml").write_text("[firmas]\ndev = 2\n", encoding="utf-8")
    dataset = Dataset.open(write_cases(tmp_path / "casos.jsonl", make_case("a")))
    row = dataset.entry("a").row
    ana = build_opinion(row, reject=[IRON], add=[BABESIA], comment="El VCM es normal.")
    dataset = dataset.apply(Sign(("a",), "Ana Ruiz", opinions={"a": ana})).dataset
    eva = build_opinion(row, referral=False)
    return dataset.apply(Sign(("a",), "Eva Sanz", opinions={"a": eva})).dataset


def begun(dataset: Dataset) -> Adjudication:
    row = dataset.entry("a").row
    return Adjudication(row, desk_of(row, dataset.snapshot).told)


def point(settling: Adjudication, text: str, about: Decided = Decided.DIFFERENTIAL) -> Point:
    return next(one for one in settling.points if (one.about, one.text) == (about, text))


def test_only_what_the_reviews_say_differently_is_open(tmp_path: Path) -> None:
    settling = begun(split(tmp_path))
    assert [(one.about.value, one.text, one.answers) for one in settling.points] == [
        ("diferenciales", IRON, (False, True)),
        ("diferenciales", BLEEDING, (True, True)),
        ("diferenciales", BABESIA, (True, False)),
        ("requiere_derivacion", "", (True, False)),
        ("fuera_de_alcance", "", (False, False)),
    ]
    assert [one.text for one in settling.open] == [IRON, BABESIA, ""]
    assert settling.answer(point(settling, BLEEDING)) is True
    assert not settling.begun
    with pytest.raises(UsageError, match="Faltan 3 puntos"):
        settling.opinion()


def test_each_point_can_follow_either_review_or_neither(tmp_path: Path) -> None:
    dataset = split(tmp_path)
    settling = begun(dataset)
    settling.follow(point(settling, IRON), 1)
    settling.follow(point(settling, BABESIA), 0)
    settling.follow(point(settling, "", Decided.REFERRAL), 0)
    assert settling.open == ()
    # Where they agree the person may still see it otherwise.
    settling.say(point(settling, BLEEDING), answer=False)
    settling.add("leishmaniosis")
    settling.comment = "Se repite el frotis."
    assert settling.opinion() == Opinion(
        (IRON,), (BABESIA, "leishmaniosis"), referral=True, out_of_scope=False, comment="Se repite el frotis."
    )
    applied = dataset.apply(
        Sign(("a",), "Luis Gil", meaning="adjudicado", opinions={"a": settling.opinion()})
    )
    assert applied.dataset.states["a"].stage.value == "por_corregir", "it is settled; the case has to follow"


def test_a_whole_review_can_be_followed_and_taken_back_step_by_step(tmp_path: Path) -> None:
    settling = begun(split(tmp_path))
    settling.follow_all(0)
    assert settling.opinion() == Opinion((BLEEDING,), (BABESIA,), referral=True, out_of_scope=False)
    settling.say(point(settling, IRON), answer=True)
    assert settling.undo()
    assert settling.answer(point(settling, IRON)) is False
    assert settling.undo()
    assert not settling.begun
    assert not settling.undo()
    assert settling.redo()
    assert settling.open == ()


def test_other_words_reject_the_differential_and_stand_in_its_place(tmp_path: Path) -> None:
    settling = begun(split(tmp_path))
    settling.follow_all(1)
    settling.add("anemia por falta de hierro", instead_of=point(settling, IRON))
    assert settling.opinion().accepted == (BLEEDING,)
    assert settling.opinion().added == ("anemia por falta de hierro",)
    # What somebody has proposed is not a second one: it is that point.
    settling.add("Babesiosis")
    assert settling.opinion().added == ("anemia por falta de hierro", BABESIA)
    with pytest.raises(UsageError, match="ya está en la lista"):
        settling.add("HEMORRAGIA CRONICA")
    with pytest.raises(UsageError, match="ya está en la lista"):
        settling.add("Anemia por falta de HIERRO")


def test_a_case_out_of_scope_is_always_referred(tmp_path: Path) -> None:
    settling = begun(split(tmp_path))
    settling.follow_all(1)  # not referred
    settling.say(point(settling, "", Decided.SCOPE), answer=True)
    assert settling.answer(point(settling, "", Decided.REFERRAL)) is True
    with pytest.raises(UsageError, match="siempre se deriva"):
        settling.say(point(settling, "", Decided.REFERRAL), answer=False)
    settling.undo()
    assert settling.answer(point(settling, "", Decided.REFERRAL)) is False, "one step"


def test_what_was_said_comes_back_from_a_draft_and_what_is_gone_is_left_out(tmp_path: Path) -> None:
    dataset = split(tmp_path)
    settling = begun(dataset)
    settling.follow(point(settling, IRON), 0)
    settling.add("leishmaniosis")
    kept = settling.to_dict()
    again = begun(dataset)
    kept["respuestas"].append({"sobre": "diferenciales", "texto": "uno que ya no está", "respuesta": True})
    again.resume(kept)
    assert again.to_dict() == settling.to_dict()
    with pytest.raises(ValueError, match="kept"):
        again.resume({"respuestas": 7})


def test_a_decision_that_could_not_be_saved_is_taken_up_whole(tmp_path: Path) -> None:
    dataset = split(tmp_path)
    row = dataset.entry("a").row
    opinion = build_opinion(row, reject=[IRON], add=["leishmaniosis"], referral=False, comment="Nota.")
    settling = begun(dataset)
    settling.take(opinion)
    assert settling.opinion() == opinion


def test_the_case_follows_an_opinion_and_no_other_byte_changes(tmp_path: Path) -> None:
    dataset = split(tmp_path)
    raw = dataset.entry("a").row.row.line.raw
    row = dataset.entry("a").row
    assert followed(raw, build_opinion(row)) == raw
    changed = followed(raw, build_opinion(row, reject=[IRON]))
    assert changed == raw.replace(b'"ferropenia", ', b"")
