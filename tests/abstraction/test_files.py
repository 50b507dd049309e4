"""Scoring files: what is read fast is what is read strictly, and every fault has its line and code."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoring import abstraction as A  # noqa: N812 - one letter keeps the rows readable
from scoring.abstraction import chunks as chunks_module
from scoring.abstraction import strict
from scoring.abstraction.chunks import chunks
from scoring.abstraction.files import MAX_PROBLEMS, FilesError, FilesResult, read_files, score_files
from scoring.abstraction.parallel import score_files_in_parallel
from scoring.abstraction.report import report_of
from scoring.abstraction.wire import OutputReader, are_digests, read_gold
from scoring.errors import NothingToJudgeError, UsageError

from .rows import DIGEST, OTHER, chain, gold_row, output_row, sample, write

if TYPE_CHECKING:
    from pathlib import Path


def through_library(gold: list[Any], outputs: list[Any]) -> str:
    """The report of the same rows as the strict reader and the library see them."""
    rows = [strict.gold_row(json.dumps(row).encode()) for row in gold]
    answers = [strict.output_row(json.dumps(row).encode()) for row in outputs]
    return A.run_chart_abstraction_benchmark(rows, answers).to_json()  # type: ignore[arg-type]


def scored(folder: Path, gold: list[Any], outputs: list[Any], end: str = "\n") -> FilesResult:
    return score_files(write(folder / "gold.jsonl", gold, end), write(folder / "out.jsonl", outputs, end))


def problems(folder: Path, gold: list[Any], outputs: list[Any]) -> list[tuple[str, int | None, str]]:
    result = read_files(write(folder / "gold.jsonl", gold), write(folder / "out.jsonl", outputs))
    return [(problem.source, problem.line, problem.code) for problem in result.problems]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n", " \n"])
@pytest.mark.parametrize("size", [1, 400, 1 << 18])
def test_files_give_the_report_of_the_library_for_any_line_end_and_any_size_of_chunk(
    end: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks_module.chunks, "__defaults__", (size,))
    gold, outputs = sample(7, 23)
    result = scored(tmp_path, gold, outputs, end)
    assert report_of(result.tally).to_json() == through_library(gold, outputs)
    assert (result.gold_rows, result.output_rows) == (len(gold), len(outputs))


@pytest.mark.parametrize("processes", [2, 3, 7])
def test_several_processes_give_the_bytes_of_one(processes: int, tmp_path: Path) -> None:
    gold, outputs = sample(9, 31)
    one = scored(tmp_path, gold, outputs)
    many = score_files_in_parallel(tmp_path / "gold.jsonl", tmp_path / "out.jsonl", processes)
    assert report_of(many.tally).to_json() == report_of(one.tally).to_json()
    assert many.output_rows == one.output_rows


def test_several_processes_tell_the_problems_of_one_with_the_same_lines(tmp_path: Path) -> None:
    gold, outputs = sample(9, 31)
    outputs += [outputs[0], output_row("nadie", "s.f0", 1), "{"]
    write(tmp_path / "gold.jsonl", gold)
    write(tmp_path / "out.jsonl", outputs)
    told = []
    for processes in (1, 4):
        with pytest.raises(FilesError) as caught:
            score_files_in_parallel(tmp_path / "gold.jsonl", tmp_path / "out.jsonl", processes)
        told.append([(problem.line, problem.code) for problem in caught.value.problems])
    last = len(outputs)
    assert (
        told[0]
        == told[1]
        == [
            (last - 2, "duplicate_prediction_field"),
            (last - 1, "unknown_prediction_field"),
            (last, "invalid_json"),
        ]
    )


@pytest.mark.parametrize("place", [0, 150, 299])
def test_a_repeated_key_is_found_whichever_process_looks_for_it(
    place: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each process checks the form of some chunks of gold only."""
    monkeypatch.setattr(chunks_module.chunks, "__defaults__", (2000,))
    gold: list[Any] = [gold_row(f"c{index}", "f.a", "text", "x") for index in range(300)]
    gold[place] = '{"case_id":"z","case_id":"w","field_id":"f.a","field_type":"text","value":"x"}'
    files = write(tmp_path / "gold.jsonl", gold), write(tmp_path / "out.jsonl", [])
    for processes in (1, 2, 3):
        with pytest.raises(FilesError) as caught:
            score_files_in_parallel(*files, processes)
        assert [(problem.line, problem.code) for problem in caught.value.problems] == [
            (place + 1, "duplicate_key")
        ]


