"""What is listed as a disagreement, how it stands, and what the decisions come to."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoring.abstraction.files import FilesError, score_files
from scoring.abstraction.report import report_of
from scoring.adjudication.correction import write_correction
from scoring.adjudication.disagreements import Sort, find_disagreements
from scoring.adjudication.entries import Verdict
from scoring.adjudication.figures import figures
from scoring.adjudication.standing import State, gone, possible, standings
from scoring.errors import ConflictError, NothingToJudgeError, UsageError
from tests.abstraction.rows import gold_row, output_row, sample, write

from .support import GOLD, OUTPUTS, PRIVATE, WHY, decide, desk_on, files, item_of

if TYPE_CHECKING:
    from pathlib import Path


def test_rows_that_disagree_are_listed_by_field_and_case_and_missing_ones_only_counted(
    tmp_path: Path,
) -> None:
    sources = files(tmp_path)
    found = find_disagreements(sources.gold, sources.outputs)
    assert [
        (item.field_id, item.case_id, item.sort, item.gold_line, item.output_line) for item in found.items
    ] == [
        ("dx", "p1", Sort.DIFFERENT, 1, 1),
        ("dx", "p2", Sort.DIFFERENT, 2, 2),
        ("dx", "p3", Sort.SPURIOUS, 3, 3),
        ("edad", "p1", Sort.DIFFERENT, 5, 5),
        ("edad", "p2", Sort.DIFFERENT, 6, 6),
        ("edad", "p3", Sort.ABSTAINED, 7, 7),
    ]
    assert (found.rows, found.missing) == (8, 1)
    assert found.by_field == {"dx": 3, "edad": 3}


def test_a_pair_is_read_from_the_lines_whatever_line_ends_blanks_and_mark_the_files_have(
    tmp_path: Path,
) -> None:
    gold = ["\ufeff" + json.dumps(GOLD[0]), "", *GOLD[1:]]
    write(tmp_path / "g.jsonl", gold, end="\r\n")
    write(tmp_path / "s.jsonl", ["", *OUTPUTS[::-1]])
    found = find_disagreements(tmp_path / "g.jsonl", tmp_path / "s.jsonl")
    assert [item.gold_line for item in found.items] == [1, 3, 4, 6, 7, 8]
    for item in found.items:
        pair = found.pair(item)
        assert (pair.gold.case_id, pair.output.field_id) == item.place
        assert not pair.gold_raw.endswith(b"\r")
    assert found.pair(found.items[0]).gold.value == "Neumonía"


def test_lines_are_found_again_behind_many_chunks(tmp_path: Path) -> None:
    long = "x" * 3000
    gold = [gold_row(f"c{n}", "a.b", "text", f"{n} {long}") for n in range(500)]
    outputs = [output_row(f"c{n}", "a.b", f"{n} {long}" if n % 7 else "otra") for n in range(500)]
    write(tmp_path / "g.jsonl", gold)  # 1.5 MB: six chunks
    write(tmp_path / "s.jsonl", outputs)
    found = find_disagreements(tmp_path / "g.jsonl", tmp_path / "s.jsonl")
    assert len(found.items) == 72  # 0, 7, ..., 497
    for item in found.items:
        assert str(found.pair(item).gold.value).startswith(item.case_id[1:] + " ")


def test_files_that_changed_since_they_were_listed_are_noticed(tmp_path: Path) -> None:
    sources = files(tmp_path)
    found = find_disagreements(sources.gold, sources.outputs)
    before = found.changed
    write(sources.gold, GOLD[::-1])
    assert (before, found.changed) == (False, True)
    with pytest.raises(ConflictError) as refused:
        found.pair(found.items[0])
    assert refused.value.key == "adjudicated.files_changed"


def test_faults_of_the_files_are_told_with_their_line_and_without_content(tmp_path: Path) -> None:
    sources = files(tmp_path, gold=[*GOLD, f'{{"case_id": "{PRIVATE}", "field_id"'])
    with pytest.raises(FilesError) as refused:
        find_disagreements(sources.gold, sources.outputs)
    assert [problem.line for problem in refused.value.problems] == [9]
    assert PRIVATE not in "".join(problem.sentence() for problem in refused.value.problems)


def test_nothing_private_stands_in_a_repr(tmp_path: Path) -> None:
    sources = files(
        tmp_path,
        [gold_row(PRIVATE, "dx", "text", f"{PRIVATE} x")],
        [output_row(PRIVATE, "dx", f"{PRIVATE} y")],
    )
    desk = desk_on(sources)
    record = decide(desk, PRIVATE, "dx", Verdict.OUTPUT, f"{PRIVATE} lo dice")
    look = desk.look(desk.reading.found.items[0])
    for shown in (desk.reading, look.item, look.pair, look.standing, record, record.entries[0]):
        assert PRIVATE not in repr(shown)


def test_what_can_be_said_depends_on_the_two_rows(tmp_path: Path) -> None:
    desk = desk_on(files(tmp_path))
    said = {item.place: set(possible(desk.look(item).pair, item.sort)) for item in desk.reading.found.items}
    gold, output, both, nothing = Verdict.GOLD, Verdict.OUTPUT, Verdict.BOTH, Verdict.UNANSWERABLE
    assert said[("p1", "dx")] == {gold, output, both, nothing}
    assert said[("p3", "dx")] == {gold, output, nothing}  # the chart says nothing: both cannot be right
    assert said[("p1", "edad")] == {gold, both, nothing}  # «61 años» is no number, so it cannot be gold
    assert said[("p3", "edad")] == {gold, output, nothing}  # abstained
    with pytest.raises(UsageError) as refused:
        decide(desk, "p1", "edad", output)
    assert refused.value.key == "adjudicating.output_no_gold_value"
    with pytest.raises(UsageError) as refused:
        decide(desk, "p3", "dx", both)
    assert refused.value.key == "adjudicating.one_side_silent"


def test_a_decision_expires_when_what_it_was_made_on_changes_and_counts_again_when_it_comes_back(
    tmp_path: Path,
) -> None:
    sources = files(tmp_path)
    desk = desk_on(sources)
    record = decide(desk, "p1", "dx", Verdict.OUTPUT)
    place = ("p1", "dx")

    def stands() -> State:
        found = find_disagreements(sources.gold, sources.outputs)
        return standings(record, found)[place].state

    assert stands() is State.DECIDED
    # Other key order, blanks and a spelled-out default are the same row.
    reordered = dict(reversed(list(OUTPUTS[0].items()))) | {"evidence_chain": None}
    write(sources.outputs, [json.dumps(reordered, indent=None, separators=(" , ", " : ")), *OUTPUTS[1:]])
    assert stands() is State.DECIDED
    write(sources.outputs, [OUTPUTS[0] | {"value": "neumonía bilateral"}, *OUTPUTS[1:]])
    assert stands() is State.EXPIRED
    write(sources.outputs, OUTPUTS)
    write(sources.gold, [GOLD[0] | {"value": "Neumonía."}, *GOLD[1:]])
    assert stands() is State.EXPIRED
    write(sources.gold, GOLD)
    assert stands() is State.DECIDED


def test_one_and_one_point_zero_are_two_contents(tmp_path: Path) -> None:
    sources = files(tmp_path)
    desk = desk_on(sources)
    record = decide(desk, "p2", "edad", Verdict.OUTPUT)
    write(sources.outputs, [*OUTPUTS[:5], OUTPUTS[5] | {"value": 71}, OUTPUTS[6]])
    found = find_disagreements(sources.gold, sources.outputs)
    assert standings(record, found)[("p2", "edad")].state is State.EXPIRED


def test_a_row_that_was_mended_since_is_counted_as_gone(tmp_path: Path) -> None:
    sources = files(tmp_path)
    desk = desk_on(sources)
    record = decide(desk, "p1", "dx", Verdict.OUTPUT)
    write(sources.gold, [GOLD[0] | {"value": "neumonia"}, *GOLD[1:]])
    found = find_disagreements(sources.gold, sources.outputs)
    assert gone(record, found) == 1


def test_the_figures_stand_beside_those_of_the_gold_as_it_is(tmp_path: Path) -> None:
    sources = files(tmp_path)
    desk = desk_on(sources)
    decide(desk, "p1", "dx", Verdict.OUTPUT)  # gold becomes «neumonia»: agreement
    decide(desk, "p2", "dx", Verdict.BOTH)  # stays a disagreement
    decide(desk, "p3", "dx", Verdict.GOLD, "")
    record = decide(desk, "p3", "edad", Verdict.UNANSWERABLE)  # 5 becomes null; the output abstained
    found = figures(record, desk.reading.found)
    given, after = found.given.overall, found.adjudicated.overall
    # Given: 7 answerable of 8 rows; only «Asma» agrees.
    assert (given.normalized_agreement.success_count, given.normalized_agreement.total_count) == (1, 7)
    # Adjudicated: p3's age is unanswerable now, p1's diagnosis agrees.
    assert (after.normalized_agreement.success_count, after.normalized_agreement.total_count) == (2, 6)
    # Right abstentions: 5 answered answerable rows + none of 8; then 5 + the abstention on p3's age.
    assert (given.abstention_correctness.success_count, given.abstention_correctness.total_count) == (5, 8)
    assert after.abstention_correctness.success_count == 6
    assert (after.answerable_abstention.success_count, after.answerable_abstention.total_count) == (0, 6)
    assert (found.changed, found.both, found.disagreements) == (2, 1, 6)
    assert found.states[State.UNDECIDED] == 2
    assert found.by_verdict == {
        Verdict.GOLD: 1,
        Verdict.OUTPUT: 1,
        Verdict.BOTH: 1,
        Verdict.UNANSWERABLE: 1,
    }


def test_the_corrected_gold_changes_the_decided_lines_alone_and_spells_values_as_the_output_does(
    tmp_path: Path,
) -> None:
    odd = '{ "value" :70,"field_type":"number",  "case_id":"p2","field_id":"edad"}'
    write(tmp_path / "gold.jsonl", [*GOLD[:5], odd, *GOLD[6:]], end="\r\n")
    sources = files(tmp_path / "x")
    sources = type(sources)(tmp_path / "gold.jsonl", sources.outputs, tmp_path / "r.jsonl")
    before = sources.gold.read_bytes()
    desk = desk_on(sources)
    decide(desk, "p2", "edad", Verdict.OUTPUT)
    decide(desk, "p2", "dx", Verdict.BOTH)
    record = decide(desk, "p1", "dx", Verdict.UNANSWERABLE)
    found = desk.reading.found
    done = write_correction(found, standings(record, found), tmp_path / "nuevo.jsonl")
    assert dict(done.lines) == {"dx": (1,), "edad": (6,)}
    assert done.kept == 1
    old, new = before.split(b"\n"), (tmp_path / "nuevo.jsonl").read_bytes().split(b"\n")
    assert [n for n, (a, b) in enumerate(zip(old, new, strict=True), 1) if a != b] == [1, 6]
    assert new[5] == b'{ "value" :71.0,"field_type":"number",  "case_id":"p2","field_id":"edad"}\r'
    assert json.loads(new[0])["value"] is None
    assert stat.S_IMODE((tmp_path / "nuevo.jsonl").stat().st_mode) == 0o600
    assert sources.gold.read_bytes() == before
    with pytest.raises(UsageError) as refused:
        write_correction(found, standings(record, found), tmp_path / "nuevo.jsonl")
    assert refused.value.key == "adjudicated.target_exists"


def test_nothing_is_written_when_a_file_changed_meanwhile(tmp_path: Path) -> None:
    sources = files(tmp_path)
    desk = desk_on(sources)
    record = decide(desk, "p1", "dx", Verdict.OUTPUT)
    found = desk.reading.found
    known = standings(record, found)
    write(sources.gold, [*GOLD, gold_row("p9", "dx", "text", "x")])
    with pytest.raises(ConflictError):
        write_correction(found, known, tmp_path / "nuevo.jsonl")
    assert not [path for path in tmp_path.iterdir() if "nuevo" in path.name]


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(seed=st.integers(0, 10_000), choice=st.randoms(use_true_random=False))
def test_the_adjudicated_report_is_that_of_the_corrected_gold_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, seed: int, choice: object
) -> None:
    """Whatever is decided, on gold and outputs of every sort."""
    folder = tmp_path_factory.mktemp("p")
    gold, outputs = sample(4, 5, seed)
    sources = files(folder, gold, outputs)
    desk = desk_on(sources)
    for item in desk.reading.found.items:
        look = desk.look(item)
        verdict = choice.choice((*look.verdicts, None))  # type: ignore[attr-defined]
        if verdict is not None:
            desk.recorded(desk.decide_row(look, verdict, WHY), item)
    record, found = desk.reading.record, desk.reading.found
    worked = figures(record, found)
    new = sources.gold
    if worked.changed:
        new = folder / "nuevo.jsonl"
        write_correction(found, standings(record, found), new)
    else:
        with pytest.raises(NothingToJudgeError):
            write_correction(found, standings(record, found), folder / "nuevo.jsonl")
    fresh = report_of(score_files(new, sources.outputs).tally)
    assert worked.adjudicated.to_json() == fresh.to_json()
    assert worked.given.to_json() == report_of(score_files(sources.gold, sources.outputs).tally).to_json()
    assert desk.reading.standing == standings(record, found)


def test_an_integer_too_long_to_be_written_out_can_be_looked_at_and_decided_on(tmp_path: Path) -> None:
    raw = '{"case_id":"p1","field_id":"n","value":' + "9" * 5000 + "}"
    sources = files(tmp_path, [gold_row("p1", "n", "number", 3)], [raw])
    desk = desk_on(sources)
    assert Verdict.OUTPUT not in desk.look(item_of(desk, "p1", "n")).verdicts
    record = decide(desk, "p1", "n", Verdict.GOLD, "")
    assert standings(record, desk.reading.found)[("p1", "n")].state is State.DECIDED
    write(sources.outputs, [raw.replace("9}", "8}")])
    changed = find_disagreements(sources.gold, sources.outputs)
    assert standings(record, changed)[("p1", "n")].state is State.EXPIRED
