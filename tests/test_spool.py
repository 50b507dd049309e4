"""Values kept on the disk come back as they were, or not at all."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.by_id import NumberById
from scoring.errors import ExitCode, WriteError
from scoring.spool import Spool

if TYPE_CHECKING:
    from pathlib import Path

VALUES = st.lists(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    max_size=5,
)


@given(st.lists(VALUES, max_size=20), st.randoms())
def test_any_value_comes_back_in_any_order_while_more_are_put(given_: list[Any], chance: Any) -> None:
    spool = Spool()
    places: list[int] = []
    for value in given_:
        places.append(spool.put(value))
        which = chance.randrange(len(places))
        assert spool.get(places[which]) == given_[which]
    assert [spool.get(place) for place in places] == given_


@pytest.mark.skipif(sys.platform == "win32", reason="a file without a name is a thing of POSIX")
def test_the_file_has_no_name_and_is_for_its_owner_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "temporales"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    spool = Spool()
    spool.get(spool.put("a" * 100_000))
    assert list(folder.iterdir()) == []
    assert stat.S_IMODE(os.fstat(spool._stream.fileno()).st_mode) == 0o600


def test_a_value_that_the_disk_changed_or_lost_is_an_error_and_no_value() -> None:
    spool = Spool()
    first, second = spool.put([1.0]), spool.put([2.0])
    assert spool.get(second) == [2.0]
    os.pwrite(spool._stream.fileno(), b"[7.0]", first + 8)
    spool.put("b")  # what was read ahead is let go
    with pytest.raises(WriteError) as caught:
        spool.get(first)
    assert caught.value.exit_code == ExitCode.WRITE_FAILED
    os.truncate(spool._stream.fileno(), second)
    spool.put("c")  # it leaves a hole of zeros before it
    with pytest.raises(WriteError):
        spool.get(second)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a disk that is always full")  # noqa: PTH110
def test_a_full_disk_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: open("/dev/full", "r+b", buffering=0))  # noqa: PTH123, SIM115
    with pytest.raises(WriteError) as caught:
        Spool().put("a")
    assert caught.value.exit_code == ExitCode.WRITE_FAILED
    assert "TMPDIR" in str(caught.value)


def test_no_folder_for_temporary_files_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(WriteError, match="none"):
        Spool()


@given(
    st.lists(st.text(max_size=2), unique=True, max_size=8),
    st.lists(st.tuples(st.text(max_size=2), st.integers(0, 2**40)), max_size=12),
)
def test_numbers_by_id_are_a_dictionary(index: list[str], given_: list[tuple[str, int]]) -> None:
    """The index first, in its order, then ids it does not have, in the order they came."""
    table = NumberById({one: place for place, one in enumerate(index)})
    plain = dict(given_)
    for case_id, number in given_:
        table[case_id] = number
    assert dict(table) == plain
    assert len(table) == len(plain)
    assert list(table) == [one for one in index if one in plain] + [one for one in plain if one not in index]
    assert all((one in table) == (one in plain) for one in [*index, *plain, "no such id"])
