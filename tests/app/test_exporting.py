"""Saving the report from the dashboard: the report of run-evals, and never over anything without asking."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from reviewer.app import exporting
from reviewer.app.exporting import FORMATS, named, proposed, target, write
from scoring.errors import ProductError, UsageError, WriteError
from scoring.reports.stored import Reports
from tests.app.support import MOMENT
from tests.reports.support import report

if TYPE_CHECKING:
    from pathlib import Path


def test_every_form_is_written_whole_and_says_the_same_verdict(tmp_path: Path) -> None:
    now = report()
    for name in FORMATS:
        path = proposed(tmp_path / "informes", name, MOMENT)
        assert path.name == f"dev-2026-08-05-103000{FORMATS[name]}"
        assert write(now, name, target(str(path), tmp_path / "casos.jsonl", ()))
    folder = tmp_path / "informes"
    stem = "dev-2026-08-05-103000"
    content = json.loads((folder / f"{stem}.json").read_bytes())
    assert {key: content[key] for key in content if key != "generado"} == json.loads(now.to_json())
    assert "LA PUERTA PASA" in (folder / f"{stem}.txt").read_text(encoding="utf-8")
    assert "PASA" in (folder / f"{stem}.md").read_text(encoding="utf-8")
    assert "PASA" in (folder / f"{stem}.html").read_text(encoding="utf-8")
    assert ET.parse(folder / f"{stem}.xml").getroot().get("failures") == "0"
    shelf = Reports(folder).read()
    assert len(shelf.reports) == 1, "the exported JSON makes the trend grow"
    assert shelf.reports[0].at is not None
    assert shelf.unreadable == ()


def test_a_file_in_use_a_folder_and_no_name_are_refused_with_a_sentence(tmp_path: Path) -> None:
    cases, outputs = tmp_path / "casos.jsonl", tmp_path / "salidas.jsonl"
    for path in (cases, outputs):
        path.write_text("", encoding="utf-8")
    (tmp_path / "enlace.json").symlink_to(cases)
    for typed, key in (
        (str(cases), "board_export.in_use"),
        (str(outputs), "board_export.in_use"),
        (str(tmp_path / "enlace.json"), "board_export.in_use"),
        (str(tmp_path / "casos.firmas.jsonl"), "board_export.in_use"),
        (str(tmp_path / "casos.accesos.jsonl"), "board_export.in_use"),
        (str(tmp_path), "board_export.is_folder"),
        ("  ", "board_export.no_name"),
        ("a\0b", "board_export.bad_name"),
    ):
        with pytest.raises(UsageError) as caught:
            target(typed, cases, (outputs, None))
        assert caught.value.key == key, typed
        assert str(caught.value)


def test_what_stands_there_is_asked_about_and_what_came_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    fresh = target(str(path), tmp_path / "casos.jsonl", ())
    assert not fresh.exists
    path.write_text("de otra persona", encoding="utf-8")
    assert not write(report(), "json", fresh)
    assert path.read_text(encoding="utf-8") == "de otra persona"
    asked = target(str(path), tmp_path / "casos.jsonl", ())
    assert asked.exists
    assert write(report(), "json", asked)
    assert json.loads(path.read_bytes())["veredicto"] == "pasa"


def test_a_name_that_cannot_be_written_is_a_named_error_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "archivo").write_text("x", encoding="utf-8")
    with pytest.raises(WriteError):
        write(report(), "json", target(str(tmp_path / "archivo" / "x.json"), tmp_path / "casos.jsonl", ()))
    assert [path.name for path in tmp_path.iterdir() if path.name != "casa"] == ["archivo"]


def test_the_home_folder_may_be_written_as_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert named("~/x.json") == tmp_path / "x.json"
    assert exporting.named(" ~/x.json ") == tmp_path / "x.json"
    with pytest.raises(ProductError):
        named("~nadie-se-llama-asi/x.json")
