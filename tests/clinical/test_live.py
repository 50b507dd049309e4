"""The gate on the screen says what a fresh run would say, after whatever was signed or withdrawn."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.cases import parse_case
from scoring.clinical import LiveGate, evaluate, simulate
from scoring.errors import DataError, UsageError
from tests.clinical import naive
from tests.clinical.samples import case, cases, good_output, outputs, pending


@st.composite
def situations(draw: st.DrawFn) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    some = [draw(cases(f"c{n}")) for n in range(draw(st.integers(1, 6)))]
    for one in some:
        one["split"] = draw(st.sampled_from(["dev", "dev", "test"]))
        if draw(st.booleans()):
            one["validado"] = False
    return some, {one["id"]: draw(outputs()) for one in some if draw(st.booleans())}


@pytest.mark.parametrize("rules", [pytest.param("1", marks=pytest.mark.lento), "2"])
@settings(max_examples=60, deadline=None)
@given(situations(), st.data())
def test_after_any_sequence_of_signatures_the_live_report_is_the_fresh_one_byte_for_byte(
    rules: str, situation: tuple[list[dict[str, Any]], dict[str, Any]], data: st.DataObject
) -> None:
    some, said = list(situation[0]), situation[1]
    live = LiveGate(some, said, rules=rules)
    step = st.tuples(st.integers(0, len(some) - 1), st.booleans())
    for index, signed in data.draw(st.lists(step, max_size=12)):
        live.preview_sign(some[index]["id"])
        live.set_counted(some[index]["id"], signed)
        some[index] = {**some[index], "validado": signed}
    for split in ("dev", "test", "todos"):
        for everything in (False, True):
            fresh = evaluate(some, said, split=split, include_pending=everything, rules=rules)
            assert live.report(split, include_pending=everything).to_json() == fresh.to_json()
            standing = live.standing(split, include_pending=everything)
            assert (standing.verdict, standing.reason, standing.failures) == (
                fresh.verdict,
                fresh.reason,
                fresh.failures,
            )
            assert [r.exact for r in standing.aggregate.values()] == [
                r.exact for r in fresh.aggregate.values()
            ]


@settings(max_examples=80, deadline=None)
@given(situations())
def test_the_aggregate_is_the_plain_mean_of_a_second_reading(
    situation: tuple[list[dict[str, Any]], dict[str, Any]],
) -> None:
    some, said = situation
    for split in ("dev", "test", "todos"):
        counted = [one for one in some if one["validado"] and split in (one["split"], "todos")]
        report = evaluate(some, said, split=split, rules="1")
        assert report.counted == len(counted)
        if counted:
            rows = [naive.score(one, said.get(one["id"], {})) for one in counted]
            got = {metric: result.value for metric, result in report.aggregate.items()}
            # A sum of floats is not the exact mean to the last digit.
            assert got == pytest.approx(naive.aggregate(rows), abs=1e-12)


def test_a_preview_tells_what_a_signature_would_do_and_changes_nothing() -> None:
    live = LiveGate([case("c0"), pending("c1")], {"c0": good_output(), "c1": {"interpretacion": "no sé"}})
    before = live.report().to_json()
    preview = live.preview_sign("c1")
    assert (preview.counted_before, preview.counted_after) == (1, 2)
    assert preview.before is not None
    assert preview.after is not None
    assert preview.before.aggregate["recall_diferenciales"].value == 1.0
    assert preview.after.aggregate["recall_diferenciales"].value == 0.5
    assert live.report().to_json() == before


def test_the_preview_of_a_case_as_corrected_is_what_a_fresh_run_of_it_would_say() -> None:
    draft = pending("b", diferenciales_aceptables=["leucemia"])
    other = case("b")
    live = LiveGate([case("a"), draft], {"a": good_output(), "b": good_output()})
    before = live.report("dev").to_json()
    as_it_stands = live.preview_sign("b").after
    corrected = live.preview_sign("b", parse_case(pending("b"))[0]).after
    assert as_it_stands is not None
    assert corrected is not None
    fresh = evaluate([case("a"), other], {"a": good_output(), "b": good_output()})
    assert (corrected.aggregate, corrected.verdict) == (fresh.aggregate, fresh.verdict)
    assert corrected.aggregate != as_it_stands.aggregate
    assert live.report("dev").to_json() == before


def test_the_preview_of_a_signed_case_as_corrected_takes_the_place_of_what_counts_now() -> None:
    said = {"a": good_output(), "b": good_output()}
    live = LiveGate([case("a"), case("b", diferenciales_aceptables=["leucemia"])], said)
    before = live.report("dev").to_json()
    preview = live.preview_sign("b", parse_case(case("b"))[0])
    assert (preview.counted_before, preview.counted_after) == (2, 2)
    assert preview.before is not None
    assert preview.after is not None
    # The output of «b» lacks leucemia: one of two, and then two of two.
    assert preview.before.aggregate["recall_diferenciales"].value == 0.5
    assert preview.after.aggregate["recall_diferenciales"].value == 1.0
    assert live.report("dev").to_json() == before


def test_the_preview_of_a_reserved_case_tells_counts_only() -> None:
    live = LiveGate([case("c0", split="test"), pending("c1", split="test")], {"c1": good_output()})
    preview = live.preview_sign("c1")
    assert (preview.counted_before, preview.counted_after) == (1, 2)
    assert (preview.before, preview.after) == (None, None)


def test_what_if_some_were_signed_is_what_a_fresh_run_would_say_and_changes_nothing() -> None:
    some = [case("c0"), pending("c1"), pending("c2"), pending("r0", split="test")]
    said = {"c0": good_output(), "c1": {"interpretacion": "no sé"}, "c2": good_output()}
    live = LiveGate(some, said, min_cases=1)
    before = live.report().to_json()
    then = live.what_if(["c1", "c0"])
    assert (then.counted, then.total) == (2, 3)
    assert then.aggregate["recall_diferenciales"].exact == Fraction(1, 2)
    everything = live.standing("dev", include_pending=True)
    assert (everything.counted, everything.aggregate["recall_diferenciales"].exact) == (3, Fraction(2, 3))
    assert live.report().to_json() == before
    with pytest.raises(UsageError, match="delataría"):
        live.what_if(["r0"])
    with pytest.raises(UsageError, match="«c9»"):
        live.what_if(["c9"])


def test_a_case_already_counted_adds_nothing() -> None:
    preview = LiveGate([case("c0")], {"c0": good_output()}).preview_sign("c0")
    assert (preview.counted_before, preview.counted_after) == (1, 1)


def test_a_signature_without_a_person_never_counts() -> None:
    """No person, no gold: the data alone are refused, and a hand-made case is left out."""
    nobody = case("c0", revisor="  ")
    with pytest.raises(DataError):
        LiveGate([nobody], {"c0": good_output()})
    parsed, _ = parse_case(nobody)
    assert LiveGate([parsed], {"c0": good_output()}).report().counted == 0


def test_repeated_ids_and_unknown_names_are_refused() -> None:
    with pytest.raises(DataError, match="dos veces"):
        LiveGate([case("c0"), case("c0")], {})
    live = LiveGate([case("c0")], {})
    with pytest.raises(UsageError, match="«c9»"):
        live.set_counted("c9", True)
    with pytest.raises(UsageError, match="«nada»"):
        live.report("nada")


@settings(max_examples=60, deadline=None)
@given(st.lists(cases(), min_size=1, max_size=3))
def test_simulated_outputs_name_every_finding_that_has_a_name(some: list[dict[str, Any]]) -> None:
    parsed = [parse_case({**one, "id": f"c{n}"})[0] for n, one in enumerate(some)]
    report = LiveGate(parsed, simulate(parsed)).report()
    assert report.simulated
    for row in report.rows:
        assert set(row.score.hallazgos_ausentes) <= {"x"}
        assert (row.score.acierto_derivacion, row.score.idioma_es) == (1.0, 1.0)
