"""Keys are pressed as fast as the app takes them: the pilot looks more often whether it is idle."""

from __future__ import annotations

import pytest
from textual import _wait


@pytest.fixture(autouse=True)
def quick_pilot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_wait, "SLEEP_GRANULARITY", 1 / 200)
    monkeypatch.setattr(_wait, "SLEEP_IDLE", 1 / 2000)
