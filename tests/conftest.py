"""Keeps the developer's own settings, home, language, colours, zone and luck out of every test."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from scoring import messages

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


# The examples are the same in each run, and how long one takes is the machine's affair.
settings.register_profile(
    "igual", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("igual")

_FOREIGN = ("REVISION_", "XDG_", "GIT_", "GITHUB_", "SSH_", "PUERTA_", "ANTHROPIC_", "LC_")
_FOREIGN_NAMES = {
    "NO_COLOR",
    "FORCE_COLOR",
    "COLUMNS",
    "LINES",
    "CI",
    "TF_BUILD",
    "LANG",
    "LANGUAGE",
    "DISPLAY",
}


@pytest.fixture(scope="session", autouse=True)
def nobodys_environment() -> Iterator[None]:
    """What the developer or a CI system has set is not seen; also not by fixtures that several tests share."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(_FOREIGN) or name in _FOREIGN_NAMES:
                patch.delenv(name)
        patch.setenv("LC_ALL", "C.UTF-8")
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.setenv("TZ", "UTC")
        if hasattr(time, "tzset"):
            time.tzset()
        yield


@pytest.fixture(autouse=True)
def own_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    home = tmp_path / "casa"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "datos"))
    # A judge's server that happens to run on this machine must not be asked by a test.
    monkeypatch.setenv("REVISION_JUEZ_URL", "http://127.0.0.1:9")
    messages.set_language("es")
    yield
    messages.set_language("es")
