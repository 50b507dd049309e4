"""A line beyond 1 MiB is told with its number, whatever it holds and wherever it stands; nothing is dropped."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from scoring.abstraction.files import FilesError, read_files
from scoring.abstraction.finalize_files import evaluate_files
from scoring.abstraction.parallel import score_files_in_parallel

from .rows import chain, gold_row, output_row

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = 1 << 20
GOLD = [json.dumps(gold_row("c", f"f{n}", "text", "x")).encode() for n in range(3)]
OUTPUTS = [json.dumps(output_row("c", f"f{n}", "x")).encode() for n in range(3)]


def padded(row: bytes, length: int, *, before: bool) -> bytes:
    """The row made ``length`` bytes long with blanks, which JSON allows on both sides."""
    return row.rjust(length) if before else row.ljust(length)


def told(
    folder: Path, gold: list[bytes], outputs: list[bytes], end: bytes = b"\n"
) -> list[tuple[str, int | None, str]]:
    (folder / "gold.jsonl").write_bytes(end.join(gold))
    (folder / "out.jsonl").write_bytes(end.join(outputs))
    result = read_files(folder / "gold.jsonl", folder / "out.jsonl")
    return [(problem.source, problem.line, problem.code) for problem in result.problems]


@pytest.mark.parametrize(
    "line",
    [
        b" " * (2 * LIMIT) + GOLD[1],
        b" " * LIMIT + GOLD[1],
        GOLD[1] + b" " * (2 * LIMIT),
        GOLD[1].ljust(LIMIT) + b"garbage",
        GOLD[1].ljust(2 * LIMIT) + GOLD[2],
        b"\r" * (2 * LIMIT) + GOLD[1],
        b"\t" * (30 * LIMIT),
    ],
    ids=[
        "blanks, row",
        "1 MiB, row",
        "row, blanks",
        "row, blanks, garbage",
        "two rows",
        "CR",
        "blanks alone",
    ],
)
@pytest.mark.parametrize("place", [0, 1])
def test_blanks_do_not_hide_what_stands_on_a_line_that_is_too_long(
    place: int, line: bytes, tmp_path: Path
) -> None:
    gold = [GOLD[0]]
    gold.insert(place, line)
    assert told(tmp_path, gold, []) == [("gold", place + 1, "line_too_long")]
    answers = [OUTPUTS[0]]
    answers.insert(place, line)
    assert told(tmp_path, GOLD, answers) == [("outputs", place + 1, "line_too_long")]
    (tmp_path / "gold.jsonl").write_bytes(b"\n".join(gold))
    (tmp_path / "out.jsonl").write_bytes(b"")
    with pytest.raises(FilesError) as caught:
        score_files_in_parallel(tmp_path / "gold.jsonl", tmp_path / "out.jsonl", 2)
    assert [problem.line for problem in caught.value.problems] == [place + 1]


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("rows_before", [0, 1, 3000])
def test_the_bound_is_one_mebibyte_without_the_line_end_wherever_the_line_stands(
    rows_before: int, end: bytes, before: bool, tmp_path: Path
) -> None:
    rows = [json.dumps(gold_row("d", f"f{n}", "text", "x")).encode() for n in range(rows_before)]
    for length, expected in ((LIMIT, []), (LIMIT + 1, [("gold", rows_before + 1, "line_too_long")])):
        line = padded(GOLD[0], length, before=before)
        assert told(tmp_path, [*rows, line, GOLD[1]], [], end) == expected
        assert told(tmp_path, [*rows, line], [], end) == expected


def test_a_byte_order_mark_is_not_part_of_the_first_line(tmp_path: Path) -> None:
    for length, expected in ((LIMIT, []), (LIMIT + 1, [("gold", 1, "line_too_long")])):
        assert told(tmp_path, [b"\xef\xbb\xbf" + GOLD[0].ljust(length), GOLD[1]], []) == expected


def test_no_receipt_is_given_over_a_line_that_was_too_long_to_read(tmp_path: Path) -> None:
    """Each file of the finalization has one line of 2 MiB of blanks and something that must count."""
    blanks = b" " * (2 * LIMIT)
    approved = json.dumps(chain("f")).encode()
    rejected = json.dumps(chain("g", reviewer_state="rejected")).encode()
    blocking = b'{"code":"conflicting_facts","field_id":"f"}'
    evidence, required, issues = (tmp_path / name for name in ("e.jsonl", "r.txt", "b.jsonl"))
    for chains, names, blocks, source in (
        (approved, b"f\n" + blanks + b"g\n", b"", "required"),
        (approved, b"f\n#" + blanks + b"\n", b"", "required"),
        (blanks + rejected + b"\n" + approved, b"f\n", b"", "evidence"),
        (approved, b"f\n", blanks + blocking, "issues"),
    ):
        evidence.write_bytes(chains)
        required.write_bytes(names)
        issues.write_bytes(blocks)
        with pytest.raises(FilesError) as caught:
            evaluate_files(evidence, required, issues)
        assert [
            (problem.source, problem.code) for problem in caught.value.problems if hasattr(problem, "source")
        ] == [(source, "line_too_long")]
