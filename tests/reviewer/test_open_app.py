"""What the app is opened with, where options and settings decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reviewer.app.board_desk import reports_folder as folder_of
from reviewer.app.session import Session
from reviewer.app.settings import Settings
from reviewer.commands.open_app import REPORTS_VARIABLE, reports_folder
from scoring.errors import UsageError
from tests.support import make_case, write_cases

if TYPE_CHECKING:
    from pathlib import Path


def test_reports_are_kept_where_the_environment_says_else_the_settings_else_beside_the_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = write_cases(tmp_path / "casos.jsonl", make_case("a"))
    monkeypatch.chdir(tmp_path)
    assert reports_folder() is None
    assert folder_of(Session.open(Settings(cases))) == tmp_path / "informes"
    (tmp_path / "revision.toml").write_text('informes = "guardados"\n', encoding="utf-8")
    assert reports_folder() == tmp_path / "guardados"
    monkeypatch.setenv(REPORTS_VARIABLE, "/otra/parte")
    settings = Settings(cases, reports_folder=reports_folder())
    assert str(folder_of(Session.open(settings))) == "/otra/parte"
    monkeypatch.delenv(REPORTS_VARIABLE)
    (tmp_path / "revision.toml").write_text("informes = 3\n", encoding="utf-8")
    with pytest.raises(UsageError):
        reports_folder()
