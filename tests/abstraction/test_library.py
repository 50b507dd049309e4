"""The library as a program uses it: the seed's example, the codes, and what an error may show."""

from __future__ import annotations

import itertools
import subprocess
import sys
import traceback
from dataclasses import FrozenInstanceError
from typing import TYPE_CHECKING, Any

import pytest

from scoring import abstraction as A  # noqa: N812 - one letter keeps the rows readable
from scoring.abstraction.tally import COLUMNS, FieldTally, Tally, merge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TEXT = A.AbstractionFieldType.TEXT
NUMBER = A.AbstractionFieldType.NUMBER
DIGEST = "sha256:" + "0" * 64
OTHER = "sha256:" + "1" * 64
PRIVATE = "Doña Privada"


def gold(case: str = "c1", field: str = "f.a", value: Any = "x", kind: Any = TEXT) -> Any:
    return A.ChartAbstractionGoldField(case, field, kind, value)


def output(case: str = "c1", field: str = "f.a", value: Any = "x", *rest: Any) -> Any:
    return A.ChartAbstractionPrediction(case, field, value, *rest)


def chain(field: str = "f.a", fact: str = DIGEST, kinds: tuple[str, ...] = ("clinical_record",)) -> Any:
    places = [A.SourceLocation(DIGEST, n, n + 5, A.SourceKind(kind)) for n, kind in enumerate(kinds)]
    return A.AbstractionEvidenceChain(
        field, places, fact, A.TransformationKind.RULE, DIGEST, 0.5, A.ReviewerState.PENDING
    )


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the code is what is looked at
        call()
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return str(caught.value)


