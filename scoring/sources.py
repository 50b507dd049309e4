"""Where the data set comes from when the command line does not say, and in which order that is decided.

``--casos``, then ``REVISION_CASOS``, then ``casos = "..."`` in a ``revision.toml`` of the current folder,
then the working copy of the shipped set in the user's data folder if there is one, then the shipped
set itself, which is only ever read. Nothing is written here.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from scoring.errors import UsageError, system_reason
from scoring.tables import THRESHOLDS

if TYPE_CHECKING:
    from collections.abc import Mapping

ENVIRONMENT_VARIABLE = "REVISION_CASOS"
CONFIG_NAME = "revision.toml"
CASES_NAME = "casos.jsonl"
PREDICTIONS_NAME = "predicciones_ejemplo.jsonl"
_APPLICATION = "revision-clinica"


class SourceKind(StrEnum):
    """Who named the data set."""

    OPTION = "opcion"
    ENVIRONMENT = "entorno"
    CONFIG = "configuracion"
    WORKING_COPY = "copia_de_trabajo"
    SHIPPED = "incluido"


@dataclass(frozen=True, slots=True)
class Source:
    """A data set and who named it."""

    path: Path
    kind: SourceKind

    @property
    def named(self) -> bool:
        """Somebody chose it; otherwise it is the demonstration set."""
        return self.kind in {SourceKind.OPTION, SourceKind.ENVIRONMENT, SourceKind.CONFIG}


def working_copy_path() -> Path:
    """Where the working copy of the shipped set lives, whether or not it is there yet."""
    import platformdirs

    return Path(platformdirs.user_data_path(_APPLICATION, appauthor=False)) / "demo" / CASES_NAME


def shipped_path(name: str = CASES_NAME) -> Path:
    """A file of the shipped set, in the checkout or in the installed package."""
    return Path(str(files("casos").joinpath(name)))


def find_cases(option: Path | None, env: Mapping[str, str], cwd: Path) -> Source:
    """The data set to work on.

    Args:
        option: what ``--casos`` said, or None.
        env: the environment; an empty ``REVISION_CASOS`` counts as absent.
        cwd: the folder in which ``revision.toml`` is looked for; a relative path in that file starts
            there.

    Raises:
        UsageError: ``revision.toml`` cannot be read or its ``casos`` is no text.
    """
    if option is not None:
        return Source(option, SourceKind.OPTION)
    named = env.get(ENVIRONMENT_VARIABLE, "").strip()
    if named:
        return Source(Path(named), SourceKind.ENVIRONMENT)
    configured_path = configured(cwd, "casos")
    if configured_path is not None:
        return Source(configured_path, SourceKind.CONFIG)
    copy = working_copy_path()
    if copy.exists():
        return Source(copy, SourceKind.WORKING_COPY)
    return Source(shipped_path(), SourceKind.SHIPPED)


def find_thresholds(option: Path | None, cases: Path) -> Path | None:
    """The team's own thresholds: what ``--umbrales`` says, else ``umbrales.toml`` beside the data set.

    Args:
        option: what ``--umbrales`` said, or None.
        cases: the data set in use.

    Returns:
        None where the shipped thresholds hold as they are. Read the file with
        :func:`scoring.tables.thresholds_table`.
    """
    if option is not None:
        return option
    beside = cases.parent / THRESHOLDS
    return beside if beside.is_file() and not beside.samefile(shipped_path(THRESHOLDS)) else None


def configured(cwd: Path, key: str) -> Path | None:
    """The file that ``key`` of ``revision.toml`` in ``cwd`` names, or None; relative to that folder.

    Raises:
        UsageError: the file cannot be read, or the key is no text.
    """
    config = cwd / CONFIG_NAME
    try:
        data = tomllib.loads(config.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise UsageError("sources.config_unreadable", path=config, reason=system_reason(error)) from None
    if key not in data:
        return None
    named = data[key]
    if not isinstance(named, str) or not named.strip():
        raise UsageError("sources.config_not_text", path=config, key=key)
    return cwd / named