def test_a_number_of_processes_out_of_bounds_is_wrong_usage(tmp_path: Path) -> None:
    for processes in (0, -1, 65):
        with pytest.raises(UsageError):
            score_files_in_parallel(tmp_path / "a", tmp_path / "b", processes)


def test_fields_far_apart_and_cases_of_one_row_do_not_lose_cells(tmp_path: Path) -> None:
    # Case «ancho» has every field but in a scattered order, each other case one field only.
    names = [f"f.x{index}" for index in range(300)]
    gold = [gold_row(f"c{index}", name, "number", index) for index, name in enumerate(names)]
    gold += [gold_row("ancho", name, "number", 1) for name in dict.fromkeys(names[::37] + names[1::2])]
    outputs = [output_row(row["case_id"], row["field_id"], row["value"]) for row in gold]
    result = scored(tmp_path, gold, outputs[:-5])
    overall = report_of(result.tally).overall
    assert overall.exact_agreement.success_count == len(gold) - 5
    assert overall.missing_count == 5
    assert problems(tmp_path, gold, [*outputs, outputs[3], output_row("ancho", names[2], 1)]) == [
        ("outputs", len(outputs) + 1, "duplicate_prediction_field"),
        ("outputs", len(outputs) + 2, "unknown_prediction_field"),
    ]


