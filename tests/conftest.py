"""Keeps the developer's own settings, home, language, colours, zone and luck out of every test."""

from __future__ import annotations

import contextlib
import os
import signal
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
        with _signals_heard():
            yield


@contextlib.contextmanager
def _signals_heard() -> Iterator[None]:
    """Signals that whoever started the tests ignores (a shell in the background, nohup) are heard.

    A program that is started hands on what it ignores, so no test could interrupt one.
    """
    ignored = [
        one
        for one in (getattr(signal, name, None) for name in ("SIGINT", "SIGQUIT", "SIGHUP", "SIGTERM"))
        if one is not None and signal.getsignal(one) is signal.SIG_IGN
    ]
    for one in ignored:
        signal.signal(one, signal.default_int_handler if one is signal.SIGINT else signal.SIG_DFL)
    yield
    for one in ignored:
        signal.signal(one, signal.SIG_IGN)


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