def test_the_example_of_the_reference_runs_after_its_import_is_changed() -> None:
    program = """
from scoring.abstraction import (
    ChartAbstractionPrediction,
    run_chart_abstraction_benchmark,
    synthetic_chart_abstraction_gold,
)
rows = synthetic_chart_abstraction_gold()
echo = [ChartAbstractionPrediction(r.case_id, r.field_id, r.value) for r in rows]
report = run_chart_abstraction_benchmark(rows, echo)
assert report.overall.exact_agreement.success_count == 8
assert report.overall.evidence_support.success_count == 0
assert len(rows) == 12 and len({r.case_id for r in rows}) == 3
assert report.overall.answerable_count == 8
assert report.overall.abstention_correctness.success_count == 12
assert len(report.to_json()) == 6297
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_every_row_falls_in_one_outcome_and_the_six_metrics_follow() -> None:
    # Field f.n, numbers. c1 exact, c2 normalized ("2.0" is 2), c3 wrong, c4 abstains, c5 missing;
    # u1 has no gold answer and is answered, u2 abstains, u3 is missing.
    rows = [gold(f"c{n}", "f.n", n, NUMBER) for n in range(1, 6)]
    rows += [gold(f"u{n}", "f.n", None, NUMBER) for n in range(1, 4)]
    outputs = [
        output("c1", "f.n", 1, DIGEST, chain("f.n")),
        output("c2", "f.n", "2.0"),
        output("c3", "f.n", 4, OTHER, chain("f.n")),  # another fact than its chain's: no support
        output("c4", "f.n", None, DIGEST, chain("f.n")),  # a chain on an abstention has no effect
        output("u1", "f.n", 9, DIGEST, chain("f.n", kinds=("generated_text", "clinical_record"))),
        output("u2", "f.n", None),
    ]
    got = A.run_chart_abstraction_benchmark(rows, outputs).overall
    counts = (got.field_count, got.answerable_count, got.unanswerable_count)
    assert counts == (8, 5, 3)
    assert (got.missing_count, got.answered_count, got.abstained_count) == (2, 4, 2)
    pairs = {
        name: (got.metric(name).success_count, got.metric(name).total_count)
        for name in (
            "exact_agreement",
            "normalized_agreement",
            "abstention_correctness",
            "answerable_abstention",
            "unanswerable_answer",
            "evidence_support",
        )
    }
    assert pairs == {
        "exact_agreement": (1, 5),
        "normalized_agreement": (2, 5),
        "abstention_correctness": (4, 8),  # c1, c2, c3 answered, u2 abstained
        "answerable_abstention": (1, 5),
        "unanswerable_answer": (1, 3),
        "evidence_support": (2, 4),  # c1 and u1
    }


@pytest.mark.parametrize(
    "evidence",
    [None, chain("f.b"), chain(fact=OTHER), chain(kinds=()), chain(kinds=("generated_text",))],
    ids=["none", "other field", "other fact", "no source", "generated only"],
)
def test_an_answer_without_fitting_clinical_evidence_is_unsupported_even_if_right(evidence: Any) -> None:
    report = A.run_chart_abstraction_benchmark([gold()], [output("c1", "f.a", "x", DIGEST, evidence)])
    assert report.overall.exact_agreement.success_count == 1
    assert report.overall.evidence_support.success_count == 0


def test_report_bytes_do_not_depend_on_the_order_of_the_rows() -> None:
    rows = [gold(f"c{n}", f"f.x{index}", f"{n}{index}") for n in range(5) for index in range(40)]
    outputs = [output(row.case_id, row.field_id, row.value) for row in rows[::2]]
    first = A.run_chart_abstraction_benchmark(rows, outputs).to_json()
    assert A.run_chart_abstraction_benchmark(rows[::-1], outputs[::-1]).to_json() == first
    # Every third row first: cells come with gaps and the cases go over to dicts and back.
    mixed = rows[::3] + rows[1::3] + rows[2::3]
    assert A.run_chart_abstraction_benchmark(mixed, outputs).to_json() == first


def test_joining_errors_have_their_codes_and_their_order() -> None:
    run = A.run_chart_abstraction_benchmark
    other: Any = gold("c2", "f.a", 1, NUMBER)
    assert code_of(lambda: run([], [])) == "invalid_gold_fields"
    assert code_of(lambda: run([gold(), gold(value="y"), other], [])) == "duplicate_gold_field"
    assert code_of(lambda: run([gold(), other], [])) == "inconsistent_field_type"
    assert code_of(lambda: run([gold()], [output("c9")])) == "unknown_prediction_field"
    assert code_of(lambda: run([gold()], [output(), output(), output("c9")])) == "duplicate_prediction_field"
    assert code_of(lambda: run([gold()], [output("c9"), output(), output()])) == "unknown_prediction_field"
    foreign: Any = [1]
    nothing: Any = 5
    assert code_of(lambda: run(foreign, [output("c9")])) == "invalid_gold_fields"
    assert code_of(lambda: run([gold()], foreign)) == "invalid_predictions"
    assert code_of(lambda: run(nothing, [])) == "invalid_gold_fields"
    # Both are read before rows are looked at, so the failing outputs are told first.
    assert code_of(lambda: run(foreign, nothing)) == "invalid_predictions"


def failing(rows: list[Any]) -> Iterator[Any]:
    yield from rows
    raise RuntimeError(PRIVATE)


def test_an_input_that_fails_while_read_gives_a_code_and_keeps_its_own_error_to_itself() -> None:
    run = A.run_chart_abstraction_benchmark
    assert code_of(lambda: run(failing([gold()]), [])) == "invalid_gold_fields"
    assert code_of(lambda: run([gold()], failing([output()]))) == "invalid_predictions"
    places: Any = failing([])
    assert (
        code_of(
            lambda: A.AbstractionEvidenceChain(
                "f.a", places, DIGEST, A.TransformationKind.RULE, DIGEST, 0, A.ReviewerState.PENDING
            )
        )
        == "source_locations: invalid_collection"
    )


def test_an_endless_input_is_refused_at_the_bound_and_its_first_bad_item_before_that() -> None:
    run = A.run_chart_abstraction_benchmark
    endless = (gold(f"c{n}") for n in itertools.count())
    assert code_of(lambda: run(endless, [], max_items=1000)) == "too_many_items"
    repeated = itertools.repeat(output())
    assert code_of(lambda: run([gold()], repeated, max_items=1000)) == "too_many_items"
    bad: Any = itertools.chain([output()], itertools.count())
    assert code_of(lambda: run([gold()], bad)) == "invalid_predictions"
    numbers: Any = itertools.count()
    assert code_of(lambda: run(numbers, [])) == "invalid_gold_fields"
    assert run([gold()], [output()], max_items=1).overall.field_count == 1


REFUSED: list[Callable[[], object]] = [
    lambda: gold(case=PRIVATE * 20),
    lambda: gold(field=PRIVATE),
    lambda: gold(value=[PRIVATE]),
    lambda: gold(value=PRIVATE, kind=NUMBER),
    lambda: gold(value=PRIVATE, kind="text"),
    lambda: output(value=[PRIVATE]),
    lambda: output("c1", "f.a", PRIVATE, PRIVATE),
    lambda: output("c1", "f.a", PRIVATE, None, PRIVATE),
    lambda: A.SourceLocation(PRIVATE, 1, 2),
    lambda: A.SourceLocation(DIGEST, 777_777, 777_777),
    lambda: chain(field=PRIVATE),
    lambda: A.AbstractionEvidenceIssue(PRIVATE, "f.a"),
    lambda: A.ChartAbstractionEvidence([chain(), PRIVATE]),  # type: ignore[list-item]
    lambda: A.ChartAbstractionEvidence([]).evaluate([PRIVATE]),
    lambda: A.ChartAbstractionEvidence([]).finalize(PRIVATE),
    lambda: A.run_chart_abstraction_benchmark([gold(PRIVATE, value=PRIVATE)] * 2, []),
    lambda: A.run_chart_abstraction_benchmark([{"v": PRIVATE}], [PRIVATE]),  # type: ignore[list-item]
    lambda: A.run_chart_abstraction_benchmark([gold()], failing([output(value=PRIVATE)])),
    lambda: A.run_chart_abstraction_benchmark([gold()], [output(PRIVATE, value=PRIVATE)]),
]


@pytest.mark.parametrize("call", REFUSED)
def test_a_traceback_with_local_variables_shows_no_private_value_in_the_frames_of_the_package(
    call: Callable[[], object],
) -> None:
    try:
        call()
    except ValueError as error:
        shown = traceback.TracebackException.from_exception(error, capture_locals=True)
    own = [frame for frame in shown.stack if "/scoring/abstraction/" in frame.filename.replace("\\", "/")]
    assert own, "the error did not come from the package"
    text = "".join(str(frame.locals) for frame in own) + str(shown)
    assert PRIVATE not in text
    assert "777777" not in text
    assert shown.__cause__ is None
    assert shown.__context__ is None


def test_scoring_touches_no_file_no_network_and_imports_nothing_late() -> None:
    """An audit hook sees every open, socket, process and import of the interpreter."""
    program = """