GOOD = [gold_row("c", f"f.a{index}", "text", "x") for index in range(60)]
GOOD_OUT = [output_row("c", f"f.a{index}", "x") for index in range(60)]
BIG = "1" * 5000


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('{"case_id":"c","field_id":"f.b","field_type":"text","value":"x"', "invalid_json"),
        ('{"case_id":"c","field_id":"f.b","field_type":"text","value":"x"}}', "invalid_json"),
        ('{"case_id":"c","field_id":"f.b","field_type":"text","value":"x"} {}', "invalid_json"),
        ("[]", "not_an_object"),
        ("null", "not_an_object"),
        ('{"case_id":"c","case_id":"c","field_id":"f.b","field_type":"text","value":"x"}', "duplicate_key"),
        (
            '{"case_id":"c","v\\u0061lue":"y","field_id":"f.b","field_type":"text","value":"x"}',
            "duplicate_key",
        ),
        ('{"case_id":"c","field_id":"f.b","field_type":"text","value":"x","extra":1}', "unknown_key"),
        ('{"case_id":"c","field_id":"f.b","field_type":"text"}', "missing_key"),
        ('{"case_id":"c","field_id":"f.b","field_type":"text","value":"\\ud800"}', "lone_surrogate"),
        ('{"case_id":"c","field_id":"f.b","field_type":"text","value":"\udcff"}', "not_utf8"),
        ('{"case_id":"c","field_id":"f.b","field_type":"number","value":NaN}', "invalid_value"),
        ('{"case_id":"c","field_id":"f.b","field_type":"number","value":1e400}', "invalid_value"),
        ('{"case_id":"c","field_id":"f.b","field_type":"number","value":[1]}', "invalid_value"),
        ('{"case_id":"c","field_id":"f.b","field_type":"number","value":' + BIG + "}", "invalid_gold_value"),
        ('{"case_id":"c","field_id":"f.b","field_type":"number","value":"x"}', "invalid_gold_value"),
        ('{"case_id":"c","field_id":"f.b","field_type":"dato","value":"x"}', "invalid_field_type"),
        ('{"case_id":"c","field_id":"F.b","field_type":"text","value":"x"}', "invalid_field_id"),
        ('{"case_id":"","field_id":"f.b","field_type":"text","value":"x"}', "invalid_case_id"),
        ('{"case_id":"c","field_id":"f.b","field_type":"text","value":' + "[" * 9000, "too_deep"),
        ('{"case_id":"c","field_id":"f.b","field_type":"text","value":"' + "x" * (1 << 20), "line_too_long"),
        ('{"case_id":"c","field_id":"f.a3","field_type":"text","value":"x"}', "duplicate_gold_field"),
        ('{"case_id":"d","field_id":"f.a3","field_type":"number","value":1}', "inconsistent_field_type"),
    ],
)
def test_a_bad_gold_line_among_good_ones_is_told_with_its_line_and_code(
    line: str, code: str, tmp_path: Path
) -> None:
    found = problems(tmp_path, [*GOOD[:40], line, *GOOD[40:]], GOOD_OUT)
    assert found == [("gold", 41, code)]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"normalized_fact_digest": ""}, "invalid_fact_digest"),
        ({"normalized_fact_digest": DIGEST.upper()}, "invalid_fact_digest"),
        ({"normalized_fact_digest": DIGEST + "0"}, "invalid_fact_digest"),
        ({"normalized_fact_digest": "0" + DIGEST[:-1]}, "invalid_fact_digest"),
        ({"normalized_fact_digest": DIGEST[:-1] + "g"}, "invalid_fact_digest"),
        ({"evidence_chain": []}, "invalid_evidence_chain"),
        ({"evidence_chain": {}}, "missing_key"),
        ({"evidence_chain": chain("F")}, "invalid_field_id"),
        ({"evidence_chain": chain("f", transformation_digest=DIGEST[:-1])}, "invalid_digest"),
        ({"evidence_chain": chain("f", normalized_fact_digest=1)}, "invalid_digest"),
        ({"evidence_chain": chain("f", uncertainty=1.5)}, "invalid_uncertainty"),
        ({"evidence_chain": chain("f", uncertainty=10**400)}, "invalid_uncertainty"),
        ({"evidence_chain": chain("f", uncertainty=True)}, "invalid_uncertainty"),
        ({"evidence_chain": chain("f", reviewer_state="APPROVED")}, "invalid_reviewer_state"),
        ({"evidence_chain": chain("f", transformation_kind=None)}, "invalid_transformation_kind"),
        ({"evidence_chain": chain("f", source_locations=None)}, "invalid_collection"),
        ({"evidence_chain": chain("f", source_locations=[1])}, "invalid_source"),
        (
            {
                "evidence_chain": chain(
                    "f",
                    source_locations=[{"source_digest": DIGEST, "start_offset": 5, "end_offset": 5}],
                )
            },
            "invalid_span",
        ),
        (
            {
                "evidence_chain": chain(
                    "f",
                    source_locations=[{"source_digest": DIGEST, "start_offset": 5.0, "end_offset": 6}],
                )
            },
            "invalid_offset",
        ),
        (
            {
                "evidence_chain": chain(
                    "f",
                    source_locations=[
                        {"source_digest": DIGEST, "start_offset": 5, "end_offset": 6},
                        {
                            "kind": "clinical_record",
                            "source_digest": DIGEST,
                            "start_offset": 5,
                            "end_offset": 6,
                        },
                    ],
                )
            },
            "duplicate_source",
        ),
        ({"evidence_chain": chain("f", uncertainty=0) | {"extra": 1}}, "unknown_key"),
        ({"field_type": "text"}, "unknown_key"),
    ],
)
def test_a_bad_output_line_among_good_ones_is_told_with_its_line_and_code(
    more: dict[str, Any], code: str, tmp_path: Path
) -> None:
    bad = output_row("c", "f.a40", "x", **more)
    assert problems(tmp_path, GOOD, [*GOOD_OUT[:40], bad, *GOOD_OUT[41:]]) == [("outputs", 41, code)]


def test_a_location_without_a_kind_lies_in_the_clinical_record(tmp_path: Path) -> None:
    place = {"source_digest": OTHER, "start_offset": 5, "end_offset": 6}
    out = output_row("c", "f.a0", "x", normalized_fact_digest=DIGEST)
    out["evidence_chain"] = chain("f.a0", source_locations=[place])
    tally = scored(tmp_path, GOOD, [out]).tally
    assert report_of(tally).overall.evidence_support.success_count == 1


