"""Who looked at single cases of the reserved split, in a file of its own beside the data set.

One JSON line per look, only ever appended. It is written and flushed before anything is shown, so that
no look goes unrecorded; it holds no case data, only who, when, and on which files.
"""

from __future__ import annotations

import json
import os
import unicodedata
from typing import TYPE_CHECKING

from scoring import __version__
from scoring.cases import MAX_NAME
from scoring.errors import UsageError
from scoring.files import resolve, write_error
from scoring.plain import plain

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

ENDING = ".accesos.jsonl"


def access_path(data_path: Path) -> Path:
    """``casos.jsonl`` -> ``casos.accesos.jsonl``."""
    target = resolve(data_path)
    return target.with_name(target.name.removesuffix(".jsonl") + ENDING)


def person(name: str | None) -> str:
    """The name of who looks, composed and without blanks at its ends.

    Raises:
        UsageError: there is none, or it cannot be printed.
    """
    if name is None:
        raise UsageError("access.no_name")
    kept = unicodedata.normalize("NFC", name[: MAX_NAME + 1]).strip()
    if not any(char.isalnum() for char in kept) or plain(kept) != kept or len(name) > MAX_NAME:
        raise UsageError("access.bad_name", found=kept)
    return kept


def record_look(
    path: Path, *, who: str, what: str, split: str, cases_digest: str, outputs_digest: str, now: datetime
) -> None:
    """Append one look.

    Args:
        path: the access record (:func:`access_path`).
        who: name as typed (:func:`person`).
        what: the option or screen.
        split: what was looked at.
        cases_digest: of the data set.
        outputs_digest: of the outputs.
        now: with its offset.

    Raises:
        WriteError: it could not be written; then nothing may be shown.
    """
    entry = {
        "fecha": now.isoformat(timespec="seconds"),
        "quien": who,
        "via": what,
        "split": split,
        "digest_casos": cases_digest,
        "digest_predicciones": outputs_digest,
        "version_herramienta": __version__,
    }
    line = (json.dumps(entry, ensure_ascii=False) + "\n").encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            size = os.fstat(number).st_size
            if size and os.pread(number, 1, size - 1) != b"\n":  # a line that an interruption left open
                line = b"\n" + line
            if os.write(number, line) != len(line):
                raise OSError(28, os.strerror(28))
            os.fsync(number)
        finally:
            os.close(number)
    except OSError as error:
        raise write_error(path, error) from None
