"""Spark in local mode gives the bytes of one process, for any number of parts, and the same codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from scoring.abstraction.files import read_files, score_files
from scoring.abstraction.report import report_of
from scoring.abstraction.tally import FieldTally, Tally, merge
from scoring.errors import NothingToJudgeError, UsageError

from .rows import gold_row, output_row, sample, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("pyspark", reason="the extra «escala» is not installed")
from scoring.abstraction.spark import (
    SparkProblemsError,
    _gold_parts,
    _output_parts,
    _tally_part,
    spark_tally,
    use_this_interpreter,
)

pytestmark = pytest.mark.lento


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    import shutil

    from pyspark.sql import SparkSession

    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    use_this_interpreter()
    found = (
        SparkSession.builder.master("local[2]")
        .appName("test")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.files.maxPartitionBytes", str(4 << 20))
        .getOrCreate()
    )
    found.sparkContext.setLogLevel("ERROR")
    yield found
    found.stop()


@pytest.mark.timeout(600)
def test_two_hundred_and_forty_thousand_rows_give_the_bytes_of_one_process(
    session: Any, tmp_path: Path
) -> None:
    gold, outputs = sample(1200, 200, odd=False)
    files = write(tmp_path / "gold.jsonl", gold), write(tmp_path / "out.jsonl", outputs, "\r\n")
    wanted = report_of(score_files(*files).tally).to_json()
    for parts in (1, 7):
        tally = spark_tally(session, str(files[0]), str(files[1]), parts=parts)
        assert report_of(tally).to_json() == wanted


@pytest.mark.parametrize(
    ("gold_line", "output_line"),
    [
        (b'{"case_id":"c","field_id":"f.b","field_type":"text","value":"\xff"}', None),
        (b'{"case_id":"c","field_id":"f.b","field_type":"text","value":"x"', None),
        (b'{"case_id":"c","field_id":"f.b","field_type":"number","value":NaN}', None),
        (b'{"case_id":"c","case_id":"c","field_id":"f.b","field_type":"text","value":"x"}', None),
        (b'{"case_id":"d","field_id":"f.a","field_type":"number","value":1}', None),
        (b'{"case_id":"c","field_id":"f.a","field_type":"text","value":"x"}', None),
        (None, b'{"case_id":"c","field_id":"f.a","value":"x"}'),
        (None, b'{"case_id":"nadie","field_id":"f.a","value":"x"}'),
        (None, b'{"case_id":"c","field_id":"F","value":"x"}'),
    ],
)
def test_each_fault_has_the_code_that_one_process_gives(
    gold_line: bytes | None, output_line: bytes | None, session: Any, tmp_path: Path
) -> None:
    gold = write(tmp_path / "gold.jsonl", [gold_row("c", "f.a", "text", "x")])
    outputs = write(tmp_path / "out.jsonl", [output_row("c", "f.a", "x")])
    for path, line in ((gold, gold_line), (outputs, output_line)):
        if line is not None:
            path.write_bytes(path.read_bytes() + line + b"\n")
    wanted = {problem.code for problem in read_files(gold, outputs).problems}
    assert wanted
    with pytest.raises(SparkProblemsError) as caught:
        spark_tally(session, str(gold), str(outputs), parts=3)
    assert set(caught.value.codes) == wanted


def test_numbers_keep_every_digit_and_their_type(session: Any, tmp_path: Path) -> None:
    gold = write(
        tmp_path / "gold.jsonl",
        [gold_row("c", "f.a", "number", 2**53 + 1), gold_row("c", "f.b", "number", 1)],
    )
    outputs = write(tmp_path / "out.jsonl", [output_row("c", "f.a", 2**53), output_row("c", "f.b", 1.0)])
    overall = report_of(spark_tally(session, str(gold), str(outputs))).overall
    assert overall.exact_agreement.success_count == 0
    assert overall.normalized_agreement.success_count == 1


def test_nothing_there_and_nothing_in_it_have_their_own_errors(session: Any, tmp_path: Path) -> None:
    empty = write(tmp_path / "empty.jsonl", [])
    with pytest.raises(UsageError):
        spark_tally(session, str(tmp_path / "no.jsonl"), str(empty))
    with pytest.raises(NothingToJudgeError):
        spark_tally(session, str(empty), str(empty))


def test_what_runs_on_executors_answers_with_codes_and_never_raises() -> None:
    bad: Any = [1, 2]  # not bytes: something nobody foresaw
    from scoring.abstraction.spark import _guarded

    assert list(_guarded(_gold_parts)(bad)) == [("", {"unforeseen AttributeError": 1})]
    assert list(_guarded(_output_parts)([b"{"])) == [("", {"invalid_json": 1})]
    ((fields, codes, *_),) = _tally_part([("c", ([[("f.a", "text", "x")]], [[("f.a", "x")]]))])
    assert (fields, codes) == ({}, {"unforeseen ValueError": 1})


def test_parts_add_up_to_the_whole_without_spark() -> None:
    groups: Any = [
        (f"c{n}", ([[("f.a", "number", n)]], [[("f.a", n if n % 2 else -1, n % 3 == 0)]])) for n in range(600)
    ]
    whole: list[Tally] = []
    for piece in (groups[:7], groups[7:]):
        ((fields, codes, *_),) = _tally_part(piece)
        assert codes == {}
        from scoring.abstraction import AbstractionFieldType as Kind

        whole.append(Tally({name: FieldTally(Kind(kind), tuple(c)) for name, (kind, c) in fields.items()}))
    overall = report_of(merge(whole)).overall
    assert overall.exact_agreement.success_count == 300
    assert overall.evidence_support.success_count == 200