def test_numbers_keep_every_digit_and_their_type(tmp_path: Path) -> None:
    gold = [
        '{"case_id":"c","field_id":"f.big","field_type":"number","value":9007199254740993}',
        '{"case_id":"c","field_id":"f.one","field_type":"number","value":1}',
        '{"case_id":"c","field_id":"f.huge","field_type":"number","value":123456789012345678901234567890}',
        '{"case_id":"c","field_id":"f.long","field_type":"number","value":1}',
    ]
    outputs = [
        '{"case_id":"c","field_id":"f.big","value":9007199254740992}',
        '{"case_id":"c","field_id":"f.one","value":1.0}',
        '{"case_id":"c","field_id":"f.huge","value":123456789012345678901234567891}',
        '{"case_id":"c","field_id":"f.long","value":' + BIG + "}",
    ]
    fields = dict(report_of(scored(tmp_path, gold, outputs).tally).by_field)
    got = {
        name: (scores.exact_agreement.success_count, scores.normalized_agreement.success_count)
        for name, scores in fields.items()
    }
    assert got == {"f.big": (0, 0), "f.huge": (0, 0), "f.long": (0, 0), "f.one": (0, 1)}


def test_unknown_and_duplicate_do_not_depend_on_the_order_of_the_outputs(tmp_path: Path) -> None:
    rows = [GOOD_OUT[0], GOOD_OUT[0], output_row("c", "f.zz", 1)]
    codes = {
        tuple(sorted(code for *_, code in problems(tmp_path, GOOD, [rows[i] for i in order])))
        for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0))
    }
    assert codes == {("duplicate_prediction_field", "unknown_prediction_field")}


@pytest.mark.parametrize("company", [0, 50])
def test_what_is_wrong_with_a_row_by_itself_is_told_first_in_whatever_company(
    company: int, tmp_path: Path
) -> None:
    """Alone the lines are read strictly, among many right ones all by one call."""
    more = [gold_row("d", f"f.b{index}", "text", "x") for index in range(company)]
    bad = [gold_row("c", "f.a0", "number", "x"), gold_row("e", "f.a0", "number", "x")]
    assert problems(tmp_path, [GOOD[0], *more, *bad], []) == [
        ("gold", company + 2, "invalid_gold_value"),
        ("gold", company + 3, "invalid_gold_value"),
    ]


def test_an_output_of_a_refused_gold_row_is_not_called_unknown(tmp_path: Path) -> None:
    refused = gold_row("c", "f.n", "number", "x")
    outputs = [output_row("c", "f.n", 1), output_row("c", "f.n", 1), output_row("c", "f.a0", "x")]
    assert problems(tmp_path, [*GOOD, refused], outputs) == [
        ("gold", 61, "invalid_gold_value"),
        ("outputs", 2, "duplicate_prediction_field"),
    ]
    # Of a line that cannot be read nobody knows which row it was; then nothing is called unknown.
    assert problems(tmp_path, [*GOOD, "{"], [output_row("c", "f.zz", 1)]) == [("gold", 61, "invalid_json")]


def test_reading_stops_after_a_hundred_problems(tmp_path: Path) -> None:
    write(tmp_path / "gold.jsonl", ["{"] * 500)
    with pytest.raises(FilesError) as caught:
        score_files(tmp_path / "gold.jsonl", write(tmp_path / "out.jsonl", GOOD_OUT))
    assert len(caught.value.problems) == MAX_PROBLEMS == 100
    assert caught.value.code == "files_invalid_limited"


def test_more_rows_than_the_bound_are_refused(tmp_path: Path) -> None:
    gold, outputs = write(tmp_path / "gold.jsonl", GOOD), write(tmp_path / "out.jsonl", GOOD_OUT)
    assert score_files(gold, outputs, max_items=60).gold_rows == 60
    with pytest.raises(FilesError) as caught:
        score_files(gold, outputs, max_items=59)
    assert [problem.code for problem in caught.value.problems] == ["too_many_items"]


def test_no_gold_row_is_nothing_to_judge_and_no_output_is_all_missing(tmp_path: Path) -> None:
    with pytest.raises(NothingToJudgeError):
        scored(tmp_path, [], [])
    assert report_of(scored(tmp_path, GOOD, []).tally).overall.missing_count == 60


