"""Without an order, on a terminal: the app."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.commands.abstraction import report_files
from reviewer.keys import find_key, find_signers
from reviewer.signing import check_reviewer
from scoring.errors import UsageError
from scoring.sources import PREDICTIONS_NAME, configured, shipped_path

if TYPE_CHECKING:
    from reviewer.adjudication.desk import Sources
    from reviewer.commands.context import Context
    from scoring.sources import Source

ENVIRONMENT_VARIABLE = "REVISION_PREDICCIONES"
REPORTS_VARIABLE = "REVISION_INFORMES"


def run(context: Context) -> int:
    """Open the app; its exit code."""
    options = context.options
    key = find_key(options.clave, os.environ, Path.cwd())
    if key is not None and not key.exists():
        raise UsageError("keys.no_key", path=key)
    reviewer = check_reviewer(options.revisor) if options.revisor is not None else None
    path = context.working()
    from reviewer.app import Settings
    from reviewer.app import run as open_app

    return open_app(
        Settings(
            dataset_path=path,
            predictions_path=predictions(context.source, options.predicciones),
            reviewer=reviewer,
            demo=not context.source.named,
            key_path=key,
            allowed_signers=find_signers(None, os.environ, Path.cwd(), path),
            abstraction=report_files(options, os.environ, Path.cwd()),
            begin_with_abstraction=options.informe_abstraccion is not None,
            reports_folder=reports_folder(),
        )
    )


def predictions(source: Source, option: Path | None) -> Path | None:
    """The outputs the dashboard scores: named ones, or for the demo its example; else none."""
    if option is not None:
        return option
    named = os.environ.get(ENVIRONMENT_VARIABLE, "").strip()
    if named:
        return Path(named)
    chosen = configured(Path.cwd(), "predicciones")
    if chosen is not None or source.named:
        return chosen
    return shipped_path(PREDICTIONS_NAME)


def reports_folder() -> Path | None:
    """The folder of stored reports that the environment or ``revision.toml`` names, or None."""
    named = os.environ.get(REPORTS_VARIABLE, "").strip()
    return Path(named) if named else configured(Path.cwd(), "informes")


def open_desk(sources: Sources, reviewer: str | None) -> int:
    """Open the app of adjudication; its exit code.

    Raises:
        ProductError: a file cannot be used; nothing has been painted yet.
    """
    from reviewer.adjudication.desk import Desk, read

    desk = Desk(sources, read(sources), reviewer)
    from reviewer.app.disagreements.app import DeskApp

    return DeskApp(desk).run_on_terminal()