import sys
from scoring.abstraction import *
from scoring.abstraction import AbstractionFieldType as T
from scoring.abstraction.rows import ChartAbstractionGoldField as G, ChartAbstractionPrediction as P
def rows():
    gold = [G(f"c{n}", "f.t", T.TEXT, "Straße\\u0301") for n in range(50)]
    gold += [G(f"c{n}", "f.n", T.NUMBER, "1e5") for n in range(50)]
    out = [P(f"c{n}", "f.t", "STRASSE\\u0301") for n in range(50)] + [P(f"c{n}", "f.n", 10**5) for n in range(50)]
    return gold, out
run_chart_abstraction_benchmark(*rows()).to_json()
seen = []
sys.addaudithook(lambda event, args: seen.append(event))
report = run_chart_abstraction_benchmark(*rows())
report.to_json()
ChartAbstractionEvidence([]).evaluate(["f.t"]).to_json()
bad = [e for e in seen if e.split(".")[0] in
       {"open", "socket", "os", "subprocess", "import", "sqlite3", "urllib", "http", "shutil", "ctypes", "exec", "compile"}]
assert report.overall.normalized_agreement.success_count == 100
assert not bad, bad
import scoring.abstraction
assert "scoring.abstraction.files" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_rows_are_frozen_compare_by_value_and_hide_what_is_private() -> None:
    row = gold(PRIVATE, "f.a", PRIVATE)
    answer = output(PRIVATE, "f.a", PRIVATE, DIGEST, chain())
    assert repr(row) == (
        "ChartAbstractionGoldField(field_id='f.a', field_type=<AbstractionFieldType.TEXT: 'text'>)"
    )
    assert repr(answer) == "ChartAbstractionPrediction(field_id='f.a')"
    assert "source_locations" not in repr(chain())
    assert row == gold(PRIVATE, "f.a", PRIVATE)
    assert hash(row) == hash(gold(PRIVATE, "f.a", PRIVATE))
    assert chain() == chain()
    with pytest.raises(FrozenInstanceError):
        row.value = 1
    assert not hasattr(row, "__dict__")