def test_a_byte_order_mark_and_a_missing_last_line_end_do_no_harm(tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_bytes(b"\xef\xbb\xbf" + b"\n".join(json.dumps(row).encode() for row in GOOD))
    result = score_files(gold, write(tmp_path / "out.jsonl", GOOD_OUT))
    assert report_of(result.tally).overall.exact_agreement.success_count == 60


def test_a_line_without_an_end_is_refused_and_reading_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A device that never ends a line was once read for ever."""
    monkeypatch.setattr(chunks_module, "MAX_SKIPPED_BYTES", 2 << 20)
    for rows in (["x" * (5 << 20), "{"], [*GOOD, "x" * (5 << 20), "{"]):
        found = problems(tmp_path, rows, [])
        assert found == [("gold", len(rows) - 1, "line_too_long")]


def test_a_line_beyond_the_bound_is_refused_and_the_lines_after_it_keep_their_numbers(tmp_path: Path) -> None:
    long = '{"case_id":"' + "x" * (3 << 20) + '"}'
    assert problems(tmp_path, [*GOOD, long, "{", long, *GOOD[:1]], []) == [
        ("gold", 61, "line_too_long"),
        ("gold", 62, "invalid_json"),
        ("gold", 63, "line_too_long"),
        ("gold", 64, "duplicate_gold_field"),
    ]


@given(
    lines=st.lists(st.sampled_from(["", "a", "bb" * 9, "\r", "ñ" * 30]), max_size=30),
    size=st.integers(1, 40),
    parts=st.integers(1, 5),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
def test_spans_of_a_file_hold_every_line_once(
    lines: list[str], size: int, parts: int, tmp_path: Path
) -> None:
    path = tmp_path / "lines"
    data = "\n".join(lines).encode()
    path.write_bytes(data)
    edges = [len(data) * part // parts for part in range(parts + 1)]
    found = b"".join(
        chunk.data for low, high in pairwise(edges) for chunk in chunks(path, size, span=(low, high))
    )
    assert found == data.replace(b"\r\n", b"\n")


FRAGMENTS = st.sampled_from(
    [
        *(json.dumps(row) for row in GOOD[:3]),
        json.dumps(GOOD[0], separators=(",", ":")),
        json.dumps(gold_row("c", "f.b", "number", 1.5)),
        "",
        " ",
        "{",
        "}",
        '{"case_id":"c","case_id":"d","field_id":"f.c","field_type":"text","value":"x"}',
        '{"case_id":"c","field_id":"f.d","field_type":"text","value":"\\":"}',
        '{"case_id":"c","field_id":"f.e","field_type":"text",',
        '"value":"x"}',
        '{"v\\u0061lue":1,"case_id":"c","field_id":"f.e","field_type":"text","value":"x"}',
        json.dumps(GOOD[1]) + json.dumps(GOOD[2]),
    ]
)


@given(st.lists(FRAGMENTS, min_size=1, max_size=6))
def test_a_chunk_is_accepted_only_if_every_line_by_itself_is_a_row(lines: list[str]) -> None:
    data = "\n".join(lines).encode() + b"\n"
    rows = read_gold(data, len(lines))
    if rows is None:
        return
    alone = [strict.gold_row(line.encode()) for line in lines]
    assert all(isinstance(row, A.ChartAbstractionGoldField) for row in alone)
    assert [(row.case_id, row.field_id, row.field_type, row.value) for row in rows] == [
        (row.case_id, row.field_id, row.field_type, row.value)
        for row in alone
        if isinstance(row, A.ChartAbstractionGoldField)
    ]


def test_plain_chunks_are_accepted_so_that_files_are_read_fast() -> None:
    gold, outputs = sample(3, 40)
    for write_as in ((",", ":"), (", ", ": ")):
        plain = [row for row in gold if ":" not in str(row["value"]) and "u0061" not in str(row["value"])]
        data = "".join(json.dumps(row, separators=write_as) + "\n" for row in plain).encode()
        assert read_gold(data, len(plain)) is not None
        answers = [row for row in outputs if ":" not in str(row["value"]) and "0061" not in str(row["value"])]
        data = "".join(json.dumps(row, separators=write_as) + "\n" for row in answers).encode()
        assert OutputReader().read(data, len(answers)) is not None


@given(
    st.lists(
        st.sampled_from(
            [
                DIGEST,
                OTHER,
                DIGEST[:-1],
                "0" + DIGEST[:-1],
                "s" + DIGEST[:-1],
                "",
                "é" * 71,
                "sha256:" + "a" * 57 + "sha256:",
                "sha256:" + "f" * 64,
                "sha256:" + "F" * 64,
                "0sha256:" + "0" * 63,
            ]
        ),
        max_size=5,
    )
)
def test_digests_are_checked_together_as_each_alone(values: list[str]) -> None:
    from scoring.abstraction.grammar import is_digest

    assert are_digests(values) == all(map(is_digest, values))
