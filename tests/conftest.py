"""Keeps the developer's own settings, home, language and colours out of every test."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def own_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    home = tmp_path / "casa"
    home.mkdir()
    for name in list(os.environ):
        if name.startswith(("REVISION_", "XDG_")) or name in {"NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"}:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "datos"))
    # A judge's server that happens to run on this machine must not be asked by a test.
    monkeypatch.setenv("REVISION_JUEZ_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("TZ", "UTC")
    messages.set_language("es")
    yield
    messages.set_language("es")
