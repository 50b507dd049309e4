"""What the command line hands to the app; plain values, so that starting needs no Textual."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reviewer.abstraction_report import ReportFiles

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """How one session begins.

    Attributes:
        dataset_path: the data set as the person named it.
        predictions_path: outputs of the assistant, or None when there are none.
        reviewer: who signs, when already said; checked on opening.
        demo: the data set is the working copy of the shipped one.
        label: a name for the data set on the screen; its file name when left out.
        key_path: the SSH key to sign with, or None: then signatures are by name.
        drafts_folder: where unsaved work is kept; the user's state folder when left out.
        allowed_signers: whose keys vouch for which names; only the history shows it.
        abstraction: the report of chart abstraction and what is put beside it.
        begin_with_abstraction: open that report first.
        reports_folder: where reports of the gate are stored; ``informes`` beside the data when left out.
    """

    dataset_path: Path
    predictions_path: Path | None = None
    reviewer: str | None = None
    demo: bool = False
    label: str | None = None
    key_path: Path | None = None
    drafts_folder: Path | None = None
    allowed_signers: Path | None = None
    abstraction: ReportFiles = field(default_factory=ReportFiles)
    begin_with_abstraction: bool = False
    reports_folder: Path | None = None
