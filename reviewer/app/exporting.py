"""Writing the report of the dashboard to a file: which forms there are, where to, over what. No Textual."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scoring.errors import UsageError
from scoring.files import identity, resolve, write_report
from scoring.record import companions

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from scoring.clinical import GateReport

FORMATS = {"json": ".json", "texto": ".txt", "markdown": ".md", "html": ".html", "junit": ".xml"}
"""Name of ``--formato`` -> ending of the file that is proposed; in the order of their keys."""


@dataclass(frozen=True, slots=True)
class Target:
    """A file to write.

    Attributes:
        path: where.
        seen: what stood there when the person was asked (:func:`scoring.files.identity`); None: nothing.
    """

    path: Path
    seen: tuple[int, int, int, int] | None

    @property
    def exists(self) -> bool:
        """Something stands there, so the person has to be asked."""
        return self.seen is not None


def proposed(folder: Path, name: str, now: datetime) -> Path:
    """The file that is proposed for the form called ``name``; its name sorts by time."""
    return folder / f"dev-{now:%Y-%m-%d-%H%M%S}{FORMATS[name]}"


def named(typed: str) -> Path:
    """The file that ``typed`` names; ``~`` is the home folder.

    Raises:
        UsageError: it is no path, or a folder.
    """
    if not typed.strip():
        raise UsageError("board_export.no_name")
    try:
        path = Path(typed.strip()).expanduser()
        is_folder = path.is_dir()
        path.resolve()
    except (OSError, RuntimeError, ValueError):
        raise UsageError("board_export.bad_name", found=typed) from None
    if is_folder:
        raise UsageError("board_export.is_folder", path=path)
    return path


def target(typed: str, cases: Path, read: Iterable[Path | None]) -> Target:
    """The file that ``typed`` names.

    Args:
        typed: a path; ``~`` is the home folder.
        cases: the data set; neither it nor what is kept beside it is ever written over.
        read: other files in use.

    Raises:
        ProductError: it is no path, names a folder, or a file in use.
    """
    path = named(typed)
    taken = {resolve(one) for one in (cases, *companions(cases))}
    taken |= {resolve(one) for one in read if one is not None}
    if resolve(path) in taken:
        raise UsageError("board_export.in_use", path=path)
    return Target(path, identity(path))


def write(report: GateReport, name: str, to: Target) -> bool:
    """Write ``report`` in the form called ``name``, in one step (slow; for a thread).

    Returns:
        False where something else stands there by now than the person was asked about; nothing is written.

    Raises:
        WriteError: it could not be written.
    """
    from scoring.cli.outputs import rendered

    data = rendered(report, name)
    if identity(to.path) != to.seen:
        return False
    write_report(to.path, data)
    return True
