"""Trying the demo never touches a shipped file, and never throws a practice signature away."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from reviewer import demo
from scoring.errors import WriteError
from tests.support import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def test_the_working_copy_is_made_once_and_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "demo" / "casos.jsonl"
    assert demo.ensure_working_copy(path)
    assert path.read_bytes() == (ROOT / "casos" / "casos.jsonl").read_bytes()
    path.write_bytes(b"{}\n")
    assert not demo.ensure_working_copy(path)
    assert path.read_bytes() == b"{}\n"
    assert [entry.name for entry in path.parent.iterdir()] == ["casos.jsonl"]


def test_many_programs_at_once_end_with_one_copy(tmp_path: Path) -> None:
    path = tmp_path / "demo" / "casos.jsonl"
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: demo.ensure_working_copy(path), range(8)))
    assert sum(made) == 1
    assert [entry.name for entry in path.parent.iterdir()] == ["casos.jsonl"]


def test_a_file_system_without_links_gets_its_copy_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "demo" / "casos.jsonl"
    assert demo.ensure_working_copy(path)
    assert path.exists()


def test_starting_afresh_sets_the_old_copy_and_its_record_aside(tmp_path: Path) -> None:
    path = tmp_path / "demo" / "casos.jsonl"
    assert demo.start_afresh(path) is None
    path.with_name("casos.firmas.jsonl").write_bytes(b"x\n")
    aside = demo.start_afresh(path)
    assert aside == tmp_path / "demo-anterior-1"
    assert (aside / "casos.firmas.jsonl").read_bytes() == b"x\n"
    assert [entry.name for entry in path.parent.iterdir()] == ["casos.jsonl"]
    assert demo.start_afresh(path) == tmp_path / "demo-anterior-2"


def test_a_data_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "demo").write_text("a file where the folder should be")
    with pytest.raises(WriteError) as caught:
        demo.ensure_working_copy(tmp_path / "demo" / "casos.jsonl")
    assert "copia de demostración" in str(caught.value)
