"""A reading that takes over what an earlier one found is the same as a fresh one, whatever changed between."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from reviewer.signing import Sign, Withdraw
from reviewer.store import Dataset
from scoring.cases import case_file
from scoring.jsonl import parse
from scoring.record import parse_record, record_path
from tests.support import make_case

PATH = Path("casos.jsonl")
LINES = [
    *(json.dumps(make_case(name)) for name in ("a", "b")),
    json.dumps(make_case("a", split="otro")),
    json.dumps(make_case("a", validado=True)),
    '{"id": "a"}',
    '{"id": "b", "paciente": 3}',
    "{",
    "",
    "  ",
    "[1]",
]
files = st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from(["\n", "\r\n"])), max_size=6).map(
    lambda lines: "".join(line + end for line, end in lines).encode()
)


@given(files, files, st.booleans())
def test_cases(before: bytes, after: bytes, bom: bool) -> None:
    if bom:
        after = b"\xef\xbb\xbf" + after
    known = case_file(parse(PATH, before))
    document = parse(PATH, after, known.document)
    assert document == parse(PATH, after)
    assert case_file(document, known) == case_file(parse(PATH, after))


def record_lines(folder: Path) -> list[bytes]:
    path = folder / "casos.jsonl"
    path.write_text("".join(json.dumps(make_case(name)) + "\n" for name in "abc"), "utf-8")
    now = Dataset.open(path)
    for decision in (Sign(("a",), "Ana"), Sign(("b", "c"), "Eva"), Withdraw(("a",), "Ana", "otro animal")):
        now = now.apply(decision).dataset
    return record_path(path).read_bytes().splitlines()


def test_records(tmp_path: Path) -> None:
    pool = [*record_lines(tmp_path), b"{}", b"", b"<<<<<<< HEAD", b'{"v":1']

    @given(
        st.lists(st.sampled_from(pool), max_size=6).map(b"\n".join),
        st.lists(st.sampled_from(pool), max_size=6).map(b"\n".join),
    )
    def check(before: bytes, after: bytes) -> None:
        known = parse_record(PATH, before)
        assert parse_record(PATH, after, known) == parse_record(PATH, after)

    check()


def test_what_apply_answers_is_what_the_disk_holds(tmp_path: Path) -> None:
    record_lines(tmp_path)
    path = tmp_path / "casos.jsonl"
    now = Dataset.open(path)
    now = now.apply(Sign(("a",), "Eva")).dataset
    fresh = Dataset.open(path)
    assert (now.entries, now.record, now.states) == (fresh.entries, fresh.record, fresh.states)
    # Somebody moved the lines about and damaged one.
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([lines[2], b"{", lines[0], lines[0]]))
    again, fresh = now.reload(), Dataset.open(path)
    assert (again.entries, again.problems, again.states) == (fresh.entries, fresh.problems, fresh.states)
    with contextlib.suppress(OSError):
        record_path(path).unlink()
    assert now.reload().record == Dataset.open(path).record
