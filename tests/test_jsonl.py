"""A JSONL file keeps its bytes, and every fault of it is addressed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import jsonl
from scoring.errors import DataError, UsageError


@given(st.lists(st.sampled_from([b"{}", b"\n", b"\r\n", b"\r", b" ", b"\xef\xbb\xbf", b"\xff", b'{"a":1}'])))
def test_joining_the_lines_gives_the_file_back(parts: list[bytes]) -> None:
    data = b"".join(parts)
    document = jsonl.parse(Path("x"), data)
    assert document.bom + b"".join(line.raw + line.end for line in document.lines) == data
    assert [line.number for line in document.lines] == list(range(1, len(document.lines) + 1))


def test_every_bad_line_is_named_and_the_good_ones_are_read() -> None:
    data = b'\xef\xbb\xbf{"id":"a"}\r\n\n{"id":"b",}\n[1]\n{"id":"c"}'
    document = jsonl.parse(Path("x"), data)
    assert [row.value["id"] for row in document.rows] == ["a", "c"]
    assert [(p.line, p.code) for p in document.problems] == [(3, "syntax"), (4, "not_an_object")]
    assert document.problems[1].sentence() == "línea 4: se esperaba un objeto {...} y hay una lista."
    assert document.lines[0].end == b"\r\n"
    assert document.lines[4].end == b""


@pytest.mark.parametrize("coding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_file_in_utf16_has_one_problem_that_says_how_to_save_it(coding: str) -> None:
    data = '{"id": "a"}\n{"id": "b"}\n{"id": "c"}\n'.encode(coding)
    document = jsonl.parse(Path("x"), data)
    assert document.rows == ()
    assert [(problem.key, problem.line) for problem in document.problems] == [("jsonl.utf16", None)]
    assert "parece UTF-16. Guárdelo como UTF-8" in document.problems[0].sentence()


@pytest.mark.parametrize(
    "data", [b"", b"{", b"\0\0\0\0", b'\xef\xbb\xbf{"id": "a"}', b"\xff\xffx\n", b"\n\n\n\n{}"]
)
def test_what_is_not_utf16_is_not_said_to_be(data: bytes) -> None:
    assert "utf16" not in {problem.code for problem in jsonl.parse(Path("x"), data).problems}


def test_a_line_beyond_one_mebibyte_is_refused_by_name() -> None:
    long = b'{"a":"' + b"x" * jsonl.MAX_LINE_BYTES + b'"}'
    (problem,) = jsonl.parse(Path("x"), long + b"\n").problems
    assert (problem.code, problem.line) == ("line_too_long", 1)


def test_a_path_that_names_nothing_readable_is_wrong_usage(tmp_path: Path) -> None:
    for path, code in ((tmp_path / "nada.jsonl", "file_missing"), (tmp_path, "file_is_folder")):
        with pytest.raises(UsageError) as caught:
            jsonl.read(path)
        assert caught.value.code == code
        assert str(path) in str(caught.value)


def test_a_file_beyond_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "enorme.jsonl"
    with path.open("wb") as stream:
        os.truncate(stream.fileno(), jsonl.MAX_FILE_BYTES + 1)  # sparse: takes no disk
    with pytest.raises(DataError) as caught:
        jsonl.read(path)
    assert caught.value.code == "file_too_large"
