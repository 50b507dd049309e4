"""Files read line by line: the same as files read whole, and never a mixture of two states."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import jsonl
from scoring.cases import case_file, load_cases
from scoring.errors import ConflictError, UsageError
from scoring.record import stored_snapshot, take_snapshot
from scoring.spool import Spool
from scoring.stored import StoredLines, store
from scoring.stored_cases import stored_case_file
from tests.cli.processes import revision
from tests.clinical.samples import case, pending, write
from tests.support import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SHIPPED_CASES = ROOT / "casos" / "casos.jsonl"
PIECES = st.sampled_from(
    [b'{"id": "a"}', b"{}", b"[1]", b"", b"  ", b'{"id": "\xc3\xa1"}', b"\xff", b'{"a": 1', b"<<<<<<< x"]
)
ENDS = st.sampled_from([b"\n", b"\r\n"])


def stored(path: Path) -> jsonl.Document:
    return store(StoredLines(path), lambda _row: None)


@given(
    mark=st.sampled_from([b"", jsonl.BOM]), lines=st.lists(st.tuples(PIECES, ENDS), max_size=6), last=PIECES
)
def test_any_file_read_line_by_line_is_the_document_that_it_is_when_read_whole(
    tmp_path_factory: pytest.TempPathFactory, mark: bytes, lines: list[tuple[bytes, bytes]], last: bytes
) -> None:
    path = tmp_path_factory.mktemp("lines") / "f.jsonl"
    path.write_bytes(mark + b"".join(text + end for text, end in lines) + last)
    whole, found = jsonl.read(path), stored(path)
    assert tuple(found.lines) == whole.lines
    assert tuple(found.rows) == whole.rows
    assert (found.problems, found.bom, found.data) == (whole.problems, whole.bom, path.read_bytes())


def test_a_file_in_utf_16_has_one_problem_either_way(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_bytes('{"id": "a"}\n{"id": "b"}\n'.encode("utf-16"))
    assert stored(path).problems == jsonl.read(path).problems
    assert [problem.code for problem in stored(path).problems] == ["utf16"]


def test_a_file_that_is_not_there_or_a_folder_is_told_as_when_read_whole(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(UsageError) as whole:
            jsonl.read(path)
        with pytest.raises(UsageError) as found:
            StoredLines(path)
        assert str(found.value) == str(whole.value)


def test_a_line_written_over_meanwhile_is_refused_and_not_mixed_in(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_bytes(b'{"id": "a"}\n{"id": "b"}\n')
    document = stored(path)
    with path.open("r+b") as stream:  # in place, as no tool of this project writes
        stream.write(b'{"id": "x"}')
    assert document.rows[1].value == {"id": "b"}
    with pytest.raises(ConflictError) as refused:
        document.rows[0]
    assert "línea 1" in str(refused.value)


def test_a_file_cut_short_meanwhile_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_bytes(b'{"id": "a"}\n{"id": "b"}\n')
    document = stored(path)
    os.truncate(path, 14)
    with pytest.raises(ConflictError):
        document.rows[1]


def test_a_file_that_is_replaced_stays_what_it_was_for_whoever_reads_it(tmp_path: Path) -> None:
    path, other = tmp_path / "f.jsonl", tmp_path / "new"
    path.write_bytes(b'{"id": "a"}\n')
    document = stored(path)
    other.write_bytes(b'{"id": "z"}\n')
    other.replace(path)
    assert document.rows[0].value == {"id": "a"}


def test_a_pipe_is_read_once_and_can_be_gone_through_again(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b'{"id": "a"}\n{"id": "b"}\n',))
    writer.start()
    document = stored(path)
    writer.join()
    assert [row.value["id"] for row in document.rows] == ["a", "b"]
    assert [row.value["id"] for row in document.rows] == ["a", "b"]


def test_a_data_set_read_line_by_line_has_the_cases_and_problems_of_one_read_whole(tmp_path: Path) -> None:
    lines = SHIPPED_CASES.read_bytes().splitlines(keepends=True)
    path = tmp_path / "casos.jsonl"
    # the first case twice, a broken line, a case whose split does not exist
    faulty = lines[3].replace(b'"dev"', b'"otro"')
    path.write_bytes(b"".join([*lines[:3], lines[0], b"{\n", faulty]))
    whole, found = load_cases(path), stored_case_file(StoredLines(path))
    assert tuple(found.rows) == whole.rows
    assert found.rows[-2] == whole.rows[-2]
    assert found.problems == whole.problems
    assert found.places == whole.places
    assert "cases.duplicate_id" in {problem.key for problem in found.rows[3].problems}
    assert case_file(jsonl.read(path)).problems == whole.problems


def test_the_states_of_a_stored_snapshot_are_those_of_one_held_whole() -> None:
    whole, found = take_snapshot(SHIPPED_CASES), stored_snapshot(SHIPPED_CASES)
    assert found.states == whole.states
    assert found.disk == whole.disk == SHIPPED_CASES.read_bytes()
    assert found.identity == whole.identity


def test_stored_states_are_those_that_are_held_and_no_signed_line_goes_to_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Signed, edited afterwards and pending: the line as it was signed is told and not spooled."""
    path = write(tmp_path / "casos.jsonl", case("a", signos_clinicos="Secreto"), case("b"), pending("c"))
    done = revision("--casos", path, "--validar", "c", "--revisor", "Ana Prueba", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    path.write_text(path.read_text(encoding="utf-8").replace("Secreto", "Otro"), encoding="utf-8")
    spooled: list[str] = []
    put = Spool.put

    def noted(self: Spool, value: object) -> int:
        spooled.append(repr(value))
        return put(self, value)

    monkeypatch.setattr(Spool, "put", noted)
    whole, found = take_snapshot(path), stored_snapshot(path)
    assert dict(found.states) == whole.states
    assert [str(state.status) for state in found.states.values()] == ["caducado", "firmado", "firmado"]
    assert "Secreto" in (found.states["a"].signed_text or "")
    assert len(spooled) == 3
    assert "Secreto" not in "".join(spooled)
