"""The working copy of the shipped set: trying the demo never touches an installed or versioned file.

The copy lives in the user's data folder and is made at the first use. Starting afresh moves the old
copy, with its record, to a folder beside it: not even practice signatures are thrown away.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from importlib.resources import files
from typing import TYPE_CHECKING

from scoring.files import prepared, write_error

if TYPE_CHECKING:
    from pathlib import Path


def shipped(name: str) -> bytes:
    """The bytes of a file of the shipped set."""
    return files("casos").joinpath(name).read_bytes()


def ensure_working_copy(path: Path) -> bool:
    """Make the working copy at ``path`` unless it is there; says whether it made one.

    Two programs that start at once end with one copy, and a copy already there is never overwritten.

    Raises:
        WriteError: the user's data folder does not let itself be written.
    """
    if path.exists():
        return False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with prepared(path, shipped("casos.jsonl")) as fresh:
            try:
                os.link(fresh, path)
            except FileExistsError:
                return False
            except OSError:  # a file system without hard links
                if path.exists():
                    return False
                fresh.replace(path)
    except OSError as error:
        raise write_error(path.parent, error, key="demo.no_copy") from None
    return True


def start_afresh(path: Path) -> Path | None:
    """Set the present working copy and its record aside and make a new one.

    Returns:
        The folder with what was set aside, or None when there was nothing.

    Raises:
        WriteError: the user's data folder does not let itself be written.
    """
    aside: Path | None = None
    if path.parent.exists() and any(path.parent.iterdir()):
        names = (path.parent.with_name(f"{path.parent.name}-anterior-{n}") for n in itertools.count(1))
        aside = next(name for name in names if not name.exists())
        try:
            path.parent.rename(aside)
        except OSError as error:
            raise write_error(path.parent, error, key="demo.no_copy") from None
    elif path.parent.exists():
        with contextlib.suppress(OSError):
            path.parent.rmdir()
    ensure_working_copy(path)
    return aside
