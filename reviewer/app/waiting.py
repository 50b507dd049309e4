"""Who is being waited for while a decision cannot be written yet. No Textual here."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from scoring import messages
from scoring.errors import ProductError
from scoring.record import load_intent

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE_SECONDS = 0.7
"""A save takes less than this; after it the person is told what it waits for."""


def who_saves(data_path: Path) -> str:
    """A sentence about whoever holds the data set, as far as that is known; empty for this program."""
    try:
        intent = load_intent(data_path)
    except ProductError:
        intent = None
    if intent is None or intent.process is None or not intent.reviewer:
        return messages.text("app_decide.waiting_somebody")
    if intent.process == os.getpid():
        return ""
    return messages.text(
        "app_decide.waiting", reviewer=intent.reviewer, process=intent.process, host=intent.host or "?"
    )
