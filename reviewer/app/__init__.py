"""The app of ``revision``: the only part that knows Textual, which is imported when it is started."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviewer.app.settings import Settings
from scoring import messages
from scoring.cli import console

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Settings", "run"]

FELT_BYTES = 5 << 20
"""Larger files take more than a second to read."""


def run(settings: Settings) -> int:
    """Open the app on this terminal and return the program's exit code when it is left.

    Raises:
        ProductError: the data set or the reviewer cannot be used; nothing has been painted yet.
    """
    from reviewer.app.application import ReviewApp
    from reviewer.app.session import Session

    _say_what_takes_long(settings.dataset_path)
    return ReviewApp(Session.open(settings)).run_on_terminal()


def _say_what_takes_long(path: Path) -> None:
    """A line before the screen is taken, when reading will be felt."""
    try:
        size = path.stat().st_size
    except (OSError, ValueError):
        return  # opening it says what is wrong
    if size >= FELT_BYTES:
        console.talk(messages.text("app_decide.opening", path=path, size=size >> 20))