def test_a_chain_keeps_sorted_locations_and_refuses_too_many_or_repeated_ones() -> None:
    def with_places(places: Any) -> Any:
        return A.AbstractionEvidenceChain(
            "f.a", places, DIGEST, A.TransformationKind.MODEL, DIGEST, 1, A.ReviewerState.APPROVED
        )

    late, early = A.SourceLocation(OTHER, 0, 1), A.SourceLocation(DIGEST, 7, 9)
    generated = A.SourceLocation(DIGEST, 7, 9, A.SourceKind.GENERATED_TEXT)
    assert with_places([late, generated, early]).source_locations == (early, generated, late)
    assert code_of(lambda: with_places([late, early, late])) == "source_locations: duplicate_source"
    assert code_of(lambda: with_places("abc")) == "source_locations: invalid_collection"
    assert code_of(lambda: with_places({late: 1})) == "source_locations: invalid_collection"
    assert code_of(lambda: with_places([late, 1])) == "source_locations: invalid_source"
    assert code_of(lambda: with_places(itertools.repeat(1))) == "source_locations: too_many_items"
    many = [A.SourceLocation(DIGEST, n, n + 1) for n in range(1024)]
    assert len(with_places(reversed(many)).source_locations) == 1024


@pytest.mark.parametrize("value", [10**400, -1, 2, float("nan"), float("inf"), True, "0.5", 1.0000001])
def test_an_uncertainty_outside_zero_to_one_is_a_controlled_error_whatever_its_size(value: Any) -> None:
    assert (
        code_of(
            lambda: A.AbstractionEvidenceChain(
                "f.a", [], DIGEST, A.TransformationKind.RULE, DIGEST, value, A.ReviewerState.PENDING
            )
        )
        == "uncertainty: invalid_uncertainty"
    )


def test_a_receipt_is_given_only_when_every_required_field_has_approved_clinical_evidence() -> None:
    approved = A.AbstractionEvidenceChain(
        "f.a",
        [A.SourceLocation(DIGEST, 0, 5)],
        DIGEST,
        A.TransformationKind.RULE,
        DIGEST,
        0.0,
        A.ReviewerState.APPROVED,
    )
    evidence = A.ChartAbstractionEvidence([approved])
    receipt = evidence.finalize(["f.a"])
    assert receipt.chain_count == 1
    assert receipt.report_digest == evidence.evaluate(["f.a"]).report_digest
    with pytest.raises(A.AbstractionEvidenceError) as caught:
        A.ChartAbstractionEvidence([approved, chain("f.b", kinds=("generated_text",))]).finalize(
            ["f.c", "f.a"]
        )
    assert caught.value.code == "evidence_not_finalizable"
    assert caught.value.report is not None
    assert [(issue.code, issue.field_id) for issue in caught.value.report.issues] == [
        ("generated_only_evidence", "f.b"),  # judged although nobody requires it
        ("missing_field_evidence", "f.c"),
        ("review_not_approved", "f.b"),
    ]
    blocked = A.ChartAbstractionEvidence(
        [approved], blocking_issues=[A.AbstractionEvidenceIssue("conflicting_facts", "f.a")] * 2
    )
    assert len(blocked.blocking_issues) == 1
    assert blocked.evidence_digest != evidence.evidence_digest


def test_tallies_of_disjoint_cases_add_up_in_any_order_and_travel_as_json() -> None:
    one = Tally({"f.a": FieldTally(TEXT, (100, 100, *range(2, 12)))})
    two = Tally(
        {"f.a": FieldTally(TEXT, (20, 20, *(1,) * 10)), "f.b": FieldTally(NUMBER, (20, 20, *(2,) * 10))}
    )
    total = merge([one, two])
    assert total.fields["f.a"].counts == (120, 120, *range(3, 13))
    assert merge([two, one]) == total == Tally.from_dict(total.to_dict())
    assert code_of(lambda: merge([one, Tally({"f.a": FieldTally(NUMBER, (0,) * 12)})])) == (
        "inconsistent_field_type"
    )
    for bad in (
        None,
        {},
        {"schema": "x"},
        {**total.to_dict(), "fields": {"F": ["text", [0] * 12]}},
        {**total.to_dict(), "fields": {"f.a": ["text", [0] * 11]}},
        {**total.to_dict(), "fields": {"f.a": ["text", [-1] * 12]}},
        {**total.to_dict(), "fields": {"f.a": ["text", [1 << 60, *[0] * 11]]}},
        # One output more than there are gold rows with an answer, or without.
        {**total.to_dict(), "fields": {"f.a": ["text", [2, 9, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0]]}},
        {**total.to_dict(), "fields": {"f.a": ["text", [9, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]]}},
        {**total.to_dict(), "columns": list(COLUMNS[::-1])},
    ):
        assert code_of(lambda bad=bad: Tally.from_dict(bad)) == "invalid_tally"  # type: ignore[misc]
